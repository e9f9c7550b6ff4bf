"""Measures a server with one, two and four processes: their rates, and where the processor time went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from carrete_bench import shop
from carrete_bench.cpu import cpu_seconds_by_name
from carrete_bench.full.results import CpuSeconds, ProcessCountResults, ScalingResults
from carrete_bench.load import ACTIONS, EMPTY, LoadClient, LoadStep, StepResult
from carrete_bench.postgres import PostgresAddress, fresh_database
from carrete_bench.processes import BenchServer, running_server, send_load
from carrete_bench.results import all_latencies_us, percentiles, rate_per_s

SPOOLS = 2_000
WARM_UP_S = 0.3
_REDIS_PROGRAMS = ("redis-server", "valkey-server")


@dataclass(frozen=True, slots=True)
class ProcessScale:
    """How much is measured."""

    counts: tuple[int, ...] = (1, 2, 4)
    # The total number of clients: as many as for one process alone, and as many for each of four processes.
    clients: tuple[int, ...] = (50, 200)
    rounds: int = 5
    round_s: float = 1.0


@dataclass(frozen=True, slots=True)
class _ScalingRound:
    empty: StepResult
    actions: StepResult
    cpu: CpuSeconds  # of the actions only


def measure(engine: str, postgres: PostgresAddress | None, folder: Path, scale: ProcessScale) -> list[ScalingResults]:
    """All servers run all the time, but only one is used at a time. Each has its own ledger and Redis, so that the
    idle servers do not disturb it."""
    clients = shop.load_clients(max(scale.clients), SPOOLS)
    with ExitStack() as stack:
        servers = {
            count: stack.enter_context(_server(folder / f"{engine}-{count}", postgres, count, len(clients)))
            for count in scale.counts
        }
        rounds = {count: _measure_rounds(servers, clients[:count], postgres, scale) for count in scale.clients}
    return [
        ScalingResults(engine, client_count, [_summary(count, by_count) for count in by_count])
        for client_count, by_count in rounds.items()
    ]


def _measure_rounds(
    servers: dict[int, BenchServer],
    clients: Sequence[LoadClient],
    postgres: PostgresAddress | None,
    scale: ProcessScale,
) -> dict[int, list[_ScalingRound]]:
    """The rounds by number of processes. Each round starts with another server."""
    rounds: dict[int, list[_ScalingRound]] = {count: [] for count in servers}
    for server in servers.values():
        send_load(server, clients, _steps(WARM_UP_S))
    for number in range(scale.rounds):
        first = number % len(servers)
        for count in [*servers][first:] + [*servers][:first]:
            rounds[count].append(_measure_round(servers[count], clients, postgres, scale.round_s))
    return rounds


@contextmanager
def _server(folder: Path, postgres: PostgresAddress | None, count: int, workers: int) -> Iterator[BenchServer]:
    folder.mkdir()
    with ExitStack() as stack:
        url = f"sqlite:///{folder / 'shop.db'}"
        if postgres is not None:
            url = stack.enter_context(fresh_database(postgres.url, f"processes_{count}"))
        shop.fill(url, SPOOLS, workers)
        yield stack.enter_context(running_server(folder, url, "embedded", count))


def _measure_round(
    server: BenchServer, clients: Sequence[LoadClient], postgres: PostgresAddress | None, seconds: float
) -> _ScalingRound:
    """Empty POSTs and actions are sent separately, so that the processor time is that of the actions alone."""
    empty_step, action_step = _steps(seconds)
    (empty,) = send_load(server, clients, [empty_step])
    before = _cpu_seconds(server, postgres)
    (actions,) = send_load(server, clients, [action_step])
    after = _cpu_seconds(server, postgres)
    api_s, redis_s, postgres_s = (end - start for end, start in zip(after, before, strict=True))
    known = postgres is None or postgres.pid is not None
    ledger_s = postgres_s if known else None
    return _ScalingRound(empty, actions, CpuSeconds(actions["seconds"], api_s, ledger_s, redis_s, actions["cpu_s"]))


def _steps(seconds: float) -> list[LoadStep]:
    return [{"kind": kind, "path": "", "seconds": seconds} for kind in (EMPTY, ACTIONS)]


def _cpu_seconds(server: BenchServer, postgres: PostgresAddress | None) -> tuple[float, float, float]:
    """Of the API processes, of Redis and of PostgreSQL, since they started."""
    by_name = cpu_seconds_by_name(server.pid)
    redis_s = sum(by_name.pop(name, 0.0) for name in _REDIS_PROGRAMS)
    postgres_s = sum(cpu_seconds_by_name(postgres.pid).values()) if postgres and postgres.pid else 0.0
    return sum(by_name.values()), redis_s, postgres_s


def _summary(count: int, rounds: dict[int, list[_ScalingRound]]) -> ProcessCountResults:
    own_rounds, one_process_rounds = rounds[count], rounds[min(rounds)]
    rates = [rate_per_s(own.actions) for own in own_rounds]
    of_one = [rate / rate_per_s(one.actions) for rate, one in zip(rates, one_process_rounds, strict=True)]
    of_empty = [rate / rate_per_s(own.empty) for rate, own in zip(rates, own_rounds, strict=True)]
    latencies_us = all_latencies_us([own.actions for own in own_rounds])
    return ProcessCountResults(
        count,
        per_s=median(rates),
        of_one=median(of_one),
        of_empty=median(of_empty),
        latency=percentiles(latencies_us),
        actions=len(latencies_us),
        cpu=_sum([own.cpu for own in own_rounds]),
    )


def _sum(rounds: list[CpuSeconds]) -> CpuSeconds:
    ledger_s = [cpu.ledger_s for cpu in rounds if cpu.ledger_s is not None]
    return CpuSeconds(
        sum(cpu.wall_s for cpu in rounds),
        sum(cpu.api_s for cpu in rounds),
        sum(ledger_s) if ledger_s else None,
        sum(cpu.redis_s for cpu in rounds),
        sum(cpu.load_s for cpu in rounds),
    )
