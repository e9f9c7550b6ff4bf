"""The access events: who signed in, and what administrators changed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from carrete.identity import access_events
from carrete.identity.access_events import AccessFilter, AccessKind, record
from carrete.ledger.database import Database

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


def kinds_of(database: Database, wanted: AccessFilter) -> list[AccessKind]:
    with database.reading() as tx:
        return [event.kind for event in access_events.page(tx, wanted).events]


def test_pages_of_events_have_each_event_once_and_the_newest_first(database: Database) -> None:
    with database.writing() as tx:
        for minute in range(7):
            record(tx, AccessKind.ENTRO, at=NOW + timedelta(minutes=minute), worker_id=minute)
    seen: list[int | None] = []
    before = None
    with database.reading() as tx:
        while True:
            page = access_events.page(tx, before=before, limit=3)
            seen += [event.worker_id for event in page.events]
            if (before := page.next_before) is None:
                break
    assert seen == [6, 5, 4, 3, 2, 1, 0]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (AccessFilter(), [AccessKind.PIN_NUEVO, AccessKind.SALIO, AccessKind.ENTRO]),
        (AccessFilter(kind=AccessKind.SALIO), [AccessKind.SALIO]),
        (AccessFilter(worker_id=93), [AccessKind.SALIO, AccessKind.ENTRO]),
        (AccessFilter(worker_id=21), [AccessKind.PIN_NUEVO]),
        (AccessFilter(worker_id=0), []),
        (AccessFilter(device_id="d-1"), [AccessKind.ENTRO]),
        (AccessFilter(since=NOW + timedelta(hours=1)), [AccessKind.PIN_NUEVO, AccessKind.SALIO]),
        (AccessFilter(until=NOW + timedelta(hours=1)), [AccessKind.ENTRO]),
    ],
)
def test_events_are_found_by_kind_person_device_and_time(
    database: Database, wanted: AccessFilter, found: list[AccessKind]
) -> None:
    with database.writing() as tx:
        record(tx, AccessKind.ENTRO, at=NOW, worker_id=93, device_id="d-1")
        record(tx, AccessKind.SALIO, at=NOW + timedelta(hours=1), worker_id=93, device_id="d-2")
        record(tx, AccessKind.PIN_NUEVO, at=NOW + timedelta(hours=2), worker_id=7, by_id=21)
    assert kinds_of(database, wanted) == found


def test_addresses_are_kept_for_ninety_days_and_events_for_two_years(database: Database) -> None:
    with database.writing() as tx:
        for days in (1, 89, 91, 730, 740):
            record(tx, AccessKind.ENTRO, at=NOW - timedelta(days=days), worker_id=days, address="10.0.0.9")
        assert access_events.forget_old(tx, NOW) == 1
    with database.reading() as tx:
        left = {event.worker_id: event.address for event in access_events.page(tx).events}
    assert left == {1: "10.0.0.9", 89: "10.0.0.9", 91: None, 730: None}


def test_a_long_detail_is_cut(database: Database) -> None:
    with database.writing() as tx:
        record(tx, AccessKind.REVOCADO, at=NOW, detail="x" * 5_000)
    with database.reading() as tx:
        (event,) = access_events.page(tx).events
    assert event.detail == "x" * access_events.DETAIL_CHARS_MAX
