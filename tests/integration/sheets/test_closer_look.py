"""The second read of a sheet, with its marks, shows another state than the first: only one of them is used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from carrete.domain.commands import Tomar
from carrete.domain.spool import Operacion
from carrete.sheets.structure import SELLO, column_letters
from tests.support.sheets import SheetShop

ARM = Operacion.ARM


def column_of(shop: SheetShop, header: str) -> int:
    """As a person counts."""
    return shop.grid("Operaciones")[0].index(header) + 1


def test_a_row_without_a_key_is_theirs_also_when_somebody_types_before_the_closer_look(shop: SheetShop) -> None:
    """The first read could tell which columns the write hit; the second read, without its marks, no longer can."""
    for header in ("Una", "Dos"):
        shop.person("insert_columns", at=column_of(shop, SELLO) + 1)
        letters = column_letters(column_of(shop, SELLO))
        shop.person("edit", cell=f"{letters}1", value=header)
    at = shop.row_number("Operaciones", "A-3")
    shop.person("insert_rows", at=at)
    for header in ("OT", "Ocupado_Por"):
        shop.person("edit", cell=f"{column_letters(column_of(shop, header) - 1)}{at}", value=f"turno {header}")
    shop.settle()
    shop.do(Tomar("A-5", 93, ARM))
    shop.settle()

    def move() -> None:
        shop.person("move_rows", at=at, to=at + 2)
        shop.person("move_columns", at="Una", to="Dos")

    with shop.meanwhile(move), typing_before_the_closer_look(shop, "A-1", "Ocupado_Por", "DISPONIBLE"):
        shop.do(Tomar("A-1", 93, ARM), Tomar("A-3", 93, ARM))
        shop.settle()
    (heading,) = [row for row in shop.rows() if row and "TAG_SPOOL" not in row]
    assert heading == {"OT": "turno OT", "Ocupado_Por": "turno Ocupado_Por"}
    assert shop.row("A-3")["Ocupado_Por"] == "MR(93)"


@contextmanager
def typing_before_the_closer_look(shop: SheetShop, tag: str, column: str, value: str) -> Iterator[None]:
    """Runs once, when the lane asks where the marked columns are."""
    client, typed = shop.lane.client, list[str]()
    marked = client.marked

    def first_type(*arguments: Any) -> Any:
        if not typed:
            shop.types(tag, column, value)
            typed.append(value)
        return marked(*arguments)

    client.marked = first_type  # type: ignore[assignment,method-assign]
    yield
    client.marked = marked  # type: ignore[method-assign]
    assert typed, "no closer look was taken"
