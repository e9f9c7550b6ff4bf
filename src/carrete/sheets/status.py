"""What a supervisor sees of the lane: the statistics that it published last, and what waits, is parked or is frozen."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from carrete.domain.shop_time import iso
from carrete.ledger.database import Tx
from carrete.sheets.rows import storage
from carrete.sheets.rows.storage import CONNECTED
from carrete.sheets.rows.verdict import RestoredCell
from carrete.workbook.bases import utc_text
from carrete.workbook.cells import Raw
from carrete.workbook.report import Conflict, Count, ImportReport, Problem

if TYPE_CHECKING:  # every server shows the status, few run the lane
    from carrete.sheets.google.client import SheetsClient
    from carrete.sheets.pull.puller import PullResult
    from carrete.sheets.pull.restored_cells import RestoredRow

PROBLEMS_SHOWN_MAX = 200
CONFLICTS_SHOWN_MAX = 50
PARKED_SHOWN_MAX = 200
GIVEN_BACK_SHOWN_MAX = 50
SHOWN_LENGTH_MAX = 200  # characters of a cell


@dataclass(slots=True)
class SyncStats:
    """What the lane has done so far. It is written into the lease, so that every process can show it."""

    read_at: datetime | None = None
    written_at: datetime | None = None
    verified_at: datetime | None = None
    reason: str = ""
    flushes: int = 0
    failures: int = 0
    edits: int = 0
    conflict_count: int = 0
    strays: int = 0
    events_waiting: int = 0
    parked_count: int = 0
    stopped: int = 0  # frozen sheets
    more: bool = False  # not everything that waits fitted into the last batch
    spools: Count = field(default_factory=Count)
    joints: Count = field(default_factory=Count)
    problems: list[Problem] = field(default_factory=list)
    people_problems: list[Problem] = field(default_factory=list)
    notices: list[Problem] = field(default_factory=list)  # nothing is left unwritten, but a person should know
    conflicts: deque[tuple[datetime, Conflict]] = field(default_factory=lambda: deque(maxlen=CONFLICTS_SHOWN_MAX))
    given_back_count: int = 0
    given_back: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=GIVEN_BACK_SHOWN_MAX))

    def add(self, pulled: PullResult, now: datetime) -> None:
        report = pulled.report
        self.spools += report.spools
        self.joints += report.joints
        self.edits += report.spools.changed + report.spools.new + report.joints.changed + report.joints.new
        self.strays += pulled.strays
        self.conflict_count += len(report.conflicts)
        self.conflicts.extend((now, conflict) for conflict in report.conflicts)
        given_back = [_given_back(now, one, cell) for one in pulled.given_back for cell in one.cells]
        self.given_back_count += len(given_back)
        self.given_back.extend(given_back)

    def note_status(self, status: SyncStatus) -> None:
        """Counts what waits for Google or for a person."""
        self.events_waiting, self.parked_count = status.events_waiting, status.parked_count
        self.stopped = len(status.freezes)

    def report(self) -> ImportReport:
        """In the form of an import's report."""
        return ImportReport(
            spools=self.spools,
            joints=self.joints,
            problems=[*self.people_problems, *self.problems],
            conflicts=[conflict for _, conflict in self.conflicts],
            notices=self.notices,
        )

    def as_json(self, client: SheetsClient, now: datetime) -> str:
        problems = [*self.problems, *self.people_problems]
        stats = {
            "at": utc_text(now),
            "read_at": _text(self.read_at),
            "written_at": _text(self.written_at),
            "verified_at": _text(self.verified_at),
            "reason": self.reason,
            "email": client.email,
            "requests": client.pace.requests,
            "reads": client.reads,
            "writes": client.writes,
            "flushes": self.flushes,
            "failures": self.failures,
            "edits": self.edits,
            "strays": self.strays,
            "conflict_count": self.conflict_count,
            "problem_count": len(problems),
            "problems": [_problem(problem) for problem in problems[:PROBLEMS_SHOWN_MAX]],
            "notices": [_problem(notice) for notice in self.notices[:PROBLEMS_SHOWN_MAX]],
            "conflicts": [_conflict(at, conflict) for at, conflict in self.conflicts],
            "given_back_count": self.given_back_count,
            "given_back": list(self.given_back),
        }
        return json.dumps(stats, ensure_ascii=False)


def _text(moment: datetime | None) -> str | None:
    return utc_text(moment) if moment else None


def _problem(problem: Problem) -> dict[str, Any]:
    return {"hoja": problem.sheet, "fila": problem.row, "columna": problem.column, "motivo": problem.reason}


def _conflict(at: datetime, conflict: Conflict) -> dict[str, Any]:
    return {
        "at": utc_text(at),
        "hoja": conflict.sheet,
        "fila": conflict.row,
        "columna": conflict.column,
        "antes": conflict.base,
        "taller": conflict.ours,
        "planilla": conflict.theirs,
        "queda": "planilla" if conflict.taken else "taller",
    }


def _given_back(at: datetime, one: RestoredRow, cell: RestoredCell) -> dict[str, Any]:
    where = {"at": utc_text(at), "hoja": one.sheet, "fila": one.index + 1, "columna": cell.column}
    return {**where, "carrete": _shown(cell.ours), "repuesto": _shown(cell.theirs)}


def _shown(raw: Raw) -> str:
    return ("" if raw is None else str(raw))[:SHOWN_LENGTH_MAX]


@dataclass(frozen=True, slots=True)
class SyncStatus:
    """The state of the sync, read from the ledger alone, so that any process can show it."""

    connected: str
    running: bool
    holder: str
    stats: dict[str, Any]  # as the lane published them last; empty if it never did
    rows_waiting: int
    events_waiting: int
    oldest: str | None  # since when the oldest of them waits
    parked_count: int
    parked: list[dict[str, Any]]  # the first PARKED_SHOWN_MAX
    freezes: list[storage.Freeze]


def sync_status(tx: Tx, workbook: str, now: datetime) -> SyncStatus:
    holder, until, stats = tx.one("lease", workbook=workbook) or ("", "", "")
    rows, oldest_row = tx.one("outbox_length") or (0, None)
    through = storage.events_through(tx)
    events, oldest_event = tx.one("events_waiting", through=through) or (0, None)
    parked = _parked(tx)
    return SyncStatus(
        connected=storage.setting(tx, CONNECTED),
        running=until > utc_text(now),
        holder=holder,
        stats=json.loads(stats) if stats else {},
        rows_waiting=rows,
        events_waiting=events,
        oldest=min((at for at in (oldest_row, oldest_event) if at), default=None),
        parked_count=len(parked),
        parked=parked[:PARKED_SHOWN_MAX],
        freezes=list(storage.freezes(tx).values()),
    )


def _parked(tx: Tx) -> list[dict[str, Any]]:
    rows = [
        {"hoja": sheet, "tag_spool": tag, "n_union": n or None, "motivo": one.reason, "desde": one.at}
        for (sheet, (tag, n)), one in storage.parked_rows(tx).items()
    ]
    events = [
        {"hoja": "Metadata", "tag_spool": tag, "n_union": n, "motivo": reason, "evento": id_, "desde": planned_at}
        for id_, tag, n, reason, planned_at in tx.all("sheet_events_parked")
    ]
    return [*rows, *events]


def shown_moment(text: str | None, zone: Any) -> str | None:
    return iso(datetime.fromisoformat(text), zone) if text else None
