"""Faults of connections and of what is slow: connections that are cut, a Redis that refuses or delays, a ledger that
somebody else has locked, a slow disk."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from redis.exceptions import RedisError

from carrete_chaos.cluster import on_path
from carrete_chaos.fault_context import Fault, FaultContext

LOCK_S_MAX = 4.0  # for somebody else to get the lock
SYNC_DELAY_MS = (100, 400)
SYNC_LOOKS_MAX = 100  # ten a second
CUT_LOOKS_MAX = 100  # ten a second
DATABASE_OF_OTHERS = (
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


async def wifi_cut(context: FaultContext) -> bool:
    """Every open connection between tablets and servers is reset at once, as when a switch restarts."""
    return sum(proxy.cut() for proxy in context.proxies) > 0


async def redis_refuses_writes(context: FaultContext) -> bool:
    """As a master does whose replicas are gone: reads are answered, writes are not."""
    return await writes_refused_under(context, "min-replicas-to-write")


async def writes_refused_under(context: FaultContext, setting: str) -> bool:
    """Whether Redis refused a write while that setting of its own was 1 for a while, instead of 0."""
    async with context.redis() as client:
        await client.config_set(setting, "1")
        await context.lasts(0.3, 2.0)
        try:
            await client.set("carrete:chaos", "1")
            refused = False
        except RedisError:
            refused = True
        await client.config_set(setting, "0")
        await client.delete("carrete:chaos")
    return refused


async def redis_answers_late(context: FaultContext) -> bool:
    """CLIENT PAUSE: every command waits, and then all are answered."""
    pause_s = context.rng.uniform(0.2, 1.5) * context.pace
    async with context.redis() as client:
        await client.client_pause(int(pause_s * 1000))
        began = time.monotonic()
        await client.ping()
    return time.monotonic() - began > pause_s / 2


async def redis_connections_cut(context: FaultContext) -> bool:
    """Servers that have no connection now, after another fault, have one some seconds later."""
    async with context.redis() as client:
        for _ in range(CUT_LOOKS_MAX):
            if await client.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes") > 0:
                return True
            await asyncio.sleep(0.1)
    return False


async def ledger_locked(context: FaultContext) -> bool:
    """Somebody else, such as a backup or a person with a console, has the ledger locked against writers."""
    held_s = context.rng.uniform(0.3, 2.5) * context.pace
    return await asyncio.to_thread(_hold_lock, context.cluster.database_url, held_s)


def _hold_lock(url: str, held_s: float) -> bool:
    with suppress(sqlite3.OperationalError, psycopg.OperationalError):
        if url.startswith("sqlite"):
            path = urlsplit(url).path
            with closing(sqlite3.connect(path, timeout=LOCK_S_MAX, isolation_level=None)) as connection:
                connection.execute("BEGIN IMMEDIATE")
                time.sleep(held_s)
                connection.execute("ROLLBACK")
            return True
        with psycopg.connect(url) as connection:
            connection.execute(f"SET lock_timeout = '{int(LOCK_S_MAX * 1000)}'".encode())
            connection.execute("LOCK TABLE spool IN EXCLUSIVE MODE")
            time.sleep(held_s)
            connection.rollback()
        return True
    return False


async def database_connections_cut(context: FaultContext) -> bool:
    """PostgreSQL ends every connection of the servers, in the middle of whatever they do."""
    return await asyncio.to_thread(_cut, context.cluster.database_url)


def _cut(url: str) -> bool:
    with suppress(psycopg.OperationalError), psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute(DATABASE_OF_OTHERS.encode()).fetchone()
        return row is not None and row[0] > 0
    return False


async def slow_disk(context: FaultContext) -> bool:
    """strace makes each sync of the ledger wait."""
    strace = on_path("strace")
    assert strace is not None
    log = context.cluster.folder / "strace-slow.log"
    log.unlink(missing_ok=True)
    delay_us = context.rng.randint(*SYNC_DELAY_MS) * 1000
    tracer = await asyncio.create_subprocess_exec(
        *(strace, "-f", "-qq", "-o", str(log), "-p", str(context.rng.choice(context.cluster.apis).pid)),
        *("-e", "trace=fdatasync,fsync", "-e", f"inject=fdatasync,fsync:delay_enter={delay_us}"),
        stderr=asyncio.subprocess.DEVNULL,
    )
    await context.lasts(0.5, 2.0)
    for _ in range(SYNC_LOOKS_MAX):  # until that process had something to sync
        if _delayed(log):
            break
        await asyncio.sleep(0.1)
    with suppress(ProcessLookupError):
        tracer.send_signal(signal.SIGINT)
    await tracer.wait()
    return _delayed(log)


def _delayed(log: Path) -> bool:
    return log.exists() and "DELAYED" in log.read_text(errors="replace")


CONNECTION_FAULTS: dict[str, Fault] = {
    "connections of tablets cut": wifi_cut,
    "Redis refuses writes": redis_refuses_writes,
    "Redis answers late": redis_answers_late,
    "connections of Redis cut": redis_connections_cut,
    "ledger locked by somebody else": ledger_locked,
}
