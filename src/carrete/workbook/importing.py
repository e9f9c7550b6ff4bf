"""`carrete import`: a file in, beside a running server. A bad row is reported and never stops the good ones."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from carrete.domain.shop import Shop
from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import RaceLost
from carrete.workbook.bases import forget_old
from carrete.workbook.columns import OPERACIONES, ROLES, TRABAJADORES, UNIONES
from carrete.workbook.commits import committed
from carrete.workbook.incoming import IncomingSpool
from carrete.workbook.keys import IndexedSheet, optional, required
from carrete.workbook.people import import_people
from carrete.workbook.report import ImportReport, Problem, Progress, silently
from carrete.workbook.spools import merge_chunk
from carrete.workbook.xlsx_in import read_book

SPOOLS_PER_COMMIT = 200
ROWS_PER_COMMIT_MAX = 1_000  # spools with many joints make a chunk shorter: the floor waits behind it


def import_workbook(
    database: Database, path: Path, shop: Shop, now: datetime, on_progress: Progress = silently
) -> ImportReport:
    """Raises WorkbookError, with nothing done, when the file as a whole cannot be read."""
    book = read_book(path)
    operaciones = required(book, OPERACIONES, shop.zone)
    uniones, trabajadores, roles = (optional(book, plan, shop.zone) for plan in (UNIONES, TRABAJADORES, ROLES))
    report = import_people(database, trabajadores, roles, shop.zone)
    for keyed in (operaciones, uniones, trabajadores, roles):
        report.problems += keyed.problems
        report.notices += keyed.notices
    done, total = 0, len(operaciones.rows) + len(uniones.rows)
    on_progress(done, total)
    for pieces, problems in _chunks(operaciones, uniones, shop):
        report += _in_one_commit(database, pieces, shop, now)
        report.problems += problems
        done += _rows(pieces)
        on_progress(done, total)
    committed(database, lambda tx: _tidy_up(tx, now))
    report.problems.sort(key=lambda problem: (problem.sheet, problem.row))
    return report


def _tidy_up(tx: Tx, now: datetime) -> None:
    forget_old(tx, now)
    tx.run("analyze")


def _in_one_commit(database: Database, pieces: list[IncomingSpool], shop: Shop, now: datetime) -> ImportReport:
    """Whoever got there first keeps what they did: it is read again and merged again."""
    try:
        return committed(database, lambda tx: merge_chunk(tx, pieces, shop, now))
    except RaceLost:
        reason = "cambió una y otra vez mientras se importaba; importe el archivo de nuevo."
        left_out = [Problem(OPERACIONES.name, piece.row.number, "", reason) for piece in pieces if piece.row]
        return ImportReport(problems=left_out)


def _chunks(
    operaciones: IndexedSheet, uniones: IndexedSheet, shop: Shop
) -> Iterator[tuple[list[IncomingSpool], list[Problem]]]:
    """In tag order; cells are read here, while no transaction is open, which also lets the floor pass between."""
    joints: dict[str, list[int]] = {}
    for tag, n_union in uniones.rows:
        joints.setdefault(tag, []).append(int(n_union))
    pieces: list[IncomingSpool] = []
    problems: list[Problem] = []
    rows = 0
    for tag in sorted({*joints, *(tag for (tag,) in operaciones.rows)}):
        pieces.append(_piece(tag, joints.get(tag, []), operaciones, uniones, shop, problems))
        rows += 1 + len(pieces[-1].joints)
        if len(pieces) >= SPOOLS_PER_COMMIT or rows >= ROWS_PER_COMMIT_MAX:
            yield pieces, problems
            pieces, problems, rows = [], [], 0
    if pieces:
        yield pieces, problems


def _piece(
    tag: str, joints: list[int], operaciones: IndexedSheet, uniones: IndexedSheet, shop: Shop, problems: list[Problem]
) -> IncomingSpool:
    row = operaciones.values((tag,), shop.zone, problems) if (tag,) in operaciones.rows else None
    return IncomingSpool(tag, row, {n: uniones.values((tag, str(n)), shop.zone, problems) for n in sorted(joints)})


def _rows(pieces: list[IncomingSpool]) -> int:
    return sum((piece.row is not None) + len(piece.joints) for piece in pieces)
