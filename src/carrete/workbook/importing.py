"""`carrete import`: imports a file beside a running server. A bad row is reported and does not stop the good ones."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from carrete.domain.shop import Shop
from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import RaceLost
from carrete.workbook.bases import forget_old_bases
from carrete.workbook.columns import OPERACIONES, ROLES, TRABAJADORES, UNIONES
from carrete.workbook.commits import commit_with_retries
from carrete.workbook.incoming import IncomingSpool
from carrete.workbook.keys import IndexedSheet, optional_sheet, required_sheet
from carrete.workbook.people import import_people
from carrete.workbook.report import ImportReport, Problem, Progress, no_progress
from carrete.workbook.spools import merge_chunk
from carrete.workbook.xlsx_in import read_book

SPOOLS_PER_COMMIT = 200
ROWS_PER_COMMIT_MAX = 1_000  # with many joints a commit has fewer spools: workers' actions wait for it


def import_workbook(
    database: Database, path: Path, shop: Shop, now: datetime, on_progress: Progress = no_progress
) -> ImportReport:
    """Raises WorkbookError, with nothing done, when the file as a whole cannot be read."""
    book = read_book(path)
    operaciones = required_sheet(book, OPERACIONES, shop.zone)
    uniones, trabajadores, roles = (optional_sheet(book, plan, shop.zone) for plan in (UNIONES, TRABAJADORES, ROLES))
    report = import_people(database, trabajadores, roles, shop.zone, confirm=shop.confirmed_roles_only)
    for sheet in (operaciones, uniones, trabajadores, roles):
        report.problems += sheet.problems
        report.notices += sheet.notices
    done, total = 0, len(operaciones.rows) + len(uniones.rows)
    on_progress(done, total)
    for spools, problems in _chunks(operaciones, uniones, shop):
        report += _in_one_commit(database, spools, shop, now)
        report.problems += problems
        done += _rows(spools)
        on_progress(done, total)
    commit_with_retries(database, lambda tx: _tidy_up(tx, now))
    report.problems.sort(key=lambda problem: (problem.sheet, problem.row))
    return report


def _tidy_up(tx: Tx, now: datetime) -> None:
    forget_old_bases(tx, now)
    tx.run("analyze")


def _in_one_commit(database: Database, spools: list[IncomingSpool], shop: Shop, now: datetime) -> ImportReport:
    """Retried when another writer was faster; after too many retries the rows are reported as left out."""
    try:
        return commit_with_retries(database, lambda tx: merge_chunk(tx, spools, shop, now))
    except RaceLost:
        reason = "cambió una y otra vez mientras se importaba; importe el archivo de nuevo."
        left_out = [Problem(OPERACIONES.name, spool.row.number, "", reason) for spool in spools if spool.row]
        return ImportReport(problems=left_out)


def _chunks(
    operaciones: IndexedSheet, uniones: IndexedSheet, shop: Shop
) -> Iterator[tuple[list[IncomingSpool], list[Problem]]]:
    """In tag order. Cells are read here, while no transaction is open, so that workers' actions can commit."""
    joints: dict[str, list[int]] = {}
    for tag, n_union in uniones.rows:
        joints.setdefault(tag, []).append(int(n_union))
    spools: list[IncomingSpool] = []
    problems: list[Problem] = []
    rows = 0
    for tag in sorted({*joints, *(tag for (tag,) in operaciones.rows)}):
        spools.append(_incoming(tag, joints.get(tag, []), operaciones, uniones, shop, problems))
        rows += 1 + len(spools[-1].joints)
        if len(spools) >= SPOOLS_PER_COMMIT or rows >= ROWS_PER_COMMIT_MAX:
            yield spools, problems
            spools, problems, rows = [], [], 0
    if spools:
        yield spools, problems


def _incoming(
    tag: str, joints: list[int], operaciones: IndexedSheet, uniones: IndexedSheet, shop: Shop, problems: list[Problem]
) -> IncomingSpool:
    row = operaciones.values((tag,), shop.zone, problems) if (tag,) in operaciones.rows else None
    return IncomingSpool(tag, row, {n: uniones.values((tag, str(n)), shop.zone, problems) for n in sorted(joints)})


def _rows(spools: list[IncomingSpool]) -> int:
    return sum((spool.row is not None) + len(spool.joints) for spool in spools)
