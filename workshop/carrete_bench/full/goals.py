"""The goals of `carrete bench all`, each with the figure that was measured for it."""

from __future__ import annotations

from collections.abc import Iterator

from carrete_bench.full.growth import STAGE_TIMES
from carrete_bench.full.report import FullReport
from carrete_bench.full.results import CostGrowth, OutageResults, ScalingResults, ShiftResults
from carrete_bench.full.sections import verifying_goals
from carrete_bench.goals import Goal, at_least, at_most
from carrete_bench.goals import goals as engine_goals

FLAT_MAX = 1.5  # the cost at the largest size, divided by the cost at the smallest
OF_ONE_MIN = {"postgres": 1.1}  # no goal for SQLite: only one of its processes can write at a time
SHIFT_P95_MS_MAX = 300.0
DEAD_RATIO_MIN = 0.9
READ_P50_MS_MAX = 50.0  # lists, board, history, overdue and stage times, with the most events
WITHOUT_P50_GOAL = frozenset({"TOMAR and PAUSAR"})


def goals(report: FullReport) -> list[Goal]:
    found = [goal for engine in report.engines for goal in engine_goals(engine)]
    found += [goal for growth in report.growth for goal in _growth(growth)]
    found += [goal for scaling in report.scaling for goal in _scaling(scaling)]
    found += [goal for shift in report.shifts for goal in _shift(shift)]
    found += [*_outage(report.outage), *verifying_goals(report.verifying)]
    return [*found, *(report.sections.goals if report.sections else ())]


def _growth(growth: CostGrowth) -> Iterator[Goal]:
    smallest, largest = growth.sizes[0].count, growth.sizes[-1].count
    for cost in growth.sizes[-1].costs if growth.of == "events" else ():
        if cost.what not in WITHOUT_P50_GOAL:
            what = f"{cost.what} with {largest:,} events: p50 ms"
            yield at_most(growth.engine, what, READ_P50_MS_MAX, cost.p50_ms)
    for call in growth.call_names():
        if call == STAGE_TIMES:  # a month of more events has more to add up
            continue
        what = f"{call}: cost at {largest:,} {growth.of}, of that at {smallest:,}"
        yield at_most(growth.engine, what, FLAT_MAX, growth.of_smallest(call)[-1])


def _scaling(scaling: ScalingResults) -> Iterator[Goal]:
    least = OF_ONE_MIN.get(scaling.engine)
    for result in scaling.processes:
        if least is not None and result.count > 1:
            what = f"actions of {scaling.clients} clients by {result.count} processes, of the rate of one"
            yield at_least(scaling.engine, what, least, result.of_one)


def _shift(shift: ShiftResults) -> Iterator[Goal]:
    what = f"{shift.per_minute} workers a minute begin: p95 ms"
    yield at_most("shift", what, SHIFT_P95_MS_MAX, shift.iniciar.p95_ms)
    what = f"{shift.per_minute} workers a minute begin: lost of {shift.workers}"
    yield Goal("shift", what, "0", shift.lost, shift.lost == 0)


def _outage(outage: OutageResults) -> Iterator[Goal]:
    what = "actions after Redis died, of those without Redis"
    yield at_least("Redis", what, DEAD_RATIO_MIN, outage.dead_ratio)
