"""The emulated Drive: workbooks with their revisions, clock, quota, faults and journal; all changes under one lock."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

from sheets_emulator.accounts import Accounts
from sheets_emulator.batch.work import BatchWork
from sheets_emulator.clock import EmulatorClock
from sheets_emulator.errors import Json, invalid, not_found
from sheets_emulator.faults import Barriers, Faults
from sheets_emulator.formulas import local_now
from sheets_emulator.journal import Journal
from sheets_emulator.journal_records import Basis
from sheets_emulator.model import NEW_SHEET_COLUMNS, NEW_SHEET_ROWS, Book, CellWrite, Draft, new_sheet
from sheets_emulator.quota import Quota

HISTORY_MAX = 256
UNDO_MAX = 50
DEADLINE_S = 180.0
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


@dataclass(frozen=True, slots=True)
class Revision:
    book: Book
    at_s: float
    what: str


@dataclass(slots=True)
class DriveFile:
    """One workbook: the state now, and those before it."""

    book: Book
    created_s: float
    history: deque[Revision] = field(default_factory=lambda: deque(maxlen=HISTORY_MAX))
    trashed: bool = False
    shared_with: set[str] | None = None  # None: shared with every account
    undoable: deque[tuple[int, str, list[CellWrite]]] = field(default_factory=lambda: deque(maxlen=UNDO_MAX))

    @property
    def modified_s(self) -> float:
        return self.history[-1].at_s if self.history else self.created_s


@dataclass(slots=True)
class Options:
    """Behaviour that Google does not promise, or bugs of it, switched on by a test."""

    stale_reads: float = 0.0  # how probable
    stale_ms: int = 0  # as of so long ago; 0: the revision before
    append_race: bool = False
    filter_bug: str = "off"  # overwrite, drop
    metadata_follows_sort: bool = False
    latency_s: tuple[float, float] = (0.0, 0.0)  # from, to
    deadline_applies: bool = True  # what a request of over 180 s did before its 503
    count_failed: bool = True  # whether a refused request uses quota
    answers_reversed: bool = False  # the ranges of one answer come in another order than they were requested
    filters_told: bool = True  # whether an answer names the data filter of each range
    formula_apostrophes: bool = False  # FORMULA shows text as a person would have to type it: '=1+1


@dataclass(slots=True)
class Later:
    due_s: float
    do: Callable[[], object]


class Emulator:
    def __init__(self, seed: int = 0, clock: EmulatorClock | None = None) -> None:
        self.seed = seed
        self.clock = clock or EmulatorClock()
        self.rng = Random(seed)
        self.lock = threading.RLock()
        self.options = Options()
        self.accounts = Accounts()
        self.quota = Quota()
        self.faults = Faults(Random(seed + 1))
        self.barriers = Barriers(Random(seed + 2))
        self.journal = Journal()
        self.files: dict[str, DriveFile] = {}
        self.outage: Outage | None = None
        self._later: list[Later] = []
        self._numbers = 0

    # ─── workbooks ────────────────────────────────────────────────────────────────────────────────────────

    def create(
        self, title: str, *, id_: str | None = None, locale: str = "es_CL", zone: str = "America/Santiago"
    ) -> Book:
        """With one empty sheet, as Google makes them."""
        with self.lock:
            draft = Draft(Book(id_ or self._file_id(), title, locale, zone), person=True, act=0)
            draft.book.sheets.append(new_sheet(draft, 0, "Sheet1", NEW_SHEET_ROWS, NEW_SHEET_COLUMNS))
            self.files[draft.book.id] = DriveFile(draft.book, self.clock.seconds())
            return draft.book

    def put(self, book: Book) -> None:
        """Adds or replaces a whole workbook, for a test or from a snapshot."""
        with self.lock:
            self.files[book.id] = DriveFile(book, self.clock.seconds())

    def copy(self, file_id: str, title: str) -> Book:
        """New id, new sheet ids; metadata goes along, as Google does with a copy."""
        with self.lock:
            source = self.file(file_id).book
            ids = {sheet.sheet_id: (sheet.sheet_id and self.fresh_id()) for sheet in source.sheets}
            sheets = [replace(sheet, sheet_id=ids[sheet.sheet_id], owner=None) for sheet in source.sheets]
            data = {
                id_: replace(one, place=replace(one.place, sheet_id=ids.get(one.place.sheet_id)))
                if one.place.sheet_id is not None
                else one
                for id_, one in source.metadata.items()
            }
            twin = replace(source, id=self._file_id(), title=title, sheets=sheets, metadata=data, revision=1)
            self.put(twin)
            return twin

    def _file_id(self) -> str:
        return "1" + "".join(self.rng.choice(_ALPHABET) for _ in range(43))

    def file(self, file_id: str) -> DriveFile:
        file = self.files.get(file_id)
        if file is None or file.trashed:
            raise not_found()
        return file

    def fresh_id(self) -> int:
        return self.rng.randrange(1, 2**31 - 1)

    def next_number(self) -> int:
        with self.lock:
            self._numbers += 1
            return self._numbers

    # ─── reading and changing ─────────────────────────────────────────────────────────────────────────────

    def local_time(self, book: Book) -> datetime:
        return local_now(self.clock.now().astimezone(ZoneInfo(book.time_zone)))

    def book_to_read(self, file_id: str) -> Book:
        """The newest revision; with stale_reads, sometimes an older one."""
        with self.lock:
            file = self.file(file_id)
            if file.history and self.options.stale_reads and self.rng.random() < self.options.stale_reads:
                return self._stale(file)
            return file.book

    def _stale(self, file: DriveFile) -> Book:
        """An older revision, for a stale read; `history` has each revision with the time when it was replaced."""
        before_s = self.clock.seconds() - self.options.stale_ms / 1000
        if not self.options.stale_ms:
            return file.history[-1].book
        return next((revision.book for revision in file.history if revision.at_s > before_s), file.book)

    def change(
        self, file_id: str, what: str, make: Callable[[BatchWork], Json | None], *, user: str = "", number: int = 0,
        basis: Basis | None = None,
    ) -> Json:  # fmt: skip
        """One atomic change, by an account of the API or, without `user`, by a person in the workbook."""
        with self.lock:
            file = self.file(file_id)
            draft = Draft(file.book, person=not user, act=number or self.next_number())
            work = BatchWork(draft, user, self.local_time(file.book), self.fresh_id, self.options.metadata_follows_sort)
            answer = make(work) or {}
            if user:
                self.journal.api_wrote(draft, draft.act, basis or Basis(file.book.revision, {}))
            file.history.append(Revision(file.book, self.clock.seconds(), what))
            file.book = draft.book
            return answer

    def restore(self, file_id: str, revision: int, what: str = "restore") -> int:
        """Makes a new revision with all the content of that one: cells, tabs, metadata."""
        with self.lock:
            file = self.file(file_id)
            old = next((kept.book for kept in file.history if kept.book.revision == revision), None)
            if old is None:
                raise invalid(f"Revision {revision} is not remembered.")
            back = replace(old, sheets=list(old.sheets), revision=file.book.revision + 1)
            back.next_identity = file.book.next_identity
            file.history.append(Revision(file.book, self.clock.seconds(), what))
            file.book = back
            return back.revision

    # ─── scheduled for later ──────────────────────────────────────────────────────────────────────────────

    def later(self, after_s: float, do: Callable[[], object]) -> None:
        with self.lock:
            self._later.append(Later(self.clock.seconds() + after_s, do))

    def run_due(self) -> int:
        """Carries out, in order, everything that is due; returns how many. Called before each request is handled."""
        done = 0
        with self.lock:
            while due := [one for one in self._later if one.due_s <= self.clock.seconds()]:
                first = min(due, key=lambda one: one.due_s)
                self._later.remove(first)
                first.do()
                done += 1
        return done

    def run_all(self) -> int:
        """Carries out everything that is scheduled, due or not, in order; returns how many."""
        with self.lock:
            waiting = sorted(self._later, key=lambda one: one.due_s)
            self._later.clear()
            for one in waiting:
                one.do()
            return len(waiting)

    @property
    def waiting(self) -> int:
        return len(self._later)

    def advance(self, by: timedelta) -> None:
        self.clock.advance(by)
        self.run_due()


@dataclass(frozen=True, slots=True)
class Outage:
    """No request gets through: connections are refused, or reset as a broken TLS session would be."""

    from_s: float
    to_s: float
    refuse: bool

    def on(self, now_s: float) -> bool:
        return self.from_s <= now_s < self.to_s
