"""Mode `device`: on an enrolled tablet the floor signs in by name or badge alone, everybody with privileges by PIN."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.support.browser import Tablets
from tests.support.builders import a_spool
from tests.support.people import LP, MI
from tests.support.pin_shop import BADGE, PinShop, face, locked, pin_shop, read_badge, type_pin

ONE = "MK-1335-CW-25238-001"


@pytest.fixture(scope="module")
def shop(tablets: Tablets, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PinShop]:
    folder = tmp_path_factory.mktemp("device")
    with pin_shop(tablets, folder, [a_spool(ONE)], CARRETE_ACCESS="device") as running:
        yield running


def test_a_floor_worker_signs_in_with_one_tap_and_an_inspector_with_the_pin(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.open()
        face(screen, LP).click()
        screen.pick(ONE)
        screen.tap("TOMAR")
        screen.says(f"LP(7) tiene el spool {ONE} para ARM.")
        screen.is_back_at_the_list()
        screen.tap("Salir")
        face(screen, MI).click()
        type_pin(page)
        expect(page.get_by_role("banner").get_by_text("MI(12)")).to_be_visible()


def test_a_badge_is_enough_on_the_floor(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.open()
        page.get_by_role("searchbox").wait_for()
        read_badge(page, BADGE)
        expect(page.get_by_role("banner").get_by_text("JS(8)")).to_be_visible()


def test_an_unknown_badge_asks_for_a_pin_and_says_no_more_than_that(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.open()
        page.get_by_role("searchbox").wait_for()
        read_badge(page, "99999999")
        type_pin(page)
        expect(page.get_by_role("alert")).to_have_text("No coincide. Intente de nuevo.")


def test_the_lock_of_somebody_who_gave_no_pin_opens_with_a_tap(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.page
        page.clock.install()
        screen.open()
        face(screen, LP).click()
        screen.row(ONE).wait_for()
        page.clock.fast_forward("05:10")
        expect(locked(page, LP)).to_be_visible()
        screen.tap("Seguir como LP(7)")
        expect(locked(page, LP)).to_have_count(0)
        expect(page.get_by_role("banner").get_by_text("LP(7)")).to_be_visible()
