"""The shop changes its time zone while a Google workbook is connected: no cell is taken for a person's edit."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from carrete.domain.commands import Finalizar, Iniciar, Tomar
from carrete.domain.shop import Shop
from carrete.domain.spool import Operacion
from carrete.sheets.google.client import SheetsClient
from carrete.sheets.lane import Lane
from carrete_chaos.sheets.link import ROOT, emulated_key
from tests.support.people import MR
from tests.support.sheets import BOOK, SheetShop

ARM = Operacion.ARM
HALF_A_DAY = 0.5  # Tokyo is twelve hours ahead of Santiago in November; the sheet counts in days


def test_times_are_written_anew_and_instants_stay(shop: SheetShop) -> None:
    shop.do(Iniciar("U-1", MR.id, ARM), Finalizar("U-1", MR.id, ARM, (1,)), Tomar("A-2", MR.id, ARM))
    shop.settle()
    spools, edits = {tag: shop.spool(tag) for tag in ("U-1", "A-2")}, shop.editions()
    taken, welded = shop.row("A-2")["Fecha_Ocupacion"], shop.row("U-1", "Uniones", 1)["ARM_FECHA_FIN"]
    shop.lane.stop()
    client = SheetsClient(BOOK, emulated_key(shop.emulator), shop.clock, root=ROOT, transport=shop.google)
    shop.lane = Lane(shop._lane_ledger, client, BOOK, Shop(ZoneInfo("Asia/Tokyo")), shop.clock)
    shop.settle()
    assert shop.row("A-2")["Fecha_Ocupacion"] == pytest.approx(taken + HALF_A_DAY)
    assert shop.row("U-1", "Uniones", 1)["ARM_FECHA_FIN"] == pytest.approx(welded + HALF_A_DAY)
    assert (shop.editions(), {tag: shop.spool(tag) for tag in spools}) == (edits, spools)
    shop.types("A-2", "Ocupado_Por", "")
    shop.settle()
    assert shop.spool("A-2").occupation is None, "and what a person types then is theirs"
