"""Measures actions as a shop has them, signed, chained and through the gate, beside the empty POST and a commit."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from carrete_bench import results, shop
from carrete_bench.bare_commit import bare_commit
from carrete_bench.cpu import cpu_seconds
from carrete_bench.identity import prepare
from carrete_bench.load import ACTIONS, EMPTY, LoadClient, LoadStep
from carrete_bench.processes import BenchServer, running_server, send_load
from carrete_bench.results import WholePathResults, percentiles

CLIENTS = 50
WITHOUT, WHOLE, ALONE = "without", "whole", "alone"


@dataclass(frozen=True, slots=True)
class WholePathScale:
    """How much is measured. The goals are for the defaults; tests use less."""

    rounds: int = 10
    round_s: float = 0.5
    alone_rounds: int = 5
    idle_s: float = 2.0


def measure(engine: str, ledger_url: str, folder: Path, spools: int, scale: WholePathScale) -> WholePathResults:
    """The empty POST is that of a server without identity and Redis, so that it has none of their cost. Both servers
    run all the time. The folder is that of the identity measurement: its keys are those of the ledger."""
    own_folder = folder / "identity"
    own_folder.mkdir(mode=0o700, exist_ok=True)
    clients = shop.load_clients(CLIENTS, spools)
    signed = prepare(ledger_url, own_folder, clients, 0).signed_in
    with running_server(own_folder, ledger_url, "embedded", access="pin") as server:
        start_cpu_s = cpu_seconds(server.pid)
        time.sleep(scale.idle_s)
        idle_mb = server.resident_mb()
        with running_server(folder, ledger_url) as without:
            groups: list[LoadClient] = [{**client, "group": WITHOUT} for client in clients]
            groups += [{**client, "group": WHOLE, "port": server.port} for client in signed]
            steps: list[LoadStep] = [_step(EMPTY, WITHOUT, scale.round_s), _step(ACTIONS, WHOLE, scale.round_s)]
            # The first round only warms up.
            measured = send_load(without, groups, steps * (scale.rounds + 1))[len(steps) :]
        with bare_commit(engine, ledger_url, own_folder) as commit:
            alone = [_alone(server, signed[0], commit, scale.round_s) for _ in range(scale.alone_rounds)]
    return WholePathResults(
        results.action_results(CLIENTS, measured),
        alone_p50_ms=median(action_ms for action_ms, _ in alone),
        commit_p50_ms=median(commit_ms for _, commit_ms in alone),
        alone_commits=median(action_ms / commit_ms for action_ms, commit_ms in alone),
        start_cpu_s=start_cpu_s,
        idle_mb=idle_mb,
    )


def _step(kind: str, group: str, seconds: float) -> LoadStep:
    return {"kind": kind, "path": "", "seconds": seconds, "group": group}


def _alone(
    server: BenchServer, client: LoadClient, commit: Callable[[], object], seconds: float
) -> tuple[float, float]:
    """The medians in ms of one client's actions and of bare commits right after them."""
    (step,) = send_load(server, [{**client, "group": ALONE}], [_step(ACTIONS, ALONE, seconds)])
    return _p50_ms(step["latencies_us"]), _p50_ms(_latencies_us(commit, seconds))


def _latencies_us(call: Callable[[], object], seconds: float) -> list[int]:
    until = time.perf_counter() + seconds
    found: list[int] = []
    while not found or time.perf_counter() < until:
        start = time.perf_counter()
        call()
        found.append(int((time.perf_counter() - start) * 1e6))
    return found


def _p50_ms(latencies_us: Sequence[int]) -> float:
    return percentiles(latencies_us).p50_ms
