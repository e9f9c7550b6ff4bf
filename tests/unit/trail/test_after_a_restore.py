"""A backup was restored, the shop went on, and then somebody tampered with the trail: both are told, each at its place
and time, by the witnesses that the shop has of before and of after the restore."""

from __future__ import annotations

from random import Random

import pytest

from carrete.domain.trail.compare import examine
from carrete.domain.trail.denied import DEEDS_TOLD_MAX
from carrete.domain.trail.findings import Kind, TrailFinding
from carrete.domain.trail.witness import Witness
from tests.support.restored_worlds import a_restored_world, wrong_in
from tests.support.trails import Rows, a_trail, an_event, chained, edit, head_of, receipts_of, rechained

NOW = "2026-11-18T00:00:00+00:00"
WORLDS = 1_000
LOST_AT, NEW_AT, RESTORED_AT = "2026-11-17T10:00", "2026-11-17T20:00", "2026-11-17T15:00"


def gone_on(rows: Rows, kept: int, events: int, name: str, at: str = NEW_AT) -> Rows:
    """Only so many events were kept, and the shop went on with others."""
    more = [
        an_event(n, id=f"{name}-{n}", version=f"{name}-{n}", at=f"{at}:{n:02}+00:00")
        for n in range(kept + 1, events + 1)
    ]
    return [*rows[:kept], *chained(more, rows[kept - 1][16])]


def edited(rows: Rows, seq: int) -> Rows:
    return rechained(edit(rows, seq - 1, Random(1)), seq - 1)


def sheet_of(rows: Rows) -> list[Witness]:
    return [Witness(row[0], row[16], "planilla", made_at=row[2], event_id=row[1]) for row in rows]


def told(rows: Rows, *witnesses: Witness) -> list[TrailFinding]:
    return list(examine(lambda: rows, head_of(rows), witnesses, now=NOW).findings)


LOST = a_trail(40)
NEW = gone_on(LOST, 20, 59, "new")


def test_receipts_tell_the_restore_and_the_later_rewriting_each_with_its_time() -> None:
    restored, rewritten = told(edited(NEW, 50), *receipts_of(LOST), *receipts_of(NEW)[20:])
    assert (restored.kind, restored.first, restored.last) == (Kind.REWRITTEN, 21, 21)
    assert LOST_AT < restored.since < RESTORED_AT < restored.until < f"{NEW_AT}:22"
    assert (rewritten.kind, rewritten.first, rewritten.last, rewritten.until) == (Kind.REWRITTEN, 50, 50, NOW)
    assert rewritten.since == NEW[-1][2]


def test_a_workbook_with_the_rows_of_both_names_the_event_that_was_changed_after_the_restore() -> None:
    both = [*sheet_of(LOST), *sheet_of(NEW[20:])]
    missing, changed = told(edited(NEW, 50), *both)
    assert (missing.kind, missing.first, missing.last) == (Kind.MISSING, 21, 40)
    assert missing.since < RESTORED_AT
    assert (changed.kind, changed.first, changed.last, changed.since) == (Kind.CHANGED, 50, 50, NEW[-1][2])


def test_events_cut_off_after_the_restore_are_told_beside_those_that_the_restore_lost() -> None:
    both = [*sheet_of(LOST), *sheet_of(NEW[20:])]
    assert [(found.kind, found.first, found.last) for found in told(NEW[:45], *both)] == [
        (Kind.MISSING, 21, 40),
        (Kind.MISSING, 46, 59),
    ]


def test_a_restore_alone_is_told_once() -> None:
    receipts, sheet = receipts_of(LOST), sheet_of(LOST)
    for witnesses in (receipts, [*receipts, *receipts_of(NEW)[20:]], [*sheet, *sheet_of(NEW)]):
        (found,) = told(NEW, *witnesses)
        assert found.first == 21


def test_a_receipt_that_does_not_say_when_it_was_made_parts_nothing() -> None:
    between = [w._replace(made_at="", known_at="") for w in receipts_of(NEW)[20:]]
    (found,) = told(edited(NEW, 50), *receipts_of(LOST), *between)
    assert (found.first, found.last) == (21, 21)


def test_what_does_not_say_when_it_was_made_hides_no_receipt_that_does() -> None:
    untimed = [w._replace(made_at="", known_at="") for w in receipts_of(NEW)[24:25]]
    found = told(edited(NEW, 50), *receipts_of(LOST), *untimed, *receipts_of(NEW)[25:])
    assert [each.first for each in found] == [21, 50]


def test_a_workbook_from_after_a_single_deed_does_not_make_two_of_it() -> None:
    """The times of its rows are those of the events: they do not tell that they were written after the deed."""
    rewritten = edited(NEW, 50)
    (found,) = told(rewritten, *receipts_of(NEW), *sheet_of(rewritten))
    assert (found.first, found.last) == (50, 50)


def test_deed_after_deed_the_last_ones_are_told_as_one() -> None:
    """Each restore loses two events; receipts of all of them are there."""
    rows, receipts = a_trail(2), receipts_of(a_trail(2))
    for n in range(DEEDS_TOLD_MAX + 5):
        rows = gone_on(rows, len(rows) - 1 if n else 1, len(rows) + 1, f"new{n}", f"2026-11-17T{11 + n // 6}:{n % 6}0")
        receipts += receipts_of(rows)[-2:]
    found = told(rows, *receipts)
    assert len(found) == DEEDS_TOLD_MAX
    assert [each.first for each in found] == list(range(2, DEEDS_TOLD_MAX + 2))


@pytest.mark.parametrize("first", range(0, WORLDS, 250))
def test_in_small_worlds_nothing_false_is_said_and_both_are_told_where_a_receipt_parts_them(first: int) -> None:
    for seed in range(first, first + 250):
        assert wrong_in(a_restored_world(seed)) == [], seed
