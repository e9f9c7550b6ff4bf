"""Compares every row of the ledger with the sheet: at the first read of a process, and when a supervisor has decided
that the ledger's state is written again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from zoneinfo import ZoneInfo

from carrete.ledger.database import Tx
from carrete.ledger.rows import joint_from, spool_from
from carrete.sheets.rows.classify import RowDiff
from carrete.sheets.rows.storage import RowKey
from carrete.sheets.rows.view import RowReading, SheetView
from carrete.sheets.structure import SPOOLS
from carrete.workbook.bases import RowId
from carrete.workbook.columns import VERSION
from carrete.workbook.rows import Cells, joint_cells, spool_cells


def differing_rows(
    tx: Tx, view: SheetView, diffs: Mapping[RowId, RowDiff], is_known: Callable[[RowKey], bool], zone: ZoneInfo
) -> list[RowKey]:
    """The rows that the sheet shows differently, or not at all, and that are not queued yet."""
    sheet = view.plan.name
    queued = {(s, (tag, n)) for s, tag, n, _ in tx.all("outbox_all")}
    found: list[RowKey] = []
    for row, cells in ledger_rows(tx, sheet, zone):
        diff = diffs.get(row)
        exists = diff is not None or row in view.at or row in view.doubles or is_known((sheet, row))
        if (sheet, row) in queued or (exists and diff is None):
            continue
        if diff is None or _differs(cells, diff.reading):
            found.append((sheet, row))
    return found


def _differs(cells: Cells, reading: RowReading) -> bool:
    return any(value != cells[name] for name, value in reading.cells.items())


def ledger_rows(tx: Tx, sheet: str, zone: ZoneInfo) -> Iterator[tuple[RowId, Cells]]:
    """Every row that the sheet should have, with its version token. Joints of a retired spool are left out with it."""
    spools = [spool_from(row) for row in tx.all("spools_all")]
    if sheet == SPOOLS.name:
        yield from (((s.tag, 0), {**spool_cells(s, zone), VERSION: s.version}) for s in spools)
        return
    listed = {spool.tag for spool in spools}
    joints = (joint_from(row) for row in tx.all("joints_all"))
    shown = (joint for joint in joints if joint.tag in listed)
    yield from (((j.tag, j.n_union), {**joint_cells(j, zone), VERSION: j.version}) for j in shown)
