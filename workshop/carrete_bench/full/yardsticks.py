"""Actions beside what they are made of: the empty POST, a bare pair of Redis commands, a bare commit of one row."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psycopg

from carrete.redis.embedded_server import socket_path
from carrete_bench import figures, shop
from carrete_bench.full.figures import Beside, Yardsticks
from carrete_bench.gate.contestants import any_client, bare_pair
from carrete_bench.load import ACTIONS, EMPTY, Step
from carrete_bench.running import running_server, under_load

CLIENTS = 50
SPOOLS = 2_000
_BARE_DB = 1  # beside the product's own keys

Rates = dict[str, float]


@dataclass(frozen=True, slots=True)
class Extent:
    rounds: int = 5
    round_s: float = 0.5


def measure(engine: str, ledger_url: str, folder: Path, extent: Extent) -> Yardsticks:
    """All take turns, round after round, at the product's own Redis and on the disk of its ledger."""
    shop.fill(ledger_url, SPOOLS)
    hands = shop.hands(CLIENTS, SPOOLS)
    steps: list[Step] = [{"kind": kind, "path": "", "seconds": extent.round_s} for kind in (EMPTY, ACTIONS)]
    rounds: list[Rates] = []
    with running_server(folder, ledger_url, "embedded") as server, _commits(engine, ledger_url, folder) as commit:
        under_load(server, hands, steps)  # only warms up
        for _ in range(extent.rounds):
            seen = {one["kind"]: figures.rate(one) for one in under_load(server, hands, steps)}
            pairs = asyncio.run(_bare_pairs(socket_path(folder), extent.round_s))
            rounds.append({**seen, "redis": pairs, "commit": _rate(commit, extent.round_s)})
    return _summary(engine, rounds)


def _summary(engine: str, rounds: list[Rates]) -> Yardsticks:
    names = {
        EMPTY: "empty POST",
        "redis": f"bare Redis: SET NX and delete, {CLIENTS} at once",
        "commit": f"bare {'PostgreSQL' if engine == 'postgres' else 'SQLite'}: one row, one commit, one by one",
    }
    besides = [
        Beside(what, median(one[name] for one in rounds), median(one[ACTIONS] / one[name] for one in rounds))
        for name, what in names.items()
    ]
    return Yardsticks(engine, CLIENTS, median(one[ACTIONS] for one in rounds), besides)


async def _bare_pairs(socket: Path, seconds: float) -> float:
    async with any_client(socket, _BARE_DB) as client:
        pair = await bare_pair(client)
        start = time.perf_counter()

        async def hand(number: int) -> int:
            done = 0
            while time.perf_counter() < start + seconds:
                done += await pair(f"{number}")
            return done

        done = sum(await asyncio.gather(*(hand(number) for number in range(CLIENTS))))
        return done / (time.perf_counter() - start)


def _rate(commit: Callable[[], object], seconds: float) -> float:
    start, done = time.perf_counter(), 0
    while time.perf_counter() < start + seconds:
        commit()
        done += 1
    return done / (time.perf_counter() - start)


@contextmanager
def _commits(engine: str, ledger_url: str, folder: Path) -> Iterator[Callable[[], object]]:
    """As durable as the ledger's own, without anything of ours around it."""
    if engine == "postgres":
        with psycopg.connect(ledger_url, autocommit=True, prepare_threshold=2) as served:
            served.execute("CREATE TABLE bare (what TEXT)")
            yield lambda: served.execute("INSERT INTO bare VALUES ('TOMAR')")
        return
    with closing(sqlite3.connect(folder / "bare.db", isolation_level=None)) as file:
        file.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE bare (what TEXT)")
        yield lambda: file.execute("INSERT INTO bare VALUES ('TOMAR')")
