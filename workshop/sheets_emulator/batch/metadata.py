"""create, update and deleteDeveloperMetadata. An id in use fails the whole batch: a guard of a flush relies on it."""

from __future__ import annotations

from dataclasses import replace

from sheets_emulator import fields, metadata
from sheets_emulator.batch.work import BatchWork, Handler
from sheets_emulator.errors import Json, invalid
from sheets_emulator.model import Metadatum


def create(work: BatchWork, body: Json) -> Json:
    wanted = body.get("developerMetadata") or {}
    return {"createDeveloperMetadata": {"developerMetadata": metadata.create(work.draft, wanted, work.fresh_id())}}


def update(work: BatchWork, body: Json) -> Json:
    mask = fields.parse(body.get("fields"))
    change = body.get("developerMetadata") or {}
    held = work.draft.own_metadata()
    changed = []
    for datum in _found(work, body.get("dataFilters") or []):
        held[datum.id] = after = _changed(work, datum, change, mask)
        metadata.require_budget(work.draft, after.place)
        changed.append(metadata.as_json(work.draft.book, after))
    return {"updateDeveloperMetadata": {"developerMetadata": changed}}


def _changed(work: BatchWork, datum: Metadatum, change: Json, mask: fields.Mask) -> Metadatum:
    if fields.wants(mask, "metadataKey") and change.get("metadataKey"):
        datum = replace(datum, key=change["metadataKey"])
    if fields.wants(mask, "metadataValue"):
        datum = replace(datum, value=change.get("metadataValue"))
    if fields.wants(mask, "visibility") and change.get("visibility"):
        datum = replace(datum, visibility=change["visibility"])
    if fields.wants(mask, "location") and change.get("location"):
        datum = replace(datum, place=metadata.place_from(work.draft.book, change["location"]))
    return datum


def delete(work: BatchWork, body: Json) -> Json:
    found = _found(work, [body.get("dataFilter") or {}])
    deleted = [metadata.as_json(work.draft.book, datum) for datum in found]
    held = work.draft.own_metadata()
    for datum in found:
        del held[datum.id]
    return {"deleteDeveloperMetadata": {"deletedDeveloperMetadata": deleted}}


def _found(work: BatchWork, filters: list[Json]) -> list[Metadatum]:
    """An id that does not exist is refused: a client that clears up must expect that."""
    found: dict[int, Metadatum] = {}
    for one in filters:
        lookup = one.get("developerMetadataLookup")
        if lookup is None:
            raise invalid("Only developer metadata lookups are allowed here.")
        matched = metadata.matching(work.draft.book, lookup)
        if not matched and lookup.get("metadataId") is not None:
            raise invalid(f"No developer metadata with ID {lookup['metadataId']}.")
        found.update({datum.id: datum for datum in matched})
    return list(found.values())


HANDLERS: dict[str, Handler] = {
    "createDeveloperMetadata": create,
    "updateDeveloperMetadata": update,
    "deleteDeveloperMetadata": delete,
}
