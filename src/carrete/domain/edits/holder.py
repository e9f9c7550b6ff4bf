"""A person's edit of `Ocupado_Por` or `Fecha_Ocupacion`. It counts only for the occupation that the person saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from carrete.domain.edits.cells import (
    OPERACIONES,
    Edit,
    EditContext,
    Quarantined,
    RowEditor,
    RowEdits,
    edit_event,
    instant,
    wall_text,
)
from carrete.domain.occupation import occupied, paused
from carrete.domain.progress import update_queue_unless_approved
from carrete.domain.spool import Estado, Metrologia, Operacion, Spool
from carrete.domain.workers import Worker, is_label_of, labelled_id


def edit_holder(editor: RowEditor, by_column: Mapping[str, Edit], row: RowEdits) -> None:
    """`Ocupado_Por` and `Fecha_Ocupacion` describe one occupation, so both cells are applied together."""
    edit = by_column.get("Ocupado_Por")
    if edit is None:
        if since := by_column.get("Fecha_Ocupacion"):
            _edit_since(editor, since, row)
    elif not _saw_present_occupation(editor.spool, row.seen, editor.context.shop.zone):
        _keep_newer_occupation(editor, edit)
    elif edit.new:
        _hand_over(editor, edit, by_column.get("Fecha_Ocupacion"))
    else:
        _free(editor, edit)


def _saw_present_occupation(spool: Spool, seen: Mapping[str, str], zone: ZoneInfo) -> bool:
    """Whether the person saw the occupation that the ledger has now. Without a date only the label is compared."""
    held = spool.occupation
    if seen.get("Ocupado_Por", "") != (held.label if held else ""):
        return False
    since = seen.get("Fecha_Ocupacion", "")
    return held is None or not since or since == wall_text(held.since, zone)


def _keep_newer_occupation(editor: RowEditor, edit: Edit) -> None:
    """A newer occupation began after the person looked: it stays, and the event records both values."""
    clash = replace(edit, conflict=True)
    ours = edit.ours or "nadie"
    editor.keep_ours(clash, f"mientras tanto el spool pasó a {ours}; queda así.", left_out=True)


def _free(editor: RowEditor, edit: Edit) -> None:
    held = editor.spool.occupation
    if held is None:
        return
    event = edit_event(edit, OPERACIONES, editor.context.now)
    editor.events.append(event._replace(operacion=held.operacion, worker_id=held.worker_id, worker=held.label))
    editor.spool = paused(editor.spool)


def _hand_over(editor: RowEditor, edit: Edit, date_edit: Edit | None) -> None:
    """Without a new date the occupation begins now: the old date is that of the holder before."""
    worker = known_worker(edit.new, "Ocupado_Por", editor.context)
    spool, context = editor.spool, editor.context
    if spool.metrologia is Metrologia.BLOQUEADO:
        editor.keep_ours(edit, "el spool está bloqueado y nadie puede tomarlo.", left_out=True)
        return
    operacion = spool.occupation.operacion if spool.occupation else operation_to_hold(spool)
    if spool.occupation is not None:
        spool = paused(spool)
    since = occupied_since(date_edit.new if date_edit else "", context)
    editor.spool = update_queue_unless_approved(
        occupied(spool, worker, operacion, since, context.lock_for(worker.id, since))
    )
    event = edit_event(edit, OPERACIONES, context.now, fecha_ocupacion=since.isoformat())
    editor.events.append(event._replace(operacion=operacion, worker_id=worker.id, worker=worker.label))


def _edit_since(editor: RowEditor, edit: Edit, row: RowEdits) -> None:
    held, context = editor.spool.occupation, editor.context
    since = instant(edit.new, context.shop.zone)
    if (
        held is None
        or since is None
        or since > context.now
        or not _saw_present_occupation(editor.spool, row.seen, context.shop.zone)
    ):
        editor.keep_ours(edit, "sólo cambia con Ocupado_Por; queda la nuestra.")
        return
    moved = replace(editor.spool, occupation=held._replace(since=since))
    editor.accept(edit, moved, fecha_ocupacion=since.isoformat())


def known_worker(label: str, column: str, context: EditContext) -> Worker:
    worker = context.workers.get(labelled_id(label) or 0)
    if worker is None or not is_label_of(label, worker):
        raise Quarantined(column, f"nadie se llama «{label}»; se espera INICIALES(ID) de Trabajadores.")
    return worker


def occupied_since(cell: str, context: EditContext) -> datetime:
    """The instant in the cell, but never later than now; without one, now."""
    since = instant(cell, context.shop.zone)
    return min(since, context.now) if since else context.now


def operation_to_hold(spool: Spool) -> Operacion:
    """The operation of a person who is named on a free spool: one that is begun and not complete, else the next one."""
    if spool.metrologia is Metrologia.RECHAZADO:
        return Operacion.REPARACION
    both = (Operacion.ARM, Operacion.SOLD)
    still_open = [operacion for operacion in both if spool.estado(operacion) != Estado.COMPLETADO]
    begun = [op for op in still_open if spool.estado(op) != Estado.PENDIENTE or spool.operario(op)]
    return next(iter((*begun, *still_open)), Operacion.ARM)
