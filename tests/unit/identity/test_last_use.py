"""The last use of a session: noted in memory, written seldom, and how it decides whether the session must be
unlocked."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from carrete.domain.authorship import Proof
from carrete.identity.last_use import LastUse
from carrete.identity.records import Device, DeviceKind, Session
from tests.support.builders import NOW
from tests.support.people import MR
from tests.support.signing_in import TestClock

IDLE = timedelta(minutes=5)
SESSION = Session("s-1", "d-1", MR, Proof.PIN, NOW, NOW + timedelta(hours=12), NOW, NOW)
DEVICE = Device("d-1", "Banco 1", DeviceKind.TABLET, NOW)


@pytest.fixture
def clock() -> TestClock:
    return TestClock()


@pytest.fixture
def last_use(clock: TestClock) -> LastUse:
    return LastUse(IDLE, clock)


def test_a_session_is_idle_after_five_minutes_and_the_minute_that_another_process_may_not_have_written(
    last_use: LastUse, clock: TestClock
) -> None:
    clock.forward(minutes=6)
    assert not last_use.is_idle(SESSION)
    clock.forward(seconds=1)
    assert last_use.is_idle(SESSION)


def test_use_in_this_process_counts_before_it_is_written(last_use: LastUse, clock: TestClock) -> None:
    clock.forward(minutes=4)
    last_use.session(SESSION)
    clock.forward(minutes=5)
    assert not last_use.is_idle(SESSION)
    clock.forward(minutes=2)
    assert last_use.is_idle(SESSION)


def test_use_in_another_process_counts_once_it_is_read(last_use: LastUse, clock: TestClock) -> None:
    clock.forward(minutes=10)
    assert last_use.is_idle(SESSION)
    assert not last_use.is_idle(replace(SESSION, used_at=clock.now))


def test_each_use_is_written_once_a_minute_at_most(last_use: LastUse, clock: TestClock) -> None:
    device = DEVICE
    written = 0
    for _ in range(180):
        clock.forward(seconds=1)
        last_use.device(device)
        for kind, id_, at in last_use.take():
            assert (kind, id_, at) == ("device", "d-1", clock.now)
            device = replace(device, used_at=at)
            written += 1
    assert written == 3


def test_a_short_idle_time_is_written_more_often(clock: TestClock) -> None:
    assert LastUse(timedelta(seconds=10), clock).write_every == timedelta(seconds=2)


def test_uses_of_long_ago_are_forgotten(last_use: LastUse, clock: TestClock) -> None:
    last_use.session(SESSION)
    clock.forward(minutes=7)
    last_use.take()
    assert last_use._used == {}
