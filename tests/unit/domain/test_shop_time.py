"""Rule 11: the shop's clock, correct over the change of hour. In 2026 Santiago turns its clocks back on 4 April
at 24:00 and forward on 6 September at 0:00.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from carrete.domain.shop_time import (
    duration,
    from_wall,
    iso,
    lock_time,
    minutes_between,
    today,
    whole_second,
)

SANTIAGO = ZoneInfo("America/Santiago")
BACK = datetime(2026, 4, 5, 3, 0, tzinfo=UTC)  # 24:00 becomes 23:00
FORWARD = datetime(2026, 9, 6, 4, 0, tzinfo=UTC)  # 0:00 becomes 1:00


def typed(text: str) -> datetime:
    """What a person wrote in a cell, as the instant it means."""
    return from_wall(datetime.fromisoformat(text), SANTIAGO)


def test_a_shift_over_the_night_the_clocks_go_back_lasts_an_hour_longer_than_the_clock_says() -> None:
    start = typed("2026-04-04 20:00")
    end = typed("2026-04-05 04:00")
    assert duration(start, end) == "9h 0m"


def test_a_shift_over_the_night_the_clocks_go_forward_lasts_an_hour_less() -> None:
    start = typed("2026-09-05 20:00")
    end = typed("2026-09-06 04:00")
    assert duration(start, end) == "7h 0m"


@pytest.mark.parametrize("change", [BACK, FORWARD])
def test_ages_compare_instants_whatever_the_clock_on_the_wall_says(change: datetime) -> None:
    before, after = change - timedelta(minutes=30), change + timedelta(minutes=45)
    assert minutes_between(before, after) == 75
    assert duration(before, after) == "1h 15m"


def test_the_two_hours_that_read_the_same_are_distinguished_by_their_offset() -> None:
    first, second = BACK - timedelta(minutes=30), BACK + timedelta(minutes=30)
    assert lock_time(first, SANTIAGO) == lock_time(second, SANTIAGO) == "04-04-2026 23:30:00"
    assert iso(first, SANTIAGO) == "2026-04-04T23:30:00-03:00"
    assert iso(second, SANTIAGO) == "2026-04-04T23:30:00-04:00"


def test_a_time_typed_in_the_repeated_hour_means_the_first_one() -> None:
    assert typed("2026-04-04 23:30") == BACK - timedelta(minutes=30)


def test_a_time_typed_in_the_skipped_hour_means_an_hour_later() -> None:
    instant = typed("2026-09-06 00:30")
    assert instant == FORWARD + timedelta(minutes=30)
    assert iso(instant, SANTIAGO) == "2026-09-06T01:30:00-03:00"


@pytest.mark.parametrize(
    ("instant", "dia"),
    [
        (datetime(2026, 11, 17, 2, 59, tzinfo=UTC), date(2026, 11, 16)),
        (datetime(2026, 11, 17, 3, 0, tzinfo=UTC), date(2026, 11, 17)),
        (datetime(2026, 7, 17, 3, 59, tzinfo=UTC), date(2026, 7, 16)),
        (BACK + timedelta(minutes=59), date(2026, 4, 4)),
        (BACK + timedelta(minutes=60), date(2026, 4, 5)),
        (FORWARD - timedelta(seconds=1), date(2026, 9, 5)),
        (FORWARD, date(2026, 9, 6)),
    ],
)
def test_the_day_changes_when_it_changes_in_the_shop(instant: datetime, dia: date) -> None:
    assert today(instant, SANTIAGO) == dia


def test_times_in_locks_read_day_month_year() -> None:
    assert lock_time(datetime(2026, 3, 9, 12, 5, 7, tzinfo=UTC), SANTIAGO) == "09-03-2026 09:05:07"


def test_nothing_finer_than_a_second_is_kept() -> None:
    fine = datetime(2026, 11, 16, 10, 30, 15, 999_999, tzinfo=SANTIAGO)
    assert whole_second(fine) == datetime(2026, 11, 16, 13, 30, 15, tzinfo=UTC)
    assert whole_second(fine).tzinfo is UTC


@pytest.mark.parametrize(("minutes", "text"), [(0, "0h 0m"), (59, "0h 59m"), (135, "2h 15m"), (1500, "25h 0m")])
def test_durations_read_hours_and_minutes(minutes: int, text: str) -> None:
    assert duration(FORWARD, FORWARD + timedelta(minutes=minutes)) == text


def test_a_clock_that_was_set_back_never_makes_a_negative_age() -> None:
    assert minutes_between(FORWARD, FORWARD - timedelta(hours=2)) == 0


def test_another_zone_is_another_clock() -> None:
    assert iso(FORWARD, ZoneInfo("America/Lima")) == "2026-09-05T23:00:00-05:00"
