"""Gloves tap twice, or while something appears on the screen: no tap is undone by it, and no button moves from under a
finger."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Locator, Page, Request, Route, expect

from carrete.ledger.database import Database
from tests.support.browser import LIFT_MS, Tablets, covered, middle
from tests.support.builders import a_finished_spool, a_joint, a_spool, held, put
from tests.support.people import CREW, LP, MI, SV
from tests.support.server import RunningServer
from tests.support.tablet import Tablet

pytestmark = pytest.mark.access("open", "pin")
PHONE = (360, 740)
APART_S, LIFT_S = 0.125, 0.02  # between the two taps of a glove, and until the finger is up again
QUEUED, MINE = "MK-1335-CW-25238-001", "MK-1335-CW-25238-002"
SPARE = "MK-1400-CW-25238-001"
TARGETS = """() => [...document.querySelectorAll('button, a[href], label[data-joint]')]
    .filter(e => e.checkVisibility({visibilityProperty: true}) && !e.closest('[data-notice]'))
    .map(e => [e.textContent + (e.ariaLabel ?? ''), Math.round(e.getBoundingClientRect().y)])"""


def test_a_glove_on_the_queue_opens_the_spool_and_does_not_approve_it(
    tablets: Tablets, server: RunningServer, ledger: Database
) -> None:
    put(ledger, [a_finished_spool(QUEUED)], CREW)
    with tablets.one(server.url, worker=MI, size=PHONE) as screen:
        posted: list[str] = []
        screen.page.on("request", lambda request: note_action(request, posted))
        screen.open("/trabajo/METROLOGIA")
        screen.is_live()  # what a screen loads beside the list is there
        tap_twice(screen.page, screen.row(QUEUED))
        expect(screen.page.get_by_role("button", name="APROBADO", exact=True)).to_be_enabled()
        assert posted == []
        screen.page.wait_for_timeout(LIFT_MS)  # a tap of its own
        screen.tap("APROBADO")
        screen.says(f"Spool {QUEUED} aprobado por metrología.")


def note_action(request: Request, posted: list[str]) -> None:
    """That a signed-in worker touches the screen is posted too, and is no action."""
    if request.method == "POST" and not request.url.endswith("/api/sesion/uso"):
        posted.append(request.url)


def test_a_joint_tapped_by_a_glove_is_ticked(tablets: Tablets, server: RunningServer, ledger: Database) -> None:
    put(ledger, [held(a_spool(MINE, total_uniones=2), LP)], CREW, [a_joint(1, MINE), a_joint(2, MINE)])
    with tablets.one(server.url, worker=LP, size=PHONE) as screen:
        screen.open(f"/trabajo/ARM/{MINE}")
        screen.is_live()
        expect(screen.page.get_by_role("checkbox", name="Unión 1,")).to_be_enabled()
        tap_twice(screen.page, screen.joint(1))
        expect(screen.page.get_by_text("Seleccionadas: 1/2")).to_be_visible()
        screen.page.wait_for_timeout(LIFT_MS)
        tap_twice(screen.page, screen.joint(1))
        expect(screen.page.get_by_text("Seleccionadas: 0/2")).to_be_visible()


@pytest.mark.parametrize("place", ["/trabajo/ARM", f"/trabajo/ARM/{MINE}", f"/trabajo/METROLOGIA/{QUEUED}"])
def test_a_notice_lies_on_no_button_and_moves_none(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet, place: str
) -> None:
    joints = [a_joint(n, MINE) for n in range(1, 13)]
    put(ledger, [held(a_spool(MINE, total_uniones=12), LP), a_finished_spool(QUEUED), a_spool(SPARE)], CREW, joints)
    with tablets.one(server.url, worker=LP, size=PHONE) as screen:
        assert api.tap("tomar", SPARE, LP.id).status_code == 200
        page = screen.open(place)
        screen.is_live()
        screen.row(SPARE).wait_for(state="attached")
        always = ["Salir"] if place.endswith("ARM") else ["Volver", "Salir"]
        if MINE in place:
            screen.joint(12).wait_for()
            always.append("FINALIZAR")
        elif QUEUED in place:
            page.get_by_role("button", name="Notas: 0").wait_for()
        before = dict(page.evaluate(TARGETS))
        body = {"tag_spool": SPARE, "supervisor_id": SV.id, "motivo": "fin de turno"}
        assert api.post("/api/occupation/liberar", body).status_code == 200
        expect(page.get_by_text(f"SV(21) liberó su spool {SPARE}")).to_be_visible()
        assert not covered(page.get_by_role("button", name="Cerrar"))
        after = dict(page.evaluate(TARGETS))
        stayed = before.keys() & after.keys()  # the freed one is another row now
        assert len(stayed) > len(always)
        assert {name: after[name] for name in stayed if after[name] != before[name]} == {}
        assert [name for name in always if covered(page.get_by_role("button", name=name, exact=True))] == []


def test_no_button_moves_when_the_spool_is_read(tablets: Tablets, server: RunningServer, ledger: Database) -> None:
    """Its notes get a button, beside which the tag needs more lines on a phone."""
    put(ledger, [a_finished_spool(QUEUED)], CREW)
    with tablets.one(server.url, worker=MI, size=PHONE) as screen:
        page = screen.open("/trabajo/METROLOGIA")
        screen.row(QUEUED).wait_for()
        held_back: list[Route] = []
        page.route(f"**/api/spools/{QUEUED}*", lambda route: held_back.append(route))
        screen.row(QUEUED).click()
        buttons = [page.get_by_role("button", name=name, exact=True) for name in ("Volver", "Dossier")]
        expect(buttons[1]).to_be_visible()
        before = [button.bounding_box() for button in buttons]
        page.wait_for_timeout(100)
        for route in held_back:
            route.continue_()
        page.get_by_role("button", name="Notas: 0").wait_for()
        assert held_back
        assert [button.bounding_box() for button in buttons] == before


def tap_twice(page: Page, what: Locator) -> None:
    """At the same place, an eighth of a second apart: by the times that the taps carry, however busy the machine is."""
    x, y = middle(what)
    browser = page.context.new_cdp_session(page)
    first = time.time()
    for at in (first, first + APART_S):
        touch = {"type": "touchStart", "touchPoints": [{"x": x, "y": y}], "timestamp": at}
        browser.send("Input.dispatchTouchEvent", touch)
        browser.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": [], "timestamp": at + LIFT_S})
        page.wait_for_timeout(APART_S * 1000)
    browser.detach()
