"""What a person's edits in the workbook do to a spool. A person's value wins over the ledger's and leaves an event."""

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
from carrete.domain.edits.joint import affects_progress, edit_joints
from carrete.domain.events import Event, EventoTipo
from carrete.domain.inspection import unblocked
from carrete.domain.joints import Joint
from carrete.domain.occupation import queue_events
from carrete.domain.progress import recompute_progress, reopened, update_inspection_queue, update_queue_unless_approved
from carrete.domain.spool import Before, Estado, Metrologia, Operacion, Reparacion, Spool
from carrete.domain.version import Workflow, workflow

TOTAL_UNIONES_MAX = 10_000  # a larger number is no count of joints
_WHOLE = re.compile(r"[0-9]{1,9}")


def apply_edits(
    spool: Spool, joints: Sequence[Joint], row: RowEdits, joint_edits: Sequence[JointEdits], context: EditContext
) -> Edited:
    """Applies all edits of one row and of its joints, in an order that does not depend on the order of columns.

    The holder comes first, so that in a history the event that changes the holder opens or ends the session."""
    editor = RowEditor(spool, context)
    row = _without_rejected(editor, row)
    by_column = {edit.column: edit for edit in row.edits}
    edit_holder(editor, by_column, row)
    if row.back and spool.retired:
        editor.restore_row()
    if row.gone and not spool.retired:
        editor.retire_row()
    recount = _edit_total(editor, by_column)
    changed = edit_joints(editor, joint_edits)
    present = {joint.n_union: joint for joint in (*joints, *changed)}
    if recount or any(affects_progress(each) for each in joint_edits):
        editor.spool = recompute_progress(editor.spool, present.values(), context.shop)
    for column, effect in _EFFECTS.items():
        if column in by_column:
            effect(editor, by_column[column])
    if workflow(editor.spool) is Workflow.V4 and _states_unlocked(spool, editor.spool):
        editor.spool = recompute_progress(editor.spool, present.values(), context.shop)
    events = (*editor.events, *queue_events(spool, editor.spool, context.now))
    return Edited(editor.spool, tuple(changed), events, tuple(editor.remarks))


def _without_rejected(editor: RowEditor, row: RowEdits) -> RowEdits:
    """Edits that a supervisor rejected only leave events. A row that is back in the workbook is back all the same."""
    if row.refused is None:
        return row
    for edit in row.edits:
        editor.keep_ours(edit, OURS_STANDS, **row.refused)
    if row.gone:
        editor.events.append(row_event(OPERACIONES, RETIRAR, editor.context.now, aceptado=False, **row.refused))
    return RowEdits(back=row.back)


def _states_unlocked(before: Spool, after: Spool) -> bool:
    """Whether an edit ended an occupation or an approval, which had kept the states from being recomputed."""
    freed = before.occupation is not None and after.occupation is None
    return freed or (before.metrologia is Metrologia.APROBADO and after.metrologia is not Metrologia.APROBADO)


# ─── progress ─────────────────────────────────────────────────────────────────────────────────────────────────


def _edit_total(editor: RowEditor, by_column: Mapping[str, Edit]) -> bool:
    edit = by_column.get("Total_Uniones")
    if edit is None:
        return False
    total, text = parse_total(edit.new)
    editor.accept(edit, replace(editor.spool, total_uniones=total, total_uniones_text=text))
    editor.remarks += total_remarks(text)
    return True


def parse_total(cell: str) -> tuple[int | None, str | None]:
    """The number, or the text that is not a number."""
    if not cell:
        return None, None
    if _WHOLE.fullmatch(cell) and int(cell) <= TOTAL_UNIONES_MAX:
        return int(cell), None
    return None, cell


def total_remarks(text: str | None) -> list[Remark]:
    if text is None:
        return []
    return [Remark("Total_Uniones", f"«{text}» no es una cantidad de uniones; se trabaja como v3.0.")]


def _edit_date(editor: RowEditor, edit: Edit, operacion: Operacion) -> None:
    if workflow(editor.spool) is Workflow.V4:
        editor.keep_ours(edit, "el spool es v4.0: la fecha la deciden sus uniones.")
        return
    dia = day(edit.new)
    editor.accept(edit, _completed(editor.spool, operacion, dia) if dia else _reopened(editor.spool, operacion))


def _completed(spool: Spool, operacion: Operacion, dia: date) -> Spool:
    """A date does not end an occupation; only an edit of `Ocupado_Por` does."""
    spool = spool.with_fecha(operacion, dia)
    if held_for(spool, operacion):
        return _returning_to(spool, Estado.COMPLETADO)
    return update_queue_unless_approved(spool.with_estado(operacion, Estado.COMPLETADO))


def _reopened(spool: Spool, operacion: Operacion) -> Spool:
    again = reopened(spool, operacion)
    if held_for(spool, operacion):
        returning = _returning_to(spool.with_fecha(operacion, None), Estado(again.estado(operacion)))
        return update_inspection_queue(returning)
    return update_inspection_queue(again)


def held_for(spool: Spool, operacion: Operacion) -> bool:
    return spool.occupation is not None and spool.occupation.operacion is operacion


def _returning_to(spool: Spool, estado: Estado) -> Spool:
    """A worker holds the spool, so the edit changes the state that a CANCELAR returns to."""
    held = spool.occupation
    assert held is not None
    return replace(spool, occupation=held._replace(before=Before(estado, spool.operario(held.operacion))))


def _edit_qc(editor: RowEditor, edit: Edit) -> None:
    dia = day(edit.new)
    editor.accept(edit, approved(editor.spool, dia) if dia else _to_be_inspected(editor.spool))


def approved(spool: Spool, dia: date | None) -> Spool:
    reparacion = Reparacion.EN_PROGRESO if held_for(spool, Operacion.REPARACION) else Reparacion.NO_REQUERIDA
    return replace(spool, metrologia=Metrologia.APROBADO, fecha_qc=dia, reparacion=reparacion, ciclo=0)


def _to_be_inspected(spool: Spool) -> Spool:
    spool = replace(spool, fecha_qc=None)
    if spool.metrologia is not Metrologia.APROBADO:
        return spool
    return update_inspection_queue(replace(spool, metrologia=Metrologia.EN_COLA))


def _edit_estado_detalle(editor: RowEditor, edit: Edit) -> None:
    """Replacing BLOQUEADO by another text lifts the block. No other edit of this text has an effect."""
    blocked = editor.spool.metrologia is Metrologia.BLOQUEADO and _is_blocked(edit.was)
    if not blocked or _is_blocked(edit.new):
        editor.keep_ours(edit, "lo escribe Carrete según el estado del spool; queda el nuestro.")
        return
    lifted = unblocked(editor.spool)
    editor.accept(edit, lifted)
    facts = {"motivo": "BLOQUEADO quitado en la planilla", "ciclo": lifted.ciclo}
    now = editor.context.now
    editor.events.append(
        Event(EventoTipo.SUPERVISOR_OVERRIDE, now, "DESBLOQUEAR", Operacion.METROLOGIA, metadata=facts)
    )


def _is_blocked(text: str) -> bool:
    return text.upper().startswith("BLOQUEADO")


# ─── as typed ─────────────────────────────────────────────────────────────────────────────────────────────────


def _as_typed(name: str) -> Callable[[RowEditor, Edit], None]:
    def effect(editor: RowEditor, edit: Edit) -> None:
        changed: dict[str, Any] = {name: edit.new or None}
        editor.accept(edit, replace(editor.spool, **changed))

    return effect


def _edit_materiales(editor: RowEditor, edit: Edit) -> None:
    editor.accept(edit, replace(editor.spool, fecha_materiales=day(edit.new)))


def _keep_computed(editor: RowEditor, edit: Edit) -> None:
    editor.keep_ours(edit, WORKED_OUT)


_EFFECTS: dict[str, Callable[[RowEditor, Edit], None]] = {
    "OT": _as_typed("ot"),
    "NV": _as_typed("nv"),
    "Fecha_Materiales": _edit_materiales,
    "Armador": _as_typed("armador"),
    "Soldador": _as_typed("soldador"),
    "Fecha_Armado": lambda editor, edit: _edit_date(editor, edit, Operacion.ARM),
    "Fecha_Soldadura": lambda editor, edit: _edit_date(editor, edit, Operacion.SOLD),
    "Fecha_QC_Metrología": _edit_qc,
    "Estado_Detalle": _edit_estado_detalle,
    "Uniones_ARM_Completadas": _keep_computed,
    "Uniones_SOLD_Completadas": _keep_computed,
    "Pulgadas_ARM": _keep_computed,
    "Pulgadas_SOLD": _keep_computed,
    VERSION: _keep_computed,
}
