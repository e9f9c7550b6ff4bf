"""Brings a ledger to this program's schema in numbered steps, under a lock of the database."""

from __future__ import annotations

from datetime import UTC, datetime

from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import SchemaTooNew, newer_schema_message
from carrete.ledger.statements import in_dialect, migrations

_LOCK = 7_261_173  # any number, the same for every process of the product


def migrate(database: Database) -> list[int]:
    """Returns the numbers of the steps it applied. Several processes may call it at once: one of them migrates."""
    with database.writing() as tx:
        _lock_migrations(tx, database.engine)
        tx.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)")
        present = _present_schema(tx)
        if present > known_schema():
            raise SchemaTooNew(newer_schema_message(present, known_schema()))
        missing = [(number, sql) for number, sql in migrations() if number > present]
        if missing:
            _wait_for_writers(tx, database.engine)
        for number, sql in missing:
            _apply(tx, number, in_dialect(sql, database.engine), database.engine)
    database.schema = known_schema()
    return [number for number, _ in missing]


def known_schema() -> int:
    return migrations()[-1][0]


def _lock_migrations(tx: Tx, engine: str) -> None:
    """On SQLite, BEGIN IMMEDIATE is the lock already. A step that goes through a long trail, and a process that waits
    for another one's, take longer than any statement of daily work may."""
    if engine == "postgres":
        tx.execute("SET LOCAL statement_timeout = 0")
        tx.execute("SET LOCAL lock_timeout = 0")
        tx.execute(f"SELECT pg_advisory_xact_lock({_LOCK})")


def _wait_for_writers(tx: Tx, engine: str) -> None:
    """Every writer begins by reading the schema version. This lock waits for those under way and holds up later ones,
    which then see the new version."""
    if engine == "postgres":
        tx.execute("LOCK TABLE schema_version IN ACCESS EXCLUSIVE MODE")


def _present_schema(tx: Tx) -> int:
    row = tx.one("schema_version")
    return int(row[0] or 0) if row else 0


def _apply(tx: Tx, number: int, sql: str, engine: str) -> None:
    """Statements end with `;` at the end of a line; `-- only ENGINE` above one keeps it from the other engine."""
    for statement in sql.split(";\n"):
        lines = [line for line in statement.splitlines() if line.strip()]
        only = [line.removeprefix("-- only ") for line in lines if line.startswith("-- only ")]
        if any(not line.startswith("--") for line in lines) and only in ([], [engine]):
            tx.execute(statement)
    tx.run("schema_record", version=number, applied_at=datetime.now(UTC).isoformat(timespec="seconds"))
