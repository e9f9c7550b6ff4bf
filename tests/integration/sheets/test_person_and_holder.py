"""A person edits who holds a spool, before, during and after our own write of the same cell."""

from __future__ import annotations

from carrete.domain.commands import Pausar, Tomar
from carrete.domain.spool import Operacion
from carrete.sheets.rows.view import cell
from tests.support.sheets import SheetShop

ARM = Operacion.ARM


def group_of(shop: SheetShop, tag: str) -> tuple[str, bool, str]:
    row = shop.row(tag)
    return row.get("Ocupado_Por", ""), "Fecha_Ocupacion" in row, row["Estado_Detalle"]


def assert_the_group_is_whole(shop: SheetShop, tag: str) -> None:
    """Holder, date and text of the row are those of the ledger's occupation."""
    held = shop.spool(tag).occupation
    holder, dated, text = group_of(shop, tag)
    assert holder == (held.label if held else "")
    assert dated == (held is not None)
    assert text.startswith(f"{holder} trabajando" if held else "Disponible")


def test_before_our_read_the_person_wins(shop: SheetShop) -> None:
    shop.do(Tomar("A-1", 93, ARM))
    shop.settle()
    shop.do(Pausar("A-1", 93, ARM), Tomar("A-2", 7, ARM))
    shop.types("A-1", "Ocupado_Por", "LP(7)")
    shop.settle()
    assert_the_group_is_whole(shop, "A-1")


def test_in_the_window_the_persons_value_is_overwritten_and_the_oracle_knows(shop: SheetShop) -> None:
    with shop.meanwhile(lambda: shop.types("A-1", "Ocupado_Por", "LP(7)")):
        shop.do(Tomar("A-1", 93, ARM))
        shop.settle()
    lost = shop.emulator.journal.lost(shop.emulator.file("planilla-del-taller").book)
    assert [(one["column"], one["person"]) for one in lost] == [("Ocupado_Por", "LP(7)")], (
        "the one thing that cannot be had"
    )
    held = shop.spool("A-1").occupation
    assert held is not None
    assert held.label == "MR(93)"
    assert_the_group_is_whole(shop, "A-1")


def test_another_cell_of_the_row_in_the_window_is_kept(shop: SheetShop) -> None:
    with shop.meanwhile(lambda: shop.types("A-1", "NV", "99")):
        shop.do(Tomar("A-1", 93, ARM))
        shop.settle()
    assert shop.spool("A-1").nv == "99"
    assert_the_group_is_whole(shop, "A-1")


def test_a_value_that_a_late_twin_overwrote_is_given_back(shop: SheetShop) -> None:
    shop.types("A-1", "Armador", "X")
    shop.settle()
    shop.fault("apply-later", delay_s=25, answer="503")
    shop.do(Tomar("A-1", 93, ARM))
    shop.pass_time(3.5)
    assert shop.emulator.waiting, "the batch is on its way"
    shop.types("A-1", "Armador", "LP(7)")
    shop.pass_time(10)
    shop.fault("503", times=3)
    shop.settle()
    assert shop.spool("A-1").armador == "LP(7)"
    assert shop.row("A-1")["Armador"] == "LP(7)"
    assert_the_group_is_whole(shop, "A-1")


def test_writing_back_the_value_from_before_our_write_counts_as_an_edit(shop: SheetShop) -> None:
    """Our write put MR there; before we read again, the person emptied the cell, so that it has its value from before
    our write."""
    shop.do(Tomar("A-1", 93, ARM))
    while "Ocupado_Por" not in shop.row("A-1"):
        shop.pass_time(1)
    shop.types("A-1", "Ocupado_Por", "")
    shop.settle()
    assert shop.spool("A-1").occupation is None
    assert_the_group_is_whole(shop, "A-1")


def test_an_edit_does_not_release_a_holder_whom_the_person_could_not_have_seen(shop: SheetShop) -> None:
    """The sheet showed MR; LP took the spool meanwhile; then the person emptied the cell: that ends MR's occupation,
    not LP's."""
    shop.do(Tomar("A-1", 93, ARM))
    shop.settle()
    shop.do(Pausar("A-1", 93, ARM), Tomar("A-1", 7, ARM))
    shop.types("A-1", "Ocupado_Por", "")
    shop.settle()
    held = shop.spool("A-1").occupation
    assert held is not None
    assert held.label == "LP(7)"
    assert_the_group_is_whole(shop, "A-1")
    edits = [e for e in shop.editions() if e.get("columna") == "Ocupado_Por"]
    assert edits == [
        {
            "hoja": "Operaciones", "columna": "Ocupado_Por", "anterior": "MR(93)", "nuevo": "", "nuestro": "LP(7)",
            "conflicto": True, "aceptado": False, "accion": "EDITAR",
        }
    ]  # fmt: skip
    assert shop.lane.stats.conflict_count == 1


def test_person_and_floor_at_odds_about_a_cell_the_person_wins_and_both_are_written_down(shop: SheetShop) -> None:
    shop.do(Tomar("A-1", 93, ARM))
    shop.types("A-1", "Armador", "JS(8)")
    shop.settle()
    assert shop.spool("A-1").armador == "JS(8)"
    (edit,) = [e for e in shop.editions() if e.get("columna") == "Armador"]
    assert edit["conflicto"]
    assert (edit["nuevo"], edit["nuestro"]) == ("JS(8)", "MR(93)")


def until_read(shop: SheetShop, tag: str, holder: str) -> None:
    """Passes time until a read has shown this holder, and no longer."""
    for _ in range(60):
        shop.pass_time(1)
        view = shop.lane.puller.views["Operaciones"]
        if cell(view.raw((tag, 0)), view.column_index("Ocupado_Por")) == holder:
            return
    raise AssertionError("it was not read within a minute")


def test_emptying_the_holder_that_we_wrote_and_typing_it_again_are_both_recorded_as_edits(shop: SheetShop) -> None:
    """The row carries the stamp of our write, so the first read that shows it empty is no stale one. Otherwise the
    label that is typed again would look like ours, and be emptied because the worker has paused."""
    shop.do(Tomar("A-1", 93, ARM))
    shop.pass_time(8)
    assert shop.row("A-1")["Ocupado_Por"] == "MR(93)"
    shop.fault("503", times=None, probability=1.0)
    shop.do(Pausar("A-1", 93, ARM))
    for holder in ("", "MR(93)"):
        shop.types("A-1", "Ocupado_Por", holder)
        until_read(shop, "A-1", holder)
    shop.emulator.faults.clear()
    shop.settle()
    edits = [(edit["anterior"], edit["nuevo"]) for edit in shop.editions() if edit.get("columna") == "Ocupado_Por"]
    assert edits == [("", "MR(93)")]
    assert_the_group_is_whole(shop, "A-1")
