"""A spool is handed over from one tablet to another: offered, seen within ten seconds, accepted in one tap."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from carrete.ledger.database import Database
from tests.support.browser import Screen, Tablets
from tests.support.builders import a_joint, a_spool, put
from tests.support.people import CREW, JS, LP, MR
from tests.support.server import RunningServer
from tests.support.tablet import Tablet

pytestmark = pytest.mark.access("open", "pin")
ONE, TWO = (f"MK-1335-CW-25238-{n:03}" for n in (1, 2))
SEEN_MS_MAX = 12_000  # asked for every ten seconds


def take(screen: Screen, tag: str, accion: str = "TOMAR") -> None:
    screen.open("/trabajo/ARM")
    screen.pick(tag)
    screen.tap(accion)
    screen.is_back_at_the_list()
    screen.pick(tag)


def receiver(screen: Screen, worker_id: int) -> None:
    screen.page.locator(f'[data-receiver="{worker_id}"]').click()


def test_a_spool_is_handed_over_to_a_person_and_both_are_told(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    put(ledger, [a_spool(ONE), a_spool(TWO)], CREW)
    with tablets.one(server.url, worker=MR) as giver, tablets.one(server.url, worker=LP) as taker:
        taker.open("/trabajo/ARM")
        take(giver, ONE)
        giver.tap("Entregar a…")
        dialog = giver.page.get_by_role("dialog", name=f"Entregar {ONE}")
        expect(dialog.locator(f'[data-receiver="{JS.id}"]')).to_have_count(0)  # a welder does not fit up
        expect(dialog.locator(f'[data-receiver="{MR.id}"]')).to_have_count(0)
        receiver(giver, LP.id)
        expect(giver.page.get_by_text("Ofrecido a LP(7).")).to_be_visible()
        offer = taker.page.locator(f'[data-relevo="{ONE}"]')
        expect(offer).to_contain_text("se lo entrega MR(93) (Armado)", timeout=SEEN_MS_MAX)
        taker.tap("Aceptar")
        expect(taker.page.get_by_text(f"MR(93) entregó el spool {ONE} a LP(7) para ARM.")).to_be_visible()
        expect(taker.mine()).to_have_attribute("data-tag", ONE)
        expect(offer).to_have_count(0)
        expect(giver.page.get_by_text(f"Su spool {ONE} lo recibió LP(7).")).to_be_visible()
    assert api.see_events(ONE) == ["TOMAR_SPOOL", "RELEVO"]
    assert api.see_spool(ONE)["armador"] == "LP(7)"


@pytest.mark.long
def test_an_offer_is_declined_and_another_is_withdrawn(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    put(ledger, [a_spool(ONE)], CREW)
    with tablets.one(server.url, worker=MR) as giver, tablets.one(server.url, worker=LP) as taker:
        taker.open("/trabajo/ARM")
        take(giver, ONE)
        giver.tap("Entregar a…")
        receiver(giver, LP.id)
        offer = taker.page.locator(f'[data-relevo="{ONE}"]')
        offer.wait_for(timeout=SEEN_MS_MAX)
        taker.tap("Rechazar")
        expect(offer).to_have_count(0)
        expect(giver.page.get_by_role("button", name="Entregar a…")).to_be_visible(timeout=SEEN_MS_MAX)
        giver.tap("Entregar a…")
        giver.tap("A quien corresponda")
        expect(giver.page.get_by_text("Ofrecido a quien corresponda.")).to_be_visible()
        offer.wait_for(timeout=SEEN_MS_MAX)
        taker.tap("Ahora no")  # it is still there for the others
        expect(offer).to_have_count(0)
        giver.tap("Retirar")
        expect(giver.page.get_by_role("button", name="Entregar a…")).to_be_visible()
    assert api.see_events(ONE) == ["TOMAR_SPOOL"]
    assert api.see_spool(ONE)["ocupado_por"] == "MR(93)"


def test_the_giver_ticks_the_joints_that_are_done_before_handing_over(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    joints = [a_joint(n, ONE) for n in (1, 2, 3)]
    put(ledger, [a_spool(ONE, total_uniones=3)], CREW, joints)
    with tablets.one(server.url, worker=MR, allow=["400"]) as giver:
        take(giver, ONE, "INICIAR")
        giver.tap("Entregar a…")
        dialog = giver.page.get_by_role("dialog")
        for n in (1, 2, 3):
            dialog.get_by_role("button", name=str(n), exact=True).click()
        receiver(giver, LP.id)
        expect(dialog.get_by_text("no queda nada que entregar. Use FINALIZAR.")).to_be_visible()
        dialog.get_by_role("button", name="3", exact=True).click()
        receiver(giver, LP.id)
        expect(giver.page.get_by_text("Ofrecido a LP(7).")).to_be_visible()
    card = api.see_spool(ONE)
    assert [joint["arm_worker"] for joint in card["uniones"]] == ["MR(93)", "MR(93)", None]
    assert card["ocupado_por"] == "MR(93)"
