"""Every row of the ledger beside what the sheet says: once per process, and when ours is to stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from zoneinfo import ZoneInfo

from carrete.ledger.database import Tx
from carrete.ledger.rows import joint_from, spool_from
from carrete.sheets.rows.classify import RowDiff
from carrete.sheets.rows.storage import Place
from carrete.sheets.rows.view import Reading, View
from carrete.sheets.structure import SPOOLS
from carrete.workbook.bases import RowId
from carrete.workbook.columns import VERSION
from carrete.workbook.rows import Cells, joint_cells, spool_cells


def differing(
    tx: Tx, view: View, judged: Mapping[RowId, RowDiff], is_known: Callable[[Place], bool], zone: ZoneInfo
) -> list[Place]:
    """Those that the sheet does not show as the ledger has them and that nobody has queued yet."""
    sheet = view.plan.name
    queued = {(s, (tag, n)) for s, tag, n, _ in tx.all("outbox_all")}
    found: list[Place] = []
    for row, cells in ledger_rows(tx, sheet, zone):
        one = judged.get(row)
        there = one is not None or row in view.at or row in view.doubles or is_known((sheet, row))
        if (sheet, row) in queued or (there and one is None):
            continue
        if one is None or _differs(cells, one.reading):
            found.append((sheet, row))
    return found


def _differs(cells: Cells, reading: Reading) -> bool:
    return any(said != cells[name] for name, said in reading.cells.items())


def ledger_rows(tx: Tx, sheet: str, zone: ZoneInfo) -> Iterator[tuple[RowId, Cells]]:
    """Every row that the ledger would have shown, its token included; a joint goes with its spool."""
    spools = [spool_from(row) for row in tx.all("spools_all")]
    if sheet == SPOOLS.name:
        yield from (((s.tag, 0), {**spool_cells(s, zone), VERSION: s.version}) for s in spools)
        return
    listed = {spool.tag for spool in spools}
    joints = (joint_from(row) for row in tx.all("joints_all"))
    shown = (joint for joint in joints if joint.tag in listed)
    yield from (((j.tag, j.n_union), {**joint_cells(j, zone), VERSION: j.version}) for j in shown)
