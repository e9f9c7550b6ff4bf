"""The data folder, the room on its disk and on those of the ledger and the backups, and files that others can read."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from carrete.env_file import secrets_open_to_others
from carrete.findings import Finding, Words, bad, good, note
from carrete.private_files import open_to_others
from carrete.settings import Settings

FILES_NAMED_MAX = 5
MEGABYTE = 1024 * 1024
FREE_BYTES_MIN = 200 * MEGABYTE
FREE_BYTES_LOW = 1024 * MEGABYTE
COPIES_ROOM = 3  # the next copy, the same one while it is checked, and as much again for a day's work


def data_folder(settings: Settings) -> Iterator[Finding]:
    folder = settings.data.resolve()
    name = Words(f"data folder {folder}", f"carpeta de datos {folder}")
    existing = _existing(folder)
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        yield bad(
            Words(f"{name.en}: cannot be written", f"{name.es}: no se puede escribir en ella"),
            Words(
                f"give this user write access to {existing}", f"dé a este usuario permiso de escritura en {existing}"
            ),
        )
        return
    yield _room(name, existing, settings)


def other_disks(settings: Settings) -> Iterator[Finding]:
    """The folders that are on another disk than the data folder."""
    seen = {_device(settings.data)}
    for name, folder in _other_folders(settings):
        if (device := _device(folder)) not in seen:
            seen.add(device)
            yield _room(name, _existing(folder), settings)


def _other_folders(settings: Settings) -> Iterator[tuple[Words, Path]]:
    if settings.ledger_file:
        folder = settings.ledger_file.resolve().parent
        yield Words(f"the ledger's folder {folder}", f"carpeta del registro {folder}"), folder
    folder = settings.backup_folder.resolve()
    yield Words(f"the backups' folder {folder}", f"carpeta de respaldos {folder}"), folder


def _room(name: Words, folder: Path, settings: Settings) -> Finding:
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return bad(
            Words(f"{name.en}: {error.strerror}", f"{name.es}: {error.strerror}"),
            Words("connect the disk again", "conecte el disco de nuevo"),
        )
    megabytes = free // MEGABYTE
    what = Words(f"{name.en}: {megabytes} MB free", f"{name.es}: {megabytes} MB libres")
    to_do = Words(
        "free some disk space: without room nothing can be saved",
        "libere espacio en el disco: sin espacio no se puede guardar nada",
    )
    if free < FREE_BYTES_MIN:
        return bad(what, to_do)
    return note(what, to_do) if free < room_wanted(settings.ledger_file) else good(what)


def room_wanted(ledger: Path | None) -> int:
    """Below this the disk is soon full: copies of a large ledger need room beside it."""
    size = ledger.stat().st_size if ledger and ledger.is_file() else 0
    return max(FREE_BYTES_LOW, COPIES_ROOM * size)


def private(settings: Settings) -> Iterator[Finding]:
    """`load_settings` has closed the files that this user may change; the rest is reported."""
    if exposed := open_to_others(settings.data, settings.ledger_file):
        named = ", ".join(map(str, exposed[:FILES_NAMED_MAX]))
        yield bad(
            Words(
                f"files: other users of this machine can read {named}",
                f"archivos: otros usuarios de este equipo pueden leer {named}",
            ),
            Words(
                "keep them in a folder of this user's own, and make this user their owner",
                "guárdelos en una carpeta propia de este usuario, y que sean suyos",
            ),
        )
    else:
        yield good(
            Words(
                "files: only this user can read what is kept", "archivos: sólo este usuario puede leer lo que se guarda"
            )
        )
    if secrets_open_to_others():
        yield bad(
            Words(
                "files: .env has a password and other users can read it",
                "archivos: .env tiene una contraseña y otros usuarios pueden leerlo",
            ),
            Words("chmod 600 .env", "ciérrelo con `chmod 600 .env`"),
        )


def _existing(folder: Path) -> Path:
    return next(parent for parent in (folder, *folder.parents) if parent.exists())


def _device(folder: Path) -> int:
    return _existing(folder.resolve()).stat().st_dev
