"""The Google workbook on the supervisor's page: what is seen of it, and what a supervisor decides about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.answers import done
from tests.support.browser import WAIT_MS_MAX, Tablets, Theme, look, overflow_px, small_targets, violations
from tests.support.people import MR, SV
from tests.support.server import RunningServer, running_server
from tests.support.sheet_server import SheetServer
from tests.support.tablet import Tablet

SPOOLS = 30
REFUSED, HELD, TWICE = "A-5", "A-7", "A-1"
THEMES: tuple[Theme, ...] = ("light", "dark")
LOOKS = list(product(THEMES, ((360, 740), (1280, 800))))


@pytest.fixture(scope="module")
def google(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SheetServer]:
    with SheetServer(tmp_path_factory.mktemp("google"), SPOOLS) as google, google.hurried_lane():
        yield google


@pytest.fixture(scope="module")
def shop(google: SheetServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    settings = {name: said for name, said in google.settings.items() if name.startswith(("GOOGLE_", "CARRETE_SHEETS"))}
    with running_server(google.settings["DATABASE_URL"], tmp_path_factory.mktemp("serve"), settings=settings) as server:
        yield server


@pytest.fixture
def api(shop: RunningServer) -> Iterator[Tablet]:
    with shop.tablet() as tablet:
        yield tablet


def card(page: Page) -> Locator:
    return page.get_by_role("region", name=re.compile("^Planilla"))


def column(google: SheetServer, name: str) -> list[object]:
    return [row.get(name) for row in google.rows() if str(row.get("TAG_SPOOL", "")).startswith("A-")]


def test_a_workbook_that_follows_the_shop_says_so(tablets: Tablets, shop: RunningServer) -> None:
    with tablets.one(shop.url, worker=SV) as screen:
        page = screen.open("/supervision")
        expect(card(page)).to_contain_text("al día")
        expect(card(page)).to_contain_text("Última sincronizaciónhace menos de 1 min")
        expect(card(page)).to_contain_text("En colanada")
        expect(card(page)).to_contain_text("Sin conflictos")
        expect(card(page).get_by_role("button")).to_have_count(0)


def test_a_tag_that_is_there_twice_is_listed_with_its_place(
    tablets: Tablets, shop: RunningServer, google: SheetServer, api: Tablet
) -> None:
    google.person("add_row", values={"TAG_SPOOL": TWICE, "NV": "otro"})
    google.wait_for(lambda: api.see("/api/sync/status")["problem_count"])
    with tablets.one(shop.url, worker=SV) as screen:
        left_out = card(screen.open("/supervision")).get_by_role("region", name=re.compile("apartad"))
        expect(left_out).to_contain_text("Operaciones · fila 2 · TAG_SPOOL")
        expect(left_out).to_contain_text(f"repetido en las filas 2 y {SPOOLS + 2}")
    google.person("delete_rows", at=SPOOLS + 2)


def test_what_google_refuses_is_tried_again_when_a_supervisor_says_so(
    tablets: Tablets, shop: RunningServer, google: SheetServer, api: Tablet
) -> None:
    google.person("protect", range="A6:S6")
    done(api.tap("tomar", REFUSED, MR.id))
    google.wait_for(lambda: api.see("/api/sync/status")["parked"])
    with tablets.one(shop.url, worker=SV) as screen:
        page = screen.open("/supervision")
        expect(card(page)).to_contain_text(f"Operaciones · {REFUSED}")
        google.person("unprotect")
        screen.tap("Intentar de nuevo")
        expect(page.get_by_role("region", name="Avisos")).to_contain_text("se intentan de nuevo")
        expect(card(page).get_by_role("button")).to_have_count(0)
    google.wait_for(lambda: MR.label in column(google, "Ocupado_Por"))


def test_a_cleared_column_stops_the_sheet_until_a_supervisor_resumes(
    tablets: Tablets, shop: RunningServer, google: SheetServer, api: Tablet
) -> None:
    google.person("clear", range=f"C2:C{SPOOLS + 1}")
    google.wait_for(lambda: api.see("/api/sync/status")["frozen"])
    with tablets.one(shop.url, worker=SV, for_axe=True) as screen:
        page = screen.open("/supervision")
        stopped = card(page).get_by_role("region", name="Hoja Operaciones detenida")
        expect(stopped).to_contain_text("celdas de NV cambiaron o se borraron a la vez")
        for theme, size in LOOKS:
            look(page, theme, size)
            assert (violations(page), small_targets(page), overflow_px(page)) == ([], [], 0), (theme, size)
        stopped.get_by_role("button", name="Reanudar con lo nuestro").press("Enter")
        question = page.get_by_role("dialog", name="¿Reanudar Operaciones con lo nuestro?")
        expect(question.get_by_role("button", name="No, volver")).to_be_focused()
        assert violations(page) == []
        assert api.see("/api/sync/status")["frozen"][0]["decision"] == "", "asked first"
        screen.tap("Reanudar con lo nuestro")
        expect(page.get_by_role("region", name="Avisos")).to_contain_text("se sigue en la próxima lectura")
        expect(stopped).to_have_count(0, timeout=WAIT_MS_MAX)  # by itself: nothing tells the page
    google.wait_for(lambda: set(column(google, "NV")) == {"1335"})
