"""A row that has not changed since the last read is not examined again, and nothing that it holds is forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from carrete.sheets.google.formulas import READ_AGAIN_S, READS_MAX, FormulaReader
from carrete.sheets.google.ranges import TabRange
from carrete.sheets.rows.view import SheetView, sheet_view
from carrete.sheets.structure import SPOOLS, header_of
from carrete.workbook.cells import Formula, Raw, RawRow
from carrete_chaos.sheets.link import StandingClock
from tests.support.builders import SHOP

TAB = TabRange(7)


class Reads:
    """Reads one tab, as the client does. `values` is what the second read, of values, shows."""

    def __init__(self) -> None:
        self.clock = StandingClock(datetime(2026, 11, 16, 8, tzinfo=UTC))
        self.formulas = FormulaReader(self.clock)
        self.values: list[RawRow] = []
        self.second_reads = 0
        self.same_state = True  # both reads showed the same

    def read(self, rows: Sequence[RawRow], *, keep: bool = True) -> list[RawRow]:
        grid = [list(row) for row in rows]
        self.same_state = self.formulas.mark([TAB], [grid], self._read_values, keep=keep)
        return grid

    def _read_values(self, ranges: Sequence[TabRange]) -> list[list[RawRow]]:
        self.second_reads += 1
        return [[list(row) for row in self.values[one.rows_start : one.rows_end]] for one in ranges]


def test_a_row_that_has_not_changed_is_the_list_of_the_read_before() -> None:
    reads = Reads()
    first = reads.read([["A-1", 1], ["A-2", 2], ["A-3", 3]])
    second = reads.read([["A-1", 1], ["A-2", 5]])
    assert second == [["A-1", 1], ["A-2", 5]]
    assert second[0] is first[0]
    assert second[1] is not first[1]


def test_rows_of_a_range_that_is_read_only_once_are_not_kept() -> None:
    reads = Reads()
    first = reads.read([["A-1", 1]], keep=False)
    assert reads.read([["A-1", 1]])[0] is not first[0]


def test_a_formula_in_a_row_that_has_not_changed_stays_one_without_another_read() -> None:
    reads = Reads()
    rows: list[RawRow] = [["A-1", "=1+1"], ["A-2", "=1+1"]]
    reads.values = [["A-1", 2], ["A-2", "=1+1"]]
    for _ in range(3):
        assert reads.read(rows) == [["A-1", Formula("=1+1")], ["A-2", "=1+1"]]
    assert reads.second_reads == 1


def test_a_formula_that_a_person_turned_into_text_is_noticed_after_a_minute_although_its_row_looks_the_same() -> None:
    reads = Reads()
    reads.values = [["A-1", 2]]
    assert reads.read([["A-1", "=1+1"]]) == [["A-1", Formula("=1+1")]]
    reads.values = [["A-1", "=1+1"]]
    reads.clock.sleep(READ_AGAIN_S)
    assert reads.read([["A-1", "=1+1"]]) == [["A-1", "=1+1"]]


def test_a_row_that_the_two_reads_show_differently_is_looked_at_again_although_it_has_not_changed() -> None:
    reads = Reads()
    reads.values = [["A-9", 2]]
    reads.read([["A-1", "=1+1"]])
    reads.values = [["A-1", 2]]
    assert reads.read([["A-1", "=1+1"]]) == [["A-1", Formula("=1+1")]]
    assert reads.second_reads == 2


def test_reads_that_show_a_row_differently_are_distinguished_from_those_that_show_the_same_state() -> None:
    reads = Reads()
    reads.values = [["A-9", ""], ["A-1", "=ojo"]]
    reads.read([["A-1", "=ojo"]])
    assert not reads.same_state
    reads.values = [["A-1", "=ojo"]]
    assert reads.read([["A-1", "=ojo"]]) == [["A-1", "=ojo"]]
    assert reads.same_state


def test_a_row_that_the_two_reads_always_show_in_the_same_two_ways_is_not_being_changed() -> None:
    """As with a cell that an array formula has filled, if only the read of values shows it."""
    reads = Reads()
    reads.values = [["A-1", 2, "x"]]
    same_states = []
    for _ in range(READS_MAX + 1):
        assert reads.read([["A-1", "=1+1"]]) == [["A-1", Formula("=1+1")]]
        same_states.append(reads.same_state)
    assert same_states == [False, False, True, True]
    assert reads.second_reads == READS_MAX


def test_a_row_whose_filled_cells_change_at_each_read_is_not_read_again_for_good() -> None:
    reads = Reads()
    for number in range(2 * READS_MAX):
        reads.values = [["A-1", number, f"x{number}"]]
        reads.read([["A-1", "=RANDARRAY(1,2)"]])
    assert reads.same_state
    assert reads.second_reads == READS_MAX


def seen(*rows: list[Raw]) -> SheetView:
    raws: list[RawRow] = [["TAG_SPOOL", "Nota"], *rows]
    return sheet_view(SPOOLS, header_of(SPOOLS, raws), raws, None, SHOP.zone)


def test_repeated_keys_are_listed_by_their_first_row() -> None:
    view = seen(["A-1"], ["A-2"], ["A-3"], ["A-2"], ["A-1"], ["A-2"])
    assert view.at == {("A-3", 0): 3}
    assert list(view.doubles.items()) == [(("A-1", 0), [1, 5]), (("A-2", 0), [2, 4, 6])]
