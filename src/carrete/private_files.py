"""Everything we keep belongs to the user who runs Carrete alone: folders 0700, files 0600, also those made before.

What is made from now on is private by the umask; `tighten` closes what is there already.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

UMASK = 0o077
_OTHERS = 0o077
_SIDECARS = ("", "-wal", "-shm", "-journal")  # SQLite's, beside its file
_NAMES = ("*.db", "*.db-*", "*.db.*", "*.log", "*.lock", "*.sock", "*.json", "*.toml")

_usual_umask = 0o022


def set_umask() -> None:
    """Once, before a command does anything."""
    global _usual_umask
    before = os.umask(UMASK)
    if before != UMASK:
        _usual_umask = before


@contextmanager
def usual_umask() -> Iterator[None]:
    """For a file that is made for other people, such as an exported workbook: its mode is that of the user's files."""
    private = os.umask(_usual_umask)
    try:
        yield
    finally:
        os.umask(private)


def tighten(data: Path, ledger: Path | None) -> list[Path]:
    """Closes the data folder, what we keep in it, and the ledger's file wherever it is. Says what was open to others.

    The folder of a ledger that is elsewhere may be shared and is left as it is; links are not followed."""
    return [path for path in _ours(data, ledger) if _closed(path)]


def open_to_others(data: Path, ledger: Path | None) -> list[Path]:
    """What `tighten` should have closed and could not, because it is another user's or everybody's."""
    return [path for path in _ours(data, ledger) if _mode_of(path) & _OTHERS]


def _ours(data: Path, ledger: Path | None) -> Iterator[Path]:
    """The folder first: from then on nobody else can put anything there."""
    if data.is_dir():
        folder = data.resolve()
        yield folder
        for pattern in _NAMES:
            yield from (path for path in folder.glob(pattern) if not path.is_dir())
        for parent, folders, files in os.walk(folder / "redis"):
            yield Path(parent)
            yield from (Path(parent, name) for name in (*folders, *files))
    if ledger is not None:
        yield from (ledger.with_name(ledger.name + suffix) for suffix in _SIDECARS)


def _closed(path: Path) -> bool:
    """Whether it was open to others and is closed now."""
    mode = _mode_of(path)
    if not mode & _OTHERS or mode & stat.S_ISVTX or path == path.parent:  # everybody's, such as /tmp, stays so
        return False
    with suppress(OSError):
        os.chmod(path, 0o700 if stat.S_ISDIR(mode) else 0o600)
        return True
    return False


def _mode_of(path: Path) -> int:
    """0 for what is not there, and for a link: whoever made it decides about what it leads to."""
    try:
        found = path.lstat()
    except OSError:
        return 0
    return 0 if stat.S_ISLNK(found.st_mode) else found.st_mode
