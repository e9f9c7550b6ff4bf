"""`carrete import`: imports a file beside a running server. A bad row is reported and does not stop the good ones.

An import is a list of steps, each one commit: first the people, then the spools in the order of their tags. A preview
runs the same steps and rolls each of them back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from carrete.domain.shop import Shop
from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import RaceLost
from carrete.workbook.bases import forget_old_bases
from carrete.workbook.columns import OPERACIONES, ROLES, TRABAJADORES, UNIONES, WELDING
from carrete.workbook.commits import Committer, RealCommits, commit_with_retries
from carrete.workbook.incoming import IncomingSpool
from carrete.workbook.keys import IndexedSheet, optional_sheet, required_sheet
from carrete.workbook.people import take_people
from carrete.workbook.report import ImportReport, Problem, Progress, no_progress
from carrete.workbook.spools import merge_chunk
from carrete.workbook.welding import take_welding
from carrete.workbook.xlsx_in import read_book

SPOOLS_PER_COMMIT = 200
ROWS_PER_COMMIT_MAX = 1_000  # with many joints a commit has fewer spools: workers' actions wait for it


@dataclass(frozen=True, slots=True)
class ImportSheets:
    """The sheets of a file that an import reads."""

    operaciones: IndexedSheet
    uniones: IndexedSheet
    trabajadores: IndexedSheet
    roles: IndexedSheet
    wps: IndexedSheet
    calificaciones: IndexedSheet

    def all(self) -> tuple[IndexedSheet, ...]:
        return self.operaciones, self.uniones, self.trabajadores, self.roles, self.wps, self.calificaciones

    @property
    def rows(self) -> int:
        """Of spools and joints."""
        return len(self.operaciones.rows) + len(self.uniones.rows)


@dataclass(frozen=True, slots=True)
class ImportStep:
    """One commit of an import. It may be run again: then it finds its own work done."""

    work: Callable[[Tx], ImportReport]
    rows: int = 0  # of spools and joints
    problems: list[Problem] = field(default_factory=list)  # cells that cannot be read
    spools: list[IncomingSpool] = field(default_factory=list)

    def run(self, committer: Committer) -> ImportReport:
        """After too many races with other writers, the rows are reported as left out."""
        try:
            report = committer.commit(self.work)
        except RaceLost:
            if not self.spools:
                raise
            reason = "cambió una y otra vez mientras se importaba; importe el archivo de nuevo."
            left_out = [Problem(OPERACIONES.name, one.row.number, "", reason) for one in self.spools if one.row]
            report = ImportReport(problems=left_out)
        report.problems += self.problems
        return report


def import_workbook(
    database: Database, path: Path, shop: Shop, now: datetime, on_progress: Progress = no_progress
) -> ImportReport:
    """Raises WorkbookError, with nothing done, when the file as a whole cannot be read."""
    sheets = read_sheets(path, shop)
    report, done = sheet_report(sheets), 0
    on_progress(done, sheets.rows)
    for step in import_steps(sheets, shop, now):
        report += step.run(RealCommits(database))
        if step.rows:
            done += step.rows
            on_progress(done, sheets.rows)
    tidy_up(database, now)
    report.problems.sort(key=lambda problem: (problem.sheet, problem.row))
    return report


def read_sheets(path: Path, shop: Shop, shown_name: str | None = None) -> ImportSheets:
    """`shown_name`: how people know the file, for sentences about it."""
    book = read_book(path, shown_name)
    operaciones = required_sheet(book, OPERACIONES, shop.zone)
    others = (optional_sheet(book, plan, shop.zone) for plan in (UNIONES, TRABAJADORES, ROLES, *WELDING))
    return ImportSheets(operaciones, *others)


def sheet_report(sheets: ImportSheets) -> ImportReport:
    """What is wrong with the sheets themselves, before any of their rows is looked at."""
    report = ImportReport()
    for sheet in sheets.all():
        report.problems += sheet.problems
        report.notices += sheet.notices
    return report


def import_steps(
    sheets: ImportSheets, shop: Shop, now: datetime, imported_by: str | None = None
) -> Iterator[ImportStep]:
    """`imported_by`: the label of the person who decided to import, for the events."""
    yield people_step(sheets, shop, now)
    for spools, problems in _chunks(sheets.operaciones, sheets.uniones, shop):

        def work(tx: Tx, spools: list[IncomingSpool] = spools) -> ImportReport:
            return merge_chunk(tx, spools, shop, now, imported_by=imported_by)

        yield ImportStep(work, _rows(spools), problems, spools)


def people_step(sheets: ImportSheets, shop: Shop, now: datetime) -> ImportStep:
    """The people first, then the procedures and what the people are qualified for."""
    trabajadores, roles, confirm = sheets.trabajadores, sheets.roles, shop.confirmed_roles_only
    with_people, with_welding = trabajadores.rows or roles.rows, sheets.wps.rows or sheets.calificaciones.rows

    def work(tx: Tx) -> ImportReport:
        report = ImportReport()
        if with_people:
            report = take_people(tx, trabajadores, roles, shop.zone, confirm=confirm)
        if with_welding:
            welding = take_welding(tx, sheets.wps, sheets.calificaciones, shop.zone, now)
            report += welding
            report.people_changes += welding.people_changes
        return report

    return ImportStep(work)


def tidy_up(database: Database, now: datetime) -> None:
    def work(tx: Tx) -> None:
        forget_old_bases(tx, now)
        tx.run("analyze")

    commit_with_retries(database, work)


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
