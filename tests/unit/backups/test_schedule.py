"""When a copy is due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from carrete.backups.schedule import is_due, last_night, next_night

SANTIAGO = ZoneInfo("America/Santiago")
NIGHT = datetime(2026, 11, 16, 6, 30, tzinfo=UTC)  # 03:30 in Santiago
DAY = timedelta(days=1)
LONG_S = 24 * 3600.0


def due(now: datetime, last: datetime | None, running_s: float = LONG_S, failed: datetime | None = None) -> bool:
    return is_due(now, SANTIAGO, last_at=last, failed_at=failed, running_s=running_s)


def test_a_copy_is_due_once_each_night_at_half_past_three() -> None:
    yesterday = NIGHT - DAY + timedelta(minutes=1)
    assert not due(NIGHT - timedelta(seconds=1), yesterday)
    assert due(NIGHT, yesterday)
    assert not due(NIGHT + timedelta(minutes=1), NIGHT + timedelta(seconds=20))
    assert due(NIGHT + DAY, NIGHT + timedelta(seconds=20))


def test_a_copy_made_by_hand_in_the_evening_does_not_replace_the_nightly_one() -> None:
    assert due(NIGHT, NIGHT - timedelta(hours=5))


def test_a_night_that_passed_while_the_machine_was_off_is_made_up_for_ten_minutes_after_the_start() -> None:
    morning, last = NIGHT + timedelta(hours=5), NIGHT - 3 * DAY
    assert not due(morning, last, running_s=599)
    assert due(morning, last, running_s=600)


def test_the_first_copy_of_a_ledger_is_made_after_an_hour() -> None:
    assert not due(NIGHT, None, running_s=3_599)
    assert due(NIGHT, None, running_s=3_600)


def test_a_copy_that_failed_is_tried_again_after_an_hour() -> None:
    last = NIGHT - DAY
    assert not due(NIGHT + timedelta(minutes=59), last, failed=NIGHT)
    assert due(NIGHT + timedelta(minutes=60), last, failed=NIGHT)
    assert due(NIGHT, last, failed=NIGHT + DAY), "a failure of the future: the clock was wrong"


@pytest.mark.parametrize("zone", ["America/Santiago", "America/New_York", "Europe/Madrid", "UTC", "Asia/Kathmandu"])
def test_every_day_of_a_year_has_one_night_at_half_past_three_also_when_the_hour_changes(zone: str) -> None:
    where = ZoneInfo(zone)
    at = last_night(NIGHT, where)
    for _ in range(366):
        following = next_night(at, where)
        assert following.astimezone(where).strftime("%H:%M") == "03:30"
        assert following.astimezone(where).date() - at.astimezone(where).date() == DAY
        assert last_night(following - timedelta(seconds=1), where) == at
        at = following
