"""Which witnesses deny one deed, and which a later one.

After a restore the shop goes on, with witnesses of its new events beside those of the lost ones: what was done to the
new events is told on its own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence, Set

from carrete.domain.trail.compared import Compared, is_of_the_trail_of, told_at
from carrete.domain.trail.witness import Witness

DEEDS_TOLD_MAX = 5  # one after another; if there seem to be more, clocks are wrong, or two servers went on


def by_deed(compared: Compared, denying: Sequence[Witness]) -> list[Sequence[Witness]]:
    """These witnesses in parts: what those of a part deny was done before those of the next one were made."""
    parts, rest = list[Sequence[Witness]](), denying
    for _ in range(DEEDS_TOLD_MAX):
        later = _of_later_deeds(compared, rest)
        parts.append([w for w in rest if w not in later])
        rest = [w for w in rest if w in later]
    return [denying] if rest else parts


def _of_later_deeds(compared: Compared, denying: Sequence[Witness]) -> Set[Witness]:
    """Those that were made after the first deed. A witness that agrees with the trail at the first place that is
    denied, or beyond it, was made after that deed; one that denies it still further on, and is younger, tells another
    deed."""
    agreeing, later, earliest = compared.agreeing, set[Witness](), dict[str, Witness]()
    foreign = compared.foreign_workbooks()
    at = bisect_left(agreeing, denying[0].seq, key=lambda w: w.seq) if denying else 0
    newest = ""  # when the witnesses so far were made
    for w in denying:
        while at < len(agreeing) and agreeing[at].seq < w.seq:
            if told_at(agreeing[at]) > newest:  # else a clock is wrong, or the time is not that of the writing
                _note_earliest(earliest, agreeing[at])
            at += 1
        if w.source in foreign or compared.is_of_the_future(w.made_at):
            continue  # its time says nothing of this trail
        if any(source in earliest and is_of_the_trail_of(earliest[source], w) for source in ("", w.source)):
            later.add(w)
        newest = max(newest, w.made_at)
    return later


def _note_earliest(earliest: dict[str, Witness], w: Witness) -> None:
    """Of each workbook, and of all other witnesses together."""
    source = w.source if w.event_id else ""
    if source not in earliest or told_at(w) < told_at(earliest[source]):
        earliest[source] = w
