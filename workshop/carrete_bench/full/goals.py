"""What was wanted of the whole, beside what was measured: reached or not, said as it is."""

from __future__ import annotations

from collections.abc import Iterator

from carrete_bench.full.figures import Growth, Outage, Scaling, Shift
from carrete_bench.full.report import FullReport
from carrete_bench.goals import Goal
from carrete_bench.goals import goals as goals_of_engine

FLAT_MAX = 1.5  # of the cost at the smallest size
OF_ONE_MIN = {"postgres": 1.1}  # no goal for SQLite: it has one writer at a time, however many processes
SHIFT_P95_MS_MAX = 300.0
DEAD_RATIO_MIN = 0.9


def goals(report: FullReport) -> list[Goal]:
    found = [goal for engine in report.engines for goal in goals_of_engine(engine)]
    found += [goal for one in report.growth for goal in _flat(one)]
    found += [goal for one in report.scaling for goal in _of_one(one)]
    found += [goal for one in report.shifts for goal in _shift(one)]
    return [*found, *_outage(report.outage)]


def _flat(growth: Growth) -> Iterator[Goal]:
    smallest, largest = growth.sizes[0].count, growth.sizes[-1].count
    for name in growth.names():
        measured = growth.of_smallest(name)[-1]
        what = f"{name}: cost at {largest:,} {growth.of}, of that at {smallest:,}"
        yield Goal(growth.engine, what, f"≤ {FLAT_MAX:g}", measured, measured <= FLAT_MAX)


def _of_one(scaling: Scaling) -> Iterator[Goal]:
    least = OF_ONE_MIN.get(scaling.engine)
    for one in scaling.processes:
        if least is not None and one.count > 1:
            what = f"actions of {scaling.clients} clients by {one.count} processes, of the rate of one"
            yield Goal(scaling.engine, what, f"≥ {least:g}", one.of_one, one.of_one >= least)


def _shift(shift: Shift) -> Iterator[Goal]:
    p95 = shift.iniciar.p95_ms
    what = f"{shift.per_minute} workers a minute begin: p95 ms"
    yield Goal("shift", what, f"≤ {SHIFT_P95_MS_MAX:g}", p95, p95 <= SHIFT_P95_MS_MAX)
    what = f"{shift.per_minute} workers a minute begin: lost of {shift.workers}"
    yield Goal("shift", what, "0", shift.lost, shift.lost == 0)


def _outage(outage: Outage) -> Iterator[Goal]:
    what = "actions after Redis died, of those without Redis"
    yield Goal("Redis", what, f"≥ {DEAD_RATIO_MIN:g}", outage.dead_ratio, outage.dead_ratio >= DEAD_RATIO_MIN)
