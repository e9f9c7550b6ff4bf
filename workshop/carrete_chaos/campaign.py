"""One campaign: a shop at work, faults, then quiet, then the verdict."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from carrete.background import cancel_and_wait
from carrete_bench.postgres import TemporaryPostgres
from carrete_chaos import shop
from carrete_chaos.at_rest import at_rest
from carrete_chaos.checker import Violation, check
from carrete_chaos.choosing import CrewMember
from carrete_chaos.cluster import Cluster, ClusterFailed
from carrete_chaos.disk import SmallDisk
from carrete_chaos.editing import EDICION
from carrete_chaos.fault_context import FaultContext
from carrete_chaos.faults import available, inject
from carrete_chaos.history import ActionCall, ActionRefused, ActionUnanswered, CampaignEvidence
from carrete_chaos.intruders import Administrator, PinGuesser
from carrete_chaos.ndt_log import SETTINGS
from carrete_chaos.office import Office
from carrete_chaos.officials import Examiner, Inspector, Official, Supervisor
from carrete_chaos.profiles import Profile
from carrete_chaos.proxy import Proxy
from carrete_chaos.recovery import RecoveryTimer, RecoveryTimes
from carrete_chaos.sending import TabletFloor
from carrete_chaos.sheet_editor import SheetEditor
from carrete_chaos.stopped_sheets import confirming_stopped_sheets
from carrete_chaos.tablet_device import TabletDevice
from carrete_chaos.tablets import Tablet
from carrete_chaos.viewer import CampaignViewer
from carrete_chaos.wire import NoAnswer, get

EDITS = "a person's edits in the sheet"
CONNECT_S_MAX = 60.0
HAPPENS_S_MAX = 60.0  # for all that should happen to devices, sessions and PINs


@dataclass(slots=True)
class CampaignVerdict:
    seed: int
    db: str
    actions: int = 0
    events: int = 0
    answered: Counter[str] = field(default_factory=Counter)
    bit: Counter[str] = field(default_factory=Counter)
    weather: Counter[str] = field(default_factory=Counter)
    viewer_connections: int = 0
    edits: int = 0
    identity: Counter[str] = field(default_factory=Counter)  # what happened to devices, sessions and PINs
    listed: int = 0  # rows that wait for a person, as the status tells
    recovery: RecoveryTimes = field(default_factory=RecoveryTimes)
    violations: list[Violation] = field(default_factory=list)
    shortcomings: list[str] = field(default_factory=list)  # a run that proved too little
    history: list[str] = field(default_factory=list)  # of the spool with the shortest trail that is wrong
    logs: Path | None = None  # of the processes, kept when something is wrong

    @property
    def green(self) -> bool:
        return not self.violations and not self.shortcomings


class Campaign:
    """A cluster with tablets, proxies, an editor of the sheet and a viewer. It may work several times; each verdict
    covers all of it."""

    def __init__(
        self,
        cluster: Cluster,
        profile: Profile,
        seed: int,
        db: str,
        database: TemporaryPostgres | None,
        disk: SmallDisk | None,
    ) -> None:
        self._cluster = cluster
        self._profile = profile
        self._seed = seed
        self._db = db
        self._rng = Random(seed)
        network = profile.network
        self._proxies = [Proxy(port, Random(self._rng.random()), network) for port in cluster.ports]
        whole, jointed = shop.whole_tags(profile.spools), shop.jointed_tags(profile.spools)
        self._floor = TabletFloor([], whole, jointed)
        recovery_timer = RecoveryTimer(self._floor, cluster.ports, Random(self._rng.random()))
        rng = Random(self._rng.random())
        self._fault_context = FaultContext(cluster, rng, recovery_timer, database, disk, self._proxies, profile.pace)
        wanted = available(db, disk=disk is not None, sheet=cluster.google is not None)
        only = profile.faults
        self._faults = {name: do for name, do in wanted.items() if only is None or name in only}
        self._viewer = CampaignViewer(cluster.ports, Random(self._rng.random()))
        self._people = self._crew()
        self._office = Office(cluster.database_url, cluster.folder) if cluster.access != "open" else None
        self._beside: list[Administrator | PinGuesser] = []
        self._editor: SheetEditor | None = None

    async def begin(self) -> None:
        profile, cluster = self._profile, self._cluster
        shop.fill(cluster.database_url, profile.tablets, profile.spools, SETTINGS)
        if self._office is not None:
            self._enrol(self._office)
        if cluster.google is not None:
            cluster.google.start(profile.tablets, profile.spools)
            self._editor = SheetEditor(
                cluster.google, Random(self._rng.random()), profile.tablets, profile.edit_every_s
            )
        await cluster.start()
        for proxy in self._proxies:
            await proxy.start()
        self._floor.ports = [proxy.port for proxy in self._proxies]
        if self._office is not None:
            await self._fault_context.recovery_timer.sign_in(self._office)

    def _enrol(self, office: Office) -> None:
        """Gives PINs to people, cookies to tablets, and a cookie to the clients that only read."""
        floor, rng, pace = self._floor, self._rng, self._profile.identity
        office.give_pins(person.id for person in shop.people(self._profile.tablets))
        for n, (tablet, secret) in enumerate(
            zip(self._people, office.devices(f"Tableta {n}" for n in range(len(self._people))), strict=True)
        ):
            tablet.device, tablet.office = TabletDevice(floor, Random(rng.random() + n), secret), office
            tablet.goes_offline = not isinstance(tablet, Official)
        reader, guessed = office.devices(("Oficina", "Tableta sin dueño"))
        self._cluster.read_headers = self._viewer.headers = reader.headers
        self._beside = [
            Administrator(floor, office, self._people, Random(rng.random()), pace.revoke_every_s),
            PinGuesser(floor, guessed, Random(rng.random()), pace.guess_every_s),
        ]

    def supervised(self) -> AbstractAsyncContextManager[None]:
        return confirming_stopped_sheets(self._cluster.database_url, self._floor.log.happened)

    async def work(self) -> None:
        beside = [asyncio.create_task(self._viewer.watch())]
        if self._editor is not None:
            await self._connected()
            beside.append(asyncio.create_task(self._editor.work()))
        self._floor.open = True
        taps = [asyncio.create_task(person.work()) for person in (*self._people, *self._beside)]
        began = time.monotonic()
        await inject(self._fault_context, self._faults, self._profile.fault_every_s, lambda: self._enough(began))
        self._floor.open = False
        await asyncio.gather(*taps)
        await _cancel_all(beside)

    def _enough(self, began: float) -> bool:
        """Whether every fault has had an effect, everything in `happenings` has happened, and enough actions were done;
        a slow machine gets more time, within a bound."""
        passed, profile = time.monotonic() - began, self._profile
        late = passed > profile.seconds * profile.slower_max
        tried = all(
            self._fault_context.bit[name] or (late and self._fault_context.missed[name]) for name in self._faults
        )
        done = len(self._floor.calls) >= profile.actions_min or late
        seen = not self._not_happened() or passed > max(profile.seconds * profile.slower_max, HAPPENS_S_MAX)
        return passed > profile.seconds and tried and done and seen

    def _not_happened(self) -> list[str]:
        if self._office is None:
            return []
        return [name for name in self._profile.identity.wanted if not self._floor.log.happened[name]]

    def _crew(self) -> list[Tablet]:
        """As many workers as tablets. Two of them share each tablet, and each of them uses two."""
        floor, rng, number = self._floor, self._rng, self._profile.tablets
        pace = self._profile.identity
        crew = [CrewMember(shop.FIRST_WORKER + n) for n in range(number)]
        workers = [Tablet(floor, [crew[n], crew[(n + 1) % number]], Random(rng.random()), pace) for n in range(number)]
        supervisor = Supervisor(floor, [CrewMember(shop.SUPERVISOR)], Random(rng.random()), pace)
        inspector = Inspector(floor, [CrewMember(shop.INSPECTOR)], Random(rng.random()), pace)
        examiner = Examiner(floor, [CrewMember(shop.EXAMINER)], Random(rng.random()), pace)
        return [*workers, supervisor, inspector, examiner]

    async def _connected(self) -> None:
        """Waits for the first read of the sheet: its content from before that read is no person's edit."""
        until = time.monotonic() + CONNECT_S_MAX
        while time.monotonic() < until:
            with suppress(NoAnswer):
                status = (await get(self._cluster.ports[0], "/api/sync/status", 5.0, self._cluster.read_headers)).body
                if status.get("connected") and status.get("last_sync"):
                    return
            await asyncio.sleep(0.05)
        raise ClusterFailed("the lane did not connect in time")

    async def verdict(self) -> CampaignVerdict:
        """Ends all faults, waits until the shop is quiet, and checks the evidence."""
        cluster, wait_s_max = self._cluster, self._profile.rest_s_max
        for proxy in self._proxies:
            await proxy.quiet()
        if cluster.google is not None and self._editor is not None:
            self._editor.repair()
            cluster.google.calm()
        await cluster.redis_healthy()
        edits = self._editor.edits if self._editor else []
        evidence = await at_rest(cluster, self._floor.calls, edits, wait_s_max)
        await self._viewer.catch_up(evidence.facts[-1].seq if evidence.facts else 0, wait_s_max)
        identity = self._floor.log if self._office is not None else None
        offline = replace(evidence.offline, kept=self._floor.kept) if evidence.offline and identity else None
        evidence = replace(evidence, streamed=self._viewer.seen, identity=identity, offline=offline)
        verdict = _verdict(self._seed, self._db, evidence, self._profile)
        verdict.bit, verdict.recovery = self._fault_context.bit, self._fault_context.recovery_timer.figures
        verdict.weather = sum((Counter({str(kind): n for kind, n in p.met.items()}) for p in self._proxies), Counter())
        verdict.viewer_connections = self._viewer.connections
        if self._editor is not None:
            verdict.bit[EDITS] = verdict.edits
        wanted = {*self._faults, *([EDITS] if self._editor else [])}
        verdict.shortcomings += [f"«{name}» never bit" for name in sorted(wanted) if not verdict.bit[name]]
        verdict.identity = self._floor.log.happened
        verdict.shortcomings += [f"«{name}» never happened" for name in self._not_happened()]
        return verdict

    async def end(self) -> None:
        for proxy in self._proxies:
            await proxy.stop()


async def _cancel_all(tasks: Sequence[asyncio.Task[None]]) -> None:
    """Stops the tasks. A task that ended earlier raised an error of the campaign itself, which is raised here."""
    await cancel_and_wait(tasks)
    for task in tasks:
        if not task.cancelled() and (mistake := task.exception()):
            raise mistake


async def run(
    cluster: Cluster,
    profile: Profile,
    seed: int,
    db: str,
    database: TemporaryPostgres | None = None,
    disk: SmallDisk | None = None,
) -> CampaignVerdict:
    campaign = Campaign(cluster, profile, seed, db, database, disk)
    await campaign.begin()
    try:
        async with campaign.supervised():
            await campaign.work()
            return await campaign.verdict()
    finally:
        await campaign.end()


def _verdict(seed: int, db: str, evidence: CampaignEvidence, profile: Profile) -> CampaignVerdict:
    verdict = CampaignVerdict(seed, db, len(evidence.calls), len(evidence.facts), violations=check(evidence))
    verdict.edits = sum(fact.tipo == EDICION for fact in evidence.facts)
    verdict.listed = len(evidence.sheet.listed) if evidence.sheet else 0
    verdict.answered = Counter(_answer(call) for call in evidence.calls)
    if verdict.actions < profile.actions_min:
        verdict.shortcomings.append(f"{verdict.actions} actions; at least {profile.actions_min} were wanted")
    if verdict.answered["ActionDone"] < verdict.actions / 10:
        verdict.shortcomings.append("fewer than one action in ten succeeded")
    verdict.history = _shortest(evidence, verdict.violations)
    return verdict


def _answer(call: ActionCall) -> str:
    if isinstance(call.outcome, ActionRefused):
        return call.outcome.code
    if isinstance(call.outcome, ActionUnanswered) and call.outcome.why:
        return call.outcome.why
    return type(call.outcome).__name__


def _shortest(evidence: CampaignEvidence, violations: list[Violation]) -> list[str]:
    """The wrong spool with the shortest history."""
    tags = {violation.tag for violation in violations if violation.tag}
    if not tags:
        return []
    by_tag = {tag: [call for call in evidence.calls if call.tag == tag] for tag in tags}
    tag = min(by_tag, key=lambda t: len(by_tag[t]))
    calls = [(call.began, f"{call}") for call in by_tag[tag]]
    edits = [(edit.at, f"{edit}") for edit in evidence.edits if edit.tag == tag]
    facts = [(float("inf"), f"{fact}") for fact in evidence.facts if fact.tag == tag]
    return [line for _, line in sorted([*calls, *edits]) + facts]
