"""Examines a trail: every event against the one before, the end against the head, and everything against witnesses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from carrete.domain.trail.canonical import EMPTY, FIELDS, GENESIS, ChainHead, event_hash
from carrete.domain.trail.findings import (
    HASH,
    ID,
    SEQ,
    TIPO,
    VERSION,
    Kind,
    TrailFinding,
    TrailRow,
    event_text,
    event_time,
)
from carrete.domain.trail.localise import SUSPECTS_MAX, explained
from carrete.domain.trail.witness import NOTE_TYPE, Witness

Progress = Callable[[int], None]
PROGRESS_EVERY = 5_000  # events
_FIELDS = len(FIELDS)


@dataclass(frozen=True, slots=True)
class TrailReport:
    """`agreeing` of the witnesses say what the trail says. `lost` are acknowledged actions that it does not have."""

    events: int
    head: ChainHead
    witnesses: int
    agreeing: int
    findings: Sequence[TrailFinding]
    lost: Sequence[Witness]


@dataclass(slots=True)
class _TrailSeen:
    """What the first pass notes of the trail: of each seq that a witness names, and of each hash."""

    seqs: set[int]
    hashes: set[str]
    ids: set[str]
    versions: set[str]
    at_seq: dict[int, TrailRow] = field(default_factory=dict)
    of_hash: dict[str, int] = field(default_factory=dict)
    of_id: dict[str, int] = field(default_factory=dict)
    of_version: dict[str, int] = field(default_factory=dict)  # the newest event with that token
    notes: dict[str, int] = field(default_factory=dict)  # the newest note with that token
    suspects: list[TrailRow] = field(default_factory=list)
    misfits: int = 0
    events: int = 0
    last: TrailRow | None = None

    def note(self, row: TrailRow) -> None:
        if row[SEQ] in self.seqs:
            self.at_seq[row[SEQ]] = row
        if row[HASH] in self.hashes:
            self.of_hash[row[HASH]] = row[SEQ]
        if self.ids and row[ID] in self.ids:
            self.of_id[row[ID]] = row[SEQ]
        if row[VERSION] in self.versions:
            self.of_version[row[VERSION]] = row[SEQ]
            if row[TIPO] == NOTE_TYPE:
                self.notes[row[VERSION]] = row[SEQ]


def examine(
    read: Callable[[], Iterable[TrailRow]],
    head: ChainHead,
    witnesses: Sequence[Witness] = (),
    gapless_after: int = 0,
    now: str = "",
    on_progress: Progress = lambda _: None,
) -> TrailReport:
    """`read` gives the rows in the order of their seqs; it is called again if something does not fit. `now` is the end
    of every "before". A witness of the empty trail says nothing about any event."""
    witnesses = [w for w in witnesses if (w.seq, w.hash) != EMPTY]
    seen = _first_pass(read(), witnesses, gapless_after, on_progress)
    findings = explained(read(), seen.suspects, head, gapless_after) if seen.misfits else []
    end = ChainHead(seen.last[SEQ], seen.last[HASH]) if seen.last else ChainHead(0, GENESIS)
    findings += _at_the_end(seen, head)
    agreeing = [w for w in witnesses if w.seq in seen.at_seq and seen.at_seq[w.seq][HASH] == w.hash]
    denying = [w for w in witnesses if not (w.seq in seen.at_seq and seen.at_seq[w.seq][HASH] == w.hash)]
    gone = [w for w in denying if w.hash not in seen.of_hash]
    findings = [_sharpened(each, gone) for each in findings]
    findings += _by_witnesses(seen, end, agreeing, denying, findings)
    ended = [each if each.until else replace(each, until=now) for each in findings]
    unchanged = _unchanged_up_to(agreeing, denying)
    lost = [w for w in denying if _is_lost(w, seen, end, unchanged)]
    return TrailReport(seen.events, end, len(witnesses), len(agreeing), sorted(ended, key=lambda f: f.first), lost)


def _first_pass(
    rows: Iterable[TrailRow], witnesses: Sequence[Witness], gapless_after: int, on_progress: Progress
) -> _TrailSeen:
    ids = {w.event_id for w in witnesses if w.event_id}
    versions = {w.version for w in witnesses if w.version}
    seen = _TrailSeen({w.seq for w in witnesses}, {w.hash for w in witnesses}, ids, versions)
    previous, expected = GENESIS, 1
    for row in rows:
        if row[SEQ] > expected > gapless_after:
            seen.misfits += 1
        if event_hash(previous, row[:_FIELDS]) != row[HASH]:
            seen.misfits += 1
            if len(seen.suspects) < SUSPECTS_MAX:
                seen.suspects.append(row)
        previous, expected = row[HASH], row[SEQ] + 1
        seen.note(row)
        seen.events += 1
        if seen.events % PROGRESS_EVERY == 0:
            on_progress(seen.events)
        seen.last = row
    on_progress(seen.events)
    return seen


def _at_the_end(seen: _TrailSeen, head: ChainHead) -> list[TrailFinding]:
    """The head is written in the commit of the last event: events beyond it, or none at it, were not left by us."""
    last, at = (seen.last[SEQ], event_time(seen.last)) if seen.last else (0, "")
    if seen.last is not None and seen.last[HASH] == head.hash:
        return []
    if last < head.seq:
        return [TrailFinding(Kind.MISSING, last + 1, head.seq, since=at, witness=HEAD)]
    if last > head.seq:
        return [TrailFinding(Kind.ADDED, head.seq + 1, last, witness=HEAD)]
    return [] if seen.misfits or seen.last is None else [TrailFinding(Kind.REWRITTEN, 1, last, witness=HEAD)]


# Which times count: "after" must never be later than the deed. A seal, a backup's head and a receipt have the hash
# that is stored with the last event; nobody computed it from the event's fields. Who changed them in place left the
# hash, and whatever is signed afterwards agrees with it: of such an event nothing tells more than that the one before
# was written. A missing event stood when a receipt named its own seq (the server had just written the row, or read
# the seq from it), when it was written, which its row in a sheet tells, and when a head that ends with it was signed
# for a seal or a backup: they look for its row first. A receipt does not: its head may be one that was left after the
# event was deleted.


def _sharpened(found: TrailFinding, gone: Sequence[Witness]) -> TrailFinding:
    """A missing event stood later than the one before it was written. `gone` are witnesses whose hash is nowhere."""
    if found.kind is not Kind.MISSING:
        return found
    return replace(found, since=max([found.since, *_times_of(found.first, found.last, gone)]))


def _times_of(first: int, last: int, witnesses: Sequence[Witness]) -> list[str]:
    """Instants at which one of these events stood in the trail."""
    stood = [w for w in witnesses if first <= (w.event_seq if w.what else w.seq) <= last]
    return [w.made_at for w in stood if w.made_at]


def _by_witnesses(
    seen: _TrailSeen,
    end: ChainHead,
    agreeing: Sequence[Witness],
    denying: Sequence[Witness],
    known: Sequence[TrailFinding],
) -> list[TrailFinding]:
    """What the trail alone does not show: its end is cut off, or the chain was computed anew."""
    found: list[TrailFinding] = []
    elsewhere = {w.seq for w in denying if w.hash in seen.of_hash or w.event_id in seen.of_id}
    beyond = [w for w in denying if w.seq > end.seq and w.seq not in elsewhere]
    covered = max((each.last for each in known if each.kind is Kind.MISSING), default=0)
    if beyond and max(w.seq for w in beyond) > covered:
        found.append(_cut_off(max(end.seq, covered) + 1, beyond))
    other = [w for w in denying if (w.seq <= end.seq or w.seq in elsewhere) and not _is_known(w, seen, known)]
    if other:
        found.append(_rewritten(seen, agreeing, sorted(denying, key=lambda w: w.seq)))
    return found


def _cut_off(first: int, beyond: Sequence[Witness]) -> TrailFinding:
    newest = max(beyond, key=lambda w: w.seq)
    since = max(_times_of(first, newest.seq, beyond), default="")
    event = next((w.event for w in beyond if w.seq == first), "")
    return TrailFinding(Kind.MISSING, first, newest.seq, since=since, witness=newest.source, event=event)


def _is_known(w: Witness, seen: _TrailSeen, known: Sequence[TrailFinding]) -> bool:
    """Whether a finding of the trail itself explains why the witness does not agree."""
    if w.hash in seen.of_hash:
        return bool(known)
    return any(each.first <= w.seq <= each.last for each in known)


def _rewritten(seen: _TrailSeen, agreeing: Sequence[Witness], denying: Sequence[Witness]) -> TrailFinding:
    """The hash of an event stands for everything before it: the first event that differs comes after the last one that
    some witness agrees with, and not after the first one that some witness denies."""
    first = denying[0]
    before = _unchanged_up_to(agreeing, denying)
    since = max(w.made_at for w in denying)
    after = [w.known_at for w in agreeing if w.seq >= first.seq and w.known_at]
    found = TrailFinding(Kind.REWRITTEN, before + 1, first.seq, since=since, until=min(after, default=""))
    if first.event_id and before + 1 == first.seq:
        kind = _kind_of_tampering(seen, first)
        found = replace(found, kind=kind, now_at=seen.of_id[first.event_id] if kind is Kind.MOVED else 0)
    if first.hash in seen.of_hash:
        found = replace(found, kind=Kind.MOVED, first=first.seq, now_at=seen.of_hash[first.hash])
    event = _event_told(found.kind, seen, first) if found.first == found.last else ""
    return replace(found, witness=first.source, event=event)


def _event_told(kind: Kind, seen: _TrailSeen, w: Witness) -> str:
    """The row that was changed or added as it stands, else what the witness says of its event."""
    row = seen.at_seq.get(w.seq)
    return event_text(row) if row is not None and kind in (Kind.CHANGED, Kind.ADDED) else w.event or w.what


def _kind_of_tampering(seen: _TrailSeen, w: Witness) -> Kind:
    """How the event at this seq was tampered with: the same event id means changed; an id that is gone means missing;
    otherwise another event was moved or added here."""
    row = seen.at_seq.get(w.seq)
    if row is not None and row[ID] == w.event_id:
        return Kind.CHANGED
    if w.event_id not in seen.of_id:
        return Kind.MISSING
    known = row is not None and row[ID] in seen.ids
    return Kind.MOVED if known else Kind.ADDED


def _unchanged_up_to(agreeing: Sequence[Witness], denying: Sequence[Witness]) -> int:
    """The hash of an event stands for everything before it: up to this seq the trail is the one of the witnesses that
    deny what follows. A witness that was made after the newest of those may be of the trail as it was made anew."""
    first, newest = min((w.seq for w in denying), default=0), max((w.made_at for w in denying), default="")
    earlier = (w.seq for w in agreeing if w.seq < first and (not newest or (w.known_at or w.made_at) <= newest))
    return max(earlier, default=0)


def _is_lost(w: Witness, seen: _TrailSeen, end: ChainHead, unchanged: int) -> bool:
    """Whether an acknowledged action is not in the trail. A version token names the change that was acknowledged; that
    it is there does not suffice, because a note keeps the token of its spool: such an event counts only where the trail
    may have another one than the tablet was told of, and for a note only if it is one."""
    if w.version and w.version not in seen.of_version:
        return True
    if not w.what or w.hash in seen.of_hash:
        return False
    seq, alike = w.event_seq or w.seq, seen.notes if w.is_note else seen.of_version
    return seq > end.seq or (bool(w.version) and seq > unchanged and alike.get(w.version, 0) <= unchanged)


HEAD = "head"
