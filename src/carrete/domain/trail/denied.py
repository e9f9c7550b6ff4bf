"""What witnesses tell that the trail does not have: where it differs from theirs, and which of their events are gone.

A receipt, a seal and a backup's head are a seq and a hash: up to there the trail was another one, and it had so many
events. Which of them was changed or is gone, they do not tell. The row of a sheet also has the event's id, so that its
event is found wherever it stands.

After a restore the shop goes on, with witnesses of its new events beside those of the lost ones: what was done to the
new events is told on its own.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from itertools import accumulate

from carrete.domain.trail.findings import ID, Kind, TrailFinding, TrailRow, event_text, event_time, merged
from carrete.domain.trail.seen import TrailSeen
from carrete.domain.trail.witness import Witness

DEEDS_TOLD_MAX = 5  # one after another; if there seem to be more, clocks are wrong, or two servers went on


@dataclass(frozen=True, slots=True)
class Compared:
    seen: TrailSeen
    agreeing: Sequence[Witness]
    denying: Sequence[Witness]  # by their seqs
    now: str = ""  # a later time is that of a clock that is ahead

    @classmethod
    def of(cls, seen: TrailSeen, witnesses: Iterable[Witness], now: str = "") -> Compared:
        agreeing: list[Witness] = []
        denying: list[Witness] = []
        for w in witnesses:
            (agreeing if seen.agrees(w) else denying).append(w)
        agreeing.sort(key=lambda w: w.seq)
        return cls(seen, agreeing, sorted(denying, key=lambda w: (w.seq, not w.event_id)), now)

    def foreign_workbooks(self) -> Set[str]:
        """They tell every event as missing or another one; a person may have taken the workbook of another shop."""
        known = {w.source for w in self.agreeing}
        known |= {w.source for w in self.denying if w.event_id in self.seen.of_id}
        return {w.source for w in self.denying if w.event_id} - known

    def is_of_the_future(self, time: str) -> bool:
        return bool(self.now) and time > self.now

    def newest_time(self, witnesses: Iterable[Witness]) -> str:
        return max((w.made_at for w in witnesses if not self.is_of_the_future(w.made_at)), default="")

    def may_be_of_before(self, w: Witness, sources: Set[str]) -> bool:
        """A workbook does not say when it was written. If no row of it denies anything, it may be of the trail as it
        was made anew. `sources` are those that deny something."""
        return not w.event_id or w.source in sources

    def unchanged_up_to(self, denying: Sequence[Witness]) -> int:
        """The hash of an event stands for everything before it: up to this seq the trail is the one of the first of
        the witnesses that deny what follows."""
        if not denying:
            return 0
        first = denying[0]
        return max((w.seq for w in self.agreeing if w.seq < first.seq and _is_of_the_trail_of(w, first)), default=0)

    def confirmed(self) -> int:
        """The last seq at which a witness of the trail as it was agrees."""
        sources = {w.source for w in self.denying}
        return max((w.seq for w in self.agreeing if self.may_be_of_before(w, sources)), default=0)

    def hashes_from_before(self) -> dict[int, set[str]]:
        """What witnesses tell of each seq, as far as they are of the trail as it was. The head of a receipt or a seal
        was signed before the next event was written."""
        sources, hashes = {w.source for w in self.denying}, dict[int, set[str]]()
        for w in (*self.denying, *(each for each in self.agreeing if self.may_be_of_before(each, sources))):
            hashes.setdefault(w.seq, set()).add(w.hash)
        return hashes


def _told_at(w: Witness) -> str:
    """A workbook does not say when its rows were written, only when their events were."""
    return w.made_at if w.event_id else w.known_at or w.made_at


def _is_of_the_trail_of(w: Witness, denying: Witness) -> bool:
    """What was made later may be of a trail that was made anew and went on. Rows of a workbook are of the same trail as
    others of that workbook alone."""
    told = w.source == denying.source if w.event_id else bool(_told_at(w))
    return told and _told_at(w) <= denying.made_at


class _Places:
    """Ranges of seqs."""

    def __init__(self, findings: Iterable[TrailFinding]) -> None:
        ordered = sorted(findings, key=lambda each: each.first)
        self._firsts = [each.first for each in ordered]
        self._last_so_far = list(accumulate((each.last for each in ordered), max))

    def __contains__(self, seq: int) -> bool:
        at = bisect_right(self._firsts, seq) - 1
        return at >= 0 and self._last_so_far[at] >= seq


class _Stood:
    """When witnesses saw single events stand in the trail, for the question when those of a range stood last."""

    def __init__(self, witnesses: Iterable[Witness]) -> None:
        timed = ((w.event_seq if w.what else w.seq, w.made_at) for w in witnesses if w.made_at)
        self._times = sorted(timed)

    def last(self, first: int, last: int) -> str:
        times = self._times
        begin, end = bisect_left(times, (first, "")), bisect_left(times, (last + 1, ""))
        return max((times[at][1] for at in range(begin, end)), default="")


def denied_by_witnesses(compared: Compared, known: Sequence[TrailFinding]) -> list[TrailFinding]:
    """What the trail alone does not show: its end is cut off, or the chain was computed anew. `known` is what the
    trail itself shows."""
    seen, places = compared.seen, _Places(known)
    known_from = min((min(each.first, each.now_at or each.first) for each in known), default=0)
    unmoved = [w for w in compared.denying if not (known and w.hash in seen.of_hash and w.seq >= known_from)]
    found: list[TrailFinding] = []
    for part in _by_deed(compared, unmoved):
        if other := [w for w in part if w.seq not in places]:
            found += _denied_by(compared, known, part, other)
    return found


def _by_deed(compared: Compared, denying: Sequence[Witness]) -> list[Sequence[Witness]]:
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
            if _told_at(agreeing[at]) > newest:  # else a clock is wrong, or the time is not that of the writing
                _note_earliest(earliest, agreeing[at])
            at += 1
        if w.source in foreign or compared.is_of_the_future(w.made_at):
            continue  # its time says nothing of this trail
        if any(source in earliest and _is_of_the_trail_of(earliest[source], w) for source in ("", w.source)):
            later.add(w)
        newest = max(newest, w.made_at)
    return later


def _note_earliest(earliest: dict[str, Witness], w: Witness) -> None:
    """Of each workbook, and of all other witnesses together."""
    source = w.source if w.event_id else ""
    if source not in earliest or _told_at(w) < _told_at(earliest[source]):
        earliest[source] = w


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


# Which times count: "after" must never be later than the deed. A seal, a backup's head and a receipt have the hash
# that is stored with the last event; nobody computed it from the event's fields. Who changed them in place left the
# hash, and whatever is signed afterwards agrees with it: of such an event nothing tells more than that the one before
# was written. A missing event stood when a receipt named its own seq (the server had just written the row, or read
# the seq from it), when it was written, which its row in a sheet tells, and when a head that ends with it was signed
# for a seal or a backup: they look for its row first. A receipt does not: its head may be one that was left after the
# event was deleted.


def sharpened(findings: Iterable[TrailFinding], denying: Iterable[Witness], seen: TrailSeen) -> list[TrailFinding]:
    """A missing event stood later than the one before it was written."""
    stood = _Stood(w for w in denying if w.hash not in seen.of_hash)
    return [
        replace(found, since=max(found.since, stood.last(found.first, found.last)))
        if found.kind is Kind.MISSING and not found.at_least
        else found
        for found in findings
    ]


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
    since = _Stood(beyond).last(end + 1, newest.seq)
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
    found = TrailFinding(Kind.REWRITTEN, unchanged + 1, first.seq, since=since, until=min(after, default=""))
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
