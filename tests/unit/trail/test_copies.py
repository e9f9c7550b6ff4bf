"""A whole copy tells exactly what was done, also at its own end, and accuses nobody of what was done after it."""

from __future__ import annotations

from random import Random

import pytest

from carrete.domain.trail import copies
from carrete.domain.trail.compare import examine
from carrete.domain.trail.copies import compare_with_copy
from carrete.domain.trail.findings import Kind, TrailRow
from carrete.domain.trail.sentences import finding_sentence
from carrete.domain.trail.witness import Witness
from tests.support.trails import Rows, a_trail, cut_off, delete, delete_and_close_up, edit, head_of, insert, rechained

COPIED = 40
CHANCE = Random(1)


def told(trail: Rows, copy: Rows) -> list[tuple[Kind, int, int, int]]:
    found = compare_with_copy(trail, copy, "respaldo", "2026-11-17T12:00:00+00:00")
    return [(each.kind, each.first, each.last, each.now_at) for each in found]


@pytest.fixture(params=[0, 6], ids=["nothing", "work"])
def rows(request: pytest.FixtureRequest) -> Rows:
    """A trail that went on so far after the copy."""
    return a_trail(COPIED + request.param)


@pytest.mark.parametrize("anew", [False, True])
def test_an_inserted_event_pushes_the_last_one_of_the_copy_beyond_its_end_and_nothing_is_missing(
    rows: Rows, anew: bool
) -> None:
    trail = insert(rows, 20, CHANCE)
    assert told(rechained(trail, 20) if anew else trail, rows[:COPIED]) == [
        (Kind.ADDED, 21, 21, 0),
        (Kind.MOVED, 21, COPIED, 22),
    ]


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("deleted", [1, 3])
def test_after_a_deletion_that_was_closed_up_the_events_from_after_the_copy_are_not_called_added(
    rows: Rows, anew: bool, deleted: int
) -> None:
    trail = rows
    for _ in range(deleted):
        trail = delete_and_close_up(trail, 20, CHANCE)
    assert told(rechained(trail, 20) if anew else trail, rows[:COPIED]) == [
        (Kind.MISSING, 21, 20 + deleted, 0),
        (Kind.MOVED, 21 + deleted, COPIED, 21),
    ]


def test_what_was_done_before_the_end_of_the_copy_is_told_as_it_is(rows: Rows) -> None:
    copy = rows[:COPIED]
    assert told(rows, copy) == []
    assert told(edit(rows, 20, CHANCE), copy) == [(Kind.CHANGED, 21, 21, 0)]
    assert told(delete(rows, 20, CHANCE), copy) == [(Kind.MISSING, 21, 21, 0)]
    assert told(cut_off(rows, 30, CHANCE), copy) == [(Kind.MISSING, 31, COPIED, 0)]
    both = delete_and_close_up(insert(rows, 10, CHANCE), 20, CHANCE)
    assert told(both, copy) == [(Kind.ADDED, 11, 11, 0), (Kind.MISSING, 20, 20, 0), (Kind.MOVED, 11, 19, 12)]


def test_events_that_were_written_after_a_restore_are_not_called_added(rows: Rows) -> None:
    others = [(*row[:1], f"other-{row[0]}", *row[2:]) for row in rows[35:]]
    assert told(rechained([*rows[:35], *others], 35), rows[:COPIED]) == [(Kind.MISSING, 36, COPIED, 0)]


def test_where_too_much_differs_to_be_told_one_by_one_nothing_false_is_told(
    monkeypatch: pytest.MonkeyPatch, rows: Rows
) -> None:
    monkeypatch.setattr(copies, "DIFFERENCES_MAX", 20)
    found = told(insert(rows, 5, CHANCE), rows[:COPIED])
    assert [(kind, first) for kind, first, _, _ in found] == [(Kind.ADDED, 6), (Kind.MOVED, 6)]
    found = told(delete_and_close_up(rows, 5, CHANCE), rows[:COPIED])
    assert [(kind, first) for kind, first, _, _ in found] == [(Kind.MISSING, 6), (Kind.MOVED, 7)]


def moved_into(rows: Rows, event: int, to: int) -> Rows:
    """The chain is computed anew after it."""
    rest = [row for row in rows if row[0] != event]
    return rechained(
        [(n, *row[1:]) for n, row in enumerate([*rest[: to - 1], rows[event - 1], *rest[to - 1 :]], 1)], to
    )


def receipt_of(row: TrailRow) -> Witness:
    return Witness(row[0], row[16], "recibo", row[2], row[2], event_seq=row[0], version=row[14], what="TOMAR MK-1")


@pytest.mark.parametrize("told_by", ["a workbook", "two receipts", "nothing"])
def test_a_later_event_that_was_moved_before_one_of_the_copy_is_not_called_added(told_by: str) -> None:
    """A workbook tells where it stood, and so do its receipt and that of the event before: their hashes are its own."""
    rows = a_trail(COPIED + 6)
    trail = moved_into(rows, 45, 21)
    witnesses = {
        "a workbook": [Witness(45, rows[44][16], "planilla", rows[44][2], event_id=rows[44][1])],
        "two receipts": [receipt_of(rows[43]), receipt_of(rows[44])],
    }.get(told_by, [])
    report = examine(lambda: trail, head_of(trail), witnesses)
    found = compare_with_copy(trail, rows[:COPIED], "respaldo", rows[COPIED - 1][2], report.written_at)
    told = [(each.kind, each.first, each.now_at) for each in found if each.first != 21 or each.kind is Kind.ADDED]
    if told_by == "nothing":
        assert told == [(Kind.ADDED, 21, 0)]
        assert finding_sentence(found[0]).en.endswith(
            "Or it is another event of the shop, and was moved there: nothing tells."
        )
    else:
        assert told == [(Kind.MOVED, 45, 21)]
        assert finding_sentence(found[-1]).en.startswith("Event 45 stands in another place: at 21 (TOMAR_SPOOL ")


def test_an_event_of_a_time_that_the_copy_covers_was_added_and_was_not_moved_there(rows: Rows) -> None:
    (found, _) = compare_with_copy(insert(rows, 20, CHANCE), rows[:COPIED], "respaldo", "2026-11-17T12:00:00+00:00")
    assert finding_sentence(found).en.endswith(
        "(TOMAR_SPOOL MK-0 XX(1)), after 2026-11-17T12:00:00+00:00. Shown by respaldo."
    )
