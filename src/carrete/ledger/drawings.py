"""Drawings of spools in the ledger: a picture is stored once, under the hash of its bytes; what a spool has of it is a
row for each time that a person saved it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from carrete.domain.refusals import DrawingUnknown
from carrete.ledger.database import Tx
from carrete.ledger.values import instant_text

_NOBODY = -1


@dataclass(frozen=True, slots=True)
class NewDrawing:
    id: str
    media_type: str
    content: bytes
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class JointMark:
    """Where a joint is on the drawing: thousandths of the picture's width and height, from its upper left corner."""

    n_union: int
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class SpoolDrawing:
    """`revision` is 0 for a spool that never had a drawing; `drawing_id` is None when it was taken away."""

    revision: int = 0
    drawing_id: str | None = None
    marks: tuple[JointMark, ...] = ()
    at: datetime | None = None
    by_id: int | None = None
    width: int = 0
    height: int = 0
    media_type: str = ""


def save_drawing(tx: Tx, drawing: NewDrawing, by_id: int | None, now: datetime) -> None:
    tx.run(
        "drawing_insert",
        id=drawing.id,
        media_type=drawing.media_type,
        bytes=len(drawing.content),
        width=drawing.width,
        height=drawing.height,
        uploaded_at=instant_text(now),
        by_id=by_id,
    )
    tx.run("drawing_bytes_insert", id=drawing.id, content=drawing.content)


def drawing_content(tx: Tx, drawing_id: str) -> tuple[str, bytes] | None:
    """The media type and the bytes."""
    row = tx.one("drawing_content", id=drawing_id)
    return (row[0], bytes(row[1])) if row else None


def unused_drawings(tx: Tx, by_id: int | None, besides: str) -> int:
    """How many drawings of this person no spool has, besides this one; None: of uploads without a person."""
    return tx.count("drawings_unused_count", by_id=_NOBODY if by_id is None else by_id, id=besides)


def drawing_of(tx: Tx, tag: str) -> SpoolDrawing:
    row = tx.one("spool_drawing", tag=tag)
    if row is None:
        return SpoolDrawing()
    revision, drawing_id, marks, at, by_id, width, height, media_type = row
    placed = tuple(JointMark(*each) for each in json.loads(marks))
    return SpoolDrawing(
        revision, drawing_id, placed, datetime.fromisoformat(at), by_id, width or 0, height or 0, media_type or ""
    )


def attach_drawing(tx: Tx, tag: str, drawing: SpoolDrawing) -> bool:
    """Whether it was saved: false when another one has this revision already."""
    if drawing.drawing_id is not None and not tx.run("drawing_use", id=drawing.drawing_id):
        raise DrawingUnknown(drawing.drawing_id)
    assert drawing.at is not None
    added = tx.run(
        "spool_drawing_insert",
        tag=tag,
        revision=drawing.revision,
        drawing_id=drawing.drawing_id,
        marks=json.dumps([[mark.n_union, mark.x, mark.y] for mark in drawing.marks], separators=(",", ":")),
        at=instant_text(drawing.at),
        by_id=drawing.by_id,
    )
    return added == 1


def forget_unused_drawings(tx: Tx, uploaded_before: datetime, limit: int) -> int:
    """Deletes at most so many drawings that no spool has. Returns how many it deleted."""
    before = instant_text(uploaded_before)
    ids = [id_ for (id_,) in tx.all("drawings_forgettable", before=before, limit=limit)]
    deleted = tx.many("drawing_forget", [{"id": id_, "before": before} for id_ in ids])
    tx.many("drawing_bytes_forget", [{"id": id_} for id_ in ids])
    return deleted
