"""Measures the CPU and memory of one sheet lane cycle. Google's responses are prepared bytes, so they cost nothing."""

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
from carrete_bench.progress import ShowProgress

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


class _PreparedGoogle(httpx.BaseTransport):
    """Answers reads with bytes that were prepared before, and accepts every write."""

    def __init__(self) -> None:
        self._values: dict[int, bytes] = {}

    def prepare(self, grids: Grids) -> None:
        self._values |= {id_: json.dumps(rows, separators=(",", ":")).encode() for id_, rows in grids.items()}

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/token":
            return httpx.Response(200, json={"access_token": "t", "expires_in": 3600})
        if request.url.path.endswith(":batchGetByDataFilter"):
            filters = json.loads(request.read())["dataFilters"]
            ranges = b",".join(self._range(each["gridRange"]["sheetId"]) for each in filters)
            return httpx.Response(200, content=b'{"valueRanges":[' + ranges + b"]}")
        tabs = [{"properties": {"sheetId": number, "title": plan.name}} for number, plan in enumerate(_TABS)]
        return httpx.Response(200, json={"sheets": tabs})

    def _range(self, id_: int) -> bytes:
        filters = b',"dataFilters":[{"gridRange":{"sheetId":%d}}]' % id_
        return b'{"valueRange":{"values":' + self._values[id_] + b"}" + filters + b"}"


class _ClockWithoutSleep(RealClock):
    def sleep(self, seconds: float) -> None:
        del seconds


def measure(progress: ShowProgress) -> SheetCycles:
    progress(f"Operaciones {OPERACIONES_ROWS} × {OPERACIONES_COLUMNS}, Uniones {UNIONES_ROWS} × {UNIONES_COLUMNS}…")
    with tempfile.TemporaryDirectory(prefix="carrete-bench-") as folder:
        database = open_database(f"sqlite:///{Path(folder) / 'lane.db'}")
        try:
            migrate(database)
            return _measure_cycles(database)
        finally:
            database.close()


def _measure_cycles(database: Database) -> SheetCycles:
    google, grids = _PreparedGoogle(), _grids()
    google.prepare(grids)
    first_ms = _cpu_ms(_lane(database, google).step)
    _copy_ledger_to_sheet(grids, database)
    google.prepare(grids)
    edited = _with_edits(grids)
    del grids
    lane, tabs = _lane(database, google), {SPOOLS.name, JOINTS.name}
    restart_ms = _cpu_ms(lane.step)
    gc.collect()
    before_mb = _memory_mb("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak, so that it is the peak of the cycles
    idle_ms = min(_cpu_ms(lambda: lane.cycle(tabs, flush=False)) for _ in range(ROUNDS))
    google.prepare(edited)
    busy_ms = _cpu_ms(lambda: lane.cycle(tabs, flush=True))
    return SheetCycles(first_ms, restart_ms, idle_ms, busy_ms, before_mb, _memory_mb("VmHWM"))


def _lane(database: Database, google: _PreparedGoogle) -> Lane:
    clock = _ClockWithoutSleep()
    client = SheetsClient("bench", _key(), clock, root="http://bench.invalid", transport=google)
    with database.writing() as tx:
        tx.execute("DELETE FROM sheet_lease")
    return Lane(database, client, "bench", Shop(), clock)


def _with_edits(grids: Grids) -> Grids:
    """The spool sheet with fifty rows edited by people; the lane writes each back with a new version token."""
    rows = [list(row) for row in grids[0]]
    for number in range(1, 51):
        rows[number * 7][2] = f"NV-{number}"
    return {0: rows}


def _copy_ledger_to_sheet(grids: Grids, database: Database) -> None:
    """Makes sheet and ledger equal and empties the outbox, as after the first flushes."""
    with database.reading() as tx:
        for number, plan in enumerate((SPOOLS, JOINTS)):
            column_index = {name: index for index, name in enumerate(grids[number][0])}
            ours = dict(ledger_rows(tx, plan.name, Shop().zone))
            for row in grids[number][1:]:
                cells = ours[row[0], 0] if plan is SPOOLS else ours[row[3], row[2]]
                for name, value in cells.items():
                    row[column_index[name]] = value
    with database.writing() as tx:
        tx.execute("DELETE FROM outbox")
        tx.execute("DELETE FROM sheet_row")
        (last_seq,) = tx.one("events_last") or (0,)
        tx.run("setting_put", name=EVENTS_THROUGH, value=str(last_seq))


def _grids() -> Grids:
    spools: list[list[Any]] = [[column.name for column in SPOOLS.columns]]
    extra_columns = OPERACIONES_COLUMNS - len(SPOOLS.columns)
    spools[0] += [f"Columna {n}" for n in range(extra_columns)]
    for n in range(OPERACIONES_ROWS):
        row: list[Any] = [f"MK-{n:05}", f"OT-{n // 20}", "NV-1335", 46_328] + [""] * (len(SPOOLS.columns) - 4)
        row[13] = UNIONES_ROWS // OPERACIONES_ROWS
        spools.append(row + [f"dato {n % 97} {column}" for column in range(extra_columns)])
    joints: list[list[Any]] = [[column.name for column in JOINTS.columns]]
    for n in range(UNIONES_ROWS):
        tag, number = f"MK-{n % OPERACIONES_ROWS:05}", n // OPERACIONES_ROWS + 1
        row = [f"OT+{n}", f"OT-{n // 200}", number, tag, 2 + n % 10, "BW"] + [""] * (len(JOINTS.columns) - 6)
        joints.append(row)
    people = [[column.name for column in plan.columns] for plan in PEOPLE]
    return {0: spools, 1: joints, 2: [people[0]], 3: [people[1]], 4: [[c.name for c in EVENTS.columns]]}


def _key() -> Any:
    private_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    encoding = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    pem = private_key.private_bytes(*encoding).decode()
    info = {"client_email": "bench@invalid", "private_key": pem, "token_uri": "http://bench.invalid/token"}
    return key_from(info, "bench")


def _cpu_ms(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def _memory_mb(field: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    return 0.0


def summary_line(cycles: SheetCycles) -> str:
    return (
        f"a cycle's own work: {cycles.idle_ms:.0f} ms of CPU when nothing changed, {cycles.busy_ms:.0f} ms "
        f"with 50 rows edited and written (goal ≤ {CPU_MS_MAX:.0f}); the first read {cycles.first_ms:.0f} ms, "
        f"connecting again {cycles.restart_ms:.0f} ms; memory of the process {cycles.peak_mb:.0f} MB at its peak "
        f"(goal ≤ {MEMORY_MB_MAX:.0f}), {cycles.before_mb:.0f} MB at rest"
    )
