"""Examines a trail: every event against the one before, the end against the head, and everything against witnesses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from carrete.domain.trail.canonical import EMPTY, FIELDS, GENESIS, ChainHead, event_hash
from carrete.domain.trail.compared import Compared, sharpened
from carrete.domain.trail.denied import denied_by_witnesses, told_by_places
from carrete.domain.trail.findings import HASH, SEQ, Kind, TrailFinding, TrailRow, event_time
from carrete.domain.trail.localise import SUSPECTS_MAX, explained
from carrete.domain.trail.lost import lost_actions
from carrete.domain.trail.seen import TrailSeen
from carrete.domain.trail.witness import Witness

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
    written_at: Mapping[int, int] = field(default_factory=dict)  # of events that stand elsewhere now, by their seqs
    foreign: Sequence[str] = ()  # workbooks of which the trail has nothing


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
    seen = _first_pass(read(), TrailSeen.of(witnesses), gapless_after, on_progress)
    compared = Compared.of(seen, witnesses, now)
    shown: list[TrailFinding] = []
    if seen.misfits:
        shown = explained(read(), seen.suspects, head, gapless_after, compared.hashes_from_before())
        shown = told_by_places(compared, shown)
    denied = denied_by_witnesses(compared, shown)
    shown = _with_the_end(shown, _at_the_end(compared, head), denied, compared)
    shown = sharpened(shown, compared.denying, seen)
    ended = [_ended(found, now) for found in (*shown, *denied)]
    return TrailReport(
        seen.events,
        seen.end,
        len(witnesses),
        len(compared.agreeing),
        sorted(ended, key=lambda f: f.first),
        lost_actions(compared),
        _written_at(shown, compared),
        sorted(compared.foreign_workbooks()),
    )


def _first_pass(rows: Iterable[TrailRow], seen: TrailSeen, gapless_after: int, on_progress: Progress) -> TrailSeen:
    previous, expected = GENESIS, 1
    for row in rows:
        if row[SEQ] > expected > gapless_after or row[SEQ] < expected:
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


def _at_the_end(compared: Compared, head: ChainHead) -> TrailFinding | None:
    """The head is written in the commit of the last event: events beyond it, or none at it, were not left by us. But
    the head itself can be changed, and then a witness may agree with an event that it denies."""
    seen, last = compared.seen, compared.seen.end.seq
    if seen.end.hash == head.hash:  # an event keeps its hash when numbers are closed up
        same = seen.end.seq == head.seq or seen.misfits
        return None if same else TrailFinding(Kind.HEAD_CHANGED, head.seq, last)
    confirmed = compared.confirmed()
    if last < head.seq:
        at = event_time(seen.last) if seen.last else ""
        return TrailFinding(Kind.MISSING, last + 1, head.seq, since=at, witness=HEAD)
    if confirmed > head.seq or confirmed == last > 0:
        return TrailFinding(Kind.HEAD_CHANGED, head.seq, confirmed, witness=HEAD)
    if last > head.seq:
        return TrailFinding(Kind.ADDED, head.seq + 1, last, witness=HEAD)
    return None if seen.misfits or not last else TrailFinding(Kind.REWRITTEN, confirmed + 1, last, witness=HEAD)


def _with_the_end(
    shown: Sequence[TrailFinding], end: TrailFinding | None, denied: Sequence[TrailFinding], compared: Compared
) -> list[TrailFinding]:
    """The head's sentence is left out where witnesses tell as much: they are out of the owner's reach. Where some of
    them agree further on, the shop went on after the deed, and its head was another one. It says all of a forged end
    that does not fit the event before: not that it was changed, too."""
    confirmed = compared.confirmed()
    of_the_end = [each for each in denied if each.last > confirmed]
    if end is None or (end.kind is Kind.REWRITTEN and of_the_end):
        return [*shown]
    missing = [each for each in of_the_end if each.kind is Kind.MISSING]
    number = sum(each.at_least or each.last - each.first + 1 for each in missing)
    if end.kind is Kind.MISSING and (number > end.last - end.first or any(each.last > end.last for each in missing)):
        return [*shown]
    last = shown[-1] if shown and end.kind is Kind.ADDED else None
    if last and last.kind is Kind.CHANGED and (last.first, last.last) == (end.first, end.last):
        return [*shown[:-1], replace(end, since=last.since, event=last.event)]
    return [*shown, end]


def _ended(found: TrailFinding, now: str) -> TrailFinding:
    """The clock of a tablet may be wrong: of times that contradict each other none counts."""
    since, until = "" if now and found.since > now else found.since, found.until or now
    return replace(found, since="", until=now) if until and since > until else replace(found, since=since, until=until)


def _written_at(shown: Iterable[TrailFinding], compared: Compared) -> dict[int, int]:
    """Where the events were written that stand elsewhere now: by the seq at which they stand. The id in a sheet tells
    it; of a receipt and the one before it the hashes do, which are those of that event at that place."""
    seen, places = compared.seen, dict[int, int]()
    hashes = compared.hashes_from_before() if compared.denying else {}
    for w in compared.denying:
        row = seen.of_version.get(w.version)
        before = hashes.get(w.seq - 1, {GENESIS} if w.seq == 1 else set[str]())
        if row and any(event_hash(each, (w.seq, *row[1:_FIELDS])) == w.hash for each in before):
            places[row[SEQ]] = w.seq
        if w.event_id in seen.of_id:
            places[seen.of_id[w.event_id]] = w.seq
    for each in shown:
        if each.kind is Kind.MOVED:
            places |= {each.now_at + n: each.first + n for n in range(each.last - each.first + 1)}
    return {now: written for now, written in places.items() if now != written}


HEAD = "head"
