"""The campaign's findings about people's own cells: every loss is found, and what nobody could know is excused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from carrete.sheets.google.errors import Unreachable
from carrete.sheets.google.ranges import TabRange
from carrete.sheets.structure import column_letters
from carrete_chaos.sheets import invariants
from carrete_chaos.sheets.own_cells import HeaderReference, OwnCells
from carrete_chaos.sheets.shop import BOOK, ChaosShop
from sheets_emulator import people

SHEET = "Operaciones"


@pytest.fixture
def own(tmp_path: Path) -> Iterator[OwnCells]:
    shop = ChaosShop(tmp_path, 1, 3, 2)
    cells = OwnCells(shop)
    cells.insert_column(SHEET, 3, "Propia")
    yield cells
    shop.close()


def tab(own: OwnCells) -> Any:
    return next(one for one in own.shop.emulator.file(BOOK).book.sheets if one.title == SHEET)


def act(own: OwnCells, name: str, **fields: Any) -> None:
    people.act(own.shop.emulator, BOOK, name, {"sheet": SHEET, **fields})


def type_formula(own: OwnCells) -> None:
    """Into the first row: it says what the header of the keys says."""
    formula = HeaderReference(tab(own).columns[0], 7)
    act(own, "edit", cell="C2", value=formula.text(tab(own)))
    own.cells[SHEET, ("MK-1000",), tab(own).columns[2]] = formula


def overwrite(own: OwnCells, column: int, value: Any) -> None:
    start = {"sheetId": tab(own).sheet_id, "rowIndex": 1, "columnIndex": column}
    cells = [{"userEnteredValue": {"numberValue": value} if value else {}}]
    update = {"start": start, "rows": [{"values": cells}], "fields": "userEnteredValue"}
    own.shop.lane.client.write([{"updateCells": update}])


@pytest.mark.parametrize("read", [True, False])
def test_a_formula_that_was_overwritten_is_missed_only_if_some_read_had_shown_it(own: OwnCells, read: bool) -> None:
    """Whatever its text would be by now: the column that it refers to moved since."""
    type_formula(own)
    if read:
        own.shop.lane.client.values([TabRange(tab(own).sheet_id)])
    overwrite(own, 2, None)
    act(own, "move_columns", at=1, to=6)
    assert bool(list(own.findings())) is read


def test_a_read_of_formulas_whose_values_could_not_be_read_has_shown_the_lane_nothing(own: OwnCells) -> None:
    type_formula(own)
    own.shop.emulator.faults.add({"fault": "503", "kind": "read", "nth": 2})
    with pytest.raises(Unreachable):
        own.shop.lane.client.values([TabRange(tab(own).sheet_id)])
    overwrite(own, 2, None)
    assert list(own.findings()) == []


def test_a_heading_whose_cell_was_hit_before_any_read_is_excused_also_if_the_batch_put_a_spools_key_there(
    own: OwnCells,
) -> None:
    own.add_keyless_row()
    ((at, heading),) = [(n, row) for n, row in enumerate(tab(own).rows) if n and row.width and not row.get(0)]
    titled = next(column for column in range(1, 20) if heading.get(column) is not None)
    requests = []
    for column, value in ((titled, "ours"), (0, "MK-1000")):
        start = {"sheetId": tab(own).sheet_id, "rowIndex": at, "columnIndex": column}
        rows = [{"values": [{"userEnteredValue": {"stringValue": value}}]}]
        requests.append({"updateCells": {"start": start, "rows": rows, "fields": "userEnteredValue"}})
    own.shop.lane.client.write(requests)
    act(own, "clear", range=f"A{at + 1}")
    act(own, "clear", range=f"{column_letters(titled)}{at + 1}")
    assert list(own.findings()) == []


@pytest.mark.parametrize(("undone", "missed"), [("", 0), ("DISPONIBLE", 0), ("AB(2)", 1)])
def test_what_was_typed_and_undone_between_two_reads_was_no_edit(own: OwnCells, undone: str, missed: int) -> None:
    """Also undone in other words: DISPONIBLE is what an empty cell says."""
    header = [str(cell) for cell in tab(own).rows[0].values]
    column = header.index("Ocupado_Por")
    own.shop.lane.client.values([TabRange(tab(own).sheet_id)])
    for typed in ("AB(1)", undone):
        act(own, "edit", cell=f"{column_letters(column)}2", value=typed)
    own.shop.lane.client.values([TabRange(tab(own).sheet_id)])
    overwrite(own, column, 46342)
    assert len(list(invariants.overwritten(own.shop))) == missed


def test_something_of_ours_in_a_cell_of_theirs_is_found(own: OwnCells) -> None:
    overwrite(own, 2, 46342)
    (found,) = own.findings()
    assert "a person put None there, it says 46342" in found


def test_what_people_typed_while_the_key_was_hit_is_theirs(own: OwnCells) -> None:
    overwrite(own, 0, 14)
    own.type(SHEET, 2, 2)
    act(own, "edit", cell="A2", value="MK-1000")
    assert list(own.findings()) == []


def test_a_heading_into_which_somebody_typed_as_into_a_spool_is_whole_and_what_is_ours_there_is_found(
    own: OwnCells,
) -> None:
    own.add_keyless_row()
    ((at, heading),) = [(n, row) for n, row in enumerate(tab(own).rows) if n and row.width and not row.get(0)]
    free = next(column for column in range(1, 10) if heading.get(column) is None and column != 2)
    act(own, "edit", cell=f"{column_letters(free)}{at + 1}", value="1335")
    assert list(own.findings()) == []
    start = {"sheetId": tab(own).sheet_id, "rowIndex": at, "columnIndex": free}
    cells = [{"userEnteredValue": {"stringValue": "ours"}}]
    update = {"start": start, "rows": [{"values": cells}], "fields": "userEnteredValue"}
    own.shop.lane.client.write([{"updateCells": update}])
    assert len(list(own.findings())) == 2


@pytest.mark.parametrize("read", [True, False])
def test_a_cell_of_a_heading_that_was_hit_together_with_its_key_is_missed_only_if_it_was_read(
    own: OwnCells, read: bool
) -> None:
    own.add_keyless_row()
    ((at, heading),) = [(n, row) for n, row in enumerate(tab(own).rows) if n and row.width and not row.get(0)]
    titled = next(column for column in range(1, 20) if heading.get(column) is not None)
    if read:
        own.shop.lane.client.values([TabRange(tab(own).sheet_id)])
    requests = []
    for column in (0, titled):
        start = {"sheetId": tab(own).sheet_id, "rowIndex": at, "columnIndex": column}
        rows = [{"values": [{"userEnteredValue": {"stringValue": "ours"}}]}]
        requests.append({"updateCells": {"start": start, "rows": rows, "fields": "userEnteredValue"}})
    own.shop.lane.client.write(requests)
    act(own, "clear", range=f"A{at + 1}")
    act(own, "clear", range=f"{column_letters(titled)}{at + 1}")
    assert bool(list(own.findings())) is read
