"""Brings a ledger to this program's schema: numbered steps, each whole, under a lock of the database."""

from __future__ import annotations

from datetime import UTC, datetime

from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import SchemaTooNew
from carrete.ledger.statements import in_dialect, migrations

_LOCK = 7_261_173  # any number, the same for every process of the product


def migrate(database: Database) -> list[int]:
    """The steps that were missing and were done now. Several processes may call it at once: one does it."""
    with database.writing() as tx:
        _alone(tx, database.engine)
        tx.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)")
        steps = migrations()
        present = _present(tx)
        if present > steps[-1][0]:
            raise SchemaTooNew(
                f"The ledger has schema {present}, this program knows {steps[-1][0]}: run a newer Carrete on it."
            )
        missing = [(number, sql) for number, sql in steps if number > present]
        for number, sql in missing:
            _apply(tx, number, in_dialect(sql, database.engine), database.engine)
        return [number for number, _ in missing]


def _alone(tx: Tx, engine: str) -> None:
    """SQLite's BEGIN IMMEDIATE is this lock already."""
    if engine == "postgres":
        tx.execute(f"SELECT pg_advisory_xact_lock({_LOCK})")


def _present(tx: Tx) -> int:
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
