"""The folder of the copies: their names, the list of them, and what was noted beside each when it was made."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

SQLITE_SUFFIX, POSTGRES_SUFFIX, KEYS_SUFFIX = ".db.gz", ".dump", ".enc"
NOTES_SUFFIX = ".json"
NOTES_BYTES_MAX = 64 * 1024
# `[0-9]`, not `\d`: those of every script would take a megabyte in the patterns of the addresses.
BACKUP_NAME = re.compile(r"carrete-([0-9]{8}T[0-9]{6}Z)(\.db\.gz|\.dump)")
KEYS_NAME = re.compile(r"carrete-keys-([0-9]{8}T[0-9]{6}Z)\.enc")
_STAMP = "%Y%m%dT%H%M%SZ"
_ENGINES = {SQLITE_SUFFIX: "sqlite", POSTGRES_SUFFIX: "postgres"}


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy in the folder. `events` and `last_seq` are None when the notes beside it are gone."""

    file: Path
    made_at: datetime
    engine: str
    bytes: int
    events: int | None
    last_seq: int | None


def stamp(at: datetime) -> str:
    """The instant as it stands in the name of a copy."""
    return at.astimezone(UTC).strftime(_STAMP)


def instant_in(match: re.Match[str]) -> datetime | None:
    """The instant in the name of a copy; None if its digits are no date."""
    try:
        return datetime.strptime(match[1], _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None


def backups_in(folder: Path) -> list[Backup]:
    """The newest first. Only whole copies have such a name; links and other files are left out."""
    found = []
    for path, size in _files_in(folder):
        match = BACKUP_NAME.fullmatch(path.name)
        made_at = instant_in(match) if match else None
        if match is None or made_at is None:
            continue
        notes = notes_of(path)
        found.append(
            Backup(path, made_at, _ENGINES[match[2]], size, _whole(notes.get("events")), _whole(notes.get("last_seq")))
        )
    return sorted(found, key=lambda backup: backup.made_at, reverse=True)


def keys_files_in(folder: Path) -> list[tuple[Path, datetime]]:
    """The newest first."""
    named = [(path, KEYS_NAME.fullmatch(path.name)) for path, _ in _files_in(folder)]
    found = [(path, made_at) for path, match in named if match and (made_at := instant_in(match))]
    return sorted(found, key=lambda each: each[1], reverse=True)


def regular_file(folder: Path, name: str) -> Path | None:
    """The file of that name in the folder; None for anything else that has it, such as a link."""
    path = folder / name
    try:
        return path if path.name == name and stat.S_ISREG(path.lstat().st_mode) else None
    except OSError:
        return None


def notes_path(backup: Path) -> Path:
    return backup.with_name(backup.name + NOTES_SUFFIX)


def notes_of(backup: Path) -> dict[str, Any]:
    """Empty when there are none, or none that can be read."""
    try:
        with notes_path(backup).open("rb") as file:
            found = json.loads(file.read(NOTES_BYTES_MAX))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _files_in(folder: Path) -> Iterator[tuple[Path, int]]:
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        try:
            found = (folder / name).lstat()
        except OSError:
            continue  # it was deleted a moment ago
        if stat.S_ISREG(found.st_mode):
            yield folder / name, found.st_size


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None
