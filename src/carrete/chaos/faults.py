"""What is done to the processes, one fault every few seconds. A fault that did not bite proves nothing: each says
whether it did."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import redis.asyncio
from redis.exceptions import RedisError

from carrete.bench.postgres import OwnServer
from carrete.chaos.stage import Stage, on_path

Fault = Callable[["Injury"], Awaitable[bool]]


@dataclass(slots=True)
class Injury:
    """Who is hurt, and what came of it."""

    stage: Stage
    rng: Random
    database: OwnServer | None = None  # a database server of our own that may be restarted, if there is one
    pace: float = 1.0  # below one everything is over sooner
    bit: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    recovery_s: dict[str, list[float]] = field(default_factory=dict)

    async def lasts(self, low_s: float, high_s: float) -> None:
        await asyncio.sleep(self.rng.uniform(low_s, high_s) * self.pace)

    def took(self, what: str, seconds: float) -> None:
        self.recovery_s.setdefault(what, []).append(seconds)

    @asynccontextmanager
    async def redis(self) -> Any:
        client = redis.asyncio.Redis(unix_socket_path=str(self.stage.redis_socket), socket_timeout=5)
        try:
            yield client
        finally:
            await client.aclose()


async def kill_api(hurt: Injury) -> bool:
    number = hurt.rng.randrange(len(hurt.stage.apis))
    api = hurt.stage.apis[number]
    was_alive = api.alive
    api.kill()
    await hurt.lasts(0.1, 1.0)
    api.start()
    hurt.took("API after kill -9", await hurt.stage.ready(number))
    return was_alive


async def freeze_api(hurt: Injury) -> bool:
    api = hurt.rng.choice(hurt.stage.apis)
    api.freeze()
    await hurt.lasts(0.5, 6.0)
    api.thaw()
    return api.alive


async def kill_redis(hurt: Injury) -> bool:
    was_alive = hurt.stage.redis.alive
    hurt.stage.redis.kill()
    await hurt.lasts(0.2, 2.0)
    hurt.stage.redis.start()
    return was_alive


async def freeze_redis(hurt: Injury) -> bool:
    hurt.stage.redis.freeze()
    await hurt.lasts(0.3, 4.0)
    hurt.stage.redis.thaw()
    return hurt.stage.redis.alive


async def empty_redis(hurt: Injury) -> bool:
    async with hurt.redis() as client:
        before = await client.dbsize()
        await client.flushall()
    return bool(before > 0)


async def redis_out_of_memory(hurt: Injury) -> bool:
    async with hurt.redis() as client:
        await client.config_set("maxmemory", "1")
        await hurt.lasts(0.3, 2.0)
        try:
            await client.set("carrete:chaos", "1")
            refused = False
        except RedisError:
            refused = True
        await client.config_set("maxmemory", "0")
        await client.delete("carrete:chaos")
    return refused


async def redis_forgets_the_last_seconds(hurt: Injury) -> bool:
    """An old append-only file comes back, as after a failover to a replica that lagged behind."""
    folder = hurt.stage.folder / "redis"
    files = sorted(folder.glob("appendonlydir/*.incr.aof"))
    kept = {path: path.stat().st_size for path in files}
    await hurt.lasts(0.5, 2.0)
    hurt.stage.redis.kill()
    shortened = False
    for path, size in kept.items():
        if path.exists() and path.stat().st_size > size:
            os.truncate(path, size)
            shortened = True
    hurt.stage.redis.start()
    return shortened


async def redis_clock_jumps(hurt: Injury) -> bool:
    """libfaketime: nine hours ahead, or one back."""
    faketime = on_path("faketime")
    assert faketime is not None
    hurt.stage.redis.kill()
    hurt.stage.redis.start([faketime, "-f", hurt.rng.choice(("+9h", "-1h"))])
    await hurt.lasts(1.0, 3.0)
    alive = hurt.stage.redis.alive
    hurt.stage.redis.kill()
    hurt.stage.redis.start()
    return alive


async def disk_errors(hurt: Injury) -> bool:
    """EIO where the ledger is made durable: strace answers for the kernel."""
    strace = on_path("strace")
    assert strace is not None
    api = hurt.rng.choice(hurt.stage.apis)
    log = hurt.stage.folder / "strace.log"
    log.unlink(missing_ok=True)
    tracer = await asyncio.create_subprocess_exec(
        *(strace, "-f", "-qq", "-o", str(log), "-p", str(api.pid)),
        *("-e", "trace=fdatasync,fsync", "-e", "inject=fdatasync,fsync:error=EIO"),
        stderr=asyncio.subprocess.DEVNULL,
    )
    await hurt.lasts(0.5, 2.0)
    with suppress(ProcessLookupError):
        tracer.send_signal(signal.SIGINT)
    await tracer.wait()
    return _mentions(log, "INJECTED")


def _mentions(log: Path, word: str) -> bool:
    return log.exists() and word in log.read_text(errors="replace")


async def restart_database(hurt: Injury) -> bool:
    """PostgreSQL's immediate shutdown: as if the power had gone."""
    assert hurt.database is not None
    await asyncio.to_thread(hurt.database.stop, signal.SIGQUIT)
    await hurt.lasts(0.1, 1.0)
    await asyncio.to_thread(hurt.database.start)
    seconds = [await hurt.stage.ready(number) for number in range(len(hurt.stage.apis))]
    hurt.took("PostgreSQL after an immediate restart", max(seconds))
    return True


def available(db: str) -> dict[str, Fault]:
    """The faults that this machine can do, by name."""
    faults: dict[str, Fault] = {
        "kill -9 of an API process": kill_api,
        "SIGSTOP of an API process": freeze_api,
        "kill -9 of Redis": kill_redis,
        "SIGSTOP of Redis": freeze_redis,
        "FLUSHALL": empty_redis,
        "Redis out of memory": redis_out_of_memory,
        "Redis forgets the last seconds": redis_forgets_the_last_seconds,
    }
    if on_path("faketime"):
        faults["clock of Redis +9 h / -1 h"] = redis_clock_jumps
    if db == "sqlite" and on_path("strace"):
        faults["EIO on fdatasync"] = disk_errors
    if db == "postgres":
        faults["immediate restart of PostgreSQL"] = restart_database
    return faults


async def inject(
    hurt: Injury, faults: dict[str, Fault], every_s: tuple[float, float], until: Callable[[], bool]
) -> None:
    """Each kind in turn, in an order that the seed decides, so that none is left out."""
    names: list[str] = []
    while not until():
        await asyncio.sleep(hurt.rng.uniform(*every_s))
        names = names or hurt.rng.sample(sorted(faults), len(faults))
        if names:
            name = names.pop()
            bit = await faults[name](hurt)
            (hurt.bit if bit else hurt.missed)[name] += 1
