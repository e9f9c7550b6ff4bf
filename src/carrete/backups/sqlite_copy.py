"""Copies a SQLite ledger while others write, and opens a copy to see what it holds."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from carrete.backups.contents import EVENTS, HEAD, LAST_HASH, SCHEMA, LedgerContents
from carrete.backups.errors import BackupFailed
from carrete.backups.photo_files import NOTED, PhotoFiles
from carrete.findings import Words

BUSY_S_MAX = 4.0


def copy_sqlite(ledger: Path, copy: Path) -> LedgerContents:
    """Returns what the ledger held at the moment of the copy: both are of one read transaction. Raises OSError when
    the disk is full.

    The copy is made in one step and blocks no reader or writer. One in several steps starts again at every write, and a
    shop writes all the time."""
    try:
        with closing(_connect(ledger, "mode=ro")) as source, closing(sqlite3.connect(copy)) as target:
            source.execute("BEGIN")
            held = _contents(source)
            source.backup(target)
    except sqlite3.Error as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from None
        raise _no_copy(ledger, error) from None
    return held


def move_photos_out(copy: Path, photos: PhotoFiles) -> None:
    """The pictures in the copy become files; the copy keeps what describes them. Raises OSError on a full disk."""
    try:
        with closing(sqlite3.connect(copy, isolation_level=None)) as connection:

            def content_of(id_: str) -> bytes | None:
                row = connection.execute("SELECT content FROM photo_bytes WHERE id = ?", (id_,)).fetchone()
                return row[0] if row else None

            photos.store(connection.execute(NOTED).fetchall(), content_of)
            if connection.execute("DELETE FROM photo_bytes").rowcount:
                connection.execute("VACUUM")
    except sqlite3.Error as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from None
        raise _no_copy(copy, error) from None


def sqlite_contents(copy: Path) -> LedgerContents:
    """Opens the copy, checks every page and counts. Raises BackupFailed when it is no whole ledger."""
    try:
        with closing(_connect(copy, "mode=ro&immutable=1")) as connection:
            (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if found != "ok":
                raise _damaged(copy, found)
            return _contents(connection)
    except sqlite3.Error as error:
        raise _damaged(copy, str(error)) from None


def _connect(path: Path, options: str) -> sqlite3.Connection:
    uri = f"{path.resolve().as_uri()}?{options}"
    return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_S_MAX)


def _contents(connection: sqlite3.Connection) -> LedgerContents:
    """Counts every table, also those that a later schema adds."""
    tables = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    )
    rows = {name: _number(connection, f'SELECT count(*) FROM "{name}"') for (name,) in tables.fetchall()}
    schema = _number(connection, f"SELECT max(version) FROM {SCHEMA}") if SCHEMA in rows else 0
    last = (
        connection.execute(f"SELECT seq, id FROM {EVENTS} ORDER BY seq DESC LIMIT 1").fetchone()
        if EVENTS in rows
        else None
    )
    seq, event_id = last or (0, "")
    (last_hash,) = connection.execute(LAST_HASH).fetchone() or ("",) if HEAD in rows else ("",)
    return LedgerContents(rows, seq, event_id, schema, last_hash)


def _number(connection: sqlite3.Connection, sql: str) -> int:
    (number,) = connection.execute(sql).fetchone()
    return number or 0


def _no_copy(ledger: Path, error: sqlite3.Error) -> BackupFailed:
    return BackupFailed(
        Words(
            f"{ledger} is no ledger that can be copied: {error}. Nothing was copied.",
            f"No se pudo copiar el registro ({error}). No se copió nada.",
        )
    )


def _damaged(copy: Path, reason: str) -> BackupFailed:
    return BackupFailed(
        Words(f"{copy} is no whole ledger: {reason}.", f"La copia no se puede abrir como registro ({reason}).")
    )
