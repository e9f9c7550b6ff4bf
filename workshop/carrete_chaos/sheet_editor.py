"""An engineer who edits the workbook during a campaign: types, inserts, sorts, moves. Every edit is recorded."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from random import Random
from typing import Any

from carrete.sheets.structure import JOINTS, PLAN, SPOOLS, column_letters
from carrete_chaos.google import BOOK, Google
from carrete_chaos.history import SheetEdit, TypedCell
from carrete_chaos.shop import FIRST_WORKER, people
from sheets_emulator import people as sheet_people
from sheets_emulator.journal import plain
from sheets_emulator.model import Sheet

UNKNOWN_HOLDER = "ZZ(4711)"  # a label that no worker has: a row with it waits for a person


class SheetEditor:
    def __init__(self, google: Google, rng: Random, workers: int, every_s: tuple[float, float]) -> None:
        self.edits: list[SheetEdit] = []
        self._google = google
        self._rng = rng
        self._labels = [worker.label for worker in people(workers) if worker.id in range(FIRST_WORKER, workers + 1)]
        self._every_s = every_s
        self._typed = 0

    async def work(self) -> None:
        """Edits until cancelled."""
        while True:
            await asyncio.sleep(self._rng.uniform(*self._every_s))
            self.act()

    def act(self) -> None:
        acts: tuple[Callable[[], None], ...] = (
            self._type_into_a_spool,
            self._type_a_holder,
            self._type_into_a_joint,
            self._insert_blank,
            self._sort,
            self._move,
        )
        self._rng.choices(acts, (30, 35, 15, 7, 7, 6))[0]()

    def repair(self) -> None:
        """At the end of the campaign, clears holders who do not exist. One such row is left on purpose."""
        tab = self._tab(SPOOLS.name)
        wrong = [row for row in self._rows(tab) if tab.rows[row - 1].get(_column(tab, "Ocupado_Por")) == UNKNOWN_HOLDER]
        for row in wrong[1:]:
            self._type(SPOOLS.name, row, "Ocupado_Por", "")

    def _type_into_a_spool(self) -> None:
        row = self._rng.choice(self._rows(self._tab(SPOOLS.name)))
        self._type(SPOOLS.name, row, self._rng.choice(("OT", "NV")), self._something_new())

    def _type_into_a_joint(self) -> None:
        row = self._rng.choice(self._rows(self._tab(JOINTS.name)))
        self._type(JOINTS.name, row, self._rng.choice(("OT", "NDT_STATUS")), self._something_new())

    def _type_a_holder(self) -> None:
        row = self._rng.choice(self._rows(self._tab(SPOOLS.name)))
        holder = self._rng.choices(("", "DISPONIBLE", self._rng.choice(self._labels), UNKNOWN_HOLDER), (8, 4, 8, 1))[0]
        self._type(SPOOLS.name, row, "Ocupado_Por", holder)

    def _something_new(self) -> str:
        """A text that was never used, so that it can be recognised later."""
        self._typed += 1
        return f"E-{self._typed}"

    def _insert_blank(self) -> None:
        sheet = self._any_sheet()
        self._do("insert_rows", sheet, at=self._rng.randint(2, self._tab(sheet).last_row + 1))

    def _sort(self) -> None:
        column = self._rng.choice(("TAG_SPOOL", "OT"))
        self._do("sort", self._any_sheet(), column=column, descending=self._rng.random() < 0.5)

    def _move(self) -> None:
        sheet = self._any_sheet()
        last = self._tab(sheet).last_row
        at, to = self._rng.randint(2, last), self._rng.randint(2, last)
        if not at <= to <= at + 1:
            self._do("move_rows", sheet, at=at, to=to)

    def _any_sheet(self) -> str:
        return self._rng.choice((SPOOLS.name, SPOOLS.name, JOINTS.name))

    def _type(self, sheet: str, row: int, column: str, value: str) -> None:
        """Types into a cell, unless it has that value already."""
        with self._google.emulator.lock:
            tab = self._tab(sheet)
            at = _column(tab, column)
            read, zone = PLAN[sheet].column(column).read, self._google.shop.zone
            value_read = read(value, zone)
            cells = tab.rows[row - 1]
            over = read(str(plain(cells.get(at)) or ""), zone)
            if over == value_read:
                return
            tag = str(cells.get(_column(tab, "TAG_SPOOL")))
            n_union = int(str(cells.get(_column(tab, "N_UNION")))) if sheet == JOINTS.name else 0
            self.edits.append(SheetEdit(tag, TypedCell(sheet, n_union, column, value_read), time.monotonic(), over))
            self._do("edit", sheet, cell=f"{column_letters(at)}{row}", value=value, **{"as": "RAW"})

    def _rows(self, tab: Sheet) -> list[int]:
        """The numbers of the rows with a key, counted from 1."""
        at = _column(tab, "TAG_SPOOL")
        return [n + 1 for n, row in enumerate(tab.rows[1 : tab.last_row], 1) if row.get(at)]

    def _tab(self, sheet: str) -> Sheet:
        tab = self._google.book.titled(sheet)
        assert tab is not None
        return tab

    def _do(self, act: str, sheet: str, **params: Any) -> None:
        sheet_people.act(self._google.emulator, BOOK, act, {"sheet": sheet, **params})


def _column(tab: Sheet, name: str) -> int:
    return tab.rows[0].values.index(name)
