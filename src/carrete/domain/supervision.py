"""What only a supervisor may do: free a held spool, lift BLOQUEADO, reopen an operation completed by mistake.

Each needs a reason, and its event keeps the state before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from carrete.domain import sentences
from carrete.domain.change import Change
from carrete.domain.events import Event, EventoTipo
from carrete.domain.inspection import unblocked
from carrete.domain.joint_work import recompute_keeping_approval
from carrete.domain.joints import Joint, inches
from carrete.domain.occupation import paused, queue_events
from carrete.domain.progress import recompute_progress, reopened, update_inspection_queue
from carrete.domain.refusals import JointsNotAvailable, NotAvailable
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso
from carrete.domain.spool import Estado, Metrologia, Operacion, Reparacion, Spool
from carrete.domain.version import Workflow, workflow
from carrete.domain.workers import Worker


def release(
    spool: Spool, joints: Sequence[Joint], supervisor: Worker, motivo: str, now: datetime, shop: Shop
) -> Change:
    """Frees a spool that another worker holds. Like PAUSAR, it keeps the progress."""
    held = spool.occupation
    assert held is not None
    facts = {
        "motivo": motivo,
        "ocupado_por": held.label,
        "ocupado_por_id": held.worker_id,
        "desde": iso(held.since, shop.zone),
    }
    after = _paused_or_complete(spool, joints, held.operacion, shop)
    event = _event(EventoTipo.LIBERAR_SPOOL, "LIBERAR", held.operacion, supervisor, now, facts)
    message = sentences.released(spool.tag, held.label)
    return Change(after, (event, *queue_events(spool, after, now)), "LIBERAR", message)


def _paused_or_complete(spool: Spool, joints: Sequence[Joint], operacion: Operacion, shop: Shop) -> Spool:
    """If a person dated the last joint during the occupation, the operation is complete and not merely paused."""
    after = paused(spool)
    if workflow(spool) is Workflow.V3 or operacion is Operacion.REPARACION:
        return after
    after = recompute_keeping_approval(after, joints, shop)
    done = after.estado(operacion) is Estado.COMPLETADO
    return after if done else after.with_estado(operacion, Estado.PAUSADO)


def unblock(spool: Spool, supervisor: Worker, motivo: str, now: datetime) -> Change:
    if spool.metrologia is not Metrologia.BLOQUEADO:
        raise NotAvailable(f"El spool {spool.tag} no está bloqueado.")
    after = unblocked(spool)
    facts = {"motivo": motivo, "ciclo_antes": spool.ciclo, "ciclo": after.ciclo}
    event = _event(EventoTipo.SUPERVISOR_OVERRIDE, "DESBLOQUEAR", Operacion.METROLOGIA, supervisor, now, facts)
    return Change(after, (event,), "DESBLOQUEAR", sentences.unblocked(spool.tag))


def correct(
    spool: Spool,
    joints: Sequence[Joint],
    supervisor: Worker,
    operacion: Operacion,
    chosen: Sequence[int] | None,
    motivo: str,
    now: datetime,
    shop: Shop,
) -> Change:
    """Reopens one operation of a free spool, and everything that depends on it: a joint that is no longer armed
    is not welded either, and a spool with open work leaves the inspection queue."""
    undone: list[Joint] = []
    if operacion is Operacion.METROLOGIA:
        after = _inspection_withdrawn(spool, joints, shop)
    elif workflow(spool) is Workflow.V4:
        was_done = _reopenable(spool.tag, joints, operacion, chosen)
        undone = [_undone(joint, operacion) for joint in was_done]
        after = _reopened_by_joint(spool, joints, undone, shop)
    else:
        after = _whole_reopened(spool, operacion, chosen)
    facts = {"motivo": motivo, "antes": _state(spool), **_joint_facts(joints, undone, shop)}
    event = _event(EventoTipo.CORRECCION, "CORREGIR", operacion, supervisor, now, facts)
    message = sentences.corrected(spool.tag, operacion, len(undone))
    return Change(after, (event, *queue_events(spool, after, now)), "CORREGIR", message, tuple(undone))


def _inspection_withdrawn(spool: Spool, joints: Sequence[Joint], shop: Shop) -> Spool:
    """The spool before its last inspection: in the queue, with a rejection no longer counted. An approval had kept
    the states whatever engineering added; without it they are recomputed from the joints."""
    match spool.metrologia:
        case Metrologia.APROBADO if workflow(spool) is Workflow.V4:
            return recompute_progress(spool.but(metrologia=Metrologia.EN_COLA, fecha_qc=None), joints, shop)
        case Metrologia.APROBADO:
            back = spool
        case Metrologia.RECHAZADO:
            repaired = Reparacion.COMPLETADO if spool.ciclo > 1 else Reparacion.NO_REQUERIDA
            back = spool.but(ciclo=max(0, spool.ciclo - 1), reparacion=repaired)
        case _:
            raise _nothing_to_reopen(spool.tag, Operacion.METROLOGIA)
    return update_inspection_queue(back.but(metrologia=Metrologia.EN_COLA, fecha_qc=None))


def _whole_reopened(spool: Spool, operacion: Operacion, chosen: Sequence[int] | None) -> Spool:
    if chosen:
        raise JointsNotAvailable(spool.tag, operacion, sorted(set(chosen)), "reabrir")
    if spool.estado(operacion) is not Estado.COMPLETADO:
        raise _nothing_to_reopen(spool.tag, operacion)
    if operacion is Operacion.ARM and spool.sold is Estado.COMPLETADO:
        spool = reopened(spool, Operacion.SOLD)
    return update_inspection_queue(reopened(spool, operacion))


def _reopenable(tag: str, joints: Sequence[Joint], operacion: Operacion, chosen: Sequence[int] | None) -> list[Joint]:
    done = {joint.n_union: joint for joint in joints if not joint.retired and _is_done(joint, operacion)}
    if chosen is None:
        if not done:
            raise _nothing_to_reopen(tag, operacion)
        return list(done.values())
    repeated = {n for n, times in Counter(chosen).items() if times > 1}
    bad = repeated | {n for n in chosen if n not in done}
    if bad:
        raise JointsNotAvailable(tag, operacion, sorted(bad), "reabrir")
    return [done[n] for n in chosen]


def _is_done(joint: Joint, operacion: Operacion) -> bool:
    return joint.armed if operacion is Operacion.ARM else joint.welded


def _undone(joint: Joint, operacion: Operacion) -> Joint:
    joint = replace(joint, sol_inicio=None, sol_fin=None, sol_worker=None)
    return joint if operacion is Operacion.SOLD else replace(joint, arm_inicio=None, arm_fin=None, arm_worker=None)


def _reopened_by_joint(spool: Spool, joints: Sequence[Joint], undone: Sequence[Joint], shop: Shop) -> Spool:
    """Reopening the work also withdraws the approval of it."""
    if spool.metrologia is Metrologia.APROBADO:
        spool = spool.but(metrologia=Metrologia.PENDIENTE, fecha_qc=None)
    now_open = {joint.n_union: joint for joint in undone}
    return recompute_progress(spool, [now_open.get(joint.n_union, joint) for joint in joints], shop)


def _nothing_to_reopen(tag: str, operacion: Operacion) -> NotAvailable:
    return NotAvailable(f"En el spool {tag} no hay {operacion} terminada que reabrir.")


def _event(
    tipo: EventoTipo, accion: str, operacion: Operacion, supervisor: Worker, now: datetime, facts: Mapping[str, Any]
) -> Event:
    return Event(tipo, now, accion, operacion, supervisor.id, supervisor.label, metadata=facts)


def _state(spool: Spool) -> dict[str, Any]:
    return {
        "arm": spool.arm,
        "sold": spool.sold,
        "metrologia": spool.metrologia,
        "reparacion": spool.reparacion,
        "ciclo": spool.ciclo,
        "fecha_armado": _day(spool.fecha_armado),
        "fecha_soldadura": _day(spool.fecha_soldadura),
        "fecha_qc_metrologia": _day(spool.fecha_qc),
    }


def _joint_facts(joints: Sequence[Joint], undone: Sequence[Joint], shop: Shop) -> dict[str, Any]:
    if not undone:
        return {}
    before = {joint.n_union: joint for joint in joints}
    return {"unions": [_joint_was(before[joint.n_union], shop) for joint in undone]}


def _joint_was(joint: Joint, shop: Shop) -> dict[str, Any]:
    return {
        "n_union": joint.n_union,
        "dn_union": inches(joint.dn_milli) if joint.dn_milli is not None else None,
        "arm_worker": joint.arm_worker,
        "arm_fecha_fin": iso(joint.arm_fin, shop.zone) if joint.arm_fin else None,
        "sol_worker": joint.sol_worker,
        "sol_fecha_fin": iso(joint.sol_fin, shop.zone) if joint.sol_fin else None,
    }


def _day(value: date | None) -> str | None:
    return value.isoformat() if value else None
