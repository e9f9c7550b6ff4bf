"""Edits by people in a workbook, and that they are recorded as theirs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.sheets_emulator.conftest import METADATA
from tests.integration.sheets_emulator.requests import cells
from tests.support.emulator import Api, Control


def tags(control: Control) -> list[Any]:
    return [row[0] if row else "" for row in control.rows("Operaciones")]


def test_typing_is_parsed_as_in_the_browser_and_raw_is_not(control: Control) -> None:
    control.edit("Operaciones", "D3", "16-11-2026 08:30:00")
    control.edit("Operaciones", "E3", "2,5")
    control.edit("Operaciones", "B3", "2,5", as_="RAW")
    assert control.rows("Operaciones")[2] == ["MK-02", "2,5", "", 46342.354166666664, 2.5]
    assert control.rows("Operaciones", "FORMATTED_VALUE")[2][3] == "16-11-2026 08:30:00"
    control.edit("Operaciones", "E3", "")
    assert control.cell("Operaciones", "E3")["value"] is None


def test_a_block_is_pasted_also_beyond_the_grid(control: Control) -> None:
    control.paste("Operaciones", "E20", [["a", "b"], ["c", "d"]])
    assert control.rows("Operaciones")[19:] == [["", "", "", "", "a", "b"], ["", "", "", "", "c", "d"]]


def test_rows_are_inserted_deleted_and_moved(control: Control) -> None:
    control.insert_rows("Operaciones", 3, 2)
    assert tags(control)[:6] == ["TAG_SPOOL", "MK-01", "", "", "MK-02", "MK-03"]
    control.delete_rows("Operaciones", 3, 2)
    control.move_rows("Operaciones", at=2, to=6)
    assert tags(control) == ["TAG_SPOOL", "MK-02", "MK-03", "MK-04", "MK-01"]
    control.move_rows("Operaciones", at=4, count=2, to=2)
    assert tags(control) == ["TAG_SPOOL", "MK-04", "MK-01", "MK-02", "MK-03"]


def test_columns_are_inserted_deleted_moved_and_renamed(control: Control) -> None:
    control.insert_columns("Operaciones", "OT")
    assert control.rows("Operaciones")[1][:3] == ["MK-01", "", "OT-1"]
    control.delete_columns("Operaciones", "B")
    control.move_columns("Operaciones", "Ocupado_Por", "TAG_SPOOL")
    control.rename_header("Operaciones", "OT", "Orden")
    assert control.rows("Operaciones")[0] == ["Ocupado_Por", "TAG_SPOOL", "Orden", "Fecha_Ocupacion", "Pulgadas_ARM"]
    assert control.rows("Operaciones", "FORMATTED_VALUE")[1][3] == "25-02-2026 12:00:00"


def test_a_sort_moves_cells_with_their_looks_and_leaves_blanks_last(control: Control) -> None:
    control.sort("Operaciones", "Pulgadas_ARM", descending=True)
    assert tags(control) == ["TAG_SPOOL", "MK-02", "MK-01", "MK-03", "MK-04"]
    assert control.rows("Operaciones", "FORMATTED_VALUE")[2][3] == "25-02-2026 12:00:00"
    control.sort("Operaciones", "A", range_="A2:A5")
    assert [row[:2] for row in control.rows("Operaciones")[1:3]] == [["MK-01", "OT-1"], ["MK-02", "OT-1"]]


def test_rows_are_cut_and_pasted_elsewhere(control: Control) -> None:
    control.cut_paste("Operaciones", "A2:E2", "A10")
    assert control.rows("Operaciones")[1] == []
    assert control.rows("Operaciones")[9] == ["MK-01", "OT-1", "MR(93)", 46078.5, 1.5]
    control.cut_paste("Operaciones", "A10:B10", "A2", to_sheet="Metadata")
    assert control.rows("Metadata")[1] == ["MK-01", "OT-1"]


def test_rows_are_added_also_with_a_key_twice_or_none(control: Control) -> None:
    assert control.add_row("Operaciones", TAG_SPOOL="MK-01", OT="OT-9") == 6
    assert control.add_row("Operaciones", OT="OT-10") == 7
    assert [row[:2] for row in control.rows("Operaciones")[5:]] == [["MK-01", "OT-9"], ["", "OT-10"]]


def test_tabs_are_renamed_reordered_duplicated_and_deleted(control: Control) -> None:
    control.rename_tab("Operaciones", "Spools")
    control.duplicate_tab("Spools", "Spools (2)")
    control.reorder_tab("Metadata", 0)
    titles = [tab["title"] for tab in control.workbook()["tabs"]]
    assert titles == ["Metadata", "Spools", "Spools (2)"]
    ids = {tab["title"]: tab["sheetId"] for tab in control.workbook()["tabs"]}
    assert ids["Spools"] == 0
    assert ids["Spools (2)"] not in (0, METADATA)
    assert control.rows("Spools (2)") == control.rows("Spools")
    control.edit("Spools (2)", "A2", "changed")
    assert control.rows("Spools")[1][0] == "MK-01"
    control.delete_tab("Spools")
    assert [tab["title"] for tab in control.workbook()["tabs"]] == ["Metadata", "Spools (2)"]


def test_a_deleted_and_remade_tab_has_another_id(control: Control) -> None:
    control.delete_tab("Metadata")
    control.add_tab("Metadata")
    (made,) = [tab for tab in control.workbook()["tabs"] if tab["title"] == "Metadata"]
    assert made["sheetId"] != METADATA


def test_filters_and_protection_follow_their_rows(api: Api, control: Control) -> None:
    control.filter("Operaciones", "A1:E5")
    control.protect("Operaciones", "A3:E3", warning=True)
    control.insert_rows("Operaciones", 2)
    sheet = api.get().json()["sheets"][0]
    assert sheet["basicFilter"]["range"]["endRowIndex"] == 6
    assert sheet["protectedRanges"][0]["range"]["startRowIndex"] == 3
    control.unfilter("Operaciones")
    assert "basicFilter" not in api.get().json()["sheets"][0]


def test_formats_change_what_is_seen_and_not_what_is_there(control: Control) -> None:
    control.set_format("Operaciones", "E2:E4", "NUMBER", "0.00")
    assert [row[4] for row in control.rows("Operaciones", "FORMATTED_VALUE")[1:4]] == ["1,50", "2,00", "0,50"]
    control.set_format("Operaciones", "D2", None)
    assert control.rows("Operaciones", "FORMATTED_VALUE")[1][3] == "46078,5"


def test_undo_takes_back_the_last_act_and_leaves_what_others_wrote(api: Api, control: Control) -> None:
    control.sort("Operaciones", "TAG_SPOOL", descending=True)
    control.undo()
    assert tags(control)[1] == "MK-01"
    control.edit("Operaciones", "B3", "OT-9")
    api.batch(cells(0, 2, 2, "JP(12)"))
    control.undo()
    assert control.rows("Operaciones")[2] == ["MK-02", "OT-1", "JP(12)", "", 2]


def test_an_old_version_comes_back_whole(api: Api, control: Control) -> None:
    yesterday = control.revision()
    control.edit("Operaciones", "B3", "OT-9")
    control.delete_rows("Operaciones", 5)
    api.batch(cells(0, 1, 2, "JP(12)"))
    control.rename_tab("Metadata", "Eventos")
    now = control.restore(yesterday)
    assert now == yesterday + 5
    assert tags(control) == ["TAG_SPOOL", "MK-01", "MK-02", "MK-03", "MK-04"]
    assert control.rows("Operaciones")[1][2] == "MR(93)"
    assert control.rows("Metadata") == [["ID", "Evento_Tipo"]]


def test_a_workbook_replaced_by_its_copy_has_other_ids(api: Api, control: Control) -> None:
    old = control.spreadsheet
    made = control.replace_by_copy()
    assert made["spreadsheetId"] != old
    assert made["sheetIds"]["Metadata"] != METADATA
    assert control.rows("Operaciones")[1][0] == "MK-01"
    assert api.get().status_code == 404


def test_the_zone_decides_what_today_is(control: Control) -> None:
    control.edit("Operaciones", "B3", "=TODAY()")
    assert control.rows("Operaciones")[2][1] == 46342
    control.advance(14 * 3600)  # 22:00 on Monday in Santiago, Tuesday in Madrid
    assert control.rows("Operaciones")[2][1] == 46342
    control.time_zone("Europe/Madrid")
    assert control.rows("Operaciones")[2][1] == 46343


@pytest.mark.parametrize(
    ("formula", "seen"),
    [
        ("=E2", 1.5),
        ("=E2*2+1", 4),
        ("=-E2", -1.5),
        ("=SUM(E2:E5)", 4),
        ("=SUMA(E2;E3)", 3.5),
        ('=IF(E2>1,"big","small")', "big"),
        ('=SI(C3="";"libre";C3)', "libre"),
        ('=VLOOKUP("MK-03",A1:E5,5)', 0.5),
        ('=VLOOKUP("MK-99",A1:E5,5)', "#N/A"),
        ('=A2&"-"&B2', "MK-01-OT-1"),
        ("=1/0", "#DIV/0!"),
        ("=A2+1", "#VALUE!"),
        ("=IMPORTDATA(A1)", "#NAME?"),
        ("=Nowhere!A1", "#REF!"),
        ("=B8", "#REF!"),
        ("=(1+", "#ERROR!"),
        ("=TRUE", True),
        ("=E2>=1.5", True),
        ("=Operaciones!A2", "MK-01"),
    ],
)
def test_a_handful_of_formulas(control: Control, formula: str, seen: Any) -> None:
    control.edit("Operaciones", "B8", formula)
    assert control.rows("Operaciones")[7][1] == seen
    assert control.rows("Operaciones", "FORMULA")[7][1] == formula


def test_formulas_follow_their_cells_and_break_with_them(control: Control) -> None:
    control.edit("Operaciones", "B8", "=E3+SUM(E2:E4)")
    control.insert_rows("Operaciones", 2)
    assert control.rows("Operaciones", "FORMULA")[8][1] == "=E4+SUM(E3:E5)"
    control.insert_columns("Operaciones", "C")
    assert control.rows("Operaciones", "FORMULA")[8][1] == "=F4+SUM(F3:F5)"
    control.delete_rows("Operaciones", 4)
    assert control.rows("Operaciones", "FORMULA")[7][1] == "=#REF!+SUM(F3:F4)"
    assert control.rows("Operaciones")[7][1] == "#REF!"


def test_what_cannot_be_computed_can_be_pinned(control: Control) -> None:
    control.edit("Operaciones", "B8", "=IMPORTDATA(A1)")
    control.pin("Operaciones", "B8", 17)
    assert control.rows("Operaciones")[7][1] == 17


def test_a_timed_script_of_acts(control: Control) -> None:
    edit = {"spreadsheet": control.spreadsheet, "sheet": "Operaciones", "cell": "B3", "value": "OT-9"}
    control.script(
        {"after_s": 10, "path": "person/edit", "body": edit},
        {"after_s": 20, "path": "person/delete_rows", "body": {**edit, "at": 2}},
    )
    control.advance(11)
    assert control.rows("Operaciones")[2][1] == "OT-9"
    control.advance(10)
    assert tags(control)[1] == "MK-02"
    control.script({"after_s": 1, "path": "person/edit", "body": {"sheet": "Nowhere"}})
    control.advance(2)
    (failed,) = control.get("later")["failed"]
    assert failed.startswith("POST /_control/person/edit")


def test_acts_that_cannot_be_are_refused_and_change_nothing(control: Control) -> None:
    before = control.revision()
    for act, fields in (
        ("edit", {"sheet": "Nowhere", "cell": "A1", "value": "x"}),
        ("edit", {"sheet": "Operaciones"}),
        ("delete_rows", {"sheet": "Operaciones", "at": 1, "count": 20}),
        ("insert_rows", {"sheet": "Operaciones", "at": 99}),
        ("restore", {"revision": 99}),
        ("dance", {}),
    ):
        with pytest.raises(AssertionError, match="400"):
            control.person(act, **fields)
    assert control.revision() == before
