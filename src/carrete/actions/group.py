"""Decides the requests of one group commit, in order and in memory, and writes all their changes together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from carrete.actions.answer import Answer
from carrete.actions.group_changes import changes_of
from carrete.actions.ndt import Drawn, GroupNdt, draw_neighbours
from carrete.actions.notes import GroupPhotos
from carrete.actions.receipts import group_receipt, with_receipt
from carrete.actions.reclamos import GroupReclamos
from carrete.actions.record import number_events
from carrete.actions.relevos import GroupRelevos
from carrete.actions.requests import (
    ChainSuccess,
    DecidedRequest,
    Outcome,
    QueuedRequest,
    ReclamoSuccess,
    Request,
    Success,
    people_of,
)
from carrete.actions.stored_answers import KeysToStore, stored_answer
from carrete.actions.welds import GroupWelds
from carrete.domain import sentences
from carrete.domain.chain import decide_chain
from carrete.domain.change import Change
from carrete.domain.commands import (
    Anotar,
    Cancelar,
    Chain,
    Command,
    Completar,
    Corregir,
    Finalizar,
    Iniciar,
    Liberar,
    NdtCommand,
    Ofrecer,
    Pausar,
    Reclamar,
    RelevoCommand,
    Resolver,
    Tomar,
)
from carrete.domain.decide import Case, decide
from carrete.domain.refusals import Refusal
from carrete.domain.relevo import NO_RELEVO
from carrete.domain.shop import Shop
from carrete.domain.spool import SOLD, Spool
from carrete.domain.stage import with_stage
from carrete.domain.trail.witness import Sign
from carrete.ledger.database import Tx
from carrete.ledger.rows import StoredEvent, chained_rows
from carrete.ledger.store import (
    KnownKey,
    LoadedState,
    RowValues,
    insert_events,
    insert_keys,
    last_seqs,
    load_state,
    update_rows,
)
from carrete.ledger.tokens import fresh_token

_BY_JOINT = (Anotar, Finalizar, Corregir, Liberar, Chain, Resolver, Ofrecer, NdtCommand)
# Most commands are one of these, which is quicker to find out than that they are none of the others.
_WHOLE_SPOOL = frozenset((Tomar, Iniciar, Pausar, Completar, Cancelar))
_WITH_RECLAMOS = (Chain, Reclamar, Resolver)


def decide_group(tx: Tx, shop: Shop, queue: Sequence[QueuedRequest], sign: Sign | None = None) -> list[DecidedRequest]:
    commands = [command for queued in queue for command in queued.request.commands]
    drawn = draw_neighbours(tx, shop, commands)
    neighbours = [tag for each in drawn.values() for tag, _ in each]
    loaded = load_state(
        tx,
        tags=(*(command.tag for command in commands), *neighbours),
        keys=(queued.request.key for queued in queue if queued.request.key),
        workers=(worker_id for command in commands for worker_id in people_of(command)),
        by_joint=(*(command.tag for command in commands if _needs_joints(command)), *neighbours),
        confirmed_roles_only=shop.confirmed_roles_only,
        lock_numbering=len(commands) == 1 and _writes_one_spool(commands[0]),
    )
    group = RequestGroup(tx, shop, loaded, commands, drawn)
    for queued in queue:
        group.decide(queued)
    return group.write(queue[-1].now, sign)


def _needs_joints(command: Command) -> bool:
    return type(command) not in _WHOLE_SPOOL and isinstance(command, _BY_JOINT)


def _writes_one_spool(command: Command) -> bool:
    """And nothing else that other writers lock before they number events. The end of a weld may select examinations,
    whose counters are such a thing: two processes would wait for each other."""
    if isinstance(command, Tomar):
        return True
    return isinstance(command, (Pausar, Completar, Cancelar)) and command.operacion is not SOLD


class RequestGroup:
    """The requests of one transaction. Each decision sees the spools and joints as the earlier decisions left them."""

    def __init__(self, tx: Tx, shop: Shop, loaded: LoadedState, commands: Sequence[Command], drawn: Drawn) -> None:
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
        self._photos = GroupPhotos(tx, commands)
        self._welds = GroupWelds(tx, commands, self._joints_read, self._reclamos)
        self._ndt = GroupNdt(tx, shop, commands, drawn)

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
        joints = self._joints.get(command.tag, {}) if _needs_joints(command) else {}
        worker = self._workers.get(command.worker_id)
        spool = self._spools.get(command.tag)
        now, known = queued.now, list(joints.values())
        case = Case(spool, worker, now, self._shop, lock, known, NO_RELEVO, self._welds.record, self._photos.known)
        context = queued.request.event_context
        try:
            if isinstance(command, _WITH_RECLAMOS):
                return self._outcome_with_reclamos(command, case, queued)
            if isinstance(command, RelevoCommand):
                return self._relevo_outcome(command, case, queued)
            if isinstance(command, NdtCommand):
                case = case._replace(ndt=self._ndt.case_of(command, self._spools, self._joints))
            change = decide(command, case)
        except Refusal as refusal:
            return refusal
        self._photos.note(command)
        self._welds.note(command, change, self._shop)
        success = self._success(change, context)
        for other in change.others:
            self._success(other, context)
        return success

    def _relevo_outcome(self, command: RelevoCommand, case: Case, queued: QueuedRequest) -> Outcome:
        assert self._relevos is not None
        relevo = self._relevos.case_of(command, self._workers)
        change = decide(command, case._replace(relevo=relevo))
        self._welds.note(command, change, self._shop)
        success = self._success(change, queued.request.event_context)
        assert case.spool is not None
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
                decided = self._reclamos.decide
                change = decided(command, spool, case.joints, people, now, self._shop, context, case.welds)
                self._welds.note(command, change, self._shop)
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
            self._welds.note(step.command, change, self._shop)
            steps.append(self._success(change, {**(context or {}), **tapped}))
        last, events = steps[-1].change, tuple(event for step in steps for event in step.change.events)
        warnings = tuple(warning for step in steps for warning in step.change.warnings)
        change = Change(last.spool, events, last.accion, last.message, last.joints, warnings=warnings)
        return ChainSuccess(change, steps=steps)

    def _success(self, change: Change, context: Mapping[str, object] | None = None) -> Success:
        """The next decisions see the change. Its events are written in this order, with how they came about."""
        if not change.events:
            return self._success_without_change(change)
        before, tag = self._spools[change.spool.tag], change.spool.tag
        change = self._ndt.with_examinations(change, before, self._joints.get(tag, {}), context)
        after = change.spool if change.keeps_version else change.spool.but(version=fresh_token())
        success = Success(with_stage(change, before, after), context=context)
        self._spools[tag] = success.change.spool
        for joint in change.joints:
            self._joints[joint.tag][joint.n_union] = joint.but(version=fresh_token())
        self._changes.append(success)
        self._last_change[tag] = success
        return success

    def _success_without_change(self, change: Change) -> Success:
        """A success that changes nothing has the seq and the version of the spool's last event, of this group or
        before."""
        success = Success(change.with_spool(self._spools[change.spool.tag]))
        self._unchanged.append((success, self._last_change.get(change.spool.tag)))
        return success

    def write(self, now: datetime, sign: Sign | None = None) -> list[DecidedRequest]:
        """Without `sign`, answers have no receipt."""
        happened = (success.change for success in self._changes)
        # Examinations can change a row whose version token stays.
        tags = dict.fromkeys(change.spool.tag for change in happened if not change.keeps_version or change.exams)
        spools = [(self._spools_read[tag], self._spools[tag]) for tag in tags]
        changes = changes_of(now, spools, self._joints_read, self._joints)
        earlier = last_seqs(self._tx, (success.change.spool.tag for success, last in self._unchanged if last is None))
        self._ndt.save()
        numbering = update_rows(self._tx, changes, sum(len(success.change.events) for success in self._changes))
        events = self._numbered_events(iter(numbering.seqs))
        rows = chained_rows(numbering.head, events) if numbering.head else []
        insert_events(self._tx, changes, rows)
        for success, last in self._unchanged:
            success.event_seq = last.event_seq if last else earlier[success.change.spool.tag]
        answers, keys = self._answers(rows, sign)
        insert_keys(self._tx, keys, now)
        if self._reclamos:
            self._reclamos.save()
        if self._relevos:
            self._relevos.save()
        self._photos.save()
        self._welds.save()
        decided = zip(answers, self._decided, strict=True)
        return [DecidedRequest(answer, outcomes or ()) for answer, (_, outcomes) in decided]

    def _numbered_events(self, seqs: Iterator[int]) -> list[StoredEvent]:
        events: list[StoredEvent] = []
        for success in self._changes:
            stored = number_events(success.change, seqs, context=success.context)
            events += stored
            success.event_seq = stored[-1].seq
        return events

    def _answers(
        self, rows: Sequence[RowValues], sign: Sign | None
    ) -> tuple[list[Answer | Refusal], dict[str, KnownKey]]:
        """The answer to each request, and the keys to store with their answers."""
        receipt = group_receipt(self._tx, rows, (outcomes for _, outcomes in self._decided), sign)
        answers: list[Answer | Refusal] = []
        new_keys = KeysToStore(receipt)
        for request, outcomes in self._decided:
            if outcomes is None:
                answers.append(stored_answer(self._tx, request, self._keys))
                continue
            answer = with_receipt(request.render(request.commands, outcomes), outcomes, receipt)
            answers.append(answer)
            if request.key:
                self._keys[request.key] = new_keys.add(request, answer)
        return answers, new_keys.keys
