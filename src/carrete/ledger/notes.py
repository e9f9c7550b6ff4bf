"""Notes and their photos in the ledger. A note is an event; a photo is stored once, under the hash of its bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from carrete.domain.notes import PHOTOS
from carrete.ledger.database import Row, Tx
from carrete.ledger.errors import RaceLost
from carrete.ledger.values import instant_text

_NEWEST = 2**62
_NOBODY = -1


@dataclass(frozen=True, slots=True)
class Note:
    seq: int
    at: datetime
    worker_id: int | None
    worker: str | None
    n_union: int | None
    texto: str
    photos: list[str]


@dataclass(frozen=True, slots=True)
class NotePage:
    notes: list[Note]
    next_before: int | None  # None on the last page


@dataclass(frozen=True, slots=True)
class NewPhoto:
    id: str
    content: bytes
    width: int
    height: int


def notes_of(tx: Tx, tag: str, limit: int, before: int = 0) -> NotePage:
    """Newest first. `before` is the seq of the last note of the page before, 0 for the first page."""
    rows = tx.all("notes_of", tag=tag, before=before or _NEWEST, limit=limit + 1)
    notes = [note_from(row) for row in rows[:limit]]
    return NotePage(notes, notes[-1].seq if len(rows) > limit else None)


def note_from(row: Row) -> Note:
    seq, at, worker_id, worker, n_union, metadata = row
    facts = json.loads(metadata)
    return Note(
        seq, datetime.fromisoformat(at), worker_id, worker, n_union, facts.get("texto", ""), facts.get(PHOTOS, [])
    )


def photos_to_note(tx: Tx, ids: Iterable[str]) -> set[str]:
    """Those of these photos that the ledger has, locked until this transaction ends."""
    return {id_ for (id_,) in tx.all("photos_to_note", ids=sorted(ids))}


def mark_noted(tx: Tx, photos: Iterable[str]) -> None:
    """These photos belong to a note now, and are never deleted."""
    wanted = sorted(set(photos))
    if tx.many("photo_noted", [{"id": id_} for id_ in wanted]) != len(wanted):
        raise RaceLost("a photo was deleted while its note was written")


def save_photo(tx: Tx, photo: NewPhoto, by_id: int | None, now: datetime) -> None:
    tx.run(
        "photo_insert",
        id=photo.id,
        bytes=len(photo.content),
        width=photo.width,
        height=photo.height,
        uploaded_at=instant_text(now),
        by_id=by_id,
    )
    tx.run("photo_bytes_insert", id=photo.id, content=photo.content)


def photo_content(tx: Tx, photo_id: str) -> bytes | None:
    row = tx.one("photo_content", id=photo_id)
    return bytes(row[0]) if row else None


def unused_photos(tx: Tx, by_id: int | None, besides: str) -> int:
    """How many photos of this person no note has, besides this one; None: of uploads without a person."""
    return tx.count("photos_unused_count", by_id=_NOBODY if by_id is None else by_id, id=besides)


def forget_unused_photos(tx: Tx, uploaded_before: datetime, limit: int) -> int:
    """Deletes at most so many photos that no note has. Returns how many it deleted."""
    before = instant_text(uploaded_before)
    ids: Sequence[str] = [id_ for (id_,) in tx.all("photos_forgettable", before=before, limit=limit)]
    deleted = tx.many("photo_forget", [{"id": id_, "before": before} for id_ in ids])
    tx.many("photo_bytes_forget", [{"id": id_} for id_ in ids])
    return deleted
