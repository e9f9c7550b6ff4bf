"""Waiting and working times, work in progress by age, weeks, and where work piles up."""

from __future__ import annotations

from datetime import date, timedelta

from carrete.domain.reports.stage_times import (
    Bottleneck,
    EndedStages,
    Lengths,
    StageNow,
    bottleneck,
    by_age,
    by_week,
    stage_times,
)
from carrete.domain.spool import Operacion
from tests.support.builders import NOW

ARM, SOLD, METROLOGIA, REPARACION = Operacion
HOUR_S = 3_600


def since(hours: float) -> StageNow:
    return StageNow("espera:METROLOGIA", NOW - timedelta(hours=hours), 1)


def test_the_median_is_that_of_the_single_lengths() -> None:
    lengths = Lengths()
    assert (lengths.times, lengths.median_hours, lengths.total_hours) == (0, None, 0.0)
    for hours, times in ((9, 1), (1, 2), (4, 2)):
        lengths.add(hours * HOUR_S, times)
    assert (lengths.times, lengths.median_hours, lengths.total_hours) == (5, 4.0, 19.0)


def test_a_wait_for_two_operations_counts_for_both_and_a_session_for_its_own() -> None:
    ended = [EndedStages("pausa:ARM espera:SOLD", 2, 4 * HOUR_S), EndedStages("trabajo:ARM", 1, 5 * HOUR_S)]
    now_in = [StageNow("trabajo:SOLD", NOW, 3), StageNow("pausa:ARM pausa:SOLD", NOW - timedelta(hours=8), 1)]
    found = stage_times(ended, now_in, NOW)
    assert [found[op].waits.times for op in Operacion] == [2, 2, 0, 0]
    assert found[SOLD].waits.median_hours == 2.0
    assert [found[op].sessions.times for op in Operacion] == [1, 0, 0, 0]
    assert [found[op].in_work_now for op in Operacion] == [0, 3, 0, 0]
    assert [found[op].waiting_now.median_hours for op in Operacion] == [8.0, 8.0, None, None]


def test_the_bottleneck_is_where_begun_work_waits_longest_altogether() -> None:
    many = [StageNow("espera:SOLD", NOW - timedelta(hours=1), 20)]
    long = [since(20), since(50), since(60)]
    assert bottleneck([*many, *long], NOW) == Bottleneck(METROLOGIA, 3, 50.0)
    assert bottleneck([StageNow("espera:SOLD", NOW - timedelta(hours=7), 20), *long], NOW) == Bottleneck(SOLD, 20, 7.0)


def test_what_waits_for_its_first_arm_is_no_bottleneck() -> None:
    to_come = StageNow("espera:ARM", NOW - timedelta(days=90), 2_000)
    assert bottleneck([to_come], NOW) is None
    assert bottleneck([to_come, since(1)], NOW) == Bottleneck(METROLOGIA, 1, 1.0)
    assert bottleneck([], NOW) is None


def test_work_in_progress_by_the_days_since_it_was_begun() -> None:
    begun = [(NOW - timedelta(days=days), 1) for days in (0, 0.9, 1, 5, 13, 14, 29, 30, 400)]
    assert by_age(begun, NOW) == [2, 1, 1, 1, 2, 2]


def test_every_week_of_the_period_is_there_from_its_monday() -> None:
    approved = {"2026-11-02": 1, "2026-11-08": 2, "2026-11-16": 4}
    weeks = by_week(approved, date(2026, 11, 2), date(2026, 11, 18))
    assert weeks == [(date(2026, 11, 2), 3), (date(2026, 11, 9), 0), (date(2026, 11, 16), 4)]
