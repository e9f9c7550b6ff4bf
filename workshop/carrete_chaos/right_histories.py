"""Histories in which everything is right, made by a small model of a shop: the checker must report nothing.

Calls overlap, answers are lost, people type into the workbook, spools are handed over, noted upon and worked without a
connection, devices are revoked. `carrete chaos right-histories` checks many of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from random import Random
from typing import Any

from carrete.domain.commands import WorkItem
from carrete.domain.joints import Joint, JointCounts
from carrete.domain.reclamo import Reclamo, Resolution
from carrete.domain.spool import Operacion
from carrete_chaos.chains import CHAIN, CLAIM, DECISION
from carrete_chaos.hand_over_rules import ACCEPT, OFFER, WITHDRAW
from carrete_chaos.history import (
    KEEP_ON,
    ActionCall,
    ActionDone,
    ActionRefused,
    ActionUnanswered,
    CampaignEvidence,
    Outcome,
    RecordedEvent,
    ReplacedEdit,
    SheetAtRest,
    SheetEdit,
    StoredKey,
    TypedCell,
)
from carrete_chaos.identity_log import DeviceRevoked, IdentityLog, OthersKey, PinGuess, SessionClosed, TapOrigin
from carrete_chaos.note_rules import NOTE
from carrete_chaos.offline_log import KeptTap, OfflineEvidence
from carrete_chaos.right_exams import WELDED, RightExams

WHOLE, JOINTED = ("A", "B", "C"), "J"
PEOPLE = 4
SUPERVISOR, STRANGER = 9, 7
JOINTS = 40
DN_MILLI = 2500
OPERACIONES = "Operaciones"
AT = datetime(2026, 11, 16, tzinfo=UTC)
LOST = 0.1  # of all answers


def label(worker: int | None) -> str:
    return f"AS({worker})" if worker else ""


@dataclass(slots=True)
class ModelSpool:
    tag: str
    version: str = ""
    holder: int | None = None
    offer: tuple[int, int | None, str] | None = None  # giver, receiver, the spool's version
    ot: str = ""
    armed: dict[int, int] = field(default_factory=dict)  # joint → who

    @property
    def takes(self) -> str:
        return "iniciar" if self.tag == JOINTED else "tomar"


class RightShop:
    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.now = 0.0
        self.spools = {tag: ModelSpool(tag) for tag in (*WHOLE, JOINTED)}
        self.calls: list[ActionCall] = []
        self.facts: list[RecordedEvent] = []
        self.keys: dict[str, StoredKey] = {}
        self.edits: list[SheetEdit] = []
        self.replaced: list[ReplacedEdit] = []
        self.kept: list[KeptTap] = []
        self.reclamos: dict[str, Reclamo] = {}
        self.numbers: dict[int, int] = {}
        self.versions = 0
        self.welding = RightExams(self, {tag: ModelSpool(tag) for tag in WELDED}, SUPERVISOR, PEOPLE)

    def run(self, calls: int) -> CampaignEvidence:
        acts: list[tuple[int, Callable[[], None]]] = [
            (30, self._take),
            (20, self._end),
            (30, self._hand_over),
            (6, self._note),
            (5, self._keep_on),
            (10, self._chain),
            (3, self._ending_claimed),
            (8, self._decide),
            (10, self._person),
            *self.welding.acts,
        ]
        for _ in range(calls):
            self.now += self.rng.expovariate(1.0)
            weights, choices = zip(*acts, strict=True)
            self.rng.choices(choices, weights)[0]()
        self.rng.shuffle(self.calls)
        return self._evidence()

    # ─── what is written ──────────────────────────────────────────────────────────────────────────────────────

    def commit(self, spool: ModelSpool, tipos: list[tuple[str, int | None]], who: int | None, **more: Any) -> int:
        """One change of the spool; the seq of its last event."""
        self.versions += 1
        spool.version = f"v{self.versions}"
        for tipo, n_union in tipos:
            self.event(spool, tipo, who, n_union=n_union, **more)
        return len(self.facts)

    def event(self, spool: ModelSpool, tipo: str, who: int | None, **more: Any) -> None:
        seq, held = len(self.facts) + 1, label(spool.holder) or None
        fact = RecordedEvent(seq, spool.tag, tipo, who, "ARM" if who else None, spool.version, held)
        if who and "session" not in more:
            more = {**more, "device": f"d{who}", "session": f"s{who}"}
        self.facts.append(replace(fact, **more))

    def tap(self, who: int, accion: str, spool: ModelSpool, outcome: Outcome, **more: Any) -> ActionCall:
        """A call that takes effect now; it began some time before and is answered some time after, if at all."""
        key, lost = f"k{len(self.calls)}", self.rng.random() < LOST
        began, ended = self.now - self.rng.expovariate(0.5), self.now + self.rng.expovariate(0.5)
        self.keys[key] = _stored(outcome)
        number = self.numbers[who] = self.numbers.get(who, 0) + 1
        origin = TapOrigin(f"d{who}", f"s{who}", number) if accion != DECISION else None
        received, until = (ActionUnanswered(), math.inf) if lost else (outcome, ended)
        call = ActionCall(key, who, accion, spool.tag, "ARM", began, until, received, origin=origin, **more)
        self.calls.append(call)
        return call

    def _any(self) -> tuple[ModelSpool, int]:
        return self.rng.choice(list(self.spools.values())), self.rng.randint(1, PEOPLE)

    # ─── single taps ──────────────────────────────────────────────────────────────────────────────────────────

    def _take(self) -> None:
        spool, who = self._any()
        if spool.holder == who:
            outcome: Outcome = ActionDone(spool.version, "TOMAR")
        elif spool.holder is not None:
            outcome = ActionRefused(409, "SPOOL_OCCUPIED", spool.holder)
        else:
            spool.holder = who
            self.commit(spool, [("INICIAR_SPOOL" if spool.tag == JOINTED else "TOMAR_SPOOL", None)], who)
            outcome = ActionDone(spool.version, "TOMAR")
        self.tap(who, spool.takes, spool, outcome)

    def _end(self) -> None:
        spool, who = self._any()
        who = spool.holder or who if self.rng.random() < 0.8 else who
        by_joint = spool.tag == JOINTED
        outcome: Outcome | None = self._not_held(spool, who)
        if outcome is None:
            self._finish(spool, who)
            outcome = ActionDone(spool.version, "PAUSAR")
        self.tap(who, "finalizar" if by_joint else "pausar", spool, outcome)

    def _not_held(self, spool: ModelSpool, who: int) -> ActionRefused | None:
        if spool.holder == who:
            return None
        return ActionRefused(403, "NO_AUTORIZADO") if spool.holder else ActionRefused(400, "OPERACION_NO_INICIADA")

    def _finish(self, spool: ModelSpool, who: int, joints: tuple[int, ...] = (), **more: Any) -> int:
        spool.holder = None
        spool.armed |= dict.fromkeys(joints, who)
        done: list[tuple[str, int | None]] = [("UNION_ARM_REGISTRADA", n) for n in joints]
        ended = "SPOOL_ARM_PAUSADO" if spool.tag == JOINTED else "PAUSAR_SPOOL"
        return self.commit(spool, [*done, (ended, None)], who, **more)

    def _keep_on(self) -> None:
        spool, who = self._any()
        who = spool.holder or who
        outcome: Outcome | None = self._not_held(spool, who)
        if outcome is None:
            self.commit(spool, [("SIGUE_TURNO", None)], who)
            outcome = ActionDone(spool.version, "SEGUIR")
        self.tap(who, KEEP_ON, spool, outcome)

    def _note(self) -> None:
        spool, who = self._any()
        text = f"nota {len(self.calls)}"
        if not spool.version:  # no event to come after yet
            return
        self.event(spool, "NOTA", who, text=text)
        self.tap(who, NOTE, spool, ActionDone(spool.version, "NOTA", (len(self.facts),)), more={"texto": text})

    def _hand_over(self) -> None:
        spool, who = self._any()
        giver = spool.holder
        stands = spool.offer is not None and spool.offer[2] == spool.version and spool.offer[0] == giver
        if giver is None:
            self.tap(who, OFFER, spool, ActionRefused(400, "OPERACION_NO_INICIADA"))
        elif not stands:
            receiver = self.rng.choice((None, self.rng.randint(1, PEOPLE)))
            spool.offer = (giver, receiver, spool.version)
            more = {"receptor_id": receiver} if receiver else {}
            self.tap(giver, OFFER, spool, ActionDone(spool.version, "OFRECER"), more=more)
        elif self.rng.random() < 0.3:
            spool.offer = None
            self.tap(giver, WITHDRAW, spool, ActionDone(spool.version, "RETIRAR"))
        else:
            self._accept(spool, who, giver)

    def _accept(self, spool: ModelSpool, who: int, giver: int) -> None:
        assert spool.offer is not None
        if who == giver:
            outcome: Outcome = ActionDone(spool.version, "ACEPTAR")
        elif spool.offer[1] not in (None, who):
            outcome = ActionRefused(409, "SPOOL_OCCUPIED", giver)
        else:
            spool.holder, spool.offer = who, None
            self.commit(spool, [("RELEVO", None)], who, giver=giver)
            outcome = ActionDone(spool.version, "ACEPTAR")
        self.tap(who, ACCEPT, spool, outcome)

    # ─── work without a connection ────────────────────────────────────────────────────────────────────────────

    def _chain(self) -> None:
        """Taking and finishing a spool without a connection: all of it is done, or nothing and there is a reclamo."""
        spool, who = self.spools[JOINTED], self.rng.randint(1, PEOPLE)
        free = [n for n in range(1, JOINTS + 1) if n not in spool.armed]
        joints = tuple(sorted(self.rng.sample(free, min(len(free), self.rng.randint(0, 2)))))
        taps = (self._kept(who, "INICIAR"), self._kept(who, "FINALIZAR", joints))
        if spool.holder is not None:
            self._chain_on_occupied(spool, who, taps, joints)
            return
        spool.holder = who
        first = self.commit(spool, [("INICIAR_SPOOL", None)], who, tapped=taps[0].hecho_en)
        last = self._finish(spool, who, joints, tapped=taps[1].hecho_en)
        self.tap(who, CHAIN, spool, ActionDone(spool.version, "PAUSAR", (first, last)), taps=taps)

    def _chain_on_occupied(
        self, spool: ModelSpool, who: int, taps: tuple[KeptTap, KeptTap], joints: tuple[int, ...]
    ) -> None:
        holder = spool.holder
        if holder == who:  # its own spool is taken again, and then finished
            before = max(fact.seq for fact in self.facts if fact.tag == spool.tag)
            last = self._finish(spool, who, joints, tapped=taps[1].hecho_en)
            self.tap(who, CHAIN, spool, ActionDone(spool.version, "PAUSAR", (before, last)), taps=taps)
            return
        made = f"r{len(self.reclamos)}" if joints else None
        call = self.tap(who, CHAIN, spool, ActionRefused(409, "SPOOL_OCCUPIED", holder, 1, made), taps=taps)
        if made:
            self._claimed(made, spool, who, joints, call.key)

    def _ending_claimed(self) -> None:
        """An ending that was tapped before the tablet knew, refused, and claimed."""
        spool, who = self.spools[JOINTED], self.rng.randint(1, PEOPLE)
        free = [n for n in range(1, JOINTS + 1) if n not in spool.armed]
        refused = self._not_held(spool, who)
        if refused is None or not free:
            return
        tap = self._kept(who, "FINALIZAR", (self.rng.choice(free),))
        call = self.tap(who, "finalizar", spool, refused, taps=(tap,))
        made = f"r{len(self.reclamos)}"
        self._claimed(made, spool, who, tap.uniones or (), call.key)
        more = {"clave": call.key, "pasos": [tap.step]}
        self.tap(who, CLAIM, spool, ActionDone("", "RECLAMAR", (), made), more=more)

    def _kept(self, who: int, accion: str, joints: tuple[int, ...] | None = None) -> KeptTap:
        tap = KeptTap(who, f"s{who}", JOINTED, accion, "ARM", f"t{len(self.kept)}", joints)
        self.kept.append(tap)
        return tap

    def _claimed(self, made: str, spool: ModelSpool, who: int, joints: tuple[int, ...], key: str) -> None:
        work = tuple(WorkItem(Operacion.ARM, n) for n in joints)
        via = {"via": {"session": f"s{who}"}}
        refused = (1, "SPOOL_OCCUPIED", "")
        self.reclamos[made] = Reclamo(
            made, spool.tag, who, label(who), work, [], *refused, via, received_at=AT, origin_key=key
        )

    def _decide(self) -> None:
        waiting = [reclamo for reclamo in self.reclamos.values() if reclamo.resolution is None]
        if not waiting:
            return
        reclamo = self.rng.choice(waiting)
        spool = self.spools[reclamo.tag]
        accepted = tuple(item for item in reclamo.work if item.n_union not in spool.armed and self.rng.random() < 0.7)
        spool.armed |= {item.n_union or 0: reclamo.worker_id for item in accepted}
        late: list[tuple[str, int | None]] = [("REGISTRO_TARDIO", item.n_union) for item in accepted]
        session = {"device": f"d{reclamo.worker_id}", "session": f"s{reclamo.worker_id}"}
        who = reclamo.worker_id if late else SUPERVISOR
        self.commit(spool, late or [("RECLAMO_RECHAZADO", None)], who, reclamo=reclamo.id, **session)
        resolution = Resolution(AT, SUPERVISOR, label(SUPERVISOR), date(2026, 11, 16), "", accepted)
        self.reclamos[reclamo.id] = replace(reclamo, resolution=resolution)
        items = [{"operacion": str(item.operacion), "n_union": item.n_union} for item in accepted]
        more = {"reclamo": reclamo.id, "aceptar": items}
        self.tap(SUPERVISOR, DECISION, spool, ActionDone(spool.version, "RESOLVER"), more=more)

    # ─── the workbook ─────────────────────────────────────────────────────────────────────────────────────────

    def _person(self) -> None:
        """An edit typed some time ago and read now; some come too late, and some change nothing."""
        spool, _ = self._any()
        at = self.now - self.rng.expovariate(0.5)
        if self.rng.random() < 0.4:
            was, spool.ot = spool.ot, f"E-{len(self.edits)}"
            self.typed(spool, TypedCell(OPERACIONES, 0, "OT", spool.ot), was, at)
            return
        wanted = self.rng.choice((None, None, self.rng.randint(1, PEOPLE)))
        typed = TypedCell(OPERACIONES, 0, "Ocupado_Por", label(wanted))
        if wanted == spool.holder:
            edit = SheetEdit(spool.tag, typed, at)
            self.edits.append(edit)
            self.replaced.append(ReplacedEdit(edit, self.now))
        elif self.rng.random() < 0.2:
            self.typed(spool, typed, label(STRANGER), at, accepted=False)
        else:
            was, spool.holder = label(spool.holder), wanted
            self.typed(spool, typed, was, at)

    def typed(self, spool: ModelSpool, typed: TypedCell, was: str, at: float, accepted: bool = True) -> None:
        self.edits.append(SheetEdit(spool.tag, typed, at))
        if self.rng.random() < 0.3:
            self.replaced.append(ReplacedEdit(self.edits[-1], self.now + 1))
        self.commit(spool, [("EDICION_EXTERNA", None)], None, typed=typed, was=was, accepted=accepted)

    # ─── at rest ──────────────────────────────────────────────────────────────────────────────────────────────

    def _evidence(self) -> CampaignEvidence:
        holders = {spool.tag: spool.holder for spool in self.spools.values() if spool.holder is not None}
        locks = {tag: f"{worker}:x" for tag, worker in holders.items()}
        return CampaignEvidence(
            self.calls,
            self.facts,
            self.keys,
            holders,
            locks,
            dict(locks),
            [fact.seq for fact in self.facts],
            self.edits,
            self._sheet(),
            self._identity(),
            self._offline(),
            self.welding.evidence(),
        )

    def _sheet(self) -> SheetAtRest:
        """A sheet that equals the ledger, with one row that is listed as waiting for a person."""
        waiting = (OPERACIONES, "waiting", 0)
        rows = {
            (OPERACIONES, spool.tag, 0): {"Ocupado_Por": label(spool.holder), "OT": spool.ot}
            for spool in self.spools.values()
        }
        ledger = {**rows, waiting: {"Ocupado_Por": "", "OT": ""}}
        shown = {**rows, waiting: {"Ocupado_Por": "ZZ(4711)", "OT": ""}}
        ids = [f"e{fact.seq}" for fact in self.facts]
        return SheetAtRest(shown, ledger, frozenset({waiting}), ids, list(ids), self.replaced)

    def _identity(self) -> IdentityLog:
        """Everybody signed out at the end; one device was revoked, and somebody guessed a PIN."""
        closed = [SessionClosed(f"s{who}", number, self.now) for who, number in self.numbers.items()]
        guesses = [PinGuess(at, at + 0.1, 401, "PIN_INCORRECTO") for at in (0.0, 0.2, 0.4, 5.4, 20.4)]
        others = [OthersKey("k0", "A", 1, 2, 422, "IDEMPOTENCY_KEY_REUSED")]
        return IdentityLog([DeviceRevoked("d1", self.now)], closed, others, guesses)

    def _offline(self) -> OfflineEvidence:
        armed = self.spools[JOINTED].armed
        welded = self.welding.joints()
        joints = [*(_joint(n, armed.get(n)) for n in range(1, JOINTS + 1)), *welded]
        counts = {JOINTED: JointCounts(milli_armed=DN_MILLI * len(armed))}
        reported: Counter[str] = Counter()
        for who in armed.values():
            reported[label(who)] += DN_MILLI
        for joint in welded:
            if joint.welded:
                reported[joint.sol_worker or ""] += joint.dn_milli or 0
        return OfflineEvidence(self.kept, list(self.reclamos.values()), joints, counts, dict(reported))


def _joint(n: int, who: int | None) -> Joint:
    fin = AT if who else None
    return Joint(JOINTED, n, dn_milli=DN_MILLI, arm_fin=fin, arm_worker=label(who) or None)


def _stored(outcome: Outcome) -> StoredKey:
    match outcome:
        case ActionDone(version=version, accion=accion, seqs=seqs, reclamo=reclamo, exams=exams):
            body: dict[str, Any] = {"version": version, "action_taken": accion, "reclamo": reclamo}
            if accion == "NOTA" or exams:
                body |= {"event_seq": seqs[0], "ensayos": list(exams)}
            elif seqs:
                body["pasos"] = [{"event_seq": seq} for seq in seqs]
            return StoredKey(200, body)
        case ActionRefused(status=status, code=code, owner_id=owner, step=step, reclamo=reclamo):
            return StoredKey(status, {"code": code, "owner_id": owner, "paso": step, "reclamo": reclamo})
        case unanswered:
            raise AssertionError(f"{unanswered} is no answer")
