"""Measures one engine: memory of an idle server, actions and the empty POST, lists, FINALIZAR, identity, the import,
reports."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from carrete_bench import chain, identity, joint_sessions, reports, results, shop, whole_path, workbook
from carrete_bench.load import ACTIONS, EMPTY, LoadStep
from carrete_bench.processes import BenchServer, measure_reads, running_server, send_load
from carrete_bench.progress import ShowProgress
from carrete_bench.results import ActionResults, EngineResults

CLIENTS = (1, 50)
ROUND_S_MAX = 0.5  # rounds are short, so that other work on the machine slows both kinds of request alike
ROUNDS_MIN = 3
GATED_ENGINE = "sqlite"  # one engine is enough: the cost of the gate does not depend on the ledger

_LISTS = {
    "100 of all": "/api/spools",
    "100 that one worker may take": "/api/spools?accion=TOMAR&operacion=ARM&worker_id=7",
    "100 found by text": "/api/spools?q=25",
    "few found by text": "/api/spools?q=cw-25123-0",
}


@dataclass(frozen=True, slots=True)
class EngineScale:
    """How much is measured. The goals are for the defaults; tests use less."""

    seconds: float = 10.0  # for each of the two kinds of request, at each number of clients
    spools: int = 20_000
    idle_s: float = 2.0
    list_s: float = 3.0
    spools_of_few: int = 300  # spools with few joints; each has two sessions, ARM and SOLD
    spools_of_many: int = 30
    workbook_spools: int = 2_000
    joints_each: int = 10
    reports: reports.ReportScale = field(default_factory=reports.ReportScale)
    identity: identity.IdentityScale = field(default_factory=identity.IdentityScale)
    chain: chain.ChainScale = field(default_factory=chain.ChainScale)
    whole: whole_path.WholePathScale = field(default_factory=whole_path.WholePathScale)


@dataclass(frozen=True, slots=True)
class LedgerUrls:
    """Two empty ledgers: one for the requests, one for the import."""

    shop: str
    workbook: str


def measure(name: str, ledgers: LedgerUrls, folder: Path, scale: EngineScale, progress: ShowProgress) -> EngineResults:
    progress(f"{name}: filling a ledger with {scale.spools:,} spools")
    shop.fill(ledgers.shop, scale.spools)
    with running_server(folder, ledgers.shop) as server:
        progress(f"{name}: an idle server")
        time.sleep(scale.idle_s)
        idle_mb = server.resident_mb()
        actions = [_measure_actions(name, server, clients, scale, progress) for clients in CLIENTS]
        progress(f"{name}: lists")
        lists = measure_reads(server, shop.load_clients(1, scale.spools), _LISTS, scale.list_s)
        progress(f"{name}: joint by joint")
        finalizar = joint_sessions.measure(
            server, ledgers.shop, scale.spools_of_few, scale.spools_of_many, scale.spools
        )
    progress(f"{name}: actions with identity and without, and people who sign in at once")
    with_identity = identity.measure(ledgers.shop, folder, scale.spools, scale.identity)
    progress(f"{name}: actions with identity, chain and gate")
    whole = whole_path.measure(name, ledgers.shop, folder, scale.spools, scale.whole)
    gated = _measure_with_redis(name, ledgers, folder, scale, progress) if name == GATED_ENGINE else []
    progress(f"{name}: import of {scale.workbook_spools:,} spools")
    import_time = workbook.measure(ledgers.workbook, folder, scale.workbook_spools, scale.joints_each)
    progress(f"{name}: reports over a month of {scale.reports.events:,} events")
    report_latencies = reports.measure(ledgers.shop, folder, scale.reports)
    progress(f"{name}: actions with the chain of hashes and without")
    chained = chain.measure(ledgers.shop, folder, scale.spools, scale.chain)
    return EngineResults(
        name,
        scale.spools,
        idle_mb,
        actions,
        lists,
        finalizar,
        import_time,
        gated,
        report_latencies,
        with_identity,
        chained,
        whole,
    )


def _measure_with_redis(
    name: str, ledgers: LedgerUrls, folder: Path, scale: EngineScale, progress: ShowProgress
) -> list[ActionResults]:
    """The actions again, with the embedded Redis that `carrete serve` uses by default."""
    with running_server(folder, ledgers.shop, "embedded") as server:
        return [_measure_actions(f"{name} with Redis", server, clients, scale, progress) for clients in CLIENTS]


def _measure_actions(
    name: str, server: BenchServer, clients: int, scale: EngineScale, progress: ShowProgress
) -> ActionResults:
    progress(f"{name}: actions and empty POSTs, {clients} at a time")
    rounds = max(ROUNDS_MIN, round(scale.seconds / ROUND_S_MAX))
    steps: list[LoadStep] = [{"kind": kind, "path": "", "seconds": scale.seconds / rounds} for kind in (EMPTY, ACTIONS)]
    step_results = send_load(server, shop.load_clients(clients, scale.spools), steps * (rounds + 1))
    return results.action_results(clients, step_results[2:])  # the first round only warms up
