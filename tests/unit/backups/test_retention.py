"""Which copies are kept: 14 days, 12 months, and always the newest."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from carrete.backups.folder import Backup, stamp
from carrete.backups.retention import delete_orphan_notes, delete_superseded, superseded

SANTIAGO = ZoneInfo("America/Santiago")
NOW = datetime(2026, 11, 16, 6, 31, tzinfo=UTC)


def made(at: datetime, folder: Path = Path("/copies")) -> Backup:
    return Backup(folder / f"carrete-{stamp(at)}.db.gz", at, "sqlite", 1, 1, 1)


def kept(backups: list[Backup], now: datetime = NOW) -> list[datetime]:
    deleted = {backup.file for backup in superseded(backups, now, SANTIAGO)}
    return [backup.made_at for backup in backups if backup.file not in deleted]


def test_of_two_years_of_nights_the_last_14_days_and_the_last_of_12_months_are_left() -> None:
    nights = [NOW - timedelta(days=days) for days in range(730)]
    left = kept([made(night) for night in nights])
    assert left[:14] == nights[:14]
    assert [(at.year, at.month) for at in left[14:]] == [(2026, month) for month in range(10, 0, -1)] + [(2025, 12)]
    assert all((at + timedelta(days=1)).month != at.month for at in left[14:]), "of a month the last one"


def test_a_copy_made_by_hand_after_a_mistake_does_not_drive_out_the_one_of_the_night_before_it() -> None:
    night, noon = NOW - timedelta(minutes=1), NOW + timedelta(hours=6)
    assert kept([made(night), made(noon)], noon) == [night, noon]


def test_of_fifty_copies_of_one_day_the_first_and_the_newest_nine_are_left() -> None:
    """A day of the shop: 23:30 in Santiago is already the next day in UTC."""
    day = [datetime(2026, 11, 10, 12, tzinfo=UTC) + timedelta(minutes=17 * n) for n in range(50)]
    assert day[-1].day == 11
    assert kept([made(at) for at in day]) == [day[0], *day[-9:]]


def test_of_a_month_long_ago_the_newest_is_left() -> None:
    long_ago = [NOW - timedelta(days=100, hours=n) for n in range(5)]
    recent = [NOW - timedelta(days=days) for days in range(14)]
    assert kept([made(at) for at in (*recent, *long_ago)]) == [*recent, long_ago[0]]


def test_a_shop_that_was_closed_for_months_keeps_its_14_days() -> None:
    nights = [NOW - timedelta(days=200 + days) for days in range(20)]
    assert kept([made(night) for night in nights])[:14] == nights[:14]


def test_a_copy_from_the_future_neither_goes_nor_drives_out_the_newest() -> None:
    """The clock was wrong when it was made, or is wrong now."""
    future = [made(datetime(2030, 1, day, tzinfo=UTC)) for day in range(1, 31)]
    assert kept([*future, made(NOW)]) == [backup.made_at for backup in future] + [NOW]


@given(st.lists(st.integers(0, 1_000 * 24 * 60), min_size=1, max_size=60, unique=True))
def test_whatever_there_is_the_newest_stays_and_so_does_every_month_of_the_last_twelve(minutes_ago: list[int]) -> None:
    backups = [made(NOW - timedelta(minutes=minutes)) for minutes in minutes_ago]
    left = kept(backups)
    assert max(backup.made_at for backup in backups) in left

    def months(instants: list[datetime]) -> list[date]:
        return sorted({at.astimezone(SANTIAGO).date().replace(day=1) for at in instants}, reverse=True)

    assert months(left)[:12] == months([backup.made_at for backup in backups])[:12]
    assert len(left) <= 14 * 10 + 12


def test_the_notes_go_with_their_copy_and_other_files_stay(tmp_path: Path) -> None:
    nights = [made(NOW - timedelta(days=days, hours=1), tmp_path) for days in range(40)]
    for backup in nights:
        backup.file.touch()
        backup.file.with_name(backup.file.name + ".json").touch()
    (tmp_path / "carrete-old.db.gz").touch()
    deleted = delete_superseded(nights, NOW, SANTIAGO)
    assert len(deleted) == 40 - 14 - 1, "the last of October is one of the 14 days; the last of September is kept too"
    left = {path.name for path in tmp_path.iterdir()}
    assert "carrete-old.db.gz" in left
    assert not {name for name in left for gone in deleted if name.startswith(gone)}


def test_notes_that_a_killed_process_left_without_a_copy_are_deleted_an_hour_later(tmp_path: Path) -> None:
    notes = tmp_path / "carrete-20261116T033000Z.db.gz.json"
    notes.touch()
    other = tmp_path / "carrete-notes.json"
    other.touch()
    now = datetime.now(UTC)
    delete_orphan_notes(tmp_path, now)
    assert notes.exists()
    delete_orphan_notes(tmp_path, now + timedelta(hours=2))
    assert not notes.exists()
    assert other.exists()
