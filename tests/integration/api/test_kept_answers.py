"""The answer stored under an idempotency key for 35 days is small, and is replayed byte by byte."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from carrete.domain.spool import Spool
from carrete.ledger.database import Database
from tests.support.answers import done, refused, replayed
from tests.support.builders import a_blocked_spool, a_finished_spool, a_spool, an_armed_spool, held, put
from tests.support.people import JS, LP, MR
from tests.support.tablet import Tablet

KEPT_BYTES_MAX = 2_000
LONG_TAGS = {
    "emoji": ["".join(chr(0x1F300 + (7 * n + at) % 256) for at in range(100)) for n in range(50)],
    "escaped": [f"{n:02}" + '"\\' * 49 for n in range(50)],
    "ordinary": [f"MK-1335-CW-25238-{n:03}" for n in range(50)],
    "one letter and more": ["e" * (n + 1) for n in range(50)],
}


def kept_bytes(ledger: Database, key: str) -> int:
    with ledger.reading() as tx:
        ((_, _, _, answer),) = tx.all("keys_known", keys=[key])
    return len(str(answer).encode())


@pytest.mark.parametrize("tags", LONG_TAGS.values(), ids=LONG_TAGS.keys())
def test_a_refused_batch_of_fifty_is_stored_in_two_kilobytes_and_replayed_byte_by_byte(
    tablet: Tablet, ledger: Database, tags: list[str]
) -> None:
    """Refused for every reason that a batch can have; some of them do not exist."""
    states: list[Callable[[str, int], Spool]] = [
        lambda tag, n: held(a_spool(tag), (LP, JS, MR)[n % 3]),
        lambda tag, _: a_finished_spool(tag),
        lambda tag, _: a_blocked_spool(tag),
        lambda tag, n: a_spool(tag, total_uniones=n + 1),
        lambda tag, _: a_spool(tag, fecha_materiales=None),
    ]
    put(ledger, [states[n % 5](tag, n) for n, tag in enumerate(tags) if n % 6])
    first = tablet.batch("COMPLETAR", tags, worker_id=LP.id, operacion="SOLD", key="k")
    assert done(first)["succeeded"] == 0
    assert len(first.content) > KEPT_BYTES_MAX
    assert kept_bytes(ledger, "k") <= KEPT_BYTES_MAX
    again = tablet.batch("COMPLETAR", tags, worker_id=LP.id, operacion="SOLD", key="k")
    assert (again.status_code, again.content, replayed(again)) == (first.status_code, first.content, True)
    refused(tablet.batch("COMPLETAR", tags[1:], worker_id=LP.id, key="k"), 422, "IDEMPOTENCY_KEY_REUSED")


def test_a_batch_that_succeeded_is_stored_as_short_and_replayed(tablet: Tablet, ledger: Database) -> None:
    tags = LONG_TAGS["emoji"]
    put(ledger, [an_armed_spool(tag) if n % 2 else a_spool(tag) for n, tag in enumerate(tags)])
    first = tablet.batch("TOMAR", tags, key="k")
    assert done(first)["succeeded"] == 25
    assert kept_bytes(ledger, "k") <= KEPT_BYTES_MAX
    again = tablet.batch("TOMAR", tags, key="k")
    assert (again.content, replayed(again)) == (first.content, True)


def test_a_short_answer_is_stored_as_it_is(tablet: Tablet, ledger: Database) -> None:
    """An answer that was stored before answers were packed is replayed like any other."""
    put(ledger, [a_spool()])
    first = tablet.tap("TOMAR", key="k")
    with ledger.reading() as tx:
        assert [row[3] for row in tx.all("keys_known", keys=["k"])] == [first.text]
    assert tablet.tap("TOMAR", key="k").content == first.content
