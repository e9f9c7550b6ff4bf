"""Gloves tap twice. The second tap is the first one again: it undoes nothing, and nothing on the next screen."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from carrete.ledger.database import Database
from tests.support.browser import LIFT_MS, Tablets, middle
from tests.support.builders import a_finished_spool, a_joint, a_spool, held, put
from tests.support.people import CREW, LP, MI
from tests.support.server import RunningServer

PHONE = (360, 740)
QUEUED, MINE = "MK-1335-CW-25238-001", "MK-1335-CW-25238-002"


def test_a_glove_on_the_queue_opens_the_spool_and_does_not_approve_it(
    tablets: Tablets, server: RunningServer, ledger: Database
) -> None:
    put(ledger, [a_finished_spool(QUEUED)], CREW)
    with tablets.one(server.url, worker=MI, size=PHONE) as screen:
        posted: list[str] = []
        screen.page.on("request", lambda request: posted.append(request.url) if request.method == "POST" else None)
        screen.open("/trabajo/METROLOGIA")
        screen.is_live()  # what a screen loads beside the list is there
        tap_twice(screen.page, screen.row(QUEUED))
        expect(screen.page.get_by_role("button", name="APROBADO", exact=True)).to_be_enabled()
        assert posted == []
        screen.page.wait_for_timeout(LIFT_MS)  # a tap of its own
        screen.tap("APROBADO")
        screen.says(f"Spool {QUEUED} aprobado por metrología.")


def test_a_joint_tapped_by_a_glove_is_ticked(tablets: Tablets, server: RunningServer, ledger: Database) -> None:
    put(ledger, [held(a_spool(MINE, total_uniones=2), LP)], CREW, [a_joint(1, MINE), a_joint(2, MINE)])
    with tablets.one(server.url, worker=LP, size=PHONE) as screen:
        screen.open(f"/trabajo/ARM/{MINE}")
        tap_twice(screen.page, screen.joint(1))
        expect(screen.page.get_by_text("Seleccionadas: 1/2")).to_be_visible()
        screen.page.wait_for_timeout(LIFT_MS)
        tap_twice(screen.page, screen.joint(1))
        expect(screen.page.get_by_text("Seleccionadas: 0/2")).to_be_visible()


def tap_twice(page: Page, what: Locator) -> None:
    """At the same place, an eighth of a second apart."""
    x, y = middle(what)
    page.touchscreen.tap(x, y)
    page.wait_for_timeout(125)
    page.touchscreen.tap(x, y)
