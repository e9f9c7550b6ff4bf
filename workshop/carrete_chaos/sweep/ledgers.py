"""The ledgers of the trials, read from outside: one per folder, created empty or copied from another folder."""

from __future__ import annotations

import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import psycopg

from carrete.ledger.columns import EVENT_WRITTEN
from carrete.settings import LEDGER_FILE
from carrete_chaos.sweep.snapshot import Rows, Snapshot

Ask = Callable[[str], Rows]
REST_S_MAX = 20.0
_SEQ = re.compile(r'("event_seq":\s*)(\d+)')
# In this order: the events name the tokens first.
TABLES = {
    "event": "seq",
    "spool": "tag",
    "joint": "tag, n_union",
    "joint_work": "tag, operacion, fin, worker",
    "outbox": "sheet, tag, n_union",
    "relevo": "n",
    "reclamo": "n",
    "ndt": "n",
    "ndt_group": "ot, welder, rule, method",
    "ndt_draw": "tag, n_union, rule",
    "idempotency": "key",
    "worker": "id",
    "worker_role": "worker_id, rol",
    "setting": "name",
    "schema_version": "version",
}
_WELDING = {"wps": "wps", "qualification": "worker_id, proceso, documento"}
_ON_FILES = {
    **TABLES,
    **_WELDING,
    "workbook_base": "sheet, tag, n_union, rowid",
}  # several of a second are in their order
_RECLAMOS = "SELECT id, received_at FROM reclamo ORDER BY n"
_OTHERS = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
)
_DISAGREE = {
    "the head of the trail is not its last event": (
        "SELECT h.seq FROM trail_head h LEFT JOIN event e ON e.seq = h.seq "
        "WHERE h.seq <> (SELECT coalesce(max(seq), 0) FROM event) OR (h.seq > 0 AND h.hash <> e.hash)"
    ),
    "the spool is not as its newest event left it": (
        "SELECT s.tag FROM spool s JOIN event e ON e.seq = (SELECT max(seq) FROM event WHERE tag = s.tag) "
        "WHERE s.version <> e.version "
        "OR coalesce(s.ocupado_por, '') <> coalesce(e.ocupado_por, '')"
    ),
    "an event has no spool": "SELECT tag FROM event WHERE tag NOT IN (SELECT tag FROM spool)",
    "a spool has changed, and its row neither waits in the outbox nor was seen in the sheet": (
        "SELECT DISTINCT e.tag FROM event e "
        "WHERE NOT EXISTS (SELECT 1 FROM outbox o WHERE o.sheet = 'Operaciones' AND o.tag = e.tag) "
        "AND NOT EXISTS (SELECT 1 FROM sheet_row r WHERE r.sheet = 'Operaciones' AND r.tag = e.tag)"
    ),
    "the outbox names a row that the ledger has not": (
        "SELECT o.tag FROM outbox o LEFT JOIN joint j ON j.tag = o.tag AND j.n_union = o.n_union "
        "WHERE o.tag NOT IN (SELECT tag FROM spool) OR (o.sheet = 'Uniones' AND j.tag IS NULL)"
    ),
}


class Ledger(Protocol):
    url: str

    def snapshot(self) -> Snapshot:
        """A snapshot, while a process has the ledger open."""
        ...

    def damage(self) -> list[str]: ...

    def locks(self) -> dict[str, str]:
        """The locks that Redis should have."""
        ...

    def reclamos(self) -> Rows: ...

    def ask(self, sql: str) -> Rows: ...

    def ask_at_rest(self, sql: str) -> Rows:
        """The same while no process has the ledger open, after everything that a killed one had begun."""
        ...


class Ledgers(Protocol):
    def at(self, folder: Path) -> Ledger: ...

    def make(self, folder: Path) -> None:
        """Creates an empty ledger."""
        ...

    def copy(self, base: Path, folder: Path) -> None:
        """Copies the ledger; the folder itself is already copied."""
        ...

    def drop(self, folder: Path) -> None: ...


class SqliteLedger:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.url = f"sqlite:///{path}"

    def snapshot(self) -> Snapshot:
        with self._beside() as connection:
            return _sqlite_snapshot(connection)

    def snapshot_of_copy(self) -> Snapshot:
        """A snapshot while no process has the ledger open: it is taken of a copy, because the next process must find
        the ledger as the killed one left it."""
        with self._copied() as connection:
            return _sqlite_snapshot(connection)

    def ask_at_rest(self, sql: str) -> Rows:
        with self._copied() as connection:
            return _asking(connection)(sql)

    @contextmanager
    def _copied(self) -> Iterator[sqlite3.Connection]:
        with tempfile.TemporaryDirectory(prefix="carrete-sweep-") as folder:
            for file in self.path.parent.glob(f"{self.path.name}*"):
                shutil.copy2(file, folder)
            with closing(sqlite3.connect(Path(folder) / self.path.name)) as connection:
                yield connection

    def damage(self) -> list[str]:
        with self._beside() as connection:
            return list(_sqlite_damage(connection))

    def locks(self) -> dict[str, str]:
        with self._beside() as connection:
            return _locks(_asking(connection))

    def reclamos(self) -> Rows:
        with self._beside() as connection:
            return _asking(connection)(_RECLAMOS)

    def ask(self, sql: str) -> Rows:
        with self._beside() as connection:
            return _asking(connection)(sql)

    def change(self, sql: str) -> None:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute(sql)

    @contextmanager
    def _beside(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(f"{self.path.as_uri()}?mode=ro", uri=True)) as connection:
            yield connection


class SqliteFiles:
    """The ledger is a file in the folder."""

    def at(self, folder: Path) -> SqliteLedger:
        return SqliteLedger(folder / LEDGER_FILE)

    def make(self, folder: Path) -> None: ...

    def copy(self, base: Path, folder: Path) -> None: ...

    def drop(self, folder: Path) -> None: ...


class PostgresLedger:
    def __init__(self, url: str) -> None:
        self.url = url

    def snapshot(self) -> Snapshot:
        with self._asked() as ask:
            return Snapshot(_without_gaps(_rows(ask, TABLES)))

    def damage(self) -> list[str]:
        with self._asked() as ask:
            return list(_disagreements(ask))

    def locks(self) -> dict[str, str]:
        with self._asked() as ask:
            return _locks(ask)

    def reclamos(self) -> Rows:
        with self._asked() as ask:
            return ask(_RECLAMOS)

    def ask(self, sql: str) -> Rows:
        with self._asked() as ask:
            return ask(sql)

    def ask_at_rest(self, sql: str) -> Rows:
        """The connections of a killed process end when the server sees it: until then it may still commit."""
        until = time.monotonic() + REST_S_MAX
        while self.ask(_OTHERS) != [(0,)]:
            assert time.monotonic() < until, f"somebody is connected to {self.url} for {REST_S_MAX:.0f} s"
            time.sleep(0.02)
        return self.ask(sql)

    @contextmanager
    def _asked(self) -> Iterator[Ask]:
        """All queries see the same moment, also while a server writes."""
        with psycopg.connect(self.url) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            yield lambda sql: connection.execute(sql.encode()).fetchall()


class PostgresDatabases:
    """The ledgers are databases of one server, named after their folders."""

    def __init__(self, server_url: str) -> None:
        self._server_url = server_url

    def at(self, folder: Path) -> PostgresLedger:
        return PostgresLedger(urlsplit(self._server_url)._replace(path=f"/{_name(folder)}").geturl())

    def make(self, folder: Path) -> None:
        self._run(f"CREATE DATABASE {_name(folder)}")

    def copy(self, base: Path, folder: Path) -> None:
        self._run(f"CREATE DATABASE {_name(folder)} TEMPLATE {_name(base)}")

    def drop(self, folder: Path) -> None:
        self._run(f"DROP DATABASE IF EXISTS {_name(folder)} WITH (FORCE)")

    def _run(self, sql: str) -> None:
        with psycopg.connect(self._server_url, autocommit=True) as connection:
            connection.execute(sql.encode())


def _name(folder: Path) -> str:
    return f"sweep_{folder.name.replace('-', '_')}"


def _asking(connection: sqlite3.Connection) -> Ask:
    return lambda sql: connection.execute(sql).fetchall()


def _rows(ask: Ask, tables: dict[str, str]) -> dict[str, Rows]:
    rows: dict[str, Rows] = {name: ask(f"SELECT * FROM {name} ORDER BY {order}") for name, order in tables.items()}
    # `stage_s` is a time span: a repeated request comes a second later. The hash after it depends on tokens and times.
    compared = EVENT_WRITTEN.index("stage_s")
    return {**rows, "event": [row[:compared] for row in rows["event"]]} if "event" in rows else rows


def _without_gaps(tables: dict[str, Rows]) -> dict[str, Rows]:
    """An aborted transaction of PostgreSQL leaves gaps in the numbers, so events are compared by their order
    instead."""
    counted = {row[0]: n for n, row in enumerate(tables["event"], 1)} | {0: 0}

    def renumbered(answer: str) -> str:
        return _SEQ.sub(lambda found: f"{found[1]}{counted[int(found[2])]}", answer)

    return {
        **tables,
        "relevo": [row[1:] for row in tables["relevo"]],
        "reclamo": [row[1:] for row in tables["reclamo"]],
        "ndt": [row[1:] for row in tables["ndt"]],
        "event": [(counted[seq], *rest) for seq, *rest in tables["event"]],
        "idempotency": [
            tuple(renumbered(c) if isinstance(c, str) else c for c in row) for row in tables["idempotency"]
        ],
    }


def _locks(ask: Ask) -> dict[str, str]:
    found: Any = ask("SELECT tag, lock_value FROM spool WHERE lock_value IS NOT NULL")
    return dict(found)


def _sqlite_snapshot(connection: sqlite3.Connection) -> Snapshot:
    ask = _asking(connection)
    schema: dict[str, str] = {}
    schema.update(ask("SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name"))
    rows = _rows(ask, {name: order for name, order in _ON_FILES.items() if name in schema})
    return Snapshot(rows, tuple(f"{name}: {sql}" for name, sql in schema.items()))


def _sqlite_damage(connection: sqlite3.Connection) -> Iterator[str]:
    ask = _asking(connection)
    yield from (f"integrity_check: {message}" for (message,) in ask("PRAGMA integrity_check") if message != "ok")
    if rows := ask("PRAGMA foreign_key_check"):
        yield f"foreign_key_check: {rows[:3]}"
    yield from _disagreements(ask)


def _disagreements(ask: Ask) -> Iterator[str]:
    for what, sql in _DISAGREE.items():
        if tags := ask(sql):
            yield f"{what}: {tags[0][0]}"
