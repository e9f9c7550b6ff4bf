"""Which copies are deleted: those that are neither of the last 14 days nor the newest of one of the last 12 months.

Days and months without a copy do not count: a shop that was closed for a month still has its 14 days. Of a day all are
kept: one that was made by hand after a mistake must not drive out the one of the night before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from carrete.backups.folder import BACKUP_NAME, NOTES_SUFFIX, Backup, notes_path
from carrete.backups.photo_files import LIST_SUFFIX, list_path
from carrete.domain.shop_time import wall

DAYS_KEPT = 14
MONTHS_KEPT = 12
A_DAY_MAX = 10  # the first and the newest nine: pressing the button all day does not fill the disk
ORPHANS_KEPT_S = 3_600
AHEAD_MAX = timedelta(hours=1)  # a copy from further in the future was named by a clock that was wrong


def superseded(backups: Sequence[Backup], now: datetime, zone: ZoneInfo) -> list[Backup]:
    """Never the newest one, and none that is from the future: how old these are is unknown."""
    known = sorted((b for b in backups if b.made_at <= now + AHEAD_MAX), key=lambda b: b.made_at, reverse=True)
    days = _by_period(known, lambda day: day, zone)[:DAYS_KEPT]
    months = _by_period(known, lambda day: day.replace(day=1), zone)[:MONTHS_KEPT]
    kept = {path for day in days for path in (*day[: A_DAY_MAX - 1], day[-1])} | {month[0] for month in months}
    return [backup for backup in known if backup.file not in kept]


def _by_period(newest_first: Sequence[Backup], period: Callable[[date], date], zone: ZoneInfo) -> list[list[Path]]:
    """The files of each period of the shop's calendar, both newest first."""
    found: dict[date, list[Path]] = {}
    for backup in newest_first:
        found.setdefault(period(wall(backup.made_at, zone).date()), []).append(backup.file)
    return list(found.values())


def delete_orphan_notes(folder: Path, now: datetime) -> None:
    """Notes are written before their copy gets its name; a process that was killed in between left them alone."""
    for suffix in (NOTES_SUFFIX, LIST_SUFFIX):
        for notes in folder.glob(f"carrete-*{suffix}"):
            copy = notes.with_name(notes.name.removesuffix(suffix))
            with suppress(OSError):
                if BACKUP_NAME.fullmatch(copy.name) and not copy.exists() and _age_s(notes, now) > ORPHANS_KEPT_S:
                    notes.unlink()


def _age_s(path: Path, now: datetime) -> float:
    return now.timestamp() - path.lstat().st_mtime


def delete_superseded(backups: Sequence[Backup], now: datetime, zone: ZoneInfo) -> list[str]:
    """To be called after a new copy was made and checked. A file that cannot be deleted stays for the next time."""
    deleted = []
    for backup in superseded(backups, now, zone):
        with suppress(OSError):
            backup.file.unlink()
            notes_path(backup.file).unlink(missing_ok=True)
            list_path(backup.file).unlink(missing_ok=True)
            deleted.append(backup.file.name)
    return deleted
