"""Taking a spool and ending its occupation: TOMAR, PAUSAR, COMPLETAR, CANCELAR for ARM, SOLD and REPARACION."""

from __future__ import annotations

from datetime import date, datetime
from enum import Enum, auto

from carrete.domain import sentences
from carrete.domain.change import Change
from carrete.domain.events import Event, EventoTipo
from carrete.domain.progress import update_queue_unless_approved
from carrete.domain.refusals import AlreadyDone, NotAvailable, PrerequisiteMissing
from carrete.domain.spool import (
    COMPLETADO,
    EN_PROGRESO,
    PAUSADO,
    PENDIENTE,
    REPARACION,
    SOLD,
    Before,
    Estado,
    Metrologia,
    Occupation,
    Operacion,
    Reparacion,
    Spool,
)
from carrete.domain.version import V3, workflow
from carrete.domain.workers import Worker


def take(spool: Spool, worker: Worker, operacion: Operacion, now: datetime, lock: str) -> Change:
    """Taking what you already hold changes nothing: gloved double taps are normal."""
    message = sentences.taken(spool.tag, worker.label, operacion)
    tipo, accion = _event_kind(spool, operacion)
    if spool.held_by(worker.id, operacion):
        return Change.nothing(spool, accion, message)
    require_ready(spool, operacion)
    event = Event(tipo, now, accion, operacion, worker.id, worker.label)
    return Change(occupied(spool, worker, operacion, now, lock), (event,), accion, message)


def occupied(spool: Spool, worker: Worker, operacion: Operacion, since: datetime, lock: str) -> Spool:
    """In v3.0 `Armador` or `Soldador` names the taker at once; in v4.0 FINALIZAR names the worker."""
    before = Before(spool.estado(operacion), spool.operario(operacion))
    held = Occupation(worker.id, worker.label, operacion, since, lock, before)
    operario = worker.label if workflow(spool) is V3 else before.nombre
    return spool.with_progress(operacion, EN_PROGRESO, held, operario)


def pause(spool: Spool, worker: Worker, operacion: Operacion, now: datetime) -> Change:
    tipo = EventoTipo.PAUSAR_REPARACION if operacion is REPARACION else EventoTipo.PAUSAR_SPOOL
    event = Event(tipo, now, "PAUSAR", operacion, worker.id, worker.label)
    after = paused(spool)
    message = sentences.paused(spool.tag, operacion)
    return Change(after, (event, *queue_events(spool, after, now)), "PAUSAR", message)


def paused(spool: Spool) -> Spool:
    """The spool is free and keeps its progress. An operation that a person dated in the workbook is complete."""
    assert spool.occupation is not None
    operacion, operario = spool.occupation.operacion, operario_when_released(spool)
    return update_queue_unless_approved(spool.with_progress(operacion, estado_when_paused(spool), None, operario))


def estado_when_paused(spool: Spool) -> Estado:
    assert spool.occupation is not None
    dated = workflow(spool) is V3 and spool.fecha(spool.occupation.operacion) is not None
    return COMPLETADO if dated else PAUSADO


def complete(spool: Spool, worker: Worker, operacion: Operacion, now: datetime, dia: date) -> Change:
    tipo = EventoTipo(f"COMPLETAR_{operacion}")
    event = Event(tipo, now, "COMPLETAR", operacion, worker.id, worker.label, fecha_operacion=dia)
    after = completed(spool, operacion, dia)
    return Change(
        after, (event, *queue_events(spool, after, now)), "COMPLETAR", sentences.completed(spool.tag, operacion)
    )


def completed(spool: Spool, operacion: Operacion, dia: date) -> Spool:
    """An operation that was dated during the occupation, by a late registration or in the workbook, keeps that day."""
    if spool.occupation is not None and spool.occupation.before.estado == COMPLETADO:
        dia = spool.fecha(operacion) or dia
    spool = _released(spool.with_estado(operacion, COMPLETADO))
    if operacion is Operacion.REPARACION and spool.metrologia is Metrologia.RECHAZADO:
        return update_queue_unless_approved(spool.but(metrologia=Metrologia.PENDIENTE))
    return update_queue_unless_approved(spool.with_fecha(operacion, dia))


def queue_events(before: Spool, after: Spool, now: datetime) -> tuple[Event, ...]:
    """The event of a spool that entered the inspection queue because ARM and SOLD are now both complete; else none."""
    if before.metrologia is Metrologia.PENDIENTE and after.metrologia is Metrologia.EN_COLA:
        return (Event(EventoTipo.METROLOGIA_AUTO_TRIGGERED, now, "AUTO", Operacion.METROLOGIA),)
    return ()


def cancel(spool: Spool, worker: Worker, operacion: Operacion, now: datetime) -> Change:
    """Returns the operation, and the worker whom it names, to what they were before this occupation."""
    event = Event(EventoTipo(f"CANCELAR_{operacion}"), now, "CANCELAR", operacion, worker.id, worker.label)
    after = cancelled(spool)
    message = sentences.cancelled(spool.tag, operacion)
    return Change(after, (event, *queue_events(spool, after, now)), "CANCELAR", message)


def cancelled(spool: Spool) -> Spool:
    held = spool.occupation
    assert held is not None
    spool = spool.with_estado(held.operacion, held.before.estado).but(occupation=None)
    if spool.operario(held.operacion) == held.label:  # a name that a person typed during the occupation stays
        spool = spool.with_operario(held.operacion, held.before.nombre)
    return update_queue_unless_approved(spool)


def _released(spool: Spool) -> Spool:
    held = spool.occupation
    if held is not None:
        spool = spool.with_operario(held.operacion, operario_when_released(spool))
    return spool.but(occupation=None)


def operario_when_released(spool: Spool) -> str | None:
    """A spool that was taken as v4.0 and is ended as v3.0 gets the worker's name now: SOLD needs `Armador`."""
    held = spool.occupation
    assert held is not None
    named = spool.operario(held.operacion)
    return held.label if not named and workflow(spool) is V3 else named


def require_ready(spool: Spool, operacion: Operacion) -> None:
    """Refuses unless this operation may begin now on a free spool (rule 4)."""
    match hindrance(spool, operacion):
        case Hindrance.DONE:
            raise AlreadyDone(spool.tag, operacion)
        case Hindrance.NOT_REJECTED:
            raise NotAvailable(f"El spool {spool.tag} no está rechazado: no hay nada que reparar.")
        case Hindrance.NO_MATERIALS:
            raise PrerequisiteMissing(f"El spool {spool.tag} no tiene Fecha_Materiales.", falta="Fecha_Materiales")
        case Hindrance.NOT_FITTED:
            raise PrerequisiteMissing(f"El spool {spool.tag} aún no tiene armado iniciado.", falta="Armador")
        case Hindrance.NOTHING_TO_WELD:
            raise PrerequisiteMissing(f"El spool {spool.tag} no tiene uniones armadas por soldar.", falta="ARM")


class Hindrance(Enum):
    DONE = auto()
    NOT_REJECTED = auto()
    NO_MATERIALS = auto()
    NOT_FITTED = auto()
    NOTHING_TO_WELD = auto()


def hindrance(spool: Spool, operacion: Operacion) -> Hindrance | None:
    """The first reason why nobody can take the spool. It runs at each write of a spool, so it must be cheap."""
    if operacion is REPARACION:
        if not waits_for_repair(spool):
            return Hindrance.NOT_REJECTED
    elif (spool.sold if operacion is SOLD else spool.arm) is COMPLETADO:
        return Hindrance.DONE
    if spool.fecha_materiales is None:
        return Hindrance.NO_MATERIALS
    if operacion is not SOLD:
        return None
    if workflow(spool) is V3:
        return None if fitting_begun(spool) else Hindrance.NOT_FITTED
    return None if spool.counts.weldable else Hindrance.NOTHING_TO_WELD


def fitting_begun(spool: Spool) -> bool:
    return bool(spool.armador) or spool.arm is not PENDIENTE


def waits_for_repair(spool: Spool) -> bool:
    if spool.metrologia is not Metrologia.RECHAZADO:
        return False
    return spool.reparacion is Reparacion.PENDIENTE or spool.reparacion is Reparacion.PAUSADO


def _event_kind(spool: Spool, operacion: Operacion) -> tuple[EventoTipo, str]:
    if operacion is REPARACION:
        return EventoTipo.TOMAR_REPARACION, "TOMAR"
    if workflow(spool) is V3:
        return EventoTipo.TOMAR_SPOOL, "TOMAR"
    return EventoTipo.INICIAR_SPOOL, "INICIAR"
