"""What is overdue is seen in words on the supervisor's page, the board, lists and cards; and the stage times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from carrete.domain.spool import Estado
from carrete.ledger import open_database
from tests.support.browser import SIZES, Tablets, overflow_px, small_targets, violations
from tests.support.builders import a_finished_spool, a_spool, an_armed_spool, held, put
from tests.support.people import CREW, JS, LP, MR, SV
from tests.support.server import RunningServer

HELD = "MK-1335-CW-25238-001"
PAUSED = "MK-1335-CW-25238-002"
QUEUED = [f"MK-1336-PW-25311-{n:03}" for n in range(1, 4)]
FRESH = "MK-1335-CW-25238-009"
WALL = (1920, 1080)
SMALLEST_PX = 32


@pytest.fixture(scope="module")
def late(server: RunningServer, ledger_url: str) -> RunningServer:
    """Held for 30 hours, paused for 4 days, three in the inspection queue for 50, 60 and 100 hours; one just taken."""
    now = datetime.now(UTC).replace(microsecond=0)
    ledger = open_database(ledger_url)
    put(ledger, [held(a_spool(HELD), MR, since=now - timedelta(hours=30)), held(a_spool(FRESH), LP, since=now)], CREW)
    paused = an_armed_spool(PAUSED, sold=Estado.PAUSADO, soldador="JS(8)")
    put(ledger, [paused], in_stage_since=now - timedelta(days=4))
    for tag, hours in zip(QUEUED, (50, 60, 100), strict=True):
        put(ledger, [a_finished_spool(tag)], in_stage_since=now - timedelta(hours=hours))
    ledger.close()
    return server


def row(page: Page | Locator, tag: str) -> Locator:
    return page.locator(f'[data-tag="{tag}"], [data-overdue="{tag}"]')


def looks_right(page: Page, what: str) -> None:
    for theme in ("light", "dark"):
        page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            look = f"{what}, {theme} {width}×{height}"
            assert violations(page) == [], look
            assert overflow_px(page) <= 0, look
            assert small_targets(page) == [], look


def test_now_shows_what_is_overdue_longest_first_with_what_to_do(tablets: Tablets, late: RunningServer) -> None:
    with tablets.one(late.url, worker=SV, for_axe=True) as screen:
        page = screen.open("/supervision")
        card = page.get_by_role("region", name="Atrasados")
        expect(card.get_by_role("heading", level=3)).to_have_text(
            [
                "Demasiado tiempo en manos 1",
                "Demasiado tiempo en pausa 1",
                "Demasiado tiempo en cola de inspección 3",
            ]
        )
        tags = [each.get_attribute("data-overdue") for each in card.locator("[data-overdue]").all()]
        assert tags == [HELD, PAUSED, *reversed(QUEUED)]
        expect(row(card, HELD)).to_contain_text("Atrasado · en manos 30 h")
        expect(row(card, HELD)).to_contain_text("Hable con MR(93). Si no va a seguir, libérelo.")
        expect(row(card, PAUSED)).to_contain_text("Atrasado · en pausa 4 días")
        expect(row(card, PAUSED)).to_contain_text("Pida a alguien que lo retome.")
        expect(row(card, QUEUED[2])).to_contain_text("Avise a Metrología")
        expect(row(card, FRESH)).to_have_count(0)
        row(card, HELD).get_by_role("button", name="Liberar").click()
        expect(page.get_by_role("dialog")).to_contain_text(f"¿Liberar {HELD}?")
        page.keyboard.press("Escape")
        looks_right(page, "now")


def test_the_board_says_overdue_in_a_word(tablets: Tablets, late: RunningServer) -> None:
    with tablets.one(late.url, size=WALL, for_axe=True) as screen:
        page = screen.open("/tablero")
        expect(row(page, HELD).locator("[data-level=overdue]")).to_contain_text("Atrasado")
        expect(row(page, FRESH).locator("[data-level=fresh]")).to_be_visible()
        size = row(page, HELD).get_by_text("Atrasado").evaluate("it => parseFloat(getComputedStyle(it).fontSize)")
        assert size >= SMALLEST_PX
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        assert violations(page) == []
        page.set_viewport_size({"width": 1080, "height": 1920})
        assert (violations(page), overflow_px(page) <= 0) == ([], True)


def test_lists_and_cards_say_it_too(tablets: Tablets, late: RunningServer) -> None:
    with tablets.one(late.url, worker=JS, for_axe=True) as screen:
        page = screen.open("/trabajo/SOLD")
        expect(row(page, PAUSED)).to_contain_text("Atrasado · en pausa 4 días")
        looks_right(page, "list")
        page = screen.open(f"/trabajo/SOLD/{PAUSED}")
        expect(page.get_by_text("Atrasado · en pausa 4 días").first).to_be_visible()


def test_the_bottleneck_is_one_sentence_in_both_languages(tablets: Tablets, late: RunningServer) -> None:
    with tablets.one(late.url, worker=SV, for_axe=True) as screen:
        page = screen.open("/supervision?ver=etapas")
        sentence = page.locator("[data-bottleneck]")
        expect(sentence).to_have_text("Metrología: 3 esperan, mediana 2,5 días")
        expect(page.locator("[data-stage=METROLOGIA] td").nth(4)).to_have_text("3")
        expect(page.get_by_role("region", name="Espera y trabajo por etapa").first).to_be_visible()
        expect(page.locator("canvas")).not_to_have_count(0)
        looks_right(page, "stages")
        page.evaluate("localStorage.setItem('carrete.language', 'en')")
        page.reload()
        expect(sentence).to_have_text("Inspection: 3 waiting, median 2.5 days")
