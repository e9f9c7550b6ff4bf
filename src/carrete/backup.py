"""`carrete backup`: copies the ledger while the shop works. It overwrites no file and follows no link."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import closing
from pathlib import Path

from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.errors import LedgerUnavailable
from carrete.settings import Settings, WrongSetting

_NO_HARD_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)  # a file system without hard links


def back_up(configured: Settings, file: Path) -> int:
    """Returns the size of the copy in bytes. Raises WrongSetting with the reason when there is no copy."""
    _require_free_path(file)
    ledger = configured.ledger_file
    if ledger is None:
        raise WrongSetting(
            f'PostgreSQL copies itself while running: pg_dump --format=custom --file={file} "$DATABASE_URL"'
        )
    if not ledger.is_file():
        raise WrongSetting(f"There is no ledger at {ledger}: nothing to copy. Is CARRETE_DATA or DATABASE_URL right?")
    # Not migrated first: the copy must fit the program that wrote the ledger.
    with closing(open_database(configured.ledger_url)) as database:
        _require_ledger(database, ledger)
        try:
            _copy(database, file)
        except OSError as error:
            raise WrongSetting(f"{file} cannot be written: {error.strerror}. Nothing was copied.") from None
        except LedgerUnavailable as error:
            raise WrongSetting(f"{file} was not written: {error}. Nothing was copied.") from None
    return file.stat().st_size


def _require_free_path(file: Path) -> None:
    if not os.path.isdir(file.parent):
        raise WrongSetting(f"{file.parent} is no folder; make it first.")
    if os.path.isdir(file):
        raise WrongSetting(f"{file} is a folder; say the name of the copy in it too.")
    if os.path.lexists(file):
        raise _exists(file)


def _exists(file: Path) -> WrongSetting:
    return WrongSetting(f"{file} exists already; a backup never overwrites anything.")


def _require_ledger(database: Database, ledger: Path) -> None:
    try:
        with database.reading() as tx:
            row = tx.one("schema_version")
    except LedgerUnavailable as error:
        raise WrongSetting(f"{ledger} is no ledger that can be copied: {error}.") from None
    if row is None or row[0] is None:
        raise WrongSetting(f"{ledger} has no ledger in it: nothing to copy.")


def _copy(database: Database, file: Path) -> None:
    """The copy is made in a folder that only this user can enter: nobody can plant a link or a journal file there."""
    with tempfile.TemporaryDirectory(prefix=".carrete-backup-", dir=file.parent) as private_folder:
        copy = Path(private_folder, "copy.db")
        os.close(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
        database.backup(str(copy))
        _move_into_place(copy, file)


def _move_into_place(copy: Path, file: Path) -> None:
    """A hard link fails if anything exists at the path, even a link made a moment ago; a rename would replace it."""
    try:
        os.link(copy, file, follow_symlinks=False)
    except FileExistsError:
        raise _exists(file) from None
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if os.path.lexists(file):
            raise _exists(file) from None
        os.rename(copy, file)
