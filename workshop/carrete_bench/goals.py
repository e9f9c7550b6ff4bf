"""The goals of one engine, each with the figure that was measured for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from carrete_bench import reports
from carrete_bench.results import EngineResults

RATIO_MIN = {"sqlite": 0.6, "postgres": 0.45}
CLIENTS = 50
LIST_P95_MS_MAX = 15.0
FINALIZAR_RATIO_MAX = 2.0
FINALIZAR_P95_MS_MAX = 50.0
IMPORT_S_MAX = 6.0
IDLE_MB_MAX = 90.0
START_CPU_S_MAX = 1.0
ALONE_COMMITS_MAX = 2.5  # on PostgreSQL; SQLite's bare commit has no other process to wake
IDENTITY_RATIO_MIN = 0.95
CHAIN_RATIO_MIN = 0.97
SIGN_INS_RATIO_MAX = 2.0
WRONG_PIN_DIFFERENCE_MAX = 0.1


@dataclass(frozen=True, slots=True)
class Goal:
    engine: str
    what: str
    wanted: str
    measured: float
    reached: bool


def at_least(engine: str, what: str, least: float, measured: float) -> Goal:
    return Goal(engine, what, f"≥ {least:g}", measured, measured >= least)


def at_most(engine: str, what: str, most: float, measured: float) -> Goal:
    return Goal(engine, what, f"≤ {most:g}", measured, measured <= most)


def goals(engine: EngineResults) -> list[Goal]:
    actions = (*_action_ratios(engine), *_lists(engine), *_finalizar(engine))
    small = (*_import(engine), *_idle_memory(engine), *_reports(engine))
    return [*actions, *small, *_identity(engine), *_chain(engine), *_whole_path(engine)]


def _action_ratios(engine: EngineResults) -> Iterator[Goal]:
    for gate, results in (("", engine.actions), (" with Redis", engine.gated)):
        for result in results:
            if result.clients == CLIENTS:
                what = f"actions{gate} at {CLIENTS} clients, of the empty POST's rate"
                yield at_least(engine.name, what, RATIO_MIN[engine.name], result.ratio)


def _lists(engine: EngineResults) -> Iterator[Goal]:
    for read in engine.lists:
        what = f"list, {read.what}, of {engine.spools:,}: p95 ms"
        yield at_most(engine.name, what, LIST_P95_MS_MAX, read.latency.p95_ms)


def _finalizar(engine: EngineResults) -> Iterator[Goal]:
    latency = engine.by_joint
    what = f"FINALIZAR of {latency.few} joints: p95, of TOMAR's"
    yield at_most(engine.name, what, FINALIZAR_RATIO_MAX, latency.ratio)
    what = f"FINALIZAR of {latency.many} joints: p95 ms"
    yield at_most(engine.name, what, FINALIZAR_P95_MS_MAX, latency.finalizar_many.p95_ms)


def _import(engine: EngineResults) -> Iterator[Goal]:
    imported = engine.workbook
    what = f"import of {imported.spools:,} spools and {imported.joints:,} joints: s"
    yield at_most(engine.name, what, IMPORT_S_MAX, imported.seconds)


def _idle_memory(engine: EngineResults) -> Iterator[Goal]:
    if engine.idle_mb is not None:
        what = f"resident memory of an idle server, {engine.spools:,} spools: MB"
        yield at_most(engine.name, what, IDLE_MB_MAX, engine.idle_mb)


def _reports(engine: EngineResults) -> Iterator[Goal]:
    if engine.reports is not None:
        for what, most, measured in reports.goal_lines(engine.reports):
            yield at_most(engine.name, what, most, measured)


def _chain(engine: EngineResults) -> Iterator[Goal]:
    if (measured := engine.chain) is not None:
        what = f"actions with the chain of hashes, at {measured.clients} clients, of the rate without"
        yield at_least(engine.name, what, CHAIN_RATIO_MIN, measured.ratio)


def _whole_path(engine: EngineResults) -> Iterator[Goal]:
    if (measured := engine.whole) is None:
        return
    what = (
        f"signed actions with identity, chain and gate at {measured.actions.clients} clients, of the empty POST's rate"
    )
    yield at_least(engine.name, what, RATIO_MIN[engine.name], measured.actions.ratio)
    if (alone := measured.alone_at_1_ms) is not None:
        what = f"one client alone, with all of these: p50, in bare commits of {alone.commit_p50_ms:.2g} ms"
        yield at_most(engine.name, what, ALONE_COMMITS_MAX, alone.commits)
    if measured.start_cpu_s is not None:
        what = "start of the server with all of these: s of the processor"
        yield at_most(engine.name, what, START_CPU_S_MAX, measured.start_cpu_s)
    if measured.idle_mb is not None:
        what = "resident memory of an idle server with all of these: MB"
        yield at_most(engine.name, what, IDLE_MB_MAX, measured.idle_mb)


def _identity(engine: EngineResults) -> Iterator[Goal]:
    if (measured := engine.identity) is None:
        return
    for how, ratio in (("by cookie", measured.cookie_ratio), ("signed", measured.signed_ratio)):
        what = f"actions with identity, {how}, at {measured.clients} clients, of the rate without"
        yield at_least(engine.name, what, IDENTITY_RATIO_MIN, ratio)
    what = f"taps while {measured.sign_ins} people sign in at once: p95, of that without"
    yield at_most(engine.name, what, SIGN_INS_RATIO_MAX, measured.taps_p95_ratio)
    attempts = measured.wrong_pins
    for who, ratio in (
        ("an unknown person", attempts.unknown_ratio),
        ("an unknown badge", attempts.unknown_badge_ratio),
    ):
        what = f"wrong PIN of {who}: difference in time from a known one's"
        yield at_most(engine.name, what, WRONG_PIN_DIFFERENCE_MAX, abs(ratio - 1))
