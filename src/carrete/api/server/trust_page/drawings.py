"""The drawing of one step: a tablet, a window or a terminal with three lines, one of which is marked.

The text beside it says the same, so a screen reader skips it."""

from __future__ import annotations

from html import escape

from carrete.api.server.trust_page.guides import Frame, TrustStep

WIDTH, HEIGHT = 240, 160
_LINE_PX = 32
_FIRST_LINE_PX = 46


def drawing(step: TrustStep, frame: Frame) -> str:
    lines = "".join(_line(number, text, number == step.touched) for number, text in enumerate(step.shown))
    return (
        f'<svg class="drawing {frame}" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true" focusable="false">'
        f"{_FRAMES[frame]}"
        f'<text class="title" x="22" y="32">{escape(step.title)}</text>{lines}'
        f"{_hand(step.touched) if frame != 'terminal' else ''}</svg>"
    )


def _line(number: int, text: str, marked: bool) -> str:
    top = _FIRST_LINE_PX + number * _LINE_PX
    name = "line marked" if marked else "line"
    return (
        f'<rect class="{name}" x="18" y="{top}" width="204" height="{_LINE_PX - 5}" rx="5"/>'
        f'<text class="{name}" x="26" y="{top + 18}" xml:space="preserve">{escape(text)}</text>'
    )


def _hand(touched: int) -> str:
    """A finger or pointer on the line to touch."""
    middle = _FIRST_LINE_PX + touched * _LINE_PX + _LINE_PX // 2
    return (
        f'<circle class="ring" cx="206" cy="{middle}" r="13"/>'
        f'<path class="hand" d="M203 {middle + 20}v-18a3 3 0 0 1 6 0v8l7 2a4 4 0 0 1 3 4v6z"/>'
    )


_FRAMES: dict[Frame, str] = {
    "tablet": '<rect class="case" x="4" y="4" width="232" height="152" rx="14"/>'
    '<rect class="screen" x="12" y="12" width="216" height="136" rx="6"/><circle class="lens" cx="120" cy="8" r="2"/>',
    "window": '<rect class="screen" x="4" y="4" width="232" height="152" rx="6"/>'
    '<path class="edge" d="M4 10a6 6 0 0 1 6-6h220a6 6 0 0 1 6 6v30H4z"/>'
    '<path class="cross" d="M216 17l8 8m0-8l-8 8"/>',
    "terminal": '<rect class="case" x="4" y="4" width="232" height="152" rx="6"/>'
    '<circle class="lens" cx="222" cy="16" r="4"/><circle class="lens" cx="209" cy="16" r="4"/>',
}
