"""The trail against a whole copy of it, event by event: what a copy tells is exact, also if the chain was rewritten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from carrete.domain.trail.canonical import FIELDS
from carrete.domain.trail.findings import ID, SEQ, Kind, TrailFinding, TrailRow, event_text, merged

DIFFERENCES_MAX = 100_000  # seqs that are compared by the ids of their events; the rest is not told one by one
_FIELDS = len(FIELDS)


def compare_with_copy(
    trail: Iterable[TrailRow], copy: Iterable[TrailRow], source: str, made_at: str
) -> list[TrailFinding]:
    """Events after the end of the copy are none of its business. Hashes are not compared: an older copy has none."""
    now: dict[str, TrailRow] = {}
    then: dict[str, TrailRow] = {}
    for ours, theirs in _differing(trail, copy):
        if ours is not None:
            now[ours[ID]] = ours
        if theirs is not None:
            then[theirs[ID]] = theirs
        if len(then) + len(now) > DIFFERENCES_MAX:
            break
    found = [*(_of_copy(row, now.get(id_)) for id_, row in then.items())]
    found += [_found(Kind.ADDED, row) for id_, row in now.items() if id_ not in then]
    return [
        replace(each, since=made_at, witness=source) for each in merged(sorted(found, key=lambda f: (f.kind, f.first)))
    ]


def _of_copy(row: TrailRow, now: TrailRow | None) -> TrailFinding:
    if now is None:
        return _found(Kind.MISSING, row)
    if now[SEQ] != row[SEQ]:
        return replace(_found(Kind.MOVED, row), now_at=now[SEQ])
    fields = tuple(name for name, a, b in zip(FIELDS, row, now, strict=False) if a != b)
    return replace(_found(Kind.CHANGED, now), fields=fields)


def _found(kind: Kind, row: TrailRow) -> TrailFinding:
    return TrailFinding(kind, row[SEQ], row[SEQ], event=event_text(row))


def _differing(
    trail: Iterable[TrailRow], copy: Iterable[TrailRow]
) -> Iterator[tuple[TrailRow | None, TrailRow | None]]:
    """Both are in the order of their seqs. Until the copy ends."""
    ours, theirs = iter(trail), iter(copy)
    one, other = next(ours, None), next(theirs, None)
    while other is not None:
        if one is not None and one[SEQ] < other[SEQ]:
            yield one, None
            one = next(ours, None)
        elif one is None or one[SEQ] > other[SEQ]:
            yield None, other
            other = next(theirs, None)
        else:
            if one[:_FIELDS] != other[:_FIELDS]:
                yield one, other
            one, other = next(ours, None), next(theirs, None)
