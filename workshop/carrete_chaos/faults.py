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
BITES_S_MAX = 5.0  # until a tracer has met the first call that it makes fail
LOOK_S = 0.1
LEDGER_FULL = ("disk is full", "No space left on device")  # as SQLite and PostgreSQL say it


async def kill_api(hurt: FaultContext) -> bool:
    number = hurt.rng.randrange(len(hurt.cluster.apis))
    api = hurt.cluster.apis[number]
    was_alive = api.alive
    api.kill()
    await hurt.lasts(0.1, 1.0)
    api.start()
    await hurt.recovery_timer.first_tap(API, number)
    hurt.cluster.require_alive(number)
    return was_alive


async def freeze_api(hurt: FaultContext) -> bool:
    api = hurt.rng.choice(hurt.cluster.apis)
    api.freeze()
    await hurt.lasts(0.5, 6.0)
    api.thaw()
    return api.alive


async def kill_both_apis(hurt: FaultContext) -> bool:
    """Nobody serves for a while, as after a power cut of the server's machine."""
    were_alive = all(api.alive for api in hurt.cluster.apis)
    for api in hurt.cluster.apis:
        api.kill()
    await hurt.lasts(0.1, 1.0)
    for api in hurt.cluster.apis:
        api.start()
    await hurt.recovery_timer.first_tap(BOTH_APIS)
    for number in range(len(hurt.cluster.apis)):
        hurt.cluster.require_alive(number)
    return were_alive


async def restart_api(hurt: FaultContext) -> bool:
    """Ended as a service manager does it, with what it is doing finished, and started again."""
    number = hurt.rng.randrange(len(hurt.cluster.apis))
    api = hurt.cluster.apis[number]
    ended = await asyncio.to_thread(api.end, ENDS_S_MAX)
    api.start()
    await hurt.recovery_timer.first_tap(RESTARTED, number)
    hurt.cluster.require_alive(number)
    return ended


async def freeze_everything(hurt: FaultContext) -> bool:
    """As when a virtual machine is moved: nobody notices how much time has passed."""
    every = [*hurt.cluster.apis, hurt.cluster.redis]
    for process in every:
        process.freeze()
    await hurt.lasts(0.5, 4.0)
    for process in every:
        process.thaw()
    return all(process.alive for process in every)


async def kill_redis(hurt: FaultContext) -> bool:
    was_alive = hurt.cluster.redis.alive
    await hurt.recovery_timer.usual()
    hurt.cluster.redis.kill()
    await hurt.recovery_timer.while_gone(hurt.lasts(0.2, 2.0))
    hurt.cluster.redis.start()
    return was_alive


async def freeze_redis(hurt: FaultContext) -> bool:
    hurt.cluster.redis.freeze()
    await hurt.lasts(0.3, 4.0)
    hurt.cluster.redis.thaw()
    return hurt.cluster.redis.alive


async def empty_redis(hurt: FaultContext) -> bool:
    async with hurt.redis() as client:
        before = await client.dbsize()
        await client.flushall()
    return bool(before > 0)


async def redis_out_of_memory(hurt: FaultContext) -> bool:
    return await writes_refused_under(hurt, "maxmemory")


async def redis_forgets_the_last_seconds(hurt: FaultContext) -> bool:
    """Restarts Redis with an old append-only file, as after a failover to a replica that lagged behind."""
    folder = hurt.cluster.folder / "redis"
    kept = {path: path.stat().st_size for path in folder.glob("appendonlydir/*.incr.aof")}
    await hurt.lasts(0.5, 2.0)
    for _ in range(100):  # until there is something to forget
        if grown := [path for path, size in kept.items() if path.exists() and path.stat().st_size > size]:
            break
        await asyncio.sleep(0.1)
    hurt.cluster.redis.kill()
    for path in grown:
        os.truncate(path, kept[path])
    hurt.cluster.redis.start()
    return bool(grown)


async def redis_clock_jumps(hurt: FaultContext) -> bool:
    """Restarts Redis under libfaketime: nine hours ahead, or one hour back."""
    faketime = on_path("faketime")
    assert faketime is not None
    hurt.cluster.redis.kill()
    hurt.cluster.redis.start([faketime, "-f", hurt.rng.choice(("+9h", "-1h"))])
    await hurt.lasts(1.0, 3.0)
    alive = hurt.cluster.redis.alive
    hurt.cluster.redis.kill()
    hurt.cluster.redis.start()
    return alive


async def disk_errors(hurt: FaultContext) -> bool:
    """strace makes every fsync of the ledger fail with EIO."""
    return await _injected(hurt, "fdatasync,fsync", "EIO")


async def _injected(hurt: FaultContext, calls: str, error: str) -> bool:
    strace = on_path("strace")
    assert strace is not None
    api = hurt.rng.choice(hurt.cluster.apis)
    log = hurt.cluster.folder / "strace.log"
    log.unlink(missing_ok=True)
    tracer = await asyncio.create_subprocess_exec(
        *(strace, "-f", "-qq", "-o", str(log), "-p", str(api.pid)),
        *("-e", f"trace={calls}", "-e", f"inject={calls}:error={error}"),
        stderr=asyncio.subprocess.DEVNULL,
    )
    await hurt.lasts(0.5, 2.0)
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


async def restart_database(hurt: FaultContext) -> bool:
    """PostgreSQL's immediate shutdown, as in a power failure."""
    assert hurt.database is not None
    await asyncio.to_thread(hurt.database.stop, signal.SIGQUIT)
    await hurt.lasts(0.1, 1.0)
    starting = asyncio.create_task(asyncio.to_thread(hurt.database.start))
    await hurt.recovery_timer.first_tap(POSTGRES)
    await starting
    return True


async def disk_full(hurt: FaultContext) -> bool:
    """Fills the ledger's disk, waits until a write failed, and empties it again."""
    assert hurt.disk is not None
    before = _times_full(hurt)
    await asyncio.to_thread(hurt.disk.fill)
    await hurt.lasts(0.5, 3.0)
    for _ in range(100):  # until something wanted to grow
        if _times_full(hurt) > before:
            break
        await asyncio.sleep(0.1)
    hurt.disk.empty()
    if hurt.database is not None:
        await asyncio.to_thread(_up_again, hurt.database)
    await hurt.recovery_timer.first_tap(DISK)
    return _times_full(hurt) > before


def _times_full(hurt: FaultContext) -> int:
    """How often the ledger reported a full disk."""
    said = [hurt.database.log_text] if hurt.database is not None else [api.said for api in hurt.cluster.apis]
    return sum(text.count(words) for text in said for words in LEDGER_FULL)


def _up_again(database: TemporaryPostgres) -> None:
    """PostgreSQL ends when its log has no room: starts it again, as a service manager would."""
    if not database.alive:
        with suppress(BenchFailed):
            database.stop()
        database.start()


async def disk_full_by_strace(hurt: FaultContext) -> bool:
    """Where nothing can be mounted, strace makes every write of the ledger fail with ENOSPC."""
    return await _injected(hurt, "pwrite64", "ENOSPC")


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
    hurt: FaultContext, faults: dict[str, Fault], every_s: tuple[float, float], until: Callable[[], bool]
) -> None:
    """Injects each kind of fault in turn, in an order that depends on the seed, so that none is left out. Those that
    have not bitten yet are the first of the next turn."""
    names: list[str] = []
    while not until():
        await asyncio.sleep(hurt.rng.uniform(*every_s))
        names = names or sorted(hurt.rng.sample(sorted(faults), len(faults)), key=lambda name: not hurt.bit[name])
        if names:
            name = names.pop()
            bit = await faults[name](hurt)
            (hurt.bit if bit else hurt.missed)[name] += 1
