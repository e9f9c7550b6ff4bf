"""Pages that stay open for days load what is new; a browser with many tabs keeps a connection to tap with."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from carrete.ledger.database import Database
from tests.support.browser import Tablets
from tests.support.builders import a_spool, put
from tests.support.changed_build import IS_NEXT, next_version, served_build
from tests.support.people import CREW, LP, MR
from tests.support.server import RunningServer, start_server, stop
from tests.support.tablet import Tablet

TAG = "MK-1335-CW-25238-001"
QUIET_MS = 41_000
GONE = ("ERR_", "/api/")
HIDE = """hidden => {
    Object.defineProperty(document, 'visibilityState', {get: () => hidden ? 'hidden' : 'visible', configurable: true});
    document.dispatchEvent(new Event('visibilitychange'));
}"""


def test_a_page_left_open_loads_the_next_version_when_nobody_is_in_the_middle_of_anything(
    tablets: Tablets, ledger_url: str, ledger: Database, tmp_path: Path
) -> None:
    put(ledger, [a_spool(TAG)], CREW)
    old = start_server(ledger_url, tmp_path)
    try:
        with tablets.one(old.url, allow=GONE) as wall, tablets.one(old.url, worker=LP, allow=GONE) as tablet:
            for screen, path in ((wall, "/tablero"), (tablet, "/trabajo/ARM")):
                screen.page.clock.install()
                screen.open(path)
                screen.is_live()
            old.kill()
            for screen in (wall, tablet):
                expect(screen.page.locator("[data-connection=live]")).to_have_count(0)
            with served_build(ledger_url, tmp_path / "next", next_version, port=old.url.rpartition(":")[2]):
                for screen in (wall, tablet):
                    screen.page.clock.fast_forward(9_000)  # the pause before it asks again
                    screen.is_live()
                assert not is_next(wall.page), "somebody touched it a moment ago"
                wall.page.clock.fast_forward(QUIET_MS)
                wall.page.wait_for_function(IS_NEXT)
                wall.is_live()
                tablet.page.clock.fast_forward(QUIET_MS)
                tablet.is_live()
                assert not is_next(tablet.page), "LP(7) is here"
                tablet.tap("Salir")
                tablet.page.clock.fast_forward(QUIET_MS)
                tablet.page.wait_for_function(IS_NEXT)
                tablet.page.get_by_role("heading", name="¿Quién es usted?").wait_for()
    finally:
        stop(old)


def is_next(page: Page) -> bool:
    found: bool = page.evaluate(IS_NEXT)
    return found


@pytest.mark.access("open", "pin")
def test_more_tabs_than_a_browser_has_connections_leave_one_to_tap_with(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    put(ledger, [a_spool(TAG)], CREW)
    with tablets.one(server.url, worker=LP) as screen:
        first = screen.open("/trabajo/ARM")
        for _ in range(6):
            first.evaluate(HIDE, True)
            tab = first.context.new_page()
            tab.goto(f"{server.url}/trabajo/ARM")
            expect(tab.locator("[data-connection=live]")).to_be_visible()
            first, last = tab, first
        assert api.tap("tomar", TAG, MR.id).status_code == 200
        expect(first.locator(f'[data-tag="{TAG}"]')).to_contain_text("Lo tiene MR(93)")
        last.evaluate(HIDE, False)  # it gets the events it missed while it slept
        expect(last.locator(f'[data-tag="{TAG}"]')).to_contain_text("Lo tiene MR(93)")
