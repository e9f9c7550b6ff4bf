"""Values written: raw, as typed, skipped, emptied; and everything that is refused."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from sheets_emulator.entering import entered
from sheets_emulator.locales import LOCALES
from sheets_emulator.model import EnteredFormula
from tests.integration.sheets_emulator.requests import on_row
from tests.support.emulator import Api, Control


def message(answer: Any) -> str:
    text: str = answer.json()["error"]["message"]
    return text


def test_raw_keeps_text_and_types_as_they_are(api: Api) -> None:
    given = ["007", "12E3", "=1+1", "25-02-2026", 1.5]
    assert api.update("Operaciones!A8:E8", [given]).json()["updatedCells"] == 5
    assert api.values("Operaciones!A8:E8") == [given]
    assert api.get("/values/Operaciones!C8", valueRenderOption="FORMULA").json()["values"] == [["=1+1"]]
    api.update("Operaciones!A8", [[True]])
    assert api.values("Operaciones!A8") == [[True]]


def test_null_leaves_a_cell_alone_and_nothing_empties_it(api: Api) -> None:
    answer = api.update("Operaciones!A2:C2", [[None, "OT-7", ""]], includeValuesInResponse="true").json()
    assert api.values("Operaciones!A2:E2") == [["MK-01", "OT-7", "", 46078.5, 1.5]]
    assert answer["updatedCells"] == 2
    assert answer["updatedData"]["values"] == [["MK-01", "OT-7"]]


def test_the_echo_of_a_row_wide_range_tells_which_row_was_hit(api: Api) -> None:
    answer = api.update(
        "Operaciones!A3:E3",
        [[None, None, "JP(12)"]],
        includeValuesInResponse="true",
        responseValueRenderOption="UNFORMATTED_VALUE",
    ).json()
    assert answer["updatedData"] == {
        "range": "Operaciones!A3:E3",
        "majorDimension": "ROWS",
        "values": [["MK-02", "OT-1", "JP(12)", "", 2]],
    }


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("1,5", 1.5),
        ("1.234", 1234),
        ("1.234,5", 1234.5),
        ("1.5", "1.5"),
        ("12E3", 12000),
        ("007", 7),
        ("-3", -3),
        ("+3", 3),
        ("15%", 0.15),
        ("$1.500", 1500),
        ("25-02-2026", 46078),
        ("25/02/2026", 46078),
        ("2026-02-25", 46078),
        ("25-02-2026 12:00:00", 46078.5),
        ("1/1/26", 46023),
        ("29-02-2026", "29-02-2026"),
        ("29-02-2028", 46812),
        ("12:00", 0.5),
        ("25:00", "25:00"),
        ("VERDADERO", True),
        ("false", False),
        ("'25-02-2026", "25-02-2026"),
        ("=A1", EnteredFormula("=A1")),
        ("+A1", EnteredFormula("=A1")),
        ("=", "="),
        ("MK-01", "MK-01"),
        (" padded ", " padded "),
    ],
)
def test_what_a_person_types_in_chile_becomes(typed: str, value: Any) -> None:
    assert entered(typed, LOCALES["es_CL"])[0] == value


@pytest.mark.parametrize(
    ("typed", "value"),
    [("1.5", 1.5), ("1,234", 1234), ("1,5", "1,5"), ("2/25/2026", 46078), ("25/2/2026", "25/2/2026")],
)
def test_the_same_keys_mean_something_else_in_the_united_states(typed: str, value: Any) -> None:
    assert entered(typed, LOCALES["en_US"])[0] == value


def test_a_cell_of_plain_text_keeps_what_is_typed(api: Api, control: Control) -> None:
    control.set_format("Operaciones", "B3", "TEXT", "@")
    api.update("Operaciones!B3", [["007"]], "USER_ENTERED")
    assert api.values("Operaciones!B3") == [["007"]]


def test_a_typed_date_brings_its_format_unless_the_cell_has_one(api: Api) -> None:
    api.update("Operaciones!B3:D3", [["5/3/2026", None, "5/3/2026"]], "USER_ENTERED")
    assert api.get("/values/Operaciones!B3:D3").json()["values"] == [["5/3/2026", "", "05-03-2026 00:00:00"]]
    assert api.values("Operaciones!B3:D3") == [[46086, "", 46086]]


def test_one_cell_is_where_values_begin_and_a_range_is_where_they_stay(api: Api) -> None:
    assert api.update("Operaciones!A8", [["a", "b"], ["c"]]).json()["updatedRange"] == "Operaciones!A8:B9"
    refused = api.update("Operaciones!A8:B8", [["a", "b", "c"]])
    assert refused.status_code == 400
    assert message(refused) == "Requested writing within range [Operaciones!A8:B8], but tried writing to column [C]"
    below = api.update("Operaciones!A8:B8", [["a"], ["b"]])
    assert message(below) == "Requested writing within range [Operaciones!A8:B8], but tried writing to row [9]"


def test_nothing_is_written_outside_the_grid(api: Api, control: Control) -> None:
    before = control.rows("Operaciones")
    assert message(api.update("Operaciones!Z1", [["x"]])) == (
        "Range (Operaciones!Z1) exceeds grid limits. Max rows: 20, max columns: 5"
    )
    assert "exceeds grid limits" in message(api.update("Operaciones!A20", [["x"], ["y"]]))
    assert control.rows("Operaciones") == before


def test_values_that_are_no_lists_are_refused_in_googles_words(api: Api) -> None:
    answer = api.put("/values/A1", {"values": "X", "majorDimension": None}, valueInputOption="RAW")
    error = answer.json()["error"]
    assert error["message"] == "Invalid value at 'data.values' (type.googleapis.com/google.protobuf.ListValue), \"X\""
    assert error["details"][0]["fieldViolations"][0]["field"] == "data.values"


def test_the_input_option_of_values_is_required(api: Api) -> None:
    assert message(api.put("/values/A1", {"values": [["x"]]})) == "'valueInputOption' is required but not specified"
    assert api.update("A1", [["x"]], "COOKED").status_code == 400


def test_several_ranges_are_written_together_or_not_at_all(api: Api, control: Control) -> None:
    data = [{"range": "Operaciones!A8:B8", "values": [["a", "b"]]}, {"range": "Metadata!A2", "values": [["e-1"]]}]
    answer = api.post("/values:batchUpdate", {"valueInputOption": "RAW", "data": data}).json()
    assert (answer["totalUpdatedCells"], answer["totalUpdatedRows"], answer["totalUpdatedSheets"]) == (3, 2, 2)
    wrong = [{"range": "Operaciones!A9", "values": [["c"]]}, {"range": "Nowhere!A1", "values": [["d"]]}]
    refused = api.post("/values:batchUpdate", {"valueInputOption": "RAW", "data": wrong})
    assert message(refused) == "Unable to parse range: Nowhere!A1"
    assert control.rows("Operaciones")[7:] == [["a", "b"]]


def test_a_row_is_written_by_what_hangs_on_it(api: Api, control: Control) -> None:
    api.batch(on_row(9, 2))
    control.insert_rows("Operaciones", 2, 3)
    data = [{"dataFilter": {"developerMetadataLookup": {"metadataId": 9}}, "values": [[None, None, "JP(12)"]]}]
    body = {"valueInputOption": "RAW", "includeValuesInResponse": True, "data": data}
    (response,) = api.post("/values:batchUpdateByDataFilter", body).json()["responses"]
    assert response["updatedData"]["range"] == "Operaciones!A6:E6"
    assert control.records("Operaciones")[4]["Ocupado_Por"] == "JP(12)"


def test_clearing_empties_values_and_keeps_formats(api: Api) -> None:
    assert api.post("/values/Operaciones!C2:E2:clear").json()["clearedRange"] == "Operaciones!C2:E2"
    assert api.values("Operaciones!A2:E2") == [["MK-01", "OT-1"]]
    api.update("Operaciones!D2", [[46078]])
    assert api.get("/values/Operaciones!D2").json()["values"] == [["25-02-2026 00:00:00"]]
    cleared = api.post("/values:batchClear", {"ranges": ["A2", "A3:B3"]}).json()
    assert cleared["clearedRanges"] == ["Operaciones!A2", "Operaciones!A3:B3"]


def test_a_cell_holds_fifty_thousand_characters(api: Api) -> None:
    assert api.update("Operaciones!A8", [["x" * 50_000]]).status_code == 200
    refused = api.update("Operaciones!A8", [["x" * 50_001]])
    assert "50000 characters" in message(refused)


def test_a_protected_cell_stops_the_api_and_a_warning_does_not(api: Api, control: Control) -> None:
    control.protect("Operaciones", "A1:E1")
    refused = api.update("Operaciones!B1", [["Orden"]])
    assert refused.status_code == 400
    assert message(refused).startswith("You are trying to edit a protected cell or object.")
    (protection,) = api.get(fields="sheets.protectedRanges").json()["sheets"][0]["protectedRanges"]
    assert "requestingUserCanEdit" not in protection
    assert api.update("Operaciones!B2", [["OT-5"]]).status_code == 200
    control.unprotect("Operaciones")
    control.protect("Operaciones", "A1:E1", warning=True)
    assert api.update("Operaciones!B1", [["Orden"]]).status_code == 200


# ─── append ───────────────────────────────────────────────────────────────────────────────────────────────────


def append(api: Api, range_: str, *rows: list[Any], **query: Any) -> dict[str, Any]:
    answer = api.post(f"/values/{range_}:append", {"values": list(rows)}, valueInputOption="RAW", **query)
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    return result


def test_append_goes_below_the_table_and_grows_the_grid(api: Api) -> None:
    answer = append(api, "Metadata", ["e-1"], ["e-2"], ["e-3"])
    assert answer["tableRange"] == "Metadata!A1:B1"
    assert answer["updates"]["updatedRange"] == "Metadata!A2:A4"
    assert api.values("Metadata!A:A") == [["ID"], ["e-1"], ["e-2"], ["e-3"]]


def test_append_drifts_to_the_right_after_a_gap(api: Api, control: Control) -> None:
    control.clear("Operaciones", "A1:E20")
    append(api, "Operaciones", ["a", "", "c"])
    again = append(api, "Operaciones", ["a", "", "c"])
    assert (again["tableRange"], again["updates"]["updatedRange"]) == ("Operaciones!C1", "Operaciones!C2:E2")


def test_append_overwrites_what_lies_below_unless_rows_are_inserted(api: Api, control: Control) -> None:
    control.paste("Operaciones", "A7", [["below"]])
    append(api, "Operaciones!A1:E5", ["new-1"], ["new-2"], insertDataOption="INSERT_ROWS")
    assert api.values("Operaciones!A5:A9") == [["MK-04"], ["new-1"], ["new-2"], [], ["below"]]
    control.restore(control.revision() - 1)
    append(api, "Operaciones!A1:E5", ["new-1"], ["new-2"])
    assert api.values("Operaciones!A5:A9") == [["MK-04"], ["new-1"], ["new-2"]]


def test_append_races_and_loses_a_row_when_that_is_wanted(api: Api, control: Control) -> None:
    control.options(append_race=True)
    barrier = control.barrier("before-apply", path=":append")
    slow = threading.Thread(target=append, args=(api, "Metadata", ["slow"]))
    slow.start()
    barrier.wait()
    append(api, "Metadata", ["quick"])
    barrier.release()
    slow.join()
    assert control.rows("Metadata")[1:] == [["slow"]]


@pytest.mark.parametrize(("bug", "rows"), [("off", ["e-1", "e-2"]), ("overwrite", ["e-2"]), ("drop", ["e-1"])])
def test_append_under_a_filter_does_what_it_is_known_for(api: Api, control: Control, bug: str, rows: list[str]) -> None:
    append(api, "Metadata", ["e-1"])
    control.filter("Metadata")
    control.options(filter_bug=bug)
    append(api, "Metadata", ["e-2"])
    assert [row[0] for row in control.rows("Metadata")[1:]] == rows
