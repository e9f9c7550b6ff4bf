"""Developer metadata: ids that are unique in the workbook, budgets, and a place that follows its row or column."""

from __future__ import annotations

from typing import Any

from sheets_emulator.errors import ApiError, Json, invalid
from sheets_emulator.model import Book, Draft, Metadatum, Place, Sheet

BUDGET_CHARACTERS = 30_000  # for the spreadsheet itself, and for each sheet
ID_MAX = 2_147_483_647
_DIMENSIONS = ("ROWS", "COLUMNS")


def index_of(sheet: Sheet, place: Place) -> int | None:
    if place.dimension == "COLUMNS":
        return next((index for index, identity in enumerate(sheet.columns) if identity == place.identity), None)
    return next((index for index, row in enumerate(sheet.rows) if row.id == place.identity), None)


def as_json(book: Book, datum: Metadatum) -> Json:
    result: Json = {"metadataId": datum.id, "metadataKey": datum.key}
    if datum.value is not None:
        result["metadataValue"] = datum.value
    return {**result, "location": _location(book, datum.place), "visibility": datum.visibility}


def _location(book: Book, place: Place) -> Json:
    if place.sheet_id is None:
        return {"locationType": "SPREADSHEET", "spreadsheet": True}
    if place.dimension is None:
        return {"locationType": "SHEET", "sheetId": place.sheet_id}
    index = index_of(book.sheet(place.sheet_id), place)
    assert index is not None, "metadata leaves with its row or column"
    span: Json = {"sheetId": place.sheet_id} if place.sheet_id else {}
    span |= {"dimension": place.dimension, "startIndex": index, "endIndex": index + 1}
    return {"locationType": place.dimension.removesuffix("S"), "dimensionRange": span}


def place_from(book: Book, location: Json) -> Place:
    if location.get("spreadsheet"):
        return Place()
    if (span := location.get("dimensionRange")) is not None:
        return _dimension_place(book, span)
    if location.get("sheetId") is not None:
        return Place(book.sheet(int(location["sheetId"])).sheet_id)
    raise invalid("The developer metadata's location must be set.")


def _dimension_place(book: Book, span: Json) -> Place:
    sheet = book.sheet(int(span.get("sheetId") or 0))
    dimension, start = span.get("dimension"), int(span.get("startIndex") or 0)
    if dimension not in _DIMENSIONS:
        raise invalid("No dimension set.")
    if span.get("endIndex") is None or int(span["endIndex"]) != start + 1:
        raise invalid("The dimension range must represent a single row or column.")
    identities = [row.id for row in sheet.rows] if dimension == "ROWS" else sheet.columns
    if not 0 <= start < len(identities):
        raise invalid(f"{dimension.title()} {start} is outside the grid of sheet {sheet.sheet_id}.")
    return Place(sheet.sheet_id, dimension, identities[start])


def create(draft: Draft, wanted: Json, fresh_id: int) -> Json:
    held = draft.book.metadata
    id_ = wanted.get("metadataId")
    id_ = fresh_id if id_ is None else int(id_)
    if not 0 <= id_ <= ID_MAX:
        raise invalid("Developer metadata IDs must be positive.")
    if id_ in held:
        raise invalid(f"Developer metadata with ID {id_} already exists.")
    if not wanted.get("metadataKey"):
        raise invalid("Developer metadata must have a key specified.")
    visibility = wanted.get("visibility")
    if visibility not in ("DOCUMENT", "PROJECT"):
        raise invalid("Developer metadata must have a visibility specified.")
    place = place_from(draft.book, wanted.get("location") or {})
    made = Metadatum(id_, str(wanted["metadataKey"]), wanted.get("metadataValue"), visibility, place)
    used = require_budget(draft, place, made.size)
    draft.own_metadata()[id_] = made
    draft.metadata_sizes[place.sheet_id] = used
    return as_json(draft.book, made)


def require_budget(draft: Draft, place: Place, more: int = 0) -> int:
    """Returns the characters that the metadata of that sheet (or of the spreadsheet itself) would have with `more`
    added. Refuses when that is above the limit."""
    used = draft.metadata_sizes.get(place.sheet_id)
    if used is None:
        used = sum(one.size for one in draft.book.metadata.values() if one.place.sheet_id == place.sheet_id)
    if used + more > BUDGET_CHARACTERS:
        whose = "spreadsheet" if place.sheet_id is None else f"sheet {place.sheet_id}"
        raise invalid(
            f"The developer metadata of the {whose} would exceed the limit of {BUDGET_CHARACTERS} characters."
        )
    return used + more


def get(book: Book, id_: int) -> Json:
    if id_ not in book.metadata:
        raise ApiError(404, f"No developer metadata with ID {id_}.")
    return as_json(book, book.metadata[id_])


def matching(book: Book, lookup: Json) -> list[Metadatum]:
    if not isinstance(lookup, dict):
        raise invalid("Invalid developer metadata lookup.")
    return [datum for _, datum in sorted(book.metadata.items()) if _matches(book, datum, lookup)]


def _matches(book: Book, datum: Metadatum, lookup: Json) -> bool:
    wanted: dict[str, Any] = {"metadataKey": datum.key, "metadataValue": datum.value, "visibility": datum.visibility}
    if lookup.get("metadataId") is not None and int(lookup["metadataId"]) != datum.id:
        return False
    if any(lookup.get(name) is not None and lookup[name] != value for name, value in wanted.items()):
        return False
    kind = lookup.get("locationType")
    if kind is not None and kind != _location_type(datum.place):
        return False
    where = lookup.get("metadataLocation")
    return where is None or _located(book, datum.place, where, lookup.get("locationMatchingStrategy"))


def _location_type(place: Place) -> str:
    if place.sheet_id is None:
        return "SPREADSHEET"
    return "SHEET" if place.dimension is None else place.dimension.removesuffix("S")


def _located(book: Book, place: Place, where: Json, strategy: str | None) -> bool:
    wanted = place_from(book, where)
    if place == wanted:
        return True
    return strategy == "INTERSECTING_LOCATION" and (
        wanted.sheet_id is None or (wanted.dimension is None and wanted.sheet_id == place.sheet_id)
    )


def forget(draft: Draft, sheet_id: int, identities: set[int] | None = None) -> None:
    """Removes the metadata of a deleted sheet (no identities given), or of deleted rows or columns."""
    gone = [
        datum.id
        for datum in draft.book.metadata.values()
        if datum.place.sheet_id == sheet_id and (identities is None or datum.place.identity in identities)
    ]
    if gone:
        held = draft.own_metadata()
        for id_ in gone:
            del held[id_]
