"""A person's edit of `Ocupado_Por` or `Fecha_Ocupacion`: about the occupation that they could see, and no other."""

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
    edition,
    instant,
    wall_text,
)
from carrete.domain.occupation import occupied, paused
from carrete.domain.progress import in_its_queue
from carrete.domain.spool import Estado, Metrologia, Operacion, Spool
from carrete.domain.workers import Worker, is_label_of, labelled_id


def edit_holder(desk: RowEditor, by_column: Mapping[str, Edit], row: RowEdits) -> None:
    """`Ocupado_Por` and `Fecha_Ocupacion` are one thing said in two cells."""
    edit = by_column.get("Ocupado_Por")
    if edit is None:
        if since := by_column.get("Fecha_Ocupacion"):
            _edit_since(desk, since, row)
    elif not _could_see(desk.spool, row.seen, desk.context.shop.zone):
        _not_that_occupation(desk, edit)
    elif edit.new:
        _hand_over(desk, edit, by_column.get("Fecha_Ocupacion"))
    else:
        _free(desk, edit)


def _could_see(spool: Spool, seen: Mapping[str, str], zone: ZoneInfo) -> bool:
    """A workbook that gave no date can only have meant whoever was named."""
    held = spool.occupation
    if seen.get("Ocupado_Por", "") != (held.label if held else ""):
        return False
    since = seen.get("Fecha_Ocupacion", "")
    return held is None or not since or since == wall_text(held.since, zone)


def _not_that_occupation(desk: RowEditor, edit: Edit) -> None:
    """Another holder came, or the same one again, after the person looked: ours stays, both are written down."""
    clash = replace(edit, conflict=True)
    ours = edit.ours or "nadie"
    desk.keep_ours(clash, f"mientras tanto el spool pasó a {ours}; queda así.", left_out=True)


def _free(desk: RowEditor, edit: Edit) -> None:
    held = desk.spool.occupation
    if held is None:
        return
    event = edition(edit, OPERACIONES, desk.context.now)
    desk.events.append(replace(event, operacion=held.operacion, worker_id=held.worker_id, worker=held.label))
    desk.spool = paused(desk.spool)


def _hand_over(desk: RowEditor, edit: Edit, date_edit: Edit | None) -> None:
    """A date that the person left alone is that of the holder before: the new one begins where that one ends."""
    worker = known_worker(edit.new, "Ocupado_Por", desk.context)
    spool, context = desk.spool, desk.context
    if spool.metrologia is Metrologia.BLOQUEADO:
        desk.keep_ours(edit, "el spool está bloqueado y nadie puede tomarlo.", left_out=True)
        return
    operacion = spool.occupation.operacion if spool.occupation else to_hold(spool)
    if spool.occupation is not None:
        spool = paused(spool)
    since = since_said(date_edit.new if date_edit else "", context)
    desk.spool = in_its_queue(occupied(spool, worker, operacion, since, context.lock_for(worker.id, since)))
    event = edition(edit, OPERACIONES, context.now, fecha_ocupacion=since.isoformat())
    desk.events.append(replace(event, operacion=operacion, worker_id=worker.id, worker=worker.label))


def _edit_since(desk: RowEditor, edit: Edit, row: RowEdits) -> None:
    held, context = desk.spool.occupation, desk.context
    since = instant(edit.new, context.shop.zone)
    if held is None or since is None or since > context.now or not _could_see(desk.spool, row.seen, context.shop.zone):
        desk.keep_ours(edit, "sólo cambia con Ocupado_Por; queda la nuestra.")
        return
    moved = replace(desk.spool, occupation=replace(held, since=since))
    desk.accept(edit, moved, fecha_ocupacion=since.isoformat())


def known_worker(label: str, column: str, context: EditContext) -> Worker:
    worker = context.workers.get(labelled_id(label) or 0)
    if worker is None or not is_label_of(label, worker):
        raise Quarantined(column, f"nadie se llama «{label}»; se espera INICIALES(ID) de Trabajadores.")
    return worker


def since_said(said: str, context: EditContext) -> datetime:
    """Nobody holds a spool since tomorrow."""
    since = instant(said, context.shop.zone)
    return min(since, context.now) if since else context.now


def to_hold(spool: Spool) -> Operacion:
    """What a person means by a name on a free spool: the operation begun and not dated, else the next one."""
    if spool.metrologia is Metrologia.RECHAZADO:
        return Operacion.REPARACION
    both = (Operacion.ARM, Operacion.SOLD)
    still_open = [operacion for operacion in both if spool.estado(operacion) != Estado.COMPLETADO]
    begun = [op for op in still_open if spool.estado(op) != Estado.PENDIENTE or spool.operario(op)]
    return next(iter((*begun, *still_open)), Operacion.ARM)
