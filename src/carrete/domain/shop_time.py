"""Conversions between instants and the shop's wall clock.

Inside the program every time is an aware instant in UTC, of whole seconds. The wall clock is only for people.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

SHEET_DATE = "%d-%m-%Y"
SHEET_DATETIME = "%d-%m-%Y %H:%M:%S"
YEARS = range(1950, 2200)  # of a day that a person gives; any other year is a typing error


def whole_second(instant: datetime) -> datetime:
    """The workbook shows seconds, so nothing finer is stored: values read back from it compare as equal."""
    return instant.astimezone(UTC).replace(microsecond=0)


@lru_cache(maxsize=4096)
def wall(instant: datetime, zone: ZoneInfo) -> datetime:
    return instant.astimezone(zone)


@lru_cache(maxsize=4096)
def iso(instant: datetime, zone: ZoneInfo) -> str:
    """ISO 8601 with the shop's offset, for the API."""
    return wall(instant, zone).isoformat()


def today(now: datetime, zone: ZoneInfo) -> date:
    return wall(now, zone).date()


@lru_cache(maxsize=64)
def lock_time(instant: datetime, zone: ZoneInfo) -> str:
    return wall(instant, zone).strftime(SHEET_DATETIME)


def from_wall(local: datetime, zone: ZoneInfo) -> datetime:
    """A time that a person typed. In the repeated hour the first of the two; in the skipped hour one hour later."""
    return whole_second(local.replace(tzinfo=zone, fold=0))


def minutes_between(start: datetime, end: datetime) -> int:
    """Instants are subtracted, not wall times: those of one zone ignore the change of hour."""
    return max(0, int(end.timestamp() - start.timestamp()) // 60)


@lru_cache(maxsize=4096)
def duration(start: datetime, end: datetime) -> str:
    """`2h 15m`: between instants, so the change of hour neither adds nor takes an hour of work."""
    hours, minutes = divmod(minutes_between(start, end), 60)
    return f"{hours}h {minutes}m"
