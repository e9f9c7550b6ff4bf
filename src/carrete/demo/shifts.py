"""When work took place: on past days from 08:00 to 18:00 by the shop's clock, and never after now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from random import Random
from zoneinfo import ZoneInfo

from carrete.domain.shop_time import from_wall, today, wall, whole_second

_OPENS = time(8)
_SHIFT = timedelta(hours=10)
_EARLY = timedelta(hours=1)  # in the first hour of a shift nobody has finished anything
_START_S_MAX = 5 * 3600
_WORK_S_MIN, _WORK_S_MAX = 40 * 60, 5 * 3600
# Most sessions ended lately, as in a busy shop.
_WORKING_DAYS_AGO = (0, 0, 1, 1, 2, 3, 4, 6, 8, 12)
_WEEKEND = 5


@dataclass(frozen=True, slots=True)
class DemoSession:
    start: datetime
    end: datetime


def working_day_before(day: date, days: int) -> date:
    while days > 0:
        day -= timedelta(days=1)
        days -= day.weekday() < _WEEKEND
    return day


def still_going(now: datetime, minutes: int, rng: Random) -> DemoSession:
    return DemoSession(now - timedelta(minutes=minutes, seconds=rng.randrange(60)), now)


def ended(now: datetime, zone: ZoneInfo, rng: Random) -> DemoSession:
    """A session that has ended. A session of today is shortened to fit into the hours so far; in the first hour it is
    moved to the working day before."""
    days_ago = rng.choice(_WORKING_DAYS_AGO)
    opened, worked = _hours(rng)
    so_far = now - _opening(today(now, zone), zone)
    if days_ago == 0 and so_far >= _EARLY:
        share = min(1.0, so_far / _SHIFT)
        return _on(today(now, zone), opened * share, worked * share, zone)
    return _on(working_day_before(today(now, zone), max(1, days_ago)), opened, worked, zone)


def sessions_before(last: DemoSession, sessions: int, zone: ZoneInfo, rng: Random) -> list[DemoSession]:
    """`sessions` sessions, oldest first, the last one given: each of the others is on an earlier working day."""
    found = [last]
    while len(found) < sessions:
        day = working_day_before(wall(found[-1].start, zone).date(), rng.randint(1, 2))
        found.append(_on(day, *_hours(rng), zone))
    return found[::-1]


def _hours(rng: Random) -> tuple[timedelta, timedelta]:
    """When a session began after opening, and how long it took."""
    return timedelta(seconds=rng.randrange(_START_S_MAX)), timedelta(seconds=rng.randrange(_WORK_S_MIN, _WORK_S_MAX))


def _on(day: date, opened: timedelta, worked: timedelta, zone: ZoneInfo) -> DemoSession:
    start = _opening(day, zone) + opened
    return DemoSession(whole_second(start), whole_second(start + worked))


def _opening(day: date, zone: ZoneInfo) -> datetime:
    return from_wall(datetime.combine(day, _OPENS), zone)
