"""One seed of the sheet campaign: workers act, people edit, requests and commits fail, the lane is killed; then quiet,
and the check."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random
from random import seed as seed_everything

import httpx

from carrete.sheets.rows import storage
from carrete_chaos.sheets import invariants
from carrete_chaos.sheets.invariants import Tally
from carrete_chaos.sheets.link import nothing_happens
from carrete_chaos.sheets.random_actions import RandomActions
from carrete_chaos.sheets.random_edits import RandomEdits
from carrete_chaos.sheets.shop import ChaosShop, Killed

COMMITS_MAX = 6  # of one step before the ledger refuses the others
FAULTS = (
    "500", "503", "502-html", "429", "reset-before-apply", "401-once", "truncate-body",
    "apply-then-503", "apply-then-500", "apply-then-502-html", "apply-then-reset", "apply-then-hang", "apply-later",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SeedProfile:
    """How large the shop of one seed is, and how often each thing happens in it."""

    spools: int = 30
    joints_each: int = 6
    steps: int = 300
    taps_per_step: int = 16
    person: float = 0.5  # acts per step
    in_the_window: float = 0.25  # of the writes
    restructured: float = 0.35  # of the writes: columns or rows move in the window
    faulty: float = 0.25  # of the requests
    stale: float = 0.03  # of the reads
    kill: float = 0.02  # of the steps
    unsaved: float = 0.05  # of the steps: the ledger refuses the lane's commits
    quiet_s_max: float = 1_800.0


ORDINARY = SeedProfile()


def run(seed: int, profile: SeedProfile = ORDINARY) -> Tally:
    seed_everything(seed)  # the lane's own jitter and guards too: a seed repeats the same run
    with tempfile.TemporaryDirectory(prefix="carrete-chaos-", dir=_quick_folder()) as folder:
        shop = ChaosShop(Path(folder), seed, profile.spools, profile.joints_each)
        try:
            return _Run(shop, seed, profile).go()
        finally:
            shop.close()


def _quick_folder() -> str | None:
    """A folder in memory: the disk is not tested here."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


class _Run:
    def __init__(self, shop: ChaosShop, seed: int, profile: SeedProfile) -> None:
        self._shop = shop
        self._profile = profile
        self._rng = Random(seed * 7_919 + 1)
        self._disk_rng = Random(seed * 104_729 + 3)
        self._actions = RandomActions(shop, self._rng)
        self._edits = RandomEdits(shop)
        self._tally = Tally(seed)

    def go(self) -> Tally:
        shop, profile = self._shop, self._profile
        self._edits.own.prepare()
        self._pass_time(15.0)
        shop.emulator.options.stale_reads = profile.stale
        each_kind = 1 - (1 - profile.faulty) ** (1 / len(FAULTS))
        for kind in FAULTS:
            how = {"probability": each_kind, "times": None, "delay_s": self._rng.uniform(1, 90)}
            shop.emulator.faults.add({"fault": kind, **how})
        shop.google.meanwhile = self._in_the_window
        for _ in range(profile.steps):
            self._one_step()
        self._quiet()
        return self._counted()

    def _one_step(self) -> None:
        shop, profile = self._shop, self._profile
        shop.taps.all_at_once(list(self._actions.taps(self._rng.randrange(profile.taps_per_step * 2))))
        if self._rng.random() < profile.person:
            self._edits.act()
        if self._rng.random() < profile.kill:
            self._kill()
        if self._disk_rng.random() < profile.unsaved:
            made = self._disk_rng.random() < 0.25
            shop.lane_ledger.refuse_after(self._disk_rng.randrange(COMMITS_MAX), first_is_made=made)
        self._step_of_the_lane()
        shop.lane_ledger.recover()

    def _step_of_the_lane(self) -> None:
        try:
            wait = self._shop.lane.step()
        except Killed:
            self._kill()
            wait = 1.0
        self._shop.clock.sleep(wait * self._rng.uniform(0.5, 1.5))

    def _in_the_window(self, _request: httpx.Request) -> None:
        if self._rng.random() < self._profile.in_the_window:
            self._edits.act()
        if self._rng.random() < self._profile.restructured:
            self._edits.restructure()
        if self._rng.random() < self._profile.kill:
            raise Killed

    def _kill(self) -> None:
        self._tally.kills += 1
        self._shop.lane = self._shop.new_lane()

    def _quiet(self) -> None:
        """Ends all faults, delivers delayed requests, and gives the lane time to finish."""
        shop = self._shop
        self._tally.faults = sum(1 for one in shop.emulator.journal.entries() if one["fault"])
        shop.emulator.faults.clear()
        shop.emulator.options.stale_reads = 0.0
        shop.google.meanwhile = nothing_happens
        self._pass_time(40.0)
        shop.emulator.run_all()
        until = shop.clock.monotonic() + self._profile.quiet_s_max
        calm = 0
        while calm < 2 and shop.clock.monotonic() < until:
            self._pass_time(50.0)
            calm = calm + 1 if not self._busy() else 0

    def _busy(self) -> bool:
        with self._shop.database.reading() as tx:
            through = storage.events_through(tx)
            idle = {place for place, _ in self._shop.lane.flusher.idle}
            rows = [row for row in tx.all("outbox_all") if (row[0], (row[1], row[2])) not in idle]
            repairs = any(self._shop.lane.puller.repairer.repairs.values())
            return bool(rows or repairs or tx.all("events_to_send", through=through, limit=1) or storage.open_flush(tx))

    def _pass_time(self, seconds: float) -> None:
        until = self._shop.clock.monotonic() + seconds
        while self._shop.clock.monotonic() < until:
            self._shop.clock.sleep(self._shop.lane.step())

    def _counted(self) -> Tally:
        shop, tally = self._shop, self._tally
        with shop.database.reading() as tx:
            (tally.events,) = tx.one("events_count") or (0,)
            frozen = [f"{f.sheet} is frozen: {f.reason}" for f in storage.freezes(tx).values()]
        book = shop.emulator.file("planilla").book
        tally.person_acts = self._edits.acts
        tally.unsaved = shop.lane_ledger.refused
        tally.requests = sum(one["used"] for one in shop.emulator.quota.use())
        tally.astray = len(shop.emulator.journal.misdirected(book))
        tally.overwritten_unread = len(shop.emulator.journal.lost(book))
        tally.exceptions = len(shop.lane.puller.problems())
        tally.wrong = (*frozen, *invariants.findings(shop, keyless=False), *self._edits.own.findings())
        return tally
