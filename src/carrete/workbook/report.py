"""The report of an import: counts, and every row or cell that a person should look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from carrete.workbook.effects import RowChange, SpoolEffect

Progress: TypeAlias = Callable[[int, int], None]  # rows done, rows in all


def no_progress(_done: int, _total: int) -> None:
    """For imports without a progress display."""


ROWS_NAMED_MAX = 10


def row_numbers_text(rows: Sequence[int]) -> str:
    """The numbers of rows with the same key. Each of these rows is reported with this list, so it is kept short."""
    shown = " y ".join(map(str, rows[:ROWS_NAMED_MAX]))
    return f"{shown} y {len(rows) - ROWS_NAMED_MAX} más" if len(rows) > ROWS_NAMED_MAX else shown


@dataclass(frozen=True, slots=True)
class Problem:
    """A sentence about one cell; without `column` about a whole row, with `row` 0 about a whole sheet."""

    sheet: str
    row: int  # as the spreadsheet program numbers it
    column: str
    reason: str

    def __str__(self) -> str:
        where = self.sheet + (f", fila {self.row}" if self.row else "") + (f", {self.column}" if self.column else "")
        return f"{where}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Conflict:
    """The person and the floor changed the same cell to different values."""

    sheet: str
    row: int
    column: str
    base: str
    ours: str
    theirs: str
    taken: bool  # the person's value was taken; otherwise the ledger's stayed

    def __str__(self) -> str:
        stands = "queda lo de la planilla" if self.taken else "queda lo nuestro"
        was, ours, theirs = (f"«{value}»" for value in (self.base, self.ours, self.theirs))
        where = f"{self.sheet}, fila {self.row}, {self.column}"
        return f"{where}: decía {was}, el taller puso {ours} y la planilla {theirs}; {stands}."


@dataclass(slots=True)
class Count:
    new: int = 0
    changed: int = 0
    unchanged: int = 0

    def __iadd__(self, other: Count) -> Count:
        self.new += other.new
        self.changed += other.changed
        self.unchanged += other.unchanged
        return self

    @property
    def taken(self) -> int:
        return self.new + self.changed + self.unchanged

    def __str__(self) -> str:
        return f"{self.new} nuevos, {self.changed} cambiados, {self.unchanged} iguales"


@dataclass(slots=True)
class ImportReport:
    spools: Count = field(default_factory=Count)
    joints: Count = field(default_factory=Count)
    workers: Count = field(default_factory=Count)
    roles: Count = field(default_factory=Count)
    procedures: Count = field(default_factory=Count)
    qualifications: Count = field(default_factory=Count)
    problems: list[Problem] = field(default_factory=list)  # rows and cells that were left out
    conflicts: list[Conflict] = field(default_factory=list)
    notices: list[Problem] = field(default_factory=list)  # nothing was left out, but a person should know
    held_anew: list[str] = field(default_factory=list)  # spools whose occupation changed: their locks must follow
    rows_out: list[tuple[str, int]] = field(default_factory=list)  # sheet and number of rows left out as a whole
    rows_waiting: list[tuple[str, int]] = field(default_factory=list)  # of new rows imported in part
    # What one commit saves. A sum of reports leaves both out: those of a whole file would take much memory.
    spool_effects: list[SpoolEffect] = field(default_factory=list)
    people_changes: list[RowChange] = field(default_factory=list)

    def __iadd__(self, other: ImportReport) -> ImportReport:
        self.spools += other.spools
        self.joints += other.joints
        self.workers += other.workers
        self.roles += other.roles
        self.procedures += other.procedures
        self.qualifications += other.qualifications
        self.problems += other.problems
        self.held_anew += other.held_anew
        self.rows_out += other.rows_out
        self.rows_waiting += other.rows_waiting
        self.conflicts += other.conflicts
        self.notices += other.notices
        return self

    @property
    def exit_code(self) -> int:
        """0: everything was imported. 3: some rows or cells were left out. 1: nothing was imported."""
        if not self.problems:
            return 0
        return 3 if any(count.taken for count in self.counts) else 1

    @property
    def counts(self) -> tuple[Count, ...]:
        return self.spools, self.joints, self.workers, self.roles, self.procedures, self.qualifications

    def summary(self) -> str:
        lines = [
            f"Spools: {self.spools}.",
            f"Uniones: {self.joints}.",
            f"Trabajadores: {self.workers}. Roles: {self.roles}.",
        ]
        if self.procedures.taken or self.qualifications.taken:
            lines.append(f"WPS: {self.procedures}. Calificaciones: {self.qualifications}.")
        if self.problems or self.conflicts or self.notices:
            lines.append(
                f"{len(self.problems)} filas o celdas quedaron fuera, {len(self.conflicts)} conflictos, "
                f"{len(self.notices)} avisos."
            )
        return "\n".join(lines)
