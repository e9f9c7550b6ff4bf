"""Decides the requests of one group commit, in order and in memory, and writes all their changes together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from carrete.actions.answer import Answer
from carrete.actions.reclamos import GroupReclamos
from carrete.actions.record import number_events
from carrete.actions.relevos import GroupRelevos
from carrete.actions.requests import ChainSuccess, KeyReused, Outcome, ReclamoSuccess, Request, Success, people_of
from carrete.domain import sentences
from carrete.domain.chain import decide_chain
from carrete.domain.change import Change
from carrete.domain.commands import (
    Chain,
    Command,
    Corregir,
    Finalizar,
    Liberar,
    Ofrecer,
    Reclamar,
    RelevoCommand,
    Resolver,
)
from carrete.domain.decide import Case, decide
from carrete.domain.refusals import Refusal, VersionConflict
from carrete.domain.shop import Shop
from carrete.domain.spool import Spool
from carrete.gate import LockAttempt
from carrete.ledger.database import Tx
from carrete.ledger.errors import LedgerUnavailable
from carrete.ledger.packing import pack_answer, unpack_answer
from carrete.ledger.rows import StoredEvent
from carrete.ledger.store import (
    Changes,
    JointWrite,
    KnownKey,
    LoadedState,
    SpoolWrite,
    insert_events,
    keys_known,
    last_seqs,
    load_state,
    save,
    update_rows,
)
from carrete.ledger.tokens import fresh_token

_BY_JOINT = (Finalizar, Corregir, Liberar, Chain, Resolver, Ofrecer)  # their rules need the spool's joints
_WITH_RECLAMOS = (Chain, Reclamar, Resolver)


@dataclass(slots=True)
class QueuedRequest:
    """A request that waits for its commit, with one lock attempt for each of its commands."""

    request: Request
    attempts: Sequence[LockAttempt]
    now: datetime


@dataclass(frozen=True, slots=True)
class DecidedRequest:
    """`outcomes` is empty when the key was known and its stored answer is given again."""

    answer: Answer | Refusal
    outcomes: Sequence[Outcome]


def decide_group(tx: Tx, shop: Shop, queue: Sequence[QueuedRequest]) -> list[DecidedRequest]:
    commands = [command for queued in queue for command in queued.request.commands]
    loaded = load_state(
        tx,
        tags=(command.tag for command in commands),
        keys=(queued.request.key for queued in queue if queued.request.key),
        workers=(worker_id for command in commands for worker_id in people_of(command)),
        by_joint=(command.tag for command in commands if isinstance(command, _BY_JOINT)),
        confirmed_roles_only=shop.confirmed_roles_only,
    )
    group = RequestGroup(tx, shop, loaded, commands)
    for queued in queue:
        group.decide(queued)
    return group.write(queue[-1].now)


def refuse_lost_race(tx: Tx, request: Request, now: datetime) -> DecidedRequest:
    """The request lost its race too often. The refusal is stored under the key like any answer, so that a repetition
    of the request cannot succeed after the worker was told that it failed. Work of a chain must not be lost for that
    reason: it is repeated until the rules have decided it."""
    if stored := answer_under_key(tx, request):
        return DecidedRequest(stored, ())
    if any(isinstance(command, _WITH_RECLAMOS) for command in request.commands):
        raise LedgerUnavailable("the spool changed while its chain was decided, too often in a row")
    outcomes = [VersionConflict(command.tag, command.version, None) for command in request.commands]
    answer = request.render(request.commands, outcomes)
    if request.key:
        save(tx, Changes(now), keys={request.key: _key_to_store(request, answer)})
    return DecidedRequest(answer, outcomes)


def answer_under_key(tx: Tx, request: Request) -> Answer | Refusal | None:
    """The answer that is stored under the request's key, None when there is none."""
    known = keys_known(tx, [request.key]) if request.key else {}
    return _stored_answer(request, known) if request.key in known else None


def _stored_answer(request: Request, known: Mapping[str, KnownKey]) -> Answer | Refusal:
    assert request.key is not None
    key = known[request.key]
    if key.fingerprint != request.fingerprint:
        return KeyReused()
    return Answer(key.status, unpack_answer(key.body, request.tags), replayed=True)


def _key_to_store(request: Request, answer: Answer) -> KnownKey:
    return KnownKey(request.fingerprint, answer.status, pack_answer(answer.body, request.tags))


class RequestGroup:
    """The requests of one transaction. Each decision sees the spools and joints as the earlier decisions left them."""

    def __init__(self, tx: Tx, shop: Shop, loaded: LoadedState, commands: Sequence[Command]) -> None:
        with_reclamos = any(isinstance(command, _WITH_RECLAMOS) for command in commands)
        self._reclamos = GroupReclamos(tx, commands) if with_reclamos else None
        with_relevos = any(isinstance(command, RelevoCommand) for command in commands)
        self._relevos = GroupRelevos(tx, commands) if with_relevos else None
        self._tx = tx
        self._shop = shop
        self._spools_read = dict(loaded.spools)
        self._spools = loaded.spools
        self._workers = loaded.workers
        self._keys = loaded.keys
        self._joints_read = {tag: {joint.n_union: joint for joint in each} for tag, each in loaded.joints.items()}
        self._joints = {tag: dict(joints) for tag, joints in self._joints_read.items()}
        self._decided: list[tuple[Request, list[Outcome] | None]] = []
        self._new_keys: set[str] = set()
        self._changes: list[Success] = []
        self._last_change: dict[str, Success] = {}
        self._unchanged: list[tuple[Success, Success | None]] = []

    def decide(self, queued: QueuedRequest) -> None:
        """A request whose key is known, from the ledger or from earlier in this group, decides nothing."""
        request = queued.request
        if request.key in self._keys or request.key in self._new_keys:
            self._decided.append((request, None))
            for attempt in queued.attempts:
                attempt.before = attempt.after = self._lock_of(attempt.tag)
            return
        if request.key:
            self._new_keys.add(request.key)
        outcomes: list[Outcome] = []
        for command, attempt in zip(request.commands, queued.attempts, strict=True):
            attempt.before = self._lock_of(attempt.tag)
            outcomes.append(self._outcome(command, attempt.value, queued))
            attempt.after = self._lock_of(attempt.tag)
        self._decided.append((request, outcomes))

    def _lock_of(self, tag: str) -> str | None:
        spool = self._spools.get(tag)
        return spool.occupation.lock if spool and spool.occupation else None

    def _outcome(self, command: Command, lock: str, queued: QueuedRequest) -> Outcome:
        joints = self._joints.get(command.tag, {}) if isinstance(command, _BY_JOINT) else {}
        worker = self._workers.get(command.worker_id)
        case = Case(self._spools.get(command.tag), worker, queued.now, self._shop, lock, list(joints.values()))
        context = queued.request.event_context
        try:
            if isinstance(command, _WITH_RECLAMOS):
                return self._outcome_with_reclamos(command, case, queued)
            if isinstance(command, RelevoCommand):
                return self._relevo_outcome(command, case, queued)
            change = decide(command, case)
        except Refusal as refusal:
            return refusal
        return self._success(change.with_event_context(context) if context and change.events else change)

    def _relevo_outcome(self, command: RelevoCommand, case: Case, queued: QueuedRequest) -> Outcome:
        assert self._relevos is not None
        relevo = self._relevos.case_of(command, self._workers)
        change = decide(command, replace(case, relevo=relevo))
        assert case.spool is not None
        success = self._success(change.with_event_context(queued.request.event_context or {}))
        success.offer = self._relevos.after(command, case.spool, success.change.spool, relevo, case.now)
        return success

    def _outcome_with_reclamos(
        self, command: Chain | Reclamar | Resolver, case: Case, queued: QueuedRequest
    ) -> Outcome:
        assert self._reclamos is not None
        request = queued.request
        context, now = request.event_context, queued.now
        match command:
            case Chain():
                return self._chain_outcome(command, case, request)
            case Reclamar():
                made = self._reclamos.claim(command, case.worker, now, context)
                nothing = Change.nothing(Spool(command.tag), "RECLAMAR", sentences.claimed(command.tag))
                return ReclamoSuccess(nothing, reclamo_id=made)
            case Resolver():
                spool, people = case.spool, self._workers
                change = self._reclamos.decide(command, spool, case.joints, people, now, self._shop, context)
                done = self._success(change).change if change.events else change
                return ReclamoSuccess(done, reclamo_id=command.reclamo_id)

    def _chain_outcome(self, chain: Chain, case: Case, request: Request) -> Outcome:
        """All steps are done, or none; then the work in them becomes a reclamo in this commit."""
        assert self._reclamos is not None
        context = request.event_context
        try:
            changes = decide_chain(chain, case)
        except Refusal as refusal:
            made = self._reclamos.of_refused_chain(chain, refusal, case.worker, case.now, request.key, context)
            refusal.context["reclamo"] = made
            return refusal
        steps = []
        for step, change in zip(chain.steps, changes, strict=True):
            tapped = {"hecho_en": step.hecho_en} if step.hecho_en else {}
            steps.append(self._success(change.with_event_context({**(context or {}), **tapped})))
        events = tuple(event for step in steps for event in step.change.events)
        last = steps[-1].change
        return ChainSuccess(Change(last.spool, events, last.accion, last.message, last.joints), steps=steps)

    def _success(self, change: Change) -> Success:
        """The next decisions see the change. Its rows are written at the end, its events in this order."""
        if not change.events:
            return self._success_without_change(change)
        success = Success(change.with_spool(change.spool.but(version=fresh_token())))
        tag = change.spool.tag
        self._spools[tag] = success.change.spool
        for joint in change.joints:
            self._joints[joint.tag][joint.n_union] = joint.but(version=fresh_token())
        self._changes.append(success)
        self._last_change[tag] = success
        return success

    def _success_without_change(self, change: Change) -> Success:
        """Its seq is that of the spool's last event, which may be in this group or before it; so is its version, which
        a step of a chain does not know yet."""
        success = Success(change.with_spool(self._spools[change.spool.tag]))
        self._unchanged.append((success, self._last_change.get(change.spool.tag)))
        return success

    def write(self, now: datetime) -> list[DecidedRequest]:
        changes = Changes(now, self._spools_changed(), changed_joints=self._joints_changed())
        earlier = last_seqs(self._tx, (success.change.spool.tag for success, last in self._unchanged if last is None))
        seqs = update_rows(self._tx, changes, sum(len(success.change.events) for success in self._changes))
        events = self._numbered_events(iter(seqs))
        for success, last in self._unchanged:
            success.event_seq = last.event_seq if last else earlier[success.change.spool.tag]
        answers, keys = self._answers()
        insert_events(self._tx, changes, events, keys)
        if self._reclamos:
            self._reclamos.save()
        if self._relevos:
            self._relevos.save()
        return [
            DecidedRequest(answer, outcomes or ()) for answer, (_, outcomes) in zip(answers, self._decided, strict=True)
        ]

    def _spools_changed(self) -> list[SpoolWrite]:
        tags = dict.fromkeys(success.change.spool.tag for success in self._changes)
        return [SpoolWrite(self._spools[tag], self._spools_read[tag].version) for tag in tags]

    def _joints_changed(self) -> list[JointWrite]:
        return [
            JointWrite(joint, self._joints_read[tag][n_union].version)
            for tag, joints in self._joints.items()
            for n_union, joint in joints.items()
            if joint is not self._joints_read[tag][n_union]
        ]

    def _numbered_events(self, seqs: Iterator[int]) -> list[StoredEvent]:
        events: list[StoredEvent] = []
        for success in self._changes:
            stored = number_events(success.change, seqs)
            events += stored
            success.event_seq = stored[-1].seq
        return events

    def _answers(self) -> tuple[list[Answer | Refusal], dict[str, KnownKey]]:
        """The answer to each request, and the keys to store with their answers."""
        answers: list[Answer | Refusal] = []
        new_keys: dict[str, KnownKey] = {}
        for request, outcomes in self._decided:
            if outcomes is None:
                answers.append(_stored_answer(request, self._keys))
                continue
            answer = request.render(request.commands, outcomes)
            answers.append(answer)
            if request.key:
                new_keys[request.key] = _key_to_store(request, answer)
                self._keys[request.key] = KnownKey(request.fingerprint, answer.status, answer.body)
        return answers, new_keys
