"""Signing in on a shared tablet: two taps and a PIN, one tap to change, or a badge."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.support.browser import Tablets
from tests.support.builders import a_blocked_spool, a_spool, held
from tests.support.people import AY, JS, LP, MR, SV
from tests.support.pin_shop import (
    BADGE,
    PinShop,
    face,
    locked,
    name_of,
    pin_shop,
    posted,
    read_badge,
    sign_in,
    type_pin,
)
from tests.support.signing_in import OTHER_PIN, PIN, WRONG_PIN

ONE, HELD, BLOCKED = "MK-1335-CW-25238-001", "MK-1335-CW-25238-002", "MK-1335-CW-25238-003"
KEY_PX = 72


@pytest.fixture(scope="module")
def shop(tablets: Tablets, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PinShop]:
    spools = [a_spool(ONE), held(a_spool(HELD), MR), a_blocked_spool(BLOCKED)]
    with pin_shop(tablets, tmp_path_factory.mktemp("pin"), spools) as running:
        yield running


def test_a_worker_signs_in_with_one_tap_and_the_pin_and_acts_under_their_name(shop: PinShop) -> None:
    with shop.tablet() as screen:
        screen.open()
        sign_in(screen, LP)
        screen.pick(ONE)
        screen.tap("TOMAR")
        screen.says(f"LP(7) tiene el spool {ONE} para ARM.")
        assert ("TOMAR_SPOOL", "LP(7)") in shop.authors(ONE)
        screen.page.reload()
        expect(screen.page.get_by_role("banner").get_by_text("LP(7)")).to_be_visible()


def test_changing_person_is_one_tap_and_the_pin(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.open()
        sign_in(screen, JS)
        screen.tap("Salir")
        recent = page.get_by_role("region", name="En este tablet").get_by_role("button")
        expect(recent).to_have_text(["JSJuana Soto"])  # initials and name
        sign_in(screen, LP)
        page.get_by_role("button", name="cambiar a Juana Soto").click()
        type_pin(page)
        expect(page.get_by_role("banner").get_by_text("JS(8)")).to_be_visible()
        expect(page.get_by_role("link", name="Soldadura")).to_be_visible()


def test_a_wrong_pin_is_reported_and_the_right_one_works_after_it(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.open()
        face(screen, LP).click()
        type_pin(page, WRONG_PIN)
        expect(page.get_by_role("alert")).to_have_text("No coincide. Intente de nuevo.")
        type_pin(page)
        expect(page.get_by_role("banner").get_by_text("LP(7)")).to_be_visible()


def test_too_many_wrong_pins_show_how_long_to_wait(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.open()
        face(screen, SV).click()
        for _ in range(4):
            if page.get_by_text("Demasiados intentos").count():
                break
            type_pin(page, WRONG_PIN)
            expect(page.get_by_role("alert")).not_to_be_empty()
        expect(page.get_by_text("Demasiados intentos. Espere")).to_be_visible()
        expect(page.get_by_role("button", name="5", exact=True)).to_be_disabled()
        expect(page.get_by_role("button", name="5", exact=True)).to_be_enabled()  # after the wait


def test_digits_are_dots_and_a_keyboard_types_them_too(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.open()
        face(screen, LP).click()
        page.keyboard.type("4829", delay=60)
        expect(page.get_by_text("4 de 6 dígitos")).to_be_attached()
        page.keyboard.press("Backspace")
        expect(page.get_by_text("3 de 6 dígitos")).to_be_attached()
        assert "482" not in page.locator("dialog[open]").last.inner_text().replace("\n", "")[:12]
        page.keyboard.type("915", delay=60)
        expect(page.get_by_role("banner").get_by_text("LP(7)")).to_be_visible()


def test_a_badge_read_on_any_screen_asks_for_the_pin_of_its_owner(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.open()
        sign_in(screen, LP)
        screen.row(ONE).wait_for()
        field = page.get_by_role("searchbox")
        field.fill("25238")
        field.focus()
        read_badge(page, BADGE)
        expect(page.get_by_role("dialog", name="Credencial leída")).to_be_visible()
        expect(field).to_have_value("25238")  # the reader's digits are taken back
        type_pin(page)
        expect(page.get_by_role("banner").get_by_text("JS(8)")).to_be_visible()


def test_a_badge_read_at_the_pin_pad_is_no_attempt_at_a_pin(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.open()
        posts = posted(page)
        face(screen, LP).click()
        read_badge(page, BADGE)
        expect(page.get_by_role("dialog", name="Credencial leída")).to_be_visible()
        page.wait_for_timeout(400)
        assert [post.url for post in posts if post.url.endswith("/api/sesion")] == []


@pytest.mark.parametrize("size", [(360, 640), (360, 740), (768, 1024), (1024, 600), (1280, 800), (1920, 1080)])
def test_the_keys_of_the_pad_are_large_and_all_in_sight(shop: PinShop, size: tuple[int, int]) -> None:
    with shop.tablet(size=size) as screen:
        page = screen.open()
        face(screen, LP).click()
        keys = page.locator("[data-pin-pad]").get_by_role("button")
        expect(keys).to_have_count(12)
        for box in [key.bounding_box() for key in keys.all()]:
            assert box is not None
            assert min(box["width"], box["height"]) >= KEY_PX
            assert box["y"] + box["height"] <= size[1]


def test_a_supervisors_action_asks_for_the_pin_again_and_is_sent_under_the_same_key(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.open("/supervision")
        face(screen, SV).click()
        type_pin(page)
        page.get_by_role("button", name="Todos (").click()
        with shop.database.writing() as tx:
            tx.execute("UPDATE session SET pin_at = '2020-01-01T00:00:00+00:00' WHERE ended_at IS NULL")
        page.wait_for_timeout(2_500)  # positive look-ups are kept for two seconds
        posts = posted(page)
        page.locator(f'[data-tag="{HELD}"]').get_by_role("button", name="Liberar").click()
        page.get_by_role("button", name="Fin de turno").click()
        screen.tap("LIBERAR")
        expect(page.get_by_role("heading", name="Su PIN otra vez")).to_be_visible()
        type_pin(page)
        expect(page.locator("[data-notice=good]")).to_contain_text(HELD)
        keys = [post.headers.get("idempotency-key") for post in posts if post.url.endswith("/liberar")]
        assert len(keys) == 2
        assert len(set(keys)) == 1


def test_a_person_who_is_not_a_supervisor_is_told_so(shop: PinShop) -> None:
    with shop.tablet() as screen:
        screen.open()
        sign_in(screen, LP)
        page = screen.open("/supervision")
        expect(page.get_by_text("LP(7) no tiene el rol Supervisor.")).to_be_visible()
        expect(page.get_by_role("button", name=name_of(LP))).to_have_count(0)


def test_a_worker_changes_their_own_pin(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.open()
        sign_in(screen, AY)
        screen.tap("Idioma y pantalla")
        screen.tap("Cambiar mi PIN")
        type_pin(page)
        for pin in (OTHER_PIN, WRONG_PIN):  # mistyped the second time
            type_pin(page, pin)
        expect(page.get_by_role("alert")).to_have_text("Los dos PIN no son iguales.")
        for _ in range(2):
            type_pin(page, OTHER_PIN)
        expect(page.get_by_text("Su PIN cambió.")).to_be_visible()
        screen.tap("Salir")
        face(screen, AY).click()
        type_pin(page)
        expect(page.get_by_role("alert")).to_have_text("No coincide. Intente de nuevo.")
        type_pin(page, OTHER_PIN)
        expect(page.get_by_role("banner").get_by_text(AY.label)).to_be_visible()


def test_the_pin_is_in_no_storage_of_the_browser(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.open()
        sign_in(screen, LP)
        assert PIN not in page.evaluate("JSON.stringify({...localStorage}) + JSON.stringify({...sessionStorage})")
        assert page.evaluate("document.cookie") == ""
        assert locked(page, LP).count() == 0
