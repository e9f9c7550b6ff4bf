"""What witnesses tell that the trail does not have: where it differs from theirs, and which of their events are gone.

A receipt, a seal and a backup's head are a seq and a hash: up to there the trail was another one, and it had so many
events. Which of them was changed or is gone, they do not tell. The row of a sheet also has the event's id, so that its
event is found wherever it stands.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate

from carrete.domain.trail.compared import Compared, Stood, sharpened
from carrete.domain.trail.deeds import by_deed
from carrete.domain.trail.findings import ID, Kind, TrailFinding, TrailRow, event_text, event_time, merged
from carrete.domain.trail.seen import TrailSeen
from carrete.domain.trail.witness import Witness


class _Places:
    """Ranges of seqs."""

    def __init__(self, findings: Iterable[TrailFinding]) -> None:
        ordered = sorted(findings, key=lambda each: each.first)
        self._firsts = [each.first for each in ordered]
        self._last_so_far = list(accumulate((each.last for each in ordered), max))

    def __contains__(self, seq: int) -> bool:
        at = bisect_right(self._firsts, seq) - 1
        return at >= 0 and self._last_so_far[at] >= seq


def denied_by_witnesses(compared: Compared, known: Sequence[TrailFinding]) -> list[TrailFinding]:
    """What the trail alone does not show: its end is cut off, or the chain was computed anew. `known` is what the
    trail itself shows."""
    seen, places = compared.seen, _Places(known)
    known_from = min((min(each.first, each.now_at or each.first) for each in known), default=0)
    unmoved = [w for w in compared.denying if not (known and w.hash in seen.of_hash and w.seq >= known_from)]
    found: list[TrailFinding] = []
    for part in by_deed(compared, unmoved):
        if other := [w for w in part if w.seq not in places]:
            found += _denied_by(compared, known, part, other)
    return found


def _denied_by(
    compared: Compared, known: Sequence[TrailFinding], part: Sequence[Witness], other: Sequence[Witness]
) -> list[TrailFinding]:
    """What the witnesses of one trail tell. `other` are those of the part at places that the trail itself does not
    show."""
    seen = compared.seen
    gone, end = _gone_by_their_ids(other, compared), seen.end.seq
    found = list(gone)
    beyond = [w for w in other if w.seq > end and w.hash not in seen.of_hash]
    told = sum(each.last - each.first + 1 for each in [*known, *gone] if each.kind is Kind.MISSING)
    unchanged, is_fewer = compared.unchanged_up_to(other), bool(beyond) and beyond[-1].seq - end > told
    if other[0] not in beyond[:1] or (not is_fewer and unchanged + 1 < other[0].seq):
        rewritten = _rewritten(compared, part)
        found += [rewritten] if rewritten.kind is not Kind.MISSING else []
    if is_fewer:
        fewer = _fewer(unchanged, end, beyond)
        fewer = replace(fewer, or_others=any(each.kind in (Kind.CHANGED, Kind.ADDED) for each in known))
        found = [each for each in found if each.first < fewer.first or fewer.at_least] + [fewer]
    return sharpened(found, part, seen)


def told_by_places(compared: Compared, shown: Sequence[TrailFinding]) -> list[TrailFinding]:
    """What the trail itself shows, without being sure that events are missing of which a witness tells that they stand
    elsewhere."""
    seen = compared.seen
    there = sorted(w.seq for w in compared.denying if w.hash in seen.of_hash or w.event_id in seen.of_id)

    def contradicted(found: TrailFinding) -> bool:
        return found.kind is Kind.MISSING and bisect_left(there, found.first) < bisect_right(there, found.last)

    return [replace(each, or_others=True) if contradicted(each) else each for each in shown]


def _gone_by_their_ids(denying: Sequence[Witness], compared: Compared) -> list[TrailFinding]:
    """Events of which no event in the trail has the id."""
    since = compared.newest_time(denying)
    by_seq = {w.seq: w for w in denying if w.event_id and w.event_id not in compared.seen.of_id}
    return merged(
        TrailFinding(Kind.MISSING, seq, seq, since=since, witness=w.source, event=w.event) for seq, w in by_seq.items()
    )


def _fewer(unchanged: int, end: int, beyond: Sequence[Witness]) -> TrailFinding:
    """The trail ends before these witnesses. The events after its end are those that are missing only if all before
    are unchanged; if not, others may be, and the chain after them computed anew."""
    newest = beyond[-1]
    since = Stood(beyond).last(end + 1, newest.seq)
    found = TrailFinding(Kind.MISSING, unchanged + 1, newest.seq, since=since, witness=newest.source)
    if unchanged < end:
        return replace(found, at_least=newest.seq - end)
    return replace(found, event=beyond[0].event if beyond[0].seq == found.first else "")


def _rewritten(compared: Compared, denying: Sequence[Witness]) -> TrailFinding:
    """The first event that differs comes after the last one that some witness of the trail from before agrees with,
    and not after the first one that some witness denies."""
    seen, first, unchanged = compared.seen, denying[0], compared.unchanged_up_to(denying)
    since = compared.newest_time(denying)
    after = [w.known_at for w in compared.agreeing if w.seq >= first.seq and w.known_at and not seen.misfits]
    until = min((at for at in after if not compared.is_of_the_future(at)), default="")
    found = TrailFinding(Kind.REWRITTEN, unchanged + 1, first.seq, since=since, until=until)
    if first.event_id and unchanged + 1 == first.seq:
        found = _told_by_id(found, compared, first)
    now_at = seen.of_id.get(first.event_id) or seen.of_hash.get(first.hash, first.seq)
    if first.hash in seen.of_hash and now_at != first.seq:
        found = replace(found, kind=Kind.MOVED, first=first.seq, now_at=now_at)
    event = _event_told(found.kind, seen, first) if found.first == found.last else ""
    return replace(found, witness=first.source, event=event)


def _event_told(kind: Kind, seen: TrailSeen, w: Witness) -> str:
    """The row that was changed or added as it stands, else what the witness says of its event."""
    row = seen.at_seq.get(w.seq)
    return event_text(row) if row is not None and kind in (Kind.CHANGED, Kind.ADDED) else w.event or w.what


def _told_by_id(found: TrailFinding, compared: Compared, w: Witness) -> TrailFinding:
    """The event at this seq is the first that differs: the same id means changed; an id that is gone means missing;
    otherwise another event was moved or added here."""
    seen, row = compared.seen, compared.seen.at_seq.get(w.seq)
    if row is not None and row[ID] == w.event_id:
        return replace(found, kind=Kind.CHANGED)
    if w.event_id not in seen.of_id:
        return replace(found, kind=Kind.MISSING)
    if row is None or row[ID] in seen.ids:
        return replace(found, kind=Kind.MOVED, now_at=seen.of_id[w.event_id])
    return replace(found, kind=Kind.ADDED, unsure=not _has_all_of_before(compared, w.source, row))


def _has_all_of_before(compared: Compared, source: str, row: TrailRow) -> bool:
    """Whether the sheet has every event of the time of this one. If not, it may be one that the sheet does not have,
    and was moved."""
    rows = [w for w in (*compared.agreeing, *compared.denying) if w.event_id and w.source == source]
    newest, seqs = max(w.made_at for w in rows), {w.seq for w in rows}
    return max(seqs) == len(seqs) and "" < event_time(row) < newest
