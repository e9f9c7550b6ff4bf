"""The camera reads what is printed: a real Chromium looks at a rasterised label, under the real security policy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Playwright, expect, sync_playwright

from carrete.labels.drawing import SpoolLabel
from carrete.ledger.database import Database
from tests.support.browser import Screen
from tests.support.builders import a_joint, a_spool, put
from tests.support.fake_camera import bar_code, printed_label, side_by_side, tablets_that_see
from tests.support.people import CREW, JS, LP
from tests.support.pin_shop import BADGE, pin_shop, type_pin
from tests.support.server import RunningServer

TAG, OTHER = "MK-1335-CW-25238-011", "MK-1335-CW-25238-012"
LABEL = SpoolLabel(TAG, ot="1335", joints=3)
NEXT = SpoolLabel(OTHER, ot="1335")
ADDRESS = "https://carrete.local:8443"


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture
def shop(ledger: Database, server: RunningServer) -> RunningServer:
    put(ledger, [a_spool(TAG, total_uniones=3), a_spool(OTHER)], list(CREW), [a_joint(n, TAG) for n in range(1, 4)])
    return server


def look(screen: Screen) -> None:
    screen.open("/trabajo/ARM")
    screen.row(OTHER).wait_for()
    screen.tap("Escanear")


SEEN = {
    "the label of an A4 sheet, its tag as the code, 20 mm": printed_label(LABEL),
    "the label with the address of the spool": printed_label(LABEL, address=ADDRESS, px_per_mm=5),
    "a sheet, the label in the middle": side_by_side(printed_label(NEXT), printed_label(LABEL), printed_label(NEXT)),
    "a Data Matrix": bar_code(TAG, "DataMatrix"),
    "a Code 128": bar_code(TAG, "Code128", scale=2),
}


@pytest.mark.parametrize("picture", SEEN.values(), ids=SEEN.keys())
def test_a_spool_is_begun_by_one_scan_and_one_tap(
    playwright: Playwright, shop: RunningServer, tmp_path: Path, picture: Image.Image
) -> None:
    with tablets_that_see(playwright, picture, tmp_path) as tablets, tablets.one(shop.url, worker=LP) as screen:
        look(screen)
        expect(screen.page.get_by_role("heading", name=TAG)).to_be_visible()
        expect(screen.page.locator("[data-camera]")).to_have_count(0)
        screen.tap("INICIAR")
        expect(screen.mine()).to_have_attribute("data-tag", TAG)


def test_only_the_decoder_may_compile_webassembly(playwright: Playwright, shop: RunningServer, tmp_path: Path) -> None:
    """The smallest module there is: eight bytes. `eval` is refused to both."""
    compiling = "new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))"
    with (
        tablets_that_see(playwright, bar_code(TAG, "QRCode"), tmp_path) as tablets,
        tablets.one(shop.url, worker=LP, allow=["WebAssembly", "Content Security Policy"]) as screen,
    ):
        with screen.page.expect_response("**/assets/decoder.worker-*.js") as served:
            look(screen)
        policy = served.value.headers["content-security-policy"]
        assert "'wasm-unsafe-eval'" in policy
        assert "'unsafe-eval'" not in policy
        expect(screen.page.get_by_role("heading", name=TAG)).to_be_visible()
        refused = screen.page.evaluate(f"() => {{ try {{ {compiling}; return '' }} catch (e) {{ return e.name }} }}")
        assert refused == "CompileError"


def test_a_badge_shown_to_the_camera_asks_for_the_pin_of_its_owner(playwright: Playwright, tmp_path: Path) -> None:
    with (
        tablets_that_see(playwright, bar_code(BADGE, "QRCode"), tmp_path) as tablets,
        pin_shop(tablets, tmp_path, [a_spool(TAG)]) as pins,
        pins.tablet() as screen,
    ):
        page = screen.open()
        screen.tap("Escanear")
        page.get_by_role("dialog", name="Credencial leída").wait_for()
        type_pin(page)
        expect(page.get_by_role("banner").get_by_text(JS.label)).to_be_visible()


def test_a_camera_that_is_not_allowed_says_so_and_can_be_tried_again(
    playwright: Playwright, shop: RunningServer, tmp_path: Path
) -> None:
    refuse = """const own = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
        let asked = 0;
        navigator.mediaDevices.getUserMedia = (wanted) =>
            asked++ ? own(wanted) : Promise.reject(new DOMException("no", "NotAllowedError"));"""
    with (
        tablets_that_see(playwright, bar_code(TAG, "QRCode"), tmp_path) as tablets,
        tablets.one(shop.url, worker=LP, script=refuse) as screen,
    ):
        look(screen)
        expect(screen.page.get_by_text("El navegador no deja usar la cámara.")).to_be_visible()
        screen.tap("Reintentar")
        expect(screen.page.get_by_role("heading", name=TAG)).to_be_visible()


def test_the_camera_reads_without_a_connection(playwright: Playwright, shop: RunningServer, tmp_path: Path) -> None:
    """The service worker has the decoder, and its policy with it."""
    with (
        tablets_that_see(playwright, bar_code(TAG, "QRCode"), tmp_path) as tablets,
        tablets.one(shop.url, worker=LP, allow=["ERR_", "/api/"], installed=True) as screen,
    ):
        with screen.page.expect_response("**/api/offline/spools*"):
            page = screen.open("/trabajo/ARM")
        page.evaluate("navigator.serviceWorker.ready")
        page.wait_for_function("navigator.serviceWorker.controller !== null")
        screen.row(OTHER).wait_for()
        page.context.set_offline(True)
        screen.tap("Escanear")
        expect(page.get_by_role("heading", name=TAG)).to_be_visible()
