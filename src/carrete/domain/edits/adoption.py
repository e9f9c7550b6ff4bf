"""The first import of a spool: its row, its joints and its `Estado_Detalle` become typed state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from carrete.domain import estado_detalle
from carrete.domain.edits.cells import NUEVO, OPERACIONES, EditContext, Edited, Quarantined, Remark, day
from carrete.domain.edits.holder import known_worker, occupied_since, operation_to_hold
from carrete.domain.edits.joint import joint_remarks
from carrete.domain.edits.spool import approved, parse_total, total_remarks
from carrete.domain.estado_detalle import ParsedEstado
from carrete.domain.events import Event, EventoTipo
from carrete.domain.joints import Joint, count
from carrete.domain.occupation import occupied
from carrete.domain.progress import joints_done, joints_needed, recompute_progress, update_inspection_queue
from carrete.domain.shop import Shop
from carrete.domain.spool import Before, Estado, Metrologia, Operacion, Reparacion, Spool
from carrete.domain.tags import hidden_character
from carrete.domain.version import Workflow, workflow

_REJECTED = (Metrologia.RECHAZADO, Metrologia.BLOQUEADO)
_BOTH = (Operacion.ARM, Operacion.SOLD)
_OCCUPATION = frozenset({"Ocupado_Por", "Fecha_Ocupacion"})


def adopt(tag: str, cells: Mapping[str, str], joints: Sequence[Joint], context: EditContext) -> Edited:
    """The new spool, with one event. Raises Quarantined when the tag has an invisible character. If `Ocupado_Por` names
    an unknown worker, the spool is free and the cells of the occupation wait: they count as an edit once a person
    repairs them or adds the worker."""
    if reason := hidden_character(tag):
        raise Quarantined("TAG_SPOOL", reason)
    parsed = estado_detalle.parse(cells.get("Estado_Detalle"))
    spool = _spool_from_cells(tag, cells)
    spool = _progress(spool, joints, parsed, context.shop)
    spool = _inspection(spool, parsed)
    spool, unknown = _holder(spool, cells, parsed, context)
    remarks = [*total_remarks(spool.total_uniones_text), *_ignored_dates(spool, cells), *_ignored_holder(spool, cells)]
    remarks += [remark for joint in joints for remark in joint_remarks(joint)]
    remarks += unknown
    waiting = _OCCUPATION if any(remark.column in _OCCUPATION for remark in unknown) else frozenset()
    return Edited(spool, tuple(joints), (_import_event(spool, len(joints), context),), tuple(remarks), waiting)


def _spool_from_cells(tag: str, cells: Mapping[str, str]) -> Spool:
    total, text = parse_total(cells.get("Total_Uniones", ""))
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


def _progress(spool: Spool, joints: Sequence[Joint], parsed: ParsedEstado, shop: Shop) -> Spool:
    """v3.0 by its dates, v4.0 by its joints. An import does not reopen a spool that has come to inspection."""
    imported = spool = replace(spool, counts=count(joints, shop))
    if workflow(spool) is Workflow.V4 and not _approved(spool, parsed):
        spool = replace(recompute_progress(spool, joints, shop), metrologia=Metrologia.PENDIENTE)
    else:
        for operacion in _BOTH:
            spool = spool.with_estado(operacion, _estado(spool, operacion, parsed))
    return _finished(spool, imported) if _came_to_inspection(imported, parsed) else spool


def _came_to_inspection(spool: Spool, parsed: ParsedEstado) -> bool:
    return parsed.metrologia is not None or _approved(spool, parsed)


def _finished(spool: Spool, imported: Spool) -> Spool:
    """ARM and SOLD are complete, with or without dates: only a finished spool comes to inspection."""
    for operacion in _BOTH:
        if spool.estado(operacion) != Estado.COMPLETADO:
            spool = spool.with_estado(operacion, Estado.COMPLETADO).with_fecha(operacion, imported.fecha(operacion))
    return spool


def _estado(spool: Spool, operacion: Operacion, parsed: ParsedEstado) -> Estado:
    fecha = spool.fecha_armado if operacion is Operacion.ARM else spool.fecha_soldadura
    estado = parsed.arm if operacion is Operacion.ARM else parsed.sold
    by_joints = workflow(spool) is Workflow.V4 and joints_done(spool, operacion) >= joints_needed(spool, operacion)
    if fecha is not None or by_joints:
        return Estado.COMPLETADO
    begun = estado not in (None, Estado.PENDIENTE) or spool.operario(operacion) or joints_done(spool, operacion)
    return Estado.PAUSADO if begun else Estado.PENDIENTE


def _approved(spool: Spool, parsed: ParsedEstado) -> bool:
    """By a date or by the text; but a text of a rejected or blocked spool outweighs a date, to be on the safe side."""
    dated = spool.fecha_qc is not None and parsed.metrologia not in _REJECTED
    return dated or parsed.metrologia is Metrologia.APROBADO


def _inspection(spool: Spool, parsed: ParsedEstado) -> Spool:
    if _approved(spool, parsed):
        return approved(spool, spool.fecha_qc)
    spool = replace(spool, fecha_qc=None, ciclo=parsed.ciclo or 0)
    if parsed.metrologia in _REJECTED:
        # A repair in progress needs a holder, who is found later; without one it is a paused repair.
        reparacion = parsed.reparacion or Reparacion.PENDIENTE
        if reparacion is Reparacion.EN_PROGRESO:
            reparacion = Reparacion.PAUSADO
        return replace(spool, metrologia=parsed.metrologia, reparacion=reparacion)
    spool = update_inspection_queue(spool)
    if spool.metrologia is Metrologia.EN_COLA and parsed.reparacion is Reparacion.COMPLETADO:
        return replace(spool, reparacion=Reparacion.COMPLETADO)
    return spool


def _holder(
    spool: Spool, cells: Mapping[str, str], parsed: ParsedEstado, context: EditContext
) -> tuple[Spool, list[Remark]]:
    """The spool with its holder; or the free spool and a remark about the unknown name."""
    column, label = _named(cells, parsed)
    if not label or spool.metrologia is Metrologia.BLOQUEADO:
        return spool, []
    try:
        worker = known_worker(label, column, context)
    except Quarantined as unknown:
        return spool, [Remark(column, f"{unknown.reason} El spool entró libre.", left_out=True)]
    operacion = parsed.operacion or operation_to_hold(spool)
    since = occupied_since(cells.get("Fecha_Ocupacion", ""), context)
    held = occupied(spool, worker, operacion, since, context.lock_for(worker.id, since))
    held = _named_as_typed(spool, held, operacion)
    return (held if held.metrologia is Metrologia.APROBADO else update_inspection_queue(held)), []


def _named(cells: Mapping[str, str], parsed: ParsedEstado) -> tuple[str, str]:
    """The column and label that name the holder: `Ocupado_Por`; for a repair also `Estado_Detalle`."""
    if label := cells.get("Ocupado_Por"):
        return "Ocupado_Por", label
    repairing = parsed.operacion is Operacion.REPARACION
    return "Estado_Detalle", (parsed.holder or "") if repairing else ""


def _named_as_typed(spool: Spool, held: Spool, operacion: Operacion) -> Spool:
    """`Armador` or `Soldador` stay as typed. If they name the holder, the work began with this occupation."""
    occupation = held.occupation
    assert occupation is not None
    nombre = spool.operario(operacion)
    if nombre and nombre != occupation.label:
        return held.with_operario(operacion, nombre)
    if nombre and workflow(spool) is Workflow.V3 and occupation.before.estado == Estado.PAUSADO:
        return replace(held, occupation=occupation._replace(before=Before(Estado.PENDIENTE)))
    return held


def _ignored_dates(spool: Spool, cells: Mapping[str, str]) -> list[Remark]:
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


def _ignored_holder(spool: Spool, cells: Mapping[str, str]) -> list[Remark]:
    if not cells.get("Ocupado_Por") or spool.metrologia is not Metrologia.BLOQUEADO:
        return []
    return [Remark("Ocupado_Por", "el spool está bloqueado y nadie puede tenerlo; entró libre.", left_out=True)]


def _import_event(spool: Spool, uniones: int, context: EditContext) -> Event:
    metadata: dict[str, Any] = {"hoja": OPERACIONES, "uniones": uniones}
    event = Event(EventoTipo.EDICION_EXTERNA, context.now, NUEVO, metadata=metadata)
    held = spool.occupation
    if held is None:
        return event
    metadata |= {"ocupado_por": held.label, "fecha_ocupacion": held.since.isoformat()}
    return event._replace(operacion=held.operacion, worker_id=held.worker_id, worker=held.label)
