"""A person's edits of joints: changed cells, and rows that are new, removed or back."""

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
    edit_event,
    instant,
    row_event,
)
from carrete.domain.joints import Joint, milli_from

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_PROGRESS_COLUMNS = {"DN_UNION", "TIPO_UNION", "ARM_FECHA_FIN", "SOL_FECHA_FIN"}


def affects_progress(each: JointEdits) -> bool:
    if each.refused is not None and not (each.new or each.back):
        return False
    return each.new or each.back or each.gone or any(edit.column in _PROGRESS_COLUMNS for edit in each.edits)


def edit_joints(editor: RowEditor, joint_edits: Iterable[JointEdits]) -> list[Joint]:
    changed = []
    for each in joint_edits:
        n = each.joint.n_union
        if each.refused is not None and not (each.new or each.back):
            _reject(editor, each, each.refused)
            continue
        if each.new or each.back or each.gone:
            accion = NUEVO if each.new else RETIRAR if each.gone else REGRESAR
            editor.events.append(row_event(UNIONES, accion, editor.context.now, n))
        typed = [edit for edit in each.edits if edit.column != VERSION]
        editor.events += [edit_event(edit, UNIONES, editor.context.now, n) for edit in typed]
        for edit in each.edits:
            if edit.column == VERSION:
                editor.keep_ours(edit, WORKED_OUT, n)
        fields = joint_fields({edit.column: edit.new for edit in typed}, editor.context.shop.zone)
        joint = each.joint
        if fields or each.back or each.gone:
            joint = replace(joint, retired=each.gone, **fields)
        editor.remarks += joint_remarks(joint) if each.new or "dn_text" in fields else []
        changed.append(joint)
    return changed


def _reject(editor: RowEditor, each: JointEdits, facts: Mapping[str, Any]) -> None:
    n = each.joint.n_union
    for edit in each.edits:
        editor.keep_ours(edit, OURS_STANDS, n, **facts)
    if each.gone:
        editor.events.append(row_event(UNIONES, RETIRAR, editor.context.now, n, aceptado=False, **facts))


def joint_fields(cells: Mapping[str, str], zone: ZoneInfo) -> dict[str, Any]:
    """The fields of a Joint that these cells hold."""
    fields: dict[str, Any] = {}
    for column, value in cells.items():
        if column == "DN_UNION":
            fields["dn_milli"], fields["dn_text"] = _parse_diameter(value)
        elif column in _JOINT_TIMES:
            fields[_JOINT_TIMES[column]] = instant(value, zone)
        elif column != VERSION:
            fields[_JOINT_TEXTS[column]] = value or None
    return fields


def joint_remarks(joint: Joint) -> list[Remark]:
    if joint.dn_text is None:
        return []
    reason = f"«{joint.dn_text}» no es un diámetro; la unión cuenta sin pulgadas."
    return [Remark("DN_UNION", reason, joint.n_union)]


def _parse_diameter(cell: str) -> tuple[int | None, str | None]:
    """The diameter in thousandths, or the text that is not a diameter."""
    milli = milli_from(Decimal(cell)) if _NUMBER.fullmatch(cell) else None
    return milli, (cell or None) if milli is None else None


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
