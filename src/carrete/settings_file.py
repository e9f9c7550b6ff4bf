"""Reads a file of settings that strangers cannot have written: they could redirect the ledger or the log."""

from __future__ import annotations

import os
import stat
from pathlib import Path

BYTES_MAX = 64 * 1024


class WrongSettingsFile(Exception):
    """The message names the file and the line that cannot be read but never quotes it: it may have a password."""


def read_text(path: Path) -> str | None:
    """None when there is no such file."""
    try:
        if not path.is_file():  # a folder called .env is a Python virtual environment
            return None
        with path.open("rb") as file:
            raw = file.read(BYTES_MAX + 1)
            status = os.fstat(file.fileno())
    except OSError as error:
        raise WrongSettingsFile(f"{path.absolute()} cannot be read: {error.strerror}.") from None
    if os.geteuid() not in (0, status.st_uid) and status.st_uid != 0:
        raise WrongSettingsFile(f"{path.absolute()} belongs to another user: start Carrete in a folder of your own.")
    if status.st_mode & stat.S_IWOTH:
        raise WrongSettingsFile(
            f"{path.absolute()} can be written by every user of this machine: chmod 600 {path} first."
        )
    if len(raw) > BYTES_MAX:
        raise WrongSettingsFile(f"{path.absolute()} is larger than {BYTES_MAX // 1024} kB: no file of settings is.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise WrongSettingsFile(f"{path.absolute()} is no text in UTF-8.") from None
