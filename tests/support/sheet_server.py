"""The emulator on a real port, for tests that start whole processes against it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from carrete.ledger import open_database
from carrete.settings import Settings
from carrete.sheets import command
from carrete.sheets.listeners import Listeners
from carrete.sheets.running import LaneThread
from carrete.sheets.timings import DEFAULT_TIMINGS, LaneTimings
from carrete.workbook.columns import METADATA, OPERACIONES, ROLES, TRABAJADORES, UNIONES
from carrete.workbook.report import no_progress
from sheets_emulator import people
from sheets_emulator.emulator import Emulator
from sheets_emulator.journal import plain
from sheets_emulator.server import Server
from sheets_emulator.workbooks import Tab, make_book
from tests.conftest import migrated
from tests.support.people import CREW
from tests.support.sheets import BOOK, READY, header, rows_of

WAIT_S_MAX = 30.0
HURRIED = LaneTimings(
    look_s=0.1,
    coalesce_s=0.1,
    flush_every_s=0.2,
    spools_every_s=1.5,
    requests_apart_s_min=0.02,
    quota_window_s=1.0,  # as many requests in a second as Google allows in a minute
)


class SheetServer:
    """A workbook of spools as a whole, and the settings that `carrete` needs to find it."""

    def __init__(self, folder: Path, spools: int = 5) -> None:
        self.emulator = Emulator()
        rows = [{"TAG_SPOOL": f"A-{n}", **READY} for n in range(1, spools + 1)]
        staff = [{"Id": w.id, "Nombre": w.nombre, "Apellido": w.apellido, "Activo": w.activo} for w in CREW]
        roles = [{"Id": w.id, "Rol": str(rol), "Activo": True} for w in CREW for rol in sorted(w.roles)]
        tabs = [
            Tab("Operaciones", rows_of(header(OPERACIONES), rows)),
            Tab("Uniones", rows_of(header(UNIONES), [])),
            Tab("Trabajadores", rows_of(header(TRABAJADORES), staff)),
            Tab("Roles", rows_of(header(ROLES), roles)),
            Tab("Metadata", rows_of(header(METADATA), [])),
        ]
        make_book(self.emulator, "Planilla", tabs, id_=BOOK)
        self._server = Server(self.emulator, 0, 0)
        key = folder / "key.json"
        key.write_text(json.dumps(self.emulator.accounts.service_account(self._server.token_uri)))
        url = f"sqlite:///{folder / 'carrete.db'}"
        migrated(url)
        self.settings = {
            "DATABASE_URL": url,
            "CARRETE_DATA": str(folder),
            "GOOGLE_SHEET_ID": BOOK,
            "GOOGLE_APPLICATION_CREDENTIALS": str(key),
            "CARRETE_SHEETS_URL": self._server.url,
        }

    def __enter__(self) -> SheetServer:
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.stop()

    def connect(self, timings: LaneTimings = DEFAULT_TIMINGS) -> None:
        """As `carrete sync --init --apply` does, in this process."""
        settings = self._here()
        database = open_database(settings.ledger_url)
        command.connect(settings, database, no_progress, timings)
        database.close()

    @contextmanager
    def hurried_lane(self) -> Iterator[None]:
        """As `carrete sync` in this process, with a short interval; the lane of a server started meanwhile waits."""
        self.emulator.quota.limits.enforced = False
        settings = self._here()
        running = LaneThread(settings, settings.shop, Listeners(), HURRIED)
        running.start()
        try:
            self.wait_for(lambda: running.lane is not None and running.lane.at_rest())
            yield
        finally:
            running.stop()

    def _here(self) -> Settings:
        return Settings(
            access="open",
            database_url=self.settings["DATABASE_URL"],
            google_sheet_id=BOOK,
            google_credentials=self.settings["GOOGLE_APPLICATION_CREDENTIALS"],
            sheets_url=self._server.url,
        )

    def rows(self, sheet: str = "Operaciones") -> list[dict[str, Any]]:
        tab = next(s for s in self.emulator.file(BOOK).book.sheets if s.title == sheet)
        names, *rows = [[plain(value) for value in row.values] for row in tab.rows[: tab.last_row]]
        return [{str(n): v for n, v in zip(names, row, strict=False) if v is not None} for row in rows]

    def person(self, act: str, sheet: str = "Operaciones", **options: Any) -> None:
        people.act(self.emulator, BOOK, act, {"sheet": sheet, **options})

    def writes(self) -> int:
        log = self.emulator.journal.entries()
        return sum(1 for one in log if one["path"].endswith(":batchUpdate") and one["status"] == 200)

    def wait_for(self, what: Callable[[], object]) -> None:
        until = time.monotonic() + WAIT_S_MAX
        while not what():
            assert time.monotonic() < until, "it did not come to that"
            time.sleep(0.05)
