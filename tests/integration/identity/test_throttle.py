"""How often a PIN may be tried: waits, locks, and what clears them. All of it is in the ledger."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Barrier

import pytest

from carrete.identity import throttle
from carrete.identity.access_events import AccessKind
from carrete.identity.refusals import IdentityRefusal, PinLocked, TooManyAttempts
from carrete.identity.throttle import (
    DAY_MAX,
    DEVICE_FREE_FAILURES,
    DEVICE_WAITS_S,
    FREE_FAILURES,
    ROW_MAX,
    SHOP_MANY,
    WAITS_S,
    PinAttempt,
)
from carrete.ledger import open_database
from carrete.ledger.database import Database, Tx
from carrete.ledger.migrate import migrate
from tests.support.builders import NOW
from tests.support.signing_in import TestClock, access_kinds, recorded

MR, SV, NOBODY = throttle.who_is(93), throttle.who_is(21), throttle.who_is(404_404)
PROCESS_START_S_MAX = 120.0  # eight interpreters on a busy machine
HERE, THERE = "d-here", "d-there"


class Door:
    """Tries PINs, all of them wrong."""

    def __init__(self, database: Database, clock: TestClock) -> None:
        self.database, self.clock = database, clock

    def count(self, who: str = MR, device: str = HERE) -> PinAttempt:
        with self.database.writing() as tx:
            return throttle.count_attempt(tx, who, device, self.clock())

    def fail(self, who: str = MR, device: str = HERE) -> None:
        attempt = self.count(who, device)
        self.write(lambda tx: throttle.failed(tx, attempt, 93, None))

    def right(self, who: str = MR, device: str = HERE) -> None:
        attempt = self.count(who, device)
        self.write(lambda tx: throttle.clear(tx, attempt))

    def refusal(self, who: str = MR, device: str = HERE) -> IdentityRefusal | None:
        """The refusal that an attempt would get now. It is not counted as one."""
        try:
            with self.database.writing() as tx:
                throttle.count_attempt(tx, who, device, self.clock())
                raise _NotCounted
        except IdentityRefusal as refusal:
            return refusal
        except _NotCounted:
            return None

    def wait_s(self, who: str = MR, device: str = HERE) -> int:
        refusal = self.refusal(who, device)
        assert refusal is None or isinstance(refusal, TooManyAttempts)
        return int(refusal.context["retry_after_s"]) if refusal else 0

    def fail_patiently(self, times: int, who: str = MR, device: str = HERE) -> None:
        for _ in range(times):
            self.clock.forward(seconds=self.wait_s(who, device))
            self.fail(who, device)

    def is_locked(self, who: str = MR, device: str = HERE) -> bool:
        return isinstance(self.refusal(who, device), PinLocked)

    def write(self, work: Callable[[Tx], object]) -> None:
        with self.database.writing() as tx:
            work(tx)


class _NotCounted(Exception):
    pass


@pytest.fixture
def clock() -> TestClock:
    return TestClock()


@pytest.fixture
def door(database: Database, clock: TestClock) -> Door:
    return Door(database, clock)


def test_the_limits_are_the_documented_ones() -> None:
    assert (FREE_FAILURES, ROW_MAX, DAY_MAX) == (3, 10, 50)
    assert (DEVICE_FREE_FAILURES, max(DEVICE_WAITS_S), SHOP_MANY) == (20, 60, 100)


def test_three_wrong_pins_cost_no_wait(door: Door) -> None:
    for _ in range(FREE_FAILURES):
        assert door.wait_s() == 0
        door.fail()
    assert door.wait_s() == WAITS_S[0]


def test_then_the_wait_grows_from_five_seconds_to_fifteen_minutes(door: Door) -> None:
    door.fail_patiently(FREE_FAILURES)
    waits = []
    for _ in range(ROW_MAX - FREE_FAILURES):
        waits.append(door.wait_s())
        door.fail_patiently(1)
    assert waits == list(WAITS_S)
    assert (waits[0], waits[-1]) == (5, 15 * 60)
    assert waits == sorted(set(waits))


def test_the_wait_passes(door: Door, clock: TestClock) -> None:
    door.fail_patiently(FREE_FAILURES)
    clock.forward(seconds=3)
    assert door.wait_s() == 2
    clock.forward(seconds=2)
    assert door.wait_s() == 0


def test_an_attempt_during_the_wait_is_refused_and_not_counted(door: Door, clock: TestClock) -> None:
    door.fail_patiently(FREE_FAILURES)
    for _ in range(20):
        with pytest.raises(TooManyAttempts):
            door.count()
    clock.forward(seconds=WAITS_S[0])
    assert door.wait_s() == 0


def test_the_wait_is_only_that_persons_and_only_on_that_device(door: Door) -> None:
    door.fail_patiently(FREE_FAILURES)
    assert door.wait_s(SV, HERE) == 0
    assert door.wait_s(MR, THERE) == 0


def test_ten_in_a_row_lock_that_person_on_that_device_only(door: Door, clock: TestClock) -> None:
    door.fail_patiently(ROW_MAX - 1)
    assert not door.is_locked()
    door.fail_patiently(1)
    clock.forward(days=90)
    assert door.is_locked(), "no time opens it"
    assert not door.is_locked(SV, HERE)
    assert not door.is_locked(MR, THERE), "nobody is locked out of the shop from one tablet"


def test_failures_in_a_row_are_counted_over_days(door: Door, clock: TestClock) -> None:
    for _ in range(ROW_MAX):
        clock.forward(days=2)
        door.fail()
    assert door.is_locked()


def test_fifty_in_a_day_lock_that_person_everywhere(door: Door) -> None:
    devices = [f"d-{n}" for n in range(6)]
    for device in devices[:5]:
        door.fail_patiently(ROW_MAX - 1, device=device)
    door.fail_patiently(DAY_MAX - 5 * (ROW_MAX - 1) - 1, device=devices[5])
    assert not door.is_locked(device=THERE)
    door.fail_patiently(1, device=devices[5])
    assert door.is_locked(device=THERE)
    assert not door.is_locked(SV, THERE)
    door.clock.forward(days=2)
    assert door.is_locked(device=THERE), "until a supervisor resets it"


def test_fifty_over_several_days_lock_nobody_everywhere(door: Door, clock: TestClock) -> None:
    for n in range(DAY_MAX + 4):
        door.fail_patiently(1, device=f"d-{n // 9}")
        clock.forward(hours=1)
    assert not door.is_locked(device=THERE)


def test_the_right_pin_clears_that_persons_count_on_that_device(door: Door, clock: TestClock) -> None:
    door.fail_patiently(ROW_MAX - 2)
    door.fail_patiently(ROW_MAX - 2, device=THERE)
    clock.forward(hours=2)
    door.right()
    assert door.wait_s() == 0
    door.fail_patiently(FREE_FAILURES)
    assert door.wait_s() == WAITS_S[0], "and counting begins anew"
    door.fail_patiently(2, device=THERE)
    assert door.is_locked(device=THERE), "what failed elsewhere stays counted"


def test_the_tenth_attempt_locks_before_its_pin_was_checked(door: Door, clock: TestClock) -> None:
    """The process may die while it hashes."""
    door.fail_patiently(ROW_MAX - 1)
    clock.forward(hours=1)
    attempt = door.count()
    assert door.is_locked()
    door.write(lambda tx: throttle.clear(tx, attempt))
    assert door.refusal() is None, "if it was right after all, the lock goes"


def test_a_right_pin_elsewhere_does_not_open_a_lock(door: Door, clock: TestClock) -> None:
    under_way = door.count(device=THERE)
    door.fail_patiently(ROW_MAX)
    door.write(lambda tx: throttle.clear(tx, under_way))
    assert door.is_locked()


def test_a_supervisor_resets_counts_and_locks_of_one_person(door: Door) -> None:
    door.fail_patiently(ROW_MAX)
    door.fail_patiently(FREE_FAILURES, device=THERE)
    door.fail_patiently(ROW_MAX, SV)
    door.write(lambda tx: throttle.reset(tx, 93))
    assert not door.is_locked()
    assert door.wait_s(device=THERE) == 0
    assert door.is_locked(SV)


def test_after_twenty_failures_in_an_hour_everybody_on_the_device_waits(door: Door, clock: TestClock) -> None:
    for n in range(DEVICE_FREE_FAILURES):
        assert door.wait_s(SV) == 0
        door.fail(throttle.who_is(1_000 + n))
    waits = []
    for n in range(len(DEVICE_WAITS_S) + 2):
        waits.append(door.wait_s(SV))
        assert door.wait_s(SV, THERE) == 0
        clock.forward(seconds=waits[-1])
        door.fail(throttle.who_is(2_000 + n))
    assert waits == [*DEVICE_WAITS_S, 60, 60]
    clock.forward(hours=1)
    assert door.wait_s(SV) == 0


def test_as_many_failures_over_several_hours_slow_down_nobody(door: Door, clock: TestClock) -> None:
    for n in range(DEVICE_FREE_FAILURES * 2):
        clock.forward(minutes=4)
        door.fail(throttle.who_is(1_000 + n))
    assert door.wait_s(SV) == 0


def test_failures_that_the_same_person_corrected_slow_down_nobody(door: Door) -> None:
    for n in range(DEVICE_FREE_FAILURES * 2):
        door.fail(throttle.who_is(1_000 + n))
        door.right(throttle.who_is(1_000 + n))
    assert door.wait_s(SV) == 0


def test_an_unknown_person_is_throttled_like_a_known_one(door: Door) -> None:
    badge = throttle.who_has_unknown_badge("no such badge")
    for who, device in ((MR, "d-1"), (NOBODY, "d-2"), (badge, "d-3")):
        door.fail_patiently(FREE_FAILURES, who, device)
        assert door.wait_s(who, device) == WAITS_S[0]
        door.fail_patiently(ROW_MAX - FREE_FAILURES, who, device)
        assert door.is_locked(who, device)


def test_a_badge_is_not_kept_as_it_was_typed() -> None:
    assert "4711" not in throttle.who_has_unknown_badge("4711")
    assert throttle.who_has_unknown_badge("4711") != throttle.who_has_unknown_badge("4712")


def test_a_restart_forgets_nothing(database_url: str, database: Database, door: Door) -> None:
    door.fail_patiently(FREE_FAILURES)
    again = open_database(database_url)
    migrate(again)
    assert Door(again, door.clock).wait_s() == WAITS_S[0]
    again.close()


@pytest.fixture
def processes(database_url: str, clock: TestClock) -> Iterator[list[Door]]:
    opened = [open_database(database_url) for _ in range(4)]
    for database in opened:
        migrate(database)
    yield [Door(database, clock) for database in opened]
    for database in opened:
        database.close()


def test_parallel_processes_give_no_more_attempts(processes: list[Door]) -> None:
    admitted: list[PinAttempt] = []
    together = threading.Barrier(len(processes))

    def guess(door: Door) -> None:
        together.wait()
        for _ in range(5):
            try:
                admitted.append(door.count())
            except TooManyAttempts:
                continue

    threads = [threading.Thread(target=guess, args=(door,)) for door in processes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(admitted) == FREE_FAILURES


def _guess_in_a_process(url: str, together: Barrier, admitted: SimpleQueue[int]) -> None:
    """One of several processes that guess the same person's PIN on the same device."""
    database = open_database(url)
    mine = 0
    together.wait(PROCESS_START_S_MAX)
    for _ in range(5):
        try:
            with database.writing() as tx:
                throttle.count_attempt(tx, MR, HERE, NOW)
                mine += 1
        except TooManyAttempts:
            continue
    admitted.put(mine)
    database.close()


def test_eight_processes_that_guess_at_once_get_no_more_attempts_than_one(
    database: Database, database_url: str
) -> None:
    spawn = get_context("spawn")
    together, admitted = spawn.Barrier(8), spawn.SimpleQueue()
    guessing = [spawn.Process(target=_guess_in_a_process, args=(database_url, together, admitted)) for _ in range(8)]
    for process in guessing:
        process.start()
    for process in guessing:
        process.join(PROCESS_START_S_MAX)
    assert [process.exitcode for process in guessing] == [0] * 8
    assert sum(admitted.get() for _ in guessing) == FREE_FAILURES
    with database.reading() as tx:
        assert tx.one("pin_failures_in_shop", since="") == (FREE_FAILURES,)


def test_a_wrong_pin_is_recorded_and_a_lock_too(door: Door, database: Database) -> None:
    door.fail_patiently(ROW_MAX)
    assert access_kinds(database) == ["PIN_INCORRECTO"] * ROW_MAX + ["PIN_BLOQUEADO"]
    (lock,) = recorded(database, AccessKind.PIN_BLOQUEADO)
    assert (lock.device_id, lock.worker_id, lock.detail) == (HERE, 93, "en este dispositivo")


def test_many_failures_in_the_shop_are_recorded_once_an_hour(door: Door, database: Database, clock: TestClock) -> None:
    def many() -> None:
        for n in range(SHOP_MANY + 10):
            door.fail(throttle.who_is(1_000 + n), f"d-{n // 15}")

    many()
    (record,) = recorded(database, AccessKind.MUCHOS_FALLOS)
    assert record.detail == f"{SHOP_MANY} intentos fallidos en una hora"
    clock.forward(minutes=61)
    door.fail()
    assert len(recorded(database, AccessKind.MUCHOS_FALLOS)) == 1, "fewer again"
    many()
    assert len(recorded(database, AccessKind.MUCHOS_FALLOS)) == 2


def test_failures_of_long_ago_are_deleted(door: Door, database: Database, clock: TestClock) -> None:
    door.fail_patiently(2)
    clock.forward(days=29)
    door.fail(SV)
    clock.forward(days=2)
    door.write(lambda tx: throttle.forget_old(tx, clock()))
    with database.reading() as tx:
        assert tx.one("pin_failures_in_shop", since="") == (1,)
