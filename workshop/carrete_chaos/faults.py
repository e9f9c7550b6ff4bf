"""Faults of the processes, one every few seconds. Each returns whether it had an effect."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from carrete_bench.errors import BenchFailed
from carrete_bench.postgres import TemporaryPostgres
from carrete_chaos.cluster import on_path
from carrete_chaos.connection_faults import CONNECTION_FAULTS, database_connections_cut, slow_disk, writes_refused_under
from carrete_chaos.fault_context import Fault, FaultContext
from carrete_chaos.recovery import API, BOTH_APIS, DISK, POSTGRES, RESTARTED
from carrete_chaos.sheet_faults import SHEET_FAULTS

ENDS_S_MAX = 15.0  # for an orderly end
STEADY_S = 1.0  # a connection that lasts so long is not one of a server that is about to recover
BITES_S_MAX = 5.0  # until a tracer has met the first call that it makes fail
LOOK_S = 0.1
LEDGER_FULL = ("disk is full", "No space left on device")  # as SQLite and PostgreSQL say it


async def kill_api(context: FaultContext) -> bool:
    number = context.rng.randrange(len(context.cluster.apis))
    api = context.cluster.apis[number]
    was_alive = api.alive
    api.kill()
    await context.lasts(0.1, 1.0)
    api.start()
    await context.recovery_timer.first_tap(API, number)
    context.cluster.require_alive(number)
    return was_alive


async def freeze_api(context: FaultContext) -> bool:
    api = context.rng.choice(context.cluster.apis)
    api.freeze()
    await context.lasts(0.5, 6.0)
    api.thaw()
    return api.alive


async def kill_both_apis(context: FaultContext) -> bool:
    """No process serves for a while, as after a power cut of the server's machine."""
    were_alive = all(api.alive for api in context.cluster.apis)
    for api in context.cluster.apis:
        api.kill()
    await context.lasts(0.1, 1.0)
    for api in context.cluster.apis:
        api.start()
    await context.recovery_timer.first_tap(BOTH_APIS)
    for number in range(len(context.cluster.apis)):
        context.cluster.require_alive(number)
    return were_alive


async def restart_api(context: FaultContext) -> bool:
    """Ends a process as a service manager does, so that it finishes the requests it has, and starts it again."""
    number = context.rng.randrange(len(context.cluster.apis))
    api = context.cluster.apis[number]
    ended = await asyncio.to_thread(api.end, ENDS_S_MAX)
    api.start()
    await context.recovery_timer.first_tap(RESTARTED, number)
    context.cluster.require_alive(number)
    return ended


async def freeze_everything(context: FaultContext) -> bool:
    """As when a virtual machine is moved: no process notices that time has passed."""
    every = [*context.cluster.apis, context.cluster.redis]
    for process in every:
        process.freeze()
    await context.lasts(0.5, 4.0)
    for process in every:
        process.thaw()
    return all(process.alive for process in every)


async def kill_redis(context: FaultContext) -> bool:
    was_alive = context.cluster.redis.alive
    await context.recovery_timer.usual()
    context.cluster.redis.kill()
    await context.recovery_timer.while_gone(context.lasts(0.2, 2.0))
    context.cluster.redis.start()
    return was_alive


async def freeze_redis(context: FaultContext) -> bool:
    context.cluster.redis.freeze()
    await context.lasts(0.3, 4.0)
    context.cluster.redis.thaw()
    return context.cluster.redis.alive


async def empty_redis(context: FaultContext) -> bool:
    async with context.redis() as client:
        before = await client.dbsize()
        await client.flushall()
    return bool(before > 0)


async def redis_out_of_memory(context: FaultContext) -> bool:
    return await writes_refused_under(context, "maxmemory")


async def redis_forgets_the_last_seconds(context: FaultContext) -> bool:
    """Restarts Redis with an old append-only file, as after a failover to a replica that lagged behind."""
    folder = context.cluster.folder / "redis"
    kept = {path: path.stat().st_size for path in folder.glob("appendonlydir/*.incr.aof")}
    await context.lasts(0.5, 2.0)
    for _ in range(100):  # until there is something to forget
        if grown := [path for path, size in kept.items() if path.exists() and path.stat().st_size > size]:
            break
        await asyncio.sleep(0.1)
    context.cluster.redis.kill()
    for path in grown:
        os.truncate(path, kept[path])
    context.cluster.redis.start()
    return bool(grown)


async def redis_clock_jumps(context: FaultContext) -> bool:
    """Restarts Redis under libfaketime: nine hours ahead, or one hour back."""
    faketime = on_path("faketime")
    assert faketime is not None
    context.cluster.redis.kill()
    context.cluster.redis.start([faketime, "-f", context.rng.choice(("+9h", "-1h"))])
    await context.lasts(1.0, 3.0)
    alive = context.cluster.redis.alive
    context.cluster.redis.kill()
    context.cluster.redis.start()
    return alive


async def disk_errors(context: FaultContext) -> bool:
    """strace makes every fsync of the ledger fail with EIO."""
    return await _injected(context, "fdatasync,fsync", "EIO")


async def _injected(context: FaultContext, calls: str, error: str) -> bool:
    strace = on_path("strace")
    assert strace is not None
    api = context.rng.choice(context.cluster.apis)
    log = context.cluster.folder / "strace.log"
    log.unlink(missing_ok=True)
    tracer = await asyncio.create_subprocess_exec(
        *(strace, "-f", "-qq", "-o", str(log), "-p", str(api.pid)),
        *("-e", f"trace={calls}", "-e", f"inject={calls}:error={error}"),
        stderr=asyncio.subprocess.DEVNULL,
    )
    await context.lasts(0.5, 2.0)
    for _ in range(round(BITES_S_MAX / LOOK_S)):  # on a busy machine strace itself is late
        if _mentions(log, "INJECTED"):
            break
        await asyncio.sleep(LOOK_S)
    with suppress(ProcessLookupError):
        tracer.send_signal(signal.SIGINT)
    await tracer.wait()
    return _mentions(log, "INJECTED")


def _mentions(log: Path, word: str) -> bool:
    return log.exists() and word in log.read_text(errors="replace")


async def restart_database(context: FaultContext) -> bool:
    """PostgreSQL's immediate shutdown, as in a power failure."""
    assert context.database is not None
    await asyncio.to_thread(context.database.stop, signal.SIGQUIT)
    await context.lasts(0.1, 1.0)
    starting = asyncio.create_task(asyncio.to_thread(context.database.start))
    await context.recovery_timer.first_tap(POSTGRES)
    await starting
    return True


async def disk_full(context: FaultContext) -> bool:
    """Fills the ledger's disk, waits until a write failed, and empties it again."""
    assert context.disk is not None
    before = _times_full(context)
    await asyncio.to_thread(context.disk.fill)
    await context.lasts(0.5, 3.0)
    for _ in range(100):  # until something wanted to grow
        if _times_full(context) > before:
            break
        await asyncio.sleep(0.1)
    context.disk.empty()
    back = asyncio.create_task(asyncio.to_thread(ensure_running, context.database))
    await context.recovery_timer.first_tap(DISK)
    await back
    return _times_full(context) > before


def _times_full(context: FaultContext) -> int:
    """How often the ledger reported a full disk."""
    texts = (
        [context.database.log_text] if context.database is not None else [api.output for api in context.cluster.apis]
    )
    return sum(text.count(words) for text in texts for words in LEDGER_FULL)


def ensure_running(database: TemporaryPostgres | None) -> None:
    """PostgreSQL crashes when its log has no room, and recovers. If it ended meanwhile it is started again, as a
    service manager would. The next fault must find a ledger: a server does not start without one."""
    if database is None:
        return
    try:
        database.wait_until_ready(STEADY_S)
    except BenchFailed:
        if database.alive:
            raise
        database.start()


async def disk_full_by_strace(context: FaultContext) -> bool:
    """Where nothing can be mounted, strace makes every write of the ledger fail with ENOSPC."""
    return await _injected(context, "pwrite64", "ENOSPC")


def available(db: str, *, disk: bool = False, sheet: bool = False) -> dict[str, Fault]:
    """The faults that this machine can do, by name."""
    faults: dict[str, Fault] = {
        "kill -9 of an API process": kill_api,
        "kill -9 of both API processes": kill_both_apis,
        "orderly restart of an API process": restart_api,
        "SIGSTOP of an API process": freeze_api,
        "SIGSTOP of everything": freeze_everything,
        "kill -9 of Redis": kill_redis,
        "SIGSTOP of Redis": freeze_redis,
        "FLUSHALL": empty_redis,
        "Redis out of memory": redis_out_of_memory,
        "Redis forgets the last seconds": redis_forgets_the_last_seconds,
        **CONNECTION_FAULTS,
    }
    if on_path("faketime"):
        faults["clock of Redis +9 h / -1 h"] = redis_clock_jumps
    if db == "sqlite" and on_path("strace"):
        faults["EIO on fdatasync"] = disk_errors
        faults["slow disk"] = slow_disk
        faults["disk full"] = disk_full_by_strace
    if disk:
        faults["disk full"] = disk_full
    if db == "postgres":
        faults["immediate restart of PostgreSQL"] = restart_database
        faults["connections of PostgreSQL cut"] = database_connections_cut
    return faults | (SHEET_FAULTS if sheet else {})


async def inject(
    context: FaultContext, faults: dict[str, Fault], every_s: tuple[float, float], until: Callable[[], bool]
) -> None:
    """Injects each kind of fault in turn, in an order that depends on the seed, so that none is left out. Those that
    have had no effect yet are the first of the next turn."""
    names: list[str] = []
    while not until():
        await asyncio.sleep(context.rng.uniform(*every_s))
        names = names or sorted(context.rng.sample(sorted(faults), len(faults)), key=lambda name: not context.bit[name])
        if names:
            name = names.pop()
            bit = await faults[name](context)
            (context.bit if bit else context.missed)[name] += 1
