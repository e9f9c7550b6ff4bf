"""The ledger: an action is real when, and only when, it is committed here.

database    the interface of an engine      sqlite, postgres   the two engines
sqlite_tx, postgres_tx   their transactions      postgres_connection   several statements in one round trip
statements  every SQL statement, by name    migrations, migrate   the schema, in numbered steps
columns     the columns of each table       rows, values   rows and stored values ↔ dataclasses
store       what an action loads and saves  writer   the writer thread: group commit
queries     reads for the pages             listing   which spools a list shows
reports     reads for the supervisor        counts   a cache of list lengths
packing     compresses a stored answer      tokens   version tokens, event ids, lock tokens
lock_value  the value of a holder's lock     errors   the ledger's own errors
reclamos    refused work and its decisions  relevos   offers to hand a spool over
notes   notes and their photos   stage_times, overdue   how long stages last, what is overdue
"""

from __future__ import annotations

from pathlib import Path

from carrete.ledger.database import Database


def open_database(url: str) -> Database:
    """`url` is `sqlite:///path` or `postgresql://…`; the settings have checked it. Only the engine that is opened is
    loaded: SQLite's takes a megabyte, PostgreSQL's nine megabytes and a tenth of a server's start."""
    if url.startswith("sqlite:///"):
        from carrete.ledger.sqlite import SqliteDatabase

        return SqliteDatabase(Path(url.removeprefix("sqlite:///")))
    from carrete.ledger.postgres import PostgresDatabase

    return PostgresDatabase(url)
