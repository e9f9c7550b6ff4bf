"""kill -9 in the middle of the work: what was acknowledged is there, once; what was not, at most once."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from carrete.domain.workers import Worker
from carrete.ledger.database import Database
from tests.support.builders import a_spool, events_in, put, spool_in
from tests.support.server import RunningServer, running_server
from tests.support.tablet import Tablet

TAKES = 200
KILLED_AFTER = 70
TAGS = [f"S-{n:03}" for n in range(TAKES)]


def take(tablet: Tablet, tag: str) -> bool | None:
    """True when the take was acknowledged, None when there was no answer."""
    try:
        return tablet.tap("TOMAR", tag, 100, key=f"key-{tag}").status_code == 200
    except httpx.TransportError:
        return None


def takes_until_killed(server: RunningServer) -> set[str]:
    """The takes that were acknowledged before the server was killed in the middle of its work."""
    acknowledged: set[str] = set()
    enough = threading.Event()

    def one(tablet: Tablet) -> Callable[[str], None]:
        def take_it(tag: str) -> None:
            if take(tablet, tag):
                acknowledged.add(tag)
                if len(acknowledged) >= KILLED_AFTER:
                    enough.set()

        return take_it

    with server.tablet() as tablet, ThreadPoolExecutor(12) as hands:
        tapping = [hands.submit(one(tablet), tag) for tag in TAGS]
        assert enough.wait(30)
        server.kill()
        for tap in tapping:
            tap.result()
    return acknowledged


def test_after_kill_9_every_acknowledged_take_is_there_exactly_once(
    database: Database, database_url: str, crew: list[Worker], tmp_path: Path
) -> None:
    put(database, [a_spool(tag) for tag in TAGS])
    with running_server(database_url, tmp_path) as server:
        acknowledged = takes_until_killed(server)
    assert KILLED_AFTER <= len(acknowledged) < TAKES, "it was not killed in the middle"
    with running_server(database_url, tmp_path) as server, server.tablet() as tablet:
        written = Counter(stored.tag for stored in events_in(database))
        assert set(written.values()) == {1}
        assert acknowledged <= set(written)
        held = {row["tag_spool"] for row in tablet.see("/api/dashboard/occupied")["occupied"]}
        assert held == set(written), "a take without its event, or an event without its take"
        for tag in TAGS:
            answer = tablet.tap("TOMAR", tag, 100, key=f"key-{tag}")
            assert answer.status_code == 200
            assert ("idempotency-replayed" in answer.headers) == (tag in written)
    assert Counter(stored.tag for stored in events_in(database)) == Counter(TAGS)
    assert all(spool_in(database, tag).occupation for tag in TAGS)
