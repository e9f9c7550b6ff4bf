"""The edits of people in the workbook of one seed, at random: type, insert, delete, sort, move, paste."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from carrete.sheets.structure import SELLO, column_letters
from carrete_chaos.sheets.own_cells import OwnCells
from carrete_chaos.sheets.shop import BOOK, MATERIALES, ChaosShop
from sheets_emulator import people
from sheets_emulator.errors import ApiError

OPERACIONES, UNIONES = "Operaciones", "Uniones"
_TEXTS = ("25238", "1335", "A", "B", "C", "007", "12E3", "=1+1x", "")
_TYPED_SPOOL = ("OT", "NV", "Armador", "Soldador")
_TYPED_JOINT = ("OT", "ARM_WORKER", "NDT_UNION", "NDT_STATUS", "TIPO_UNION")


class RandomEdits:
    def __init__(self, shop: ChaosShop) -> None:
        self._shop = shop
        self._rng = shop.rng
        self._new = 0
        self.own = OwnCells(shop)
        self.acts = 0

    def act(self) -> None:
        """One edit, most often of a cell."""
        self._shop.emulator.run_due()
        roll = self._rng.random()
        chances: tuple[tuple[float, Callable[[], None]], ...] = (
            (0.35, self._type_into_a_spool),
            (0.50, self._type_a_holder),
            (0.60, self._type_into_a_joint),
            (0.72, self.own.type_somewhere),
            (0.78, self._insert_blank),
            (0.83, self._add_spool),
            (0.86, self._delete),
            (0.92, self._sort),
            (0.97, self._move),
            (1.01, self.own.change_columns),
        )
        self.acts += 1
        next(do for chance, do in chances if roll < chance)()

    def restructure(self) -> None:
        """One or two edits that move columns or rows, sometimes with an edit of a person's own cell between them."""
        self._shop.emulator.run_due()
        rows = (self._insert_blank, self._sort, self._move, self._delete, self.own.add_keyless_row)
        for _ in range(self._rng.randint(1, 2)):
            self.acts += 1
            self._rng.choice((*(self.own.change_columns,) * 5, *rows, self.own.type_somewhere))()

    def _rows(self, sheet: str) -> list[int]:
        """The numbers of the rows with a key."""
        tab = self._tab(sheet)
        at = tab.rows[0].values.index("TAG_SPOOL")
        return [n + 1 for n, row in enumerate(tab.rows[1 : tab.last_row], 1) if row.get(at)]

    def _tab(self, sheet: str) -> Any:
        return next(s for s in self._shop.emulator.file(BOOK).book.sheets if s.title == sheet)

    def _do(self, act: str, sheet: str, **params: Any) -> None:
        try:
            people.act(self._shop.emulator, BOOK, act, {"sheet": sheet, **params})
        except ApiError as error:
            raise AssertionError(f"{act} {params}: {error}") from error

    def _type(self, sheet: str, row: int, column: str, value: Any) -> None:
        """Types into a cell, unless it has that value already."""
        at = self._tab(sheet).rows[0].values.index(column)
        if (self._tab(sheet).rows[row - 1].get(at) or "") == value:
            return
        self._do("edit", sheet, cell=f"{column_letters(at)}{row}", value=value, **{"as": "RAW"})

    def _type_into_a_spool(self) -> None:
        if rows := self._rows(OPERACIONES):
            row = self._rng.choice(rows)
            if self._rng.random() < 0.25:
                column = self._rng.choice(("Fecha_Materiales", "Fecha_Armado", "Fecha_Soldadura"))
                self._type(OPERACIONES, row, column, self._rng.choice((MATERIALES, MATERIALES + 3, MATERIALES + 5)))
            elif self._rng.random() < 0.1:
                column = self._rng.choice(("Estado_Detalle", "Pulgadas_ARM", "version", SELLO))
                self._type(OPERACIONES, row, column, "algo")
            else:
                self._type(OPERACIONES, row, self._rng.choice(_TYPED_SPOOL), self._rng.choice(_TEXTS))

    def _type_a_holder(self) -> None:
        if rows := self._rows(OPERACIONES):
            holder = self._rng.choice(("", "", "DISPONIBLE", "BS(1)", "CT(2)", "DU(3)", "EV(4)"))
            self._type(OPERACIONES, self._rng.choice(rows), "Ocupado_Por", holder)

    def _type_into_a_joint(self) -> None:
        if rows := self._rows(UNIONES):
            row = self._rng.choice(rows)
            self._type(UNIONES, row, self._rng.choice(_TYPED_JOINT), self._rng.choice(_TEXTS[:-2]))

    def _insert_blank(self) -> None:
        sheet = self._rng.choice((OPERACIONES, OPERACIONES, UNIONES))
        self._do("insert_rows", sheet, at=self._rng.randint(2, self._tab(sheet).last_row + 1))

    def _add_spool(self) -> None:
        """Adds a spool in a new row somewhere in the middle."""
        self._new += 1
        at = self._rng.randint(2, self._tab(OPERACIONES).last_row + 1)
        self._do("insert_rows", OPERACIONES, at=at)
        self._type(OPERACIONES, at, "TAG_SPOOL", f"NV-{self._new}")
        self._type(OPERACIONES, at, "Fecha_Materiales", MATERIALES)
        self._shop.tags.append(f"NV-{self._new}")

    def _delete(self) -> None:
        rows = self._rows(OPERACIONES)
        if len(rows) > 15:
            row = self._rng.choice(rows)
            self.own.row_deleted(OPERACIONES, row)
            self._do("delete_rows", OPERACIONES, at=row)

    def _sort(self) -> None:
        sheet = self._rng.choice((OPERACIONES, OPERACIONES, UNIONES))
        column = self._rng.choice(("TAG_SPOOL", "OT"))
        self._do("sort", sheet, column=column, descending=self._rng.random() < 0.5)

    def _move(self) -> None:
        sheet = self._rng.choice((OPERACIONES, OPERACIONES, UNIONES))
        last = self._tab(sheet).last_row
        at, to = self._rng.randint(2, last), self._rng.randint(2, last)
        if not at <= to <= at + 1:
            self._do("move_rows", sheet, at=at, to=to)
