"""`carrete bench all`: runs every measurement, one after the other."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from carrete_bench import engines, verifying
from carrete_bench.full import goals, growth, outage, scaling, sections, shift, yardsticks
from carrete_bench.full.growth import GrowthScale
from carrete_bench.full.outage import OutageScale
from carrete_bench.full.report import FullReport
from carrete_bench.full.results import CostGrowth, ScalingResults, YardstickResults
from carrete_bench.full.scaling import ProcessScale
from carrete_bench.full.sections import SectionScale
from carrete_bench.full.shift import ShiftScale
from carrete_bench.full.yardsticks import YardstickScale
from carrete_bench.gate import measure as gate
from carrete_bench.gate.measure import GateScale
from carrete_bench.identity import IdentityScale
from carrete_bench.live import measure as live
from carrete_bench.live.measure import LiveScale
from carrete_bench.measure import EngineScale
from carrete_bench.postgres import PostgresAddress, fresh_database, postgres_to_measure
from carrete_bench.progress import ShowProgress
from carrete_bench.report import this_machine
from carrete_bench.results import EngineResults
from carrete_bench.verifying import VerifyingResults
from carrete_bench.whole_path import WholePathScale

T = TypeVar("T")
ROUNDS_MIN = 3


@dataclass(frozen=True, slots=True)
class FullScale:
    """How much is measured of each part. The goals are for the default sizes; tests use less."""

    engines: EngineScale = field(default_factory=EngineScale)
    yardsticks: YardstickScale = field(default_factory=YardstickScale)
    growth: GrowthScale = field(default_factory=GrowthScale)
    processes: ProcessScale = field(default_factory=ProcessScale)
    shift: ShiftScale = field(default_factory=ShiftScale)
    outage: OutageScale = field(default_factory=OutageScale)
    gate: GateScale = field(default_factory=GateScale)
    live: LiveScale = field(default_factory=LiveScale)
    sections: SectionScale = field(default_factory=SectionScale)


def scale_for(seconds: float) -> FullScale:
    """`seconds` is for each kind of request. The sizes of ledgers and crowds, and the rounds of identity, chain and
    whole path, do not depend on it."""
    return FullScale(
        engines=EngineScale(
            seconds=seconds,
            identity=IdentityScale(sign_in_rounds=3),
            whole=WholePathScale(alone_round_s=min(0.5, seconds / 2)),
        ),
        yardsticks=YardstickScale(rounds=_rounds(seconds, 0.5)),
        growth=GrowthScale(rounds=_rounds(seconds, 0.8)),
        processes=ProcessScale(rounds=_rounds(seconds, 0.8)),
        outage=OutageScale(rounds=_rounds(seconds, 0.8)),
        gate=GateScale(seconds=seconds / 2),
    )


def _rounds(seconds: float, round_s: float) -> int:
    return max(ROUNDS_MIN, round(seconds / round_s))


@dataclass(slots=True)
class _EngineParts:
    """The results that exist for each engine."""

    engines: list[EngineResults] = field(default_factory=list)
    yardsticks: list[YardstickResults] = field(default_factory=list)
    growth: list[CostGrowth] = field(default_factory=list)
    scaling: list[ScalingResults] = field(default_factory=list)
    verifying: list[VerifyingResults] = field(default_factory=list)


def run(scale: FullScale, postgres_url: str, progress: ShowProgress) -> FullReport:
    start, at, machine = time.monotonic(), datetime.now(UTC), this_machine()
    # Gate and live fail on a machine that is too busy. They come first, so that they fail at once, not after minutes.
    gate_report = gate.run(scale.gate, progress)
    live_report = live.run(scale.live, progress)
    parts = _EngineParts()
    parts.engines.append(engines.measure_sqlite(scale.engines, progress))
    _measure_parts(parts, "sqlite", None, scale, progress)
    with postgres_to_measure(postgres_url) as postgres:
        if postgres:
            parts.engines.append(engines.measure_postgres(postgres, scale.engines, progress))
            _measure_parts(parts, "postgres", postgres, scale, progress)
        section_results = sections.measure(scale.sections, postgres.url if postgres else None, progress)
    progress("the start of a shift")
    shifts = _in_a_folder(lambda folder: shift.measure(f"sqlite:///{folder / 'shop.db'}", folder, scale.shift))
    progress("Redis up, off, killed")
    outage_results = _in_a_folder(lambda folder: outage.measure(folder, scale.outage))
    report = FullReport(
        at=at,
        machine=machine,
        took_s=time.monotonic() - start,
        engines=parts.engines,
        yardsticks=parts.yardsticks,
        growth=parts.growth,
        scaling=parts.scaling,
        shifts=shifts,
        outage=outage_results,
        gate=gate_report.gate,
        watched=[live_report.alone, live_report.crowd],
        goals=[],
        not_measured=gate_report.not_measured if postgres else [engines.NO_POSTGRES, *gate_report.not_measured],
        verifying=parts.verifying,
        sections=section_results,
    )
    report.goals.extend([*goals.goals(report), *gate_report.goals, *live_report.goals])
    return report


def _measure_parts(
    parts: _EngineParts, name: str, postgres: PostgresAddress | None, scale: FullScale, progress: ShowProgress
) -> None:
    progress(f"{name}: actions compared with bare Redis and bare commits")
    with _empty_ledger(postgres) as (url, folder):
        parts.yardsticks.append(yardsticks.measure(name, url, folder, scale.yardsticks))
    progress(f"{name}: how cost grows to {scale.growth.spools[-1]:,} spools and {scale.growth.events[-1]:,} events")
    with _empty_ledger(postgres) as (url, folder):
        parts.growth += growth.measure(name, url, folder, scale.growth)
    progress(f"{name}: verifying {scale.sections.verifying.events:,} events")
    with _empty_ledger(postgres) as (url, folder):
        parts.verifying.append(verifying.measure(name, url, folder, scale.sections.verifying))
    progress(f"{name}: {', '.join(map(str, scale.processes.counts))} processes")
    parts.scaling.extend(_in_a_folder(lambda folder: scaling.measure(name, postgres, folder, scale.processes)))


@contextmanager
def _empty_ledger(postgres: PostgresAddress | None) -> Iterator[tuple[str, Path]]:
    """The address of an empty ledger, and a temporary folder. The ledger is SQLite where PostgreSQL is None."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="carrete-bench-")))
        if postgres is None:
            yield f"sqlite:///{folder / 'shop.db'}", folder
        else:
            yield stack.enter_context(fresh_database(postgres.url, "full")), folder


def _in_a_folder(work: Callable[[Path], T]) -> T:
    with tempfile.TemporaryDirectory(prefix="carrete-bench-") as name:
        return work(Path(name))
