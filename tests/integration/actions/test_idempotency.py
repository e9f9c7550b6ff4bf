"""The first outcome decided under a key is final for it: success, refusal, or nothing to do."""

from __future__ import annotations

import pytest

from carrete.actions import KeyReused
from carrete.actions.answer import Answer
from carrete.domain.commands import Pausar, Tomar
from carrete.domain.spool import Operacion
from carrete.ledger import open_database
from carrete.ledger.database import Database
from tests.support.acting import Floor, a_floor, a_request, code
from tests.support.builders import events_in, spool_in

ARM = Operacion.ARM


def stored_answers(database: Database, *keys: str) -> list[str]:
    with database.reading() as tx:
        return [row[0] for row in tx.all("keys_known", keys=sorted(keys))]


def test_the_same_key_gives_the_same_answer_and_does_nothing(floor: Floor, shop: Database) -> None:
    first = floor.do(Tomar("MK-1", 7, ARM), key="k")
    floor.do(Pausar("MK-1", 7, ARM))
    again = floor.do(Tomar("MK-1", 7, ARM), key="k")
    assert again == first._replace(replayed=True)
    assert spool_in(shop, "MK-1").occupation is None, "the spool was paused since, and stays so"
    assert len(events_in(shop)) == 2


def test_a_refusal_is_final_for_its_key_even_when_it_would_succeed_now(floor: Floor, shop: Database) -> None:
    """A request that was stuck somewhere cannot act after its twin was refused."""
    floor.do(Tomar("MK-1", 8, ARM))
    first = floor.do(Tomar("MK-1", 7, ARM), key="k")
    assert code(first) == "SPOOL_OCCUPIED"
    floor.do(Pausar("MK-1", 8, ARM))
    assert floor.do(Tomar("MK-1", 7, ARM), key="k") == first._replace(replayed=True)
    assert spool_in(shop, "MK-1").occupation is None
    assert code(floor.do(Tomar("MK-1", 7, ARM), key="another")) == "OK"


@pytest.mark.parametrize(
    "refused",
    [Tomar("GONE", 7, ARM), Tomar("MK-1", 404, ARM), Pausar("MK-1", 7, ARM), Tomar("MK-1", 7, ARM, version="old")],
)
def test_every_refusal_stores_its_key(floor: Floor, shop: Database, refused: Tomar | Pausar) -> None:
    first = floor.do(refused, key="k")
    assert code(first) != "OK"
    assert stored_answers(shop, "k") == ["k"]
    assert floor.do(refused, key="k") == first._replace(replayed=True)


def test_a_key_is_stored_also_when_nothing_changed(floor: Floor, shop: Database) -> None:
    floor.do(Tomar("MK-1", 7, ARM))
    floor.do(Tomar("MK-1", 7, ARM), key="double tap")
    floor.do(Pausar("MK-1", 7, ARM))
    assert floor.do(Tomar("MK-1", 7, ARM), key="double tap").replayed
    assert spool_in(shop, "MK-1").occupation is None


def test_another_body_under_a_used_key_is_refused_and_does_nothing(floor: Floor, shop: Database) -> None:
    floor.do(Tomar("MK-1", 7, ARM), key="k")
    with pytest.raises(KeyReused):
        floor.do(Tomar("MK-2", 7, ARM), key="k")
    assert spool_in(shop, "MK-2").occupation is None
    assert floor.do(Tomar("MK-1", 7, ARM), key="k").replayed, "the first use stands"


def test_another_body_at_the_same_moment_is_refused_too(floor: Floor, shop: Database) -> None:
    answers = floor.do_all([a_request(Tomar(tag, 7, ARM), key="k") for tag in ("MK-1", "MK-2")])
    assert isinstance(answers[0], Answer)
    assert isinstance(answers[1], KeyReused)
    assert [stored.tag for stored in events_in(shop)] == ["MK-1"]


def test_without_a_key_every_call_is_decided_anew(floor: Floor, shop: Database) -> None:
    for _ in range(3):
        floor.do(Tomar("MK-1", 7, ARM))
        floor.do(Pausar("MK-1", 7, ARM))
    assert len(events_in(shop)) == 6


def test_thirty_repeats_of_a_key_at_once_are_one_event(floor: Floor, shop: Database) -> None:
    answers = floor.do_all(a_request(Tomar("MK-1", 7, ARM), key="k") for _ in range(30))
    found = [answer for answer in answers if isinstance(answer, Answer)]
    assert len(found) == 30
    assert {answer.body for answer in found} == {found[0].body}
    assert [answer.replayed for answer in found].count(False) == 1
    assert len(events_in(shop)) == 1


def test_a_key_used_in_one_process_is_known_in_another(shop: Database, database_url: str) -> None:
    elsewhere = open_database(database_url)
    with a_floor(shop) as here, a_floor(elsewhere) as there:
        first = here.do(Tomar("MK-1", 7, ARM), key="k")
        assert there.do(Tomar("MK-1", 7, ARM), key="k") == first._replace(replayed=True)
        with pytest.raises(KeyReused):
            there.do(Tomar("MK-2", 7, ARM), key="k")
    elsewhere.close()
    assert len(events_in(shop)) == 1
