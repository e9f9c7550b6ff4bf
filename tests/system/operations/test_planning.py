"""What a shop costs: disk, memory, processor. The figures of docs/operations.md are held to what is measured here.

python -m pytest -s -n 0 tests/system/operations/test_planning.py     prints them
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx
import psycopg
import pytest

from carrete.gate.locks import INDEX, key_of
from carrete.ledger.database import Database
from tests.support.builders import a_joint, a_spool, put
from tests.support.people import CREW
from tests.support.redis_server import RedisServer, running_redis
from tests.support.server import RunningServer, running_server

DOCUMENT = Path(__file__).parents[3] / "docs" / "operations.md"
PAIRS = 150
SESSIONS = 20
JOINTS = 10
READS = 60
SPOOLS = 2_000
LOCKS = 10_000
TAG = "MK-1335-CW-25238-{:04}"
ENGINES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}


@pytest.mark.long
def test_the_disk_memory_and_processor_that_a_shop_needs_are_as_planned(
    engine: str, database: Database, database_url: str, tmp_path: Path
) -> None:
    name = ENGINES[engine]
    put(database, [a_spool(TAG.format(n)) for n in range(SPOOLS)], CREW)
    put_by_joint(database)
    with running_redis() as redis, running_server(database_url, tmp_path, settings={"REDIS_URL": redis.url}) as server:
        bench = Bench(server, engine, database_url)
        holds(f"one process with {name}, at rest", bench.memory_mb(), "MB")
        event, tap = bench.cost(PAIRS * 2, lambda n: bench.tap(n, key=None))
        keyed, _ = bench.cost(PAIRS * 2, lambda n: bench.tap(n, key=str(uuid4())))
        session, _ = bench.cost(SESSIONS, bench.session)
        holds(f"one event in {name}, for ever", event, "bytes")
        holds(f"one key in {name}, for 35 days", keyed - event, "bytes")
        holds(f"a session of {JOINTS} joints in {name}, for ever", session, "bytes")
        holds(f"one process with {name}, after a shift's work", bench.memory_mb(), "MB")
        shows(f"processor for a tap, {name} and Redis", tap)
        shows(f"processor for a list of 100 of {SPOOLS:,}, {name}", bench.cost(READS, bench.list_spools)[1])
        shows(f"processor for one spool's card, {name}", bench.cost(READS, bench.card)[1])


def test_the_memory_that_a_lock_needs_in_redis_is_as_planned() -> None:
    with running_redis("--zset-max-listpack-entries", "0") as redis:
        before = used_bytes(redis)
        for n in range(LOCKS):
            tag = TAG.format(n)
            redis.put_lock(tag, f"93:{uuid4()}:16-11-2026 08:00:00", score=1_800_000_000)
        after = used_bytes(redis)
        assert redis.ask("ZCARD", INDEX) == LOCKS
        assert redis.ask("EXISTS", key_of(TAG.format(0)))
    holds("one lock in Redis", (after - before) / LOCKS, "bytes")


@dataclass
class Bench:
    server: RunningServer
    engine: str
    database_url: str

    def __post_init__(self) -> None:
        self._client = self.server.client()

    def cost(self, times: int, do: Callable[[int], httpx.Response]) -> tuple[float, float]:
        """Bytes that the ledger grew by, and milliseconds of our processor, for each."""
        size, processor = self._size(), self._processor_ms()
        for n in range(times):
            answer = do(n)
            assert answer.status_code == 200, answer.text
        return (self._size() - size) / times, (self._processor_ms() - processor) / times

    def tap(self, n: int, key: str | None) -> httpx.Response:
        """Taken and paused in turn."""
        body = {"tag_spool": TAG.format(n // 2), "worker_id": 93, "operacion": "ARM"}
        path = "/api/occupation/pausar" if n % 2 else "/api/occupation/tomar"
        return self._client.post(path, json=body, headers={"Idempotency-Key": key} if key else {})

    def session(self, n: int) -> httpx.Response:
        body = {"tag_spool": f"V4-{n}", "worker_id": 93, "operacion": "ARM"}
        assert self._client.post("/api/v4/occupation/iniciar", json=body).status_code == 200
        ticked = {**body, "selected_unions": list(range(1, JOINTS + 1))}
        return self._client.post("/api/v4/occupation/finalizar", json=ticked)

    def list_spools(self, _: int) -> httpx.Response:
        return self._client.get("/api/spools", params={"operacion": "ARM", "accion": "TOMAR", "worker_id": 93})

    def card(self, n: int) -> httpx.Response:
        return self._client.get(f"/api/spools/{TAG.format(n)}", params={"worker_id": 93})

    def memory_mb(self) -> float:
        status = Path(f"/proc/{self.server.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found
        return int(found[1]) / 1024

    def _processor_ms(self) -> float:
        fields = Path(f"/proc/{self.server.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def _size(self) -> int:
        if self.engine == "postgres":
            with psycopg.connect(self.database_url) as connection:
                row = connection.execute(
                    "SELECT pg_total_relation_size('event') + pg_total_relation_size('idempotency')"
                ).fetchone()
        else:
            connected = sqlite3.connect(self.database_url.removeprefix("sqlite:///"))
            row = connected.execute(
                "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
            ).fetchone()
            connected.close()
        assert row
        return int(row[0])


def put_by_joint(database: Database) -> None:
    """Spools of which a session ticks half the joints."""
    tags = [f"V4-{n}" for n in range(SESSIONS)]
    joints = [a_joint(number, tag) for tag in tags for number in range(1, 2 * JOINTS + 1)]
    put(database, [a_spool(tag, total_uniones=2 * JOINTS) for tag in tags], joints=joints)


def used_bytes(redis: RedisServer) -> int:
    return int(redis.ask("INFO", "memory")["used_memory"])


def planned(what: str) -> float:
    """The figure of docs/operations.md in the row that begins so."""
    found = re.search(rf"^\| {re.escape(what)} \| ([\d,.]+)", DOCUMENT.read_text(), re.MULTILINE)
    assert found, f"docs/operations.md has no figure for: {what}"
    return float(found[1].replace(",", ""))


def holds(what: str, measured: float, unit: str) -> None:
    """A plan is a little more than what was measured, and not so much more that nobody would believe it."""
    print(f"\n{what}: {measured:,.1f} {unit} (planned {planned(what):,g})")
    assert planned(what) / 2 <= measured <= planned(what), what


def shows(what: str, measured: float) -> None:
    print(f"\n{what}: {measured:,.2f} ms")
