"""Merges some spools with their joints, from a file or from the live sheet, with the ledger in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

from carrete.actions.ndt import EditedNdt
from carrete.actions.record import save_changes
from carrete.actions.welds import EditedWelds
from carrete.domain.authorship import Proof, Via
from carrete.domain.edits.adoption import adopt
from carrete.domain.edits.cells import EditContext, JointEdits, Quarantined, RowEdits
from carrete.domain.edits.joint import joint_fields
from carrete.domain.edits.spool import apply_edits
from carrete.domain.joints import Joint
from carrete.domain.shop import Shop
from carrete.domain.shop_time import whole_second
from carrete.domain.spool import Spool
from carrete.ledger.database import Tx
from carrete.ledger.lock_value import lock_value
from carrete.ledger.store import (
    NO_JOINT,
    Changes,
    SpoolWrite,
    joints_of_many,
    spools_to_change,
    workers_known,
)
from carrete.workbook import bases
from carrete.workbook.bases import FILE_BASES, Bases, BaseStore, RowId
from carrete.workbook.columns import OPERACIONES, UNIONES, VERSION, Owner
from carrete.workbook.incoming import IncomingSpool, RowValues
from carrete.workbook.merge import NOTHING, merge
from carrete.workbook.merge_result import MergeResult
from carrete.workbook.report import ImportReport
from carrete.workbook.rows import Cells, joint_cells, spool_cells

SPOOL_OWNERS: Mapping[str, Owner] = {column.name: column.owner for column in OPERACIONES.columns}
JOINT_OWNERS: Mapping[str, Owner] = {column.name: column.owner for column in UNIONES.columns}

_BY_WORKBOOK: Mapping[str, Any] = {
    "via": Via(Proof.PLANILLA).as_metadata()
}  # no person is proven: it was typed into a cell


@dataclass(frozen=True, slots=True)
class _LedgerSide:
    """The ledger's side of the merge, and the bases of the rows."""

    spools: Mapping[str, Spool]
    joints: Mapping[str, list[Joint]]
    spool_bases: Mapping[RowId, Bases]
    joint_bases: Mapping[RowId, Bases]
    context: EditContext
    ndt: EditedNdt
    welds: EditedWelds

    @property
    def zone(self) -> ZoneInfo:
        return self.context.shop.zone


def merge_chunk(
    tx: Tx,
    spools: Sequence[IncomingSpool],
    shop: Shop,
    now: datetime,
    store: BaseStore = FILE_BASES,
    imported_by: str | None = None,
) -> ImportReport:
    ledger = _ledger_side(tx, spools, shop, now, store)
    result = MergeResult(now)
    for incoming in spools:
        spool = ledger.spools.get(incoming.tag)
        if spool is not None:
            _merge(incoming, spool, ledger, result)
        elif incoming.row is not None:
            _adopt(incoming, incoming.row, ledger, result)
        else:
            result.leave_out_joints(incoming)
    ledger.ndt.save()
    ledger.welds.save()
    _save(tx, result, store, {**_BY_WORKBOOK, "importado_por": imported_by} if imported_by else _BY_WORKBOOK)
    return result.report


def _ledger_side(tx: Tx, incoming: Sequence[IncomingSpool], shop: Shop, now: datetime, store: BaseStore) -> _LedgerSide:
    """Reads the spools first, which locks them: no other transaction changes them until the commit."""
    tags = [one.tag for one in incoming]
    spools = spools_to_change(tx, tags)
    workers = workers_known(tx, chain.from_iterable(one.worker_ids() for one in incoming))
    whole_now = whole_second(now)
    context = EditContext(whole_now, shop, workers, lambda worker_id, since: lock_value(worker_id, since, shop.zone))
    return _LedgerSide(
        spools,
        joints_of_many(tx, tags) if spools else {},
        store.load(tx, OPERACIONES.name, tags),
        store.load(tx, UNIONES.name, tags),
        context,
        EditedNdt(tx, spools.values()),
        EditedWelds(tx, shop),
    )


def _save(tx: Tx, result: MergeResult, store: BaseStore, event_context: Mapping[str, Any]) -> None:
    spools = [SpoolWrite(change.spool, read_version) for change, read_version in result.spools]
    changes = Changes(result.now, spools, result.new_joints, result.changed_joints)
    store.save(tx, result.bases)
    save_changes(tx, changes, [change.with_event_context(event_context) for change, _ in result.spools])


# ─── a spool that the ledger has ──────────────────────────────────────────────────────────────────────────────


def _merge(incoming: IncomingSpool, spool: Spool, ledger: _LedgerSide, result: MergeResult) -> None:
    known = ledger.spool_bases.get((incoming.tag, NO_JOINT), bases.NO_BASES)
    row = _row_edits(incoming, spool, known, ledger, result)
    joints = ledger.joints.get(incoming.tag, [])
    joint_edits = _all_joint_edits(incoming, joints, ledger, result)
    taken = incoming.row
    try:
        after = apply_edits(spool, joints, row, joint_edits, ledger.context)
    except Quarantined as quarantined:
        assert incoming.row is not None
        result.quarantine(incoming.row, quarantined)
        taken, row = None, RowEdits()
        after = apply_edits(spool, joints, row, joint_edits, ledger.context)
    after = ledger.ndt.follow(spool, joints, after, ledger.context.now)
    ledger.welds.follow(joints, after.joints)
    result.report_edits(incoming, row.edits, joint_edits, after)
    result.save(incoming, spool, joints, after, {each.joint.n_union for each in joint_edits if each.new})
    if taken is not None:
        result.remember(OPERACIONES.name, (incoming.tag, NO_JOINT), taken, known)
        result.count_spool(changed=bool(after.events))


def _row_edits(
    incoming: IncomingSpool, spool: Spool, known: Bases, ledger: _LedgerSide, result: MergeResult
) -> RowEdits:
    if incoming.row is None:
        return RowEdits(gone=incoming.gone, refused=incoming.refused.get(OPERACIONES.name))
    cells = incoming.row.cells
    base = known.base_for(incoming.row.token, cells)
    ours = {**spool_cells(spool, ledger.zone), VERSION: spool.version}
    merged = merge(base, ours, cells, SPOOL_OWNERS)
    result.report_unexplained(OPERACIONES.name, incoming.row, merged)
    seen = {name: cell for name, cell in (base or {}).items() if name in cells}  # a hidden date was not seen
    return RowEdits(merged.edits, seen, back=spool.retired, refused=incoming.refused.get(OPERACIONES.name))


def _all_joint_edits(
    incoming: IncomingSpool, joints: Sequence[Joint], ledger: _LedgerSide, result: MergeResult
) -> list[JointEdits]:
    ours = {joint.n_union: joint for joint in joints}
    refused = incoming.refused.get(UNIONES.name)
    found = []
    for n_union, values in incoming.joints.items():
        known = ledger.joint_bases.get((incoming.tag, n_union), bases.NO_BASES)
        joint = ours.get(n_union)
        adopted = None
        if joint is not None:
            edits = _joint_edits(joint, values, known, refused, ledger, result)
        else:
            edits = JointEdits(_new_joint(incoming.tag, n_union, values, ledger), new=True)
            adopted = joint_cells(edits.joint, ledger.zone)
        result.remember(UNIONES.name, (incoming.tag, n_union), values, known, adopted)
        if edits is not None:
            found.append(edits)
        result.count_joint(changed=edits is not None, new=joint is None)
    gone = [ours[n] for n in sorted(incoming.gone_joints) if n in ours and not ours[n].retired]
    return [*found, *(JointEdits(joint, gone=True, refused=refused) for joint in gone)]


def _joint_edits(
    joint: Joint,
    values: RowValues,
    known: Bases,
    refused: Mapping[str, Any] | None,
    ledger: _LedgerSide,
    result: MergeResult,
) -> JointEdits | None:
    base = known.base_for(values.token, values.cells)
    merged = NOTHING
    if base != values.cells:
        ours = {**joint_cells(joint, ledger.zone), VERSION: joint.version}
        merged = merge(base, ours, values.cells, JOINT_OWNERS)
        result.report_unexplained(UNIONES.name, values, merged)
    if not merged.edits and not joint.retired:
        return None
    return JointEdits(joint, merged.edits, back=joint.retired, refused=refused)


def _new_joint(tag: str, n_union: int, values: RowValues, ledger: _LedgerSide) -> Joint:
    return Joint(tag, n_union, version=str(uuid4()), **joint_fields(values.cells, ledger.zone))


# ─── a spool that the ledger does not have yet ────────────────────────────────────────────────────────────────


def _adopt(incoming: IncomingSpool, row: RowValues, ledger: _LedgerSide, result: MergeResult) -> None:
    joints = [_new_joint(incoming.tag, n_union, values, ledger) for n_union, values in incoming.joints.items()]
    try:
        adopted = adopt(incoming.tag, row.cells, joints, ledger.context)
    except Quarantined as quarantined:
        result.quarantine(row, quarantined)
        result.leave_out_joints(incoming)
        return
    if adopted.waiting:
        row = replace(row, cells={name: cell for name, cell in row.cells.items() if name not in adopted.waiting})
        result.report.rows_waiting.append((OPERACIONES.name, row.number))
    known = ledger.spool_bases.get((incoming.tag, NO_JOINT), bases.NO_BASES)
    typed = _typed_cells(adopted.spool, ledger.zone)
    result.remember(OPERACIONES.name, (incoming.tag, NO_JOINT), row, known, typed)
    for joint in joints:
        row_id = (incoming.tag, joint.n_union)
        known = ledger.joint_bases.get(row_id, bases.NO_BASES)
        result.remember(UNIONES.name, row_id, incoming.joints[joint.n_union], known, joint_cells(joint, ledger.zone))
    result.report_edits(incoming, (), (), adopted)
    result.save(incoming, None, (), adopted, set(incoming.joints))
    result.report.spools.new += 1
    result.report.joints.new += len(joints)


def _typed_cells(spool: Spool, zone: ZoneInfo) -> Cells:
    """Without the columns that Carrete works out: if such a column is added later, empty, that is no person's edit."""
    return {name: cell for name, cell in spool_cells(spool, zone).items() if SPOOL_OWNERS[name] is not Owner.OURS}
