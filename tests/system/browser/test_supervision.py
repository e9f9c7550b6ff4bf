"""The supervisor's page: nothing without a reason, everything in the trail, and figures that can be read aloud."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from carrete.demo.people import demo_workers
from carrete.domain.workers import Rol
from carrete.ledger import open_database
from tests.support.answers import done
from tests.support.browser import LIFT_MS, SIZES, Screen, Tablets, overflow_px, small_targets, violations
from tests.support.builders import a_blocked_spool, a_finished_spool, a_joint, a_spool, a_worker, held, put
from tests.support.by_joint import begin, finish
from tests.support.floor_access import FloorServers
from tests.support.people import CREW, LP, MR, SV
from tests.support.server import RunningServer
from tests.support.tablet import Tablet

pytestmark = pytest.mark.access("open", "pin")
GODOY = a_worker(130, "Arturo", "Godoy", roles=(Rol.SUPERVISOR,))  # of the demo shop
FITTER = demo_workers()[0]
LONG = "MK-1335-CW-25238-001"
FRESH = "MK-1335-CW-25238-002"
SNATCHED = "MK-1335-CW-25238-003"
FINISHED = "MK-1336-PW-25311-009"
V4 = "MK-1340-LS-25601-004"
BLOCKED = "MK-1338-SW-25402-011"
ALL_DAY = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=9)


@pytest.fixture(scope="module")
def shop(server: RunningServer, ledger_url: str) -> RunningServer:
    """One shop for all of them: each test has its own spool."""
    ledger = open_database(ledger_url)
    spools = [
        held(a_spool(LONG), MR, since=ALL_DAY),
        held(a_spool(FRESH), LP, since=datetime.now(UTC)),
        held(a_spool(SNATCHED), MR, since=ALL_DAY),
        a_blocked_spool(BLOCKED),
        a_finished_spool(FINISHED),
        a_spool(V4, total_uniones=3),
    ]
    put(ledger, spools, CREW, [a_joint(n, V4) for n in (1, 2, 3)])
    ledger.close()
    return server


def question(page: Page) -> Locator:
    return page.get_by_role("dialog")


def row(page: Page, tag: str) -> Locator:
    return page.locator(f'[data-tag="{tag}"]')


def motivos(api: Tablet, tag: str) -> list[str]:
    return [e["metadata"]["motivo"] for e in api.see_history(tag)["events"] if "motivo" in e["metadata"]]


def test_only_those_who_supervise_are_offered(tablets: Tablets, shop: RunningServer) -> None:
    with tablets.one(shop.url, worker=LP) as screen:
        page = screen.open("/supervision")
        page.get_by_role("button", name="Sergio Vidal").wait_for()
        assert page.get_by_role("button", name="Luis Pérez").count() == 0
        screen.choose(SV)
        expect(page.get_by_text("SV(21)")).to_be_visible()
        expect(page.get_by_role("heading", name="Bloqueados")).to_be_visible()


def test_a_shop_without_a_google_workbook_shows_nothing_of_it(tablets: Tablets, shop: RunningServer) -> None:
    with tablets.one(shop.url, worker=SV) as screen:
        with screen.page.expect_response("**/api/sync/status") as response:
            page = screen.open("/supervision")
        assert response.value.json()["state"] == "sin_planilla"
        expect(page.get_by_role("heading", name="Bloqueados")).to_be_visible()
        expect(page.get_by_role("heading", name="Planilla")).to_have_count(0)


def test_a_spool_held_for_long_is_freed_with_a_reason(tablets: Tablets, shop: RunningServer, api: Tablet) -> None:
    with tablets.one(shop.url, worker=SV) as screen:
        page = screen.open("/supervision")
        expect(row(page, LONG)).to_contain_text(re.compile(r"9 h \d\d · más de 8 h"))
        expect(row(page, FRESH)).to_have_count(0)
        page.get_by_role("button", name=f"Liberar {LONG}").click()
        confirm = question(page).get_by_role("button", name="LIBERAR")
        expect(confirm).to_be_disabled()
        question(page).get_by_role("button", name="Fin de turno").click()
        question(page).get_by_label("Otro motivo o detalle").fill("se fue a las 18")
        confirm.click()
        expect(row(page, LONG)).to_have_count(0)
        assert motivos(api, LONG) == ["Fin de turno: se fue a las 18"]
        screen.open(f"/supervision?ver=spool&spool={LONG}")
        expect(page.locator("[data-item=LIBERAR_SPOOL]")).to_contain_text("SV(21)«Fin de turno: se fue a las 18»")


def test_a_blocked_spool_is_unblocked_with_a_reason(tablets: Tablets, shop: RunningServer, api: Tablet) -> None:
    with tablets.one(shop.url, worker=SV) as screen:
        page = screen.open("/supervision")
        page.get_by_role("button", name=f"Desbloquear {BLOCKED}").click()
        question(page).get_by_label("Otro motivo o detalle").fill("visto en terreno")
        question(page).get_by_role("button", name="DESBLOQUEAR").click()
        expect(page.get_by_text("Ningún spool está bloqueado.")).to_be_visible()
        assert motivos(api, BLOCKED) == ["visto en terreno"]
        assert api.see_spool(BLOCKED)["metrologia"] == "RECHAZADO"


def test_what_was_completed_by_mistake_is_reopened(tablets: Tablets, shop: RunningServer, api: Tablet) -> None:
    with tablets.one(shop.url, worker=SV) as screen:
        page = screen.open("/supervision?ver=spool")
        page.get_by_role("searchbox").fill("25311")
        page.get_by_role("button", name=FINISHED).click()
        page.wait_for_timeout(LIFT_MS)
        page.get_by_role("button", name="CORREGIR").click()
        question(page).get_by_role("button", name="Armado").click()
        question(page).get_by_role("button", name="Trabajo no terminado").click()
        question(page).get_by_role("button", name="CORREGIR").click()
        expect(page.locator("[data-item=CORRECCION]")).to_contain_text("Armado«Trabajo no terminado»")
        assert [api.see_spool(FINISHED)[what] for what in ("arm", "sold")] == ["PAUSADO", "PAUSADO"]


def test_a_spool_says_why_it_is_worked_as_it_is(tablets: Tablets, shop: RunningServer) -> None:
    with tablets.one(shop.url, worker=SV) as screen:
        page = screen.open(f"/supervision?ver=spool&spool={V4}")
        expect(page.get_by_role("region", name=V4)).to_contain_text("Total_Uniones = 3 > 0: v4.0")


def test_single_joints_are_unticked(tablets: Tablets, shop: RunningServer, api: Tablet) -> None:
    done(begin(api, V4, LP.id))
    done(finish(api, [1, 2, 3], V4, LP.id))
    with tablets.one(shop.url, worker=SV) as screen:
        page = screen.open(f"/supervision?ver=spool&spool={V4}")
        expect(page.locator("[data-item=session]")).to_contain_text("LP(7) · Armado · completado0h 0mUniones 1–312″")
        page.get_by_role("button", name="CORREGIR").click()
        question(page).get_by_role("button", name="Marcado por error").click()
        confirm = question(page).get_by_role("button", name="CORREGIR")
        expect(confirm).to_be_disabled()
        question(page).get_by_role("checkbox").nth(1).uncheck()
        confirm.click()
        expect(page.locator("[data-item=CORRECCION]")).to_contain_text("Uniones 2«Marcado por error»")
        joints = api.see_spool(V4)["uniones"]
        assert [joint["n_union"] for joint in joints if joint["arm_fecha_fin"] is None] == [2]


def test_a_refusal_is_shown_in_the_servers_words(tablets: Tablets, shop: RunningServer, api: Tablet) -> None:
    with tablets.one(shop.url, worker=SV, allow=("400 (Bad Request)",)) as screen:
        page = screen.open("/supervision")
        page.get_by_role("button", name=f"Liberar {SNATCHED}").click()
        question(page).get_by_role("button", name="Trabajador ausente").click()
        done(api.tap("PAUSAR", SNATCHED, MR.id))
        expect(row(page, SNATCHED)).to_have_count(0)
        question(page).get_by_role("button", name="LIBERAR").click()
        body = {"tag_spool": SNATCHED, "supervisor_id": SV.id, "motivo": "Trabajador ausente"}
        detail = api.post("/api/occupation/liberar", body).json()["detail"]
        expect(question(page).get_by_role("alert")).to_have_text(detail)


DRAWN = """() => [...document.querySelectorAll('canvas')].map(canvas => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
})"""


def open_figures(screen: Screen) -> Page:
    page = screen.open("/supervision?ver=produccion")
    page.get_by_role("button", name="30 días").click()
    expect(page.locator("canvas")).to_have_count(4)
    return page


def test_the_figures_are_drawn_and_can_be_read(tablets: Tablets, demo: RunningServer) -> None:
    with tablets.one(demo.url, worker=GODOY, size=(1280, 800)) as screen:
        page = open_figures(screen)
        assert min(page.evaluate(DRAWN)) > 3, "ground, bars, edges and letters"
        inches = page.get_by_role("region", name="Pulgadas por día", exact=True)
        inches.get_by_text("Ver como tabla").click()
        assert inches.get_by_role("row").count() == 1 + 30
        chart = inches.get_by_role("slider")
        chart.focus()
        page.keyboard.press("End")
        today = inches.get_by_role("row").last
        expect(chart).to_have_attribute("aria-valuetext", text_of_row(today))
        page.keyboard.press("ArrowLeft")
        expect(chart).to_have_attribute("aria-valuetext", text_of_row(inches.get_by_role("row").nth(-2)))


def text_of_row(row: Locator) -> str:
    day, arm, sold = row.locator("th, td").all_inner_texts()
    return f"{day}: Armado {arm}, Soldadura {sold}"


def test_a_period_that_ends_before_it_begins_is_not_asked_for(tablets: Tablets, demo: RunningServer) -> None:
    with tablets.one(demo.url, worker=GODOY) as screen:
        page = screen.open("/supervision?ver=produccion")
        page.get_by_role("button", name="Otro").click()
        page.get_by_label("Hasta").fill("2020-01-01")
        expect(page.get_by_text("El período tiene que empezar antes de terminar")).to_be_visible()


def looks_right(page: Page, what: str) -> None:
    for theme in ("light", "dark"):
        page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            look = f"{what}, {theme} {width}×{height}"
            assert violations(page) == [], look
            assert overflow_px(page) <= 0, look
            assert small_targets(page) == [], look


@pytest.mark.long
@pytest.mark.parametrize("what", ["who", "now", "search", "history", "correct", "figures"])
def test_every_screen_of_the_supervisor_is_accessible(
    tablets: Tablets, servers: FloorServers, demo: RunningServer, what: str
) -> None:
    who = FITTER if what == "who" else GODOY
    with tablets.one(demo.url, worker=who, for_axe=True) as screen, servers.others(demo) as api:
        corrected = api.see_list(accion="INSPECCIONAR")[0]
        page = screen.open(
            {"who": "/supervision", "now": "/supervision", "search": "/supervision?ver=spool"}.get(
                what, f"/supervision?ver=spool&spool={corrected}"
            )
        )
        match what:
            case "who":
                page.get_by_role("button", name="Arturo Godoy").wait_for()
            case "now":
                page.get_by_role("button", name="Desbloquear").first.wait_for()
            case "search":
                page.get_by_role("button", name="MK-").first.wait_for()
            case "history":
                page.get_by_text("Todos los eventos").click()
            case "correct":
                page.get_by_role("button", name="CORREGIR").click()
                question(page).wait_for()
            case "figures":
                open_figures(screen)
                page.get_by_text("Ver como tabla").first.click()
        looks_right(page, what)


def test_figures_that_nobody_answered_are_not_zero(tablets: Tablets, demo: RunningServer) -> None:
    with tablets.one(demo.url, worker=GODOY, allow=["/api/metrics/"]) as screen:
        screen.page.route("**/api/metrics/**", lambda route: route.abort())
        page = screen.open("/supervision?ver=produccion")
        expect(page.get_by_text("No se pudo cargar.")).to_have_count(4)  # the server itself answers
        expect(page.get_by_text("0″")).to_have_count(0)
