"""On any day and with any settings, the demo's histories are complete and nobody acts in the future."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from random import Random
from zoneinfo import ZoneInfo

import pytest

from carrete.demo.assignments import spool_histories
from carrete.demo.histories import DemoShop, SpoolHistory
from carrete.demo.people import Crew, demo_workers
from carrete.demo.shifts import working_day_before
from carrete.domain.estado_detalle import render
from carrete.domain.progress import recompute_progress
from carrete.domain.shop import Shop
from carrete.domain.shop_time import today, wall
from tests.support.builders import NOW, SHOP

HOURS = [
    datetime(2026, 11, 16, 3, 0, 1, tzinfo=UTC),  # just after midnight in the shop
    datetime(2026, 11, 16, 11, 5, tzinfo=UTC),  # the shift has just begun
    datetime(2026, 11, 15, 16, 0, tzinfo=UTC),  # a Sunday
    datetime(2026, 4, 5, 4, 30, tzinfo=UTC),  # the night the clock goes back
    datetime(2026, 9, 6, 5, 0, tzinfo=UTC),  # the night the clock goes forward
    datetime(2028, 2, 29, 23, 59, 59, tzinfo=UTC),
    datetime(2026, 1, 1, 12, 0, tzinfo=UTC),
]


def led(shop: Shop, now: datetime) -> list[SpoolHistory]:
    return spool_histories(DemoShop(shop, Crew(demo_workers()), Random(1)), now)


@pytest.mark.parametrize("now", HOURS)
def test_nobody_acts_in_the_future_and_each_life_is_in_order(now: datetime) -> None:
    for life in led(SHOP, now):
        instants = [change.events[0].at for change in life.changes]
        assert instants == sorted(set(instants))
        assert all(at <= now for at in instants)


@pytest.mark.parametrize("now", HOURS)
def test_finished_work_was_done_between_eight_and_six_by_the_shops_clock(now: datetime) -> None:
    for life in led(SHOP, now):
        over = life.changes[:-1] if life.spool.occupation else life.changes
        for change in over:
            assert time(8) <= wall(change.events[0].at, SHOP.zone).time() <= time(18)


@pytest.mark.parametrize(
    "shop",
    [
        Shop(arm_only_types=frozenset()),
        Shop(arm_only_types=frozenset({"FW", "SO", "LET"})),
        Shop(arm_only_types=frozenset({"BW", "SO", "BR", "FILL", "LET", "FW"})),
        Shop(zone=ZoneInfo("Pacific/Kiritimati")),
        Shop(zone=ZoneInfo("UTC")),
    ],
    ids=["none ARM-only", "three ARM-only", "all ARM-only", "Kiritimati", "UTC"],
)
def test_a_shop_with_its_own_settings_gets_a_demo_in_the_same_stages(shop: Shop) -> None:
    theirs, ours = led(shop, NOW), led(SHOP, NOW)
    for life in theirs:
        assert recompute_progress(life.spool, life.joints, shop) == life.spool
    assert [stage(life) for life in theirs] == [stage(life) for life in ours]


def stage(life: SpoolHistory) -> str:
    """The worker is chosen at random; the stage of the spool is not."""
    text = render(life.spool)
    held = life.spool.occupation
    return text.replace(held.label, "") if held else text


def test_a_working_day_before_monday_is_friday() -> None:
    monday = today(NOW, SHOP.zone)
    assert working_day_before(monday, 0) == monday
    assert working_day_before(monday, 1) == monday - timedelta(days=3)
    assert working_day_before(monday, 6) == monday - timedelta(days=10)
