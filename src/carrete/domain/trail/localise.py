"""Which events do not fit their neighbours, and what must have been done to them.

The stored hash of an event covers its fields and the hash before it. Whoever changes rows and leaves the hashes, or
computes some of them anew, leaves places where they do not fit; this finds the simplest deed that explains each place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from carrete.domain.trail.canonical import FIELDS, GENESIS, ChainHead, event_hash
from carrete.domain.trail.findings import HASH, SEQ, Kind, TrailFinding, TrailRow, event_text, event_time, merged

SUSPECTS_MAX = 300  # rows that are tried at other places; each place costs so many hashes
DELETED_TRIED_MAX = 50  # events that were deleted in one place and whose numbers were closed up
TRIES_MAX = 300_000  # hashes that an examination tries, some seconds; after that a row is only "changed"
_FIELDS = len(FIELDS)


def fits(previous: str, row: TrailRow, seq: int, stored: str | None = None) -> bool:
    """Whether the row, at this seq and after that hash, has the hash that is stored with it."""
    return event_hash(previous, (seq, *row[1:_FIELDS])) == (stored or row[HASH])


def explained(
    rows: Iterable[TrailRow], suspects: list[TrailRow], head: ChainHead, gapless_after: int
) -> list[TrailFinding]:
    """`suspects` are rows that do not fit the row before them, the first SUSPECTS_MAX of them."""
    walk = _Walk(suspects, head, gapless_after)
    for row, following in _with_next(rows):
        walk.step(row, following)
    walk.finish()
    return merged(walk.findings)


def _with_next(rows: Iterable[TrailRow]) -> Iterator[tuple[TrailRow, TrailRow | None]]:
    before: TrailRow | None = None
    for row in rows:
        if before is not None:
            yield before, row
        before = row
    if before is not None:
        yield before, None


class _Walk:
    """Goes through the trail with the hash that the next event was chained to, and how far its numbers were shifted."""

    def __init__(self, suspects: list[TrailRow], head: ChainHead, gapless_after: int) -> None:
        self.findings: list[TrailFinding] = []
        self._suspects = suspects
        self._moved_from: set[int] = set()  # seqs whose rows were written at another place
        self._holes: list[tuple[str, int]] = []  # hash before, and seq, of events that are missing
        self._head = head
        self._gapless_after = gapless_after
        self._previous = self._before_last = GENESIS
        self._last: TrailRow | None = None  # the row before, if it fitted
        self._seq = 0  # of the row before
        self._at = ""
        self._shift = 0  # the seq of a row minus the one that it was written with
        self._tries_left = TRIES_MAX

    def step(self, row: TrailRow, following: TrailRow | None) -> None:
        fitted = self._fits(row)
        before = self._previous
        if fitted:
            self._previous = row[HASH]
        elif self._last is not None and self._fits_without(row, self._before_last):
            self._add(self._last)
            self._previous = row[HASH]
        elif following is not None and self._fits_without(following, self._previous):
            self._add(row)
        elif not (row[SEQ] > self._seq + 1 and self._fill_gap(row)) and not self._replaced(row):
            self._explain(row, following)
        self._seq, self._at = row[SEQ], event_time(row)
        self._last, self._before_last = (row, before) if fitted else (None, before)

    def finish(self) -> None:
        """The last events may stand at other places."""
        while moved := self._elsewhere(self._seq - self._shift + 1, None):
            self._note_move(moved, self._seq - self._shift + 1)
            self._previous = moved[HASH]
            self._seq += 1

    def _fits(self, row: TrailRow) -> bool:
        if fits(self._previous, row, row[SEQ] - self._shift):
            self._note_closed_gap(row)
            return True
        if self._shift and fits(self._previous, row, row[SEQ]):
            self._shift = 0  # the shop went on after the deed: what came later has its own number
            return True
        return False

    def _may_try(self, hashes: int) -> bool:
        self._tries_left -= hashes
        return self._tries_left >= 0

    def _note_closed_gap(self, row: TrailRow) -> None:
        """Carrete leaves no gaps: events are missing, and the chain was computed anew over their place."""
        if row[SEQ] > self._seq + 1 > self._gapless_after:
            self.findings.append(TrailFinding(Kind.MISSING, self._seq + 1, row[SEQ] - 1, since=self._at))

    def _fits_without(self, following: TrailRow, previous: str) -> bool:
        """Without the row its neighbours fit, with the number that the next one has or had before."""
        for shift in (self._shift, self._shift + 1):
            if fits(previous, following, following[SEQ] - shift):
                self._shift = shift
                return True
        return False

    def _add(self, row: TrailRow) -> None:
        if row[SEQ] in self._moved_from:
            return
        holes = self._holes if self._may_try(len(self._holes)) else []
        for previous, written in holes:
            if fits(previous, row, written):
                self.findings = [each for each in self.findings if (each.kind, each.first) != (Kind.MISSING, written)]
                self._note_move(row, written)
                return
        self._suspects.append(row)
        self.findings.append(TrailFinding(Kind.ADDED, row[SEQ], row[SEQ], since=self._at, event=event_text(row)))

    def _fill_gap(self, row: TrailRow) -> bool:
        """Numbers are missing before the row: their events stand elsewhere, or nowhere. False: the row is wrong too."""
        first, last = self._seq + 1, row[SEQ] - 1
        while first <= last and (moved := self._elsewhere(first - self._shift, None)):
            self._note_move(moved, first - self._shift)
            self._previous = moved[HASH]
            first += 1
        if first > last and not fits(self._previous, row, row[SEQ] - self._shift):
            return False
        if first <= last:
            unsure = first <= self._gapless_after
            self.findings.append(TrailFinding(Kind.MISSING, first, last, since=self._at, unsure=unsure))
            self._holes.append((self._previous, first))
        self._previous = row[HASH]
        return True

    def _replaced(self, row: TrailRow) -> bool:
        """The event that was written here stands elsewhere; the row takes its place, or comes after it."""
        written = row[SEQ] - self._shift
        moved = self._elsewhere(written, row)
        if moved is None:
            return row[SEQ] in self._moved_from
        self._note_move(moved, written)
        self._previous = moved[HASH]
        if fits(self._previous, row, written + 1):
            self._shift -= 1
            self._previous = row[HASH]
        return True

    def _elsewhere(self, written: int, row: TrailRow | None) -> TrailRow | None:
        """The row that was written at this place and stands at another now. Its hash went with it, or stayed here."""
        here = row[HASH] if row else None
        if not self._may_try(len(self._suspects)):
            return None
        for suspect in self._suspects:
            if row is None or suspect[SEQ] != row[SEQ]:
                found = event_hash(self._previous, (written, *suspect[1:_FIELDS]))
                if found in (suspect[HASH], here):
                    return (*suspect[:HASH], found)
        return None

    def _note_move(self, moved: TrailRow, written: int) -> None:
        self._moved_from.add(moved[SEQ])
        self.findings = [each for each in self.findings if (each.kind, each.first) != (Kind.ADDED, moved[SEQ])]
        text = event_text(moved)
        self.findings.append(
            TrailFinding(Kind.MOVED, written, written, moved[SEQ], since=event_time(moved), event=text)
        )

    def _explain(self, row: TrailRow, following: TrailRow | None) -> None:
        """Its fields or its hash were changed, or events before it were deleted and the numbers closed up."""
        written = row[SEQ] - self._shift
        if deleted := self._deleted_before(row, following):
            self.findings.append(TrailFinding(Kind.MISSING, written, written + deleted - 1, since=self._at))
            self._holes.append((self._previous, written))
            self._shift -= deleted
        else:
            text = event_text(row)
            self.findings.append(TrailFinding(Kind.CHANGED, row[SEQ], row[SEQ], since=self._at, event=text))
        computed = event_hash(self._previous, (written, *row[1:_FIELDS]))
        hash_alone = following is not None and fits(computed, following, following[SEQ] - self._shift)
        self._previous = computed if hash_alone else row[HASH]

    def _deleted_before(self, row: TrailRow, following: TrailRow | None) -> int:
        """How many events are gone before the row, if the numbers after them were closed up; 0 when that is not so."""
        if following is None:
            return max(0, self._head.seq - (row[SEQ] - self._shift)) if row[HASH] == self._head.hash else 0
        if fits(row[HASH], following, following[SEQ] - self._shift) or not self._may_try(DELETED_TRIED_MAX):
            return 0
        for deleted in range(1, DELETED_TRIED_MAX + 1):
            if fits(row[HASH], following, following[SEQ] - self._shift + deleted):
                return deleted
        return 0
