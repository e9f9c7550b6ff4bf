"""Brings a ledger to this program's schema in numbered steps, under a lock of the database."""

from __future__ import annotations

from datetime import UTC, datetime

from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import LedgerUnavailable, SchemaTooNew, newer_schema_message
from carrete.ledger.hash_old_events import chain_old_events
from carrete.ledger.statements import in_dialect, migrations

_STEPS = {23: chain_old_events}  # what a step does besides its SQL, after it
_LOCK = 7_261_173  # any number, the same for every process of the product


def migrate(database: Database) -> list[int]:
    """Returns the numbers of the steps it applied. Several processes may call it at once: one of them migrates. A role
    that may not create tables can use a ledger that is up to date."""
    applied = [] if _is_up_to_date(database) else _migrated(database)
    database.schema = known_schema()
    return applied


def _migrated(database: Database) -> list[int]:
    with database.writing() as tx:
        _lift_time_limits(tx, database.engine)
        _lock_migrations(tx, database.engine)
        tx.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)")
        present = _present_schema(tx)
        _require_known(present)
        missing = [(number, sql) for number, sql in migrations() if number > present]
        if missing:
            _wait_for_writers(tx, database.engine)
        for number, sql in missing:
            _apply(tx, number, in_dialect(sql, database.engine), database.engine)
    return [number for number, _ in missing]


def known_schema() -> int:
    return migrations()[-1][0]


def _is_up_to_date(database: Database) -> bool:
    """On SQLite a user of the file has all rights to it: the usual way is quick enough. On PostgreSQL this is a
    transaction of its own. Reading the version locks its table until the transaction ends; a process that waited for
    the migrations' lock with it would block the process that migrates, which waits for this table."""
    if database.engine != "postgres":
        return False
    with database.writing() as tx:
        _lift_time_limits(tx, database.engine)
        present = _present_schema(tx) if _may_read_schema(tx) else 0
        _require_known(present)
        if present != known_schema():
            _require_rights(tx)
        return present == known_schema()


def _may_read_schema(tx: Tx) -> bool:
    return bool((tx.one("may_read_table", name="schema_version") or (False,))[0])


def _require_known(present: int) -> None:
    if present > known_schema():
        raise SchemaTooNew(newer_schema_message(present, known_schema()))


def _require_rights(tx: Tx) -> None:
    if not (tx.one("may_create_tables") or (False,))[0]:
        raise LedgerUnavailable(
            f"its schema is not {known_schema()}, or this role has no rights in it: run `carrete migrate --server-role "
            "ROLE` as the owner of the database (docs/operations.md)"
        )


def _lift_time_limits(tx: Tx, engine: str) -> None:
    """A step that goes through a long trail, and a process that waits for another one's, take longer than any statement
    of daily work may."""
    if engine == "postgres":
        tx.execute("SET LOCAL statement_timeout = 0")
        tx.execute("SET LOCAL lock_timeout = 0")


def _lock_migrations(tx: Tx, engine: str) -> None:
    """On SQLite, BEGIN IMMEDIATE is the lock already."""
    if engine == "postgres":
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
    if step := _STEPS.get(number):
        step(tx, engine)
    tx.run("schema_record", version=number, applied_at=datetime.now(UTC).isoformat(timespec="seconds"))
