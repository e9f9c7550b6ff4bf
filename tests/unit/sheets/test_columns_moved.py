"""Which cells one write hit, if columns moved before Google applied it, after that, or both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from carrete.sheets.rows.columns_moved import DisplacedCells, displaced_cells
from carrete.sheets.rows.verdict import Write
from carrete.sheets.rows.view import SheetView, sheet_view
from carrete.sheets.structure import SELLO, SPOOLS, header_of
from carrete.workbook.cells import Raw
from tests.support.builders import SHOP

ROW = ("A-1", 0)
STAMP = "7.1.0-abcdef"
HELD = "MR(93) trabajando ARM"
PLANNED = ("TAG_SPOOL", "OT", "Armador", "Ocupado_Por", "version", "Estado_Detalle", SELLO)
BASE = {"OT": "25238", "Armador": "", "Ocupado_Por": "", "version": "v1", "Estado_Detalle": "Disponible"}
TAKEN = {"Armador": "MR(93)", "Ocupado_Por": "MR(93)", "version": "v2", "Estado_Detalle": HELD}


def seen(names: Sequence[str], row: Sequence[Raw]) -> SheetView:
    rows: list[list[Raw]] = [list(names), list(row)]
    return sheet_view(SPOOLS, header_of(SPOOLS, rows), rows, None, SHOP.zone)


def shown(**row: str) -> SheetView:
    """The columns of the row in the given order, with one more on the left than planned: no index is right."""
    return seen(list(row), list(row.values()))


def hit(
    view: SheetView,
    cells: Mapping[str, str] = TAKEN,
    base: Mapping[str, str] = BASE,
    planned: Sequence[str] = PLANNED,
    before: SheetView | None = None,
) -> DisplacedCells | None:
    indexes = {name: at for at, name in enumerate(planned) if name in cells or name == SELLO}
    return displaced_cells(view, ROW, Write(STAMP, ROW, dict(cells), False, indexes), dict(base), before, SHOP.zone)


def test_a_column_that_is_hit_elsewhere_than_at_its_number_is_found_by_what_it_says() -> None:
    """A column was inserted on the left before the apply, and version moved to the right edge afterwards."""
    names = ("TAG_SPOOL", "", "OT", "Armador", "Ocupado_Por", "Estado_Detalle", SELLO, "version")
    found = hit(seen(names, ("A-1", "", "MR(93)", "MR(93)", "v2", STAMP, "6.1.0-abcdef", HELD)))
    assert found is not None
    assert found.ours - {SELLO} == {"OT", "Armador", "Ocupado_Por", "Estado_Detalle", "version"}


def test_our_values_in_their_own_columns_are_ours_and_no_edit() -> None:
    view = shown(
        TAG_SPOOL="A-1", NV="", OT="25238", Armador="MR(93)", Ocupado_Por="MR(93)", Estado_Detalle="v2", version=HELD,
        Carrete_Sello=STAMP,
    )  # fmt: skip
    found = hit(view)
    assert found is not None
    assert found.ours - {SELLO} == {"Armador", "Ocupado_Por", "Estado_Detalle", "version"}


def test_a_cell_that_was_emptied_instead_of_another_gets_its_value_back() -> None:
    planned = ("TAG_SPOOL", "OT", "Soldador", "Ocupado_Por", "version", "Estado_Detalle", SELLO)
    base = {"OT": "25238", "Soldador": "JS(8)", "Ocupado_Por": "MR(93)", "version": "v1", "Estado_Detalle": HELD}
    freed = {"Ocupado_Por": "", "version": "v2", "Estado_Detalle": "Disponible"}
    view = shown(
        TAG_SPOOL="A-1", NV="", OT="25238", Ocupado_Por="MR(93)", Soldador="", Estado_Detalle="v2",
        version="Disponible", Carrete_Sello=STAMP,
    )  # fmt: skip
    found = hit(view, freed, base, planned)
    assert found is not None
    assert found.ours - {SELLO} == {"Soldador", "Estado_Detalle", "version"}


def test_what_a_person_types_over_a_write_that_landed_is_an_edit() -> None:
    view = shown(
        TAG_SPOOL="A-1", NV="", OT="25238", Armador="MR(93)", Ocupado_Por="LP(7)", version="v2", Estado_Detalle=HELD,
        Carrete_Sello=STAMP,
    )  # fmt: skip
    assert hit(view) is None


def test_what_a_column_said_before_was_not_put_there_by_the_write() -> None:
    """A person emptied Ocupado_Por. Armador had the same name before."""
    taken = {"Ocupado_Por": "MR(93)", "version": "v2", "Estado_Detalle": HELD}
    view = shown(
        TAG_SPOOL="A-1", NV="", OT="25238", Armador="MR(93)", Ocupado_Por="", version="v2", Estado_Detalle=HELD,
        Carrete_Sello=STAMP,
    )  # fmt: skip
    assert hit(view, taken, {**BASE, "Armador": "MR(93)"}) is None


def test_a_column_of_peoples_own_that_says_what_stands_in_its_place_too_is_not_under_suspicion() -> None:
    view = shown(
        TAG_SPOOL="A-1", NV="", OT="25238", Armador="MR(93)", Ocupado_Por="MR(93)", Estado_Detalle="v2", version=HELD,
        Carrete_Sello=STAMP, Avisar_a="MR(93)",
    )  # fmt: skip
    found = hit(view)
    assert found is not None
    assert found.unknown == ()


def test_a_column_of_peoples_own_gets_back_what_the_read_before_showed() -> None:
    before = seen((*PLANNED, "Nota"), ("A-1", "25238", "", "", "v1", "Disponible", "6.1.0-abcdef", "ojo"))
    view = shown(
        TAG_SPOOL="A-1", NV="", OT="25238", Armador="MR(93)", Ocupado_Por="MR(93)", version="v1", Nota="v2",
        Estado_Detalle=HELD, Carrete_Sello=STAMP,
    )  # fmt: skip
    found = hit(view, before=before)
    assert found is not None
    assert found.theirs == {6: "ojo"}


def test_an_emptied_column_of_peoples_own_with_unknown_values_is_reported() -> None:
    """A person moved the column to the index of Ocupado_Por, the write emptied it, and the process was killed."""
    freed = {"Ocupado_Por": "", "version": "v2", "Estado_Detalle": "Disponible"}
    base = {**BASE, "Ocupado_Por": "MR(93)", "Estado_Detalle": HELD}
    names = ("TAG_SPOOL", "OT", "Armador", "Nota", "Ocupado_Por", "version", "Estado_Detalle", SELLO)
    found = hit(seen(names, ("A-1", "25238", "", "", "v2", "Disponible", STAMP, "6.1.0-abcdef")), freed, base)
    assert found is not None
    assert found.unknown == (3,)
    assert found.ours - {SELLO} == {"Ocupado_Por", "version", "Estado_Detalle"}
