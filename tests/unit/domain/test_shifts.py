"""When a shift begins and ends. In 2026 Santiago turns its clocks back on 4 April at 24:00 and forward on
6 September at 0:00.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from carrete.domain.shifts import Shift, current_shift, next_end_after, next_shift, offer_expires, shift_ends
from carrete.domain.shop_time import from_wall

SANTIAGO = ZoneInfo("America/Santiago")
WEEKDAYS, EVERY_DAY = (1, 2, 3, 4, 5), (1, 2, 3, 4, 5, 6, 7)
DAY = Shift("Día", WEEKDAYS, "07:00", "15:30")
EVENING = Shift("Tarde", WEEKDAYS, "15:30", "23:00")
NIGHT = Shift("Noche", EVERY_DAY, "23:00", "07:00")
THREE = (DAY, EVENING, NIGHT)


def at(text: str) -> datetime:
    return from_wall(datetime.fromisoformat(text), SANTIAGO)


def name_at(shifts: tuple[Shift, ...], text: str) -> str | None:
    running = current_shift(shifts, at(text), SANTIAGO)
    return running.shift.name if running else None


# Monday is 9 March 2026.
@pytest.mark.parametrize(
    ("moment", "name"),
    [
        ("2026-03-09T06:59:59", "Noche"),
        ("2026-03-09T07:00:00", "Día"),
        ("2026-03-09T15:29:59", "Día"),
        ("2026-03-09T15:30:00", "Tarde"),
        ("2026-03-09T23:00:00", "Noche"),
        ("2026-03-10T00:30:00", "Noche"),
        ("2026-03-14T12:00:00", None),
    ],
)
def test_a_shift_runs_from_its_first_minute_until_before_its_last(moment: str, name: str | None) -> None:
    assert name_at(THREE, moment) == name


def test_a_shift_over_midnight_belongs_to_the_day_on_which_it_begins() -> None:
    friday_night = (Shift("Viernes", (5,), "22:00", "06:00"),)
    assert name_at(friday_night, "2026-03-14T05:59:59") == "Viernes"
    assert name_at(friday_night, "2026-03-13T05:59:59") is None


def test_where_shifts_overlap_the_one_that_began_last_runs() -> None:
    assert name_at((DAY, Shift("Refuerzo", WEEKDAYS, "14:00", "18:00")), "2026-03-09T14:30:00") == "Refuerzo"


def test_a_shop_without_shifts_has_none_and_no_end() -> None:
    assert current_shift((), at("2026-03-09T10:00:00"), SANTIAGO) is None
    assert next_shift((), at("2026-03-09T10:00:00"), SANTIAGO) is None
    assert next_end_after((), at("2026-03-09T10:00:00"), SANTIAGO) is None


def test_the_ends_come_in_their_order_and_without_repeats() -> None:
    together = (*THREE, Shift("Media", WEEKDAYS, "11:00", "15:30"))
    ends = list(shift_ends(together, at("2026-03-09T07:00:00"), SANTIAGO))
    assert ends[:3] == [at("2026-03-09T15:30:00"), at("2026-03-09T23:00:00"), at("2026-03-10T07:00:00")]
    assert all(one < other for one, other in pairwise(ends))
    assert len(ends) < 100


def test_the_next_end_is_after_the_instant_itself() -> None:
    assert next_end_after((DAY,), at("2026-03-09T15:29:59"), SANTIAGO) == at("2026-03-09T15:30:00")
    assert next_end_after((DAY,), at("2026-03-09T15:30:00"), SANTIAGO) == at("2026-03-10T15:30:00")
    assert next_end_after((DAY,), at("2026-03-13T16:00:00"), SANTIAGO) == at("2026-03-16T15:30:00")


def test_an_offer_of_the_day_shift_is_good_until_the_next_day_shift_ends() -> None:
    assert offer_expires(THREE, at("2026-03-09T15:00:00"), SANTIAGO) == at("2026-03-10T15:30:00")


def test_an_offer_made_on_friday_is_good_until_monday() -> None:
    assert offer_expires(THREE, at("2026-03-13T15:00:00"), SANTIAGO) == at("2026-03-16T15:30:00")


def test_an_offer_of_the_night_made_after_midnight_is_good_until_the_morning_after_next() -> None:
    assert offer_expires(THREE, at("2026-03-10T02:00:00"), SANTIAGO) == at("2026-03-11T07:00:00")


def test_an_offer_of_a_shift_of_one_day_a_week_is_good_for_a_week() -> None:
    saturday = (Shift("Sábado", (6,), "08:00", "13:00"),)
    assert offer_expires(saturday, at("2026-03-14T09:00:00"), SANTIAGO) == at("2026-03-21T13:00:00")


def test_an_offer_outside_every_shift_is_good_until_the_shift_that_begins_next_ends() -> None:
    assert offer_expires((DAY, EVENING), at("2026-03-14T12:00:00"), SANTIAGO) == at("2026-03-16T15:30:00")
    assert offer_expires((DAY, EVENING), at("2026-03-10T06:00:00"), SANTIAGO) == at("2026-03-10T15:30:00")


def test_an_offer_in_a_shop_without_shifts_is_good_for_a_day() -> None:
    offered = at("2026-03-09T15:00:00")
    assert offer_expires((), offered, SANTIAGO) == offered + timedelta(hours=24)


def test_the_night_of_the_change_of_hour_is_an_hour_longer_or_shorter() -> None:
    back = current_shift((NIGHT,), at("2026-04-05T02:00:00"), SANTIAGO)
    forward = current_shift((NIGHT,), at("2026-09-06T02:00:00"), SANTIAGO)
    assert back
    assert back.ends - back.begins == timedelta(hours=9)
    assert forward
    assert forward.ends - forward.begins == timedelta(hours=7)
    assert forward.ends == datetime(2026, 9, 6, 10, 0, tzinfo=UTC)  # 07:00 with the new offset


def test_an_offer_over_the_change_of_hour_ends_at_the_hour_on_the_wall() -> None:
    every_day = (Shift("Día", EVERY_DAY, "07:00", "15:30"),)
    offered = at("2026-09-05T15:00:00")
    assert offer_expires(every_day, offered, SANTIAGO) == at("2026-09-06T15:30:00")
    assert offer_expires(every_day, offered, SANTIAGO) - offered == timedelta(hours=23, minutes=30)


def test_a_shift_inside_the_skipped_hour_is_left_out_that_day() -> None:
    short = (Shift("Corto", EVERY_DAY, "00:10", "01:00"),)
    assert name_at(short, "2026-09-06T01:05:00") is None
    assert next_end_after(short, at("2026-09-05T12:00:00"), SANTIAGO) == at("2026-09-07T01:00:00")
