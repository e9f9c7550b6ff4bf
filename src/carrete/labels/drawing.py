"""Puts labels on pages: where each code and each line of words goes, for a PDF and for the browser alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote

from carrete.labels.fitting import CAP_HEIGHT, LINE_HEIGHT, is_shown_whole, lines_of, shown, size_for, width_of
from carrete.labels.qr import QUIET_MODULES, QrCode, qr_code
from carrete.labels.stock import Box, LabelStock

LABELS_MAX = 2_000  # in one document
CODE_MM_MIN = 20.0  # what a camera reads at arm's length; the white margin comes on top
CODE_SIDE_MM_MIN = CODE_MM_MIN * 29 / 21  # of the smallest code, which has 21 modules and 4 white ones on each side
CODE_SHARE = 0.45  # of a label's width, with the white margin
MODULE_MM_MIN = 0.5  # a camera must come nearer than arm's length for smaller ones
NEVER_DENSE_BYTES = 60  # their code has 37 modules at most; on the smallest label one of them has 0.6 mm
WORDS_GAP_MM = 1.5
TAG_SIZE_MM_MAX = 14.0
FACTS_SIZE_MM_MAX = 4.5


class LabelWarning(StrEnum):
    DENSE_CODE = "CODIGO_DENSO"
    OTHER_LETTERS = "LETRAS_QUE_FALTAN"


@dataclass(frozen=True, slots=True)
class SpoolLabel:
    tag: str
    ot: str | None = None
    joints: int | None = None
    printed_at: str | None = None

    @property
    def facts(self) -> str:
        """The second line: work order and joints, in the words of the shop."""
        ot = (self.ot or "").strip()
        if ot and not ot.upper().startswith("OT"):
            ot = f"OT {ot}"
        joints = "" if not self.joints else "1 unión" if self.joints == 1 else f"{self.joints} uniones"
        return " · ".join(part for part in (ot, joints) if part)


@dataclass(frozen=True, slots=True)
class DrawnText:
    """`x` is where the text begins, `y` its base line, `width` how wide it is in the PDF's font."""

    x: float
    y: float
    size: float
    text: str
    bold: bool
    width: float


@dataclass(frozen=True, slots=True)
class DrawnCode:
    """`x`, `y`: the upper left corner of the first module; `module`: its side."""

    x: float
    y: float
    module: float
    code: QrCode


@dataclass(frozen=True, slots=True)
class LabelPage:
    """`frames` are dashed lines to cut along, for cards on plain paper."""

    texts: tuple[DrawnText, ...]
    codes: tuple[DrawnCode, ...]
    frames: tuple[Box, ...] = ()


def label_pages(
    labels: Sequence[SpoolLabel],
    stock: LabelStock,
    *,
    skip: int = 0,
    address: str = "",
    give_way: Callable[[], None] = lambda: None,
) -> Iterator[LabelPage]:
    """Pages one after the other. `skip` labels of the first sheet are used already and stay empty. With `address`, the
    code is the address of the spool's card at that server; else it is the tag. `give_way` is called for each label, so
    that a server can let its other threads go on."""
    places: list[SpoolLabel | None] = [*[None] * skip, *labels]
    boxes = tuple(stock.boxes())
    for first in range(0, len(places), stock.labels_per_page):
        texts: list[DrawnText] = []
        codes: list[DrawnCode] = []
        for box, label in zip(boxes, places[first:], strict=False):
            if label is not None:
                codes.append(place_code(box, qr_code(coded_text(label.tag, address))))
                texts += _words(words_box(box), label)
                give_way()
        yield LabelPage(tuple(texts), tuple(codes))


def coded_text(tag: str, address: str = "") -> str:
    return f"{address}/s/{quote(tag, safe='')}" if address else tag


def warnings_of(label: SpoolLabel, stock: LabelStock, address: str = "") -> list[LabelWarning]:
    """What a person should know before this label is printed."""
    found = []
    text = coded_text(label.tag, address)
    if len(text.encode()) > NEVER_DENSE_BYTES and place_code(next(stock.boxes()), qr_code(text)).module < MODULE_MM_MIN:
        found.append(LabelWarning.DENSE_CODE)
    if not is_shown_whole(label.tag + label.facts):
        found.append(LabelWarning.OTHER_LETTERS)
    return found


def _code_side(box: Box) -> float:
    """With the white margin around it."""
    return min(box.height, max(box.width * CODE_SHARE, CODE_SIDE_MM_MIN))


def place_code(box: Box, code: QrCode) -> DrawnCode:
    """At the left edge, in the middle of the label's height."""
    side = _code_side(box)
    module = side / code.modules_with_margin
    top = box.y + (box.height - side) / 2
    return DrawnCode(box.x + QUIET_MODULES * module, top + QUIET_MODULES * module, module, code)


def words_box(box: Box) -> Box:
    """What is left for words beside the code."""
    left = _code_side(box)
    return Box(box.x + left, box.y + WORDS_GAP_MM, box.width - left, box.height - 2 * WORDS_GAP_MM)


def _words(box: Box, label: SpoolLabel) -> list[DrawnText]:
    """The tag as large as it fits, work order and joints below it, all in the middle of the label's height."""
    facts, tag = shown(label.facts), shown(label.tag)
    facts_size = size_for(facts, box.width, FACTS_SIZE_MM_MAX)
    below = 1.5 * facts_size if facts else 0.0
    lines, size = lines_of(tag, round(box.width, 3), round(box.height - below, 3))
    size = min(size, TAG_SIZE_MM_MAX)
    height = size * (CAP_HEIGHT + LINE_HEIGHT * (len(lines) - 1))
    top = box.y + (box.height - height - below) / 2
    baselines = [top + size * (CAP_HEIGHT + LINE_HEIGHT * n) for n in range(len(lines))]
    drawn = [text_at(box.x, y, size, line, bold=True) for y, line in zip(baselines, lines, strict=True)]
    return [*drawn, text_at(box.x, baselines[-1] + below, facts_size, facts)] if facts else drawn


def text_at(x: float, y: float, size: float, text: str, *, bold: bool = False) -> DrawnText:
    return DrawnText(x, y, size, text, bold, width_of(text, size, bold=bold))
