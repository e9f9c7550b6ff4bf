"""The calls that the lane makes to the Sheets API, each asked exactly once: a write is never repeated here.

Everything is addressed by tab id and row index; a tab may be renamed at any moment.
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
from carrete.sheets.google.formulas import FormulaReader
from carrete.sheets.google.pace import Pace
from carrete.sheets.google.ranges import Wanted, in_the_order_asked
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
class Tab:
    id: int
    title: str
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class Workbook:
    title: str
    timezone: str
    tabs: tuple[Tab, ...]


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
        told = self._read("GET", "", params={"fields": _TABS})
        tabs = [sheet["properties"] for sheet in told.get("sheets", [])]
        self._tabs = {tab.get("title", ""): tab.get("sheetId", 0) for tab in tabs}
        return Workbook(
            told.get("properties", {}).get("title", ""),
            told.get("properties", {}).get("timeZone", ""),
            tuple(
                Tab(
                    tab.get("sheetId", 0),
                    tab.get("title", ""),
                    tab.get("gridProperties", {}).get("rowCount", 0),
                    tab.get("gridProperties", {}).get("columnCount", 0),
                )
                for tab in tabs
            ),
        )

    def values(self, wanted: Sequence[Wanted]) -> list[list[RawRow]]:
        """In the order asked. A formula is a Formula, everything else its value, a date its number."""
        grids = self._rendered(wanted, "FORMULA")
        self._formulas.mark(wanted, grids, lambda ranges: self._rendered(ranges, "UNFORMATTED_VALUE"))
        return grids

    def _rendered(self, wanted: Sequence[Wanted], option: str) -> list[list[RawRow]]:
        body = {
            "dataFilters": [{"gridRange": one.grid_range()} for one in wanted],
            "majorDimension": "ROWS",
            "valueRenderOption": option,
            "dateTimeRenderOption": "SERIAL_NUMBER",
        }
        told = self._read("POST", "/values:batchGetByDataFilter", params={"fields": _VALUES}, json=body)
        found = self._matched(told.get("valueRanges", []), wanted)
        return [one.get("valueRange", {}).get("values", []) for one in found]

    def _matched(self, found: list[dict[str, Any]], wanted: Sequence[Wanted]) -> list[dict[str, Any]]:
        """In the order asked. Where only titles tell, they are read again: a tab may have been renamed."""
        matched = in_the_order_asked(found, wanted, self._tabs)
        if matched is None and len(found) == len(wanted):
            self.workbook()
            matched = in_the_order_asked(found, wanted, self._tabs)
        if matched is None:
            raise Unreachable("Google respondió otros rangos que los que se le pidieron.")
        return matched

    def marked(self, wanted: Wanted, marks: Mapping[str, str]) -> tuple[list[RawRow], dict[str, int]]:
        """A tab with its formulas and, from the same answer, where the columns stand that carry these marks: by value,
        each with its key."""
        lookups = [{"metadataKey": key, "metadataValue": v, "locationType": "COLUMN"} for v, key in marks.items()]
        body = {
            "dataFilters": [{"gridRange": wanted.grid_range()}, *({"developerMetadataLookup": one} for one in lookups)],
            "majorDimension": "ROWS",
            "valueRenderOption": "FORMULA",
            "dateTimeRenderOption": "SERIAL_NUMBER",
        }
        told = self._read("POST", "/values:batchGetByDataFilter", params={"fields": _MARKED}, json=body)
        rows: list[RawRow] | None = None
        columns: dict[str, int] = {}
        for one in told.get("valueRanges", []):
            held = one.get("valueRange", {})
            for by in one.get("dataFilters", []):
                if "gridRange" in by:
                    rows = held.get("values", [])
                elif (at := _first_column(held.get("range", ""))) >= 0:
                    columns[str(by.get("developerMetadataLookup", {}).get("metadataValue", ""))] = at
        if rows is None:
            raise Unreachable("Google no respondió el rango pedido.")
        grids = [rows]
        self._formulas.mark([wanted], grids, lambda ranges: self._rendered(ranges, "UNFORMATTED_VALUE"))
        return grids[0], columns

    def marks(self, key: str) -> dict[int, str]:
        """All column marks that are there, with their values."""
        body = {"dataFilters": [{"developerMetadataLookup": {"metadataKey": key, "locationType": "COLUMN"}}]}
        told = self._read("POST", "/developerMetadata:search", json=body)
        found = [one.get("developerMetadata", {}) for one in told.get("matchedDeveloperMetadata", [])]
        return {one["metadataId"]: str(one.get("metadataValue", "")) for one in found if "metadataId" in one}

    def guard(self, guard: int) -> str | None:
        """The value under which this guard was put there, None when it is not there."""
        try:
            told = self._read("GET", f"/developerMetadata/{guard}")
        except NotThere:
            return None
        return str(told.get("metadataValue", "")) if told.get("metadataKey") == GUARD_KEY else ""

    def guards(self) -> dict[int, str]:
        """All that are there, with their values."""
        body = {"dataFilters": [{"developerMetadataLookup": {"metadataKey": GUARD_KEY, "locationType": "SPREADSHEET"}}]}
        told = self._read("POST", "/developerMetadata:search", json=body)
        found = [one.get("developerMetadata", {}) for one in told.get("matchedDeveloperMetadata", [])]
        return {one["metadataId"]: str(one.get("metadataValue", "")) for one in found if "metadataId" in one}

    def write(self, requests: Sequence[Mapping[str, Any]]) -> None:
        """All or nothing. Raises Unreachable when nobody knows which."""
        self.writes += 1
        options = {"params": {"fields": "spreadsheetId"}, "json": {"requests": requests}, "timeout": self._writing}
        self._asked("POST", ":batchUpdate", writes=True, **options)

    def _read(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        self.reads += 1
        return self._asked(method, path, timeout=self._reading, writes=False, **options)

    def _asked(self, method: str, path: str, *, writes: bool, **options: Any) -> dict[str, Any]:
        """A token that Google no longer accepts is renewed once: such a request was certainly not applied."""
        answer = self._once(method, path, **options)
        if answer.status_code == 401:
            self._account.forget()
            answer = self._once(method, path, **options)
        if answer.status_code == 200:
            return _told(answer)
        raise self._failure(answer, writes=writes)

    def _once(self, method: str, path: str, **options: Any) -> httpx.Response:
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
    """Of the request that Google names in a refusal."""
    found = _INDEX.search(message)
    return int(found[1]) if found else None


def _is_about_the_guard(message: str) -> bool:
    """The guard is the first request of every batch; a mark on a column is metadata too."""
    index = _index(message)
    return index == 0 or (index is None and bool(_METADATA.search(message)))


def _first_column(a1_range: str) -> int:
    """`Hoja!H1:H90` → 7; -1 for what is no such range."""
    found = _COLUMN.match(a1_range.rpartition("!")[2])
    number = 0
    for letter in found[1] if found else "":
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _told(answer: httpx.Response) -> dict[str, Any]:
    try:
        told = answer.json()
    except ValueError as error:
        raise Unreachable("Google respondió algo que no es JSON.") from error
    if not isinstance(told, dict):
        raise Unreachable("Google respondió algo que no es un objeto.")
    return told


def _error(answer: httpx.Response) -> tuple[str, str]:
    """Message and status; a proxy's page has neither."""
    try:
        told = answer.json()["error"]
        details = [each.get("reason", "") for each in told.get("details", []) if isinstance(each, dict)]
        status = "SERVICE_DISABLED" if "SERVICE_DISABLED" in details else told.get("status", "")
        return str(told.get("message", "")), str(status)
    except (ValueError, KeyError, TypeError, AttributeError):
        return "", ""
