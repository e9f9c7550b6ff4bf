"""The witnesses beside the trail: which of them agree with it and which deny it, and what their times tell."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace

from carrete.domain.trail.findings import Kind, TrailFinding
from carrete.domain.trail.seen import TrailSeen
from carrete.domain.trail.witness import Witness


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
        the witnesses that deny what follows. Of that one's kind the first whose clock was not ahead tells the time."""
        if not denying:
            return 0
        first, told = denying[0], (w for w in denying if not self.is_of_the_future(w.made_at))
        timed = next((w for w in told if w.source == first.source or not (w.event_id or first.event_id)), None)
        of_before = (w.seq for w in self.agreeing if timed and w.seq < first.seq and is_of_the_trail_of(w, timed))
        return max(of_before, default=0)

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


def told_at(w: Witness) -> str:
    """A workbook does not say when its rows were written, only when their events were."""
    return w.made_at if w.event_id else w.known_at or w.made_at


def is_of_the_trail_of(w: Witness, denying: Witness) -> bool:
    """What was made later may be of a trail that was made anew and went on. Rows of a workbook are of the same trail as
    others of that workbook alone."""
    told = w.source == denying.source if w.event_id else bool(told_at(w))
    return told and told_at(w) <= denying.made_at


class Stood:
    """When witnesses saw single events stand in the trail, for the question when those of a range stood last."""

    def __init__(self, witnesses: Iterable[Witness]) -> None:
        timed = ((w.event_seq if w.what else w.seq, w.made_at) for w in witnesses if w.made_at)
        self._times = sorted(timed)

    def last(self, first: int, last: int) -> str:
        times = self._times
        begin, end = bisect_left(times, (first, "")), bisect_left(times, (last + 1, ""))
        return max((times[at][1] for at in range(begin, end)), default="")


# Which times count: "after" must never be later than the deed. A seal, a backup's head and a receipt have the hash
# that is stored with the last event; nobody computed it from the event's fields. Who changed them in place left the
# hash, and whatever is signed afterwards agrees with it: of such an event nothing tells more than that the one before
# was written. A missing event stood when a receipt named its own seq (the server had just written the row, or read
# the seq from it), when it was written, which its row in a sheet tells, and when a head that ends with it was signed
# for a seal or a backup: they look for its row first. A receipt does not: its head may be one that was left after the
# event was deleted.


def sharpened(findings: Iterable[TrailFinding], denying: Iterable[Witness], seen: TrailSeen) -> list[TrailFinding]:
    """A missing event stood later than the one before it was written."""
    stood = Stood(w for w in denying if w.hash not in seen.of_hash)
    return [
        replace(found, since=max(found.since, stood.last(found.first, found.last)))
        if found.kind is Kind.MISSING and not found.at_least
        else found
        for found in findings
    ]
