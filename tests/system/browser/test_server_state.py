"""One state of the server: the dot, the strip and the messages never say different things."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from carrete.ledger.database import Database
from tests.support.browser import Tablets
from tests.support.builders import a_spool, put
from tests.support.floor_access import FloorServers
from tests.support.people import CREW, LP, SV
from tests.support.server import RunningServer, stop
from tests.support.tablet import Tablet

pytestmark = pytest.mark.access("open", "pin")
ONE, TWO = "MK-1335-CW-25238-001", "MK-1335-CW-25238-002"
TAPS = "**/api/**/occupation/*"
LOST = ["ERR_", "/api/"]
NOTICED_S_MAX = 10.0
# The dot at every moment in which something on the screen says that nobody answers.
WATCH = """() => {
    window.seen = new Set();
    setInterval(() => {
        const dot = document.querySelector('[data-connection]')?.dataset.connection;
        const text = document.body.innerText;
        if (/sin enviar/i.test(text)) window.seen.add(`Sin enviar: ${dot}`);
        if (/El servidor no responde/.test(text)) window.seen.add(`no responde: ${dot}`);
    }, 50);
}"""


def seen(page: Page) -> set[str]:
    return set(page.evaluate("[...window.seen]"))


def hang(route: Route) -> None:
    """No request gets an answer, neither a refusal nor an error, as when the Wi-Fi is lost without notice."""


def test_a_tap_that_nobody_answers_turns_the_dot_within_ten_seconds(
    tablets: Tablets, server: RunningServer, ledger: Database
) -> None:
    put(ledger, [a_spool(ONE), a_spool(TWO)], CREW)
    with tablets.one(server.url, worker=LP, allow=LOST) as screen:
        page = screen.open("/trabajo/ARM")
        screen.is_live()
        page.evaluate(WATCH)
        screen.pick(TWO)
        page.get_by_role("button", name="TOMAR", exact=True).wait_for()
        page.route("**/api/**", hang)  # the stream that is open stays open and silent
        screen.tap("TOMAR")
        begun = time.monotonic()
        expect(page.locator("[data-connection=offline]")).to_be_visible(timeout=1000 * NOTICED_S_MAX)
        print(f"a tap that nobody answers → the dot: {time.monotonic() - begun:.1f} s")
        expect(page.get_by_text(f"Sin enviar: TOMAR {TWO}")).to_be_visible()
        page.wait_for_timeout(12_000)  # a heartbeat or a repetition changes nothing
        page.unroute("**/api/**")
        expect(page.get_by_text("Sin enviar")).to_have_count(0)
        screen.is_live()
        assert seen(page) <= {"Sin enviar: offline", "Sin enviar: null"}, seen(page)


def test_a_refused_connection_is_noticed_at_once_and_the_return_too(
    tablets: Tablets, servers: FloorServers, ledger_url: str, ledger: Database, tmp_path: Path
) -> None:
    put(ledger, [a_spool(ONE), a_spool(TWO)], CREW)
    first = servers.start(ledger_url, tmp_path)
    try:
        with tablets.one(first.url, worker=LP, allow=LOST) as screen:
            page = screen.open("/trabajo/ARM")
            screen.is_live()
            page.evaluate(WATCH)
            screen.pick(TWO)
            page.get_by_role("button", name="TOMAR", exact=True).wait_for()
            first.kill()
            screen.tap("TOMAR")
            expect(page.locator("[data-connection=offline]")).to_be_visible(timeout=1000 * NOTICED_S_MAX)
            again = servers.start(ledger_url, tmp_path, "--port", first.url.rpartition(":")[2])
            try:
                expect(page.get_by_text(f"LP(7) tiene el spool {TWO} para ARM.")).to_be_visible()
                screen.is_live()
            finally:
                found = seen(page)
                stop(again)
            assert found <= {"Sin enviar: offline"}, found
    finally:
        stop(first)


def test_a_screen_that_says_that_the_server_does_not_answer_does_not_say_online(
    tablets: Tablets, server: RunningServer, ledger: Database
) -> None:
    put(ledger, [a_spool(ONE)], CREW)
    with tablets.one(server.url, allow=LOST) as screen:
        screen.page.add_init_script(f"addEventListener('DOMContentLoaded', {WATCH})")
        screen.page.route("**/api/**", lambda route: route.abort())
        page = screen.open()
        expect(page.get_by_text("El servidor no responde.")).to_be_visible()
        expect(page.locator("[data-connection=offline]")).to_be_visible()
        page.unroute("**/api/**")
        page.get_by_role("button", name="Luis Pérez").first.wait_for()
        screen.is_live()
        assert seen(page) == {"no responde: offline"}, seen(page)


def test_one_read_that_fails_is_not_the_server(tablets: Tablets, server: RunningServer, ledger: Database) -> None:
    put(ledger, [a_spool(ONE)], CREW)
    with tablets.one(server.url, worker=SV, allow=["500"]) as screen:
        screen.page.add_init_script(f"addEventListener('DOMContentLoaded', {WATCH})")
        screen.page.route("**/api/dashboard/occupied", lambda route: route.fulfill(status=500, body="{}"))
        page = screen.open("/supervision")
        screen.is_live()
        expect(page.get_by_text("No se pudo cargar. Se sigue intentando.")).to_be_visible()
        page.wait_for_timeout(6_000)
        screen.is_live()
        assert seen(page) == set()


def test_a_floor_without_a_stream_says_how_often_it_asks(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    put(ledger, [a_spool(ONE)], CREW)
    with tablets.one(server.url, worker=LP, allow=["/api/sse/stream"]) as screen:
        screen.page.route("**/api/sse/stream", lambda route: route.abort())
        page = screen.open("/trabajo/ARM")
        expect(page.locator("[data-connection]")).to_have_text("En línea, cada 5 s")
        assert api.tap("tomar", ONE, LP.id).status_code == 200
        expect(screen.mine()).to_have_count(1)
