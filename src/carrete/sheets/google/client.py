"""The calls that the lane makes to the Sheets API. Each is sent exactly once: a write is never repeated here.

Sheets are addressed by tab id, because people may rename a tab at any moment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from carrete.sheets.clock import Clock
from carrete.sheets.google.account import Account, Key
from carrete.sheets.google.errors import BadBatch, Denied, GuardTaken, NotThere, TabGone, TooFast, Unreachable
from carrete.sheets.google.formulas import READS_MAX, FormulaReader
from carrete.sheets.google.pace import Pace
from carrete.sheets.google.ranges import TabRange, answers_in_order
from carrete.sheets.timings import DEFAULT_TIMINGS, LaneTimings
from carrete.workbook.cells import RawRow

GOOGLE = "https://sheets.googleapis.com"
CONNECT_S_MAX = 5
GUARD_KEY = "carrete"
_TABS = "properties(title,timeZone,locale),sheets.properties(sheetId,title,gridProperties(rowCount,columnCount))"
_VALUES = "valueRanges(valueRange(range,values),dataFilters(gridRange))"
_MARKED = "valueRanges(valueRange(range,values),dataFilters)"
_INDEX = re.compile(r"requests\[(\d+)\]")
_METADATA = re.compile(r"developer metadata", re.IGNORECASE)
_COLUMN = re.compile(r"\$?([A-Z]{1,3})")
_NO_TAB = re.compile(r"(No (grid|sheet) with id|sheet.{0,20}not found)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WorkbookTab:
    id: int
    title: str
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class Workbook:
    title: str
    timezone: str
    tabs: tuple[WorkbookTab, ...]


class SheetsClient:
    def __init__(
        self,
        workbook_id: str,
        key: Key,
        clock: Clock,
        *,
        root: str = "",
        transport: httpx.BaseTransport | None = None,
        timings: LaneTimings = DEFAULT_TIMINGS,
    ) -> None:
        self._reading = _timeout(timings.read_timeout_s)
        self._writing = _timeout(timings.write_timeout_s)
        self._http = httpx.Client(timeout=self._reading, transport=transport, headers={"User-Agent": "carrete (gzip)"})
        self._base = f"{(root or GOOGLE).rstrip('/')}/v4/spreadsheets/{quote(workbook_id, safe='')}"
        self._account = Account(key, self._http, clock)
        self.pace = Pace(clock, timings)
        self._formulas = FormulaReader(clock)
        self._tabs: dict[str, int] = {}  # ids by title, as last read
        self.reads = 0
        self.writes = 0

    @property
    def email(self) -> str:
        return self._account.email

    def close(self) -> None:
        self._http.close()

    def workbook(self) -> Workbook:
        body = self._read("GET", "", params={"fields": _TABS})
        tabs = [sheet["properties"] for sheet in body.get("sheets", [])]
        self._tabs = {tab.get("title", ""): tab.get("sheetId", 0) for tab in tabs}
        return Workbook(
            body.get("properties", {}).get("title", ""),
            body.get("properties", {}).get("timeZone", ""),
            tuple(
                WorkbookTab(
                    tab.get("sheetId", 0),
                    tab.get("title", ""),
                    tab.get("gridProperties", {}).get("rowCount", 0),
                    tab.get("gridProperties", {}).get("columnCount", 0),
                )
                for tab in tabs
            ),
        )

    def values(self, wanted: Sequence[TabRange], *, keep: bool = False) -> list[list[RawRow]]:
        """The rows of each range, in the order of `wanted`. A formula is a `Formula`, a date is its serial number.
        `keep`: the rows are kept; a row that the next read shows unchanged is then the same list."""
        for _ in range(READS_MAX):
            grids = self._rendered(wanted, "FORMULA")
            if self._formulas.mark(wanted, grids, self._plain_values, keep=keep):
                break
        return grids

    def _plain_values(self, wanted: Sequence[TabRange]) -> list[list[RawRow]]:
        return self._rendered(wanted, "UNFORMATTED_VALUE")

    def _rendered(self, wanted: Sequence[TabRange], option: str) -> list[list[RawRow]]:
        query = {
            "dataFilters": [{"gridRange": one.grid_range()} for one in wanted],
            "majorDimension": "ROWS",
            "valueRenderOption": option,
            "dateTimeRenderOption": "SERIAL_NUMBER",
        }
        body = self._read("POST", "/values:batchGetByDataFilter", params={"fields": _VALUES}, json=query)
        found = self._matched(body.get("valueRanges", []), wanted)
        return [one.get("valueRange", {}).get("values", []) for one in found]

    def _matched(self, found: list[dict[str, Any]], wanted: Sequence[TabRange]) -> list[dict[str, Any]]:
        """The answers in the order of `wanted`. Where an answer names its tab by title only, the titles are read again:
        a tab may have been renamed."""
        matched = answers_in_order(found, wanted, self._tabs)
        if matched is None and len(found) == len(wanted):
            self.workbook()
            matched = answers_in_order(found, wanted, self._tabs)
        if matched is None:
            raise Unreachable("Google respondió otros rangos que los que se le pidieron.")
        return matched

    def marked(self, wanted: TabRange, marks: Mapping[str, str]) -> tuple[list[RawRow], dict[str, int]]:
        """The rows of a tab and, from the same answer, the indexes of the columns that carry these marks, by the mark's
        value. `marks`: the key of each mark, by its value."""
        for _ in range(READS_MAX):
            rows, columns = self._rows_and_marks(wanted, marks)
            grids = [rows]
            if self._formulas.mark([wanted], grids, self._plain_values, keep=True):
                break
        return grids[0], columns

    def _rows_and_marks(self, wanted: TabRange, marks: Mapping[str, str]) -> tuple[list[RawRow], dict[str, int]]:
        lookups = [{"metadataKey": key, "metadataValue": v, "locationType": "COLUMN"} for v, key in marks.items()]
        query = {
            "dataFilters": [{"gridRange": wanted.grid_range()}, *({"developerMetadataLookup": one} for one in lookups)],
            "majorDimension": "ROWS",
            "valueRenderOption": "FORMULA",
            "dateTimeRenderOption": "SERIAL_NUMBER",
        }
        body = self._read("POST", "/values:batchGetByDataFilter", params={"fields": _MARKED}, json=query)
        rows: list[RawRow] | None = None
        columns: dict[str, int] = {}
        for one in body.get("valueRanges", []):
            value_range = one.get("valueRange", {})
            for data_filter in one.get("dataFilters", []):
                if "gridRange" in data_filter:
                    rows = value_range.get("values", [])
                elif (at := _first_column(value_range.get("range", ""))) >= 0:
                    columns[str(data_filter.get("developerMetadataLookup", {}).get("metadataValue", ""))] = at
        if rows is None:
            raise Unreachable("Google no respondió el rango pedido.")
        return rows, columns

    def marks(self, key: str) -> dict[int, str]:
        """All metadata with this key on columns: the values by id."""
        return self._metadata(key, "COLUMN")

    def guard(self, guard: int) -> str | None:
        """The value of this guard in the workbook; None when it is not there."""
        try:
            body = self._read("GET", f"/developerMetadata/{guard}")
        except NotThere:
            return None
        return str(body.get("metadataValue", "")) if body.get("metadataKey") == GUARD_KEY else ""

    def guards(self) -> dict[int, str]:
        """All guards of the workbook: their values by id."""
        return self._metadata(GUARD_KEY, "SPREADSHEET")

    def _metadata(self, key: str, location: str) -> dict[int, str]:
        query = {"dataFilters": [{"developerMetadataLookup": {"metadataKey": key, "locationType": location}}]}
        body = self._read("POST", "/developerMetadata:search", json=query)
        found = [one.get("developerMetadata", {}) for one in body.get("matchedDeveloperMetadata", [])]
        return {one["metadataId"]: str(one.get("metadataValue", "")) for one in found if "metadataId" in one}

    def write(self, requests: Sequence[Mapping[str, Any]]) -> None:
        """Google applies all of the requests or none. Raises Unreachable when the answer is lost: then it is
        unknown which."""
        self.writes += 1
        options = {"params": {"fields": "spreadsheetId"}, "json": {"requests": requests}, "timeout": self._writing}
        self._request("POST", ":batchUpdate", writes=True, **options)

    def _read(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        self.reads += 1
        return self._request(method, path, timeout=self._reading, writes=False, **options)

    def _request(self, method: str, path: str, *, writes: bool, **options: Any) -> dict[str, Any]:
        """A token that Google does not accept is renewed once, and the request is sent again: it was not applied."""
        answer = self._send(method, path, **options)
        if answer.status_code == 401:
            self._account.forget()
            answer = self._send(method, path, **options)
        if answer.status_code == 200:
            return _json_object(answer)
        raise self._failure(answer, writes=writes)

    def _send(self, method: str, path: str, **options: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self._account.token()}"}
        params = {**options.pop("params", {}), "prettyPrint": "false"}
        self.pace.wait()
        try:
            return self._http.request(method, self._base + path, params=params, headers=headers, **options)
        except httpx.HTTPError as error:
            raise Unreachable(f"Google no responde ({type(error).__name__}).") from error

    def _failure(self, answer: httpx.Response, *, writes: bool) -> Exception:
        message, status = _error(answer)
        match answer.status_code:
            case 400 if _NO_TAB.search(message):
                return TabGone(message)
            case 400 if writes and _is_about_the_guard(message):
                return GuardTaken(message)
            case 400:
                return BadBatch(message, _index(message))
            case 401:
                return Denied(
                    f"Google no acepta el permiso de {self.email}: revise la clave y la hora de esta máquina."
                )
            case 403:
                return Denied(self._forbidden(message, status))
            case 404 if "developerMetadata" in str(answer.url):
                return NotThere(message)
            case 404:
                return Denied(
                    "No existe la planilla de GOOGLE_SHEET_ID: copie el identificador de su dirección "
                    "(…/spreadsheets/d/IDENTIFICADOR/edit), y vea si está en la papelera."
                )
            case 429:
                return TooFast("Google pide esperar: demasiadas solicitudes por minuto.")
        return Unreachable(f"Google respondió {answer.status_code}.")

    def _forbidden(self, message: str, status: str) -> str:
        if "has not been used" in message or "is disabled" in message or status == "SERVICE_DISABLED":
            return (
                "La API de Google Sheets no está activada en el proyecto de la clave: actívela y espere unos minutos."
            )
        return f"{self.email} no tiene acceso: comparta la planilla con esa dirección, como editor."


def _timeout(seconds: float) -> httpx.Timeout:
    return httpx.Timeout(connect=CONNECT_S_MAX, read=seconds, write=seconds, pool=CONNECT_S_MAX)


def _index(message: str) -> int | None:
    """The index of the request that Google names in a refusal."""
    found = _INDEX.search(message)
    return int(found[1]) if found else None


def _is_about_the_guard(message: str) -> bool:
    """The guard is the first request of every batch. A mark on a column is metadata too, so the word alone does not
    tell."""
    index = _index(message)
    return index == 0 or (index is None and bool(_METADATA.search(message)))


def _first_column(a1_range: str) -> int:
    """`Hoja!H1:H90` → 7; -1 when the text is no such range."""
    found = _COLUMN.match(a1_range.rpartition("!")[2])
    number = 0
    for letter in found[1] if found else "":
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _json_object(answer: httpx.Response) -> dict[str, Any]:
    try:
        body = answer.json()
    except ValueError as error:
        raise Unreachable("Google respondió algo que no es JSON.") from error
    if not isinstance(body, dict):
        raise Unreachable("Google respondió algo que no es un objeto.")
    return body


def _error(answer: httpx.Response) -> tuple[str, str]:
    """Message and status; the error page of a proxy has neither."""
    try:
        error = answer.json()["error"]
        details = [each.get("reason", "") for each in error.get("details", []) if isinstance(each, dict)]
        status = "SERVICE_DISABLED" if "SERVICE_DISABLED" in details else error.get("status", "")
        return str(error.get("message", "")), str(status)
    except (ValueError, KeyError, TypeError, AttributeError):
        return "", ""
