"""Draws panels of bars and curves as one SVG document for light and dark pages. It refers to no other file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

WIDTH = 1000
PANEL_W = 480
CURVES_H = 264
GAP = 13
HEAD_H = 64
_LABELS_W, _VALUES_W = 150, 108  # left and right of a bar
_BARS_Y = 66  # below the heading and the note of the panel
_BAR_STEP, _BAR_H = 30, 18  # from bar to bar, and the height of one
_STYLE = """
svg { font-family: system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
.paper { fill: #f4f6f8; } .card { fill: #ffffff; stroke: #d9dfe6; }
.title { font-size: 20px; font-weight: 650; fill: #17212b; } .head { font-size: 14px; font-weight: 650; fill: #17212b; }
.note { font-size: 11.5px; fill: #5b6875; } .label { font-size: 12px; fill: #2c3947; }
.value { font-size: 12px; font-weight: 600; fill: #17212b; }
.track { fill: #e9edf1; } .axis { stroke: #c8d0d8; stroke-width: 1; } .goal { stroke: #17212b; stroke-width: 2; }
.f0 { fill: #8b98a5; } .f1 { fill: #1f6fb2; } .f2 { fill: #c2570c; } .f3 { fill: #2c8a57; } .f4 { fill: #8547b8; }
.f5 { fill: #b3243f; } .f6 { fill: #0f7c86; } .f7 { fill: #7a6a12; }
.s1 { stroke: #1f6fb2; } .s2 { stroke: #c2570c; } .s3 { stroke: #2c8a57; } .s4 { stroke: #8547b8; }
.s5 { stroke: #b3243f; } .s6 { stroke: #0f7c86; } .s7 { stroke: #7a6a12; }
.curve { fill: none; stroke-width: 2.2; stroke-linejoin: round; } .dashed { stroke-dasharray: 6 4; }
@media (prefers-color-scheme: dark) {
.paper { fill: #0e141b; } .card { fill: #17202a; stroke: #2c3947; }
.title, .head, .value { fill: #eef2f6; } .note { fill: #9aa8b6; } .label { fill: #cdd7e1; }
.track { fill: #243140; } .axis { stroke: #3a4958; } .goal { stroke: #eef2f6; }
.f0 { fill: #7d8b99; } .f1 { fill: #58a6e8; } .f2 { fill: #f0944d; } .f3 { fill: #5cc08a; } .f4 { fill: #b98ae0; }
.f5 { fill: #ef6f86; } .f6 { fill: #4cc3ce; } .f7 { fill: #d4bd4a; }
.s1 { stroke: #58a6e8; } .s2 { stroke: #f0944d; } .s3 { stroke: #5cc08a; } .s4 { stroke: #b98ae0; }
.s5 { stroke: #ef6f86; } .s6 { stroke: #4cc3ce; } .s7 { stroke: #d4bd4a; }
}
"""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar made of parts side by side, each a value and a colour number; the goal is a mark across the bar."""

    label: str
    parts: Sequence[tuple[float, int]]
    value: str
    goal: float | None = None


@dataclass(frozen=True, slots=True)
class BarPanel:
    head: str
    note: str
    bars: Sequence[Bar]
    full: float  # the value of a bar that fills the whole width
    legend: Sequence[tuple[str, int]] = ()


@dataclass(frozen=True, slots=True)
class Curve:
    name: str
    ys: Sequence[float]
    colour: int
    dashed: bool


@dataclass(frozen=True, slots=True)
class CurvePanel:
    """Both axes are logarithmic, so a power law is a straight line."""

    head: str
    note: str
    xs: Sequence[int]
    curves: Sequence[Curve]
    legend: Sequence[tuple[str, int]]


Panel = BarPanel | CurvePanel


def svg_document(title: str, note: str, panels: Sequence[Panel]) -> str:
    """Two panels in each row; both are as high as the higher one needs."""
    rows = [panels[first : first + 2] for first in range(0, len(panels), 2)]
    heights = [max(_height(panel) for panel in row) for row in rows]
    height = HEAD_H + sum(heights) + GAP * (len(rows) + 1)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(title)}">',
        f"<style>{_STYLE}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{height}" rx="10"/>',
        _text(GAP + 4, 30, title, "title"),
        _text(GAP + 4, 50, note, "note"),
    ]
    y = HEAD_H
    for row, row_height in zip(rows, heights, strict=True):
        for column, panel in enumerate(row):
            x = GAP + column * (PANEL_W + GAP + 1)
            lines += [f'<g transform="translate({x} {y})">', *_panel(panel, row_height), "</g>"]
        y += row_height + GAP
    return "\n".join([*lines, "</svg>", ""])


def _height(panel: Panel) -> int:
    if isinstance(panel, CurvePanel):
        return CURVES_H
    return _BARS_Y + _BAR_STEP * len(panel.bars) + (26 if panel.legend else 2)


def _panel(panel: Panel, height: int) -> Iterator[str]:
    yield f'<rect class="card" width="{PANEL_W}" height="{height}" rx="8"/>'
    yield _text(16, 25, panel.head, "head")
    yield _text(16, 43, panel.note, "note")
    yield from _legend(panel.legend, height)
    yield from _bars(panel) if isinstance(panel, BarPanel) else _curves(panel)


def _legend(legend: Sequence[tuple[str, int]], height: int) -> Iterator[str]:
    x = 16.0
    for name, colour in legend:
        yield f'<rect class="f{colour}" x="{x:.0f}" y="{height - 23}" width="10" height="10" rx="2"/>'
        yield _text(x + 14, height - 14, name, "note")
        x += 28 + sum(8.4 if letter.isupper() else 6.2 for letter in name)


def _bars(panel: BarPanel) -> Iterator[str]:
    width = PANEL_W - _LABELS_W - _VALUES_W
    for index, bar in enumerate(panel.bars):
        y = _BARS_Y + index * _BAR_STEP
        text_y = y + _BAR_H / 2 + 4
        yield _text(_LABELS_W - 8, text_y, bar.label, "label", "end")
        yield f'<rect class="track" x="{_LABELS_W}" y="{y}" width="{width}" height="{_BAR_H}" rx="3"/>'
        x = float(_LABELS_W)
        for value, colour in bar.parts:
            part_width = min(width * value / panel.full, _LABELS_W + width - x)
            yield f'<rect class="f{colour}" x="{x:.1f}" y="{y}" width="{part_width:.1f}" height="{_BAR_H}" rx="2"/>'
            x += part_width
        if bar.goal is not None:
            goal_x = _LABELS_W + width * min(bar.goal / panel.full, 1.0)
            yield _line(goal_x, y - 3, goal_x, y + _BAR_H + 3, "goal")
        yield _text(_LABELS_W + width + 8, text_y, bar.value, "value")


def _curves(panel: CurvePanel) -> Iterator[str]:
    """The y axis spans all values, and at least from 0.5 to 2."""
    left, right, top, bottom = 44.0, PANEL_W - 18.0, 58.0, CURVES_H - 52.0
    least = min(0.5, *(min(curve.ys) for curve in panel.curves))
    most = max(2.0, *(max(curve.ys) for curve in panel.curves))

    def to_svg_x(x: float) -> float:
        first, last = math.log(panel.xs[0]), math.log(panel.xs[-1])
        return left + (math.log(x) - first) / (last - first) * (right - left)

    def to_svg_y(y: float) -> float:
        return bottom - (math.log(y) - math.log(least)) / (math.log(most) - math.log(least)) * (bottom - top)

    for tick in _ticks(least, most):
        yield _line(left, to_svg_y(tick), right, to_svg_y(tick), "axis")
        yield _text(left - 6, to_svg_y(tick) + 4, f"{tick:g}×", "note", "end")
    for x in panel.xs:
        anchor = {panel.xs[0]: "start", panel.xs[-1]: "end"}.get(x, "middle")
        yield _text(to_svg_x(x), bottom + 17, f"{x:,}", "note", anchor)
    for curve in panel.curves:
        points = " ".join(f"{to_svg_x(x):.1f},{to_svg_y(y):.1f}" for x, y in zip(panel.xs, curve.ys, strict=True))
        css_class = f"curve s{curve.colour}{' dashed' if curve.dashed else ''}"
        yield f'<polyline class="{css_class}" points="{points}"><title>{escape(curve.name)}</title></polyline>'


def _ticks(least: float, most: float) -> list[float]:
    """Powers of two, or powers of ten if there are more than six powers of two."""
    twos = [2.0**n for n in range(-4, 20) if least <= 2.0**n <= most]
    tens = [10.0**n for n in range(-2, 7) if least <= 10.0**n <= most]
    return twos if len(twos) <= 6 else tens


def _line(x: float, y: float, to_x: float, to_y: float, css_class: str) -> str:
    return f'<line class="{css_class}" x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"/>'


def _text(x: float, y: float, text: str, css_class: str, anchor: str = "start") -> str:
    return f'<text class="{css_class}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
