"""Shows what importing a file would do, row by row and cell by cell, and applies exactly what was shown.

A preview runs the steps of the import itself and rolls each of them back, so no rule exists twice. Applying compares
each step, inside its transaction, with the preview: a step that would do anything else is rolled back.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime

from carrete.domain.shop import Shop
from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import RaceLost
from carrete.workbook import cells
from carrete.workbook.cells import Raw, Unreadable
from carrete.workbook.commits import DryRun, RealCommits
from carrete.workbook.effects import CellChange, RowChange, RowKind
from carrete.workbook.importing import ImportSheets, ImportStep, import_steps, people_step, sheet_report, tidy_up
from carrete.workbook.report import Conflict, ImportReport, Problem

SHOWN_CHARS_MAX = 200  # of a cell that is refused


@dataclass(frozen=True, slots=True)
class PreviewedStep:
    """What one commit of the import does. `digest` is the same for the same rows."""

    rows: list[RowChange]
    digest: str
    done: int  # rows of spools and joints so far
    total: int


@dataclass(frozen=True, slots=True)
class AppliedStep:
    number: int
    applied: bool  # False: it would have done something else than was previewed, and was rolled back
    tags: list[str]  # spools that changed
    held_anew: list[str]  # those of them whose holder changed
    done: int
    total: int


class _StepDiffers(Exception):
    """The ledger has changed since the preview, so that this step would do something else."""


# ─── preview ──────────────────────────────────────────────────────────────────────────────────────────────────


def preview_steps(database: Database, sheets: ImportSheets, shop: Shop, now: datetime) -> Iterator[PreviewedStep]:
    """Changes nothing. The first step has what is wrong with the sheets themselves, and the people."""
    people = people_step(sheets, shop, now)
    done = 0
    for number, step in enumerate(import_steps(sheets, shop, now)):
        report = step.run(DryRun(database, people.work) if number else DryRun(database))
        done += step.rows
        rows = _step_rows(report, number, sheets, shop, now)
        yield PreviewedStep(rows, digest_of(rows), done, sheets.rows)


def apply_steps(
    database: Database,
    sheets: ImportSheets,
    shop: Shop,
    now: datetime,
    planned: Sequence[str],
    applied_by: str | None = None,
) -> Iterator[AppliedStep]:
    """Imports the steps that still do what was previewed, whose digests are `planned`. A step that has nothing to do,
    because an earlier attempt has done it, counts as applied."""
    done = 0
    for number, step in enumerate(import_steps(sheets, shop, now, applied_by)):
        expected = planned[number] if number < len(planned) else ""
        try:
            report = RealCommits(database).commit(_checked(step, number, expected, sheets, shop, now))
        except (_StepDiffers, RaceLost):
            report = None
        done += step.rows
        tags = [effect.after.tag for effect in report.spool_effects] if report else []
        held_anew = report.held_anew if report else []
        yield AppliedStep(number, report is not None, tags, held_anew, done, sheets.rows)
    tidy_up(database, now)


def _checked(
    step: ImportStep, number: int, expected: str, sheets: ImportSheets, shop: Shop, now: datetime
) -> Callable[[Tx], ImportReport]:
    def work(tx: Tx) -> ImportReport:
        report = step.work(tx)
        report.problems += step.problems
        rows = _step_rows(report, number, sheets, shop, now)
        if digest_of(rows) != expected and any(row.has_effect for row in rows):
            raise _StepDiffers
        return report

    return work


def digest_of(rows: Iterable[RowChange]) -> str:
    digest = hashlib.sha256()
    for row in rows:
        digest.update(json.dumps(asdict(row), ensure_ascii=False, sort_keys=True).encode())
    return digest.hexdigest()


# ─── from a report to rows ────────────────────────────────────────────────────────────────────────────────────


def _step_rows(report: ImportReport, number: int, sheets: ImportSheets, shop: Shop, now: datetime) -> list[RowChange]:
    changes = [*effects_of(report, shop, now)]
    found = [report] if number else [sheet_report(sheets), report]
    problems = [problem for one in found for problem in one.problems]
    notices = [notice for one in found for notice in one.notices]
    by_name = {sheet.sheet.plan.name: sheet.sheet for sheet in sheets.all() if sheet.sheet is not None}

    def typed(sheet: str, row: int, column: str) -> str:
        parsed = by_name.get(sheet)
        if parsed is None or column not in parsed.header.indexes or not 0 <= row - parsed.first < len(parsed.rows):
            return ""
        return _shown(parsed.rows[row - parsed.first][parsed.header.indexes[column]], shop)

    def key(sheet: str, row: int) -> str:
        parsed = by_name.get(sheet)
        return " ".join(filter(None, (typed(sheet, row, name) for name in parsed.plan.key))) if parsed else ""

    refused = [(one, CellChange(one.column, "", typed(one.sheet, one.row, one.column), one.reason)) for one in problems]
    noticed: list[tuple[Problem | Conflict, CellChange]] = [
        (one, CellChange(one.column, "", typed(one.sheet, one.row, one.column), one.reason)) for one in notices
    ]
    noticed += [(one, CellChange(one.column, one.ours, one.theirs, str(one))) for one in report.conflicts]
    for kind, cells_found in ((RowKind.REFUSED, refused), (RowKind.NOTICE, noticed)):
        for (sheet, row), of_row in _by_row(cells_found).items():
            changes.append(RowChange(sheet, row, key(sheet, row), kind, tuple(of_row)))
    return changes


def effects_of(report: ImportReport, shop: Shop, now: datetime) -> Iterator[RowChange]:
    """The rows that a commit changes."""
    yield from report.people_changes
    for effect in report.spool_effects:
        yield from effect.row_changes(shop.zone, now)


def _by_row(
    found: Iterable[tuple[Problem | Conflict, CellChange]],
) -> Mapping[tuple[str, int], list[CellChange]]:
    rows: dict[tuple[str, int], list[CellChange]] = {}
    for one, cell in found:
        rows.setdefault((one.sheet, one.row), []).append(cell)
    return rows


def _shown(raw: Raw, shop: Shop) -> str:
    try:
        text = cells.text(raw, shop.zone)
    except Unreadable:
        text = "" if isinstance(raw, cells.Broken) else str(raw)
    return text[:SHOWN_CHARS_MAX]


# ─── counts ───────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class PreviewCounts:
    """Rows of the file by what happens to them. A row with accepted and refused cells is in two of them."""

    new: int = 0
    changed: int = 0
    retired: int = 0
    refused: int = 0
    notices: int = 0
    touched: set[tuple[str, int]] = field(default_factory=set)  # rows with an effect, and those that are refused

    def add(self, rows: Iterable[RowChange]) -> None:
        for row in rows:
            match row.kind:
                case RowKind.NEW:
                    self.new += 1
                case RowKind.CHANGED:
                    self.changed += 1
                case RowKind.RETIRED:
                    self.retired += 1
                case RowKind.REFUSED:
                    self.refused += 1
                case RowKind.NOTICE:
                    self.notices += 1
            if row.kind is not RowKind.NOTICE:
                self.touched.add((row.sheet, row.row))

    def unchanged(self, sheets: ImportSheets) -> int:
        """How many rows of the file the import leaves as they are."""
        rows = {
            (sheet.sheet.plan.name, number)
            for sheet in sheets.all()
            if sheet.sheet is not None
            for number, _ in sheet.rows.values()
        }
        return len(rows - self.touched)
