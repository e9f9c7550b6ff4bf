"""Small worlds in which a backup was restored, the shop went on, and somebody tampered with the trail after that.

`python -m tests.support.restored_worlds 100000` tries so many; a number more says at which to begin."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from carrete.domain.trail.canonical import GENESIS
from carrete.domain.trail.compare import TrailReport, examine
from carrete.domain.trail.findings import HASH, SEQ, TrailFinding
from carrete.domain.trail.sentences import finding_sentence
from carrete.domain.trail.witness import Witness
from tests.support.tampered_worlds import (
    DEEDS,
    NOW,
    World,
    first_difference,
    honest,
    instant,
    receipt,
    sheet,
    witnesses_of,
)
from tests.support.tampering_truth import Truth
from tests.support.trails import Rows, head_of, rechained

WORKBOOK = "planilla"
RESTORED, GONE_ON, TAMPERED = 400, 500, 900  # minutes


@dataclass
class RestoredWorld:
    """`restored` is what the backup did to the trail, `tampered` what somebody did to it later."""

    restored: World
    tampered: World
    witnesses: list[Witness]

    def examined(self) -> TrailReport:
        return examine(lambda: self.tampered.now, self.tampered.head, self.witnesses, now=NOW)


def a_restored_world(seed: int) -> RestoredWorld:
    """Of each event after the restore there is a receipt. The chain was computed anew over the later deed."""
    chance = Random(seed)
    lost = honest(chance, range(1, chance.randrange(6, 25)), 0, GENESIS, "id")
    kept = lost[: chance.randrange(1, len(lost))]
    more = range(len(kept) + 1, len(kept) + chance.randrange(4, 25))
    middle = [*kept, *honest(chance, more, GONE_ON, kept[-1][HASH], "new")]
    after = _tampered(middle, len(kept), chance)
    restored = World(lost, middle, after, head_of(after), instant(RESTORED), "restored", True, False)
    tampered = World(middle, after, after, head_of(after), instant(TAMPERED), "tampered", False, False)
    restored.witnesses = list(witnesses_of(lost, chance, instant(RESTORED - 1), WORKBOOK))
    tampered.witnesses = [receipt(middle, at, chance) for at in range(len(kept), len(middle))]
    if chance.random() < 0.5:
        tampered.witnesses += sheet(middle[len(kept) :], WORKBOOK)
    return RestoredWorld(restored, tampered, [*restored.witnesses, *tampered.witnesses])


def _tampered(middle: Rows, kept: int, chance: Random) -> Rows:
    after = middle
    while after == middle or len(after) <= kept:
        after = chance.choice(DEEDS)(middle, chance.randrange(kept, len(middle)), chance)
        after = rechained(after, first_difference(middle, after))
    return after


def wrong_in(world: RestoredWorld) -> list[str]:
    """What is said of it and must not be, and what is not said. Where no witness parts the two deeds, they are told as
    one, done at the time of the later; and what only a workbook parts may have that time."""
    parted, only_receipts = _are_parted(world), not any(w.event_id for w in world.tampered.witnesses)
    deed_at = world.restored.deed_at if parted and only_receipts else world.tampered.deed_at
    restored = Truth(replace(world.restored, deed_at=deed_at, begun_at=world.restored.deed_at))
    tampered = Truth(world.tampered)
    findings = world.examined().findings
    wrong = [
        f"{of_restore}, {of_deed}: {finding_sentence(found).en} {found}"
        for found in findings
        if (of_restore := restored.wrong(found)) and (of_deed := tampered.wrong(found))
    ]
    if parted:
        told = {"the restore": _tells(findings, restored), "the deed": _tells(findings, tampered, instant(GONE_ON))}
        wrong += [f"{what} is not told" for what, is_told in told.items() if not is_told]
    return wrong


def _are_parted(world: RestoredWorld) -> bool:
    """Whether a receipt from between agrees beyond the first lost event that is witnessed, and a later one does not."""
    hashes = {row[SEQ]: row[HASH] for row in world.tampered.now}
    lost = [w.seq for w in world.restored.witnesses if hashes.get(w.seq) != w.hash]
    agreeing = [w.seq for w in world.tampered.witnesses if hashes.get(w.seq) == w.hash]
    denying = [w.seq for w in world.tampered.witnesses if hashes.get(w.seq) != w.hash]
    return any(min(lost, default=seq + 1) <= seq < max(denying, default=0) for seq in agreeing)


def _tells(findings: Sequence[TrailFinding], truth: Truth, since: str = "") -> bool:
    """Whether a true finding names its place, and does not say that it was done before that moment."""
    true = [found for found in findings if not truth.wrong(found) and (found.since or since) >= since]
    return any(truth.place in place for found in true for place in truth.places(found))


def main(worlds: int, begin: int = 0) -> int:
    wrong = 0
    for seed in range(begin, begin + worlds):
        world = a_restored_world(seed)
        for line in wrong_in(world):
            wrong += 1
            places = Truth(world.restored).place, Truth(world.tampered).place
            print(seed, f"[restored at {places[0]}, tampered at {places[1]}]", line)
    print(f"{worlds} worlds, {wrong} wrong sentences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
