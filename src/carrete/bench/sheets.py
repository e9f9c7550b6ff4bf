"""What a cycle of the sheet lane costs by itself: Google's answers are ready bytes, so only our own work is counted."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from carrete.domain.shop import Shop
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.migrate import migrate
from carrete.sheets.account import key_from
from carrete.sheets.client import SheetsClient
from carrete.sheets.clock import RealClock
from carrete.sheets.lane import Lane
from carrete.sheets.pulling import ledger_rows
from carrete.sheets.structure import EVENTS, JOINTS, PEOPLE, SPOOLS
from carrete.workbook.columns import VERSION

OPERACIONES_ROWS, OPERACIONES_COLUMNS = 2_000, 70
UNIONES_ROWS, UNIONES_COLUMNS = 20_000, 18
ROUNDS = 5
_TABS = (SPOOLS, JOINTS, *PEOPLE, EVENTS)
CPU_MS_MAX = 300.0
MEMORY_MB_MAX = 200.0


@dataclass(frozen=True, slots=True)
class SheetCycles:
    """Milliseconds of CPU; megabytes of the whole process."""

    first_ms: float
    idle_ms: float
    busy_ms: float
    before_mb: float
    peak_mb: float


class _Ready(httpx.BaseTransport):
    """Answers reads with bytes made before, and takes every write."""

    def __init__(self, grids: dict[int, list[list[Any]]]) -> None:
        self.grids = grids
        self._made: dict[tuple[int, ...], bytes] = {}

    def changed(self) -> None:
        self._made.clear()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if path == "/token":
            return httpx.Response(200, json={"access_token": "t", "expires_in": 3600})
        if path.endswith(":batchGetByDataFilter"):
            return httpx.Response(200, content=self.answer(json.loads(request.read())))
        tabs = [{"properties": {"sheetId": number, "title": plan.name}} for number, plan in enumerate(_TABS)]
        return httpx.Response(200, json={"sheets": tabs})

    def answer(self, asked: dict[str, Any]) -> bytes:
        ranges = [one["gridRange"] for one in asked["dataFilters"]]
        ids = tuple(one["sheetId"] for one in ranges)
        if ids not in self._made:
            found = [(one, self.grids[one["sheetId"]][: one.get("endRowIndex")]) for one in ranges]
            told = [{"valueRange": {"values": rows}, "dataFilters": [{"gridRange": one}]} for one, rows in found]
            self._made[ids] = json.dumps({"valueRanges": told}, separators=(",", ":")).encode()
        return self._made[ids]


class _NoWait(RealClock):
    def sleep(self, seconds: float) -> None:
        del seconds


def measure(say: Callable[[str], None]) -> SheetCycles:
    say(f"Operaciones {OPERACIONES_ROWS} × {OPERACIONES_COLUMNS}, Uniones {UNIONES_ROWS} × {UNIONES_COLUMNS}…")
    with tempfile.TemporaryDirectory(prefix="carrete-bench-") as folder:
        database = open_database(f"sqlite:///{Path(folder) / 'lane.db'}")
        try:
            migrate(database)
            return _measured(database)
        finally:
            database.close()


def _measured(database: Database) -> SheetCycles:
    google = _Ready(_grids())
    before = _status("VmRSS")
    clock = _NoWait()
    client = SheetsClient("bench", _key(), clock, root="http://bench.invalid", transport=google)
    lane = Lane(database, client, "bench", Shop(), clock)
    first = _cpu_ms(lane.step)
    _as_if_written(google, database)
    both = {SPOOLS.name, JOINTS.name}
    lane.cycle(both, flush=False)
    Path("/proc/self/clear_refs").write_text("5")  # from here on the peak is that of the cycles
    idle = min(_cpu_ms(lambda: lane.cycle(both, flush=False)) for _ in range(ROUNDS))
    busy = min(_busy(lane, google, both, number) for number in range(ROUNDS))
    return SheetCycles(first, idle, busy, before, _status("VmHWM"))


def _busy(lane: Lane, google: _Ready, sheets: set[str], number: int) -> float:
    """Fifty rows that people changed, and fifty that wait to be written."""
    for row in range(1, 51):
        google.grids[0][row * 7][2] = f"NV-{number}-{row}"
    google.changed()
    wanted = {"dataFilters": [{"gridRange": {"sheetId": n}} for n in (0, 1)]}
    google.answer(wanted)
    return _cpu_ms(lambda: lane.cycle(sheets, flush=True))


def _as_if_written(google: _Ready, database: Database) -> None:
    """The sheet says what the ledger says, as after the first flushes, and nothing waits."""
    with database.reading() as tx:
        for number, plan in enumerate((SPOOLS, JOINTS)):
            places = {name: place for place, name in enumerate(google.grids[number][0])}
            ours = dict(ledger_rows(tx, plan.name, Shop().zone))
            for line in google.grids[number][1:]:
                cells, version = ours[line[0], 0] if plan is SPOOLS else ours[line[3], line[2]]
                for name, said in {**cells, VERSION: version}.items():
                    line[places[name]] = said
    with database.writing() as tx:
        tx.execute("DELETE FROM outbox")
    google.changed()


def _grids() -> dict[int, list[list[Any]]]:
    spools: list[list[Any]] = [[column.name for column in SPOOLS.columns]]
    extra = OPERACIONES_COLUMNS - len(SPOOLS.columns)
    spools[0] += [f"Columna {n}" for n in range(extra)]
    for n in range(OPERACIONES_ROWS):
        row: list[Any] = [f"MK-{n:05}", f"OT-{n // 20}", "NV-1335", 46_328] + [""] * (len(SPOOLS.columns) - 4)
        row[13] = UNIONES_ROWS // OPERACIONES_ROWS
        spools.append(row + [f"dato {n % 97} {k}" for k in range(extra)])
    joints: list[list[Any]] = [[column.name for column in JOINTS.columns]]
    for n in range(UNIONES_ROWS):
        tag, number = f"MK-{n % OPERACIONES_ROWS:05}", n // OPERACIONES_ROWS + 1
        row = [f"OT+{n}", f"OT-{n // 200}", number, tag, 2 + n % 10, "BW"] + [""] * (len(JOINTS.columns) - 6)
        joints.append(row)
    people = [[column.name for column in plan.columns] for plan in PEOPLE]
    return {0: spools, 1: joints, 2: [people[0]], 3: [people[1]], 4: [[c.name for c in EVENTS.columns]]}


def _key() -> Any:
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    pem = made.private_bytes(*form).decode()
    info = {"client_email": "bench@invalid", "private_key": pem, "token_uri": "http://bench.invalid/token"}
    return key_from(info, "bench")


def _cpu_ms(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return (time.process_time() - begun) * 1000


def _status(name: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) / 1024
    return 0.0


def line_of(found: SheetCycles) -> str:
    return (
        f"a cycle's own work: {found.idle_ms:.0f} ms of CPU when nothing changed, {found.busy_ms:.0f} ms with 50 rows "
        f"edited (goal ≤ {CPU_MS_MAX:.0f}); first read {found.first_ms:.0f} ms; memory of the process "
        f"{found.peak_mb:.0f} MB (goal ≤ {MEMORY_MB_MAX:.0f}), {found.before_mb:.0f} MB before"
    )
