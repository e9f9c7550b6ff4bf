"""A shop with a Google workbook: the lane, the emulator and people's edits, on one clock that stands until moved."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

import httpx

from carrete.domain.commands import Command
from carrete.domain.spool import Spool
from carrete.domain.trail.witness import Sign
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.postgres import PostgresDatabase
from carrete.ledger.sqlite import SqliteDatabase
from carrete.sheets.google.client import SheetsClient
from carrete.sheets.lane import Lane
from carrete.sheets.listeners import Listeners
from carrete.sheets.rows import storage
from carrete.sheets.structure import SELLO, column_letters
from carrete.workbook.columns import METADATA, OPERACIONES, ROLES, TRABAJADORES, UNIONES, SheetPlan
from carrete_chaos.sheets.link import ROOT, EmulatedGoogle, StandingClock, emulated_key, nothing_happens
from sheets_emulator import people
from sheets_emulator.emulator import Emulator
from sheets_emulator.journal import plain
from sheets_emulator.workbooks import Tab, make_book
from tests.support.acting import Floor, a_request, code
from tests.support.builders import NOW, SHOP, events_in, spool_in
from tests.support.people import CREW

BOOK = "planilla-del-taller"
READY = {"OT": "25238", "NV": "1335", "Fecha_Materiales": 46_328}
STEPS_MAX = 20_000


def url_of(database: Database) -> str:
    if isinstance(database, SqliteDatabase):
        return f"sqlite:///{database.path}"
    assert isinstance(database, PostgresDatabase)
    return database.url


def header(plan: SheetPlan, *, extra: Sequence[str] = (), without: Sequence[str] = ()) -> list[str]:
    return [*(c.name for c in plan.columns if c.name not in without), *extra]


def rows_of(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    return [list(names), *([row.get(name, "") for name in names] for row in rows)]


class SheetShop:
    """One shop. `spools` and `joints` are rows of the workbook, as engineering prepared it."""

    def __init__(
        self,
        database: Database,
        spools: Sequence[Mapping[str, Any]] = (),
        joints: Sequence[Mapping[str, Any]] = (),
        *,
        seed: int = 0,
        columns: Sequence[str] = (),
        stamped: bool = True,
        sign: Sign | None = None,
    ) -> None:
        self._sign = sign
        self.database = database
        self._lane_ledger = open_database(url_of(database))  # as in a shop: a connection is one thread's
        self.clock = StandingClock(NOW)
        self.emulator = Emulator(seed, self.clock.google)
        self.clock.emulator = self.emulator
        sello = (SELLO,) if stamped else ()
        staff = [{"Id": w.id, "Nombre": w.nombre, "Apellido": w.apellido, "Activo": w.activo} for w in CREW]
        roles = [{"Id": w.id, "Rol": str(rol), "Activo": True} for w in CREW for rol in sorted(w.roles)]
        make_book(
            self.emulator,
            "Planilla del taller",
            [
                Tab("Operaciones", rows_of(columns or header(OPERACIONES, extra=sello), spools)),
                Tab("Uniones", rows_of(header(UNIONES, extra=sello), joints)),
                Tab("Trabajadores", rows_of(header(TRABAJADORES), staff)),
                Tab("Roles", rows_of(header(ROLES), roles)),
                Tab("Metadata", rows_of(header(METADATA), [])),
            ],
            id_=BOOK,
        )
        self.google = EmulatedGoogle(self.emulator)
        self.healed: list[str] = []
        self.first_reads = 0
        self.lane = self.new_lane()
        self.floor = Floor(database, clock=self.clock.now)

    # ─── the lane ─────────────────────────────────────────────────────────────────────────────────────────────

    def new_lane(self) -> Lane:
        """The lane of another process: it has nothing in memory, everything is in the ledger."""
        client = SheetsClient(BOOK, emulated_key(self.emulator), self.clock, root=ROOT, transport=self.google)
        listeners = Listeners(self._edited, self._first_read)
        return Lane(self._lane_ledger, client, BOOK, SHOP, self.clock, listeners, sign=self._sign)

    def _edited(self, tags: Sequence[str], held_anew: Sequence[str]) -> None:
        self.healed.extend(held_anew)

    def _first_read(self) -> None:
        self.first_reads += 1

    def restart(self) -> None:
        """As after kill -9: the lease is not given back."""
        self.lane = self.new_lane()

    def pass_time(self, seconds: float) -> None:
        """The lane runs while the clock passes that many seconds."""
        until = self.clock.monotonic() + seconds
        for _ in range(STEPS_MAX):
            if self.clock.monotonic() >= until:
                return
            wait = self.lane.step()
            self.clock.sleep(min(wait, max(0.0, until - self.clock.monotonic())))
        raise AssertionError("the lane takes more steps than there is time")

    def settle(self, seconds_max: float = 300.0) -> None:
        """Until every sheet was read and nothing waits: no row that could be written, no event, no batch in flight."""
        until = self.clock.monotonic() + seconds_max
        self.pass_time(48.0)
        while self.waiting():
            assert self.clock.monotonic() < until, f"still waiting: {self.waiting()}, {self.lane.stats.reason}"
            self.pass_time(3.0)

    def waiting(self) -> Any:
        with self.database.reading() as tx:
            idle = {entry for entry, _ in self.lane.flusher.idle}
            parked = storage.parked_rows(tx)
            entries = [r for r in tx.all("outbox_all") if r[0] not in storage.freezes(tx)]
            rows = [r for r in entries if (r[0], (r[1], r[2])) not in idle | parked.keys()]
            through = storage.events_through(tx)
            events = tx.all("events_to_send", through=through, limit=5)
            return rows or [row[:4] for row in events] or storage.open_flush(tx)

    @contextmanager
    def meanwhile(self, act: Callable[[], object], *, nth: int = 1) -> Iterator[None]:
        """Between our read and Google's apply of the nth write from now, once."""
        left = [nth]

        def hook(_request: httpx.Request) -> None:
            left[0] -= 1
            if left[0] == 0:
                act()

        self.google.meanwhile = hook
        yield
        self.google.meanwhile = nothing_happens
        assert left[0] <= 0, "no write was met"

    @contextmanager
    def ledger_locked(self) -> Iterator[None]:
        """Inside the block nobody can write into the ledger, and the lane does not wait for it. Only with SQLite."""
        assert isinstance(self.database, SqliteDatabase)
        with self._lane_ledger.writing() as tx:
            tx.execute("PRAGMA busy_timeout = 1")
        with closing(sqlite3.connect(self.database.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield

    # ─── the floor ────────────────────────────────────────────────────────────────────────────────────────────

    def do(self, *commands: Command) -> None:
        for command in commands:
            answer = self.floor.do(command)
            assert code(answer) == "OK", answer

    def do_all(self, commands: Iterable[Command]) -> None:
        """At the same moment."""
        for answer in self.floor.do_all(a_request(command) for command in commands):
            assert not isinstance(answer, BaseException), answer
            assert code(answer) == "OK", answer

    def spool(self, tag: str) -> Spool:
        return spool_in(self.database, tag)

    def events(self) -> list[Any]:
        return events_in(self.database)

    def editions(self) -> list[dict[str, Any]]:
        """The metadata of each edit, without its `via`: a sheet proves nobody. Restored cells have no author."""
        found = [
            dict(e.event.metadata) | {"accion": e.event.accion}
            for e in self.events()
            if e.event.tipo == "EDICION_EXTERNA"
        ]
        assert all(edit.pop("via", None) == {"proof": "planilla"} for edit in found if edit["accion"] != "REPONER")
        return found

    # ─── the sheet ────────────────────────────────────────────────────────────────────────────────────────────

    def person(self, act: str, sheet: str = "Operaciones", **fields: Any) -> Any:
        self.emulator.run_due()
        if act == "undo":
            return people.undo(self.emulator, BOOK)
        return people.act(self.emulator, BOOK, act, {"sheet": sheet, **fields})

    def types(
        self, tag: str, column: str, value: Any, sheet: str = "Operaciones", n_union: int = 0, *, raw: bool = False
    ) -> None:
        """A person types into the cell where they see it; raw: as text, whatever the spreadsheet would make of it."""
        cell = self.cell_name(sheet, tag, column, n_union)
        self.person("edit", sheet, cell=cell, value=value, **({"as": "RAW"} if raw else {}))

    def tab(self, sheet: str) -> Any:
        return next(s for s in self.emulator.file(BOOK).book.sheets if s.title == sheet)

    def grid(self, sheet: str) -> list[list[Any]]:
        tab = self.tab(sheet)
        return [[plain(value) for value in row.values] for row in tab.rows[: tab.last_row]]

    def rows(self, sheet: str = "Operaciones") -> list[dict[str, Any]]:
        names, *rows = self.grid(sheet) or [[]]
        return [{str(n): v for n, v in zip(names, row, strict=False) if v is not None} for row in rows]

    def row(self, tag: str, sheet: str = "Operaciones", n_union: int = 0) -> dict[str, Any]:
        found = [
            r for r in self.rows(sheet) if r.get("TAG_SPOOL") == tag and (not n_union or r.get("N_UNION") == n_union)
        ]
        assert len(found) == 1, found
        return found[0]

    def row_number(self, sheet: str, tag: str, n_union: int = 0) -> int:
        names = self.grid(sheet)[0]
        at, number = names.index("TAG_SPOOL"), names.index("N_UNION") if n_union else 0
        for index, row in enumerate(self.grid(sheet)):
            if len(row) > at and row[at] == tag and (not n_union or row[number] == n_union):
                return index + 1
        raise AssertionError(f"no row {tag} {n_union}")

    def cell_name(self, sheet: str, tag: str, column: str, n_union: int = 0) -> str:
        return f"{column_letters(self.grid(sheet)[0].index(column))}{self.row_number(sheet, tag, n_union)}"

    def format_of(self, sheet: str, tag: str, column: str) -> dict[str, Any]:
        row = self.tab(sheet).rows[self.row_number(sheet, tag) - 1]
        found: dict[str, Any] = row.formats[self.grid(sheet)[0].index(column)]["numberFormat"]
        return found

    # ─── the oracle ───────────────────────────────────────────────────────────────────────────────────────────

    def fault(self, what: str, **fields: Any) -> None:
        self.emulator.faults.add({"fault": what, "kind": "write", **fields})

    def events_in_the_sheet(self) -> list[str]:
        return [str(row["ID"]) for row in self.rows("Metadata")]

    def assert_every_event_once_in_order(self) -> None:
        assert self.events_in_the_sheet() == [e.id for e in self.events()]

    def astray(self) -> list[Any]:
        """The values that are in a wrong row at this moment."""
        return [one for one in self.emulator.journal.misdirected(self.emulator.file(BOOK).book) if one["left"]]

    def went_astray(self) -> int:
        return len(self.emulator.journal.misdirected(self.emulator.file(BOOK).book))

    def refused_for_quota(self) -> int:
        return sum(one["refused"] for one in self.emulator.quota.use())

    def writes(self) -> int:
        log = self.emulator.journal.entries()
        return sum(1 for one in log if one["path"].endswith(":batchUpdate") and one["status"] == 200)

    def close(self) -> None:
        self.floor.close()
        self._lane_ledger.close()
