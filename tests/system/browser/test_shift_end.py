"""A day in the life at the tablet: forgotten spools in the morning, the end of a shift with one tap for all, Mi día.

The clock is passed in: the hours of the shifts are made around now, and hours pass by moving what was done back.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser import Tablets
from tests.support.builders import a_joint, a_spool, events_in, held, put, spool_in
from tests.support.gated import eventually
from tests.support.people import LP, MR
from tests.support.pin_shop import PinShop, locked, pin_shop, sign_in, type_pin
from tests.support.shift_day import (
    JOINTS,
    ONE,
    TWO,
    ago,
    answer,
    any_sheet,
    end_shift_in,
    hours_pass,
    look_again,
    metadata_rows,
    sheet,
    shop_of_the_day,
    walk,
)
from tests.system.browser.test_screens import complaints


@pytest.fixture
def shop(tablets: Tablets, tmp_path: Path) -> Iterator[PinShop]:
    """MR holds two spools since long ago; a third one is free."""
    forgotten = [held(a_spool(ONE), MR, since=ago(20)), held(a_spool(JOINTS, total_uniones=2), MR, since=ago(19))]
    joints = [a_joint(n, JOINTS) for n in (1, 2)]
    with pin_shop(tablets, tmp_path, [*forgotten, a_spool(TWO)], joints) as running:
        yield running


def test_a_day_in_the_life(shop: PinShop) -> None:
    end_shift_in(shop, -30)
    with shop.tablet() as screen:
        screen.open()
        sign_in(screen, MR)
        expect(screen.page.get_by_role("dialog", name="Spools que quedaron en sus manos")).to_be_visible()
        expect(screen.page.locator("[data-asked]")).to_have_count(2)
        answer(screen, ONE, "Sigo yo")
        expect(screen.page.locator(f'[data-asked="{ONE}"][data-answered=true]')).to_be_visible()
        answer(screen, JOINTS, "FINALIZAR")
        expect(any_sheet(screen)).to_have_count(0)
        screen.joint(1).click()
        screen.joint(2).click()
        screen.page.get_by_role("button", name="FINALIZAR").click()
        screen.is_back_at_the_list()
        with screen.page.expect_response("**/api/turno?*"):
            screen.page.reload()
        screen.row(TWO).wait_for()
        expect(any_sheet(screen)).to_have_count(0)
        screen.pick(TWO)
        screen.tap("TOMAR")
        screen.is_back_at_the_list()

        hours_pass(shop)
        end_shift_in(shop, 10)
        look_again(screen)
        expect(sheet(screen, "ending")).to_be_visible()
        screen.tap("Sigo yo con todos")
        expect(any_sheet(screen)).to_have_count(0)
        screen.page.get_by_role("button", name="Salir").click()
        expect(screen.page.get_by_role("heading", name="¿Quién es usted?")).to_be_visible()
    kept = [event.event for event in events_in(shop.database, ONE) if event.event.tipo == "SIGUE_TURNO"]
    assert [event.metadata["turno"] for event in kept] == ["Mañana", "Mañana"]
    assert [stored.event.tipo for stored in events_in(shop.database, TWO)] == ["TOMAR_SPOOL", "SIGUE_TURNO"]
    assert all(spool_in(shop.database, tag).occupation is not None for tag in (ONE, TWO))


def test_a_forgotten_spool_is_handed_over_and_noted_and_the_sheet_says_so(tablets: Tablets, tmp_path: Path) -> None:
    with shop_of_the_day(tablets, tmp_path) as opened:
        walk(opened, lambda page, name: None)
        rows = metadata_rows(opened, tmp_path)
    events = [(row[2], row[3], row[5]) for row in rows]
    assert events == [
        ("SIGUE_TURNO", ONE, MR.label),
        ("UNION_ARM_REGISTRADA", JOINTS, MR.label),
        ("RELEVO", JOINTS, LP.label),
        ("NOTA", JOINTS, LP.label),
        ("TOMAR_SPOOL", TWO, LP.label),
        ("SIGUE_TURNO", TWO, LP.label),
        ("SIGUE_TURNO", JOINTS, LP.label),
    ]
    assert '"fotos": "1 foto", "texto": "Falta el bisel de la unión 2"' in rows[3][9]


def test_paused_with_one_tap_and_all_that_can_be_paused_with_another(shop: PinShop) -> None:
    put_more = [held(a_spool(f"MK-{n}"), MR, since=ago(18)) for n in (1, 2)]
    put(shop.database, put_more)
    end_shift_in(shop, 10)
    with shop.tablet() as screen:
        screen.open()
        sign_in(screen, MR)
        expect(sheet(screen, "ending")).to_be_visible()
        answer(screen, ONE, "PAUSAR")
        expect(screen.page.locator(f'[data-asked="{ONE}"][data-answered=true]')).to_be_visible()
        screen.tap("PAUSAR todos")
        expect(screen.page.locator("[data-answered=true]")).to_have_count(3)
        answer(screen, JOINTS, "Sigo yo")
        expect(any_sheet(screen)).to_have_count(0)
    assert [spool_in(shop.database, tag).occupation is None for tag in (ONE, "MK-1", "MK-2", JOINTS)] == [
        *(True, True, True),
        False,
    ]


def test_closing_it_asks_again_only_at_the_exit_and_when_the_person_comes_back_after_the_end(shop: PinShop) -> None:
    end_shift_in(shop, 10)
    with shop.tablet() as screen:
        screen.open()
        sign_in(screen, MR)
        expect(sheet(screen, "ending")).to_be_visible()
        screen.tap("Ahora no")
        with screen.page.expect_response("**/api/turno?*"):
            screen.page.reload()
        expect(screen.page.get_by_role("heading", name="¿Qué va a hacer?")).to_be_visible()
        expect(any_sheet(screen)).to_have_count(0)
        leave = screen.page.get_by_role("button", name="Salir", exact=True)
        leave.click()
        expect(sheet(screen, "exit")).to_be_visible()
        screen.tap("Volver")
        expect(any_sheet(screen)).to_have_count(0)
        leave.click()
        screen.tap("Salir igual")
        expect(screen.page.get_by_role("heading", name="¿Quién es usted?")).to_be_visible()
        with screen.page.expect_response("**/api/turno?*"):
            sign_in(screen, MR)  # still before the end: closed is closed
        expect(any_sheet(screen)).to_have_count(0)
        leave.click()
        expect(screen.page.get_by_role("heading", name="¿Quién es usted?")).to_be_visible()
        end_shift_in(shop, -5)
        sign_in(screen, MR)
        expect(sheet(screen, "forgotten")).to_be_visible()
    assert events_in(shop.database) == []


def test_an_answer_that_waits_for_the_connection_counts_on_this_tablet(shop: PinShop) -> None:
    end_shift_in(shop, 10)
    with shop.tablet() as screen:
        screen.page.route("**/api/occupation/sigo", lambda route: route.abort())
        screen.open()
        sign_in(screen, MR)
        answer(screen, ONE, "Sigo yo")
        expect(screen.page.locator(f'[data-asked="{ONE}"]')).to_contain_text("Guardado en este tablet")
        answer(screen, JOINTS, "Sigo yo")
        expect(any_sheet(screen)).to_have_count(0)
        screen.page.reload()
        expect(screen.page.get_by_text("Sin enviar").first).to_be_visible()
        expect(any_sheet(screen)).to_have_count(0)
        screen.page.unroute("**/api/occupation/sigo")
        eventually(lambda: len(events_in(shop.database)) == 2, 30.0)


def test_a_spool_is_handed_over_from_the_sheet_and_the_offer_is_the_answer(shop: PinShop) -> None:
    end_shift_in(shop, 10)
    with shop.tablet() as screen:
        screen.open()
        sign_in(screen, MR)
        answer(screen, ONE, "Entregar a…")
        expect(screen.page.locator("dialog[open]")).to_have_count(2)
        screen.page.keyboard.press("Escape")  # closes the dialog, and not the sheet under it
        expect(screen.page.locator("dialog[open]")).to_have_count(1)
        expect(sheet(screen, "ending")).to_be_visible()
        screen.page.wait_for_timeout(500)  # else the next tap is the second of a double tap
        answer(screen, ONE, "Entregar a…")
        screen.page.locator("dialog[open]").last.get_by_role("button", name="Luis Pérez").click()
        expect(screen.page.locator(f'[data-asked="{ONE}"][data-answered=true]')).to_be_visible()
        answer(screen, JOINTS, "Sigo yo")
        expect(any_sheet(screen)).to_have_count(0)
    assert spool_in(shop.database, ONE).occupation is not None


def test_after_a_question_at_the_exit_the_next_person_stays_signed_in(shop: PinShop) -> None:
    end_shift_in(shop, 10)
    with shop.tablet() as screen:
        page = screen.page
        page.clock.install()
        screen.open()
        sign_in(screen, LP)
        page.get_by_role("button", name="Salir", exact=True).click()
        sign_in(screen, MR)
        screen.tap("Ahora no")
        page.get_by_role("button", name="Salir", exact=True).click()
        expect(sheet(screen, "exit")).to_be_visible()
        page.clock.fast_forward("05:10")
        locked(page, MR).get_by_role("button", name="Luis Pérez").click()
        type_pin(page)
        expect(page.get_by_role("banner").get_by_text(LP.label)).to_be_visible()
        screen.row(TWO).wait_for()
        expect(page.get_by_role("banner").get_by_text(LP.label)).to_be_visible()


def test_nobody_without_spools_is_asked(shop: PinShop) -> None:
    end_shift_in(shop, 10)
    with shop.tablet() as screen:
        screen.open()
        sign_in(screen, LP)
        screen.row(TWO).wait_for()
        screen.is_live()
        expect(any_sheet(screen)).to_have_count(0)


def test_the_sheet_and_my_day_are_accessible(shop: PinShop) -> None:
    end_shift_in(shop, 10)
    with shop.tablet(for_axe=True) as screen:
        screen.open()
        sign_in(screen, MR)
        expect(sheet(screen, "ending")).to_be_visible()
        assert complaints(screen) == []
        screen.tap("Ahora no")
        screen.tap("Idioma y pantalla")
        screen.page.get_by_role("link", name="Mi día").click()
        expect(screen.page.get_by_role("heading", name="Mi día")).to_be_visible()
        expect(screen.page.locator("[data-held]")).to_have_count(2)
        assert complaints(screen) == []
