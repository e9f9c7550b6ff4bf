"""Which events do not fit their neighbours, and what must have been done to them.

The stored hash of an event covers its fields and the hash before it. Whoever changes rows and leaves the hashes, or
computes some of them anew, leaves places where they do not fit; this finds the simplest deed that explains each place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

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
    rows: Iterable[TrailRow],
    suspects: list[TrailRow],
    head: ChainHead,
    gapless_after: int,
    witnessed: Mapping[int, set[str]],
) -> list[TrailFinding]:
    """`suspects` are rows that do not fit the row before them, the first SUSPECTS_MAX of them. `witnessed` are the
    hashes that witnesses tell of each seq."""
    walk = _Walk(suspects, head, gapless_after, witnessed)
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

    def __init__(
        self, suspects: list[TrailRow], head: ChainHead, gapless_after: int, witnessed: Mapping[int, set[str]]
    ) -> None:
        self.findings: list[TrailFinding] = []
        self._suspects = suspects
        self._moved_from: set[int] = set()  # seqs whose rows were written at another place
        self._holes: list[tuple[str, int]] = []  # hash before, and seq, of events that are missing
        self._withdrawn: set[tuple[Kind, int]] = set()  # findings of which more is known now
        self._head = head
        self._gapless_after = gapless_after
        self._witnessed = witnessed
        self._previous = self._before_last = GENESIS
        self._stored = GENESIS  # the hash that the row before has, whatever was done to it
        self._last: TrailRow | None = None  # the row before, if it fitted
        self._seq = 0  # of the row before
        self._fitted = 0  # the seq with which the last row that fitted was written
        self._unfitted = 0  # rows after it
        self._at = ""  # when the last event that fitted was written: of another one somebody may have changed the time
        self._shift = 0  # the seq of a row minus the one that it was written with
        self._tries_left = TRIES_MAX

    def step(self, row: TrailRow, following: TrailRow | None) -> None:
        fitted = self._fits(row)
        before = self._previous
        if fitted:
            self._previous = row[HASH]
        elif self._last is not None and self._fits_without(row, self._before_last):
            self._add(self._last, sure=self._goes_on(row, following))
            self._previous = row[HASH]
        elif following is not None and not self._is_witnessed(row) and self._fits_without(following, self._previous):
            self._add(row, sure=False)
        elif not (row[SEQ] > self._seq + 1 and self._fill_gap(row, following)) and not self._replaced(row):
            self._explain(row, following)
        self._seq, self._stored = row[SEQ], row[HASH]
        self._at = event_time(row) if fitted else self._at
        self._last, self._before_last = (row, before) if fitted else (None, before)
        self._fitted, self._unfitted = (row[SEQ] - self._shift, 0) if fitted else (self._fitted, self._unfitted + 1)

    def finish(self) -> None:
        """The last events may stand at other places."""
        self._take_from_elsewhere(None)
        kept = [each for each in self.findings if (each.kind, each.first) not in self._withdrawn]
        # What is missing may be one of these.
        guessed = any(each.unsure if each.kind is Kind.ADDED else each.kind is Kind.CHANGED for each in kept)
        self.findings = [
            replace(each, or_others=True) if guessed and each.kind is Kind.MISSING else each for each in kept
        ]

    def _take_from_elsewhere(self, end: int | None) -> None:
        """Events that were written here, before that seq, and stand at other places."""
        written = self._seq - self._shift + 1
        while (end is None or written < end) and (moved := self._elsewhere(written, None)):
            self._note_move(moved, written)
            self._previous = moved[HASH]
            written += 1

    def _fits(self, row: TrailRow) -> bool:
        if fits(self._previous, row, row[SEQ] - self._shift):
            self._note_number(row)
            return True
        if self._shift and fits(self._previous, row, row[SEQ]):
            self._take_from_elsewhere(row[SEQ])
            self._shift = 0  # the shop went on after the deed: what came later has its own number
            return True
        return False

    def _fits_another(self, row: TrailRow) -> bool:
        """Whether it was chained to the hash that is stored with the row before, because the shop went on after the
        deed; or to the event that a witness tells, which stands before it no more."""
        others = (self._stored, *self._witnessed.get(row[SEQ] - 1, ()))
        return any(fits(other, row, row[SEQ]) for other in others)

    def _may_be_before(self, written: int) -> bool:
        """Whether nothing tells that the hash before is the one that was there: the owner may have changed it, or
        computed the chain anew up to it."""
        return written > 1 and self._previous not in self._witnessed.get(written - 1, ())

    def _may_try(self, hashes: int) -> bool:
        self._tries_left -= hashes
        return self._tries_left >= 0

    def _note_number(self, row: TrailRow) -> None:
        """Carrete leaves no gaps, and gives no number twice: events are missing or were added, and the chain was
        computed anew over their place."""
        if row[SEQ] - self._shift <= self._fitted:
            text = event_text(row)
            self.findings.append(TrailFinding(Kind.ADDED, row[SEQ], row[SEQ], since=self._at, event=text, unsure=True))
        elif row[SEQ] > self._seq + 1 > self._gapless_after:
            first, last = self._seq + 1, row[SEQ] - 1
            found = TrailFinding(Kind.MISSING, first, last, since=self._at, or_others=True)
            if self.findings and (self.findings[-1].kind, self.findings[-1].first) == (Kind.CHANGED, self._seq):
                # Its hash is that of the event right before this row: it was written there, or only its hash was.
                del self.findings[-1]
                found = replace(found, first=self._fitted + 1, at_least=last - self._fitted - self._unfitted)
            self.findings.append(found)

    def _fits_without(self, following: TrailRow, previous: str) -> bool:
        """Without the row its neighbours fit, with the number that the next one has or had before."""
        for shift in (self._shift, self._shift + 1):
            if fits(previous, following, following[SEQ] - shift):
                self._shift = shift
                return True
        return False

    def _has_its_number(self, row: TrailRow, following: TrailRow | None) -> bool:
        return row[SEQ] == self._head.seq if following is None else fits(row[HASH], following, following[SEQ])

    def _is_witnessed(self, row: TrailRow) -> bool:
        return row[HASH] in self._witnessed.get(row[SEQ], ())

    def _goes_on(self, row: TrailRow, following: TrailRow | None) -> bool:
        """Whether the next event was chained to this one: this is the one that was there, not the one before."""
        return row[HASH] == self._head.hash if following is None else self._fits_on(row[HASH], following)

    def _fits_on(self, previous: str, following: TrailRow) -> bool:
        return any(fits(previous, following, following[SEQ] - shift) for shift in (self._shift, 0))

    def _add(self, row: TrailRow, *, sure: bool) -> None:
        """Not `sure`: its hash was not made for this place, or it may be the neighbour that was added."""
        if row[SEQ] in self._moved_from:
            return
        holes = self._holes if self._may_try(len(self._holes)) else []
        for previous, written in holes:
            if fits(previous, row, written):
                self._withdrawn.add((Kind.MISSING, written))
                self._note_move(row, written)
                return
        self._suspects.append(row)
        found = TrailFinding(Kind.ADDED, row[SEQ], row[SEQ], since=self._at, event=event_text(row), unsure=not sure)
        self.findings.append(found)

    def _fill_gap(self, row: TrailRow, following: TrailRow | None) -> bool:
        """Numbers are missing before the row: their events stand elsewhere, or nowhere. False: the row is wrong too."""
        first = self._seq - self._shift + 1
        if self._has_its_number(row, following):
            self._shift = 0  # the shop went on after the deed
        last = row[SEQ] - self._shift - 1
        while first <= last and (moved := self._elsewhere(first, None)):
            self._note_move(moved, first)
            self._previous = moved[HASH]
            first += 1
        if first > last and not fits(self._previous, row, row[SEQ] - self._shift):
            return False
        if first <= last:
            unsure, goes_on = first <= self._gapless_after, following is None or self._fits_on(row[HASH], following)
            before = self._may_be_before(first) or not goes_on
            found = TrailFinding(Kind.MISSING, first, last, since=self._at, unsure=unsure, or_others=before)
            self.findings.append(found)
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
            if suspect[SEQ] != written and (row is None or suspect[SEQ] != row[SEQ]):
                found = event_hash(self._previous, (written, *suspect[1:_FIELDS]))
                if found in (suspect[HASH], here):
                    return (*suspect[:HASH], found)
        return None

    def _note_move(self, moved: TrailRow, written: int) -> None:
        self._moved_from.add(moved[SEQ])
        self._withdrawn.add((Kind.ADDED, moved[SEQ]))
        text = event_text(moved)
        self.findings.append(
            TrailFinding(Kind.MOVED, written, written, moved[SEQ], since=event_time(moved), event=text)
        )

    def _explain(self, row: TrailRow, following: TrailRow | None) -> None:
        """Its fields or its hash were changed, or events before it were deleted and the numbers closed up."""
        written = row[SEQ] - self._shift
        before = self._may_be_before(written)
        if self._fits_another(row):
            self._shift, self._previous = 0, row[HASH]
            return
        if deleted := self._deleted_before(row, following):
            last = written + deleted - 1
            self.findings.append(TrailFinding(Kind.MISSING, written, last, since=self._at, or_others=before))
            self._holes.append((self._previous, written))
            self._shift -= deleted
        else:
            text = event_text(row)
            found = TrailFinding(Kind.CHANGED, row[SEQ], row[SEQ], since=self._at, event=text, or_others=before)
            self.findings.append(found)
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
