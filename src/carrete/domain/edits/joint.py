"""A person's edits of joints: dates, workers, diameters and types as typed; rows that are new, gone or back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from carrete.domain.edits.cells import (
    NUEVO,
    OURS_STANDS,
    REGRESAR,
    RETIRAR,
    UNIONES,
    VERSION,
    WORKED_OUT,
    JointEdits,
    Remark,
    RowEditor,
    edition,
    instant,
    row_event,
)
from carrete.domain.joints import Joint, milli_from

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_PROGRESS_COLUMNS = {"DN_UNION", "TIPO_UNION", "ARM_FECHA_FIN", "SOL_FECHA_FIN"}


def moves_progress(each: JointEdits) -> bool:
    if each.refused is not None and not (each.new or each.back):
        return False
    return each.new or each.back or each.gone or any(edit.column in _PROGRESS_COLUMNS for edit in each.edits)


def edit_joints(desk: RowEditor, joint_edits: Iterable[JointEdits]) -> list[Joint]:
    changed = []
    for each in joint_edits:
        n = each.joint.n_union
        if each.refused is not None and not (each.new or each.back):
            _let_ours_stand(desk, each, each.refused)
            continue
        if each.new or each.back or each.gone:
            accion = NUEVO if each.new else RETIRAR if each.gone else REGRESAR
            desk.events.append(row_event(UNIONES, accion, desk.context.now, n))
        typed = [edit for edit in each.edits if edit.column != VERSION]
        desk.events += [edition(edit, UNIONES, desk.context.now, n) for edit in typed]
        for edit in each.edits:
            if edit.column == VERSION:
                desk.keep_ours(edit, WORKED_OUT, n)
        said = joint_fields({edit.column: edit.new for edit in typed}, desk.context.shop.zone)
        joint = each.joint
        if said or each.back or each.gone:
            joint = replace(joint, retired=each.gone, **said)
        desk.remarks += joint_remarks(joint) if each.new or "dn_text" in said else []
        changed.append(joint)
    return changed


def _let_ours_stand(desk: RowEditor, each: JointEdits, why: Mapping[str, Any]) -> None:
    n = each.joint.n_union
    for edit in each.edits:
        desk.keep_ours(edit, OURS_STANDS, n, **why)
    if each.gone:
        desk.events.append(row_event(UNIONES, RETIRAR, desk.context.now, n, aceptado=False, **why))


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
