"""The chart of `carrete bench all`, with one panel for each part. Figures are ratios or stand by their yardstick."""

from __future__ import annotations

from collections.abc import Iterator

from carrete_bench.full.goals import DEAD_RATIO_MIN, SHIFT_P95_MS_MAX
from carrete_bench.full.report import FullReport, busy_share
from carrete_bench.full.results import (
    CostGrowth,
    OutageResults,
    ScalingResults,
    ShiftResults,
    YardstickResults,
)
from carrete_bench.full.svg import Bar, BarPanel, Curve, CurvePanel, Panel, svg_document
from carrete_bench.goals import CLIENTS, RATIO_MIN
from carrete_bench.live.measure import REACHED_P99_MS_MAX, ViewerResults
from carrete_bench.results import EngineResults

_GREY, _BLUE, _ORANGE, _GREEN, _PURPLE = range(5)
_NAMES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
_COLOURS = {"sqlite": _BLUE, "postgres": _ORANGE}


def chart(report: FullReport) -> str:
    machine = report.machine
    note = (
        f"{report.at:%d %B %Y} · {machine.cores} cores for servers, databases and load · Python {machine.python} · "
        f"load {machine.load:.1f} at the start · a mark across a bar is its goal"
    )
    return svg_document("Carrete, measured in one run", note, list(_panels(report)))


def _panels(report: FullReport) -> Iterator[Panel]:
    yield _actions(report.engines)
    yield _yardsticks(report.yardsticks)
    for of in ("spools", "events"):
        yield _growth([growth for growth in report.growth if growth.of == of])
    yield _scaling(report.scaling, report.machine.cores)
    yield _shifts(report.shifts)
    yield _outage(report.outage)
    yield _viewers(report.watched)


def _actions(engines: list[EngineResults]) -> BarPanel:
    bars = [Bar("empty POST", [(1.0, _GREY)], "1")]
    for engine in engines:
        for gate, results in (("", engine.actions), (" + Redis", engine.gated)):
            for result in results:
                if result.clients == CLIENTS:
                    label, part = f"{_NAMES[engine.name]}{gate}", (result.ratio, _COLOURS[engine.name])
                    bars.append(Bar(label, [part], f"{result.ratio:.2f}", RATIO_MIN[engine.name]))
    note = "TOMAR and PAUSAR, of the empty POST's rate in the same rounds; 50 clients"
    return BarPanel("Actions beside the empty POST", note, bars, full=1.0)


def _yardsticks(results: list[YardstickResults]) -> BarPanel:
    """Without the first yardstick, the empty POST, which has a panel of its own."""
    bars = []
    for result in results:
        for yardstick in result.besides[1:]:
            label, _, _ = yardstick.what.partition(":")
            ratio = yardstick.actions_ratio
            bars.append(Bar(label, [(ratio, _COLOURS[result.engine])], f"{ratio:.2f}"))
    note = "actions at 50 clients, of bare lock pairs (50 at once), bare commits (1 by 1)"
    full = max(1.0, *(yardstick.actions_ratio for result in results for yardstick in result.besides[1:]))
    legend = [(_NAMES[result.engine], _COLOURS[result.engine]) for result in results]
    return BarPanel("Actions beside what they are made of", note, bars, full, legend)


def _growth(by_engine: list[CostGrowth]) -> CurvePanel:
    calls, of = by_engine[0].call_names(), by_engine[0].of
    curves = [
        Curve(
            f"{_NAMES[growth.engine]}: {call}",
            growth.of_smallest(call),
            colour,
            dashed=growth.engine == "postgres",
        )
        for growth in by_engine
        for colour, call in enumerate(calls, 1)
    ]
    legend = [(call.replace("TOMAR and PAUSAR", "action"), colour) for colour, call in enumerate(calls, 1)]
    note = f"cost of one call by {of}, of the smallest; solid SQLite, dashed PostgreSQL"
    sizes = [size.count for size in by_engine[0].sizes]
    return CurvePanel(f"How cost grows with {of}", note, sizes, curves, legend)


def _scaling(scaling: list[ScalingResults], cores: int) -> BarPanel:
    colours = {"API": _BLUE, "PostgreSQL": _ORANGE, "Redis": _PURPLE, "load": _GREY}
    bars = []
    for engine in scaling:
        for result in engine.processes:
            available_s = result.cpu.wall_s * cores
            parts = [(seconds / available_s, colours[name]) for name, seconds in result.cpu.by_part]
            value = f"{result.of_one:.2f}× · {busy_share(result.cpu, cores):.0%}"
            bars.append(Bar(f"{_NAMES[engine.engine]}, {result.count} · {engine.clients}", parts, value))
    note = "processes · clients; bars: all cores' time; right: rate of one's, cores in use"
    return BarPanel("One, two, four processes", note, bars, 1.0, [*colours.items()])


def _shifts(shifts: list[ShiftResults]) -> BarPanel:
    bars = []
    for shift in shifts:
        p95_ms, empty_ms = shift.iniciar.p95_ms, shift.empty.p95_ms
        bars.append(Bar(f"{shift.per_minute} a minute", [(p95_ms, _GREEN)], f"{p95_ms:.0f} ms", SHIFT_P95_MS_MAX))
        bars.append(Bar("empty POST", [(empty_ms, _GREY)], f"{empty_ms:.0f} ms"))
    lost, workers = sum(shift.lost for shift in shifts), sum(shift.workers for shift in shifts)
    note = f"INICIAR: p95 from a new connection to the answer; {lost} lost of {workers}"
    full = max(SHIFT_P95_MS_MAX, *(shift.iniciar.p95_ms for shift in shifts)) * 1.05
    return BarPanel("A shift starts", note, bars, full)


def _outage(outage: OutageResults) -> BarPanel:
    bars = [
        Bar("Redis off", [(1.0, _GREY)], "1"),
        Bar("Redis up", [(outage.up_ratio, _BLUE)], f"{outage.up_ratio:.2f}"),
        Bar("Redis dead", [(outage.dead_ratio, _PURPLE)], f"{outage.dead_ratio:.2f}", DEAD_RATIO_MIN),
    ]
    note = f"actions' rate; killed under load: nothing refused, longest answer {outage.killed_max_ms:.0f} ms"
    return BarPanel("Redis up, off, dead", note, bars, full=max(1.0, outage.up_ratio, outage.dead_ratio))


def _viewers(results: list[ViewerResults]) -> BarPanel:
    bars = [
        Bar(
            f"{result.viewers:,} viewer{'s' if result.viewers > 1 else ''}",
            [(result.reached.p99_ms, colour)],
            f"{result.reached.p99_ms:.0f} ms",
            REACHED_P99_MS_MAX,
        )
        for result, colour in zip(results, (_GREY, _GREEN), strict=True)
    ]
    note = "from the tap until the event was at each viewer: p99"
    full = max(REACHED_P99_MS_MAX, results[-1].reached.p99_ms) * 1.05
    return BarPanel("A thousand who watch", note, bars, full)
