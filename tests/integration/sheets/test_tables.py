"""A sheet that somebody made a Google table: a column with a type takes our values, and none of our number formats."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from carrete.api.sync import status_json
from carrete.domain.commands import Finalizar, Iniciar, Pausar, Tomar
from carrete.domain.spool import Operacion
from carrete.sheets.status import sync_status
from carrete_chaos.sheets.link import EmulatedGoogle
from tests.integration.sheets.conftest import MakeShop
from tests.support.builders import SHOP, a_spool, put
from tests.support.sheets import BOOK, SheetShop
from tests.support.tampering import tampering

ARM = Operacion.ARM
OF_SPOOLS = {"Fecha_Materiales": "DATE", "Fecha_Ocupacion": "DATE_TIME", "OT": "TEXT"}
OF_JOINTS = {"ARM_FECHA_INICIO": "DATE_TIME", "SOL_FECHA_FIN": "DATE_TIME"}
OF_EVENTS = {"Timestamp": "DATE_TIME", "Evento_Tipo": "TEXT"}


def status(shop: SheetShop) -> dict[str, Any]:
    with shop.database.reading() as tx:
        return status_json(sync_status(tx, BOOK, shop.clock.now()), BOOK, SHOP, shop.clock.now())


def refused(shop: SheetShop) -> int:
    return sum(entry["status"] == 400 for entry in shop.emulator.journal.entries())


def notices(shop: SheetShop) -> list[tuple[str, str]]:
    return [(one["hoja"], one["columna"]) for one in status(shop)["notices"]]


@pytest.fixture
def tables(shop: SheetShop) -> SheetShop:
    shop.person("make_table", types=OF_SPOOLS)
    shop.person("make_table", "Uniones", types=OF_JOINTS)
    shop.person("make_table", "Metadata", types=OF_EVENTS)
    return shop


def test_what_the_floor_does_is_written_without_the_format(tables: SheetShop) -> None:
    tables.do(Tomar("A-1", 93, ARM), Iniciar("U-1", 93, ARM), Finalizar("U-1", 93, ARM, (1, 2)))
    tables.settle()
    assert tables.row("A-1")["Ocupado_Por"] == "MR(93)"
    assert isinstance(tables.row("A-1")["Fecha_Ocupacion"], float)
    assert isinstance(tables.row("U-1", "Uniones", 1)["ARM_FECHA_INICIO"], float)
    tables.assert_every_event_once_in_order()
    assert status(tables)["parked_count"] == 0
    assert not tables.waiting()


def test_a_column_of_the_table_that_has_no_type_keeps_its_format(tables: SheetShop) -> None:
    tables.do(Tomar("A-1", 93, ARM))
    tables.settle()
    tables.types("A-1", "Fecha_Armado", "12-11-2026")
    tables.settle()
    tables.types("A-1", "Fecha_Armado", "")
    tables.settle()
    assert ("Operaciones", "Fecha_Ocupacion") in notices(tables)
    assert ("Operaciones", "Fecha_Armado") not in notices(tables)


def test_a_column_without_formats_is_reported_once_and_not_tried_at_each_write(tables: SheetShop) -> None:
    tables.do(Tomar("A-1", 93, ARM))
    tables.settle()
    tried = refused(tables)
    assert 1 <= tried <= 4
    tables.restart()
    for tag in ("A-2", "A-3"):
        tables.do(Tomar(tag, 93, ARM))
        tables.settle()
    assert refused(tables) == tried, "also not by another process"
    found = [one for one in status(tables)["notices"] if one["hoja"] == "Operaciones"]
    assert [one["columna"] for one in found] == ["Fecha_Ocupacion"]
    assert "sin formato" in found[0]["motivo"]
    assert status(tables)["problem_count"] == 0, "nothing was left out"


def test_rows_put_below_a_table_are_written(tables: SheetShop) -> None:
    put(tables.database, [a_spool("Z-1"), a_spool("Z-2")])
    tables.restart()
    tables.settle()
    assert [row["TAG_SPOOL"] for row in tables.rows()][-2:] == ["Z-1", "Z-2"]
    assert isinstance(tables.row("Z-1")["Fecha_Materiales"], int)
    assert status(tables)["parked_count"] == 0


def test_the_format_is_tried_again_when_the_columns_change(tables: SheetShop) -> None:
    tables.do(Tomar("A-1", 93, ARM))
    tables.settle()
    tables.person("drop_tables")
    tables.person("insert_columns", at="OT")
    tables.do(Tomar("A-2", 93, ARM))
    tables.settle()
    assert tables.format_of("Operaciones", "A-2", "Fecha_Ocupacion")["type"] == "DATE_TIME"
    assert [notice for notice in notices(tables) if notice[0] == "Operaciones"] == []


def test_the_format_is_tried_again_after_a_day(tables: SheetShop) -> None:
    tables.do(Tomar("A-1", 93, ARM))
    tables.settle()
    tables.person("drop_tables")
    tables.clock.sleep(25 * 3600)
    tables.do(Tomar("A-2", 93, ARM))
    tables.settle()
    assert tables.format_of("Operaciones", "A-2", "Fecha_Ocupacion")["type"] == "DATE_TIME"


def test_a_refusal_for_another_reason_is_no_refusal_of_the_format(shop: SheetShop) -> None:
    number = shop.row_number("Operaciones", "A-2")
    shop.person("protect", range=f"K{number}:K{number}")
    shop.do(Tomar("A-1", 93, ARM), Tomar("A-2", 93, ARM), Tomar("A-3", 93, ARM))
    shop.settle()
    assert [one["tag_spool"] for one in status(shop)["parked"]] == ["A-2"]
    assert notices(shop) == []
    shop.do(Tomar("A-4", 93, ARM))
    shop.settle()
    for tag in ("A-1", "A-4"):
        assert shop.format_of("Operaciones", tag, "Fecha_Ocupacion")["type"] == "DATE_TIME"


def test_a_protected_row_in_a_table_is_parked_and_the_others_flow(tables: SheetShop) -> None:
    number = tables.row_number("Operaciones", "A-2")
    tables.person("protect", range=f"A{number}:S{number}")
    tables.do(Tomar("A-1", 93, ARM), Tomar("A-2", 93, ARM), Tomar("A-3", 93, ARM))
    tables.settle()
    assert [one["tag_spool"] for one in status(tables)["parked"]] == ["A-2"]
    assert [tables.row(tag)["Ocupado_Por"] for tag in ("A-1", "A-3")] == ["MR(93)"] * 2
    tables.assert_every_event_once_in_order()


def test_also_when_google_does_not_say_which_request_it_refuses(
    tables: SheetShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_of = EmulatedGoogle.handle_request

    def without_index(google: EmulatedGoogle, request: httpx.Request) -> httpx.Response:
        answer = answer_of(google, request)
        text = re.sub(r"requests\[\d+\]", "requests", answer.text)
        return httpx.Response(answer.status_code, text=text, request=request)

    monkeypatch.setattr(EmulatedGoogle, "handle_request", without_index)
    tables.do(Tomar("A-1", 93, ARM), Tomar("A-2", 93, ARM), Iniciar("U-1", 93, ARM))
    tables.settle(900)
    assert [tables.row(tag)["Ocupado_Por"] for tag in ("A-1", "A-2", "U-1")] == ["MR(93)"] * 3
    tables.assert_every_event_once_in_order()
    assert status(tables)["parked_count"] == 0


def test_one_event_that_is_too_long_does_not_take_the_format_from_the_others(shop: SheetShop) -> None:
    shop.do(Tomar("A-1", 93, ARM), Tomar("A-2", 93, ARM), Pausar("A-2", 93, ARM))
    with tampering(shop.database) as tx:
        long = "'{\"x\": \"' || hex(zeroblob(30000)) || '\"}'"
        tx.execute(f"UPDATE event SET metadata = {long} WHERE tag = 'A-1' AND accion = 'TOMAR'")
    shop.settle(600)
    assert notices(shop) == []
    assert status(shop)["parked_count"] == 1


def test_a_table_from_the_first_day(make_shop: MakeShop) -> None:
    """Everything is in the ledger, nothing in the sheet but a header in a table."""
    shop = make_shop()
    for sheet, types in (("Operaciones", OF_SPOOLS), ("Uniones", OF_JOINTS), ("Metadata", OF_EVENTS)):
        shop.person("make_table", sheet, types=types)
    put(shop.database, [a_spool(f"Z-{n}") for n in range(30)])
    shop.restart()
    shop.settle()
    assert len(shop.rows()) == 30
    shop.do(Tomar("Z-3", 93, ARM))
    shop.settle()
    assert shop.row("Z-3")["Ocupado_Por"] == "MR(93)"
    shop.assert_every_event_once_in_order()
