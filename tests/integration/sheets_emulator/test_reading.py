"""The values of a read: trimmed, by locale, as numbers or as people see them, and only the fields asked for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.sheets_emulator.conftest import METADATA
from tests.support.emulator import Api, Control


def test_empty_cells_at_the_end_are_dropped_and_inner_rows_stay(api: Api, control: Control) -> None:
    control.paste("Operaciones", "A7", [["MK-07", "", "x"], [""], ["MK-09"]])
    answer = api.get("/values/Operaciones!A6:E12").json()
    assert answer == {
        "range": "Operaciones!A6:E12",
        "majorDimension": "ROWS",
        "values": [[], ["MK-07", "", "x"], [], ["MK-09"]],
    }


def test_an_empty_range_has_no_values_at_all(api: Api) -> None:
    assert api.get("/values/Operaciones!C4").json() == {"range": "Operaciones!C4", "majorDimension": "ROWS"}


def test_columns_come_as_columns(api: Api) -> None:
    answer = api.get("/values/Operaciones!A1:C3", majorDimension="COLUMNS").json()
    assert answer["values"] == [["TAG_SPOOL", "MK-01", "MK-02"], ["OT", "OT-1", "OT-1"], ["Ocupado_Por", "MR(93)"]]
    assert api.get("/values/A1", majorDimension="SIDEWAYS").status_code == 400


@pytest.mark.parametrize(
    ("option", "dates", "seen"),
    [
        (None, None, ["MR(93)", "25-02-2026 12:00:00", "1,5"]),
        ("FORMATTED_VALUE", "SERIAL_NUMBER", ["MR(93)", "25-02-2026 12:00:00", "1,5"]),
        ("UNFORMATTED_VALUE", None, ["MR(93)", 46078.5, 1.5]),
        ("UNFORMATTED_VALUE", "FORMATTED_STRING", ["MR(93)", "25-02-2026 12:00:00", 1.5]),
        ("FORMULA", None, ["MR(93)", 46078.5, 1.5]),
    ],
)
def test_the_render_options(api: Api, option: str | None, dates: str | None, seen: list[Any]) -> None:
    query = {"valueRenderOption": option, "dateTimeRenderOption": dates}
    options = {name: value for name, value in query.items() if value}
    assert api.get("/values/Operaciones!C2:E2", **options).json()["values"] == [seen]


def test_the_locale_decides_how_people_see_it(api: Api, control: Control) -> None:
    control.edit("Operaciones", "A8", True, "RAW")
    control.edit("Operaciones", "B8", 1234.5, "RAW")
    control.set_format("Operaciones", "B8", "NUMBER", "#,##0.00")
    for range_ in ("A8:B8", "8:8"):
        control.locale("es_CL")
        assert api.get(f"/values/{range_}").json()["values"] == [["VERDADERO", "1.234,50"]]
        control.locale("en_US")
        assert api.get(f"/values/{range_}").json()["values"] == [["TRUE", "1,234.50"]]
    assert api.values("A8:B8") == [[True, 1234.5]]


def test_a_number_in_a_cell_of_dates_shows_as_a_date_and_in_a_plain_one_as_a_number(api: Api) -> None:
    api.update("Operaciones!D4:E4", [[46078, 46078]])
    assert api.get("/values/Operaciones!D4:E4").json()["values"] == [["25-02-2026 00:00:00", "46078"]]


def test_several_ranges_in_one_read(api: Api) -> None:
    answer = api.get("/values:batchGet", ranges=["A1:B1", "Metadata!A:A"]).json()
    assert [one["range"] for one in answer["valueRanges"]] == ["Operaciones!A1:B1", "Metadata!A1:A3"]
    refused = api.get("/values:batchGet", ranges=["A1:B1", "Nowhere!A1"])
    assert refused.status_code == 400
    assert refused.json()["error"]["message"] == "Unable to parse range: Nowhere!A1"


def test_tabs_read_by_id_whatever_their_title(api: Api, control: Control) -> None:
    control.rename_tab("Operaciones", "Spools 2026")
    body = {
        "dataFilters": [{"gridRange": {"sheetId": 0, "endRowIndex": 1}}, {"gridRange": {"sheetId": METADATA}}],
        "valueRenderOption": "UNFORMATTED_VALUE",
        "majorDimension": None,
    }
    first, second = api.post("/values:batchGetByDataFilter", body).json()["valueRanges"]
    assert first["valueRange"]["range"] == "'Spools 2026'!A1:E1"
    assert second["valueRange"]["values"] == [["ID", "Evento_Tipo"]]
    assert second["dataFilters"] == [{"gridRange": {"sheetId": METADATA}}]


def test_a_data_filter_has_one_criterion(api: Api) -> None:
    both = {"a1Range": "A1", "gridRange": {"sheetId": 0}}
    assert api.post("/values:batchGetByDataFilter", {"dataFilters": [both]}).status_code == 400


def test_fields_pick_what_is_answered(api: Api) -> None:
    fields = "properties(timeZone,locale),sheets.properties(sheetId,title),sheets/properties/gridProperties/rowCount"
    assert api.get(fields=fields).json() == {
        "properties": {"timeZone": "America/Santiago", "locale": "es_CL"},
        "sheets": [
            {"properties": {"sheetId": 0, "title": "Operaciones", "gridProperties": {"rowCount": 20}}},
            {"properties": {"sheetId": METADATA, "title": "Metadata", "gridProperties": {"rowCount": 3}}},
        ],
    }
    assert api.get(fields="sheets(properties").status_code == 400


def test_the_grid_comes_when_asked_for(api: Api) -> None:
    assert "data" not in api.get().json()["sheets"][0]
    answer = api.get(includeGridData="true", ranges="Operaciones!C2:D2").json()
    (sheet,) = answer["sheets"]
    holder, since = sheet["data"][0]["rowData"][0]["values"]
    assert holder["userEnteredValue"] == {"stringValue": "MR(93)"}
    assert since["effectiveValue"] == {"numberValue": 46078.5}
    assert since["formattedValue"] == "25-02-2026 12:00:00"
    assert since["userEnteredFormat"]["numberFormat"]["pattern"] == "dd-mm-yyyy hh:mm:ss"
    notes = api.get(fields="sheets.data.rowData.values.userEnteredValue", ranges="Operaciones!A2").json()
    assert notes == {
        "sheets": [{"data": [{"rowData": [{"values": [{"userEnteredValue": {"stringValue": "MK-01"}}]}]}]}]
    }


def test_a_spreadsheet_by_data_filter_has_only_the_sheets_it_meets(api: Api) -> None:
    answer = api.post(":getByDataFilter", {"dataFilters": [{"gridRange": {"sheetId": METADATA}}]}).json()
    assert [sheet["properties"]["title"] for sheet in answer["sheets"]] == ["Metadata"]


def test_a_read_may_be_stale_when_that_is_wanted(api: Api, control: Control) -> None:
    control.edit("Operaciones", "B3", "OT-9")
    control.options(stale_reads=1.0)
    assert api.values("Operaciones!B3") == [["OT-1"]]
    control.options(stale_ms=5_000)
    assert api.values("Operaciones!B3") == [["OT-1"]]
    control.advance(6)
    assert api.values("Operaciones!B3") == [["OT-9"]]


def test_unknown_paths_and_unknown_workbooks_are_not_found(api: Api) -> None:
    assert api.get("/nothing").status_code == 404
    answer = api.http.get("/v4/spreadsheets/1nowhere")
    assert answer.json()["error"] == {"code": 404, "message": "Requested entity was not found.", "status": "NOT_FOUND"}


def test_drive_tells_the_version_that_every_change_raises(api: Api, control: Control) -> None:
    path = f"/drive/v3/files/{control.spreadsheet}"
    before = api.http.get(path, params={"fields": "version,modifiedTime"}).json()
    control.advance(60)
    control.edit("Operaciones", "B3", "OT-9")
    after = api.http.get(path, params={"fields": "version,modifiedTime"}).json()
    assert set(before) == {"version", "modifiedTime"}
    assert int(after["version"]) > int(before["version"])
    assert after["modifiedTime"] > before["modifiedTime"]
    missing = api.http.get("/drive/v3/files/1nowhere").json()["error"]
    assert missing["errors"][0]["reason"] == "notFound"
    assert missing["message"] == "File not found: 1nowhere."


def test_answers_look_like_googles(api: Api) -> None:
    answer = api.get()
    assert answer.headers["content-type"] == "application/json; charset=UTF-8"
    assert answer.headers["server"] == "ESF"
    assert api.get(prettyPrint="true").text.startswith("{\n  ")


@pytest.mark.parametrize(
    ("apostrophes", "formulas"),
    [
        (False, ["=1+1", "=1+1", "'x", "0012", "MK-1"]),
        (True, ["=1+1", "'=1+1", "''x", "'0012", "MK-1"]),
    ],
)
def test_text_that_looks_like_a_formula_is_text_in_a_read_of_values(
    api: Api, control: Control, apostrophes: bool, formulas: list[str]
) -> None:
    """A read of formulas shows it bare or as a person would have to type it: which of both is not known."""
    control.options(formula_apostrophes=apostrophes)
    control.edit("Operaciones", "A8", "=1+1")
    for cell, text in (("B8", "=1+1"), ("C8", "'x"), ("D8", "0012"), ("E8", "MK-1")):
        control.edit("Operaciones", cell, text, "RAW")
    assert api.get("/values/A8:E8", valueRenderOption="FORMULA").json()["values"] == [formulas]
    assert api.get("/values/A8:E8", valueRenderOption="UNFORMATTED_VALUE").json()["values"] == [
        [2, "=1+1", "'x", "0012", "MK-1"]
    ]
