"""Cards with a person's name and badge. The badge says who wants to sign in; the PIN is never on these cards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from carrete.domain.workers import Worker
from carrete.identity.people import Person
from carrete.labels.drawing import DrawnCode, DrawnText, LabelPage, place_code, text_at, words_box
from carrete.labels.fitting import lines_of, shown, size_for
from carrete.labels.qr import qr_code
from carrete.labels.stock import BADGE_STOCK, Box

CARDS_MAX = 500
NAME_SIZE_MM_MAX = 6.0
LABEL_SIZE_MM_MAX = 5.0


@dataclass(frozen=True, slots=True)
class BadgeCard:
    worker: Worker
    badge: str


def cards_of(people: Iterable[Person]) -> list[BadgeCard]:
    """People without a badge get no card."""
    return [BadgeCard(each.worker, each.badge) for each in people if each.badge][:CARDS_MAX]


def badge_pages(cards: Sequence[BadgeCard]) -> Iterator[LabelPage]:
    boxes = tuple(BADGE_STOCK.boxes())
    for first in range(0, len(cards), len(boxes)):
        texts: list[DrawnText] = []
        codes: list[DrawnCode] = []
        for box, card in zip(boxes, cards[first:], strict=False):
            codes.append(place_code(box, qr_code(card.badge)))
            texts += _words(words_box(box), card.worker)
        frames = [box.inset(-BADGE_STOCK.padding) for box, _ in zip(boxes, cards[first:], strict=False)]
        yield LabelPage(tuple(texts), tuple(codes), tuple(frames))


def _words(box: Box, worker: Worker) -> list[DrawnText]:
    """The name as large as it fits, and the label with which the workbook names the person."""
    label = shown(worker.label)
    label_size = size_for(label, box.width, LABEL_SIZE_MM_MAX)
    lines, size = lines_of(shown(f"{worker.nombre} {worker.apellido}"), round(box.width, 3), round(box.height / 2, 3))
    size = min(size, NAME_SIZE_MM_MAX)
    baselines = [box.y + box.height * 0.3 + size * 1.15 * n for n in range(len(lines))]
    drawn = [text_at(box.x, y, size, line, bold=True) for y, line in zip(baselines, lines, strict=True)]
    return [*drawn, text_at(box.x, baselines[-1] + 1.8 * label_size, label_size, label)]
