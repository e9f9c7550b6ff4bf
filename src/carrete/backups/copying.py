"""Makes one copy of the ledger: whole, checked by opening it, or not at all."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import zlib
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from carrete.backups import folder as names
from carrete.backups.contents import LedgerContents, require_same
from carrete.backups.errors import BackupFailed, cannot_write
from carrete.backups.folder import Backup
from carrete.backups.photo_files import PHOTO_BYTES, PHOTOS, PhotoFiles
from carrete.backups.sqlite_copy import copy_sqlite, move_photos_out, sqlite_contents
from carrete.backups.working_folder import move_into_place, new_private_file, working_folder
from carrete.domain.trail.canonical import ChainHead
from carrete.findings import Words

COMPRESSION = 6
SignAt = Callable[[ChainHead, str], str]  # signs a head with its time
BLOCK_BYTES = 1024 * 1024
UNPACKED_BYTES_MAX = 64 * 1024**3  # a file that claims to be more is no copy of a shop's ledger


def make_backup(ledger_url: str, folder: Path, at: datetime, sign: SignAt | None = None) -> Backup:
    """A copy under its own name in the folder, with notes beside it: what it holds, and its trail's signed head."""
    is_sqlite = ledger_url.startswith("sqlite:///")
    suffix = names.SQLITE_SUFFIX if is_sqlite else names.POSTGRES_SUFFIX
    while (target := folder / f"carrete-{names.stamp(at)}{suffix}").exists():  # made in the same second
        at += timedelta(seconds=1)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(str(folder), error) from None
    held = _make(ledger_url, target, at, sign, in_folder=True)
    engine = "sqlite" if is_sqlite else "postgres"
    return Backup(target, at, engine, target.stat().st_size, held.events, held.last_seq)


def back_up_to(ledger_url: str, file: Path, at: datetime, sign: SignAt | None = None) -> int:
    """`carrete backup FILE`: returns the size of the copy in bytes. A name that ends in .gz gets a packed one. The
    signed head of its trail is noted beside it, and no SHA-256: what a person puts in the place of a file of their own
    is restored as it is."""
    _require_free_path(file)
    _require_free_notes(file)
    _make(ledger_url, file, at, sign, in_folder=False)
    return file.stat().st_size


def _make(ledger_url: str, target: Path, at: datetime, sign: SignAt | None, *, in_folder: bool) -> LedgerContents:
    """`in_folder`: among the nightly copies, with its photos beside it."""
    try:
        with working_folder(target.parent) as private:
            photos = PhotoFiles(target.parent, private) if in_folder else None
            made, held = _copied(ledger_url, private, photos, packed=target.suffix == ".gz")
            if photos is not None and held.rows.get(PHOTOS):
                photos.write_list(target)
            head = _signed_head(held, at, sign) if sign and held.last_hash else {}
            if in_folder:
                _write_notes(made, target, {**_contents(made, held, at), **head})
            elif head:
                _write_notes(made, target, {"made_at": at.isoformat(), **head})
            else:
                _remove_notes(target)
            move_into_place(made, target)
    except FileExistsError:
        raise _exists(target) from None
    except OSError as error:
        raise cannot_write(str(target), error) from None
    return held


def _copied(ledger_url: str, private: Path, photos: PhotoFiles | None, *, packed: bool) -> tuple[Path, LedgerContents]:
    """The file and what the ledger held when it was made; what the file holds was compared with that. With `photos`,
    pictures are files of their own, and the copy has none of their bytes."""
    copy = private / "copy"
    new_private_file(copy)
    if not ledger_url.startswith("sqlite:///"):
        from carrete.backups.postgres_copy import copy_postgres, dump_contents  # the driver is only for PostgreSQL

        held = copy_postgres(ledger_url, copy, photos)
        require_same(held, dump_contents(copy))
        return copy, held
    held = copy_sqlite(_ledger_file(ledger_url), copy)
    if not held.schema:
        raise _nothing_to_copy(f"{_ledger_file(ledger_url)} has no ledger in it")
    if photos is not None and PHOTO_BYTES in held.rows:
        move_photos_out(copy, photos)
        held = held.with_empty(PHOTO_BYTES)
    if packed:
        copy = _packed(copy)
    require_same(held, sqlite_contents(unpacked(copy, private) if packed else copy))
    return copy, held


def _packed(copy: Path) -> Path:
    """The unpacked copy is deleted before it is unpacked again for the check: the disk needs room for one."""
    packed = copy.with_name("copy.gz")
    new_private_file(packed)
    with (
        copy.open("rb") as source,
        packed.open("wb") as raw,
        gzip.GzipFile("", "wb", COMPRESSION, raw, mtime=0) as target,
    ):
        shutil.copyfileobj(source, target, BLOCK_BYTES)
    copy.unlink()
    return packed


def unpacked(packed: Path, private: Path) -> Path:
    """Raises OSError or EOFError for a damaged file."""
    target = private / "unpacked.db"
    new_private_file(target)
    written = 0
    try:
        with gzip.open(packed, "rb") as source, target.open("wb") as file:
            while block := source.read(BLOCK_BYTES):
                written += len(block)
                if written > UNPACKED_BYTES_MAX:
                    raise OSError("it unpacks to more than 64 GB")
                file.write(block)
    except zlib.error as error:
        raise gzip.BadGzipFile(str(error)) from None
    return target


def _contents(made: Path, held: LedgerContents, at: datetime) -> dict[str, Any]:
    notes = {"made_at": at.isoformat(), "bytes": made.stat().st_size, "sha256": sha256(made)}
    return {**notes, "events": held.events, **held.as_json()}


def _write_notes(made: Path, target: Path, notes: dict[str, Any]) -> None:
    """Before the copy gets its name: a copy without notes is one that a person put there. Notes that a killed
    process left without a copy belong to this name, so they are replaced."""
    draft = made.with_name("notes")
    new_private_file(draft)
    draft.write_text(json.dumps(notes, indent=1) + "\n", "utf-8")
    if os.path.lexists(target):
        raise _exists(target)
    os.replace(draft, names.notes_path(target))


def _remove_notes(target: Path) -> None:
    """Notes of an earlier copy of that name would be taken for those of the new one, which has none."""
    if os.path.lexists(target):
        raise _exists(target)
    _require_free_notes(target)
    names.notes_path(target).unlink(missing_ok=True)


def _signed_head(held: LedgerContents, at: datetime, sign: SignAt) -> dict[str, dict[str, Any]]:
    """A witness of the trail: `carrete verify` compares it."""
    head, en = ChainHead(held.last_seq, held.last_hash), at.isoformat(timespec="seconds")
    return {"head": {"seq": head.seq, "hash": head.hash, "en": en, "firma": sign(head, en)}}


def sha256(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _ledger_file(ledger_url: str) -> Path:
    ledger = Path(ledger_url.removeprefix("sqlite:///"))
    if not ledger.is_file():
        raise _nothing_to_copy(f"There is no ledger at {ledger}")
    return ledger


def _nothing_to_copy(what: str) -> BackupFailed:
    return BackupFailed(
        Words(
            f"{what}: nothing to copy. Is CARRETE_DATA or DATABASE_URL right?",
            "No hay registro que copiar donde dicen CARRETE_DATA y DATABASE_URL.",
        )
    )


def _require_free_path(file: Path) -> None:
    if not os.path.isdir(file.parent):
        raise _wrong_place(f"{file.parent} is no folder; make it first.")
    if os.path.isdir(file):
        raise _wrong_place(f"{file} is a folder; say the name of the copy in it too.")
    if os.path.lexists(file):
        raise _exists(file)


def _require_free_notes(file: Path) -> None:
    """Notes of ours are left when a person deletes their copy to make it anew; another file is theirs."""
    notes = names.notes_path(file)
    if os.path.lexists(notes) and (notes.is_symlink() or "made_at" not in names.notes_of(file)):
        raise _exists(notes)


def _exists(file: Path) -> BackupFailed:
    return BackupFailed(
        Words(
            f"{file} exists already; a backup never overwrites anything.",
            f"{file.name} ya existe; un respaldo nunca reemplaza a otro.",
        )
    )


def _wrong_place(text: str) -> BackupFailed:
    return BackupFailed(Words(text, text))
