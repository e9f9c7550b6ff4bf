"""A backup was restored, the shop went on, and then somebody tampered with the trail: both are told, each at its place
and time, by the witnesses that the shop has of before and of after the restore."""

from __future__ import annotations

from random import Random

import pytest

from carrete.domain.trail.canonical import ChainHead
from carrete.domain.trail.compare import examine
from carrete.domain.trail.deeds import DEEDS_TOLD_MAX
from carrete.domain.trail.findings import Kind, TrailFinding
from carrete.domain.trail.witness import Witness
from tests.support.restored_worlds import a_restored_world, wrong_in
from tests.support.tampered_worlds import a_world
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


def told(rows: Rows, *witnesses: Witness, head: ChainHead | None = None) -> list[TrailFinding]:
    return list(examine(lambda: rows, head or head_of(rows), witnesses, now=NOW).findings)


def places(found: list[TrailFinding]) -> list[tuple[Kind, int, int]]:
    return [(each.kind, each.first, each.last) for each in found]


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
    assert places(told(NEW[:45], *both)) == [(Kind.MISSING, 21, 40), (Kind.MISSING, 46, 59)]


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


@pytest.mark.parametrize(("restores", "told_as"), [(DEEDS_TOLD_MAX, DEEDS_TOLD_MAX), (DEEDS_TOLD_MAX + 1, 1)])
def test_so_many_restores_are_told_one_by_one_and_more_as_one(restores: int, told_as: int) -> None:
    """Each loses one event. More of them than that look like wrong clocks, or like two servers side by side."""
    rows = a_trail(2)
    receipts = receipts_of(rows)
    for n in range(restores):
        rows = gone_on(rows, len(rows) - 1, len(rows) + 1, f"new{n}", f"2026-11-17T{11 + n}:00")
        receipts += receipts_of(rows)[-2:]
    assert [each.first for each in told(rows, *receipts)] == list(range(2, told_as + 2))


def with_clock(witnesses: list[Witness], hour: str) -> list[Witness]:
    times = (w.made_at[:11] + hour + w.made_at[13:] for w in witnesses)
    return [w._replace(made_at=at, known_at=at) for w, at in zip(witnesses, times, strict=True)]


@pytest.mark.parametrize("slow", [receipts_of(NEW)[20:], receipts_of(NEW)[20::5], receipts_of(NEW)[30:31]])
def test_tablets_whose_clocks_are_slow_do_not_make_several_deeds_of_a_restore(slow: list[Witness]) -> None:
    (found,) = told(NEW, *receipts_of(LOST), *receipts_of(NEW)[20:], *with_clock(slow, "08"))
    assert (found.first, found.last, found.since) == (21, 21, "")  # the times contradict each other


def test_a_receipt_from_the_future_parts_nothing() -> None:
    ahead = [w._replace(made_at="2099-01-01T00:00:00+00:00", known_at="") for w in receipts_of(LOST)[29:]]
    (found,) = told(NEW, *receipts_of(LOST)[:29], *ahead, *receipts_of(NEW)[20:])
    assert (found.first, found.last, found.since) == (21, 21, LOST[28][2])


def test_a_tablet_whose_clock_is_ahead_does_not_make_the_place_wider() -> None:
    ahead = [w._replace(made_at="2099-01-01T00:00:00+00:00", known_at="") for w in receipts_of(LOST)[29:30]]
    (found,) = told(edited(LOST, 30), *receipts_of(LOST)[:29], *ahead, *receipts_of(LOST)[30:])
    assert (found.first, found.last, found.since) == (30, 30, LOST[-1][2])


def test_of_several_receipts_the_earliest_tells_that_the_later_ones_are_of_another_deed() -> None:
    """The first one that agrees after the restore has a clock that is fast, by less than a day."""
    fast, other = with_clock(receipts_of(NEW)[22:23], "23"), receipts_of(NEW)[20:]
    assert places(told(edited(NEW, 50), *receipts_of(LOST), *fast, *other)) == [
        (Kind.REWRITTEN, 21, 21),
        (Kind.REWRITTEN, 50, 50),
    ]


def test_a_time_stamp_counts_with_the_time_at_which_it_was_known() -> None:
    """It confirms a seal that is older: what stands for the time of the deed is not what stands for its own."""
    stamp = receipts_of(NEW)[40]._replace(made_at="2026-11-17T09:00:00+00:00", event_seq=0, version="", what="")
    found = told(edited(NEW, 50), *receipts_of(LOST), stamp, *receipts_of(NEW)[49:])
    assert places(found) == [(Kind.REWRITTEN, 21, 21), (Kind.REWRITTEN, 42, 50)]


def test_the_workbook_of_another_shop_is_told_apart_from_what_was_done_to_this_one() -> None:
    at = "2026-11-17T{:02}:{:02}:30+00:00"
    other = sheet_of(chained([an_event(n, id=f"other-{n}", at=at.format(9 + n // 40, n % 40)) for n in range(1, 81)]))
    report = examine(lambda: LOST, head_of(LOST), [*receipts_of(LOST), *other], now=NOW)
    assert (places(list(report.findings)), report.foreign) == ([(Kind.MISSING, 1, 80)], ["planilla"])
    found = told(edited(LOST, 30), *receipts_of(LOST), *other)
    assert places(found) == [(Kind.MISSING, 1, 80), (Kind.REWRITTEN, 30, 30)]


def test_a_receipt_from_the_future_neither_narrows_the_place_nor_ends_the_time() -> None:
    ahead = receipts_of(LOST)[27]._replace(made_at="2099-01-01T00:00:00+00:00", known_at="2099-01-01T00:00:00+00:00")
    (found,) = told(NEW, ahead, *receipts_of(NEW)[20:27])
    assert (found.first, found.last) == (1, 28)
    later = receipts_of(edited(LOST, 30))[38]._replace(made_at=ahead.made_at, known_at=ahead.known_at)
    (found,) = told(edited(LOST, 30), *receipts_of(LOST)[:35], later)
    assert (found.first, found.last, found.until) == (30, 30, NOW)


def test_the_own_workbook_of_which_all_rows_are_gone_tells_the_same_deed_as_the_receipts() -> None:
    rows = sheet_of(LOST[25:35])
    assert places(told(LOST[:20], *receipts_of(LOST), *rows)) == [(Kind.MISSING, 21, 40)]


@pytest.mark.parametrize(("seed", "since"), [(10_665, "08:28"), (3_464, "08:40")])
def test_a_missing_event_stood_when_a_receipt_named_it(seed: int, since: str) -> None:
    findings = a_world(seed).examined()[0].findings
    assert next(found.since[11:16] for found in findings if found.kind is Kind.MISSING) == since


def test_rows_of_two_workbooks_say_nothing_of_each_others_time() -> None:
    """That of the trail as it is now was written after the deed, whatever the times of its events are."""
    now = [w._replace(source="planilla de hoy") for w in sheet_of(NEW)]
    assert places(told(NEW, *sheet_of(LOST), *now)) == [(Kind.MISSING, 21, 40)]


def test_receipts_of_one_tablet_part_those_of_another_also_beside_a_workbook() -> None:
    between = [w._replace(source="otro tablet") for w in receipts_of(NEW)[40:45]]
    rows = [*sheet_of(LOST), *sheet_of(NEW[20:45])]
    found = told(edited(NEW, 50), *receipts_of(LOST), *rows, *between, *receipts_of(NEW)[49:])
    assert places(found) == [(Kind.MISSING, 21, 40), (Kind.REWRITTEN, 46, 50)]


def test_two_servers_side_by_side_are_told_as_one_deed() -> None:
    """The old one went on when the copy was restored: by their times each event would be a deed of its own."""
    old = gone_on(LOST, 20, 59, "old", NEW_AT)
    (found,) = told(NEW, *receipts_of(old), *receipts_of(NEW))
    assert (found.first, found.last) == (21, 21)


def test_the_restore_does_not_hide_what_the_head_alone_tells() -> None:
    of_both = [*sheet_of(LOST), *sheet_of(NEW[20:45])]
    assert places(told(NEW[:45], *of_both, head=head_of(NEW[:47]))) == [(Kind.MISSING, 21, 40), (Kind.MISSING, 46, 47)]
    found = told(edited(NEW, 50), *receipts_of(LOST), *receipts_of(NEW)[20:45], head=head_of(NEW))
    assert places(found) == [(Kind.REWRITTEN, 21, 21), (Kind.REWRITTEN, 46, 59)]


@pytest.mark.parametrize("first", range(0, WORLDS, 250))
def test_in_small_worlds_nothing_false_is_said_and_both_are_told_where_a_receipt_parts_them(first: int) -> None:
    for seed in range(first, first + 250):
        assert wrong_in(a_restored_world(seed)) == [], seed
