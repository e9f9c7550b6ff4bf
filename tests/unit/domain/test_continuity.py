"""Continuity: a process that is not used for six months lapses."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carrete.domain.continuity import lapse_day, months_after

FIRST = date(2020, 1, 1)
DAYS = st.integers(0, 2_500).map(lambda days: FIRST + timedelta(days=days))


@pytest.mark.parametrize(
    ("day", "later"),
    [
        (date(2026, 1, 15), date(2026, 7, 15)),
        (date(2026, 8, 31), date(2027, 2, 28)),
        (date(2023, 8, 30), date(2024, 2, 29)),
        (date(2026, 7, 1), date(2027, 1, 1)),
    ],
)
def test_six_months_are_calendar_months(day: date, later: date) -> None:
    assert months_after(day) == later


def test_each_weld_in_time_starts_the_six_months_anew() -> None:
    assert lapse_day(date(2026, 1, 1), [date(2026, 5, 1), date(2026, 10, 1)]) == date(2027, 4, 1)


def test_a_weld_after_the_lapse_does_not_bring_it_back() -> None:
    assert lapse_day(date(2026, 1, 1), [date(2026, 7, 2), date(2026, 8, 1)]) == date(2026, 7, 1)


def test_a_weld_on_the_last_day_is_in_time() -> None:
    assert lapse_day(date(2026, 1, 1), [date(2026, 7, 1)]) == date(2027, 1, 1)


def _one_more_month(day: date, number: int) -> tuple[int, int]:
    month = day.month + number
    return (day.year + (month - 1) // 12, (month - 1) % 12 + 1)


def _slow_lapse(start: date, uses: list[date]) -> date:
    """Day by day: the counter of months begins at the last day on which the process was used."""
    used, counted_from, day = set(uses), start, start
    while True:
        tomorrow = day + timedelta(days=1)
        if not _within_six_months(counted_from, tomorrow):
            return day
        day = tomorrow
        if day in used:
            counted_from = day


def _within_six_months(begin: date, day: date) -> bool:
    """The sixth month after `begin` has not passed its day of the month, nor its own last day."""
    sixth = _one_more_month(begin, 6)
    if (day.year, day.month) != sixth:
        return (day.year, day.month) < sixth
    return day.day <= begin.day


@given(start=DAYS, uses=st.lists(DAYS, max_size=40))
def test_continuity_is_that_of_a_slow_calculation_day_by_day(start: date, uses: list[date]) -> None:
    assert lapse_day(start, uses) == _slow_lapse(start, [day for day in uses if day >= start])
