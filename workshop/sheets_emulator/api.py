"""The paths of the Sheets and Drive APIs: each becomes an operation that reads a book or changes one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import parse_qs, unquote

from sheets_emulator import a1, batch, cell_values, fields, metadata, resource
from sheets_emulator.a1 import Area
from sheets_emulator.accounts import TokenSession
from sheets_emulator.batch.work import BatchWork
from sheets_emulator.cell_values import AppendOdds, Input, input_from, value_range
from sheets_emulator.emulator import Emulator
from sheets_emulator.errors import ApiError, Json, invalid_field, no_permission, not_found, scope_insufficient
from sheets_emulator.model import Book
from sheets_emulator.resource import SpreadsheetView
from sheets_emulator.values import Render, render_for

SHEETS = "/v4/spreadsheets"
DRIVE = "/drive/v3/files"
_FILE = re.compile(rf"{re.escape(SHEETS)}/(?P<id>[^/:]+)(?::(?P<verb>\w+))?(?:/(?P<rest>.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ApiCall:
    """A request as it came."""

    method: str
    path: str  # still percent-encoded
    query: dict[str, list[str]]
    body: Json

    def one(self, name: str) -> str | None:
        return self.query[name][0] if name in self.query else None


@dataclass(frozen=True, slots=True)
class Operation:
    """kind: Read, Write (Sheets) or Drive. Exactly one of read, write and drive is set."""

    kind: str
    file_id: str
    mask: fields.Mask
    read: Callable[[Book], tuple[Json, list[Area]]] | None = None
    write: Callable[[BatchWork], Json] | None = None
    drive: Callable[[], Json | None] | None = None


def query_of(text: str) -> dict[str, list[str]]:
    return parse_qs(text, keep_blank_values=True)


def operation(emulator: Emulator, call: ApiCall, session: TokenSession) -> Operation:
    """The operation that a request asks for: parsed, and allowed for that account, but not yet carried out."""
    if call.path.startswith(DRIVE):
        return _drive(emulator, call, session)
    found = _sheets(emulator, call, session.user)
    _require_scope(found, session)
    _require_shared(emulator, found.file_id, session)
    return found


def _require_scope(found: Operation, session: TokenSession) -> None:
    writes = ("spreadsheets", "drive", "drive.file")
    names = writes if found.kind == "Write" else (*writes, "spreadsheets.readonly", "drive.readonly")
    if not session.may(*names):
        raise scope_insufficient()


def _require_shared(emulator: Emulator, file_id: str, session: TokenSession) -> None:
    if not file_id:
        return
    file = emulator.file(file_id)
    if file.shared_with is not None and session.user not in file.shared_with:
        raise no_permission()


def _sheets(emulator: Emulator, call: ApiCall, user: str) -> Operation:
    if call.path == SHEETS and call.method == "POST":
        return _create(emulator, call)
    match = _FILE.fullmatch(call.path)
    if match is None:
        raise not_found()
    file_id, verb, rest = unquote(match["id"]), match["verb"] or "", match["rest"] or ""
    maker = _route(call.method, verb, rest)
    if maker is None:
        raise not_found()
    return maker(_RequestContext(emulator, call, user, file_id, rest))


class _RequestContext:
    """A request with what is needed to make its operation."""

    def __init__(self, emulator: Emulator, call: ApiCall, user: str, file_id: str, rest: str) -> None:
        self.emulator, self.call, self.user, self.file_id, self.rest = emulator, call, user, file_id, rest
        self.mask = fields.parse(call.one("fields"))
        self.body = call.body

    def reading(self, read: Callable[[Book], tuple[Json, list[Area]]]) -> Operation:
        return Operation("Read", self.file_id, self.mask, read=read)

    def writing(self, write: Callable[[BatchWork], Json]) -> Operation:
        return Operation("Write", self.file_id, self.mask, write=write)

    def render(self, book: Book, options: Json | None = None) -> Render:
        option = (options or {}).get("valueRenderOption") or self.call.one("valueRenderOption")
        dates = (options or {}).get("dateTimeRenderOption") or self.call.one("dateTimeRenderOption")
        apostrophes = self.emulator.options.formula_apostrophes
        return render_for(book, option, dates, self.emulator.local_time(book), apostrophes=apostrophes)

    def view(self, book: Book, areas: list[Area], grid: bool, mask: fields.Mask | None = None) -> SpreadsheetView:
        """As people see it."""
        render = render_for(book, None, None, self.emulator.local_time(book))
        return SpreadsheetView(areas, grid, self.mask if mask is None else mask, render, self.user)

    @property
    def range(self) -> str:
        """Of `values/{range}` and `values/{range}:verb`."""
        text = self.rest.removeprefix("values/")
        for verb in (":append", ":clear"):
            text = text.removesuffix(verb)
        return unquote(text)

    def input(self) -> Input:
        return input_from({name: values[0] for name, values in self.call.query.items()})


Maker = Callable[[_RequestContext], Operation]


def _route(method: str, verb: str, rest: str) -> Maker | None:
    if not rest:
        return _ON_FILE.get((method, verb))
    if rest.startswith("values/"):
        return _on_range(method, rest)
    if rest.startswith("developerMetadata/") and method == "GET":
        return _metadata_get
    return _ON_COLLECTION.get((method, rest))


def _on_range(method: str, rest: str) -> Maker | None:
    if method == "POST" and rest.endswith(":append"):
        return _append
    if method == "POST" and rest.endswith(":clear"):
        return _clear
    return {"GET": _values_get, "PUT": _values_update}.get(method)


# ─── spreadsheets ─────────────────────────────────────────────────────────────────────────────────────────────


def _get(request: _RequestContext) -> Operation:
    ranges = request.call.query.get("ranges", [])
    grid = (request.call.one("includeGridData") or "").lower() == "true"

    def read(book: Book) -> tuple[Json, list[Area]]:
        areas = [a1.parse(book, text) for text in ranges]
        view = request.view(book, areas, grid)
        return resource.spreadsheet(book, view), areas if view.shows_grid else []

    return request.reading(read)


def _get_by_data_filter(request: _RequestContext) -> Operation:
    filters, grid = request.body.get("dataFilters") or [], bool(request.body.get("includeGridData"))

    def read(book: Book) -> tuple[Json, list[Area]]:
        areas = [area for one in filters for area in cell_values.filtered_areas(book, one)]
        view = request.view(book, areas, grid)
        return resource.spreadsheet(book, view), areas if view.shows_grid else []

    return request.reading(read)


def _batch_update(request: _RequestContext) -> Operation:
    body = request.body

    def write(work: BatchWork) -> Json:
        answer: Json = {"spreadsheetId": request.file_id, "replies": batch.apply_all(work, body.get("requests") or [])}
        if body.get("includeSpreadsheetInResponse"):
            book = work.draft.book
            areas = [a1.parse(book, text) for text in body.get("responseRanges") or []]
            mask = request.mask.get("updatedSpreadsheet", fields.EVERYTHING)
            grid = bool(body.get("responseIncludeGridData"))
            answer["updatedSpreadsheet"] = resource.spreadsheet(book, request.view(book, areas, grid, mask))
        return answer

    return request.writing(write)


def _create(emulator: Emulator, call: ApiCall) -> Operation:
    wanted = call.body.get("properties") or {}

    def drive() -> Json:
        title = wanted.get("title") or "Untitled spreadsheet"
        book = emulator.create(title, locale=wanted.get("locale") or "en_US", zone=wanted.get("timeZone") or "Etc/GMT")
        render = render_for(book, None, None, emulator.local_time(book))
        return resource.spreadsheet(book, SpreadsheetView([], False, fields.EVERYTHING, render))

    return Operation("Write", "", fields.parse(call.one("fields")), drive=drive)


# ─── values ───────────────────────────────────────────────────────────────────────────────────────────────────


def _values_get(request: _RequestContext) -> Operation:
    def read(book: Book) -> tuple[Json, list[Area]]:
        area = a1.parse(book, request.range)
        return value_range(book, area, request.call.one("majorDimension"), request.render(book)), [area]

    return request.reading(read)


def _batch_get(request: _RequestContext) -> Operation:
    ranges = request.call.query.get("ranges", [])

    def read(book: Book) -> tuple[Json, list[Area]]:
        areas = [a1.parse(book, text) for text in ranges]
        major, render = request.call.one("majorDimension"), request.render(book)
        answers = _ordered(request, [value_range(book, area, major, render) for area in areas])
        return {"spreadsheetId": book.id, "valueRanges": answers}, areas

    return request.reading(read)


def _batch_get_by_data_filter(request: _RequestContext) -> Operation:
    """A range that matches several filters is answered once, with all of those filters."""
    filters = request.body.get("dataFilters") or []

    def read(book: Book) -> tuple[Json, list[Area]]:
        met: dict[Area, list[Json]] = {}
        for one in filters:
            for area in cell_values.filtered_areas(book, one):
                met.setdefault(area, []).append(one)
        major, render = request.body.get("majorDimension"), request.render(book, request.body)
        answers = [
            {"valueRange": value_range(book, area, major, render), **_filters(request, by)} for area, by in met.items()
        ]
        return {"spreadsheetId": book.id, **({"valueRanges": _ordered(request, answers)} if answers else {})}, list(met)

    return request.reading(read)


def _filters(request: _RequestContext, met: list[Json]) -> Json:
    """As in Google's answers: a zero in a grid range is left out."""
    if not request.emulator.options.filters_told:
        return {}
    grids = [one.get("gridRange") for one in met]
    filters = [
        one if grid is None else {**one, "gridRange": {name: value for name, value in grid.items() if value}}
        for one, grid in zip(met, grids, strict=True)
    ]
    return {"dataFilters": filters}


def _ordered(request: _RequestContext, answers: list[Json]) -> list[Json]:
    return answers[::-1] if request.emulator.options.answers_reversed else answers


def _values_update(request: _RequestContext) -> Operation:
    how = request.input()

    def write(work: BatchWork) -> Json:
        return cell_values.update(work, a1.parse(work.draft.book, request.range), request.body, how)

    return request.writing(write)


def _values_batch_update(request: _RequestContext) -> Operation:
    how = input_from(request.body)

    def write(work: BatchWork) -> Json:
        book = work.draft.book
        data = request.body.get("data") or []
        answers = [cell_values.update(work, a1.parse(book, one.get("range") or ""), one, how) for one in data]
        return {**cell_values.batch_totals(book, answers), "responses": answers}

    return request.writing(write)


def _values_batch_update_by_data_filter(request: _RequestContext) -> Operation:
    how = input_from(request.body)

    def write(work: BatchWork) -> Json:
        book = work.draft.book
        answers = [
            {**cell_values.update(work, area, one, how), "dataFilter": one.get("dataFilter")}
            for one in request.body.get("data") or []
            for area in cell_values.filtered_areas(book, one.get("dataFilter") or {})
        ]
        totals = cell_values.batch_totals(book, answers)
        return {**totals, "responses": [{k: v for k, v in one.items() if k != "spreadsheetId"} for one in answers]}

    return request.writing(write)


def _append(request: _RequestContext) -> Operation:
    how = request.input()
    insert = request.call.one("insertDataOption") == "INSERT_ROWS"
    options = request.emulator.options
    believed = _believed_end(request) if options.append_race else None
    odds = AppendOdds(options.filter_bug, believed)

    def write(work: BatchWork) -> Json:
        return cell_values.append(work, a1.parse(work.draft.book, request.range), request.body, how, insert, odds)

    return request.writing(write)


def _believed_end(request: _RequestContext) -> int | None:
    """The row where the table ended when the request arrived: two overlapping appends both use the same row."""
    book = request.emulator.file(request.file_id).book
    return cell_values.table_end(book, a1.parse(book, request.range))


def _clear(request: _RequestContext) -> Operation:
    def write(work: BatchWork) -> Json:
        cleared = cell_values.clear(work, a1.parse(work.draft.book, request.range))
        return {"spreadsheetId": request.file_id, "clearedRange": cleared}

    return request.writing(write)


def _batch_clear(request: _RequestContext) -> Operation:
    def write(work: BatchWork) -> Json:
        areas = [a1.parse(work.draft.book, text) for text in request.body.get("ranges") or []]
        return {"spreadsheetId": request.file_id, "clearedRanges": [cell_values.clear(work, area) for area in areas]}

    return request.writing(write)


# ─── developer metadata ───────────────────────────────────────────────────────────────────────────────────────


def _metadata_get(request: _RequestContext) -> Operation:
    text = unquote(request.rest.removeprefix("developerMetadata/"))
    if not re.fullmatch(r"-?\d+", text):
        message = f"Invalid value at 'metadata_id' (TYPE_INT32), \"{text}\""
        raise invalid_field("metadata_id", message)
    return request.reading(lambda book: (metadata.get(book, int(text)), []))


def _metadata_search(request: _RequestContext) -> Operation:
    filters = request.body.get("dataFilters") or []

    def read(book: Book) -> tuple[Json, list[Area]]:
        matched = []
        for one in filters:
            found = metadata.matching(book, one.get("developerMetadataLookup") or {})
            matched += [{"developerMetadata": metadata.as_json(book, datum), "dataFilters": [one]} for datum in found]
        return ({"matchedDeveloperMetadata": matched} if matched else {}), []

    return request.reading(read)


_ON_FILE: dict[tuple[str, str], Maker] = {
    ("GET", ""): _get,
    ("POST", "getByDataFilter"): _get_by_data_filter,
    ("POST", "batchUpdate"): _batch_update,
}
_ON_COLLECTION: dict[tuple[str, str], Maker] = {
    ("GET", "values:batchGet"): _batch_get,
    ("POST", "values:batchGetByDataFilter"): _batch_get_by_data_filter,
    ("POST", "values:batchUpdate"): _values_batch_update,
    ("POST", "values:batchUpdateByDataFilter"): _values_batch_update_by_data_filter,
    ("POST", "values:batchClear"): _batch_clear,
    ("POST", "developerMetadata:search"): _metadata_search,
}


# ─── Drive ────────────────────────────────────────────────────────────────────────────────────────────────────


def _drive(emulator: Emulator, call: ApiCall, session: TokenSession) -> Operation:
    reads = call.method == "GET"
    names = ("drive", "drive.file") + (("drive.readonly", "drive.metadata.readonly") if reads else ())
    if not session.may(*names):
        raise scope_insufficient()
    file_id, _, verb = unquote(call.path.removeprefix(DRIVE).strip("/")).partition("/")
    mask = fields.parse(call.one("fields"))
    done = _drive_act(emulator, call, file_id, verb, session)
    if done is None:
        raise ApiError(404, "Not Found", reason="notFound")
    return Operation("Drive", file_id, mask or _DRIVE_DEFAULT, drive=done)


_DRIVE_DEFAULT: fields.Mask = {"kind": {}, "id": {}, "name": {}, "mimeType": {}}


def _drive_act(
    emulator: Emulator, call: ApiCall, file_id: str, verb: str, session: TokenSession
) -> Callable[[], Json | None] | None:
    if not file_id:
        return (lambda: _drive_create(emulator, call.body)) if call.method == "POST" else None
    if call.method == "GET" and not verb:
        return lambda: _drive_file(emulator, file_id, session)
    if call.method == "DELETE" and not verb:
        return lambda: _trash(emulator, file_id, session)
    if call.method == "POST" and verb == "copy":
        title = call.body.get("name") or f"Copy of {emulator.file(file_id).book.title}"
        return lambda: _drive_file(emulator, emulator.copy(file_id, title).id, session)
    return None


def _drive_create(emulator: Emulator, body: Json) -> Json:
    book = emulator.create(body.get("name") or "Untitled spreadsheet", locale="en_US", zone="Etc/GMT")
    return _described(emulator, book.id)


def _drive_file(emulator: Emulator, file_id: str, session: TokenSession) -> Json:
    file = emulator.files.get(file_id)
    if file is None or (file.shared_with is not None and session.user not in file.shared_with):
        raise ApiError(404, f"File not found: {file_id}.", reason="notFound")
    return _described(emulator, file_id)


def _described(emulator: Emulator, file_id: str) -> Json:
    file = emulator.files[file_id]
    return {
        "kind": "drive#file",
        "id": file_id,
        "name": file.book.title,
        "mimeType": "application/vnd.google-apps.spreadsheet",
        "version": str(file.book.revision),
        "createdTime": _instant(file.created_s),
        "modifiedTime": _instant(file.modified_s),
        "trashed": file.trashed,
    }


def _trash(emulator: Emulator, file_id: str, session: TokenSession) -> None:
    _drive_file(emulator, file_id, session)
    emulator.files[file_id].trashed = True


def _instant(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
