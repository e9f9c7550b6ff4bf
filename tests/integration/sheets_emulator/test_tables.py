"""A table whose columns have types takes values, and no number format for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sheets_emulator import workbooks
from sheets_emulator.emulator import Emulator
from tests.integration.sheets_emulator.conftest import METADATA, OPERACIONES
from tests.support.emulator import Api, Control, RunningEmulator

DATE = {"userEnteredValue": {"numberValue": 46_078}, "userEnteredFormat": {"numberFormat": {"type": "DATE"}}}
BOTH = "userEnteredValue,userEnteredFormat.numberFormat"


def update(row: int, column: int, fields: str) -> dict[str, Any]:
    start = {"sheetId": OPERACIONES, "rowIndex": row, "columnIndex": column}
    return {"updateCells": {"start": start, "rows": [{"values": [DATE]}], "fields": fields}}


@pytest.fixture
def table(control: Control) -> None:
    control.person("make_table", sheet="Operaciones", types={"Fecha_Ocupacion": "DATE_TIME"})


@pytest.mark.usefixtures("table")
def test_a_number_format_in_a_typed_column_is_refused_and_nothing_is_written(api: Api) -> None:
    answer = api.batch(update(2, 4, BOTH), update(2, 3, BOTH))
    assert answer.status_code == 400
    message = answer.json()["error"]["message"]
    assert message == "Invalid requests[1].updateCells: This operation is not allowed on cells in a typed column."
    assert api.values("Operaciones!D3:E3") == [["", 2]]


@pytest.mark.usefixtures("table")
def test_the_value_alone_is_taken_and_so_is_a_format_elsewhere(api: Api) -> None:
    assert api.batch(update(2, 3, "userEnteredValue"), update(2, 4, BOTH)).status_code == 200
    assert api.values("Operaciones!D3:E3") == [[46_078, 46_078]]


@pytest.mark.usefixtures("table")
def test_rows_put_below_a_table_belong_to_it(api: Api) -> None:
    row = {"values": [{"userEnteredValue": {"stringValue": "MK-05"}}, {}, {}, {"userEnteredValue": {"numberValue": 1}}]}
    appended = {"sheetId": OPERACIONES, "rows": [row]}
    assert api.batch({"appendCells": {**appended, "fields": BOTH}}).status_code == 400
    assert api.batch({"appendCells": {**appended, "fields": "userEnteredValue"}}).status_code == 200
    assert api.values("Operaciones!A6:D6") == [["MK-05", "", "", 1]]


@pytest.mark.usefixtures("table")
def test_a_typed_column_keeps_its_type_where_people_move_it(api: Api, control: Control) -> None:
    control.move_columns("Operaciones", "Fecha_Ocupacion", "TAG_SPOOL")
    assert api.batch(update(2, 0, BOTH)).status_code == 400
    assert api.batch(update(2, 3, BOTH)).status_code == 200


@pytest.mark.usefixtures("table")
def test_a_table_that_is_a_plain_range_again_takes_formats(api: Api, control: Control) -> None:
    control.person("drop_tables", sheet="Operaciones")
    assert api.batch(update(2, 3, BOTH)).status_code == 200


def test_a_client_makes_a_table_and_takes_it_away(api: Api) -> None:
    grid = {"sheetId": METADATA, "startRowIndex": 0, "endRowIndex": 3, "startColumnIndex": 0, "endColumnIndex": 2}
    columns = [{"columnIndex": 0, "columnName": "ID", "columnType": "TEXT"}]
    made = api.batch({"addTable": {"table": {"tableId": "t1", "range": grid, "columnProperties": columns}}}).json()
    assert made["replies"][0]["addTable"]["table"]["tableId"] == "t1"
    again = api.batch({"addTable": {"table": {"tableId": "t1", "range": grid}}})
    assert "already exists" in again.json()["error"]["message"]
    odd = [{"columnIndex": 0, "columnType": "SOUP"}]
    assert api.batch({"addTable": {"table": {"range": grid, "columnProperties": odd}}}).status_code == 400
    assert api.batch({"deleteTable": {"tableId": "t1"}}).status_code == 200
    assert api.batch({"deleteTable": {"tableId": "t1"}}).status_code == 400


@pytest.mark.usefixtures("table")
def test_tables_come_back_with_a_snapshot(emulator: RunningEmulator, tmp_path: Path) -> None:
    emulator.control.post("snapshot", file=str(tmp_path / "kept.json"))
    other = Emulator()
    workbooks.load(other, tmp_path / "kept.json")
    (file,) = other.files.values()
    assert [kind for _, kind in file.book.sheets[0].tables[0].typed] == ["DATE_TIME"]


@pytest.mark.parametrize("reverse", [False, True])
def test_the_ranges_of_one_answer_may_come_in_another_order(api: Api, control: Control, reverse: bool) -> None:
    control.options(answers_reversed=reverse)
    filters = [{"gridRange": {"sheetId": OPERACIONES, "endRowIndex": 1}}, {"gridRange": {"sheetId": METADATA}}]
    found = api.post("/values:batchGetByDataFilter", {"dataFilters": filters}).json()["valueRanges"]
    ranges = [one["valueRange"]["range"] for one in found]
    expected = ["Operaciones!A1:E1", "Metadata!A1:B3"]
    assert ranges == (expected[::-1] if reverse else expected)
    assert {"dataFilters": [{"gridRange": {"endRowIndex": 1}}]}.items() <= found[1 if reverse else 0].items(), (
        "no zeros"
    )
    control.options(filters_told=False)
    found = api.post("/values:batchGetByDataFilter", {"dataFilters": filters}).json()["valueRanges"]
    assert all("dataFilters" not in one for one in found)
