"""A chunk of spools with their joints: read, merged with the file, decided and kept in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

from carrete.actions.record import save_changes
from carrete.domain import estado_detalle
from carrete.domain.change import Change
from carrete.domain.edits.adoption import adopt
from carrete.domain.edits.cells import Edit, EditContext, Edited, JointEdits, Quarantined, RowEdits
from carrete.domain.edits.joint import joint_fields
from carrete.domain.edits.spool import apply_edits
from carrete.domain.joints import Joint
from carrete.domain.shop import Shop
from carrete.domain.shop_time import whole_second
from carrete.domain.spool import Spool
from carrete.domain.workers import labelled_id
from carrete.gate import lock_value
from carrete.ledger.database import Tx
from carrete.ledger.store import (
    NO_JOINT,
    Changes,
    JointWrite,
    SpoolWrite,
    joints_of_many,
    spools_to_change,
    workers_known,
)
from carrete.workbook import bases
from carrete.workbook.bases import FILES, REFRESHED_AFTER, Bases, BaseStore, RowId, base_row, said_at
from carrete.workbook.columns import OPERACIONES, TAG, UNIONES, VERSION, Owner
from carrete.workbook.keys import Said
from carrete.workbook.merge import NOTHING, Merged, merge
from carrete.workbook.report import Conflict, Count, ImportReport, Problem
from carrete.workbook.rows import Cells, joint_cells, spool_cells

SPOOL_OWNERS: Mapping[str, Owner] = {column.name: column.owner for column in OPERACIONES.columns}
JOINT_OWNERS: Mapping[str, Owner] = {column.name: column.owner for column in UNIONES.columns}


@dataclass(frozen=True, slots=True)
class IncomingSpool:
    """What a file says about one spool: its own row, its joints' rows, or only some of them."""

    tag: str
    row: Said | None
    joints: Mapping[int, Said]
    gone: bool = False  # its row was taken out; only a live sheet can tell that from a row that is not shown
    gone_joints: frozenset[int] = frozenset()
    refused: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # sheets where ours stands, and why


@dataclass(frozen=True, slots=True)
class _Present:
    """The ledger's side of a chunk, and what workbooks said about it before."""

    spools: Mapping[str, Spool]
    joints: Mapping[str, list[Joint]]
    spool_bases: Mapping[RowId, Bases]
    joint_bases: Mapping[RowId, Bases]
    context: EditContext


@dataclass(slots=True)
class _Outcome:
    """What the transaction will put down, and what will be told if it commits."""

    now: datetime
    said_at: str
    fresh_since: str
    report: ImportReport = field(default_factory=ImportReport)
    spools: list[tuple[Change, str | None]] = field(default_factory=list)
    new_joints: list[Joint] = field(default_factory=list)
    changed_joints: list[JointWrite] = field(default_factory=list)
    bases: list[dict[str, Any]] = field(default_factory=list)

    def remember(self, sheet: str, row: RowId, said: Said, known: Bases, adopted: Cells | None = None) -> None:
        """Of a row that is new to us, what it does not say is what we then have."""
        cells = known.after(said.token, {**(adopted or {}), **said.cells})
        if not known.fresh(said.token, cells, self.fresh_since):
            self.bases.append(base_row(sheet, row, said.token, cells, self.said_at))


def merge_chunk(
    tx: Tx, pieces: Sequence[IncomingSpool], shop: Shop, now: datetime, memory: BaseStore = FILES
) -> ImportReport:
    present = _present(tx, pieces, shop, now, memory)
    outcome = _Outcome(now, said_at(now), said_at(now - REFRESHED_AFTER))
    for piece in pieces:
        spool = present.spools.get(piece.tag)
        if spool is not None:
            _merge(piece, spool, present, outcome)
        elif piece.row is not None:
            _adopt(piece, piece.row, present, outcome)
        else:
            _left_out_with_its_spool(piece, outcome)
    _keep(tx, outcome, memory)
    return outcome.report


def _present(tx: Tx, pieces: Sequence[IncomingSpool], shop: Shop, now: datetime, memory: BaseStore) -> _Present:
    """Spools first: from here on nobody else changes them."""
    tags = [piece.tag for piece in pieces]
    spools = spools_to_change(tx, tags)
    workers = workers_known(tx, chain.from_iterable(map(_worker_ids, pieces)))
    whole_now = whole_second(now)
    context = EditContext(whole_now, shop, workers, lambda worker_id, since: lock_value(worker_id, since, shop.zone))
    return _Present(
        spools,
        joints_of_many(tx, tags) if spools else {},
        memory.known(tx, OPERACIONES.name, tags),
        memory.known(tx, UNIONES.name, tags),
        context,
    )


def _worker_ids(piece: IncomingSpool) -> list[int]:
    """Of whoever its row names as the holder, in `Ocupado_Por` or in the text."""
    if piece.row is None:
        return []
    holder = estado_detalle.parse(piece.row.cells.get("Estado_Detalle")).holder or ""
    labels = (piece.row.cells.get("Ocupado_Por", ""), holder)
    return [worker_id for label in labels if (worker_id := labelled_id(label)) is not None]


# ─── a spool that the ledger has ──────────────────────────────────────────────────────────────────────────────


def _merge(piece: IncomingSpool, spool: Spool, present: _Present, outcome: _Outcome) -> None:
    known = present.spool_bases.get((piece.tag, NO_JOINT), bases.NONE)
    row = _row_edits(piece, spool, known, present, outcome)
    joints = present.joints.get(piece.tag, [])
    joint_edits = _all_joint_edits(piece, joints, present, outcome)
    taken = piece.row
    try:
        result = apply_edits(spool, joints, row, joint_edits, present.context)
    except Quarantined as quarantined:
        assert piece.row is not None
        _quarantine(piece.row, quarantined, outcome)
        taken, row = None, RowEdits()
        result = apply_edits(spool, joints, row, joint_edits, present.context)
    _tell(piece, row.edits, joint_edits, result, outcome)
    _put(spool, result, {each.joint.n_union for each in joint_edits if each.new}, outcome)
    if taken is not None:
        outcome.remember(OPERACIONES.name, (piece.tag, NO_JOINT), taken, known)
        _tally(outcome.report.spools, changed=bool(result.events))


def _row_edits(piece: IncomingSpool, spool: Spool, known: Bases, present: _Present, outcome: _Outcome) -> RowEdits:
    if piece.row is None:
        return RowEdits(gone=piece.gone, refused=piece.refused.get(OPERACIONES.name))
    cells = piece.row.cells
    base = known.base_for(piece.row.token, cells)
    ours = {**spool_cells(spool, present.context.shop.zone), VERSION: spool.version}
    merged = merge(base, ours, cells, SPOOL_OWNERS)
    _tell_unseen(OPERACIONES.name, piece.row, merged, outcome)
    seen = {name: cell for name, cell in (base or {}).items() if name in cells}  # a hidden date was not seen
    return RowEdits(merged.edits, seen, back=spool.retired, refused=piece.refused.get(OPERACIONES.name))


def _all_joint_edits(
    piece: IncomingSpool, joints: Sequence[Joint], present: _Present, outcome: _Outcome
) -> list[JointEdits]:
    ours = {joint.n_union: joint for joint in joints}
    refused = piece.refused.get(UNIONES.name)
    found = []
    for n_union, said in piece.joints.items():
        known = present.joint_bases.get((piece.tag, n_union), bases.NONE)
        joint = ours.get(n_union)
        adopted = None
        if joint is not None:
            edits = _joint_edits(joint, said, known, refused, present, outcome)
        else:
            edits = JointEdits(_joint(piece.tag, n_union, said, present), new=True)
            adopted = joint_cells(edits.joint, present.context.shop.zone)
        outcome.remember(UNIONES.name, (piece.tag, n_union), said, known, adopted)
        if edits is not None:
            found.append(edits)
        _tally(outcome.report.joints, changed=edits is not None, new=joint is None)
    gone = [ours[n] for n in sorted(piece.gone_joints) if n in ours and not ours[n].retired]
    return [*found, *(JointEdits(joint, gone=True, refused=refused) for joint in gone)]


def _joint_edits(
    joint: Joint,
    said: Said,
    known: Bases,
    refused: Mapping[str, Any] | None,
    present: _Present,
    outcome: _Outcome,
) -> JointEdits | None:
    base = known.base_for(said.token, said.cells)
    merged = NOTHING
    if base != said.cells:
        ours = {**joint_cells(joint, present.context.shop.zone), VERSION: joint.version}
        merged = merge(base, ours, said.cells, JOINT_OWNERS)
        _tell_unseen(UNIONES.name, said, merged, outcome)
    if not merged.edits and not joint.retired:
        return None
    return JointEdits(joint, merged.edits, back=joint.retired, refused=refused)


def _joint(tag: str, n_union: int, said: Said, present: _Present) -> Joint:
    return Joint(tag, n_union, version=str(uuid4()), **joint_fields(said.cells, present.context.shop.zone))


# ─── a spool seen for the first time ──────────────────────────────────────────────────────────────────────────


def _adopt(piece: IncomingSpool, row: Said, present: _Present, outcome: _Outcome) -> None:
    joints = [_joint(piece.tag, n_union, said, present) for n_union, said in piece.joints.items()]
    try:
        result = adopt(piece.tag, row.cells, joints, present.context)
    except Quarantined as quarantined:
        _quarantine(row, quarantined, outcome)
        _left_out_with_its_spool(piece, outcome)
        return
    if result.waiting:
        row = replace(row, cells={name: cell for name, cell in row.cells.items() if name not in result.waiting})
        outcome.report.rows_waiting.append((OPERACIONES.name, row.number))
    known = present.spool_bases.get((piece.tag, NO_JOINT), bases.NONE)
    zone = present.context.shop.zone
    outcome.remember(OPERACIONES.name, (piece.tag, NO_JOINT), row, known, _typed_cells(result.spool, zone))
    for joint in joints:
        place = (piece.tag, joint.n_union)
        known = present.joint_bases.get(place, bases.NONE)
        outcome.remember(UNIONES.name, place, piece.joints[joint.n_union], known, joint_cells(joint, zone))
    _tell(piece, (), (), result, outcome)
    _put(None, result, set(piece.joints), outcome)
    outcome.report.spools.new += 1
    outcome.report.joints.new += len(joints)


def _typed_cells(spool: Spool, zone: ZoneInfo) -> Cells:
    """Without what we work out ourselves: a column of ours that comes later, empty, is nobody's edit."""
    return {name: cell for name, cell in spool_cells(spool, zone).items() if SPOOL_OWNERS[name] is not Owner.OURS}


def _left_out_with_its_spool(piece: IncomingSpool, outcome: _Outcome) -> None:
    reason = f"no existe el spool {piece.tag}: su fila falta en Operaciones o quedó fuera."
    outcome.report.problems += [Problem(UNIONES.name, said.number, TAG, reason) for said in piece.joints.values()]
    outcome.report.rows_out += [(UNIONES.name, said.number) for said in piece.joints.values()]


# ─── what is put down ─────────────────────────────────────────────────────────────────────────────────────────


def _put(before: Spool | None, result: Edited, new: set[int], outcome: _Outcome) -> None:
    """Each row that changed gets a token of its own, so that a client with an older one is told."""
    if not result.events:
        return
    spool = replace(result.spool, version=str(uuid4()))
    outcome.spools.append((Change(spool, result.events, "", ""), before.version if before else None))
    if spool.occupation != (before.occupation if before else None):
        outcome.report.held_anew.append(spool.tag)
    for joint in result.joints:
        if joint.n_union in new:
            outcome.new_joints.append(joint)
        else:
            outcome.changed_joints.append(JointWrite(replace(joint, version=str(uuid4())), joint.version))


def _keep(tx: Tx, outcome: _Outcome, memory: BaseStore) -> None:
    spools = [SpoolWrite(change.spool, read_version) for change, read_version in outcome.spools]
    changes = Changes(outcome.now, spools, outcome.new_joints, outcome.changed_joints)
    memory.keep(tx, outcome.bases)
    save_changes(tx, changes, [change for change, _ in outcome.spools])


# ─── what is told ─────────────────────────────────────────────────────────────────────────────────────────────


def _tell(
    piece: IncomingSpool, edits: Sequence[Edit], joint_edits: Sequence[JointEdits], result: Edited, outcome: _Outcome
) -> None:
    kept = {(remark.n_union, remark.column) for remark in result.remarks}
    for remark in result.remarks:
        sheet, row = _place(piece, remark.n_union)
        problem = Problem(sheet, row, remark.column, remark.reason)
        (outcome.report.problems if remark.left_out else outcome.report.notices).append(problem)
    of_joints = [(each.joint.n_union, edit) for each in joint_edits for edit in each.edits]
    for n_union, edit in chain(((None, edit) for edit in edits), of_joints):
        if edit.conflict:
            sheet, row = _place(piece, n_union)
            taken = (n_union, edit.column) not in kept
            conflict = Conflict(sheet, row, edit.column, edit.was, edit.ours, edit.new, taken)
            outcome.report.conflicts.append(conflict)


def _place(piece: IncomingSpool, n_union: int | None) -> tuple[str, int]:
    if n_union is not None:
        return UNIONES.name, piece.joints[n_union].number
    return OPERACIONES.name, piece.row.number if piece.row else 0


def _tell_unseen(sheet: str, said: Said, merged: Merged, outcome: _Outcome) -> None:
    for edit in merged.unseen:
        reason = f"dice «{edit.new}» y el taller tiene «{edit.ours}»; sin una copia anterior queda lo del taller."
        outcome.report.notices.append(Problem(sheet, said.number, edit.column, reason))


def _quarantine(row: Said, quarantined: Quarantined, outcome: _Outcome) -> None:
    reason = f"{quarantined.reason} La fila quedó fuera."
    outcome.report.problems.append(Problem(OPERACIONES.name, row.number, quarantined.column, reason))
    outcome.report.rows_out.append((OPERACIONES.name, row.number))


def _tally(count: Count, *, changed: bool, new: bool = False) -> None:
    if new:
        count.new += 1
    elif changed:
        count.changed += 1
    else:
        count.unchanged += 1
