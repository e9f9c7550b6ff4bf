"""Measures everything, one part after the other, and nothing else at the same time."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from carrete_bench import engines, measure
from carrete_bench.figures import Engine
from carrete_bench.full import goals, growth, outage, processes, shift, yardsticks
from carrete_bench.full.figures import Growth, Scaling, Yardsticks
from carrete_bench.full.report import FullReport
from carrete_bench.gate import measure as gate
from carrete_bench.live import measure as live
from carrete_bench.measure import Say
from carrete_bench.postgres import Place, fresh_database, somewhere
from carrete_bench.report import this_machine

T = TypeVar("T")
ROUNDS_MIN = 3


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured of each part. The sizes are what the goals are about; a test takes less."""

    engines: measure.Extent = field(default_factory=measure.Extent)
    yardsticks: yardsticks.Extent = field(default_factory=yardsticks.Extent)
    growth: growth.Extent = field(default_factory=growth.Extent)
    processes: processes.Extent = field(default_factory=processes.Extent)
    shift: shift.Extent = field(default_factory=shift.Extent)
    outage: outage.Extent = field(default_factory=outage.Extent)
    gate: gate.Extent = field(default_factory=gate.Extent)
    live: live.Extent = field(default_factory=live.Extent)


def extent_of(seconds: float) -> Extent:
    """The effort in seconds for each kind of request; how large ledgers and crowds are does not depend on it."""
    return Extent(
        engines=measure.Extent(seconds=seconds),
        yardsticks=yardsticks.Extent(rounds=_rounds(seconds, 0.5)),
        growth=growth.Extent(rounds=_rounds(seconds, 0.8)),
        processes=processes.Extent(rounds=_rounds(seconds, 0.8)),
        outage=outage.Extent(rounds=_rounds(seconds, 0.8)),
        gate=gate.Extent(seconds=seconds / 2),
    )


def _rounds(seconds: float, each_s: float) -> int:
    return max(ROUNDS_MIN, round(seconds / each_s))


@dataclass(slots=True)
class _OfEach:
    """What is measured on each engine."""

    engines: list[Engine] = field(default_factory=list)
    yardsticks: list[Yardsticks] = field(default_factory=list)
    growth: list[Growth] = field(default_factory=list)
    scaling: list[Scaling] = field(default_factory=list)


def run(extent: Extent, postgres_url: str, say: Say) -> FullReport:
    begun, at, machine = time.monotonic(), datetime.now(UTC), this_machine()
    # What a busy machine cannot measure comes first, so that it is said at once and not after ten minutes.
    locks = gate.run(extent.gate, say)
    watched = live.run(extent.live, say)
    each = _OfEach()
    _on_sqlite(each, extent, say)
    with somewhere(postgres_url) as place:
        if place:
            _on_postgres(each, place, extent, say)
    say("a shift that starts")
    shifts = _in_a_folder(lambda folder: shift.measure(f"sqlite:///{folder / 'shop.db'}", folder, extent.shift))
    say("Redis up, off, killed")
    without_redis = _in_a_folder(lambda folder: outage.measure(folder, extent.outage))
    report = FullReport(
        at=at,
        machine=machine,
        took_s=time.monotonic() - begun,
        engines=each.engines,
        yardsticks=each.yardsticks,
        growth=each.growth,
        scaling=each.scaling,
        shifts=shifts,
        outage=without_redis,
        gate=locks.gate,
        watched=[watched.alone, watched.crowd],
        goals=[],
        not_measured=locks.not_measured if place else [engines.NO_POSTGRES, *locks.not_measured],
    )
    report.goals.extend([*goals.goals(report), *locks.goals, *watched.goals])
    return report


def _on_sqlite(each: _OfEach, extent: Extent, say: Say) -> None:
    each.engines.append(engines.on_sqlite(extent.engines, say))
    _of_each(each, "sqlite", None, extent, say)


def _on_postgres(each: _OfEach, place: Place, extent: Extent, say: Say) -> None:
    each.engines.append(engines.on_postgres(place, extent.engines, say))
    _of_each(each, "postgres", place, extent, say)


def _of_each(each: _OfEach, name: str, place: Place | None, extent: Extent, say: Say) -> None:
    say(f"{name}: beside bare Redis and bare commits")
    with _ledger(place) as (url, folder):
        each.yardsticks.append(yardsticks.measure(name, url, folder, extent.yardsticks))
    say(f"{name}: how cost grows to {extent.growth.spools[-1]:,} spools and {extent.growth.events[-1]:,} events")
    with _ledger(place) as (url, folder):
        each.growth += growth.measure(name, url, folder, extent.growth)
    say(f"{name}: {', '.join(map(str, extent.processes.counts))} processes")
    each.scaling.extend(_in_a_folder(lambda folder: processes.measure(name, place, folder, extent.processes)))


@contextmanager
def _ledger(place: Place | None) -> Iterator[tuple[str, Path]]:
    """An empty one of its own, and a folder."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="carrete-bench-")))
        if place is None:
            yield f"sqlite:///{folder / 'shop.db'}", folder
        else:
            yield stack.enter_context(fresh_database(place.url, "full")), folder


def _in_a_folder(work: Callable[[Path], T]) -> T:
    with tempfile.TemporaryDirectory(prefix="carrete-bench-") as name:
        return work(Path(name))
