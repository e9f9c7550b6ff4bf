"""Measures actions as a shop has them, signed, chained and through the gate, beside the empty POST and a commit."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from carrete_bench import results, shop
from carrete_bench.bare_commit import bare_commit, delayed_commits, latencies_us
from carrete_bench.cpu import cpu_seconds
from carrete_bench.identity import prepare
from carrete_bench.load import ACTIONS, EMPTY, LoadClient, LoadStep, StepResult
from carrete_bench.processes import BenchServer, running_server, send_load
from carrete_bench.results import AloneResults, WholePathResults, percentiles
from carrete_bench.slices import rounds_of_sets, sliced_rounds, sliced_steps, warm_up_steps

CLIENTS = 50
WITHOUT, WHOLE = GROUPS = ("without", "whole")
ALONE = "alone"
SLOW_COMMIT_MS = 1.0  # as on the disk of a shop's PC


@dataclass(frozen=True, slots=True)
class WholePathScale:
    """How much is measured. The goals are for the defaults; tests use less."""

    rounds: int = 10
    round_s: float = 4.0
    alone_rounds: int = 5
    alone_round_s: float = 0.5
    idle_s: float = 2.0


def measure(engine: str, ledger_url: str, folder: Path, spools: int, scale: WholePathScale) -> WholePathResults:
    """The folder is that of the identity measurement: its keys are those of the ledger."""
    own_folder = folder / "identity"
    own_folder.mkdir(mode=0o700, exist_ok=True)
    clients = shop.load_clients(CLIENTS, spools)
    signed = prepare(ledger_url, own_folder, clients, 0).signed_in
    rounds = [
        (slices[WITHOUT], slices[WHOLE])
        for count in rounds_of_sets(scale.rounds)
        for slices in _rounds_of_a_set(ledger_url, folder, own_folder, clients, signed, count, scale.round_s)
    ]
    with running_server(own_folder, ledger_url, "embedded", access="pin") as server:
        start_cpu_s = cpu_seconds(server.pid)
        time.sleep(scale.idle_s)
        idle_mb = server.resident_mb()
        alone = _alone(engine, ledger_url, own_folder, server, signed[0], scale)
    return WholePathResults(
        results.action_results_of_rounds(CLIENTS, rounds),
        alone,
        _alone_with_slow_commits(ledger_url, own_folder, signed[0], scale) if engine == "postgres" else None,
        start_cpu_s=start_cpu_s,
        idle_mb=idle_mb,
    )


def _rounds_of_a_set(
    ledger_url: str,
    folder: Path,
    own_folder: Path,
    clients: Sequence[LoadClient],
    signed: Sequence[LoadClient],
    rounds: int,
    round_s: float,
) -> list[dict[str, list[StepResult]]]:
    """The empty POST is that of a server without identity and Redis, so that it has none of their cost. Both servers
    run all the time."""
    with (
        running_server(own_folder, ledger_url, "embedded", access="pin") as server,
        running_server(folder, ledger_url) as without,
    ):
        groups: list[LoadClient] = [{**client, "group": WITHOUT} for client in clients]
        groups += [{**client, "group": WHOLE, "port": server.port} for client in signed]
        kinds = {WITHOUT: EMPTY}
        warm_up = warm_up_steps(*GROUPS, kinds=kinds)
        steps = [*warm_up, *sliced_steps(GROUPS, rounds, round_s, kinds)]
        return sliced_rounds(GROUPS, send_load(without, groups, steps)[len(warm_up) :])


def _alone_with_slow_commits(
    ledger_url: str, folder: Path, client: LoadClient, scale: WholePathScale
) -> AloneResults | None:
    """A server of its own: its connections are made after the database was set to delay commits. The load before it
    left more dead rows than hours of one client would, and PostgreSQL would clear them up at this moment."""
    shop.vacuum(ledger_url)
    with delayed_commits(ledger_url, SLOW_COMMIT_MS) as delayed:
        if not delayed:
            return None
        with running_server(folder, ledger_url, "embedded", access="pin") as server:
            return _alone("postgres", ledger_url, folder, server, client, scale)


def _alone(
    engine: str, ledger_url: str, folder: Path, server: BenchServer, client: LoadClient, scale: WholePathScale
) -> AloneResults:
    """Rounds of one client's actions, each with bare commits right after it."""
    rounds: list[tuple[float, float]] = []
    with bare_commit(engine, ledger_url, folder) as commit:
        for _ in range(scale.alone_rounds):
            step: LoadStep = {"kind": ACTIONS, "path": "", "seconds": scale.alone_round_s, "group": ALONE}
            (sent,) = send_load(server, [{**client, "group": ALONE}], [step])
            rounds.append((_p50_ms(sent["latencies_us"]), _p50_ms(latencies_us(commit, scale.alone_round_s))))
    actions_ms, commits_ms = zip(*rounds, strict=True)
    return AloneResults(median(actions_ms), median(commits_ms), median(action / commit for action, commit in rounds))


def _p50_ms(latencies_us: Sequence[int]) -> float:
    return percentiles(latencies_us).p50_ms
