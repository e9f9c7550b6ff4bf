"""Developer metadata: ids that guard a batch, budgets, and places that follow their rows and columns."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.sheets_emulator.requests import appended, cells, guard, on_row
from tests.support.emulator import Api, Control


def row_of(api: Api, id_: int) -> int | None:
    """From 0; None when it is gone."""
    answer = api.get(f"/developerMetadata/{id_}")
    if answer.status_code == 404:
        return None
    index: int = answer.json()["location"]["dimensionRange"]["startIndex"]
    return index


def search(api: Api, **lookup: Any) -> list[int]:
    body = {"dataFilters": [{"developerMetadataLookup": lookup}]}
    found = api.post("/developerMetadata:search", body).json().get("matchedDeveloperMetadata", [])
    return [one["developerMetadata"]["metadataId"] for one in found]


def test_an_id_in_use_fails_the_whole_batch(api: Api, control: Control) -> None:
    flush = (guard(41), appended(70, ["e-1"]))
    assert api.batch(*flush).status_code == 200
    refused = api.batch(*flush)
    assert refused.status_code == 400
    assert refused.json()["error"]["message"].startswith("Invalid requests[0].createDeveloperMetadata: ")
    assert control.audit()["in_order"] == ["e-1"]


def test_whether_a_flush_was_applied_costs_one_read(api: Api) -> None:
    absent = api.get("/developerMetadata/41")
    assert absent.status_code == 404
    assert absent.json()["error"]["message"].startswith("No developer metadata with ID 41")
    api.batch(guard(41))
    metadata = api.get("/developerMetadata/41").json()
    assert metadata == {
        "metadataId": 41,
        "metadataKey": "flush",
        "location": {"locationType": "SPREADSHEET", "spreadsheet": True},
        "visibility": "DOCUMENT",
    }
    assert api.get("/developerMetadata/x").status_code == 400


def test_without_an_id_one_is_given(api: Api) -> None:
    wanted = {"metadataKey": "k", "visibility": "PROJECT", "location": {"sheetId": 0}}
    reply = api.batch({"createDeveloperMetadata": {"developerMetadata": wanted}}).json()["replies"][0]
    made = reply["createDeveloperMetadata"]["developerMetadata"]
    assert made["location"] == {"locationType": "SHEET", "sheetId": 0}
    assert search(api, metadataKey="k", locationType="SHEET") == [made["metadataId"]]
    assert search(api, metadataKey="k", visibility="DOCUMENT") == []


@pytest.mark.parametrize("lacking", ["metadataKey", "visibility", "location"])
def test_metadata_needs_a_key_a_visibility_and_a_place(api: Api, lacking: str) -> None:
    request = guard(41)
    del request["createDeveloperMetadata"]["developerMetadata"][lacking]
    assert api.batch(request).status_code == 400


def test_it_follows_its_row_through_inserts_moves_and_deletes(api: Api, control: Control) -> None:
    api.batch(on_row(9, 2))
    control.insert_rows("Operaciones", 2)
    assert row_of(api, 9) == 3
    control.move_rows("Operaciones", at=4, to=2)
    assert row_of(api, 9) == 1
    control.delete_rows("Operaciones", 3)
    assert row_of(api, 9) == 1
    control.delete_rows("Operaciones", 2)
    assert row_of(api, 9) is None


def test_it_follows_its_column(api: Api, control: Control) -> None:
    api.batch(on_row(9, 2, dimension="COLUMNS"))
    control.insert_columns("Operaciones", "A", 2)
    assert row_of(api, 9) == 4
    control.move_columns("Operaciones", "E", "A")
    assert row_of(api, 9) == 0
    control.delete_columns("Operaciones", "A")
    assert row_of(api, 9) is None


@pytest.mark.parametrize(("follows", "row"), [(False, 1), (True, 4)])
def test_a_sort_leaves_it_behind_unless_told_otherwise(api: Api, control: Control, follows: bool, row: int) -> None:
    control.options(metadata_follows_sort=follows)
    api.batch(on_row(9, 1))
    control.sort("Operaciones", "TAG_SPOOL", descending=True)
    assert control.rows("Operaciones")[4][0] == "MK-01"
    assert row_of(api, 9) == row


def test_cut_and_paste_never_carries_it(api: Api, control: Control) -> None:
    api.batch(on_row(9, 1))
    control.cut_paste("Operaciones", "A2:E2", "A9")
    assert control.rows("Operaciones")[8][0] == "MK-01"
    assert row_of(api, 9) == 1


def test_it_goes_with_its_sheet_and_comes_back_with_a_restored_version(api: Api, control: Control) -> None:
    api.batch(guard(5), on_row(9, 1))
    before = control.revision()
    control.add_tab("Otra")
    control.delete_tab("Operaciones")
    assert (search(api, metadataKey="row"), search(api, metadataKey="flush")) == ([], [5])
    control.restore(before)
    assert row_of(api, 9) == 1


def test_a_restore_takes_away_what_came_later(api: Api, control: Control) -> None:
    before = control.revision()
    api.batch(guard(5))
    control.restore(before)
    assert api.get("/developerMetadata/5").status_code == 404


def test_the_spreadsheet_and_each_sheet_hold_thirty_thousand_characters(api: Api) -> None:
    assert api.batch(on_row(1, 1, value="v" * 29_997)).status_code == 200
    refused = api.batch(on_row(2, 2, value="v"))
    assert refused.status_code == 400
    assert "30000 characters" in refused.json()["error"]["message"]
    assert api.batch(on_row(2, 1, sheet_id=70, value="v" * 29_997), guard(3)).status_code == 200


def test_two_thousand_guards_fit(api: Api) -> None:
    assert api.batch(*map(guard, range(1, 2_001))).status_code == 200
    assert len(search(api, metadataKey="flush")) == 2_000


def test_it_is_changed_and_deleted_by_what_it_says(api: Api) -> None:
    api.batch(guard(1), guard(2), on_row(3, 1))
    lookup = {"dataFilter": {"developerMetadataLookup": {"metadataKey": "flush"}}}
    gone = api.batch({"deleteDeveloperMetadata": lookup}).json()["replies"][0]["deleteDeveloperMetadata"]
    assert [one["metadataId"] for one in gone["deletedDeveloperMetadata"]] == [1, 2]
    change = {
        "dataFilters": [{"developerMetadataLookup": {"metadataId": 3}}],
        "developerMetadata": {"metadataValue": "MK-01"},
        "fields": "metadataValue",
    }
    api.batch({"updateDeveloperMetadata": change})
    assert search(api, metadataValue="MK-01") == [3]


def test_deleting_an_id_that_is_gone_fails_its_batch(api: Api) -> None:
    lookup = {"dataFilter": {"developerMetadataLookup": {"metadataId": 77}}}
    refused = api.batch({"deleteDeveloperMetadata": lookup})
    assert refused.status_code == 400
    assert "No developer metadata with ID 77" in refused.json()["error"]["message"]


def test_rows_are_read_by_what_hangs_on_them(api: Api, control: Control) -> None:
    api.batch(on_row(9, 2), cells(0, 2, 2, "JP(12)"))
    control.insert_rows("Operaciones", 1, 4)
    body = {"dataFilters": [{"developerMetadataLookup": {"metadataId": 9}}]}
    (one,) = api.post("/values:batchGetByDataFilter", body).json()["valueRanges"]
    assert one["valueRange"]["range"] == "Operaciones!A7:E7"
    assert one["valueRange"]["values"][0][:3] == ["MK-02", "OT-1", "JP(12)"]
    nothing = api.post(
        "/values:batchGetByDataFilter", {"dataFilters": [{"developerMetadataLookup": {"metadataId": 8}}]}
    )
    assert "valueRanges" not in nothing.json()


def test_where_it_hangs_can_be_asked_for(api: Api) -> None:
    api.batch(on_row(9, 1), on_row(10, 2), guard(11))
    span = {"sheetId": 0, "dimension": "ROWS", "startIndex": 1, "endIndex": 2}
    assert search(api, metadataLocation={"dimensionRange": span}) == [9]
    within = {"metadataLocation": {"sheetId": 0}, "locationMatchingStrategy": "INTERSECTING_LOCATION"}
    assert search(api, **within) == [9, 10]
