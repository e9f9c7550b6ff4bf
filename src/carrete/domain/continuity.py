"""Continuity: a welder's process lapses when it is not used for six months. Each recorded weld starts them anew.

What lapsed stays so, whatever is welded afterwards: only a new qualification, or a later day of use that the shop
itself attests, starts anew."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date

CONTINUITY_MONTHS = 6
_MONTHS_A_YEAR = 12


def lapse_day(start: date, uses: Iterable[date]) -> date:
    """The last day on which the process is in use, from `start` on: six months after the last use that came in time."""
    last = months_after(start)
    for day in sorted(uses):
        if day > last:
            break
        last = max(last, months_after(day))
    return last


def months_after(day: date, months: int = CONTINUITY_MONTHS) -> date:
    """The same day of the month, six calendar months later; the last of a month that has no such day."""
    year, month = divmod(day.year * _MONTHS_A_YEAR + day.month - 1 + months, _MONTHS_A_YEAR)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
