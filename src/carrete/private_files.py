"""Only the user who runs Carrete may read its files: folders have mode 0700, files 0600.

The umask makes new files private; `tighten` closes those that exist already.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

UMASK = 0o077
_OTHERS = 0o077
_SUFFIXES = ("", "-wal", "-shm", "-journal")  # the files of a SQLite database
_NAMES = ("*.db", "*.db-*", "*.db.*", "*.log", "*.lock", "*.sock", "*.json", "*.toml", "*.key", "*.key.*", "setup-code")
_FOLDERS = ("redis", "tls", "backups")  # everything in them is ours

_usual_umask = 0o022


def set_umask() -> None:
    """To be called once, before a command creates any file."""
    global _usual_umask
    before = os.umask(UMASK)
    if before != UMASK:
        _usual_umask = before


@contextmanager
def usual_umask() -> Iterator[None]:
    """For files that are meant for other people, such as an exported workbook: they get the user's usual mode."""
    private_umask = os.umask(_usual_umask)
    try:
        yield
    finally:
        os.umask(private_umask)


def write_private(path: Path, content: bytes) -> None:
    """A file that only this user may read, also if it was open to others before."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            os.fchmod(file.fileno(), 0o600)
            file.truncate()
        file.write(content)


def tighten(data: Path, ledger: Path | None) -> list[Path]:
    """Closes the data folder, our files in it and the ledger's files; returns the paths that were open to others.

    When the ledger is in another folder, that folder is left as it is, because it may be shared. Links are not
    followed."""
    return [path for path in _our_paths(data, ledger) if _close(path)]


def open_to_others(data: Path, ledger: Path | None) -> list[Path]:
    """The paths that `tighten` could not close, because they belong to another user or to everybody."""
    return [path for path in _our_paths(data, ledger) if _mode_of(path) & _OTHERS]


def _our_paths(data: Path, ledger: Path | None) -> Iterator[Path]:
    """The folder comes first: once it is closed, other users cannot put anything into it."""
    if data.is_dir():
        folder = data.resolve()
        yield folder
        for pattern in _NAMES:
            yield from (path for path in folder.glob(pattern) if not path.is_dir())
        for room in _FOLDERS:
            for parent, folders, files in os.walk(folder / room):
                yield Path(parent)
                yield from (Path(parent, name) for name in (*folders, *files))
    if ledger is not None:
        yield from (ledger.with_name(ledger.name + suffix) for suffix in _SUFFIXES)


def _close(path: Path) -> bool:
    """Whether the path was open to others and is closed now. A shared folder such as /tmp stays open."""
    mode = _mode_of(path)
    if not mode & _OTHERS or mode & stat.S_ISVTX or path == path.parent:
        return False
    with suppress(OSError):
        os.chmod(path, 0o700 if stat.S_ISDIR(mode) else 0o600)
        return True
    return False


def _mode_of(path: Path) -> int:
    """0 when the path does not exist or is a link, whose target is not ours to close."""
    try:
        found = path.lstat()
    except OSError:
        return 0
    return 0 if stat.S_ISLNK(found.st_mode) else found.st_mode
