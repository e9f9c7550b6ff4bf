"""People insert, sort and delete rows between our read and Google's apply: rows hit by mistake are restored."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from carrete.domain.commands import Command, Pausar, Tomar
from carrete.domain.spool import Operacion
from carrete.sheets.rows import unimported
from carrete.sheets.structure import SELLO, column_letters
from carrete.workbook.columns import OPERACIONES
from tests.support.sheets import SheetShop, header

ARM = Operacion.ARM
Move = Callable[[SheetShop], object]
MOVES: dict[str, Move] = {
    "a row is inserted above": lambda s: s.person("insert_rows", at=2),
    "the sheet is sorted": lambda s: s.person("sort", column="TAG_SPOOL", descending=True),
    "the first row is deleted": lambda s: s.person("delete_rows", at=2),
    "a row is moved to the end": lambda s: s.person("move_rows", at=2, to=7),
    "rows are cut and pasted": lambda s: s.person("cut_paste", range="A4:S5", to="A10"),
}


def assert_only_a3_is_held(shop: SheetShop) -> None:
    for row in shop.rows():
        if row.get("TAG_SPOOL") == "A-3":
            assert row["Ocupado_Por"] == "MR(93)"
            assert row["version"] == shop.spool("A-3").version
        elif row:
            assert "Ocupado_Por" not in row, row
            assert "Fecha_Ocupacion" not in row, row
            assert row["Estado_Detalle"].startswith("Disponible"), row


def columns_typed(shop: SheetShop) -> list[str]:
    return [edit["columna"] for edit in shop.editions() if "columna" in edit]


@pytest.mark.parametrize("what", MOVES)
def test_a_write_that_hit_a_row_that_had_moved_is_undone_and_repeated(shop: SheetShop, what: str) -> None:
    with shop.meanwhile(lambda: MOVES[what](shop)):
        shop.do(Tomar("A-3", 93, ARM))
        shop.settle()
    assert shop.went_astray()
    assert_only_a3_is_held(shop)
    assert shop.spool("A-2").occupation is None
    assert shop.spool("A-4").occupation is None
    assert not [e for e in shop.editions() if e.get("columna") == "Ocupado_Por"], "nobody's edit was taken for one"
    shop.assert_every_event_once_in_order()


@pytest.mark.parametrize("what", MOVES)
@pytest.mark.parametrize("fault", ["apply-then-reset", "apply-later"])
def test_a_write_that_hit_a_moved_row_is_undone_also_when_its_answer_was_lost(
    shop: SheetShop, what: str, fault: str
) -> None:
    shop.fault(fault, delay_s=8)
    with shop.meanwhile(lambda: MOVES[what](shop)):
        shop.do(Tomar("A-3", 93, ARM))
        shop.settle()
    assert_only_a3_is_held(shop)
    shop.assert_every_event_once_in_order()


def test_and_also_when_the_repair_itself_is_misdirected(shop: SheetShop) -> None:
    with shop.meanwhile(lambda: shop.person("insert_rows", at=2)):
        shop.do(Tomar("A-3", 93, ARM))
        shop.pass_time(4)
    with shop.meanwhile(lambda: shop.person("sort", column="TAG_SPOOL", descending=True)):
        shop.settle()
    assert shop.went_astray() >= 2
    assert_only_a3_is_held(shop)


def test_a_write_that_hit_a_moved_row_is_undone_also_when_the_process_was_killed_in_between(shop: SheetShop) -> None:
    with shop.meanwhile(lambda: shop.person("insert_rows", at=2)):
        shop.do(Tomar("A-3", 93, ARM))
        shop.pass_time(3.5)
    shop.restart()
    shop.settle()
    assert_only_a3_is_held(shop)


def test_a_row_that_is_seen_for_the_first_time_with_a_stray_is_not_adopted_with_it(shop: SheetShop) -> None:
    def add() -> None:
        shop.person("insert_rows", at=shop.row_number("Operaciones", "A-3"))
        shop.person("edit", cell=f"A{shop.row_number('Operaciones', 'A-3') - 1}", value="N-1")

    with shop.meanwhile(add):
        shop.do(Tomar("A-3", 93, ARM))
        shop.settle()
    assert shop.spool("N-1").occupation is None
    assert shop.row("A-3")["Ocupado_Por"] == "MR(93)"
    assert "Ocupado_Por" not in shop.row("N-1")


@pytest.mark.parametrize("written", [Tomar("A-3", 93, ARM), Pausar("A-3", 93, ARM)])
def test_what_a_person_typed_into_a_row_that_waits_for_them_is_given_back(shop: SheetShop, written: Command) -> None:
    """The value is in the sheet only: no worker has that label, so the ledger did not take it."""
    if isinstance(written, Pausar):
        shop.do(Tomar("A-3", 93, ARM))
    shop.types("A-2", "Ocupado_Por", "ZZ(4711)")
    shop.settle()
    with shop.meanwhile(lambda: shop.person("insert_rows", at=2)):
        shop.do(written)
        shop.settle()
    assert shop.went_astray()
    assert shop.row("A-2")["Ocupado_Por"] == "ZZ(4711)"
    assert [problem.column for problem in shop.lane.puller.problems()] == ["Ocupado_Por"]
    assert shop.row("A-3").get("Ocupado_Por") == ("MR(93)" if isinstance(written, Tomar) else None)
    shop.types("A-2", "Ocupado_Por", "")
    shop.settle()
    assert shop.lane.puller.problems() == []
    assert "Ocupado_Por" not in shop.row("A-2")


@pytest.fixture
def waiting(shop: SheetShop) -> SheetShop:
    """An unknown worker holds A-2 in the sheet, and the floor has worked on it since."""
    shop.types("A-2", "Ocupado_Por", "ZZ(4711)")
    shop.settle()
    shop.do(Tomar("A-2", 7, ARM), Pausar("A-2", 7, ARM))
    shop.settle()
    return shop


def test_in_such_a_row_the_other_cells_get_their_values_back_too(waiting: SheetShop) -> None:
    """A row that waits for a person is not written, but cells that a write of ours has overwritten are restored."""
    before = waiting.row("A-2")
    with waiting.meanwhile(lambda: waiting.person("insert_rows", at=2)):
        waiting.do(Tomar("A-3", 93, ARM))
        waiting.settle()
    assert waiting.went_astray()
    assert waiting.row("A-2")["Ocupado_Por"] == "ZZ(4711)"
    assert {**waiting.row("A-2"), SELLO: ""} == {**before, SELLO: ""}
    waiting.types("A-2", "Ocupado_Por", "MR(93)")
    waiting.settle()
    assert columns_typed(waiting) == ["Ocupado_Por"]
    assert waiting.row("A-2")["Ocupado_Por"] == "MR(93)"


def test_such_a_cell_is_restored_also_when_another_cell_of_the_row_is_edited_first(waiting: SheetShop) -> None:
    with waiting.meanwhile(lambda: waiting.person("insert_rows", at=2)):
        waiting.do(Tomar("A-3", 93, ARM))
        waiting.pass_time(3.5)
    assert waiting.went_astray()
    waiting.fault("503")
    waiting.pass_time(3.5)
    waiting.types("A-2", "OT", "777")
    waiting.settle()
    assert (waiting.row("A-2")["Ocupado_Por"], waiting.row("A-2")["OT"]) == ("ZZ(4711)", 777)
    waiting.types("A-2", "Ocupado_Por", "")
    waiting.settle()
    assert waiting.spool("A-2").ot == "777"


def test_such_a_cell_is_restored_also_when_the_process_was_killed_before_it_saw_the_damage(waiting: SheetShop) -> None:
    with waiting.meanwhile(lambda: waiting.person("insert_rows", at=2)):
        waiting.do(Tomar("A-3", 93, ARM))
        waiting.pass_time(3.5)
    assert waiting.went_astray()
    assert waiting.row("A-2")["Ocupado_Por"] != "ZZ(4711)"
    waiting.restart()
    waiting.settle()
    assert waiting.row("A-2")["Ocupado_Por"] == "ZZ(4711)"
    assert columns_typed(waiting) == []


def test_such_a_cell_is_restored_also_when_the_process_was_killed_before_the_repair(waiting: SheetShop) -> None:
    with waiting.meanwhile(lambda: waiting.person("insert_rows", at=2)):
        waiting.do(Tomar("A-3", 93, ARM))
        waiting.pass_time(3.5)
    waiting.fault("503", kind="write", times=3)
    waiting.pass_time(15)
    assert waiting.row("A-2")["Ocupado_Por"] != "ZZ(4711)"
    waiting.restart()
    waiting.settle()
    assert waiting.row("A-2")["Ocupado_Por"] == "ZZ(4711)"
    assert columns_typed(waiting) == []


def test_a_formula_in_such_a_row_is_given_back_too(shop: SheetShop) -> None:
    shop.types("A-2", "Ocupado_Por", "ZZ(4711)")
    shop.types("A-2", "Fecha_Ocupacion", "=TODAY()")
    shop.settle()
    with shop.meanwhile(lambda: shop.person("insert_rows", at=2)):
        shop.do(Tomar("A-3", 93, ARM))
        shop.settle()
    assert shop.went_astray()
    assert str(shop.row("A-2")["Fecha_Ocupacion"]).startswith("=")


@pytest.fixture
def hit_before(shop: SheetShop) -> SheetShop:
    """A write hit A-2, and then somebody typed there: the row waits, and carries that write's stamp."""
    shop.do(Tomar("A-3", 93, ARM))
    shop.settle()
    with shop.meanwhile(lambda: shop.person("insert_rows", at=2)):
        shop.do(Pausar("A-3", 93, ARM))
        shop.pass_time(3.5)
    assert shop.went_astray()
    shop.types("A-2", "Ocupado_Por", "ZZ(4711)")
    shop.settle()
    assert [problem.column for problem in shop.lane.puller.problems()] == ["Ocupado_Por"]
    return shop


@pytest.mark.parametrize("killed", [False, True])
def test_a_cell_that_its_author_empties_is_not_restored(hit_before: SheetShop, killed: bool) -> None:
    hit_before.types("A-2", "Ocupado_Por", "")
    if killed:
        hit_before.restart()
    hit_before.settle()
    assert "Ocupado_Por" not in hit_before.row("A-2")
    assert hit_before.lane.puller.problems() == []


def test_a_cell_that_its_author_empties_is_not_restored_also_if_its_row_was_repeated_for_a_while(
    hit_before: SheetShop,
) -> None:
    below = len(hit_before.rows()) + 3
    hit_before.person("edit", cell=f"A{below}", value="A-2")
    hit_before.settle()
    hit_before.person("delete_rows", at=below)
    hit_before.types("A-2", "Ocupado_Por", "")
    hit_before.settle()
    assert "Ocupado_Por" not in hit_before.row("A-2")


def test_unimported_cells_of_a_row_are_forgotten_when_the_row_is_deleted(shop: SheetShop) -> None:
    below = len(shop.rows()) + 2
    shop.person("edit", cell=f"A{below}", value="Q-1")
    shop.types("Q-1", "Ocupado_Por", "ZZ(4711)")
    shop.settle()
    with shop.database.reading() as tx:
        assert unimported.load_unimported(tx)
    shop.person("delete_rows", at=below)
    shop.settle()
    with shop.database.reading() as tx:
        assert unimported.load_unimported(tx) == {}


def test_an_unimported_cell_with_half_a_surrogate_pair_is_stored(shop: SheetShop) -> None:
    words = {("Operaciones", ("A-2", 0)): {"OT": unimported.UnimportedInput("a\ud800")}}
    with shop.database.writing() as tx:
        unimported.save_unimported(tx, words)
    with shop.database.reading() as tx:
        assert unimported.load_unimported(tx) == words


def test_what_we_wrote_right_before_the_row_began_to_wait_is_still_known_for_ours(shop: SheetShop) -> None:
    shop.do(Tomar("A-3", 93, ARM))
    shop.settle()
    shop.do(Tomar("A-2", 7, ARM), Pausar("A-2", 7, ARM))
    written = shop.writes()
    while shop.writes() == written:
        shop.pass_time(0.5)
    shop.types("A-2", "Ocupado_Por", "ZZ(4711)")
    shop.settle()
    shop.do(Pausar("A-3", 93, ARM), Tomar("A-2", 93, ARM), Pausar("A-2", 93, ARM))
    with shop.meanwhile(lambda: shop.person("insert_rows", at=2)):
        shop.settle()
    assert shop.went_astray()
    assert columns_typed(shop) == []
    assert (shop.row("A-2")["Ocupado_Por"], shop.row("A-2")["Armador"]) == ("ZZ(4711)", "LP(7)")


def test_a_late_write_to_a_waiting_row_does_not_lose_what_was_typed_there(shop: SheetShop) -> None:
    """The value is restored, and then compared with the holder that the late write showed: it is refused, and recorded
    in the trail."""
    shop.fault("apply-later", delay_s=25, answer="503")
    shop.do(Tomar("A-2", 7, ARM))
    shop.pass_time(3.5)
    shop.types("A-2", "Ocupado_Por", "ZZ(4711)")
    shop.do(Pausar("A-2", 7, ARM))
    shop.fault("503", times=3)
    shop.settle()
    (edit,) = [edit for edit in shop.editions() if "columna" in edit]
    assert (edit["columna"], edit["nuevo"], edit["aceptado"]) == ("Ocupado_Por", "ZZ(4711)", False)
    assert shop.lane.puller.problems() == []
    assert "Ocupado_Por" not in shop.row("A-2")


def test_what_landed_in_a_row_without_a_key_is_taken_away(shop: SheetShop) -> None:
    with shop.meanwhile(lambda: shop.person("insert_rows", at=shop.row_number("Operaciones", "A-3"))):
        shop.do(Tomar("A-3", 93, ARM))
        shop.settle()
    assert [row for row in shop.rows() if row and "TAG_SPOOL" not in row] == []


def test_a_stamp_that_is_left_there_is_taken_away_though_nothing_else_is_to_do(shop: SheetShop) -> None:
    with shop.meanwhile(lambda: shop.person("insert_rows", at=shop.row_number("Operaciones", "A-3"))):
        shop.do(Tomar("A-3", 93, ARM))
        shop.pass_time(3.5)
    (stray,) = [row for row in shop.rows() if row and "TAG_SPOOL" not in row]
    shop.settle()
    at = column_letters(header(OPERACIONES, extra=[SELLO]).index(SELLO))
    shop.person("edit", cell=f"{at}{len(shop.rows()) + 3}", value=stray[SELLO])
    shop.pass_time(60)
    assert [row for row in shop.rows() if row and "TAG_SPOOL" not in row] == []


def test_rows_that_people_sort_and_move_between_two_reads_change_nothing(shop: SheetShop) -> None:
    before = len(shop.events())
    shop.person("sort", column="TAG_SPOOL", descending=True)
    shop.pass_time(15)
    shop.person("cut_paste", range="A2:S2", to="A20")
    shop.person("insert_rows", at=3, count=2)
    shop.settle()
    assert len(shop.events()) == before
    assert shop.lane.puller.problems() == []


def test_a_stale_answer_is_not_taken_for_a_persons_edit(shop: SheetShop) -> None:
    shop.do(Tomar("A-1", 93, ARM))
    shop.settle()
    shop.emulator.options.stale_reads = 0.5
    for nv in range(10):
        shop.types("A-1", "NV", str(nv))
        shop.pass_time(30)
    shop.emulator.options.stale_reads = 0.0
    shop.settle()
    assert shop.spool("A-1").occupation is not None
    assert shop.spool("A-1").nv == shop.row("A-1")["NV"] == "9" or shop.row("A-1")["NV"] == 9
    edits = [e["nuevo"] for e in shop.editions() if e.get("columna") == "NV"]
    assert len(edits) == len(set(edits)), f"an edit was taken twice: {edits}"
