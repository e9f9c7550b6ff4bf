"""Imports the sheets WPS and Calificaciones: the file wins, and rows that are not in it stay as they are. Of the live
sheet only the cells count that changed since the last read (`people_bases`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Generic, TypeVar
from zoneinfo import ZoneInfo

from carrete.domain.qualification import Procedure, Qualification
from carrete.domain.shop_time import today
from carrete.domain.weld_cells import normal_part
from carrete.ledger.database import Tx
from carrete.ledger.welding import all_procedures, all_qualifications, save_procedures, save_qualifications
from carrete.workbook.columns import CALIFICACIONES, WPS, SheetPlan
from carrete.workbook.effects import RowChange, RowKind, changed_cells
from carrete.workbook.keys import IndexedSheet, Key
from carrete.workbook.people_bases import PeopleBases
from carrete.workbook.report import Count, ImportReport, Problem
from carrete.workbook.rows import Cells
from carrete.workbook.weld_rows import (
    BadRow,
    procedure_cells,
    procedure_from_cells,
    qualification_cells,
    qualification_from_cells,
)

Row = TypeVar("Row", Procedure, Qualification)


@dataclass(frozen=True, slots=True)
class _Table(Generic[Row]):
    """How the rows of one of the two sheets are read and compared."""

    plan: SheetPlan
    known: Mapping[Key, Row]
    cells_of: Callable[[Row], Cells]
    parse: Callable[[Key, Cells], Row]


def take_welding(
    tx: Tx,
    wps: IndexedSheet,
    calificaciones: IndexedSheet,
    zone: ZoneInfo,
    now: datetime,
    bases: PeopleBases | None = None,
) -> ImportReport:
    day = today(now, zone)
    report, bases = ImportReport(), bases or PeopleBases()
    procedures = _Table(
        WPS,
        {(one.number,): one for one in all_procedures(tx)} if wps.rows else {},
        procedure_cells,
        lambda key, cells: procedure_from_cells(key[0], cells),
    )
    save_procedures(tx, _changed(procedures, wps, zone, report, report.procedures, bases))
    workers = {row[0] for row in tx.all("workers")} if calificaciones.rows else set()
    qualifications = _Table(
        CALIFICACIONES,
        {_key_of(one): one for one in all_qualifications(tx)} if calificaciones.rows else {},
        qualification_cells,
        lambda key, cells: _qualification(key, cells, workers, day),
    )
    save_qualifications(tx, _changed(qualifications, calificaciones, zone, report, report.qualifications, bases))
    return report


def _key_of(one: Qualification) -> Key:
    return str(one.worker_id), one.process, one.document


def _qualification(key: Key, cells: Cells, workers: set[int], day: date) -> Qualification:
    worker_id, process, document = key
    if int(worker_id) not in workers:
        raise BadRow([("Worker_ID", f"no hay un trabajador {worker_id} en Trabajadores.")])
    return qualification_from_cells(int(worker_id), process, document, cells, day)


def _changed(
    table: _Table[Row], sheet: IndexedSheet, zone: ZoneInfo, report: ImportReport, count: Count, bases: PeopleBases
) -> list[Row]:
    """The rows to save. A row with a cell that cannot be is left out, and every such cell is named. So is a new row
    with a cell that cannot be read, or whose column is missing: a blank limits nothing, and a limit that could not be
    read is not blank."""
    changed: list[Row] = []
    seen: set[Key] = set()
    for written, key in [(key, _normal(table.plan, key)) for key in sheet.rows]:
        unread: list[Problem] = []
        values = sheet.values(written, zone, unread)
        row, before = (table.plan.name, " ".join(key)), table.known.get(key)
        ours = table.cells_of(before) if before is not None else {}
        cells = bases.edited(row, values.cells) if before is not None else values.cells
        if before is None:
            unread += sheet.columns_not_read(written)
            unread = [replace(each, reason=f"{each.reason} La fila quedó fuera.") for each in unread]
        report.problems += unread
        if before is None and unread:
            continue
        try:
            if key in seen:
                raise BadRow([(table.plan.key[0], f"{' '.join(key)} está repetido; vale la primera fila.")])
            after = table.parse(key, {**ours, **cells})
        except BadRow as bad:
            report.problems += [Problem(table.plan.name, values.number, *each) for each in bad.wrong]
            continue
        seen.add(key)
        bases.remember(row, values.cells)
        if after == before:
            count.unchanged += 1
            continue
        changed.append(after)
        report.people_changes.append(_row_change(table, key, before, after, values.number))
        count.changed += before is not None
        count.new += before is None
    return changed


def _normal(plan: SheetPlan, key: Key) -> Key:
    """`gtaw` and `GTAW` are one process."""
    return key if plan is WPS else (key[0], normal_part(key[1]), key[2])


def _row_change(table: _Table[Row], key: Key, before: Row | None, after: Row, number: int) -> RowChange:
    cells = changed_cells(table.cells_of(before) if before else {}, table.cells_of(after))
    retired = before is not None and before.active and not after.active
    kind = RowKind.NEW if before is None else RowKind.RETIRED if retired else RowKind.CHANGED
    return RowChange(table.plan.name, number, " ".join(key), kind, cells)
