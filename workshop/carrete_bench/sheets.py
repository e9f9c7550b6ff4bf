"""What a cycle of the sheet lane costs by itself: Google's answers are ready bytes, so only our own work is counted."""

from __future__ import annotations

import gc
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
from carrete.sheets.clock import RealClock
from carrete.sheets.google.account import key_from
from carrete.sheets.google.client import SheetsClient
from carrete.sheets.lane import Lane
from carrete.sheets.pull.audit import ledger_rows
from carrete.sheets.rows.storage import EVENTS_THROUGH
from carrete.sheets.structure import EVENTS, JOINTS, PEOPLE, SPOOLS

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
    restart_ms: float
    idle_ms: float
    busy_ms: float
    before_mb: float
    peak_mb: float


Grids = dict[int, list[list[Any]]]


class _Ready(httpx.BaseTransport):
    """Answers reads with bytes made before, and takes every write."""

    def __init__(self) -> None:
        self._made: dict[int, bytes] = {}

    def says(self, grids: Grids) -> None:
        self._made |= {id_: json.dumps(rows, separators=(",", ":")).encode() for id_, rows in grids.items()}

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/token":
            return httpx.Response(200, json={"access_token": "t", "expires_in": 3600})
        if request.url.path.endswith(":batchGetByDataFilter"):
            asked = json.loads(request.read())["dataFilters"]
            told = b",".join(self._range(one["gridRange"]["sheetId"]) for one in asked)
            return httpx.Response(200, content=b'{"valueRanges":[' + told + b"]}")
        tabs = [{"properties": {"sheetId": number, "title": plan.name}} for number, plan in enumerate(_TABS)]
        return httpx.Response(200, json={"sheets": tabs})

    def _range(self, id_: int) -> bytes:
        filters = b',"dataFilters":[{"gridRange":{"sheetId":%d}}]' % id_
        return b'{"valueRange":{"values":' + self._made[id_] + b"}" + filters + b"}"


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
    google, grids = _Ready(), _grids()
    google.says(grids)
    first = _cpu_ms(_lane(database, google).step)
    _as_if_written(grids, database)
    google.says(grids)
    edited = _edited(grids)
    del grids
    lane, both = _lane(database, google), {SPOOLS.name, JOINTS.name}
    again = _cpu_ms(lane.step)
    gc.collect()
    before = _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # from here on the peak is that of the cycles
    idle = min(_cpu_ms(lambda: lane.cycle(both, flush=False)) for _ in range(ROUNDS))
    google.says(edited)
    busy = _cpu_ms(lambda: lane.cycle(both, flush=True))
    return SheetCycles(first, again, idle, busy, before, _status("VmHWM"))


def _lane(database: Database, google: _Ready) -> Lane:
    clock = _NoWait()
    client = SheetsClient("bench", _key(), clock, root="http://bench.invalid", transport=google)
    with database.writing() as tx:
        tx.execute("DELETE FROM sheet_lease")
    return Lane(database, client, "bench", Shop(), clock)


def _edited(grids: Grids) -> Grids:
    """Fifty rows that people change; each is written back with a new token."""
    rows = [list(row) for row in grids[0]]
    for number in range(1, 51):
        rows[number * 7][2] = f"NV-{number}"
    return {0: rows}


def _as_if_written(grids: Grids, database: Database) -> None:
    """The sheet says what the ledger says, as after the first flushes, and nothing waits."""
    with database.reading() as tx:
        for number, plan in enumerate((SPOOLS, JOINTS)):
            places = {name: place for place, name in enumerate(grids[number][0])}
            ours = dict(ledger_rows(tx, plan.name, Shop().zone))
            for line in grids[number][1:]:
                cells = ours[line[0], 0] if plan is SPOOLS else ours[line[3], line[2]]
                for name, said in cells.items():
                    line[places[name]] = said
    with database.writing() as tx:
        tx.execute("DELETE FROM outbox")
        tx.execute("DELETE FROM sheet_row")
        (last,) = tx.one("events_last") or (0,)
        tx.run("setting_put", name=EVENTS_THROUGH, value=str(last))


def _grids() -> Grids:
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
        f"edited and written (goal ≤ {CPU_MS_MAX:.0f}); the first read {found.first_ms:.0f} ms, connecting again "
        f"{found.restart_ms:.0f} ms; memory of the process {found.peak_mb:.0f} MB at its peak "
        f"(goal ≤ {MEMORY_MB_MAX:.0f}), {found.before_mb:.0f} MB at rest"
    )
