"""A reader that types, on the screens of the floor: at full speed, with and without Enter, in any pair of layouts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from carrete.ledger.database import Database
from tests.support.browser import Tablets
from tests.support.builders import a_spool, held, put
from tests.support.people import CREW, JS, LP, MR
from tests.support.pin_shop import BADGE, PinShop, face, pin_shop, posted, read_badge, sign_in, type_pin
from tests.support.server import RunningServer
from tests.support.wedge import ENTER, Layout, read_code

TAG, NEAR, MINE = "MK-1335-CW-25238-011", "MK-1335-CW-25238-O11", "MK-1335-CW-25238-002"
DOTTED = "LÍNEA 3/A.7-ñ"


@pytest.fixture
def shop(ledger: Database, server: RunningServer) -> RunningServer:
    put(ledger, [a_spool(TAG), a_spool(NEAR), a_spool(DOTTED), held(a_spool(MINE), MR)], list(CREW), [])
    return server


def opened(page: Page, tag: str = TAG) -> None:
    expect(page.get_by_role("heading", name=tag, exact=True)).to_be_visible()


@pytest.mark.parametrize("end", [ENTER, ""], ids=["with Enter", "without Enter"])
@pytest.mark.parametrize("tablet", list(Layout), ids=lambda layout: f"{layout} tablet")
@pytest.mark.parametrize("reader", list(Layout), ids=lambda layout: f"{layout} reader")
def test_a_code_opens_its_spool_in_every_pair_of_layouts(
    tablets: Tablets, shop: RunningServer, reader: Layout, tablet: Layout, end: str
) -> None:
    with tablets.one(shop.url, worker=LP) as screen:
        page = screen.open("/trabajo/ARM")
        screen.row(TAG).wait_for()
        page.get_by_role("searchbox").fill("25238")
        page.get_by_role("searchbox").focus()
        read_code(page, TAG + end, reader=reader, tablet=tablet)
        opened(page)
        expect(page.get_by_role("searchbox", include_hidden=True)).to_have_value("25238")  # taken back
        screen.tap("TOMAR")
        screen.says(f"LP(7) tiene el spool {TAG} para ARM.")


def test_the_address_on_a_label_opens_its_spool(tablets: Tablets, shop: RunningServer) -> None:
    with tablets.one(shop.url, worker=MR) as screen:
        page = screen.open("/operacion")
        page.get_by_role("heading", name="¿Qué va a hacer?").wait_for()
        read_code(page, f"https://carrete.local:8443/s/{TAG}{ENTER}", reader=Layout.US, tablet=Layout.SPANISH)
        opened(page)
        screen.open("/s/L%C3%8DNEA%203%2FA.7-%C3%B1")  # read by the tablet's own camera, outside of Carrete
        opened(page, DOTTED)


def test_what_the_worker_holds_opens_for_the_operation_it_is_held_for(tablets: Tablets, shop: RunningServer) -> None:
    with tablets.one(shop.url, worker=MR) as screen:
        page = screen.open("/trabajo/SOLD")
        screen.row(MINE).wait_for()
        read_code(page, MINE + ENTER)
        opened(page, MINE)
        expect(page.get_by_role("button", name="COMPLETAR")).to_be_visible()
        assert page.url.endswith(f"/trabajo/ARM/{MINE}")


def test_a_code_that_is_no_spool_is_shown_with_the_signs_that_differ(tablets: Tablets, shop: RunningServer) -> None:
    with tablets.one(shop.url, worker=LP) as screen:
        page = screen.open("/trabajo/ARM")
        screen.row(TAG).wait_for()
        read_code(page, "MK-1335-CW-25238-O12" + ENTER)
        dialog = page.get_by_role("dialog", name="Este código no es de ningún spool")
        expect(dialog.locator("[data-read]")).to_have_text("MK-1335-CW-25238-O12")
        expect(dialog.locator("[data-near]")).to_have_text([NEAR, MINE, TAG])
        expect(dialog.locator(f'[data-near="{NEAR}"] mark')).to_have_text(["1"])
        expect(dialog.locator(f'[data-near="{TAG}"] mark')).to_have_text(["0", "1"])
        dialog.locator(f'[data-near="{TAG}"]').click()
        opened(page)


def test_a_reader_presses_no_button_that_has_the_focus(tablets: Tablets, shop: RunningServer) -> None:
    with tablets.one(shop.url, worker=LP) as screen:
        page = screen.open(f"/trabajo/ARM/{TAG}")
        page.get_by_role("button", name="TOMAR").focus()
        for end in (ENTER, ""):
            read_code(page, f"NO ES NADA{end}")
            dialog = page.get_by_role("dialog", name="Este código no es de ningún spool")
            expect(dialog.locator("[data-read]")).to_have_text("NO ES NADA")
            dialog.get_by_role("button", name="Cerrar").click()
        page.wait_for_timeout(500)
        expect(page.get_by_role("button", name="TOMAR")).to_be_visible()


@pytest.fixture(scope="module")
def pins(tablets: Tablets, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PinShop]:
    with pin_shop(tablets, tmp_path_factory.mktemp("pin"), [a_spool(TAG), a_spool(NEAR)]) as running:
        yield running


def test_a_spool_read_before_anybody_signed_in_opens_afterwards(pins: PinShop) -> None:
    with pins.tablet() as screen:
        page = screen.open()
        page.get_by_role("searchbox").wait_for()
        read_code(page, TAG + ENTER)
        expect(page.get_by_text(f"Spool {TAG}: diga quién es y se abre.")).to_be_visible()
        sign_in(screen, LP)
        opened(page)


def test_a_badge_is_distinguished_from_a_spool_and_from_a_misread_badge(pins: PinShop) -> None:
    with pins.tablet() as screen:
        page = screen.open()
        sign_in(screen, LP)
        read_code(page, "MK-1335-CW-25238-911" + ENTER)
        dialog = page.get_by_role("dialog", name="Este código no es de ningún spool")
        dialog.get_by_role("button", name="Cerrar").click()
        read_badge(page, BADGE)
        expect(page.get_by_role("dialog", name="Credencial leída")).to_contain_text(BADGE)
        type_pin(page)
        expect(page.get_by_role("banner").get_by_text(JS.label)).to_be_visible()


@pytest.mark.parametrize("end", [ENTER, ""], ids=["with Enter", "without Enter"])
def test_the_digits_of_a_code_are_no_attempt_at_a_pin(pins: PinShop, end: str) -> None:
    with pins.tablet() as screen:
        page = screen.open()
        posts = posted(page)
        face(screen, LP).click()
        read_code(page, f"AB-123-456{end}")  # as many digits as a PIN has
        expect(page.get_by_role("dialog", name="Credencial leída")).to_be_visible()
        page.wait_for_timeout(400)
        assert [post.url for post in posts if post.url.endswith("/api/sesion")] == []
        expect(page.get_by_text("0 de 6 dígitos").last).to_be_attached()


def test_a_spool_that_the_tablet_has_seen_opens_without_a_connection(tablets: Tablets, shop: RunningServer) -> None:
    with tablets.one(shop.url, worker=LP, allow=["ERR_", "/api/"]) as screen:
        with screen.page.expect_response("**/api/offline/spools*"):
            page = screen.open("/trabajo/ARM")
        screen.row(TAG).wait_for()
        page.context.set_offline(True)
        read_code(page, TAG + ENTER)
        opened(page)
        expect(page.get_by_role("button", name="TOMAR")).to_be_visible()
        read_code(page, "MK-9999" + ENTER)
        dialog = page.get_by_role("dialog", name="Sin conexión: no se sabe de quién es este código")
        expect(dialog.locator("[data-read]")).to_have_text("MK-9999")
