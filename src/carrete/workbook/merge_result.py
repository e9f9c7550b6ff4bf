"""What one merge will save, and what it will report if the transaction commits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import Any
from uuid import uuid4

from carrete.domain.change import Change
from carrete.domain.edits.cells import Edit, Edited, JointEdits, Quarantined
from carrete.domain.joints import Joint
from carrete.domain.spool import Spool
from carrete.ledger.store import JointWrite
from carrete.workbook.bases import REFRESHED_AFTER, Bases, RowId, base_row, utc_text
from carrete.workbook.columns import OPERACIONES, TAG, UNIONES
from carrete.workbook.effects import SpoolEffect
from carrete.workbook.incoming import IncomingSpool, RowValues
from carrete.workbook.merge import Merged
from carrete.workbook.report import Conflict, Count, ImportReport, Problem
from carrete.workbook.rows import Cells


@dataclass(slots=True)
class MergeResult:
    now: datetime
    report: ImportReport = field(default_factory=ImportReport)
    spools: list[tuple[Change, str | None]] = field(default_factory=list)
    new_joints: list[Joint] = field(default_factory=list)
    changed_joints: list[JointWrite] = field(default_factory=list)
    bases: list[dict[str, Any]] = field(default_factory=list)
    _now_text: str = field(init=False)
    _fresh_since: str = field(init=False)  # a base that was saved after this need not be saved again

    def __post_init__(self) -> None:
        self._now_text, self._fresh_since = utc_text(self.now), utc_text(self.now - REFRESHED_AFTER)

    # ─── what is saved ────────────────────────────────────────────────────────────────────────────────────────

    def remember(self, sheet: str, row: RowId, values: RowValues, known: Bases, adopted: Cells | None = None) -> None:
        """The base of this row from now on. A cell that is absent from a new row gets the value that we adopted."""
        cells = known.after(values.token, {**(adopted or {}), **values.cells})
        if not known.is_fresh(values.token, cells, self._fresh_since):
            self.bases.append(base_row(sheet, row, values.token, cells, self._now_text))

    def save(
        self, incoming: IncomingSpool, before: Spool | None, joints: Sequence[Joint], result: Edited, new: set[int]
    ) -> None:
        """Each row that changed gets a new version token, so that a client with the older one gets a conflict.
        `joints`: those that the ledger has; `new`: the numbers of those that it does not have yet."""
        if not result.events:
            return
        known = {joint.n_union: joint for joint in joints}
        self.report.spool_effects.append(SpoolEffect(incoming, before, result.spool, known, result.joints))
        spool = replace(result.spool, version=str(uuid4()))
        self.spools.append((Change(spool, result.events, "", ""), before.version if before else None))
        if spool.occupation != (before.occupation if before else None):
            self.report.held_anew.append(spool.tag)
        for joint in result.joints:
            if joint.n_union in new:
                self.new_joints.append(joint)
            else:
                self.changed_joints.append(JointWrite(replace(joint, version=str(uuid4())), joint.version))

    # ─── what is reported ─────────────────────────────────────────────────────────────────────────────────────

    def report_edits(
        self, incoming: IncomingSpool, edits: Sequence[Edit], joint_edits: Sequence[JointEdits], result: Edited
    ) -> None:
        for remark in result.remarks:
            sheet, row = incoming.row_number(remark.n_union)
            problem = Problem(sheet, row, remark.column, remark.reason)
            (self.report.problems if remark.left_out else self.report.notices).append(problem)
        remarked = {(remark.n_union, remark.column) for remark in result.remarks}
        of_joints = [(each.joint.n_union, edit) for each in joint_edits for edit in each.edits]
        for n_union, edit in chain(((None, edit) for edit in edits), of_joints):
            if edit.conflict:
                sheet, row = incoming.row_number(n_union)
                taken = (n_union, edit.column) not in remarked
                conflict = Conflict(sheet, row, edit.column, edit.was, edit.ours, edit.new, taken)
                self.report.conflicts.append(conflict)

    def report_unexplained(self, sheet: str, values: RowValues, merged: Merged) -> None:
        """Cells that differ although there is no base which tells who changed them."""
        for edit in merged.unseen:
            reason = f"dice «{edit.new}» y el taller tiene «{edit.ours}»; sin una copia anterior queda lo del taller."
            self.report.notices.append(Problem(sheet, values.number, edit.column, reason))

    def quarantine(self, row: RowValues, quarantined: Quarantined) -> None:
        reason = f"{quarantined.reason} La fila quedó fuera."
        self.report.problems.append(Problem(OPERACIONES.name, row.number, quarantined.column, reason))
        self.report.rows_out.append((OPERACIONES.name, row.number))

    def leave_out_joints(self, incoming: IncomingSpool) -> None:
        """Joints are left out when their spool is."""
        reason = f"no existe el spool {incoming.tag}: su fila falta en Operaciones o quedó fuera."
        numbers = [values.number for values in incoming.joints.values()]
        self.report.problems += [Problem(UNIONES.name, number, TAG, reason) for number in numbers]
        self.report.rows_out += [(UNIONES.name, number) for number in numbers]

    def count_spool(self, *, changed: bool) -> None:
        _count(self.report.spools, changed=changed)

    def count_joint(self, *, changed: bool, new: bool) -> None:
        _count(self.report.joints, changed=changed, new=new)


def _count(count: Count, *, changed: bool, new: bool = False) -> None:
    if new:
        count.new += 1
    elif changed:
        count.changed += 1
    else:
        count.unchanged += 1
