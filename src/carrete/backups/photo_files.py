"""Photos beside the copies: each is one file under its hash, whichever and however many copies name it.

A copy in the folder has no picture bytes. A list beside it names its photos; one that no copy names is deleted."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import structlog

from carrete.backups.folder import Backup, notes_of, regular_file
from carrete.backups.working_folder import move_into_place, new_private_file
from carrete.photos.jpeg import BYTES_MAX

log = structlog.get_logger()

FOLDER = "fotos"
LIST_SUFFIX = ".fotos"
LIST_BYTES_MAX = 64 * 1024 * 1024  # a million photos
UNLISTED_KEPT_S = 3_600  # a copy that is being made may be about to name it
PHOTOS, PHOTO_BYTES = "photo", "photo_bytes"  # the tables: what each photo is, and its bytes
# The queries on both engines, for the copy and for the restore.
NOTED = "SELECT id, bytes FROM photo WHERE noted = 1 ORDER BY id"
WITHOUT_BYTES = "SELECT id FROM photo WHERE noted = 1 AND id NOT IN (SELECT id FROM photo_bytes) ORDER BY id"
FORGET_WITHOUT_BYTES = "DELETE FROM photo WHERE noted = 0 AND id NOT IN (SELECT id FROM photo_bytes)"
_ID = re.compile(r"[0-9a-f]{64}")
_FILE = re.compile(r"([0-9a-f]{64})\.jpg")


class PhotoFiles:
    """The photos of one copy while it is made; `private` is where a file is written before it gets its name."""

    def __init__(self, backups: Path, private: Path) -> None:
        self._folder = backups / FOLDER
        self._private = private
        self.ids: list[str] = []

    def store(self, noted: Iterable[Sequence[object]], content_of: Callable[[str], bytes | None]) -> None:
        """Writes those that the folder does not have. `noted` are ids and sizes, as NOTED gives them."""
        for photo, size in noted:
            id_ = str(photo)
            if not self._has(id_, int(str(size))):
                content = content_of(id_)
                if content is None:
                    continue  # it was missing at a restore already
                if hashlib.sha256(content).hexdigest() != id_:
                    log.error("a photo is damaged in the ledger and was not copied", photo=id_)
                    continue  # one photo must not cost the copy of the whole ledger
                self._write(id_, content)
            self.ids.append(id_)

    def _has(self, id_: str, size: int) -> bool:
        found = regular_file(self._folder, f"{id_}.jpg")
        return found is not None and found.stat().st_size == size

    def _write(self, id_: str, content: bytes) -> None:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        draft, target = self._private / "photo", self._folder / f"{id_}.jpg"
        new_private_file(draft)
        draft.write_bytes(content)
        target.unlink(missing_ok=True)  # one of another size is no whole photo
        with suppress(FileExistsError):  # another machine wrote it a moment ago
            move_into_place(draft, target)
        draft.unlink(missing_ok=True)

    def write_list(self, backup: Path) -> None:
        """Called before the copy gets its name, so that no photo of an existing copy is deleted."""
        draft = self._private / "photos"
        new_private_file(draft)
        draft.write_text("".join(f"{id_}\n" for id_ in self.ids), "ascii")
        os.replace(draft, list_path(backup))


def list_path(backup: Path) -> Path:
    return backup.with_name(backup.name + LIST_SUFFIX)


def listed_photos(backup: Path) -> set[str] | None:
    """The photos that a copy names; None when its list cannot be read."""
    try:
        with list_path(backup).open("rb") as file:
            lines = file.read(LIST_BYTES_MAX).decode("ascii").splitlines()
    except FileNotFoundError:
        return None if _may_have_photos(backup) else set()
    except (OSError, ValueError):
        return None
    return set(lines) if all(map(_ID.fullmatch, lines)) else None


def _may_have_photos(backup: Path) -> bool:
    """A copy of the time before photos has notes without such a table."""
    rows = notes_of(backup).get("rows")
    return not isinstance(rows, dict) or bool(rows.get(PHOTOS))


def delete_unnamed_photos(folder: Path, kept: Sequence[Backup], now: datetime) -> int:
    """Deletes the photos that no kept copy names. While one copy's list cannot be read, nothing is deleted."""
    named: set[str] = set()
    for backup in kept:
        listed = listed_photos(backup.file)
        if listed is None:
            return 0
        named |= listed
    deleted = 0
    for file in (folder / FOLDER).glob("*.jpg"):
        match = _FILE.fullmatch(file.name)
        with suppress(OSError):
            if match and match[1] not in named and now.timestamp() - file.lstat().st_mtime > UNLISTED_KEPT_S:
                file.unlink()
                deleted += 1
    return deleted


def photo_in(folders: Iterable[Path], id_: str) -> bytes | None:
    """The photo's bytes from the first folder that has it undamaged."""
    for folder in folders:
        file = regular_file(folder, f"{id_}.jpg")
        if file is None:
            continue
        with suppress(OSError), file.open("rb") as content:
            found = content.read(BYTES_MAX + 1)
            if hashlib.sha256(found).hexdigest() == id_:
                return found
    return None
