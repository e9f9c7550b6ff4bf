"""The one path of every action. Nothing else changes a spool on a worker's behalf.

    enter the gate → [ key seen? → read → the rule decides → compare-and-set + events + outbox + answer ] → leave

What stands in brackets is one commit, shared with whoever was waiting at the same time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

from carrete.actions.record import number_events
from carrete.domain.change import Change
from carrete.domain.commands import Command, Corregir, Finalizar, Liberar, Tomar
from carrete.domain.decide import Case, decide
from carrete.domain.refusals import Refusal, VersionConflict
from carrete.domain.shop import Shop
from carrete.domain.shop_time import whole_second
from carrete.gate import SOMEBODY_ELSES, Gate, Passage, Sight, Trace
from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import RaceLost
from carrete.ledger.lock_value import lock_value
from carrete.ledger.packing import packed, unpacked
from carrete.ledger.rows import StoredEvent
from carrete.ledger.store import (
    Answer,
    Changes,
    JointWrite,
    KnownKey,
    LoadedState,
    SpoolWrite,
    keep,
    key_known,
    last_seqs,
    load_state,
    record,
    update_rows,
)
from carrete.ledger.tokens import fresh_token
from carrete.ledger.writer import GroupWriter

T = TypeVar("T")


class KeyReused(Refusal):
    code = "IDEMPOTENCY_KEY_REUSED"
    title = "Clave ya usada"

    def __init__(self) -> None:
        super().__init__("Esta Idempotency-Key ya se usó para otra solicitud.")


@dataclass(slots=True)
class Done:
    """A command that succeeded: the spool after it and its last event."""

    change: Change
    event_seq: int = 0


Outcome = Done | Refusal


@dataclass(frozen=True, slots=True)
class Request:
    """One call from outside: its commands are decided in one commit, each on its own.

    `render` turns the outcomes into the answer, which is stored under `key` in that same commit."""

    commands: Sequence[Command]
    render: Callable[[Sequence[Command], Sequence[Outcome]], Answer]
    key: str | None = None
    fingerprint: str = ""


@dataclass(slots=True)
class _Work:
    request: Request
    passages: Sequence[Passage]
    now: datetime


@dataclass(frozen=True, slots=True)
class _Decided:
    """`outcomes` is empty when an earlier answer was given again."""

    answer: Answer | Refusal
    traces: Sequence[Trace | None]
    outcomes: Sequence[Outcome]


_BY_JOINT = (Finalizar, Corregir, Liberar)  # these need the joints loaded
EXTEND_EVERY_S = 4.0  # well within the ten seconds that a pending lock is kept


class Performer:
    def __init__(
        self,
        database: Database,
        gate: Gate,
        shop: Shop,
        clock: Callable[[], datetime] | None = None,
        extend_every_s: float = EXTEND_EVERY_S,
    ) -> None:
        self._gate = gate
        self._shop = shop
        self._clock = clock or (lambda: datetime.now(UTC))
        self._extend_every_s = extend_every_s
        self._under_way: dict[int, tuple[_Work, Sequence[Sight]]] = {}
        self._extending: asyncio.TimerHandle | None = None
        self.observe: Callable[[Sequence[Command], Sequence[Outcome]], None] = _unobserved
        # Events were committed; for these spools no lock changed with them.
        self.announce: Callable[[Sequence[str]], None] = _unannounced
        self._writer: GroupWriter[_Work, _Decided] = GroupWriter(database, self._decide_group)

    async def perform(self, request: Request) -> Answer:
        """The answer, after it is on the disk. Raises LedgerUnavailable when its outcome is unknown."""
        now = whole_second(self._clock())
        zone = self._shop.zone
        passages = [Passage(c.tag, lock_value(c.worker_id, now, zone), isinstance(c, Tomar)) for c in request.commands]
        sights = await self._gate.enter(passages)
        traces: Sequence[Trace | None] = [None] * len(passages)
        try:
            decided = await self._committed(_Work(request, passages, now), sights)
            traces = decided.traces
        except RaceLost:
            traces = [SOMEBODY_ELSES] * len(passages)
            answer, outcomes = await self._writer.run_exclusive(lambda tx: _give_up(tx, request, now))
            decided = _Decided(answer, traces, outcomes)
        finally:
            await self._gate.leave(passages, sights, traces)
        if decided.outcomes:
            self.observe(request.commands, decided.outcomes)
            self._announce(decided)
        if isinstance(decided.answer, Refusal):
            raise decided.answer
        return decided.answer

    def _announce(self, decided: _Decided) -> None:
        """A lock that changes tells the other processes by itself; of the rest they must be told."""
        tags: list[str] = []
        number_events = False
        for outcome, trace in zip(decided.outcomes, decided.traces, strict=True):
            if isinstance(outcome, Done) and outcome.change.events:
                number_events = True
                if trace is None or trace.before == trace.after:
                    tags.append(outcome.change.spool.tag)
        if number_events:
            self.announce(tags)

    async def _committed(self, work: _Work, sights: Sequence[Sight]) -> _Decided:
        """A commit that takes long keeps its place at the gate. One timer is for everybody: nearly all are done before
        it rings."""
        self._under_way[id(work)] = work, sights
        if self._extending is None:
            self._extend_later()
        try:
            return await self._writer.submit(work)
        finally:
            del self._under_way[id(work)]
            if self._extending and not self._under_way:
                self._extending.cancel()
                self._extending = None

    def _extend_later(self) -> None:
        self._extending = asyncio.get_running_loop().call_later(self._extend_every_s, self._extend)

    def _extend(self) -> None:
        for work, sights in self._under_way.values():
            self._gate.extend(work.passages, sights)
        self._extend_later()

    async def housekeeping(self, work: Callable[[Tx], T]) -> T:
        """A transaction that touches no spool, on the one writing connection."""
        return await self._writer.run_exclusive(work)

    def stop(self) -> None:
        self._writer.stop()

    def _decide_group(self, tx: Tx, works: Sequence[_Work]) -> list[_Decided]:
        commands = [command for work in works for command in work.request.commands]
        found = load_state(
            tx,
            tags=(command.tag for command in commands),
            keys=(work.request.key for work in works if work.request.key),
            workers=(command.worker_id for command in commands),
            by_joint=(command.tag for command in commands if isinstance(command, _BY_JOINT)),
        )
        group = _Group(tx, self._shop, found)
        for work in works:
            group.decide(work)
        return group.keep(works[-1].now)


def _unobserved(commands: Sequence[Command], outcomes: Sequence[Outcome]) -> None:
    del commands, outcomes


def _unannounced(tags: Sequence[str]) -> None:
    del tags


def _give_up(tx: Tx, request: Request, now: datetime) -> tuple[Answer | Refusal, Sequence[Outcome]]:
    """The race was lost too often. That too is final under its key, so that no twin acts after it was told."""
    known = key_known(tx, request.key) if request.key else {}
    if request.key in known:
        return replay(request, known), ()
    outcomes = [VersionConflict(command.tag, command.version, None) for command in request.commands]
    answer = request.render(request.commands, outcomes)
    if request.key:
        keep(tx, Changes(now), keys={request.key: _to_keep(request, answer)})
    return answer, outcomes


def replay(request: Request, known: Mapping[str, KnownKey]) -> Answer | Refusal:
    assert request.key is not None
    key = known[request.key]
    if key.fingerprint != request.fingerprint:
        return KeyReused()
    return replace(key.answer, body=unpacked(key.answer.body, _tags(request)))


def _to_keep(request: Request, answer: Answer) -> KnownKey:
    return KnownKey(request.fingerprint, replace(answer, body=packed(answer.body, _tags(request))))


def _tags(request: Request) -> list[str]:
    return [command.tag for command in request.commands]


class _Group:
    """The transaction of a group: decisions build on each other in memory and are put down together."""

    def __init__(self, tx: Tx, shop: Shop, found: LoadedState) -> None:
        self._tx = tx
        self._shop = shop
        self._read = dict(found.spools)
        self._spools = found.spools
        self._workers = found.workers
        self._keys = found.keys
        self._joints_read = {tag: {joint.n_union: joint for joint in each} for tag, each in found.joints.items()}
        self._joints = {tag: dict(found) for tag, found in self._joints_read.items()}
        self._decided: list[tuple[Request, list[Outcome] | None]] = []
        self._fresh_keys: dict[str, str] = {}
        self._changes: list[Done] = []
        self._last_change: dict[str, Done] = {}
        self._unchanging: list[tuple[Done, Done | None]] = []
        self._traces: list[Sequence[Trace]] = []

    def decide(self, work: _Work) -> None:
        """A request whose key was seen, in the ledger or earlier in this group, decides nothing."""
        request = work.request
        if request.key in self._keys or request.key in self._fresh_keys:
            self._decided.append((request, None))
            self._traces.append([Trace(lock, lock) for lock in map(self._lock_of, request.commands)])
            return
        if request.key:
            self._fresh_keys[request.key] = request.fingerprint
        outcomes: list[Outcome] = []
        traces: list[Trace] = []
        for command, passage in zip(request.commands, work.passages, strict=True):
            before = self._lock_of(command)
            outcomes.append(self._outcome(command, passage.value, work.now))
            traces.append(Trace(before, self._lock_of(command)))
        self._decided.append((request, outcomes))
        self._traces.append(traces)

    def _lock_of(self, command: Command) -> str | None:
        spool = self._spools.get(command.tag)
        return spool.occupation.lock if spool and spool.occupation else None

    def _outcome(self, command: Command, lock: str, now: datetime) -> Outcome:
        spool = self._spools.get(command.tag)
        joints = self._joints.get(command.tag, {}) if isinstance(command, _BY_JOINT) else {}
        case = Case(spool, self._workers.get(command.worker_id), now, self._shop, lock, list(joints.values()))
        try:
            change = decide(command, case)
        except Refusal as refusal:
            return refusal
        if not change.events:
            return self._unchanged(change)
        done = Done(change.with_spool(change.spool.but(version=fresh_token())))
        self._spools[command.tag] = done.change.spool
        for joint in change.joints:
            self._joints[joint.tag][joint.n_union] = joint.but(version=fresh_token())
        self._changes.append(done)
        self._last_change[command.tag] = done
        return done

    def _unchanged(self, change: Change) -> Done:
        """A success that changes nothing is told the last thing that did, in this group or before it."""
        done = Done(change)
        self._unchanging.append((done, self._last_change.get(change.spool.tag)))
        return done

    def keep(self, now: datetime) -> list[_Decided]:
        changes = Changes(now, self._spools_changed(), changed_joints=self._joints_changed())
        earlier = last_seqs(self._tx, (done.change.spool.tag for done, last in self._unchanging if last is None))
        seqs = update_rows(self._tx, changes, sum(len(done.change.events) for done in self._changes))
        events = self._numbered_events(iter(seqs))
        for done, last in self._unchanging:
            done.event_seq = last.event_seq if last else earlier[done.change.spool.tag]
        answers, keys = self._answers()
        record(self._tx, changes, events, keys)
        outcomes = [outcomes or () for _, outcomes in self._decided]
        return [_Decided(*each) for each in zip(answers, self._traces, outcomes, strict=True)]

    def _spools_changed(self) -> list[SpoolWrite]:
        tags = dict.fromkeys(done.change.spool.tag for done in self._changes)
        return [SpoolWrite(self._spools[tag], self._read[tag].version) for tag in tags]

    def _joints_changed(self) -> list[JointWrite]:
        return [
            JointWrite(joint, self._joints_read[tag][n_union].version)
            for tag, found in self._joints.items()
            for n_union, joint in found.items()
            if joint is not self._joints_read[tag][n_union]
        ]

    def _numbered_events(self, seqs: Iterator[int]) -> list[StoredEvent]:
        events: list[StoredEvent] = []
        for done in self._changes:
            stored = number_events(done.change, seqs)
            events += stored
            done.event_seq = stored[-1].seq
        return events

    def _answers(self) -> tuple[list[Answer | Refusal], dict[str, KnownKey]]:
        answers: list[Answer | Refusal] = []
        fresh: dict[str, KnownKey] = {}
        for request, outcomes in self._decided:
            if outcomes is None:
                answers.append(replay(request, self._keys))
                continue
            answer = request.render(request.commands, outcomes)
            answers.append(answer)
            if request.key:
                fresh[request.key] = _to_keep(request, answer)
                self._keys[request.key] = KnownKey(
                    request.fingerprint, Answer(answer.status, answer.body, replayed=True)
                )
        return answers, fresh
