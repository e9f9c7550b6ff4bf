"""What may be said of a world in which somebody tampered with the trail: the truth is known, event by event.

`python -m tests.support.tampering_truth 100000` tries so many worlds; a number more says at which to begin.
"""

from __future__ import annotations

import sys

from carrete.domain.trail.canonical import FIELDS
from carrete.domain.trail.compare import HEAD
from carrete.domain.trail.findings import HASH, ID, SEQ, Kind, TrailFinding, TrailRow
from carrete.domain.trail.sentences import finding_sentence
from tests.support.tampered_worlds import NOW, World, a_world, first_difference
from tests.support.trails import Rows, head_of, rechained

_N = len(FIELDS)


class Truth:
    def __init__(self, world: World) -> None:
        self.world = world
        self.written = {row[ID]: row for row in world.before}
        self.id_at = {row[SEQ]: row[ID] for row in world.before}
        self.now = {row[ID]: row for row in world.now}
        self.row_at = {row[SEQ]: row for row in world.now}
        self.place = first_difference(world.before, world.after) + 1
        if self.place <= len(world.before) and self.place <= len(world.after):
            pair = world.before[self.place - 1], world.after[self.place - 1]
            self.place = min(row[SEQ] for row in pair)

    def is_harmless(self) -> bool:
        return self.world.before == self.world.after

    def is_gone(self, seq: int) -> bool:
        """An event that was edited and moved, or in several deeds has the hash of another now, may be told as one that
        is missing and one that was added."""
        if seq not in self.id_at or self.id_at[seq] not in self.now:
            return seq in self.id_at
        row = self.now[self.id_at[seq]]
        return self.is_edited(row) and self.is_moved(row)

    def gone(self, first: int, last: int) -> int:
        return sum(self.is_gone(seq) for seq in range(first, last + 1))

    def is_forged(self, row: TrailRow) -> bool:
        return str(row[ID]).startswith("forged")

    def is_moved(self, row: TrailRow) -> bool:
        return row[ID] in self.written and self.written[row[ID]][SEQ] != row[SEQ]

    def is_edited(self, row: TrailRow) -> bool:
        was = self.written.get(row[ID])
        return was is not None and (was[1:_N] != row[1:_N] or (self.world.several and was[HASH] != row[HASH]))

    def wrong(self, found: TrailFinding) -> str:
        """Why this must not be said, "" if it is true."""
        if found.since and found.since > self.world.deed_at:
            return "since is later than the deed"
        if (found.until or NOW) < (self.world.begun_at or self.world.deed_at):
            return "until is earlier than the deed"
        if found.witness == HEAD and self.world.head_is_changed:
            return ""
        return str(getattr(self, f"_wrong_{found.kind.name.lower()}")(found))

    def _wrong_missing(self, found: TrailFinding) -> str:
        size = found.last - found.first + 1
        if found.at_least or found.witness == HEAD:
            if found.or_others:
                return ""
            first, least = (found.first, found.at_least) if found.at_least else (1, size)
            return "" if self.gone(first, found.last) >= least else "so many are not missing"
        if found.or_others:
            return ""
        return "" if self.gone(found.first, found.last) == size else "it is there"

    def _wrong_changed(self, found: TrailFinding) -> str:
        if found.or_others and self.place < found.last:
            return ""
        for seq in range(found.first, found.last + 1):
            row = self.row_at[seq]
            if not self.is_forged(row) and row[ID] not in self.written:
                return "it came later"
            if not self.is_forged(row) and not self.is_moved(row) and row == self.written[row[ID]]:
                return "it is as it was"
        return ""

    def _wrong_added(self, found: TrailFinding) -> str:
        for seq in range(found.first, found.last + 1):
            row = self.row_at[seq]
            moved = self.is_moved(row) or (self.world.several and row[ID] in self.written)
            right = self.is_forged(row) or (moved and (found.unsure or self.is_edited(row)))
            if not right and found.witness != HEAD:
                return "it is no forged one"
        return ""

    def _wrong_moved(self, found: TrailFinding) -> str:
        for n in range(found.last - found.first + 1):
            id_ = self.id_at.get(found.first + n, "")
            if id_ not in self.now or self.now[id_][SEQ] != found.now_at + n:
                return "it stands elsewhere"
        return ""

    def _wrong_rewritten(self, found: TrailFinding) -> str:
        """Of several deeds it is the first whose hashes were not left."""
        hashes = {row[SEQ]: row[HASH] for row in self.world.after}
        other = [row[SEQ] for row in self.world.before if hashes.get(row[SEQ]) != row[HASH]]
        places = [self.place, *(seq for seq in other if seq - 1 not in other)]
        return "" if any(found.first <= place <= found.last for place in places) else "the first place is another"

    def _wrong_head(self, _: TrailFinding) -> str:
        return ""

    _wrong_head_changed = _wrong_head

    def covered(self) -> bool:
        """Whether some witness from before has what was tampered with."""
        world = self.world
        by_copy = world.copy is not None and self.place <= len(world.copy)
        denied = [w for w in world.witnesses if self.row_at.get(w.seq, (None,) * (_N + 1))[HASH] != w.hash]
        return by_copy or bool(denied)

    def places(self, found: TrailFinding) -> list[range]:
        size = found.last - found.first + 1
        told = [range(1 if found.or_others else found.first, found.last + 1)]
        return told + ([range(found.now_at, found.now_at + size)] if found.kind is Kind.MOVED else [])


def chain_fits(rows: Rows) -> bool:
    return rows == rechained(rows, 0)


def wrong_in(world: World) -> list[str]:
    """What is said of it and must not be, and what is not said."""
    truth = Truth(world)
    report, differences = world.examined()
    findings = [*report.findings, *differences]
    wrong = [f"{why}: {finding_sentence(found).en} {found}" for found in findings if (why := truth.wrong(found))]
    wrong += [f"not lost: {w}" for w in report.lost if not truth.is_gone(w.event_seq or w.seq)]
    if truth.is_harmless():
        return [*wrong, "nothing was done"] if findings and world.head == head_of(world.now) else wrong
    if not findings and (truth.covered() or not chain_fits(world.now)):
        return ["nothing is said"]
    if not truth.covered():
        return wrong
    told = any(truth.place in place for found in findings for place in truth.places(found))
    return wrong if told else [*wrong, f"the first place {truth.place} is not told"]


def main(worlds: int, begin: int = 0) -> int:
    wrong = 0
    for seed in range(begin, begin + worlds):
        world = a_world(seed)
        for line in wrong_in(world):
            wrong += 1
            print(seed, f"[{world.deeds}; {len(world.before)} events]", line)
    print(f"{worlds} worlds, {wrong} wrong sentences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
