"""A batch is applied in order and whole, or not at all; refusals have Google's words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.sheets_emulator.conftest import METADATA, OPERACIONES
from tests.integration.sheets_emulator.requests import appended, cells, guard
from tests.support.emulator import Api, Control


def message(answer: Any) -> str:
    assert answer.status_code == 400, answer.text
    text: str = answer.json()["error"]["message"]
    return text


def sheet_properties(fields: str, **properties: Any) -> dict[str, Any]:
    return {"updateSheetProperties": {"properties": properties, "fields": fields}}


def span(sheet_id: int, dimension: str, start: int, end: int) -> dict[str, Any]:
    return {"sheetId": sheet_id, "dimension": dimension, "startIndex": start, "endIndex": end}


def test_one_reply_for_each_request_in_order(api: Api) -> None:
    answer = api.batch(cells(OPERACIONES, 1, 2, "JP(12)"), guard(5), appended(METADATA, ["e-1"])).json()
    assert [list(reply) for reply in answer["replies"]] == [[], ["createDeveloperMetadata"], []]


def test_later_requests_see_what_earlier_ones_did(api: Api, control: Control) -> None:
    insert = {"insertDimension": {"range": span(OPERACIONES, "ROWS", 1, 2)}}
    api.batch(insert, cells(OPERACIONES, 1, 0, "MK-00"), cells(OPERACIONES, 2, 1, "OT-9"))
    assert [row[:2] for row in control.rows("Operaciones")[1:3]] == [["MK-00"], ["MK-01", "OT-9"]]


def test_one_bad_request_undoes_all_the_others(api: Api, control: Control) -> None:
    before = control.workbook()["revision"]
    bad = cells(OPERACIONES, 1000, 0, "x")
    refused = api.batch(guard(5), cells(OPERACIONES, 1, 2, "JP(12)"), appended(METADATA, ["e-1"]), bad)
    assert message(refused) == (
        "Invalid requests[3].updateCells: GridCoordinate.rowIndex[1000] is after last row in grid[19]"
    )
    assert control.workbook()["revision"] == before
    assert api.get("/developerMetadata/5").status_code == 404
    assert control.rows("Metadata") == [["ID", "Evento_Tipo"]]


def test_unknown_kinds_are_refused(api: Api) -> None:
    error = api.batch({"paintItRed": {}}).json()["error"]
    assert error["message"].startswith("Invalid JSON payload received. Unknown name \"paintItRed\" at 'requests[0]'")
    assert message(api.batch({})) == "Invalid requests[0]: No request set."
    assert message(api.batch()) == "Must specify at least one request."


def test_a_batch_has_at_most_a_hundred_thousand_requests(api: Api) -> None:
    body = b'{"requests":[' + b",".join([b"{}"] * 100_001) + b"]}"
    answer = api.http.post(f"{api.path}:batchUpdate", content=body)
    assert message(answer) == "Cannot exceed 100000 requests in a single batch."


def test_typed_values_are_never_parsed(api: Api) -> None:
    api.batch(cells(OPERACIONES, 7, 0, "=IMPORTDATA(1)", "007", True, 46078.5))
    assert api.values("Operaciones!A8:D8") == [["=IMPORTDATA(1)", "007", True, 46078.5]]
    assert api.get("/values/A8", valueRenderOption="FORMULA").json()["values"] == [["=IMPORTDATA(1)"]]
    formula = {"userEnteredValue": {"formulaValue": "=1+2"}}
    api.batch(cells(OPERACIONES, 7, 0, formula))
    assert api.values("Operaciones!A8") == [[3]]


@pytest.mark.parametrize(
    "value", [{"numberValue": "5"}, {"stringValue": 5}, {"boolValue": 1}, {"dateValue": 5}, {"formulaValue": "1+2"}]
)
def test_a_value_of_the_wrong_type_is_refused(api: Api, value: dict[str, Any]) -> None:
    assert api.batch(cells(OPERACIONES, 7, 0, {"userEnteredValue": value})).status_code == 400


def test_a_cell_without_a_value_is_emptied_and_only_what_fields_name_changes(api: Api) -> None:
    api.batch(cells(OPERACIONES, 1, 1, None, "JP(12)"))
    assert api.values("Operaciones!A2:C2") == [["MK-01", "", "JP(12)"]]
    shown = {"userEnteredFormat": {"numberFormat": {"type": "DATE", "pattern": "dd-mm-yyyy"}}}
    api.batch(cells(OPERACIONES, 1, 3, shown, fields="userEnteredFormat.numberFormat"))
    assert api.get("/values/Operaciones!D2").json()["values"] == [["25-02-2026"]]


def test_fields_must_be_named(api: Api) -> None:
    assert "At least one field must be listed in 'fields'" in message(
        api.batch(cells(OPERACIONES, 1, 1, "x", fields=""))
    )


def test_a_range_empties_what_its_rows_do_not_give(api: Api) -> None:
    area = {"sheetId": 0, "startRowIndex": 1, "endRowIndex": 3, "startColumnIndex": 0, "endColumnIndex": 2}
    rows = [{"values": [{"userEnteredValue": {"stringValue": "only"}}]}]
    api.batch({"updateCells": {"range": area, "rows": rows, "fields": "userEnteredValue"}})
    assert api.values("Operaciones!A2:C3") == [["only", "", "MR(93)"]]
    wide: list[dict[str, Any]] = [{"values": [{}] * 3}]
    refused = api.batch({"updateCells": {"range": area, "rows": wide, "fields": "userEnteredValue"}})
    assert "Attempting to write column: 2, beyond the last requested column of: 1" in message(refused)


def test_append_cells_goes_below_the_last_row_with_data_and_grows_the_grid(api: Api, control: Control) -> None:
    api.batch(appended(METADATA, ["e-1"], ["e-2"], ["e-3"]))
    api.batch(appended(METADATA, ["e-4", "x", "y"]))
    assert control.rows("Metadata") == [["ID", "Evento_Tipo"], ["e-1"], ["e-2"], ["e-3"], ["e-4", "x", "y"]]
    tab = control.workbook()["tabs"][1]
    assert (tab["rows"], tab["columns"]) == (5, 3)


def test_a_cell_below_counts_as_data_wherever_it_is(api: Api, control: Control) -> None:
    control.edit("Metadata", "B3", "note")
    api.batch(appended(METADATA, ["e-1"]))
    assert control.rows("Metadata")[2:] == [["", "note"], ["e-1"]]


def test_the_answer_may_echo_the_spreadsheet(api: Api) -> None:
    body = {
        "requests": [cells(OPERACIONES, 1, 2, "JP(12)")],
        "includeSpreadsheetInResponse": True,
        "responseRanges": ["Operaciones!A2:C2"],
        "responseIncludeGridData": True,
    }
    answer = api.post(":batchUpdate", body).json()["updatedSpreadsheet"]
    values = answer["sheets"][0]["data"][0]["rowData"][0]["values"]
    assert [one["formattedValue"] for one in values] == ["MK-01", "OT-1", "JP(12)"]


def test_tabs_are_added_renamed_reordered_and_removed(api: Api, control: Control) -> None:
    grid = {"rowCount": 5, "columnCount": 2}
    made = api.batch({"addSheet": {"properties": {"title": "Nueva", "gridProperties": grid}}}).json()
    properties = made["replies"][0]["addSheet"]["properties"]
    assert (properties["title"], properties["index"], properties["gridProperties"]) == ("Nueva", 2, grid)
    new = properties["sheetId"]
    api.batch(sheet_properties("title,index", sheetId=new, title="Primera", index=0))
    assert [tab["title"] for tab in control.workbook()["tabs"]] == ["Primera", "Operaciones", "Metadata"]
    api.batch({"deleteSheet": {"sheetId": new}})
    assert [tab["title"] for tab in control.workbook()["tabs"]] == ["Operaciones", "Metadata"]
    assert "No grid with id" in message(api.batch(cells(new, 0, 0, "x")))


def test_titles_are_unique_and_ids_are_for_ever(api: Api) -> None:
    taken = api.batch({"addSheet": {"properties": {"title": "operaciones"}}})
    assert message(taken) == (
        'Invalid requests[0].addSheet: A sheet with the name "operaciones" already exists. Please enter another name.'
    )
    assert "already exists" in message(api.batch({"addSheet": {"properties": {"sheetId": METADATA}}}))
    assert "cannot be changed" in message(api.batch(sheet_properties("sheetId", sheetId=0, title="x")))


def test_all_tabs_cannot_be_hidden_or_removed(api: Api) -> None:
    api.batch(sheet_properties("hidden", sheetId=METADATA, hidden=True))
    assert message(api.batch(sheet_properties("hidden", sheetId=0, hidden=True))) == (
        "Invalid requests[0].updateSheetProperties: You can't hide all the sheets in a document."
    )
    assert "all the visible sheets" in message(api.batch({"deleteSheet": {"sheetId": 0}}))


def test_the_grid_is_resized_and_frozen(api: Api, control: Control) -> None:
    grid = {"rowCount": 30, "columnCount": 8, "frozenRowCount": 2}
    mask = "gridProperties/rowCount,gridProperties/columnCount,gridProperties.frozenRowCount"
    api.batch(sheet_properties(mask, sheetId=0, gridProperties=grid))
    shown = api.get(fields="sheets.properties.gridProperties").json()["sheets"][0]["properties"]["gridProperties"]
    assert shown == grid
    api.batch(sheet_properties("gridProperties.rowCount", sheetId=0, gridProperties={"rowCount": 3}))
    assert [row[0] for row in control.rows("Operaciones")] == ["TAG_SPOOL", "MK-01", "MK-02"]


def test_a_workbook_holds_ten_million_cells(api: Api) -> None:
    wide = {"appendDimension": {"sheetId": METADATA, "dimension": "COLUMNS", "length": 9_998}}
    tall = {"appendDimension": {"sheetId": METADATA, "dimension": "ROWS", "length": 1_000}}
    refused = message(api.batch(wide, tall))
    assert refused == (
        "Invalid requests[1].appendDimension: This action would increase the number of cells in the workbook above "
        "the limit of 10000000 cells."
    )


def test_find_and_replace(api: Api, control: Control) -> None:
    body = {"findReplace": {"find": "ot-1", "replacement": "OT-11", "sheetId": 0, "matchEntireCell": True}}
    result = api.batch(body).json()["replies"][0]["findReplace"]
    assert result == {"occurrencesChanged": 2, "valuesChanged": 2, "rowsChanged": 2, "sheetsChanged": 1}
    assert [row["OT"] for row in control.records("Operaciones")] == ["OT-11", "OT-11", "OT-2", "OT-2"]


def test_a_protected_cell_fails_the_whole_batch_except_for_its_editors(api: Api, control: Control) -> None:
    control.protect("Operaciones", "C2")
    refused = message(api.batch(appended(METADATA, ["e-1"]), cells(OPERACIONES, 1, 2, "JP(12)")))
    assert "You are trying to edit a protected cell or object." in refused
    assert control.rows("Metadata") == [["ID", "Evento_Tipo"]]
    control.unprotect("Operaciones")
    ours = {"protectedRange": {"range": {"sheetId": 0, "endRowIndex": 1}, "description": "header"}}
    api.batch({"addProtectedRange": ours})
    assert api.batch(cells(OPERACIONES, 0, 1, "Orden")).status_code == 200
    again = {"protectedRange": {"range": {"sheetId": 0}}}
    assert api.batch({"addProtectedRange": again}).status_code == 200
    assert 'Sheet "Operaciones" already has sheet protection.' in message(api.batch({"addProtectedRange": again}))


def test_the_locale_and_zone_of_a_spreadsheet_can_be_changed(api: Api) -> None:
    change = {"properties": {"locale": "en_US", "timeZone": "Europe/Madrid"}, "fields": "locale,timeZone"}
    api.batch({"updateSpreadsheetProperties": change})
    shown = api.get(fields="properties(locale,timeZone)").json()["properties"]
    assert shown == {"locale": "en_US", "timeZone": "Europe/Madrid"}
    wrong = {"properties": {"timeZone": "Mars/Base"}, "fields": "timeZone"}
    assert api.batch({"updateSpreadsheetProperties": wrong}).status_code == 400


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (":batchUpdate", {"requests": "x"}),
        (":batchUpdate", {"requests": [5]}),
        (":batchUpdate", {"requests": [{"updateCells": "x"}]}),
        (":batchUpdate", {"requests": [{"updateCells": {"start": 5, "rows": [], "fields": "*"}}]}),
        (":batchUpdate", {"requests": [{"appendCells": {"rows": [5], "fields": "*"}}]}),
        (":batchUpdate", {"requests": [{"createDeveloperMetadata": {"developerMetadata": {"metadataId": "x"}}}]}),
        (":batchUpdate", {"requests": [{"addSheet": {"properties": {"gridProperties": {"rowCount": "many"}}}}]}),
        (":getByDataFilter", {"dataFilters": "x"}),
        ("/values:batchGetByDataFilter", {"dataFilters": [{"gridRange": {"sheetId": "x"}}]}),
        ("/values:batchUpdate", {"valueInputOption": "RAW", "data": [5]}),
        ("/values:batchUpdate", {"valueInputOption": "RAW", "data": [{"range": "A1", "values": [[{}]]}]}),
        ("/developerMetadata:search", {"dataFilters": [{"developerMetadataLookup": 5}]}),
    ],
)
def test_bodies_of_the_wrong_shape_are_refused_and_change_nothing(
    api: Api, control: Control, path: str, body: dict[str, Any]
) -> None:
    before = control.revision()
    answer = api.post(path, body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["status"] == "INVALID_ARGUMENT"
    assert control.revision() == before


def test_a_body_that_is_no_json_is_refused(api: Api) -> None:
    assert api.http.post(f"{api.path}:batchUpdate", content=b"{").status_code == 400
    assert api.http.post(f"{api.path}:batchUpdate", content=b"[]").status_code == 400
