"""Instants inside, the shop's wall clock at the edges. Every instant is aware, in UTC and of whole seconds."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

SHEET_DATE = "%d-%m-%Y"
SHEET_DATETIME = "%d-%m-%Y %H:%M:%S"


def whole_second(instant: datetime) -> datetime:
    """The workbook shows seconds, so nothing finer is ever stored: what is shown is what is compared."""
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
    """A time typed by a person. In the repeated hour the first one is meant; in the skipped one, an hour later."""
    return whole_second(local.replace(tzinfo=zone, fold=0))


def minutes_between(start: datetime, end: datetime) -> int:
    """Between instants: two wall times of one zone would be subtracted as if no hour ever changed."""
    return max(0, int(end.timestamp() - start.timestamp()) // 60)


@lru_cache(maxsize=4096)
def duration(start: datetime, end: datetime) -> str:
    """`2h 15m`: between instants, so the change of hour neither adds nor takes an hour of work."""
    hours, minutes = divmod(minutes_between(start, end), 60)
    return f"{hours}h {minutes}m"
