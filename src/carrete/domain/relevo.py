"""RELEVO: the holder offers a spool to a person, or to everybody who is qualified, and the receiver takes it over.

Holder and lock change in the one commit of the acceptance, so nobody can take the spool in between. An offer is in
force only while the spool is exactly as it was when it was offered: every other change gives it a new version token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from carrete.domain import sentences
from carrete.domain.change import Change
from carrete.domain.commands import Aceptar, Ofrecer, Rechazar, RelevoCommand, Retirar
from carrete.domain.events import Event, EventoTipo
from carrete.domain.joint_work import (
    checked_welds,
    joint_event,
    mark_done,
    recompute_keeping_approval,
    require_available,
)
from carrete.domain.joints import Joint
from carrete.domain.occupation import estado_when_paused, operario_when_released
from carrete.domain.progress import joints_done, joints_needed
from carrete.domain.qualification import NO_WELD_RECORD, WeldRecord
from carrete.domain.refusals import (
    JointsNotAvailable,
    NotBegun,
    NothingToHandOver,
    NotTheHolder,
    NotTheReceiver,
    NotValid,
    OfferExpired,
    RoleMissing,
    SpoolOccupied,
    WorkerInactive,
    WorkerUnknown,
)
from carrete.domain.shifts import offer_expires
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso
from carrete.domain.spool import Before, Estado, Occupation, Operacion, Spool
from carrete.domain.version import Workflow, workflow
from carrete.domain.workers import ROLES_FOR, Worker


class OfferEnd(StrEnum):
    ACEPTADA = "ACEPTADA"
    RETIRADA = "RETIRADA"
    RECHAZADA = "RECHAZADA"
    REEMPLAZADA = "REEMPLAZADA"
    ANULADA = "ANULADA"  # the spool had changed; noticed when the next offer came


@dataclass(frozen=True, slots=True)
class RelevoOffer:
    """`lock` and `version` are the lock value of the occupation and the spool's token that the offer belongs to."""

    id: str
    tag: str
    lock: str
    version: str
    giver_id: int
    giver: str
    receiver_id: int | None  # None: everybody who is qualified
    receiver: str | None
    operacion: Operacion
    offered_at: datetime
    ended_at: datetime | None = None
    end: OfferEnd | None = None

    def in_force(self, spool: Spool) -> bool:
        held = spool.occupation
        return self.ended_at is None and held is not None and (held.lock, spool.version) == (self.lock, self.version)

    def expires(self, shop: Shop) -> datetime:
        return offer_expires(shop.shifts, self.offered_at, shop.zone)

    def is_for(self, worker_id: int) -> bool:
        """By name, or because it is for everybody; never for its giver."""
        return worker_id != self.giver_id and self.receiver_id in (None, worker_id)

    def ended(self, end: OfferEnd, now: datetime) -> RelevoOffer:
        return replace(self, end=end, ended_at=now)


@dataclass(frozen=True, slots=True)
class RelevoCase:
    """What a hand-over depends on besides the spool: the offer that is open, and the person who is to receive it."""

    offer: RelevoOffer | None = None
    receiver: Worker | None = None
    welds: WeldRecord = NO_WELD_RECORD


NO_RELEVO = RelevoCase()


def require_party(command: RelevoCommand, spool: Spool, relevo: RelevoCase, shop: Shop) -> None:
    """The holder offers and withdraws; a person to whom the offer is open accepts; only the person it names
    declines."""
    held = spool.occupation
    if held is None:
        raise NotBegun(spool.tag, command.operacion)
    offer = relevo.offer if relevo.offer and relevo.offer.in_force(spool) else None
    match command:
        case Aceptar():
            if spool.held_by(command.worker_id, command.operacion):
                return
            for_me = offer is not None and offer.is_for(command.worker_id) and offer.operacion is command.operacion
            if not for_me:
                raise SpoolOccupied(spool.tag, held, iso(held.since, shop.zone))
        case Rechazar():
            if offer is None or offer.operacion is not command.operacion:
                raise OfferExpired(spool.tag)
            if offer.receiver_id != command.worker_id:
                raise NotTheReceiver(spool.tag, offer.giver)
        case _:
            if held.worker_id != command.worker_id:
                raise NotTheHolder(spool.tag, held.label)
            if held.operacion is not command.operacion:
                raise NotBegun(spool.tag, command.operacion)


def offer_spool(
    command: Ofrecer,
    spool: Spool,
    joints: Sequence[Joint],
    worker: Worker,
    relevo: RelevoCase,
    now: datetime,
    shop: Shop,
) -> Change:
    """The holder stays the holder. Ticked joints are registered as the giver's, as FINALIZAR would."""
    receiver = relevo.receiver
    _require_receiver(command, receiver)
    message = sentences.offered(spool.tag, receiver.label if receiver else None)
    if not command.unions:
        return Change.nothing(spool, "OFRECER", message)
    operacion = command.operacion
    if workflow(spool) is Workflow.V3 or operacion is Operacion.REPARACION:
        raise JointsNotAvailable(spool.tag, operacion, sorted(set(command.unions)))
    present = {joint.n_union: joint for joint in joints}
    require_available(spool.tag, present, command.unions, operacion, shop)
    held = spool.occupation
    assert held is not None
    done = [mark_done(present[n], worker, operacion, held.since, now) for n in command.unions]
    # A CANCELAR of the giver returns to here: these joints stay done, and their worker stays named.
    going_on = held._replace(before=Before(Estado.PAUSADO, worker.label))
    named = spool.with_operario(operacion, worker.label).but(occupation=going_on)
    after = recompute_keeping_approval(named, {**present, **{joint.n_union: joint for joint in done}}.values(), shop)
    if joints_done(after, operacion) >= joints_needed(after, operacion):
        raise NothingToHandOver(spool.tag, operacion)
    checked = checked_welds(spool.tag, done, worker, operacion, now, shop, relevo.welds)
    events = tuple(joint_event(joint, worker, operacion, now, "OFRECER", checked.facts) for joint in done)
    return Change(after, events, "OFRECER", message, tuple(done), warnings=checked.warnings)


def _require_receiver(command: Ofrecer, receiver: Worker | None) -> None:
    if command.receiver_id is None:
        return
    if receiver is None:
        raise WorkerUnknown(command.receiver_id)
    if receiver.id == command.worker_id:
        raise NotValid([{"campo": "receptor_id", "motivo": "debe ser otra persona."}])
    if not receiver.activo:
        raise WorkerInactive(receiver.label, receiver.id)
    if not receiver.may(command.operacion):
        raise RoleMissing(receiver.label, command.operacion, sorted(ROLES_FOR[command.operacion]))


def accept(spool: Spool, worker: Worker, offer: RelevoOffer | None, now: datetime, shop: Shop, lock: str) -> Change:
    """Accepting what one holds already changes nothing: gloved double taps are normal."""
    held = spool.occupation
    assert held is not None
    if held.worker_id == worker.id:
        return Change.nothing(spool, "ACEPTAR", sentences.taken(spool.tag, worker.label, held.operacion))
    assert offer is not None
    if now >= offer.expires(shop):
        raise OfferExpired(spool.tag)
    facts = {"de": held.label, "de_id": held.worker_id, "ofrecido_en": iso(offer.offered_at, shop.zone)}
    event = Event(EventoTipo.RELEVO, now, "RELEVO", held.operacion, worker.id, worker.label, metadata=facts)
    message = sentences.handed_over(spool.tag, held.label, worker.label, held.operacion)
    return Change(handed_over(spool, worker, now, lock), (event,), "ACEPTAR", message)


def handed_over(spool: Spool, worker: Worker, now: datetime, lock: str) -> Spool:
    """The receiver's occupation. Its CANCELAR returns to the state that a PAUSAR of the giver would have left."""
    held = spool.occupation
    assert held is not None
    before = Before(estado_when_paused(spool), operario_when_released(spool))
    taken = Occupation(worker.id, worker.label, held.operacion, now, lock, before)
    spool = spool.but(occupation=taken)
    return spool.with_operario(held.operacion, worker.label) if workflow(spool) is Workflow.V3 else spool


def end_of(command: RelevoCommand) -> OfferEnd | None:
    """How a command that succeeded ends the offer that was open."""
    match command:
        case Aceptar():
            return OfferEnd.ACEPTADA
        case Retirar():
            return OfferEnd.RETIRADA
        case Rechazar():
            return OfferEnd.RECHAZADA
    return None


def decide_relevo(
    command: RelevoCommand,
    spool: Spool,
    joints: Sequence[Joint],
    worker: Worker,
    relevo: RelevoCase,
    now: datetime,
    shop: Shop,
    lock: str,
) -> Change:
    match command:
        case Ofrecer():
            return offer_spool(command, spool, joints, worker, relevo, now, shop)
        case Aceptar():
            return accept(spool, worker, relevo.offer, now, shop, lock)
        case Retirar():
            return Change.nothing(spool, "RETIRAR", sentences.withdrawn(spool.tag))
        case Rechazar():
            return Change.nothing(spool, "RECHAZAR", sentences.declined(spool.tag))
    raise TypeError(f"no rule for {type(command).__name__}")
