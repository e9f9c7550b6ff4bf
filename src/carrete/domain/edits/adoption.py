"""A spool that the ledger sees for the first time: its row, its joints and its `Estado_Detalle` become typed state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from carrete.domain import estado_detalle
from carrete.domain.edits.cells import NUEVO, OPERACIONES, EditContext, Edited, Quarantined, Remark, day
from carrete.domain.edits.holder import known_worker, since_said, to_hold
from carrete.domain.edits.joint import joint_remarks
from carrete.domain.edits.spool import approved, total_remarks, total_said
from carrete.domain.estado_detalle import Reading
from carrete.domain.events import Event, EventoTipo
from carrete.domain.joints import Joint, count
from carrete.domain.occupation import occupied
from carrete.domain.progress import done, in_the_right_queue, needed, worked_out_anew
from carrete.domain.shop import Shop
from carrete.domain.spool import Before, Estado, Metrologia, Operacion, Reparacion, Spool
from carrete.domain.tags import hidden_character
from carrete.domain.version import Workflow, workflow

_REJECTED = (Metrologia.RECHAZADO, Metrologia.BLOQUEADO)
_BOTH = (Operacion.ARM, Operacion.SOLD)
_OCCUPATION = frozenset({"Ocupado_Por", "Fecha_Ocupacion"})


def adopt(tag: str, cells: Mapping[str, str], joints: Sequence[Joint], context: EditContext) -> Edited:
    """One event for all of it. Raises Quarantined when the tag has a character that nobody can see. With a holder whom
    nobody knows the spool is free, and those cells wait: once they are repaired, or the worker is known, they count
    like an edit."""
    if reason := hidden_character(tag):
        raise Quarantined("TAG_SPOOL", reason)
    reading = estado_detalle.read(cells.get("Estado_Detalle"))
    spool = _as_said(tag, cells)
    spool = _progress(spool, joints, reading, context.shop)
    spool = _inspection(spool, reading)
    spool, unknown = _holder(spool, cells, reading, context)
    remarks = [*total_remarks(spool.total_uniones_text), *_dates_not_taken(spool, cells), *_nobody_holds(spool, cells)]
    remarks += [remark for joint in joints for remark in joint_remarks(joint)]
    remarks += unknown
    waiting = _OCCUPATION if any(remark.column in _OCCUPATION for remark in unknown) else frozenset()
    return Edited(spool, tuple(joints), (_new(spool, len(joints), context),), tuple(remarks), waiting)


def _as_said(tag: str, cells: Mapping[str, str]) -> Spool:
    total, text = total_said(cells.get("Total_Uniones", ""))
    return Spool(
        tag,
        ot=cells.get("OT") or None,
        nv=cells.get("NV") or None,
        total_uniones=total,
        total_uniones_text=text,
        fecha_materiales=day(cells.get("Fecha_Materiales", "")),
        fecha_armado=day(cells.get("Fecha_Armado", "")),
        fecha_soldadura=day(cells.get("Fecha_Soldadura", "")),
        fecha_qc=day(cells.get("Fecha_QC_Metrología", "")),
        armador=cells.get("Armador") or None,
        soldador=cells.get("Soldador") or None,
    )


def _progress(spool: Spool, joints: Sequence[Joint], reading: Reading, shop: Shop) -> Spool:
    """v3.0 by its dates, v4.0 by its joints; what has come to inspection is not opened again by an import."""
    said = spool = replace(spool, counts=count(joints, shop))
    if workflow(spool) is Workflow.V4 and not _approved(spool, reading):
        spool = replace(worked_out_anew(spool, joints, shop), metrologia=Metrologia.PENDIENTE)
    else:
        for operacion in _BOTH:
            spool = spool.with_estado(operacion, _estado(spool, operacion, reading))
    return _finished(spool, said) if _came_to_inspection(said, reading) else spool


def _came_to_inspection(spool: Spool, reading: Reading) -> bool:
    return reading.metrologia is not None or _approved(spool, reading)


def _finished(spool: Spool, said: Spool) -> Spool:
    """Nothing is inspected before it is armed and welded, whether or not somebody wrote down the days."""
    for operacion in _BOTH:
        if spool.estado(operacion) != Estado.COMPLETADO:
            spool = spool.with_estado(operacion, Estado.COMPLETADO).with_fecha(operacion, said.fecha(operacion))
    return spool


def _estado(spool: Spool, operacion: Operacion, reading: Reading) -> Estado:
    fecha = spool.fecha_armado if operacion is Operacion.ARM else spool.fecha_soldadura
    said = reading.arm if operacion is Operacion.ARM else reading.sold
    by_joints = workflow(spool) is Workflow.V4 and done(spool, operacion) >= needed(spool, operacion)
    if fecha is not None or by_joints:
        return Estado.COMPLETADO
    begun = said not in (None, Estado.PENDIENTE) or spool.operario(operacion) or done(spool, operacion)
    return Estado.PAUSADO if begun else Estado.PENDIENTE


def _approved(spool: Spool, reading: Reading) -> bool:
    """A text that says rejected or blocked is believed more than a date: nothing bad passes by an import."""
    dated = spool.fecha_qc is not None and reading.metrologia not in _REJECTED
    return dated or reading.metrologia is Metrologia.APROBADO


def _inspection(spool: Spool, reading: Reading) -> Spool:
    if _approved(spool, reading):
        return approved(spool, spool.fecha_qc)
    spool = replace(spool, fecha_qc=None, ciclo=reading.ciclo or 0)
    if reading.metrologia in _REJECTED:
        # Who repairs is worked out later; a repair that nobody holds is a paused one.
        said = reading.reparacion or Reparacion.PENDIENTE
        reparacion = Reparacion.PAUSADO if said is Reparacion.EN_PROGRESO else said
        return replace(spool, metrologia=reading.metrologia, reparacion=reparacion)
    spool = in_the_right_queue(spool)
    if spool.metrologia is Metrologia.EN_COLA and reading.reparacion is Reparacion.COMPLETADO:
        return replace(spool, reparacion=Reparacion.COMPLETADO)
    return spool


def _holder(
    spool: Spool, cells: Mapping[str, str], reading: Reading, context: EditContext
) -> tuple[Spool, list[Remark]]:
    """The spool with its holder; or without one, and what is wrong with the name."""
    column, label = _named(cells, reading)
    if not label or spool.metrologia is Metrologia.BLOQUEADO:
        return spool, []
    try:
        worker = known_worker(label, column, context)
    except Quarantined as unknown:
        return spool, [Remark(column, f"{unknown.reason} El spool entró libre.", left_out=True)]
    operacion = reading.operacion or to_hold(spool)
    since = since_said(cells.get("Fecha_Ocupacion", ""), context)
    held = occupied(spool, worker, operacion, since, context.lock_for(worker.id, since))
    held = _named_as_typed(spool, held, operacion)
    return (held if held.metrologia is Metrologia.APROBADO else in_the_right_queue(held)), []


def _named(cells: Mapping[str, str], reading: Reading) -> tuple[str, str]:
    """`Ocupado_Por` says who; only of a repair the text alone is enough."""
    if label := cells.get("Ocupado_Por"):
        return "Ocupado_Por", label
    repairing = reading.operacion is Operacion.REPARACION
    return "Estado_Detalle", (reading.holder or "") if repairing else ""


def _named_as_typed(spool: Spool, held: Spool, operacion: Operacion) -> Spool:
    """Whoever the row names stays named. If that is the holder, the work began with this occupation."""
    occupation = held.occupation
    assert occupation is not None
    nombre = spool.operario(operacion)
    if nombre and nombre != occupation.label:
        return held.with_operario(operacion, nombre)
    if nombre and workflow(spool) is Workflow.V3 and occupation.before.estado == Estado.PAUSADO:
        return replace(held, occupation=replace(occupation, before=Before(Estado.PENDIENTE)))
    return held


def _dates_not_taken(spool: Spool, cells: Mapping[str, str]) -> list[Remark]:
    taken = {
        "Fecha_Armado": spool.fecha_armado,
        "Fecha_Soldadura": spool.fecha_soldadura,
        "Fecha_QC_Metrología": spool.fecha_qc,
    }
    return [
        Remark(column, f"{cells[column]} no corresponde a las uniones o al estado del spool; no se tomó.")
        for column, dia in taken.items()
        if cells.get(column) and day(cells[column]) != dia
    ]


def _nobody_holds(spool: Spool, cells: Mapping[str, str]) -> list[Remark]:
    if not cells.get("Ocupado_Por") or spool.metrologia is not Metrologia.BLOQUEADO:
        return []
    return [Remark("Ocupado_Por", "el spool está bloqueado y nadie puede tenerlo; entró libre.", left_out=True)]


def _new(spool: Spool, uniones: int, context: EditContext) -> Event:
    metadata: dict[str, Any] = {"hoja": OPERACIONES, "uniones": uniones}
    event = Event(EventoTipo.EDICION_EXTERNA, context.now, NUEVO, metadata=metadata)
    held = spool.occupation
    if held is None:
        return event
    metadata |= {"ocupado_por": held.label, "fecha_ocupacion": held.since.isoformat()}
    return replace(event, operacion=held.operacion, worker_id=held.worker_id, worker=held.label)
