"""The whole run as one picture: a panel for each part, every bar and line a ratio or beside its yardstick."""

from __future__ import annotations

from collections.abc import Iterator

from carrete_bench.figures import Engine
from carrete_bench.full.figures import Growth, Outage, Scaling, Shift, Yardsticks
from carrete_bench.full.goals import DEAD_RATIO_MIN, SHIFT_P95_MS_MAX
from carrete_bench.full.report import FullReport, busy_share
from carrete_bench.full.svg import Bar, Bars, Curve, Curves, Panel, picture
from carrete_bench.goals import CLIENTS, RATIO_MIN
from carrete_bench.live.measure import REACHED_P99_MS_MAX, Watched

_GREY, _BLUE, _ORANGE, _GREEN, _PURPLE = range(5)
_NAMES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
_COLOURS = {"sqlite": _BLUE, "postgres": _ORANGE}


def chart(report: FullReport) -> str:
    machine = report.machine
    note = (
        f"{report.at:%d %B %Y} · {machine.cores} cores for servers, databases and load · Python {machine.python} · "
        f"load {machine.load:.1f} at the start · a mark across a bar is its goal"
    )
    return picture("Carrete, measured in one run", note, list(_panels(report)))


def _panels(report: FullReport) -> Iterator[Panel]:
    yield _actions(report.engines)
    yield _yardsticks(report.yardsticks)
    for of in ("spools", "events"):
        yield _growth([growth for growth in report.growth if growth.of == of])
    yield _processes(report.scaling, report.machine.cores)
    yield _shifts(report.shifts)
    yield _outage(report.outage)
    yield _viewers(report.watched)


def _actions(engines: list[Engine]) -> Bars:
    bars = [Bar("empty POST", [(1.0, _GREY)], "1")]
    for engine in engines:
        for gate, measured in (("", engine.actions), (" + Redis", engine.gated)):
            for one in measured:
                if one.clients == CLIENTS:
                    label, part = f"{_NAMES[engine.name]}{gate}", (one.ratio, _COLOURS[engine.name])
                    bars.append(Bar(label, [part], f"{one.ratio:.2f}", RATIO_MIN[engine.name]))
    note = "TOMAR and PAUSAR, of the empty POST's rate in the same rounds; 50 clients"
    return Bars("Actions beside the empty POST", note, bars, full=1.0)


def _yardsticks(measured: list[Yardsticks]) -> Bars:
    bars = []
    for one in measured:
        for beside in one.besides[1:]:
            label, _, _ = beside.what.partition(":")
            bars.append(Bar(label, [(beside.actions_ratio, _COLOURS[one.engine])], f"{beside.actions_ratio:.2f}"))
    note = "actions at 50 clients, of bare lock pairs (50 at once), bare commits (1 by 1)"
    full = max(1.0, *(beside.actions_ratio for one in measured for beside in one.besides[1:]))
    legend = [(_NAMES[one.engine], _COLOURS[one.engine]) for one in measured]
    return Bars("Actions beside what they are made of", note, bars, full, legend)


def _growth(grown: list[Growth]) -> Curves:
    names, of = grown[0].names(), grown[0].of
    curves = [
        Curve(f"{_NAMES[one.engine]}: {name}", one.of_smallest(name), place + 1, dashed=one.engine == "postgres")
        for one in grown
        for place, name in enumerate(names)
    ]
    legend = [(name.replace("TOMAR and PAUSAR", "action"), place + 1) for place, name in enumerate(names)]
    note = f"cost of one call by {of}, of the smallest; solid SQLite, dashed PostgreSQL"
    return Curves(f"How cost grows with {of}", note, [size.count for size in grown[0].sizes], curves, legend)


def _processes(scaling: list[Scaling], cores: int) -> Bars:
    colours = {"API": _BLUE, "PostgreSQL": _ORANGE, "Redis": _PURPLE, "load": _GREY}
    bars = []
    for engine in scaling:
        for one in engine.processes:
            whole = one.cpu.wall_s * cores
            parts = [(seconds / whole, colours[name]) for name, seconds in one.cpu.shares]
            value = f"{one.of_one:.2f}× · {busy_share(one.cpu, cores):.0%}"
            bars.append(Bar(f"{_NAMES[engine.engine]}, {one.count} · {engine.clients}", parts, value))
    note = "processes · clients; bars: all cores' time; right: rate of one's, cores in use"
    return Bars("One, two, four processes", note, bars, 1.0, [*colours.items()])


def _shifts(shifts: list[Shift]) -> Bars:
    bars = []
    for one in shifts:
        p95, empty = one.iniciar.p95_ms, one.empty.p95_ms
        bars.append(Bar(f"{one.per_minute} a minute", [(p95, _GREEN)], f"{p95:.0f} ms", SHIFT_P95_MS_MAX))
        bars.append(Bar("empty POST", [(empty, _GREY)], f"{empty:.0f} ms"))
    lost, came = sum(one.lost for one in shifts), sum(one.workers for one in shifts)
    note = f"INICIAR: p95 from a new connection to the answer; {lost} lost of {came}"
    full = max(SHIFT_P95_MS_MAX, *(one.iniciar.p95_ms for one in shifts)) * 1.05
    return Bars("A shift starts", note, bars, full)


def _outage(outage: Outage) -> Bars:
    bars = [
        Bar("Redis off", [(1.0, _GREY)], "1"),
        Bar("Redis up", [(outage.up_ratio, _BLUE)], f"{outage.up_ratio:.2f}"),
        Bar("Redis dead", [(outage.dead_ratio, _PURPLE)], f"{outage.dead_ratio:.2f}", DEAD_RATIO_MIN),
    ]
    note = f"actions' rate; killed under load: nothing refused, longest answer {outage.killed_max_ms:.0f} ms"
    return Bars("Redis up, off, dead", note, bars, full=max(1.0, outage.up_ratio, outage.dead_ratio))


def _viewers(watched: list[Watched]) -> Bars:
    bars = [
        Bar(
            f"{one.viewers:,} viewer{'s' if one.viewers > 1 else ''}",
            [(one.reached.p99_ms, colour)],
            f"{one.reached.p99_ms:.0f} ms",
            REACHED_P99_MS_MAX,
        )
        for one, colour in zip(watched, (_GREY, _GREEN), strict=True)
    ]
    note = "from the tap until the event was at each viewer: p99"
    return Bars("A thousand who watch", note, bars, full=max(REACHED_P99_MS_MAX, watched[-1].reached.p99_ms) * 1.05)
