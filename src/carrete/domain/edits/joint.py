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
from carrete.domain.joints import DN_MILLI_MAX, ESPESOR_MILLI_MAX, Joint, milli_from

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
        edited = {edit.column: edit.new for edit in typed}
        fields = joint_fields(edited, editor.context.shop.zone)
        joint = each.joint
        if fields or each.back or each.gone:
            joint = replace(joint, retired=each.gone, **fields)
        editor.remarks += [remark for remark in joint_remarks(joint) if each.new or remark.column in edited]
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
            fields["dn_milli"], fields["dn_text"] = _parse_size(value, DN_MILLI_MAX)
        elif column == "Espesor":
            fields["espesor_milli"], fields["espesor_text"] = _parse_size(value, ESPESOR_MILLI_MAX)
        elif column in _JOINT_TIMES:
            fields[_JOINT_TIMES[column]] = instant(value, zone)
        elif column != VERSION:
            fields[_JOINT_TEXTS[column]] = value or None
    return fields


def joint_remarks(joint: Joint) -> list[Remark]:
    remarks = []
    if joint.dn_text is not None:
        reason = f"«{joint.dn_text}» no es un diámetro; la unión cuenta sin pulgadas."
        remarks.append(Remark("DN_UNION", reason, joint.n_union))
    if joint.espesor_text is not None:
        reason = f"«{joint.espesor_text}» no es un espesor en milímetros; la unión queda sin espesor."
        remarks.append(Remark("Espesor", reason, joint.n_union))
    return remarks


def _parse_size(cell: str, milli_max: int) -> tuple[int | None, str | None]:
    """A diameter or thickness in thousandths, or the text that is none."""
    milli = milli_from(Decimal(cell), milli_max) if _NUMBER.fullmatch(cell) else None
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
    "WPS": "wps",
    "Material": "material",
    "Posicion": "posicion",
    "Colada_1": "colada_1",
    "Colada_2": "colada_2",
}
