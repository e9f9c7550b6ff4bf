"""The Google workbook as people see it: the supervisor's card, and the effect of an edited cell on the holder of the
spool."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from string import ascii_uppercase

import pytest
from playwright.sync_api import Locator, Page, expect

from carrete.workbook.columns import OPERACIONES
from tests.support.answers import done
from tests.support.browser import Tablets, Theme, look, overflow_px, small_targets, violations
from tests.support.people import LP, MR, SV
from tests.support.server import RunningServer, running_server
from tests.support.sheet_server import SheetServer
from tests.support.sheets import header
from tests.support.tablet import Tablet

SPOOLS = 30
REFUSED, TWICE = "A-5", "A-1"
MINE, GONE, LAST, OWN = "A-9", "A-29", "A-30", "A-12"
THEMES: tuple[Theme, ...] = ("light", "dark")
LOOKS = list(product(THEMES, ((360, 740), (1280, 800))))


@pytest.fixture(scope="module")
def google(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SheetServer]:
    with SheetServer(tmp_path_factory.mktemp("google"), SPOOLS) as google, google.hurried_lane():
        yield google


@pytest.fixture(scope="module")
def shop(google: SheetServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    settings = {
        name: value for name, value in google.settings.items() if name.startswith(("GOOGLE_", "CARRETE_SHEETS"))
    }
    with running_server(google.settings["DATABASE_URL"], tmp_path_factory.mktemp("serve"), settings=settings) as server:
        yield server


@pytest.fixture
def api(shop: RunningServer) -> Iterator[Tablet]:
    with shop.tablet() as tablet:
        yield tablet


def card(page: Page) -> Locator:
    return page.get_by_role("region", name=re.compile("^Planilla"))


def cell(google: SheetServer, tag: str, name: str) -> object:
    return next(row.get(name) for row in google.rows() if row.get("TAG_SPOOL") == tag)


def place(google: SheetServer, tag: str, name: str) -> str:
    """Where a person types, such as J10."""
    row = [row.get("TAG_SPOOL") for row in google.rows()].index(tag) + 2
    return f"{ascii_uppercase[header(OPERACIONES).index(name)]}{row}"


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


def test_a_worker_whose_spool_was_freed_in_the_sheet_is_told_on_the_tablet(
    tablets: Tablets, shop: RunningServer, google: SheetServer, api: Tablet
) -> None:
    done(api.tap("tomar", MINE, LP.id))
    google.wait_for(lambda: cell(google, MINE, "Ocupado_Por") == LP.label)
    with tablets.one(shop.url, worker=LP) as screen:
        screen.open(f"/trabajo/ARM/{MINE}")
        screen.is_live()
        expect(screen.page.get_by_text("Lo tiene usted")).to_be_visible()
        google.person("edit", cell=place(google, MINE, "Ocupado_Por"), value="DISPONIBLE")
        expect(screen.page.get_by_text(f"Su spool {MINE} fue liberado en la planilla.")).to_be_visible()
        expect(screen.page.get_by_role("button", name="TOMAR", exact=True)).to_be_enabled()
        screen.tap("Volver")
        expect(screen.mine()).to_have_count(0)


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


def test_a_new_spool_with_an_unknown_holder_is_there_and_its_cell_is_named(
    tablets: Tablets, shop: RunningServer, google: SheetServer, api: Tablet
) -> None:
    google.person("add_row", values={"TAG_SPOOL": "N-1", "Fecha_Materiales": 46_328, "Ocupado_Por": "ZZ(404)"})
    google.wait_for(lambda: "ZZ(404)" in str(api.see("/api/sync/status")["problems"]))
    assert api.see("/api/spools/N-1")["ocupado_por"] is None
    with tablets.one(shop.url, worker=SV) as screen:
        left_out = card(screen.open("/supervision")).get_by_role("region", name=re.compile("apartad"))
        expect(left_out).to_contain_text(f"Operaciones · fila {SPOOLS + 2} · Ocupado_Por")
        expect(left_out).to_contain_text("nadie se llama «ZZ(404)»")
    google.person("edit", cell=place(google, "N-1", "Ocupado_Por"), value=MR.label)
    google.wait_for(lambda: not api.see("/api/sync/status")["problem_count"])
    assert api.see("/api/spools/N-1")["ocupado_por"] == MR.label
    google.person("delete_rows", at=SPOOLS + 2)


def test_a_table_that_takes_no_formats_is_a_note_without_a_question(
    tablets: Tablets, shop: RunningServer, google: SheetServer, api: Tablet
) -> None:
    google.person("make_table", types={"Fecha_Ocupacion": "DATE_TIME"})
    done(api.tap("tomar", "A-3", MR.id))
    google.wait_for(lambda: api.see("/api/sync/status")["notices"])
    assert cell(google, "A-3", "Ocupado_Por") == MR.label
    with tablets.one(shop.url, worker=SV) as screen:
        notice = card(screen.open("/supervision")).get_by_role("region", name="1 nota: no falta nada")
        expect(notice).to_contain_text("Operaciones · Fecha_Ocupacion")
        expect(notice).to_contain_text("se escribe sin formato")
        expect(notice.get_by_role("button")).to_have_count(0)
    google.person("drop_tables")


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
        expect(stopped).to_have_count(0)  # by itself: no event reaches the page
    google.wait_for(lambda: set(column(google, "NV")) == {"1335"})


def test_a_spool_whose_row_was_deleted_can_be_put_down_and_not_taken(
    tablets: Tablets, shop: RunningServer, google: SheetServer, api: Tablet
) -> None:
    done(api.tap("tomar", LAST, MR.id))
    google.wait_for(lambda: cell(google, LAST, "Ocupado_Por") == MR.label)
    with tablets.one(shop.url, worker=MR) as holder, tablets.one(shop.url, worker=LP) as other:
        holder.open(f"/trabajo/ARM/{LAST}")
        other.open(f"/trabajo/ARM/{GONE}")
        for screen in (holder, other):
            screen.is_live()
        google.person("delete_rows", at=SPOOLS, count=2)
        google.wait_for(lambda: api.see_spool(GONE)["retirado"])  # it looks twice before it believes that
        expect(other.page.get_by_text("Este spool se retiró de la planilla")).to_be_visible()
        expect(other.page.get_by_role("button", name="TOMAR", exact=True)).to_have_count(0)
        other.tap("Volver")
        expect(other.page.locator("[data-tag]").first).to_be_visible()
        expect(other.row(GONE)).to_have_count(0)
        expect(holder.page.get_by_text("Retirado de la planilla")).to_be_visible()
        holder.tap("PAUSAR")
        holder.tap("PAUSAR")
        holder.says(f"ARM en pausa; el spool {LAST} queda disponible.")


def test_a_cell_of_peoples_own_that_was_put_back_is_shown(
    tablets: Tablets, shop: RunningServer, google: SheetServer, api: Tablet
) -> None:
    """A column is inserted while our write is under way. The last test here: the columns stand elsewhere after it."""
    at = header(OPERACIONES).index("version") + 1
    row = [row.get("TAG_SPOOL") for row in google.rows()].index(OWN) + 2
    google.person("insert_columns", at=at)
    google.person("edit", cell=f"{ascii_uppercase[at - 1]}1", value="Nota")
    google.person("edit", cell=f"{ascii_uppercase[at - 1]}{row}", value="ojo con la brida")
    read = api.see("/api/sync/status")["last_read"]
    google.wait_for(lambda: api.see("/api/sync/status")["last_read"] > read)
    held = google.emulator.barriers.add({"at": "before-apply", "kind": "write"})
    done(api.tap("tomar", OWN, LP.id))
    assert held.met.wait(20)
    google.person("insert_columns", at=2)
    google.emulator.barriers.release(held.number)
    google.wait_for(lambda: api.see("/api/sync/status")["given_back"])
    with tablets.one(shop.url, worker=SV) as screen:
        put_back = card(screen.open("/supervision")).get_by_role("region", name="Se repuso 1 celda de la planilla")
        expect(put_back).to_contain_text(f"Operaciones · fila {row} · Nota")
        expect(put_back).to_contain_text("Volvió a decir «ojo con la brida».")
    assert cell(google, OWN, "Nota") == "ojo con la brida"
