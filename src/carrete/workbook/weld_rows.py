"""Rows of the sheets WPS and Calificaciones: cells in normal form to procedures and qualifications, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from carrete.domain.joints import DN_MILLI_MAX, ESPESOR_MILLI_MAX, WELD_TEXT_MAX, milli_from
from carrete.domain.qualification import Limits, Procedure, Qualification, WeldScope
from carrete.domain.weld_cells import PARTS_MAX, f_numbers_of, is_range, normal_part, p_numbers_of, parts_of
from carrete.workbook.rows import Cells, milli_text

_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_DECIMAL = re.compile(r"[0-9]+\.[0-9]+")
_SEPARATOR = ", "


class BadRow(ValueError):
    """`wrong` has the column and the reason of each cell that cannot be."""

    def __init__(self, wrong: list[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{column}: {reason}" for column, reason in wrong))
        self.wrong = wrong


class _Reader:
    """Reads the cells of one row, and collects what is wrong with them."""

    def __init__(self, cells: Mapping[str, str]) -> None:
        self._cells = cells
        self.wrong: list[tuple[str, str]] = []

    def text(self, column: str) -> str:
        return self._cells.get(column, "")

    def parts(self, column: str) -> tuple[str, ...]:
        return self._bounded(column, parts_of(self.text(column)))

    def p_numbers(self) -> tuple[str, ...]:
        return self._bounded("P_Numeros", p_numbers_of(self.text("P_Numeros")), numbered=True)

    def f_numbers(self) -> tuple[str, ...]:
        return self._bounded("F_Numero", f_numbers_of(self.text("F_Numero")), numbered=True)

    def _bounded(self, column: str, parts: tuple[str, ...], *, numbered: bool = False) -> tuple[str, ...]:
        if numbered and any(map(_DECIMAL.fullmatch, parts)):  # the sheet took `1,8` for a number
            self.wrong.append((column, f"«{self.text(column)[:40]}» es un número decimal; escriba 1 + 8."))
        if numbered and (ranges := [part for part in parts if is_range(part)]):
            self.wrong.append((column, f"«{ranges[0][:40]}» es un rango; escriba cada número: 1, 3, 4."))
        if len(parts) > PARTS_MAX or any(len(part) > WELD_TEXT_MAX for part in parts):
            self.wrong.append((column, f"a lo más {PARTS_MAX} valores de {WELD_TEXT_MAX} caracteres."))
        return parts

    def day(self, column: str) -> date | None:
        return date.fromisoformat(self.text(column)) if self.text(column) else None

    def limits(self, name: str, milli_max: int) -> Limits:
        found = Limits(self._size(f"{name}_Min", milli_max), self._size(f"{name}_Max", milli_max))
        if found.inverted:
            self.wrong.append((f"{name}_Min", f"es mayor que {name}_Max."))
        return found

    def _size(self, column: str, milli_max: int) -> int | None:
        cell = self.text(column)
        if not cell:
            return None
        if _NUMBER.fullmatch(cell) and Decimal(cell) == 0 and column.endswith("_Min"):
            return None
        milli = milli_from(Decimal(cell), milli_max) if _NUMBER.fullmatch(cell) else None
        if milli is None:
            self.wrong.append((column, f"«{cell[:40]}» no es un número mayor que cero, con a lo más tres decimales."))
        return milli

    def in_order(self, first: str, last: str) -> None:
        begins, ends = self.text(first), self.text(last)
        if begins and ends and begins > ends:
            self.wrong.append((last, f"es antes de {first}."))

    def not_after(self, column: str, today: date) -> date | None:
        """A day that is over, or today: what has not happened yet cannot be attested."""
        day = self.day(column)
        if day is not None and day > today:
            self.wrong.append((column, f"el {day:%d-%m-%Y} aún no llega."))
        return day

    def scope(self) -> WeldScope:
        return WeldScope(
            self.p_numbers(),
            self.f_numbers(),
            self.limits("Espesor", ESPESOR_MILLI_MAX),
            self.limits("DN", DN_MILLI_MAX),
            self.parts("Posiciones"),
        )

    @property
    def active(self) -> bool:
        return self.text("Activo") != "0"


def procedure_from_cells(number: str, cells: Mapping[str, str]) -> Procedure:
    reader = _Reader(cells)
    processes = reader.parts("Procesos")
    if not processes:
        reader.wrong.append(("Procesos", "falta."))
    reader.in_order("Vigente_Desde", "Vigente_Hasta")
    valid_from, valid_to = reader.day("Vigente_Desde"), reader.day("Vigente_Hasta")
    made = Procedure(number, processes, reader.scope(), reader.text("Revision"), valid_from, valid_to, reader.active)
    if reader.wrong:
        raise BadRow(reader.wrong)
    return made


def qualification_from_cells(
    worker_id: int, process: str, document: str, cells: Mapping[str, str], today: date
) -> Qualification:
    reader = _Reader(cells)
    made_on = reader.day("Fecha")
    if made_on is None:
        reader.wrong.append(("Fecha", "falta o no se entiende."))
    if len(parts_of(process)) != 1:
        reader.wrong.append(("Proceso", "un proceso por fila."))
    reader.in_order("Fecha", "Vence")
    made = Qualification(
        worker_id,
        normal_part(process),
        document,
        reader.scope(),
        made_on or date.min,
        reader.day("Vence"),
        reader.not_after("Ultimo_Uso", today),
        reader.active,
    )
    if reader.wrong:
        raise BadRow(reader.wrong)
    return made


def procedure_cells(one: Procedure) -> Cells:
    """Without the key."""
    return {
        "Procesos": _SEPARATOR.join(one.processes),
        **_scope_cells(one.scope),
        "Revision": one.revision,
        "Vigente_Desde": _day(one.valid_from),
        "Vigente_Hasta": _day(one.valid_to),
        "Activo": str(int(one.active)),
    }


def qualification_cells(one: Qualification) -> Cells:
    """Without the key."""
    return {
        **_scope_cells(one.scope),
        "Fecha": one.day.isoformat(),
        "Vence": _day(one.expires),
        "Ultimo_Uso": _day(one.last_used),
        "Activo": str(int(one.active)),
    }


def _scope_cells(scope: WeldScope) -> Cells:
    return {
        "P_Numeros": _SEPARATOR.join(scope.p_numbers),
        "F_Numero": _SEPARATOR.join(scope.f_numbers),
        "Espesor_Min": _size_text(scope.thickness.least),
        "Espesor_Max": _size_text(scope.thickness.greatest),
        "DN_Min": _size_text(scope.diameter.least),
        "DN_Max": _size_text(scope.diameter.greatest),
        "Posiciones": _SEPARATOR.join(scope.positions),
    }


def _size_text(milli: int | None) -> str:
    return "" if milli is None else milli_text(milli)


def _day(day: date | None) -> str:
    return day.isoformat() if day else ""
