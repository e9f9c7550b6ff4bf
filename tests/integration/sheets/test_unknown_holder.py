"""A new row with an unknown holder: the spool is imported as free, and the cell is reported until it is corrected."""

from __future__ import annotations

from typing import Any

import pytest

from carrete.api.sync import status_json
from carrete.domain.commands import Tomar
from carrete.domain.spool import Operacion
from carrete.sheets.status import sync_status
from tests.integration.sheets.conftest import MakeShop
from tests.support.builders import SHOP
from tests.support.sheets import BOOK, READY, SheetShop

ARM = Operacion.ARM
NEW = {"TAG_SPOOL": "N-1", **READY, "Ocupado_Por": "ZZ(404)", "Fecha_Ocupacion": "12-11-2026 10:00:00"}


def flagged(shop: SheetShop) -> list[tuple[str, int, str]]:
    """As the supervisor's page shows them."""
    with shop.database.reading() as tx:
        page = status_json(sync_status(tx, BOOK, shop.clock.now()), BOOK, SHOP, shop.clock.now())
    return [(one["hoja"], one["fila"], one["columna"]) for one in page["problems"]]


@pytest.fixture
def new_row(shop: SheetShop) -> SheetShop:
    """And a joint of it."""
    shop.person("add_row", values=NEW)
    joint: dict[str, Any] = {"TAG_SPOOL": "N-1", "N_UNION": 1, "DN_UNION": 4, "TIPO_UNION": "BW"}
    shop.person("add_row", "Uniones", values=joint)
    shop.settle()
    return shop


@pytest.mark.parametrize("killed", [False, True])
def test_the_spool_is_there_and_free_and_the_cell_is_left_as_it_was_typed(new_row: SheetShop, killed: bool) -> None:
    if killed:
        new_row.restart()
    new_row.pass_time(300)
    spool = new_row.spool("N-1")
    assert (spool.occupation, spool.ot, spool.counts.rows) == (None, "25238", 1)
    assert new_row.row("N-1")["Ocupado_Por"] == "ZZ(404)"
    assert flagged(new_row) == [("Operaciones", new_row.row_number("Operaciones", "N-1"), "Ocupado_Por")]
    new = [e for e in new_row.editions() if (e["accion"], e["hoja"]) == ("NUEVO", "Operaciones")]
    assert len(new) == 7, "six of the shop, and this one once"


def test_at_once_after_the_read_that_brought_it(shop: SheetShop) -> None:
    shop.person("add_row", values=NEW)
    shop.lane.cycle({"Operaciones"}, flush=True)
    assert flagged(shop) == [("Operaciones", shop.row_number("Operaciones", "N-1"), "Ocupado_Por")]
    assert shop.row("N-1")["Ocupado_Por"] == "ZZ(404)"


@pytest.mark.parametrize("killed", [False, True])
def test_once_corrected_the_occupation_follows_with_its_date(new_row: SheetShop, killed: bool) -> None:
    if killed:
        new_row.restart()
    new_row.types("N-1", "Ocupado_Por", "MR(93)")
    new_row.settle()
    held = new_row.spool("N-1").occupation
    assert held is not None
    assert (held.label, held.since.isoformat()) == ("MR(93)", "2026-11-12T13:00:00+00:00")
    assert flagged(new_row) == []
    assert new_row.row("N-1")["Estado_Detalle"].startswith("MR(93) trabajando ARM")
    assert new_row.healed == ["N-1"], "its lock is put right"
    edit = [e for e in new_row.editions() if e.get("columna") == "Ocupado_Por"]
    assert [(e["anterior"], e["nuevo"]) for e in edit] == [("", "MR(93)")]


def test_once_the_worker_is_known_the_occupation_follows(new_row: SheetShop) -> None:
    new_row.person("add_row", "Trabajadores", values={"Id": 404, "Nombre": "Zoe", "Apellido": "Zúñiga", "Activo": True})
    new_row.settle()
    held = new_row.spool("N-1").occupation
    assert held is not None
    assert held.label == "ZZ(404)"
    assert flagged(new_row) == []


def test_once_emptied_it_is_a_spool_like_any_other(new_row: SheetShop) -> None:
    new_row.types("N-1", "Ocupado_Por", "")
    new_row.settle()
    assert new_row.spool("N-1").occupation is None
    assert flagged(new_row) == []
    assert new_row.row("N-1")["Estado_Detalle"].startswith("Disponible")


def test_a_worker_who_takes_it_on_the_floor_holds_it(new_row: SheetShop) -> None:
    new_row.do(Tomar("N-1", 93, ARM))
    new_row.settle()
    assert new_row.row("N-1")["Ocupado_Por"] == "MR(93)"
    assert flagged(new_row) == []
    refused = [e for e in new_row.editions() if e.get("columna") == "Ocupado_Por"]
    assert [(e["nuevo"], e["aceptado"], e["conflicto"]) for e in refused] == [("ZZ(404)", False, True)]


def test_a_workbook_full_of_them_is_connected(make_shop: MakeShop) -> None:
    shop = make_shop([{**NEW, "TAG_SPOOL": f"N-{n}"} for n in range(50)])
    with shop.database.reading() as tx:
        assert len(tx.all("spools_all")) == 50
    assert [row["Ocupado_Por"] for row in shop.rows()] == ["ZZ(404)"] * 50
    assert len(flagged(shop)) == 50


def test_an_existing_row_with_an_unknown_holder_waits_as_a_whole(shop: SheetShop) -> None:
    shop.types("A-1", "Ocupado_Por", "ZZ(404)")
    shop.types("A-1", "NV", "9")
    shop.settle()
    assert (shop.spool("A-1").occupation, shop.spool("A-1").nv) == (None, "1335")
    assert [column for _, _, column in flagged(shop)] == ["Ocupado_Por"]
