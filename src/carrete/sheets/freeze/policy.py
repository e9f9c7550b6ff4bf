"""FreezeState a sheet that cannot be believed, and lets it go on: when it is as it was, or as a supervisor decided.

A decision is about what the supervisor saw: it is carried out on a read that still shows it, and on no other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from carrete.ledger.database import Database
from carrete.sheets.clock import Clock
from carrete.sheets.freeze import limits
from carrete.sheets.lease import DryRun, Lease
from carrete.sheets.rows import storage
from carrete.sheets.rows.classify import RowDiff
from carrete.sheets.rows.storage import Freeze, Place
from carrete.sheets.rows.view import View, cell, readers
from carrete.sheets.structure import Located, wrong_columns
from carrete.workbook.bases import RowId
from carrete.workbook.columns import Header

GONE_AFTER_READS = 2


@dataclass(slots=True)
class FreezeState:
    """As one read found them, and what it decided about them."""

    frozen: Mapping[str, Freeze]
    wrong: dict[str, str] = field(default_factory=dict)  # sheets with a column missing or twice
    decided: dict[str, Freeze] = field(default_factory=dict)  # decisions that this read carries out
    again: bool = False  # another read is needed before a decision can be carried out


class FreezePolicy:
    def __init__(self, database: Database, lease: Lease | DryRun, clock: Clock) -> None:
        self._database = database
        self._lease = lease
        self._clock = clock
        self._missing: dict[Place, int] = {}  # rows that were there, and the reads since that did not show them

    def look(self) -> FreezeState:
        with self._database.reading() as tx:
            return FreezeState(storage.freezes(tx))

    def check_columns(self, located: Located, header: Header, stops: FreezeState) -> None:
        sheet = located.plan.name
        frozen = stops.frozen.get(sheet)
        if wrong := wrong_columns(located.plan, header, located.columns):
            stops.wrong[sheet] = wrong
            self._freeze(sheet, limits.COLUMNS, wrong)
        elif frozen is not None and frozen.kind in (limits.COLUMNS, limits.TAB):
            self._end([sheet])

    def accepts(
        self, view: View, before: View | None, judged: Sequence[RowDiff], known: Collection[RowId], stops: FreezeState
    ) -> bool:
        """Whether people's word is taken from this read. With a column missing nothing else is asked: that is told
        first, and people are still heard unless there is too much of it."""
        sheet = view.plan.name
        frozen = stops.frozen.get(sheet)
        missing = [row for row in known if row not in view.at and row not in view.doubles]
        self._count(sheet, missing)
        kind, reason = _too_much(view, before, judged, len(missing), len(known))
        if sheet in stops.wrong:
            return not reason
        if frozen is not None and frozen.decides(kind, reason):
            return self._carry_out(frozen, missing, stops)
        if reason:
            self._freeze(sheet, kind, reason)
        elif frozen is not None and frozen.kind in (limits.VANISHED, limits.CHANGED):
            self._end([sheet])
        return not reason

    def _carry_out(self, frozen: Freeze, missing: Sequence[RowId], stops: FreezeState) -> bool:
        """From here on it is, also after a crash: half of a decision must not be mixed with its opposite."""
        if any(self._missing[frozen.sheet, row] < GONE_AFTER_READS for row in missing):
            stops.again = True
            return False
        self._lease.commit(lambda tx: tx.run("freeze_under_way", sheet=frozen.sheet))
        stops.decided[frozen.sheet] = frozen
        return True

    def carried_out(self, stops: FreezeState) -> None:
        if stops.decided:
            self._end(list(stops.decided))

    def gone(self, sheet: str) -> list[Place]:
        return [p for p, reads in self._missing.items() if p[0] == sheet and reads >= GONE_AFTER_READS]

    def forget(self, gone: Sequence[Place]) -> None:
        for place in gone:
            self._missing.pop(place, None)

    def _count(self, sheet: str, missing: Sequence[RowId]) -> None:
        places = {(sheet, row) for row in missing}
        for place in [place for place in self._missing if place[0] == sheet and place not in places]:
            del self._missing[place]
        for place in places:
            self._missing[place] = self._missing.get(place, 0) + 1

    def _freeze(self, sheet: str, kind: str, reason: str) -> None:
        now = self._clock.now()
        self._lease.commit(lambda tx: storage.freeze(tx, sheet, kind, reason, now))

    def _end(self, sheets: Sequence[str]) -> None:
        self._lease.commit(lambda tx: [tx.run("freeze_end", sheet=sheet) for sheet in sheets])


def _too_much(view: View, before: View | None, judged: Sequence[RowDiff], missing: int, known: int) -> tuple[str, str]:
    """The kind of it and the reason, which is empty when it is not."""
    if reason := limits.vanished(missing, known):
        return limits.VANISHED, reason
    verdicts = [one.verdict for one in judged]
    return limits.CHANGED, limits.changed(verdicts, known, len(readers(view)), _filled(before, judged))


def _filled(before: View | None, judged: Sequence[RowDiff]) -> Callable[[str], int]:
    """How many cells of a column said something before this read."""

    def filled(name: str) -> int:
        if before is None or name not in before.header.places:
            return sum(bool((one.known.base or {}).get(name)) for one in judged)
        place = before.header.places[name]
        return sum(cell(before.raws[index], place) != "" for index in before.at.values())

    return filled
