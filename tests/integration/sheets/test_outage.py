"""Hours without Google, and the start of a shift: workers are not affected, and the sheet has everything soon after."""

from __future__ import annotations

from itertools import pairwise

from carrete.domain.commands import Finalizar, Iniciar, Pausar, Tomar
from carrete.domain.spool import Operacion
from sheets_emulator.emulator import Outage
from tests.integration.sheets.conftest import MakeShop
from tests.support.sheets import READY, SheetShop

ARM = Operacion.ARM
FIFTY = [{"TAG_SPOOL": f"T-{n:02}", **READY} for n in range(50)]
HOURS = 3600.0


def out_for(shop: SheetShop, seconds: float) -> None:
    now = shop.clock.google.seconds()
    shop.emulator.outage = Outage(now, now + seconds, refuse=True)


def test_four_hours_without_google_are_made_up_in_ten_minutes_without_one_429(make_shop: MakeShop) -> None:
    shop = make_shop(FIFTY)
    out_for(shop, 4 * HOURS)
    for _ in range(50):
        shop.do_all(Tomar(f"T-{n:02}", 93, ARM) for n in range(50))
        shop.do_all(Pausar(f"T-{n:02}", 93, ARM) for n in range(50))
    requests_before = len(shop.emulator.journal.entries())
    shop.pass_time(4 * HOURS - 60)
    assert len(shop.emulator.journal.entries()) - requests_before < 260, "about once a minute"
    shop.types("T-01", "NV", "typed meanwhile")
    shop.types("T-02", "Armador", "JS(8)")
    begun = shop.clock.monotonic()
    shop.pass_time(60)
    shop.settle(600)
    took = shop.clock.monotonic() - begun
    print(f"\n5,000 events after four hours: in the sheet {took:.0f} s after Google was back")
    assert len(shop.events()) > 5_000
    assert took <= 600
    assert shop.refused_for_quota() == 0
    shop.assert_every_event_once_in_order()
    assert shop.spool("T-01").nv == "typed meanwhile"
    assert shop.spool("T-02").armador == "JS(8)"
    assert [e for e in shop.editions() if e.get("columna") == "Armador" and e.get("conflicto")]


def test_fifty_who_begin_within_five_seconds_are_in_the_sheet_in_four_writes(make_shop: MakeShop) -> None:
    spools = [{"TAG_SPOOL": f"S-{n:02}", **READY, "Total_Uniones": 20} for n in range(50)]
    joints = [
        {"TAG_SPOOL": f"S-{n:02}", "N_UNION": k, "DN_UNION": 2, "TIPO_UNION": "BW"}
        for n in range(50)
        for k in range(1, 21)
    ]
    shop = make_shop(spools, joints)
    user = "carrete@carrete-demo.iam.gserviceaccount.com"
    shop.emulator.quota.spend("Write", user, 30, shop.clock.google.seconds())
    before = shop.writes()
    for n in range(50):
        shop.do(Iniciar(f"S-{n:02}", 93, ARM))
        shop.pass_time(0.1)
    shop.do(Finalizar("S-00", 93, ARM, unions=tuple(range(1, 21))))
    shop.pass_time(10)
    held = [row for row in shop.rows() if row.get("Ocupado_Por") == "MR(93)"]
    assert len(held) == 49
    assert shop.row("S-00", "Uniones", 20)["ARM_WORKER"] == "MR(93)"
    assert shop.writes() - before <= 4
    shop.settle()
    shop.assert_every_event_once_in_order()
    assert shop.refused_for_quota() == 0


def test_a_day_of_work_keeps_to_the_pace(shop: SheetShop) -> None:
    for minute in range(20):
        tag = f"A-{minute % 5 + 1}"
        shop.do(Tomar(tag, 93, ARM))
        shop.pass_time(20)
        shop.do(Pausar(tag, 93, ARM))
        shop.pass_time(40)
    at = [one["at"] for one in shop.emulator.journal.entries() if one["kind"] in ("read", "write")]
    apart = [b - a for a, b in pairwise(at)]
    assert min(apart) >= 1.099
    assert max(sum(1 for other in at if 0 <= other - start < 60) for start in at) <= 55
