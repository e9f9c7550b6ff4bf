"""Replaces the file of a SQLite ledger by another one, while nobody uses it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from itertools import chain, count
from pathlib import Path

from carrete.backups.errors import BackupFailed
from carrete.backups.photo_files import FORGET_WITHOUT_BYTES, WITHOUT_BYTES, photo_in
from carrete.backups.working_folder import NO_HARD_LINKS, move_into_place, sync
from carrete.findings import Words

BUSY_S_MAX = 2.0
_LOG_FILES = ("-wal", "-shm", "-journal")


def replace_ledger(ledger: Path, copy: Path, when: str) -> str | None:
    """Returns where the ledger of before is now. At every moment the ledger is the one or the other, never none."""
    ledger = ledger.resolve()
    kept = _free_name(ledger.with_name(f"{ledger.name}.before-{when}"))
    if not ledger.exists():
        _set_log_files_aside(ledger, kept)
        move_into_place(copy, ledger)
        return None
    with closing(_used_by_nobody(ledger)):
        _set_log_files_aside(ledger, kept)
        move_into_place_of(ledger, copy, kept)
    return str(kept)


def put_photos_back(copy: Path, folders: Sequence[Path]) -> tuple[int, int]:
    """Puts photos from their files into the copy, before that becomes the ledger. Returns how many, and how many are in
    no file. Photos that no note had yet were in no copy either."""
    back = missing = 0
    with closing(sqlite3.connect(copy)) as connection, connection:
        for (id_,) in connection.execute(WITHOUT_BYTES).fetchall():
            content = photo_in(folders, id_)
            if content is None:
                missing += 1
                continue
            connection.execute("INSERT INTO photo_bytes (id, content) VALUES (?, ?)", (id_, content))
            back += 1
        connection.execute(FORGET_WITHOUT_BYTES)
    return back, missing


def require_unused_file(ledger: Path) -> None:
    """Before the keys are replaced: a running server would go on with those that it has read."""
    if ledger.exists():
        _used_by_nobody(ledger.resolve()).close()


def move_into_place_of(ledger: Path, copy: Path, kept: Path) -> None:
    """The ledger gets its second name before the copy takes the first."""
    try:
        os.link(ledger, kept, follow_symlinks=False)
    except OSError as error:
        if error.errno not in NO_HARD_LINKS:
            raise
        os.rename(ledger, kept)
    sync(copy)
    os.replace(copy, ledger)
    sync(ledger.parent)


def _free_name(kept: Path) -> Path:
    """Two restores within a second are rare, but must not overwrite what the first one kept."""
    numbered = (kept.with_name(f"{kept.name}-{number}") for number in count(2))
    return next(path for path in chain([kept], numbered) if not os.path.lexists(path))


def _used_by_nobody(ledger: Path) -> sqlite3.Connection:
    """A connection that keeps everybody else out. Leaving the write-ahead log needs to be the only one, and puts all
    of it into the file, so that the kept file is whole by itself. A damaged ledger cannot be locked: it is replaced as
    it is."""
    connection = sqlite3.connect(ledger, isolation_level=None, timeout=BUSY_S_MAX)
    try:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            connection.close()
            raise in_use() from None
    except sqlite3.DatabaseError:
        pass
    return connection


def _set_log_files_aside(ledger: Path, kept: Path) -> None:
    """Files that a crash left: read with another ledger, they would damage it."""
    for suffix in _LOG_FILES:
        left = ledger.with_name(ledger.name + suffix)
        if os.path.lexists(left):
            os.rename(left, kept.with_name(kept.name + suffix))


def in_use() -> BackupFailed:
    return BackupFailed(
        Words(
            "Carrete is running on this ledger: stop every process first. Nothing was changed.",
            "Carrete está funcionando con este registro: deténgalo primero. No se cambió nada.",
        )
    )
