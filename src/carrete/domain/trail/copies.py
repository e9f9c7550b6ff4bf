"""The trail against a whole copy of it, event by event: what a copy tells is exact, also if the chain was rewritten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from carrete.domain.trail.canonical import FIELDS
from carrete.domain.trail.findings import ID, SEQ, Kind, TrailFinding, TrailRow, event_text, event_time, merged

DIFFERENCES_MAX = 100_000  # seqs that are compared by the ids of their events; the rest is not told one by one
_FIELDS = len(FIELDS)


def compare_with_copy(
    trail: Iterable[TrailRow],
    copy: Iterable[TrailRow],
    source: str,
    made_at: str,
    written_at: Mapping[int, int] | None = None,
) -> list[TrailFinding]:
    """Events after the end of the copy are none of its business. Hashes are not compared: an older copy has none.
    Where nothing tells when it was made, it was when the newest of its events had been written.
    `written_at` tells of events that stand at these seqs now where they were written, as far as other witnesses and
    the chain do."""
    compared = _Compared(written_at or {})
    compared.read(trail, copy)
    return [
        replace(each, since=made_at or compared.newest, witness=source)
        for each in merged(sorted(compared.findings(), key=lambda f: (f.kind, f.first)))
    ]


class _Compared:
    """The events that differ, by their ids, and where the trail has the last one that the copy has too."""

    def __init__(self, written_at: Mapping[int, int]) -> None:
        self._written_at = written_at
        self._now: dict[str, TrailRow] = {}
        self._then: dict[str, TrailRow] = {}
        self._sought: set[str] = set()  # ids of the copy that the trail has not shown yet
        self._last_alike = 0  # seq of the last event that did not change
        self._end = 0  # seq of the last event of the copy that was compared
        self.newest = ""  # the latest time of an event of the copy

    def read(self, trail: Iterable[TrailRow], copy: Iterable[TrailRow]) -> None:
        """Both are in the order of their seqs. Beyond the copy's end its events are sought that were moved there."""
        ours, theirs = iter(trail), iter(copy)
        one, other = next(ours, None), next(theirs, None)
        while other is not None and len(self._then) + len(self._now) <= DIFFERENCES_MAX:
            self._end, self.newest = other[SEQ], max(self.newest, event_time(other))
            if one is None or one[SEQ] > other[SEQ]:
                self._note_theirs(other)
                other = next(theirs, None)
            elif one[SEQ] < other[SEQ]:
                self._note_ours(one)
                one = next(ours, None)
            else:
                self._note_both(one, other)
                one, other = next(ours, None), next(theirs, None)
        while one is not None and self._sought:
            if one[ID] in self._sought:
                self._note_ours(one)
            one = next(ours, None)

    def _note_both(self, one: TrailRow, other: TrailRow) -> None:
        if one[:_FIELDS] == other[:_FIELDS]:
            self._last_alike = one[SEQ]
        else:
            self._note_ours(one)
            self._note_theirs(other)

    def _note_ours(self, row: TrailRow) -> None:
        self._now[row[ID]] = row
        self._sought.discard(row[ID])

    def _note_theirs(self, row: TrailRow) -> None:
        self._then[row[ID]] = row
        if row[ID] not in self._now:
            self._sought.add(row[ID])

    def findings(self) -> Iterator[TrailFinding]:
        """An event is added where one of the copy stands after it. What follows the last of those may be from after the
        copy: if events were deleted and the numbers closed up, such events stand where the copy has others."""
        both = self._now.keys() & self._then.keys()
        last = max([self._last_alike, *(self._now[id_][SEQ] for id_ in both)])
        yield from (_of_copy(row, self._now.get(id_)) for id_, row in self._then.items())
        for id_, row in self._now.items():
            if id_ not in self._then and row[SEQ] < last:
                yield self._put_there(row)

    def _put_there(self, row: TrailRow) -> TrailFinding:
        """An event that the copy does not have stands before one that it has. By its own time it may be one from after
        the copy, which was moved."""
        written = self._written_at.get(row[SEQ], 0)
        if written > self._end:
            return replace(_found(Kind.MOVED, row), first=written, last=written, now_at=row[SEQ])
        return replace(_found(Kind.ADDED, row), unsure=event_time(row) >= self.newest)


def _of_copy(row: TrailRow, now: TrailRow | None) -> TrailFinding:
    if now is None:
        return _found(Kind.MISSING, row)
    if now[SEQ] != row[SEQ]:
        return replace(_found(Kind.MOVED, row), now_at=now[SEQ])
    fields = tuple(name for name, a, b in zip(FIELDS, row, now, strict=False) if a != b)
    return replace(_found(Kind.CHANGED, now), fields=fields)


def _found(kind: Kind, row: TrailRow) -> TrailFinding:
    return TrailFinding(kind, row[SEQ], row[SEQ], event=event_text(row))
