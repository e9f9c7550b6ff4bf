"""The wall board: read from five metres, alone for days, true within a second."""

from __future__ import annotations

import time
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, Route, expect

from carrete.ledger.database import Database
from tests.support.answers import done
from tests.support.browser import SIZES, Tablets, overflow_px, small_targets, violations
from tests.support.builders import TAG, a_joint, a_spool, held, put
from tests.support.by_joint import begin, finish
from tests.support.people import CREW, LP, MR
from tests.support.server import RunningServer, start_server, stop

WALL = (1920, 1080)
STREAM = "**/api/sse/stream"
NO_STREAM = ("ERR_FAILED", "ERR_CONNECTION_", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_EMPTY_RESPONSE")
SMALLEST_PX = 32  # 2 cm on a screen of 55 inches
LARGE_PX = 50


def row(page: Page, tag: str = TAG) -> Locator:
    return page.locator(f'[data-tag="{tag}"]')


def link(page: Page) -> Locator:
    return page.locator("[data-connection]")


def test_what_happens_on_the_floor_is_on_the_wall_at_once(
    tablets: Tablets, server: RunningServer, ledger: Database
) -> None:
    put(ledger, [a_spool(TAG), a_spool("V4", total_uniones=2)], CREW, [a_joint(1, "V4"), a_joint(2, "V4")])
    with tablets.one(server.url, size=WALL) as screen, server.tablet() as tablet:
        page = screen.open("/tablero")
        expect(link(page)).to_have_attribute("data-connection", "live")
        expect(page.get_by_text("Nadie tiene ningún spool.")).to_be_visible()
        begun = time.monotonic()
        done(tablet.tap("TOMAR", TAG, LP.id))
        expect(row(page)).to_contain_text("LP(7)Armado")
        print(f"taken by LP(7) → on the wall: {1000 * (time.monotonic() - begun):.0f} ms")
        expect(page.get_by_text(f"LP(7) tomó {TAG}")).to_be_visible()
        read_from_afar(page)
        done(tablet.tap("PAUSAR", TAG, LP.id))
        expect(row(page)).to_have_count(0)
        done(begin(tablet, "V4", MR.id))
        done(finish(tablet, [1, 2], "V4", MR.id))
        expect(page.locator("[data-inches=ARM]")).to_contain_text("8″")
        expect(page.locator("[data-stage=SOLD]")).to_contain_text("Soldadura2")


def test_without_a_stream_the_board_asks_by_itself(tablets: Tablets, server: RunningServer, ledger: Database) -> None:
    put(ledger, [a_spool(TAG)], CREW)
    with tablets.one(server.url, size=WALL, allow=NO_STREAM) as screen, server.tablet() as tablet:
        screen.page.route(STREAM, lambda route: route.abort())
        page = screen.open("/tablero")
        expect(link(page)).to_have_text("En línea, cada 3 s")
        done(tablet.tap("TOMAR", TAG, LP.id))
        expect(row(page)).to_contain_text("LP(7)")


def test_the_board_comes_back_by_itself_after_the_server(
    tablets: Tablets, ledger_url: str, ledger: Database, tmp_path: Path
) -> None:
    put(ledger, [held(a_spool(TAG), MR)], CREW)
    server = start_server(ledger_url, tmp_path)
    try:
        with tablets.one(server.url, size=WALL, allow=NO_STREAM) as screen:
            page = screen.open("/tablero")
            row(page).wait_for()
            server.kill()
            expect(link(page)).to_contain_text("Sin conexióndatos de las ")
            expect(row(page)).to_be_visible()
            server = start_server(ledger_url, tmp_path, "--port", str(urlsplit(server.url).port))
            with server.tablet() as tablet:
                done(tablet.tap("PAUSAR", TAG, MR.id))
            expect(row(page)).to_have_count(0)
            expect(link(page)).to_have_text("En línea")
    finally:
        stop(server)


def test_more_spools_than_fit_turn_page_by_page_longest_first(tablets: Tablets, demo: RunningServer) -> None:
    with tablets.one(demo.url, size=WALL) as screen, demo.tablet() as tablet:
        screen.page.clock.install()
        page = screen.open("/tablero")
        shown: list[str] = []
        for number in (1, 2):
            expect(page.get_by_text(f"Página {number} de 2")).to_be_visible()
            shown += [str(one.get_attribute("data-tag")) for one in page.locator("[data-tag]").all()]
            page.clock.fast_forward(12_000)
        assert shown == [one["tag_spool"] for one in tablet.see("/api/dashboard/occupied")["occupied"]]
        expect(page.get_by_text("Página 1 de 2")).to_be_visible()
        page.get_by_role("button", name="Detener el cambio de página").click()
        page.clock.fast_forward(60_000)
        expect(page.get_by_text("Página 1 de 2")).to_be_visible()


def test_without_a_server_the_board_counts_on_and_says_that_it_is_offline(
    tablets: Tablets, demo: RunningServer
) -> None:
    with tablets.one(demo.url, size=WALL, allow=NO_STREAM) as screen:
        screen.page.clock.install()
        page = screen.open("/tablero")
        expect(page.locator("[data-level=fresh]")).not_to_have_count(0)
        page.route("**/api/**", lambda route: route.abort())
        page.clock.fast_forward("09:00:00")
        expect(page.locator("[data-level=fresh], [data-level=long]")).to_have_count(0)
        expect(page.locator("[data-level=over]").first).to_contain_text("más de 8 h")
        expect(link(page)).to_contain_text("Sin conexióndatos de las ")


def test_the_day_turns_at_the_shops_midnight_not_at_the_screens(tablets: Tablets, demo: RunningServer) -> None:
    shop = {"now": "2026-11-15T23:59:30+05:30"}

    def elsewhere(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), **shop})

    with tablets.one(demo.url, size=WALL) as screen:
        screen.page.clock.install()
        screen.page.route("**/api/dashboard/stages", elsewhere)
        page = screen.open("/tablero")
        expect(page.get_by_text("23:59")).to_be_visible()
        expect(page.get_by_text("domingo")).to_be_visible()
        shop["now"] = "2026-11-16T00:00:30+05:30"
        with page.expect_request("**/api/metrics/pulgadas?desde=2026-11-16&hasta=2026-11-16&por=operacion"):
            page.clock.fast_forward(60_000)
        expect(page.get_by_text("00:00")).to_be_visible()
        expect(page.get_by_text("lunes")).to_be_visible()


TEXTS = """() => {
    const found = [];
    const walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const text = walk.currentNode.data.trim();
        const element = walk.currentNode.parentElement;
        if (!text || element.getBoundingClientRect().width <= 1 || !element.checkVisibility()) continue;
        const cut = element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline';
        found.push([text, parseFloat(getComputedStyle(element).fontSize), cut]);
    }
    return found;
}"""


def read_from_afar(page: Page) -> set[str]:
    """What is large; nothing may be small, cut off or out of sight."""
    texts = page.evaluate(TEXTS)
    assert [(text, px) for text, px, _ in texts if px < SMALLEST_PX] == []
    assert [text for text, _, cut in texts if cut] == []
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    return {text for text, px, _ in texts if px >= LARGE_PX}


def test_it_is_read_from_five_metres(tablets: Tablets, demo: RunningServer) -> None:
    with tablets.one(demo.url, size=WALL) as screen, demo.tablet() as tablet:
        page = screen.open("/tablero")
        page.locator("[data-tag]").first.wait_for()
        first = tablet.see("/api/dashboard/occupied")["occupied"][0]
        assert {first["tag_spool"], first["ocupado_por"]} <= read_from_afar(page)


def test_the_board_is_accessible(tablets: Tablets, demo: RunningServer) -> None:
    with tablets.one(demo.url, for_axe=True) as screen:
        page = screen.open("/tablero")
        page.locator("[data-tag]").first.wait_for()
        for theme in ("light", "dark"):
            page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                look = f"{theme} {width}×{height}"
                assert violations(page) == [], look
                assert overflow_px(page) <= 0, look
                assert small_targets(page) == [], look
        page.evaluate("localStorage.setItem('carrete.language', 'en')")
        page.reload()
        expect(page.get_by_role("heading", name="Waiting")).to_be_visible()
