"""A note about a spool or one of its joints: an event and nothing else. It never changes who holds the spool."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from carrete.domain import sentences
from carrete.domain.change import Change
from carrete.domain.commands import Anotar
from carrete.domain.events import Event, EventoTipo
from carrete.domain.joints import Joint
from carrete.domain.refusals import JointUnknown, PhotoUnknown
from carrete.domain.spool import Spool
from carrete.domain.workers import Worker

TEXT_LENGTH_MAX = 500
PHOTOS_MAX = 4
PHOTOS = "fotos"  # the ids of a note's photos, in its metadata


def add_note(
    spool: Spool, joints: Sequence[Joint], known_photos: Collection[str], worker: Worker, note: Anotar, now: datetime
) -> Change:
    if note.n_union is not None and not any(j.n_union == note.n_union and not j.retired for j in joints):
        raise JointUnknown(spool.tag, note.n_union)
    if missing := [photo for photo in note.photos if photo not in known_photos]:
        raise PhotoUnknown(missing)
    metadata = {"texto": note.texto, PHOTOS: list(note.photos)}
    event = Event(
        EventoTipo.NOTA,
        now,
        EventoTipo.NOTA.value,
        worker_id=worker.id,
        worker=worker.label,
        n_union=note.n_union,
        metadata={name: value for name, value in metadata.items() if value},
    )
    message = sentences.noted(spool.tag, note.n_union, len(note.photos))
    return Change(spool, (event,), EventoTipo.NOTA.value, message, keeps_version=True)


def metadata_for_sheet(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Photos are only counted there: nobody can open one from a cell."""
    photos = metadata.get(PHOTOS)
    if not photos:
        return metadata
    return {**metadata, PHOTOS: f"{len(photos)} {'foto' if len(photos) == 1 else 'fotos'}"}
