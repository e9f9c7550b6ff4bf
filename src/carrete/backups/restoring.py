"""`carrete restore`: puts a copy in the place of the ledger. Looks at the copy first, and keeps what was there."""

from __future__ import annotations

import os
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from carrete.backups import keys
from carrete.backups.contents import LedgerContents, Restored
from carrete.backups.copying import BLOCK_BYTES, sha256, unpacked
from carrete.backups.errors import BackupFailed, cannot_write
from carrete.backups.folder import notes_of, stamp
from carrete.backups.photo_files import FOLDER, PHOTO_BYTES
from carrete.backups.sqlite_copy import sqlite_contents
from carrete.backups.working_folder import new_private_file, working_folder
from carrete.findings import Words
from carrete.ledger.migrate import known_schema
from carrete.settings import Settings

_GZIP, _SQLITE, _DUMP = b"\x1f\x8b", b"SQLite format 3\x00", b"PGDMP"


def is_keys_file(file: Path) -> bool:
    return _beginning(file).startswith(keys.MAGIC)


def restore_ledger(configured: Settings, file: Path, at: datetime, agree: Callable[[LedgerContents], None]) -> Restored:
    """`agree` is called after the copy was found good and before anything changes; it raises to stop."""
    begins = _beginning(file)
    _require_unchanged(file)
    ledger = configured.ledger_file
    if begins.startswith(_DUMP):
        if ledger is not None:
            raise _other_engine("PostgreSQL", "set DATABASE_URL to the database that it goes into")
        from carrete.backups.postgres_restore import restore_postgres  # the driver is only for PostgreSQL

        folders = _photo_folders(configured, file)
        return restore_postgres(configured.database_url, file, at, lambda held: agree(_fitting(held)), folders)
    if not begins.startswith((_GZIP, _SQLITE)):
        raise _no_copy(file)
    if ledger is None:
        raise _other_engine("SQLite", "leave DATABASE_URL empty to go on with SQLite")
    try:
        folders = _photo_folders(configured, file)
        return _restore_sqlite(ledger, file, at, agree, folders, packed=begins.startswith(_GZIP))
    except OSError as error:
        raise cannot_write(str(ledger.parent), error) from None


def _photo_folders(configured: Settings, file: Path) -> list[Path]:
    """Where the photos of a copy can be: beside it, or beside the copies of this machine."""
    return [file.parent / FOLDER, configured.backup_folder / FOLDER]


def require_nobody_runs(configured: Settings) -> None:
    """Raises if a process of Carrete uses the ledger."""
    if configured.ledger_file is not None:
        from carrete.backups.sqlite_restore import require_unused_file

        require_unused_file(configured.ledger_file)
        return
    from carrete.backups.postgres_restore import require_unused_database  # the driver is only for PostgreSQL

    require_unused_database(configured.database_url)


def _restore_sqlite(
    ledger: Path,
    file: Path,
    at: datetime,
    agree: Callable[[LedgerContents], None],
    photo_folders: list[Path],
    *,
    packed: bool,
) -> Restored:
    from carrete.backups.sqlite_restore import put_photos_back, replace_ledger

    ledger.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with working_folder(ledger.parent) as private, _readable(file):
        copy = unpacked(file, private) if packed else _plain_copy(file, private)
        held = _fitting(sqlite_contents(copy))
        agree(held)
        photos = put_photos_back(copy, photo_folders) if PHOTO_BYTES in held.rows else (0, 0)
        return Restored(held, replace_ledger(ledger, copy, stamp(at)), *photos)


@contextmanager
def _readable(file: Path) -> Iterator[None]:
    """Damage that only unpacking shows."""
    try:
        yield
    except (EOFError, zlib.error):
        raise _no_copy(file) from None
    except OSError as error:
        if error.errno is None:  # gzip's own complaint, not the system's
            raise _no_copy(file) from None
        raise


def _plain_copy(file: Path, private: Path) -> Path:
    """A ledger from a dead machine's disk has its last commits in the log file beside it."""
    target = private / "unpacked.db"
    log_file = file.with_name(f"{file.name}-wal")
    _copy_bytes(file, target)
    if log_file.is_file() and log_file.stat().st_size:
        _copy_bytes(log_file, target.with_name(f"{target.name}-wal"))
        try:
            with closing(sqlite3.connect(target, isolation_level=None)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except sqlite3.Error:
            raise _no_copy(file) from None
    return target


def _copy_bytes(file: Path, target: Path) -> None:
    new_private_file(target)
    with file.open("rb") as source, target.open("wb") as copy:
        shutil.copyfileobj(source, copy, BLOCK_BYTES)


def _fitting(held: LedgerContents) -> LedgerContents:
    if not held.schema:
        raise BackupFailed(Words("There is no ledger in this copy.", "En esta copia no hay ningún registro."))
    if held.schema > known_schema():
        raise BackupFailed(
            Words(
                f"The copy has schema {held.schema}, this program knows {known_schema()}: restore it with the Carrete "
                "that made it, or a newer one.",
                "La copia es de una versión más nueva de Carrete: instálela primero.",
            )
        )
    return held


def _require_unchanged(file: Path) -> None:
    """Notes beside the copy say what it was when it was made. A copy that came alone is judged by its content."""
    expected = notes_of(file).get("sha256")
    if expected and expected != sha256(file):
        raise BackupFailed(
            Words(
                f"{file} is not as it was when it was made: it is damaged or was changed. Take another copy.",
                f"{file.name} no está como cuando se hizo: está dañado. Use otro respaldo.",
            )
        )


def _beginning(file: Path) -> bytes:
    try:
        with file.open("rb") as content:
            return content.read(len(_SQLITE))
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise BackupFailed(
            Words(f"{file} cannot be read: {reason}.", f"No se puede leer {file.name} ({reason}).")
        ) from None


def key_problem(configured: Settings, fingerprint: str | None) -> str | None:
    """What is wrong with `identity.key` for a ledger that knows this fingerprint; None when it fits."""
    from carrete.identity.server_keys import KEY_FILE, ServerKeys

    path = configured.data / KEY_FILE
    if fingerprint is None:
        return None
    if not path.is_file():
        return f"{path} is missing"
    key = path.read_bytes() if os.access(path, os.R_OK) else b""
    return None if ServerKeys(key).fingerprint == fingerprint else f"{path} is not the key of this ledger"


def _other_engine(engine: str, advice: str) -> BackupFailed:
    return BackupFailed(
        Words(f"This is a copy of a {engine} ledger: {advice}.", f"Es un respaldo de un registro en {engine}.")
    )


def _no_copy(file: Path) -> BackupFailed:
    return BackupFailed(
        Words(
            f"{file} is no copy of a ledger, or it is damaged. Nothing was changed.",
            f"{file.name} no es un respaldo, o está dañado. No se cambió nada.",
        )
    )
