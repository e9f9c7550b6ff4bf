"""The tablets of a campaign and the workers at them: each action has one idempotency key and one signature for all its
retries, and a tablet knows only its own answers."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from carrete_chaos.choosing import CrewMember, WorkerChoices
from carrete_chaos.happenings import SERVED
from carrete_chaos.history import ActionCall, ActionDone, ActionRefused, ActionUnanswered
from carrete_chaos.identity_log import (
    AFTER_SIGN_OUT,
    CHANGED_HANDS,
    EXPIRED,
    LATE,
    NEED_PIN,
    OTHER_NAME,
    OTHERS_KEY,
    PROPAGATION_S,
    USED_NUMBER,
    WITH_PIN,
    WITHOUT_PIN,
    OthersKey,
)
from carrete_chaos.ndt_log import count_happenings
from carrete_chaos.office import Office
from carrete_chaos.offline_log import FOR_MINUTES, WENT_OFFLINE
from carrete_chaos.offline_tablet import KeptEntry, OfflineTablet
from carrete_chaos.profiles import IdentityPace
from carrete_chaos.returning import ReturningTablet
from carrete_chaos.sending import Choice, PreparedTap, TabletFloor, new_key, until_answered
from carrete_chaos.tablet_device import TabletDevice, TabletSession

PAUSE_S_MAX = 0.02
UNSENT_MAX = 3
UNSENT_S_MAX = 3.0  # for which a tap waits in the queue while the tablet changes hands
LEAVES_NAME_OUT = 0.3
MISTYPES = 0.1
TAPS_AFTER_SIGN_OUT = 0.3
FAR_AWAY_S = (60.0, 180.0)  # between the racks, or where there is no Wi-Fi
STAYS = 0.6  # of the kept entries, for whose answers their author waits


@dataclass(slots=True)
class Tablet:
    """Without a `device` (mode `open`) the first of its crew works alone."""

    floor: TabletFloor
    crew: Sequence[CrewMember]
    rng: Random
    pace: IdentityPace = field(default_factory=IdentityPace)
    device: TabletDevice | None = None
    office: Office | None = None
    goes_offline: bool = False
    _at: int = 0  # who of the crew is at the tablet
    _hands_at: float = 0.0
    _offline_at: float = 0.0
    _later: list[asyncio.Task[None]] = field(default_factory=list)

    @property
    def person(self) -> CrewMember:
        return self.crew[self._at]

    def _colleague(self) -> CrewMember:
        """The person who comes to the tablet next."""
        return self.crew[(self._at + 1) % len(self.crew)]

    async def work(self) -> None:
        self._hands_at = self.floor.clock() + self.rng.uniform(*self.pace.hands_every_s)
        self._offline_at = self.floor.clock() + self.rng.uniform(*self.pace.offline_every_s)
        while self.floor.open:
            if self.device is None:
                await self._next()
            elif self.device.session is None:
                await self.sign_in()
            elif self.floor.clock() > self._hands_at:
                await self._change_hands(self.device.session)
            elif self.goes_offline and self.floor.clock() > self._offline_at:
                await self._work_offline(self.device, self.device.session)
            else:
                await self._next()
            await asyncio.sleep(self.rng.uniform(0, PAUSE_S_MAX))
        await asyncio.gather(*self._later)
        self._later.clear()

    async def sign_in(self) -> bool:
        """The next of the crew signs in; sometimes with a wrong PIN first."""
        assert self.device is not None
        comes = self._colleague()
        if self.rng.random() < MISTYPES:
            await self.device.mistype(comes.worker_id)
        if await self.device.sign_in(comes.worker_id):
            self._at = self.crew.index(comes)
            return True
        await asyncio.sleep(self.rng.uniform(0.1, 0.4))
        return False

    async def _next(self) -> None:
        if self.rng.random() < self.pace.misuse and await self._use_anothers_key():
            return
        call = await self.tap(self._choose())
        is_signed_in = self.device is None or self.device.session is not None  # it may have been revoked meanwhile
        if is_signed_in and isinstance(call.outcome, ActionRefused) and call.outcome.code == "UNION_NO_DISPONIBLE":
            await self.tap(Choice("finalizar", call.tag, call.operacion, {"selected_unions": []}))

    def _choose(self) -> Choice:
        return WorkerChoices(self.floor, self.rng).choose(self.person)

    async def tap(self, choice: Choice) -> ActionCall:
        person = self.person
        return await self._send(self._prepared(choice), person)

    def _prepared(self, choice: Choice) -> PreparedTap:
        """A tap signed now. Sometimes its body names no worker, which is right, or a colleague, which is wrong."""
        worker_id = self.person.worker_id
        if self.device is None or self.device.session is None:
            return PreparedTap(new_key(self.rng), worker_id, choice, choice.content(worker_id))
        chance = self.rng.random()
        if chance < self.pace.misuse and len(self.crew) > 1:
            return self.device.prepare(choice, self._colleague().worker_id)
        return self.device.prepare(choice, None if chance < LEAVES_NAME_OUT else worker_id)

    async def _send(self, tap: PreparedTap, person: CrewMember) -> ActionCall:
        device = self.device
        call = await until_answered(self.floor, tap, device.cookies if device else dict, self.rng)
        self.floor.calls.append(call)
        self.floor.exams.learn(call)
        if device is not None:
            self._note(tap, call, device)
        if not tap.names_another:
            person.learn(call)
        return call

    def _note(self, tap: PreparedTap, call: ActionCall, device: TabletDevice) -> None:
        happened, session = self.floor.log.happened, device.session
        if isinstance(call.outcome, ActionUnanswered):
            happened[WITHOUT_PIN] += call.outcome.why == "PIN_REQUERIDO"
            if tap.names_another:
                happened[OTHER_NAME] += call.outcome.why == "IDENTIDAD_DISTINTA"
            elif call.outcome.why and session and tap.origin and session.id == tap.origin.session:
                device.session = None  # the page asks for the PIN
            return
        happened[WITH_PIN] += call.accion in NEED_PIN
        count_happenings(call, happened)
        if call.accion in SERVED:
            happened[SERVED[call.accion]] += isinstance(call.outcome, ActionDone)
        happened[LATE] += session is not None and session.worker_id != tap.worker_id
        if not isinstance(call.outcome, ActionRefused) or call.outcome.status != 422:
            self.floor.answered.append(tap)

    # ─── without a connection ─────────────────────────────────────────────────────────────────────────────────

    async def _work_offline(self, device: TabletDevice, session: TabletSession) -> None:
        """When the connection is back, its author may wait for the answers, or leave the tablet to the next."""
        person, began = self.person, self.floor.clock()
        entries = await OfflineTablet(self.floor, session, person.holding, self.rng).work(self._spell_s())
        self.floor.log.happened[WENT_OFFLINE] += bool(entries)
        self.floor.log.happened[FOR_MINUTES] += bool(entries) and self.floor.clock() - began >= FAR_AWAY_S[0]
        waits_for = [entry for entry in entries if entry.is_alone or self.rng.random() < STAYS]
        left = [entry for entry in entries if entry not in waits_for]
        self._soon(self._send_kept(device, session, left, person))
        await self._send_kept(device, session, waits_for, person)
        self._offline_at = self.floor.clock() + self.rng.uniform(*self.pace.offline_every_s)

    def _spell_s(self) -> float:
        is_far = self.rng.random() < self.pace.far_away
        return self.rng.uniform(*(FAR_AWAY_S if is_far else self.pace.offline_s))

    async def _send_kept(
        self, device: TabletDevice, session: TabletSession, entries: Sequence[KeptEntry], person: CrewMember
    ) -> None:
        for call in await ReturningTablet(self.floor, device, session, self.rng).send(entries):
            person.learn(call)

    # ─── changing hands ───────────────────────────────────────────────────────────────────────────────────────

    async def _change_hands(self, before: TabletSession) -> None:
        """The next of the crew signs in, while taps of the one before are still in the tablet's queue. Who leaves
        signs out, or is followed by the next, or was there for twelve hours."""
        assert self.device is not None
        assert self.office is not None
        self._leave_taps_unsent()
        leaves = self.rng.choice(("signs out", "is followed", "expired"))
        if leaves == "expired":
            await self.office.expire(before.id)
            self.floor.log.happened[EXPIRED] += 1
        if leaves == "signs out":
            self.device.session = None
            self._soon(self._close(self.device, before))
        if await self.sign_in() and leaves == "is followed":
            self._soon(self._close(self.device, before))
        if self.device.session is not before:
            self._hands_at = self.floor.clock() + self.rng.uniform(*self.pace.hands_every_s)

    def _leave_taps_unsent(self) -> None:
        unsent = self.rng.randint(0, UNSENT_MAX)
        for _ in range(unsent):
            self._soon(self._send_later(self._prepared(self._choose()), self.person))
        self.floor.log.happened[CHANGED_HANDS] += unsent > 0

    async def _send_later(self, tap: PreparedTap, person: CrewMember) -> None:
        await self.floor.stays_open(self.rng.uniform(0, UNSENT_S_MAX))
        await self._send(tap, person)

    async def _close(self, device: TabletDevice, session: TabletSession) -> None:
        """Sometimes a thief of the key signs a tap after the last one, or one with a number that was used."""
        if not await device.close(session) or self.rng.random() > TAPS_AFTER_SIGN_OUT:
            return
        anything = WorkerChoices(self.floor, self.rng).end_anything()
        number = self.rng.choice((session.taps + 1, self.rng.randint(1, session.taps + 1)))
        beyond = session.sign(anything, None, new_key(self.rng), number)
        if not await self.floor.stays_open(self.rng.choice((0.0, PROPAGATION_S + self.rng.uniform(0.1, 1.0)))):
            return
        call = await until_answered(self.floor, beyond, device.cookies, self.rng)
        self.floor.calls.append(call)
        refused = isinstance(call.outcome, ActionUnanswered) and call.outcome.why == "TOQUE_NO_VALIDO"
        self.floor.log.happened[AFTER_SIGN_OUT if number > session.taps else USED_NUMBER] += refused

    def _soon(self, work: Coroutine[Any, Any, None]) -> None:
        self._later.append(asyncio.create_task(work))

    async def _use_anothers_key(self) -> bool:
        """Sends the same action as a colleague under the colleague's key, without naming a worker."""
        session = self.device.session if self.device else None
        others = [tap for tap in self.floor.answered if session and tap.worker_id != session.worker_id]
        if session is None or self.device is None or not others:
            return False
        theirs = self.rng.choice(others)
        mine = session.sign(theirs.choice, None, theirs.key)
        outcome = (await until_answered(self.floor, mine, self.device.cookies, self.rng)).outcome
        if isinstance(outcome, ActionUnanswered):
            return True
        status, code = (outcome.status, outcome.code) if isinstance(outcome, ActionRefused) else (200, "")
        log, used = self.floor.log, (theirs.key, theirs.choice.tag, mine.worker_id, theirs.worker_id)
        log.others_keys.append(OthersKey(*used, status, code))
        log.happened[OTHERS_KEY] += status == 422
        return True
