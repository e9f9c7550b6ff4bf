"""The three-way merge of base, ledger and sheet: who changed a cell."""

from __future__ import annotations

import pytest

from carrete.domain.edits.cells import Edit
from carrete.workbook.columns import Owner
from carrete.workbook.merge import Side, changed_side, merge

OWNERS = {
    "OT": Owner.PEOPLE,
    "Fecha_Armado": Owner.FLOOR,
    "Estado_Detalle": Owner.OURS,
    "Espesor": Owner.PLANNED,
    "WPS": Owner.CONFIRMED,
}


@pytest.mark.parametrize(
    ("base", "ledger", "sheet", "side"),
    [
        ("a", "a", "a", Side.SAME),
        ("a", "b", "a", Side.OURS),
        ("a", "a", "b", Side.PERSON),
        ("a", "b", "b", Side.AGREED),
        ("a", "b", "c", Side.BOTH),
        ("a", "a", "", Side.PERSON),
        ("", "a", "a", Side.AGREED),
        (None, "a", "a", Side.SAME),
        (None, "a", "b", Side.UNSEEN),
    ],
)
def test_each_of_the_ways_three_sides_can_differ(base: str | None, ledger: str, sheet: str, side: Side) -> None:
    assert changed_side(base, ledger, sheet) is side


def test_a_person_wins_over_the_floor_and_both_values_are_known() -> None:
    merged = merge({"Fecha_Armado": ""}, {"Fecha_Armado": "2026-11-02"}, {"Fecha_Armado": "2026-11-03"}, OWNERS)
    assert merged.edits == (Edit("Fecha_Armado", "", "2026-11-02", "2026-11-03", conflict=True),)


def test_what_only_the_floor_changed_is_no_edit() -> None:
    assert not merge({"OT": "1"}, {"OT": "2"}, {"OT": "1"}, OWNERS).edits


def test_without_a_base_engineerings_values_count_and_the_floor_keeps_its_own() -> None:
    ours = {"OT": "1", "Fecha_Armado": "2026-11-02", "Estado_Detalle": "x"}
    merged = merge(None, ours, {"OT": "2", "Fecha_Armado": "", "Estado_Detalle": "y"}, OWNERS)
    assert [edit.column for edit in merged.edits] == ["OT"]
    assert [edit.column for edit in merged.unseen] == ["Fecha_Armado"]


def test_a_column_the_base_never_had_is_judged_like_a_file_from_elsewhere() -> None:
    merged = merge({"OT": "1"}, {"OT": "1", "Fecha_Armado": "2026-11-02"}, {"OT": "1", "Fecha_Armado": ""}, OWNERS)
    assert not merged.edits
    assert len(merged.unseen) == 1


def test_a_column_that_the_sheet_does_not_have_is_not_emptied() -> None:
    assert not merge({"OT": "1", "Fecha_Armado": "x"}, {"OT": "1", "Fecha_Armado": "x"}, {"OT": "1"}, OWNERS).edits


@pytest.mark.parametrize("base", [None, {"OT": "1"}])
def test_an_optional_column_that_is_added_later_empties_nothing(base: dict[str, str] | None) -> None:
    ours = {"OT": "1", "Espesor": "6.35", "WPS": "W-1"}
    merged = merge(base, ours, {"OT": "1", "Espesor": "", "WPS": ""}, OWNERS)
    assert not merged.edits
    assert not merged.unseen


def test_without_a_base_a_procedure_is_taken_where_there_is_none_and_does_not_replace_the_floors() -> None:
    assert [edit.new for edit in merge(None, {"WPS": ""}, {"WPS": "W-2"}, OWNERS).edits] == ["W-2"]
    merged = merge(None, {"WPS": "W-1"}, {"WPS": "W-2"}, OWNERS)
    assert not merged.edits
    assert [edit.column for edit in merged.unseen] == ["WPS"]


def test_with_a_base_a_procedure_that_a_person_changes_or_empties_is_an_edit() -> None:
    assert [edit.new for edit in merge({"WPS": "W-1"}, {"WPS": "W-1"}, {"WPS": ""}, OWNERS).edits] == [""]
    assert merge({"WPS": "W-1"}, {"WPS": "W-2"}, {"WPS": "W-3"}, OWNERS).edits[0].conflict
