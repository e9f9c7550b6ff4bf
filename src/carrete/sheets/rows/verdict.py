"""What a row that was read says, once our own writes are told apart from what people typed. Pure.

Each row that we write carries the stamp of that write, and the journal knows what that write put into which row:
- its own stamp, not seen before: our write landed, so those cells said what we wrote, and whatever differs now was
  changed by a person after it (also when it says again what it had said before);
- the stamp of another row's write that was never seen where it belongs: that write hit this row, because rows moved
  between our read and Google's apply. Cells that say what it carried are strays: nobody's word, ours is put back;
- the stamp of a write that was once seen in its own row: a person copied or renamed the row. Their word counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from carrete.sheets.rows.view import Reading
from carrete.workbook.bases import RowId
from carrete.workbook.cells import Raw
from carrete.workbook.rows import Cells


@dataclass(frozen=True, slots=True)
class Write:
    """One row of one attempt, as the journal has it."""

    stamp: str
    row: RowId
    cells: Cells
    landed: bool  # it was seen in its own row
    places: Mapping[str, int] = field(default_factory=dict)  # the column numbers that it went to
    put: Mapping[str, tuple[int, Raw]] = field(default_factory=dict)  # by column identity: its number, and the value
    told: Sequence[GivenBack] = ()  # what it gave back to people

    @property
    def attempt(self) -> str:
        """Flush and attempt: everything with the same one was applied at the same moment, or not at all."""
        return self.stamp.rpartition(".")[0]

    @property
    def flush(self) -> int:
        return int(self.stamp.partition(".")[0])


@dataclass(frozen=True, slots=True)
class GivenBack:
    """A person's cell that a write of ours had hit, and that says again what it said."""

    tag: str  # of the spool whose write went astray
    column: str
    ours: Raw
    theirs: Raw


@dataclass(frozen=True, slots=True)
class Known:
    """What the ledger remembers of a row of the sheet."""

    base: Cells | None = None  # None: never seen
    stamp: str = ""


UNKNOWN = Known()


@dataclass(frozen=True, slots=True)
class Verdict:
    base: Cells | None  # what the row last said, our landed write included
    said: Cells  # what counts as somebody's word
    strays: Cells = field(default_factory=dict)  # column → the value of ours that does not belong there
    stamp: str = ""
    landed: str = ""  # the stamp that was now seen in its own row for the first time
    misplaced: bool = False  # the row carries a stamp that is not its own
    older: bool = False  # it carries a stamp from before the last one seen: an old copy, or a stale answer

    @property
    def edited(self) -> bool:
        """Somebody changed something, or nothing is known about the row."""
        base = self.base
        return base is None or any(base.get(name) != said for name, said in self.said.items())


def judge(
    row: RowId,
    reading: Reading,
    known: Known,
    write: Write | None,
    in_its_row: bool,
    strays: Mapping[str, str],
    displaced: Set[str] | None = None,
) -> Verdict:
    """`in_its_row`: the write's own row carries the same stamp in this very read. `strays`: as found before.
    `displaced`: the columns that hold what was meant for others, when columns moved under the write."""
    if displaced is not None:
        return _displaced(reading, known, strays, displaced)
    base, stamp, landed, foreign = known.base, known.stamp, "", {}
    misplaced = older = False
    if write is not None and write.stamp != known.stamp:
        if write.row == row and is_newer(write.stamp, known.stamp):
            base, stamp, landed = {**(base or {}), **write.cells}, write.stamp, write.stamp
        elif write.row == row:
            older = True
        elif not write.landed and not in_its_row:
            foreign, misplaced = write.cells, True
    found = {name: said for name, said in reading.cells.items() if _is_stray(name, said, base, foreign, strays)}
    found |= {name: text for name, _, text in reading.unreadable if strays.get(name) == text}
    said = {name: value for name, value in reading.cells.items() if name not in found}
    return Verdict(base, said, found, stamp, landed, misplaced, older)


def _displaced(reading: Reading, known: Known, strays: Mapping[str, str], displaced: Set[str]) -> Verdict:
    everything = {**reading.cells, **{name: text for name, _, text in reading.unreadable}}
    found = {n: said for n, said in everything.items() if n in displaced or strays.get(n) == said}
    said = {name: value for name, value in reading.cells.items() if name not in found}
    return Verdict(known.base, said, found, known.stamp, misplaced=True)


def _is_stray(name: str, said: str, base: Cells | None, foreign: Cells, before: Mapping[str, str]) -> bool:
    if base is None:
        return bool(said) and (foreign.get(name) == said or before.get(name) == said)
    return said != base.get(name) and (foreign.get(name) == said or before.get(name) == said)


def stamp_of(flush_id: int, attempt: int, number: int, salt: str) -> str:
    return f"{flush_id}.{attempt}.{number}-{salt}"


def is_newer(stamp: str, than: str) -> bool:
    return not than or _order(stamp) > _order(than)


def _order(stamp: str) -> tuple[int, int]:
    flush, _, rest = stamp.partition(".")
    attempt = rest.partition(".")[0]
    return (int(flush), int(attempt)) if flush.isdigit() and attempt.isdigit() else (0, 0)
