"""Measures actions in turns with three yardsticks: the empty POST, a bare pair of Redis commands, a bare commit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from carrete.redis.embedded_server import socket_path
from carrete_bench import results, shop
from carrete_bench.bare_commit import bare_commit
from carrete_bench.full.results import YardstickRate, YardstickResults
from carrete_bench.gate.lock_implementations import bare_pair, redis_client
from carrete_bench.load import ACTIONS, EMPTY, LoadStep
from carrete_bench.processes import running_server, send_load

CLIENTS = 50
SPOOLS = 2_000
_BARE_DB = 1  # the product's keys are in database 0

RatesByKind = dict[str, float]


@dataclass(frozen=True, slots=True)
class YardstickScale:
    """How much is measured."""

    rounds: int = 5
    round_s: float = 0.5


def measure(engine: str, ledger_url: str, folder: Path, scale: YardstickScale) -> YardstickResults:
    """The yardsticks use the Redis of the measured server and the disk of its ledger."""
    shop.fill(ledger_url, SPOOLS)
    clients = shop.load_clients(CLIENTS, SPOOLS)
    steps: list[LoadStep] = [{"kind": kind, "path": "", "seconds": scale.round_s} for kind in (EMPTY, ACTIONS)]
    rounds: list[RatesByKind] = []
    with running_server(folder, ledger_url, "embedded") as server, bare_commit(engine, ledger_url, folder) as commit:
        send_load(server, clients, steps)  # only warms up
        for _ in range(scale.rounds):
            rates = {result["kind"]: results.rate_per_s(result) for result in send_load(server, clients, steps)}
            pairs_per_s = asyncio.run(_bare_pairs_per_s(socket_path(folder), scale.round_s))
            rounds.append({**rates, "redis": pairs_per_s, "commit": _calls_per_s(commit, scale.round_s)})
    return _summary(engine, rounds)


def _summary(engine: str, rounds: list[RatesByKind]) -> YardstickResults:
    names = {
        EMPTY: "empty POST",
        "redis": f"bare Redis: SET NX and delete, {CLIENTS} at once",
        "commit": f"bare {'PostgreSQL' if engine == 'postgres' else 'SQLite'}: one row, one commit, one by one",
    }
    yardsticks = [
        YardstickRate(
            name, median(rates[kind] for rates in rounds), median(rates[ACTIONS] / rates[kind] for rates in rounds)
        )
        for kind, name in names.items()
    ]
    return YardstickResults(engine, CLIENTS, median(rates[ACTIONS] for rates in rounds), yardsticks)


async def _bare_pairs_per_s(socket: Path, seconds: float) -> float:
    async with redis_client(socket, _BARE_DB) as client:
        pair = await bare_pair(client)
        start = time.perf_counter()

        async def count_pairs(number: int) -> int:
            count = 0
            while time.perf_counter() < start + seconds:
                count += await pair(f"{number}")
            return count

        total = sum(await asyncio.gather(*(count_pairs(number) for number in range(CLIENTS))))
        return total / (time.perf_counter() - start)


def _calls_per_s(call: Callable[[], object], seconds: float) -> float:
    start, count = time.perf_counter(), 0
    while time.perf_counter() < start + seconds:
        call()
        count += 1
    return count / (time.perf_counter() - start)
