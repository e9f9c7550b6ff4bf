"""What a person's edits in the workbook do to a spool. What a person typed wins, and is written down.

Everything here acts on the present spool, in an order that does not depend on the order of columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from carrete.domain.edits.cells import (
    OPERACIONES,
    OURS_STANDS,
    RETIRAR,
    VERSION,
    WORKED_OUT,
    Edit,
    EditContext,
    Edited,
    JointEdits,
    Remark,
    RowEditor,
    RowEdits,
    day,
    row_event,
)
from carrete.domain.edits.holder import edit_holder
from carrete.domain.edits.joint import edit_joints, moves_progress
from carrete.domain.events import Event, EventoTipo
from carrete.domain.inspection import unblocked
from carrete.domain.joints import Joint
from carrete.domain.occupation import queued
from carrete.domain.progress import in_its_queue, in_the_right_queue, reopened, worked_out_anew
from carrete.domain.spool import Before, Estado, Metrologia, Operacion, Reparacion, Spool
from carrete.domain.version import Workflow, workflow

TOTAL_UNIONES_MAX = 10_000  # beyond it somebody typed something else
_WHOLE = re.compile(r"[0-9]{1,9}")


def edited(
    spool: Spool, joints: Sequence[Joint], row: RowEdits, joint_edits: Sequence[JointEdits], context: EditContext
) -> Edited:
    """The spool after all of a person's edits, in an order that does not depend on the order of columns.

    The holder comes first: whoever reads the trail sees each occupation opened by the event that opened it."""
    desk = RowEditor(spool, context)
    row = _taken(desk, row)
    by_column = {edit.column: edit for edit in row.edits}
    edit_holder(desk, by_column, row)
    if row.back and spool.retired:
        desk.came_back()
    if row.gone and not spool.retired:
        desk.went_away()
    recount = _edit_total(desk, by_column)
    changed = edit_joints(desk, joint_edits)
    present = {joint.n_union: joint for joint in (*joints, *changed)}
    if recount or any(moves_progress(each) for each in joint_edits):
        desk.spool = worked_out_anew(desk.spool, present.values(), context.shop)
    for column, effect in _EFFECTS.items():
        if column in by_column:
            effect(desk, by_column[column])
    if workflow(desk.spool) is Workflow.V4 and _ended(spool, desk.spool):
        desk.spool = worked_out_anew(desk.spool, present.values(), context.shop)
    events = (*desk.events, *queued(spool, desk.spool, context.now))
    return Edited(desk.spool, tuple(changed), events, tuple(desk.remarks))


def _taken(desk: RowEditor, row: RowEdits) -> RowEdits:
    """Of edits that a supervisor refused only the trail remains; a row that is there again is there."""
    if row.refused is None:
        return row
    for edit in row.edits:
        desk.keep_ours(edit, OURS_STANDS, **row.refused)
    if row.gone:
        desk.events.append(row_event(OPERACIONES, RETIRAR, desk.context.now, aceptado=False, **row.refused))
    return RowEdits(back=row.back)


def _ended(before: Spool, after: Spool) -> bool:
    """An occupation or an approval: until then it kept the states as they were."""
    freed = before.occupation is not None and after.occupation is None
    return freed or (before.metrologia is Metrologia.APROBADO and after.metrologia is not Metrologia.APROBADO)


# ─── progress ─────────────────────────────────────────────────────────────────────────────────────────────────


def _edit_total(desk: RowEditor, by_column: Mapping[str, Edit]) -> bool:
    edit = by_column.get("Total_Uniones")
    if edit is None:
        return False
    total, text = total_said(edit.new)
    desk.accept(edit, replace(desk.spool, total_uniones=total, total_uniones_text=text))
    desk.remarks += total_remarks(text)
    return True


def total_said(said: str) -> tuple[int | None, str | None]:
    """The number, or the text that is none."""
    if not said:
        return None, None
    if _WHOLE.fullmatch(said) and int(said) <= TOTAL_UNIONES_MAX:
        return int(said), None
    return None, said


def total_remarks(text: str | None) -> list[Remark]:
    if text is None:
        return []
    return [Remark("Total_Uniones", f"«{text}» no es una cantidad de uniones; se trabaja como v3.0.")]


def _edit_date(desk: RowEditor, edit: Edit, operacion: Operacion) -> None:
    if workflow(desk.spool) is Workflow.V4:
        desk.keep_ours(edit, "el spool es v4.0: la fecha la deciden sus uniones.")
        return
    dia = day(edit.new)
    desk.accept(edit, _completed(desk.spool, operacion, dia) if dia else _reopened(desk.spool, operacion))


def _completed(spool: Spool, operacion: Operacion, dia: date) -> Spool:
    """A date does not take a spool out of anybody's hands: only `Ocupado_Por` does."""
    spool = spool.with_fecha(operacion, dia)
    if held_for(spool, operacion):
        return _returning_to(spool, Estado.COMPLETADO)
    return in_its_queue(spool.with_estado(operacion, Estado.COMPLETADO))


def _reopened(spool: Spool, operacion: Operacion) -> Spool:
    again = reopened(spool, operacion)
    if held_for(spool, operacion):
        returning = _returning_to(spool.with_fecha(operacion, None), Estado(again.estado(operacion)))
        return in_the_right_queue(returning)
    return in_the_right_queue(again)


def held_for(spool: Spool, operacion: Operacion) -> bool:
    return spool.occupation is not None and spool.occupation.operacion is operacion


def _returning_to(spool: Spool, estado: Estado) -> Spool:
    """Somebody works on it: the edit changes where a CANCELAR would go back to."""
    held = spool.occupation
    assert held is not None
    return replace(spool, occupation=replace(held, before=Before(estado, spool.operario(held.operacion))))


def _edit_qc(desk: RowEditor, edit: Edit) -> None:
    dia = day(edit.new)
    desk.accept(edit, approved(desk.spool, dia) if dia else _to_be_inspected(desk.spool))


def approved(spool: Spool, dia: date | None) -> Spool:
    reparacion = Reparacion.EN_PROGRESO if held_for(spool, Operacion.REPARACION) else Reparacion.NO_REQUERIDA
    return replace(spool, metrologia=Metrologia.APROBADO, fecha_qc=dia, reparacion=reparacion, ciclo=0)


def _to_be_inspected(spool: Spool) -> Spool:
    spool = replace(spool, fecha_qc=None)
    if spool.metrologia is not Metrologia.APROBADO:
        return spool
    return in_the_right_queue(replace(spool, metrologia=Metrologia.EN_COLA))


def _edit_estado_detalle(desk: RowEditor, edit: Edit) -> None:
    """The one thing this text decides: a supervisor who saw BLOQUEADO wrote something else over it."""
    blocked = desk.spool.metrologia is Metrologia.BLOQUEADO and _says_blocked(edit.was)
    if not blocked or _says_blocked(edit.new):
        desk.keep_ours(edit, "lo escribe Carrete según el estado del spool; queda el nuestro.")
        return
    lifted = unblocked(desk.spool)
    desk.accept(edit, lifted)
    facts = {"motivo": "BLOQUEADO quitado en la planilla", "ciclo": lifted.ciclo}
    now = desk.context.now
    desk.events.append(Event(EventoTipo.SUPERVISOR_OVERRIDE, now, "DESBLOQUEAR", Operacion.METROLOGIA, metadata=facts))


def _says_blocked(text: str) -> bool:
    return text.upper().startswith("BLOQUEADO")


# ─── as typed ─────────────────────────────────────────────────────────────────────────────────────────────────


def _as_typed(name: str) -> Callable[[RowEditor, Edit], None]:
    def effect(desk: RowEditor, edit: Edit) -> None:
        changed: dict[str, Any] = {name: edit.new or None}
        desk.accept(edit, replace(desk.spool, **changed))

    return effect


def _edit_materiales(desk: RowEditor, edit: Edit) -> None:
    desk.accept(edit, replace(desk.spool, fecha_materiales=day(edit.new)))


def _worked_out_by_us(desk: RowEditor, edit: Edit) -> None:
    desk.keep_ours(edit, WORKED_OUT)


_EFFECTS: dict[str, Callable[[RowEditor, Edit], None]] = {
    "OT": _as_typed("ot"),
    "NV": _as_typed("nv"),
    "Fecha_Materiales": _edit_materiales,
    "Armador": _as_typed("armador"),
    "Soldador": _as_typed("soldador"),
    "Fecha_Armado": lambda desk, edit: _edit_date(desk, edit, Operacion.ARM),
    "Fecha_Soldadura": lambda desk, edit: _edit_date(desk, edit, Operacion.SOLD),
    "Fecha_QC_Metrología": _edit_qc,
    "Estado_Detalle": _edit_estado_detalle,
    "Uniones_ARM_Completadas": _worked_out_by_us,
    "Uniones_SOLD_Completadas": _worked_out_by_us,
    "Pulgadas_ARM": _worked_out_by_us,
    "Pulgadas_SOLD": _worked_out_by_us,
    VERSION: _worked_out_by_us,
}
