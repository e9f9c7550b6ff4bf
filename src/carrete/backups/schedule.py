"""When a copy is due: every night at half past three by the shop's clock, or as soon as the server runs again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from carrete.domain.shop_time import from_wall, wall

AT_NIGHT = time(3, 30)  # no time zone that changes its hour does so then
LATE_AFTER = timedelta(hours=48)


@dataclass(frozen=True, slots=True)
class BackupTimings:
    check_every_s: float = 60.0
    after_start_s: float = 600.0  # a morning's start, with everybody signing in, is no time for a missed copy
    first_after_s: float = 3_600.0  # a ledger that has no copy yet
    retry_after_s: float = 3_600.0  # a copy that failed
    lease_s: float = 300.0
    make_s_max: float = 2 * 3_600.0


DEFAULT_BACKUP_TIMINGS = BackupTimings()


def last_night(now: datetime, zone: ZoneInfo) -> datetime:
    """The latest time at which a copy was to be made."""
    today = from_wall(datetime.combine(wall(now, zone).date(), AT_NIGHT), zone)
    return today if today <= now else _night_after(today, zone, days=-1)


def next_night(now: datetime, zone: ZoneInfo) -> datetime:
    return _night_after(last_night(now, zone), zone, days=1)


def _night_after(night: datetime, zone: ZoneInfo, *, days: int) -> datetime:
    return from_wall(datetime.combine(wall(night, zone).date() + timedelta(days=days), AT_NIGHT), zone)


def is_due(
    now: datetime,
    zone: ZoneInfo,
    *,
    last_at: datetime | None,
    failed_at: datetime | None,
    running_s: float,
    timings: BackupTimings = DEFAULT_BACKUP_TIMINGS,
) -> bool:
    """`running_s`: how long this process runs. A night that passed while the machine was off is made up for."""
    retry_after = timedelta(seconds=timings.retry_after_s)
    if failed_at is not None and timedelta() <= now - failed_at < retry_after:
        return False
    if last_at is None:
        return running_s >= timings.first_after_s
    return last_at < last_night(now, zone) and running_s >= timings.after_start_s
