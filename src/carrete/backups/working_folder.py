"""A private folder in which a copy is made, so that a half one never has a good name. Overwrites nothing, follows no
link."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = ".carrete-backup-"
_LOCK = "lock"
_WITHOUT_LOCK_S_MAX = 3_600  # a folder whose maker died before it made the lock is removed after this
NO_HARD_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)  # a file system without hard links


@contextmanager
def working_folder(parent: Path) -> Iterator[Path]:
    """Only this user can enter it: no other user can plant a link or a journal file there. What a killed process left
    of its own is removed first."""
    remove_abandoned(parent)
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=parent) as name:
        lock = os.open(Path(name, _LOCK), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            with suppress(OSError):  # a file system without locks: then only the folder's age counts
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield Path(name)
        finally:
            os.close(lock)


def remove_abandoned(parent: Path) -> None:
    """The kernel frees a lock when its process dies, however it dies."""
    for folder in parent.glob(f"{PREFIX}*"):
        if not folder.is_symlink() and folder.is_dir() and _is_abandoned(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        with suppress(OSError):
            return time.time() - folder.stat().st_mtime > _WITHOUT_LOCK_S_MAX
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(lock)
    return True


def new_private_file(path: Path) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))


def move_into_place(made: Path, target: Path) -> None:
    """Raises FileExistsError if anything is there. A hard link fails even on a link that was made a moment ago; a
    rename would replace it."""
    sync(made)
    try:
        os.link(made, target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in NO_HARD_LINKS:
            raise
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        os.rename(made, target)
    sync(target.parent)


def sync(path: Path) -> None:
    """The file or folder is on the disk when this returns."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
