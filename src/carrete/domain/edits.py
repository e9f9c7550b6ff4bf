"""What a person's edit in the workbook does to a spool and its joints. What a person typed wins, and is written down.

Cells come in normal form: ISO dates, ISO wall-clock times, plain numbers, `""` for nothing. Everything here acts on
the present spool; an occupation is touched only when it is the one that the person could see.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from carrete.domain.events import Event, EventoTipo
from carrete.domain.inspection import unblocked
from carrete.domain.joints import Joint, milli_from
from carrete.domain.occupation import occupied, paused, queued
from carrete.domain.progress import in_the_right_queue, reopened, worked_out_anew
from carrete.domain.shop import Shop
from carrete.domain.shop_time import from_wall, wall
from carrete.domain.spool import Before, Estado, Metrologia, Operacion, Reparacion, Spool
from carrete.domain.version import Workflow, workflow
from carrete.domain.workers import Worker, is_label_of, labelled_id

OPERACIONES = "Operaciones"
UNIONES = "Uniones"
TOTAL_UNIONES_MAX = 10_000  # beyond it somebody typed something else
VERSION = "version"
OURS_STANDS = "un supervisor reanudó la hoja con lo nuestro."
WORKED_OUT = "lo calcula Carrete; queda el nuestro."
NUEVO, EDITAR, REGRESAR, RETIRAR = "NUEVO", "EDITAR", "REGRESAR", "RETIRAR"
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_WHOLE = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Edit:
    """One cell that a person changed: what stood there, what we have, what it says now."""

    column: str
    was: str
    ours: str
    new: str
    conflict: bool = False  # we changed it too, to something else


@dataclass(frozen=True, slots=True)
class RowEdits:
    """The edits of a spool's row, with the row as the person found it."""

    edits: tuple[Edit, ...] = ()
    seen: Mapping[str, str] = field(default_factory=dict)
    back: bool = False  # the row was gone and is there again
    gone: bool = False  # somebody took the row out of the workbook
    refused: Mapping[str, Any] | None = None  # a supervisor lets ours stand; what the trail says about that


@dataclass(frozen=True, slots=True)
class JointEdits:
    joint: Joint
    edits: tuple[Edit, ...] = ()
    new: bool = False
    back: bool = False
    gone: bool = False
    refused: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """What an edit may look at besides the spool."""

    now: datetime
    shop: Shop
    workers: Mapping[int, Worker]
    lock_for: Callable[[int, datetime], str]  # the lock value of this worker's occupation since then


@dataclass(frozen=True, slots=True)
class Remark:
    """Something about one cell that the person should be told: mostly that ours stays, and why."""

    column: str
    reason: str
    n_union: int | None = None
    left_out: bool = False  # what the person wanted did not happen and should be repaired in the sheet


@dataclass(frozen=True, slots=True)
class Edited:
    spool: Spool
    joints: tuple[Joint, ...] = ()  # those that changed or are new
    events: tuple[Event, ...] = ()
    remarks: tuple[Remark, ...] = ()


class Quarantined(Exception):
    """The row cannot be taken as it is: all of it waits until the sheet is repaired."""

    def __init__(self, column: str, reason: str) -> None:
        super().__init__(reason)
        self.column = column
        self.reason = reason


def edited(
    spool: Spool, joints: Sequence[Joint], row: RowEdits, joint_edits: Sequence[JointEdits], scene: Scene
) -> Edited:
    """The spool after all of a person's edits, in an order that does not depend on the order of columns.

    The holder comes first: whoever reads the trail sees each occupation opened by the event that opened it."""
    desk = _Desk(spool, scene)
    row = _taken(desk, row)
    by_column = {edit.column: edit for edit in row.edits}
    _edit_holder(desk, by_column, row)
    if row.back and spool.retired:
        desk.came_back()
    if row.gone and not spool.retired:
        desk.went_away()
    recount = _edit_total(desk, by_column)
    changed = _edit_joints(desk, joint_edits)
    present = {joint.n_union: joint for joint in (*joints, *changed)}
    if recount or any(_moves_progress(each) for each in joint_edits):
        desk.spool = worked_out_anew(desk.spool, present.values(), scene.shop)
    for column, effect in _EFFECTS.items():
        if column in by_column:
            effect(desk, by_column[column])
    if workflow(desk.spool) is Workflow.V4 and _ended(spool, desk.spool):
        desk.spool = worked_out_anew(desk.spool, present.values(), scene.shop)
    events = (*desk.events, *queued(spool, desk.spool, scene.now))
    return Edited(desk.spool, tuple(changed), events, tuple(desk.remarks))


def _taken(desk: _Desk, row: RowEdits) -> RowEdits:
    """Of edits that a supervisor refused only the trail remains; a row that is there again is there."""
    if row.refused is None:
        return row
    for edit in row.edits:
        desk.keep_ours(edit, OURS_STANDS, **row.refused)
    if row.gone:
        desk.events.append(_row_event(OPERACIONES, RETIRAR, desk.scene.now, aceptado=False, **row.refused))
    return RowEdits(back=row.back)


def _ended(before: Spool, after: Spool) -> bool:
    """An occupation or an approval: until then it kept the states as they were."""
    freed = before.occupation is not None and after.occupation is None
    return freed or (before.metrologia is Metrologia.APROBADO and after.metrologia is not Metrologia.APROBADO)


class _Desk:
    """Where the edits of one row are worked through: the spool so far, and what is to be said about it."""

    def __init__(self, spool: Spool, scene: Scene) -> None:
        self.spool = spool
        self.scene = scene
        self.events: list[Event] = []
        self.remarks: list[Remark] = []

    def accept(self, edit: Edit, spool: Spool, **facts: Any) -> None:
        self.spool = spool
        self.events.append(edition(edit, OPERACIONES, self.scene.now, **facts))

    def keep_ours(
        self, edit: Edit, reason: str, n_union: int | None = None, *, left_out: bool = False, **facts: Any
    ) -> None:
        """Ours is written back, and the trail says what the person had wanted."""
        hoja = OPERACIONES if n_union is None else UNIONES
        self.events.append(edition(edit, hoja, self.scene.now, n_union, aceptado=False, **facts))
        self.remarks.append(Remark(edit.column, reason, n_union, left_out=left_out))

    def came_back(self) -> None:
        self.spool = replace(self.spool, retired=False)
        self.events.append(_row_event(OPERACIONES, REGRESAR, self.scene.now))

    def went_away(self) -> None:
        """Out of the lists; whoever holds it may still end, and its history stays."""
        self.spool = replace(self.spool, retired=True)
        self.events.append(_row_event(OPERACIONES, RETIRAR, self.scene.now))


def edition(edit: Edit, hoja: str, now: datetime, n_union: int | None = None, **facts: Any) -> Event:
    metadata: dict[str, Any] = {"hoja": hoja, "columna": edit.column, "anterior": edit.was, "nuevo": edit.new}
    if edit.conflict:
        metadata |= {"conflicto": True, "nuestro": edit.ours}
    return Event(EventoTipo.EDICION_EXTERNA, now, EDITAR, n_union=n_union, metadata=metadata | facts)


def _row_event(hoja: str, accion: str, now: datetime, n_union: int | None = None, **facts: Any) -> Event:
    return Event(EventoTipo.EDICION_EXTERNA, now, accion, n_union=n_union, metadata={"hoja": hoja} | facts)


# ─── the occupation ───────────────────────────────────────────────────────────────────────────────────────────


def _edit_holder(desk: _Desk, by_column: Mapping[str, Edit], row: RowEdits) -> None:
    """`Ocupado_Por` and `Fecha_Ocupacion` are one thing said in two cells."""
    edit = by_column.get("Ocupado_Por")
    if edit is None:
        if since := by_column.get("Fecha_Ocupacion"):
            _edit_since(desk, since, row)
    elif not _could_see(desk.spool, row.seen, desk.scene.shop.zone):
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
    return held is None or not since or since == _wall_text(held.since, zone)


def _not_that_occupation(desk: _Desk, edit: Edit) -> None:
    """Another holder came, or the same one again, after the person looked: ours stays, both are written down."""
    clash = replace(edit, conflict=True)
    ours = edit.ours or "nadie"
    desk.keep_ours(clash, f"mientras tanto el spool pasó a {ours}; queda así.", left_out=True)


def _free(desk: _Desk, edit: Edit) -> None:
    held = desk.spool.occupation
    if held is None:
        return
    event = edition(edit, OPERACIONES, desk.scene.now)
    desk.events.append(replace(event, operacion=held.operacion, worker_id=held.worker_id, worker=held.label))
    desk.spool = paused(desk.spool)


def _hand_over(desk: _Desk, edit: Edit, date_edit: Edit | None) -> None:
    """A date that the person left alone is that of the holder before: the new one begins where that one ends."""
    worker = known_worker(edit.new, "Ocupado_Por", desk.scene)
    spool, scene = desk.spool, desk.scene
    if spool.metrologia is Metrologia.BLOQUEADO:
        desk.keep_ours(edit, "el spool está bloqueado y nadie puede tomarlo.", left_out=True)
        return
    operacion = spool.occupation.operacion if spool.occupation else to_hold(spool)
    if spool.occupation is not None:
        spool = paused(spool)
    since = since_said(date_edit.new if date_edit else "", scene)
    desk.spool = _in_its_queue(occupied(spool, worker, operacion, since, scene.lock_for(worker.id, since)))
    event = edition(edit, OPERACIONES, scene.now, fecha_ocupacion=since.isoformat())
    desk.events.append(replace(event, operacion=operacion, worker_id=worker.id, worker=worker.label))


def _edit_since(desk: _Desk, edit: Edit, row: RowEdits) -> None:
    held, scene = desk.spool.occupation, desk.scene
    since = instant(edit.new, scene.shop.zone)
    if held is None or since is None or since > scene.now or not _could_see(desk.spool, row.seen, scene.shop.zone):
        desk.keep_ours(edit, "sólo cambia con Ocupado_Por; queda la nuestra.")
        return
    moved = replace(desk.spool, occupation=replace(held, since=since))
    desk.accept(edit, moved, fecha_ocupacion=since.isoformat())


def known_worker(label: str, column: str, scene: Scene) -> Worker:
    worker = scene.workers.get(labelled_id(label) or 0)
    if worker is None or not is_label_of(label, worker):
        raise Quarantined(column, f"nadie se llama «{label}»; se espera INICIALES(ID) de Trabajadores.")
    return worker


def since_said(said: str, scene: Scene) -> datetime:
    """Nobody holds a spool since tomorrow."""
    since = instant(said, scene.shop.zone)
    return min(since, scene.now) if since else scene.now


def to_hold(spool: Spool) -> Operacion:
    """What a person means by a name on a free spool: the operation begun and not dated, else the next one."""
    if spool.metrologia is Metrologia.RECHAZADO:
        return Operacion.REPARACION
    both = (Operacion.ARM, Operacion.SOLD)
    still_open = [operacion for operacion in both if spool.estado(operacion) != Estado.COMPLETADO]
    begun = [op for op in still_open if spool.estado(op) != Estado.PENDIENTE or spool.operario(op)]
    return next(iter((*begun, *still_open)), Operacion.ARM)


# ─── progress ─────────────────────────────────────────────────────────────────────────────────────────────────


def _edit_total(desk: _Desk, by_column: Mapping[str, Edit]) -> bool:
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


def _edit_date(desk: _Desk, edit: Edit, operacion: Operacion) -> None:
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
    return _in_its_queue(spool.with_estado(operacion, Estado.COMPLETADO))


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


def _in_its_queue(spool: Spool) -> Spool:
    """Approved stays approved: only emptying a date takes that back."""
    return spool if spool.metrologia is Metrologia.APROBADO else in_the_right_queue(spool)


def _edit_qc(desk: _Desk, edit: Edit) -> None:
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


def _edit_estado_detalle(desk: _Desk, edit: Edit) -> None:
    """The one thing this text decides: a supervisor who saw BLOQUEADO wrote something else over it."""
    blocked = desk.spool.metrologia is Metrologia.BLOQUEADO and _says_blocked(edit.was)
    if not blocked or _says_blocked(edit.new):
        desk.keep_ours(edit, "lo escribe Carrete según el estado del spool; queda el nuestro.")
        return
    lifted = unblocked(desk.spool)
    desk.accept(edit, lifted)
    facts = {"motivo": "BLOQUEADO quitado en la planilla", "ciclo": lifted.ciclo}
    now = desk.scene.now
    desk.events.append(Event(EventoTipo.SUPERVISOR_OVERRIDE, now, "DESBLOQUEAR", Operacion.METROLOGIA, metadata=facts))


def _says_blocked(text: str) -> bool:
    return text.upper().startswith("BLOQUEADO")


# ─── as typed ─────────────────────────────────────────────────────────────────────────────────────────────────


def _as_typed(name: str) -> Callable[[_Desk, Edit], None]:
    def effect(desk: _Desk, edit: Edit) -> None:
        changed: dict[str, Any] = {name: edit.new or None}
        desk.accept(edit, replace(desk.spool, **changed))

    return effect


def _edit_materiales(desk: _Desk, edit: Edit) -> None:
    desk.accept(edit, replace(desk.spool, fecha_materiales=day(edit.new)))


def _worked_out_by_us(desk: _Desk, edit: Edit) -> None:
    desk.keep_ours(edit, WORKED_OUT)


_EFFECTS: dict[str, Callable[[_Desk, Edit], None]] = {
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


# ─── joints ───────────────────────────────────────────────────────────────────────────────────────────────────

_PROGRESS_COLUMNS = {"DN_UNION", "TIPO_UNION", "ARM_FECHA_FIN", "SOL_FECHA_FIN"}


def _moves_progress(each: JointEdits) -> bool:
    if each.refused is not None and not (each.new or each.back):
        return False
    return each.new or each.back or each.gone or any(edit.column in _PROGRESS_COLUMNS for edit in each.edits)


def _edit_joints(desk: _Desk, joint_edits: Iterable[JointEdits]) -> list[Joint]:
    changed = []
    for each in joint_edits:
        n = each.joint.n_union
        if each.refused is not None and not (each.new or each.back):
            _let_ours_stand(desk, each, each.refused)
            continue
        if each.new or each.back or each.gone:
            accion = NUEVO if each.new else RETIRAR if each.gone else REGRESAR
            desk.events.append(_row_event(UNIONES, accion, desk.scene.now, n))
        typed = [edit for edit in each.edits if edit.column != VERSION]
        desk.events += [edition(edit, UNIONES, desk.scene.now, n) for edit in typed]
        for edit in each.edits:
            if edit.column == VERSION:
                desk.keep_ours(edit, WORKED_OUT, n)
        said = joint_fields({edit.column: edit.new for edit in typed}, desk.scene.shop.zone)
        joint = each.joint
        if said or each.back or each.gone:
            joint = replace(joint, retired=each.gone, **said)
        desk.remarks += joint_remarks(joint) if each.new or "dn_text" in said else []
        changed.append(joint)
    return changed


def _let_ours_stand(desk: _Desk, each: JointEdits, why: Mapping[str, Any]) -> None:
    n = each.joint.n_union
    for edit in each.edits:
        desk.keep_ours(edit, OURS_STANDS, n, **why)
    if each.gone:
        desk.events.append(_row_event(UNIONES, RETIRAR, desk.scene.now, n, aceptado=False, **why))


def joint_fields(cells: Mapping[str, str], zone: ZoneInfo) -> dict[str, Any]:
    """What these cells of a joint's row say, as the fields of a Joint."""
    fields: dict[str, Any] = {}
    for column, said in cells.items():
        if column == "DN_UNION":
            fields["dn_milli"], fields["dn_text"] = _diameter_said(said)
        elif column in _JOINT_TIMES:
            fields[_JOINT_TIMES[column]] = instant(said, zone)
        elif column != VERSION:
            fields[_JOINT_TEXTS[column]] = said or None
    return fields


def joint_remarks(joint: Joint) -> list[Remark]:
    if joint.dn_text is None:
        return []
    reason = f"«{joint.dn_text}» no es un diámetro; la unión cuenta sin pulgadas."
    return [Remark("DN_UNION", reason, joint.n_union)]


def _diameter_said(said: str) -> tuple[int | None, str | None]:
    milli = milli_from(Decimal(said)) if _NUMBER.fullmatch(said) else None
    return milli, (said or None) if milli is None else None


_JOINT_TIMES = {
    "ARM_FECHA_INICIO": "arm_inicio",
    "ARM_FECHA_FIN": "arm_fin",
    "SOL_FECHA_INICIO": "sol_inicio",
    "SOL_FECHA_FIN": "sol_fin",
}
_JOINT_TEXTS = {
    "ID": "id",
    "OT": "ot",
    "TIPO_UNION": "tipo",
    "ARM_WORKER": "arm_worker",
    "SOL_WORKER": "sol_worker",
    "NDT_UNION": "ndt_union",
    "R_NDT_UNION": "r_ndt_union",
    "NDT_FECHA": "ndt_fecha",
    "NDT_STATUS": "ndt_status",
}


# ─── normal forms ─────────────────────────────────────────────────────────────────────────────────────────────


def day(said: str) -> date | None:
    return date.fromisoformat(said) if said else None


def instant(said: str, zone: ZoneInfo) -> datetime | None:
    return from_wall(datetime.fromisoformat(said), zone) if said else None


def _wall_text(moment: datetime, zone: ZoneInfo) -> str:
    return wall(moment, zone).replace(tzinfo=None).isoformat()
