"""What was wanted, beside what was measured: reached or not, said as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from carrete_bench import reports
from carrete_bench.figures import Engine

RATIO_MIN = {"sqlite": 0.5, "postgres": 0.25}
CLIENTS = 50
LIST_P95_MS_MAX = 15.0
FINALIZAR_RATIO_MAX = 2.0
FINALIZAR_P95_MS_MAX = 50.0
IMPORT_S_MAX = 6.0
IDLE_MB_MAX = 120.0


@dataclass(frozen=True, slots=True)
class Goal:
    engine: str
    what: str
    wanted: str
    measured: float
    reached: bool


def goals(engine: Engine) -> list[Goal]:
    work = (*_ratios(engine), *_lists(engine), *_by_joint(engine))
    return [*work, *_import(engine), *_idle(engine), *_reports(engine)]


def _ratios(engine: Engine) -> Iterator[Goal]:
    least = RATIO_MIN[engine.name]
    for gate, measured in (("", engine.actions), (" with Redis", engine.gated)):
        for one in measured:
            if one.clients == CLIENTS:
                what = f"actions{gate} at {CLIENTS} clients, of the empty POST's rate"
                yield Goal(engine.name, what, f"≥ {least}", one.ratio, one.ratio >= least)


def _lists(engine: Engine) -> Iterator[Goal]:
    for one in engine.lists:
        p95 = one.latency.p95_ms
        what = f"list, {one.what}, of {engine.spools:,}: p95 ms"
        yield Goal(engine.name, what, f"≤ {LIST_P95_MS_MAX:g}", p95, p95 <= LIST_P95_MS_MAX)


def _by_joint(engine: Engine) -> Iterator[Goal]:
    done = engine.by_joint
    what = f"FINALIZAR of {done.few} joints: p95, of TOMAR's"
    yield Goal(engine.name, what, f"≤ {FINALIZAR_RATIO_MAX:g}", done.ratio, done.ratio <= FINALIZAR_RATIO_MAX)
    what, p95 = f"FINALIZAR of {done.many} joints: p95 ms", done.finalizar_many.p95_ms
    yield Goal(engine.name, what, f"≤ {FINALIZAR_P95_MS_MAX:g}", p95, p95 <= FINALIZAR_P95_MS_MAX)


def _import(engine: Engine) -> Iterator[Goal]:
    done = engine.workbook
    what = f"import of {done.spools:,} spools and {done.joints:,} joints: s"
    yield Goal(engine.name, what, f"≤ {IMPORT_S_MAX:g}", done.seconds, done.seconds <= IMPORT_S_MAX)


def _idle(engine: Engine) -> Iterator[Goal]:
    if engine.idle_mb is not None:
        what = f"resident memory of an idle server, {engine.spools:,} spools: MB"
        yield Goal(engine.name, what, f"≤ {IDLE_MB_MAX:g}", engine.idle_mb, engine.idle_mb <= IDLE_MB_MAX)


def _reports(engine: Engine) -> Iterator[Goal]:
    if engine.reports is not None:
        for what, most, measured in reports.lines(engine.reports):
            yield Goal(engine.name, what, f"≤ {most:g}", measured, measured <= most)
