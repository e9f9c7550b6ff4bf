"""A trail that was computed anew more than once, with witnesses from in between: the place told is that of a deed."""

from __future__ import annotations

from random import Random

from carrete.domain.trail.compare import examine
from carrete.domain.trail.findings import Kind
from carrete.domain.trail.witness import Witness
from tests.support.trails import Rows, a_trail, an_event, chained, edit, head_of, receipts_of, rechained

NOW = "2026-11-18T00:00:00+00:00"


def edited_anew(rows: Rows, seq: int) -> Rows:
    return rechained(edit(rows, seq - 1, Random(1)), seq - 1)


def grown(rows: Rows, events: int) -> Rows:
    return [*rows, *chained([an_event(seq) for seq in range(len(rows) + 1, events + 1)], rows[-1][16])]


def rewritten(rows: Rows, witnesses: list[Witness]) -> list[tuple[int, int]]:
    report = examine(lambda: rows, head_of(rows), witnesses, now=NOW)
    return [(found.first, found.last) for found in report.findings if found.kind is Kind.REWRITTEN]


def sheet_of(rows: Rows) -> list[Witness]:
    return [Witness(row[0], row[16], "planilla", made_at=row[2], event_id=row[1]) for row in rows]


def test_a_workbook_from_between_two_deeds_does_not_say_that_the_first_one_came_later() -> None:
    """Events 3 and 50 were edited, the second when the shop had gone on. A receipt of event 10 is from before both."""
    before = a_trail(30)
    middle = grown(edited_anew(before, 3), 60)
    now = edited_anew(middle, 50)
    assert rewritten(now, [*receipts_of(before)[9:10], *sheet_of(middle)]) == [(1, 10)]


def cut_off_and_grown(events: int) -> tuple[Rows, Rows]:
    """Events from 21 on were cut off, and the shop went on with others."""
    before = a_trail(40)
    at = "2026-11-17T20:00:{}+00:00"
    others = [an_event(n, id=f"other-{n}", version=f"other-{n}", at=at.format(n)) for n in range(21, events + 1)]
    return before, [*before[:20], *chained(others, before[19][16])]


def test_receipts_from_between_two_deeds_do_not_say_that_the_first_one_came_later() -> None:
    """Event 50 was edited when the shop had gone on. Of the receipts from between, those before it agree."""
    before, middle = cut_off_and_grown(59)
    between = [*receipts_of(middle)[24:28], *receipts_of(middle)[55:]]
    of_before = [*receipts_of(before)[:15], *receipts_of(before)[30:]]
    assert rewritten(edited_anew(middle, 50), [*of_before, *between]) == [(16, 31)]


def test_receipts_without_a_time_do_not_tell_up_to_where_the_trail_is_unchanged() -> None:
    """Of those from after the deed, some agree."""
    before, now = cut_off_and_grown(59)
    lost, later = receipts_of(before)[30:35], receipts_of(now)[24:28]
    assert rewritten(now, [w._replace(made_at="", known_at="") for w in (*lost, *later)]) == [(1, 31)]
