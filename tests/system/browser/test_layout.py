"""Measurements of the layout: icons keep their size, nothing that has the focus is covered, every page has one
title."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from carrete.domain.spool import Estado
from carrete.ledger import open_database
from tests.conftest import migrated
from tests.support.browser import SIZES, Screen, Tablets, look, overflow_px, small_targets, violations
from tests.support.builders import EARLIER, a_finished_spool, a_joint, a_rejected_spool, a_spool, a_worker, held, put
from tests.support.people import CREW, MI, MR, SV
from tests.support.server import RunningServer, running_server

FREE, MINE, THEIRS = "MK-1335-CW-25238-001", "MK-1335-CW-25238-002", "MK-1335-CW-25238-003"
LONG = "MK-1335-CW-25238-080"
QUEUED, REJECTED = "MK-1335-CW-25238-020", "MK-1335-CW-25238-021"
JOINTS = 80
ICON_PX_MIN = 20
WIDTHS = ((360, 740), (820, 1180), (1280, 800), (1920, 1080))
# In the order in which they are shown: by the first name, accents and capitals aside.
NAMES = ["Álvaro Zúñiga", "ana Bravo", "Ñico Araya", "Óscar Abarca", "Zoila Álvarez"]
OTHERS = [a_worker(300 + n, *name.split(" ")) for n, name in enumerate(NAMES)]
EVERYBODY = a_worker(93, "Mauricio", "Rodríguez", roles=MR.roles | MI.roles)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("layout")
    url = f"sqlite:///{folder / 'carrete.db'}"
    migrated(url)
    ledger = open_database(url)
    armed = {"arm_fin": EARLIER, "arm_worker": "LP(7)"}
    joints = [a_joint(n, LONG, **(armed if n % 9 == 0 else {})) for n in range(1, JOINTS + 1)]
    spools = [a_spool(FREE), held(a_spool(MINE), EVERYBODY), held(a_spool(THEIRS), CREW[1])]
    spools += [held(a_spool(LONG, total_uniones=JOINTS, arm=Estado.PAUSADO), EVERYBODY)]
    spools += [a_finished_spool(QUEUED), a_rejected_spool(REJECTED, ciclo=2)]
    put(ledger, spools, [EVERYBODY, *(w for w in CREW if w.id != EVERYBODY.id), *OTHERS], joints)
    ledger.close()
    with running_server(url, folder) as running:
        yield running


def a_question(screen: Screen) -> None:
    screen.open(f"/trabajo/ARM/{MINE}")
    button("PAUSAR|PAUSE")(screen.page).click()


def handing_over(screen: Screen) -> None:
    screen.open(f"/trabajo/ARM/{LONG}")
    button("Entregar a|Hand over to")(screen.page).click()
    screen.page.locator("[data-receiver]").first.wait_for()


def several_chosen(screen: Screen) -> None:
    screen.open("/trabajo/ARM")
    button("Elegir varios|Choose several")(screen.page).click()
    screen.row(MINE).click()


def all_ticked(screen: Screen) -> None:
    screen.open(f"/trabajo/ARM/{LONG}")
    button("Todas|All")(screen.page).click()


def unsent(screen: Screen) -> None:
    screen.page.route("**/api/occupation/*", lambda route: route.abort())
    screen.open(f"/trabajo/ARM/{FREE}")
    button("TOMAR|TAKE")(screen.page).click()
    screen.page.locator("[data-outcome=warn]").wait_for()


def opened(path: str, wanted: Callable[[Page], Locator]) -> Callable[[Screen], None]:
    return lambda screen: wanted(screen.open(path)).first.wait_for()


def button(name: str) -> Callable[[Page], Locator]:
    """By part of its name, in either language."""
    return lambda page: page.get_by_role("button", name=re.compile(name))


FLOOR: dict[str, Callable[[Screen], None]] = {
    "operations": opened("/operacion", lambda page: page.get_by_role("heading", level=1)),
    "list": opened("/trabajo/ARM", lambda page: page.locator(f'[data-tag="{FREE}"]')),
    "several chosen": several_chosen,
    "whole, free": opened(f"/trabajo/ARM/{FREE}", button("TOMAR|TAKE")),
    "whole, mine": opened(f"/trabajo/ARM/{MINE}", button("CANCEL")),
    "whole, of somebody else": opened(f"/trabajo/ARM/{THEIRS}", lambda page: page.get_by_text("LP(7)")),
    "question": a_question,
    "handing over": handing_over,
    "joints": opened(f"/trabajo/ARM/{LONG}", button("FINALIZAR|FINISH")),
    "joints, all ticked": all_ticked,
    "inspection": opened(f"/trabajo/METROLOGIA/{QUEUED}", button("APROBADO|APPROVED")),
    "repair": opened(f"/trabajo/REPARACION/{REJECTED}", button("TOMAR|TAKE")),
    "unsent": unsent,
}
ENGLISH = 'localStorage.setItem("carrete.language", "en")'
# Every drawing inside something that can be tapped, with the words around it and whether they stay inside.
ICONS = """() => [...document.querySelectorAll('button, a[href]')]
    .filter(e => e.checkVisibility({visibilityProperty: true}))
    .flatMap(e => [...e.querySelectorAll('svg')].map(svg => {
        const {width, height} = svg.getBoundingClientRect();
        const around = e.getBoundingClientRect();
        const own = svg.getBoundingClientRect();
        const outside = own.left < around.left || own.right > around.right || e.scrollWidth > e.clientWidth + 1;
        return [e.textContent || e.ariaLabel || '', width, height, outside];
    }))"""


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("name", FLOOR)
def test_no_icon_of_a_button_is_squeezed(tablets: Tablets, shop: RunningServer, name: str, language: str) -> None:
    script = ENGLISH if language == "en" else ""
    squeezed: list[str] = []
    with tablets.one(shop.url, worker=EVERYBODY, allow=["ERR_FAILED"], script=script) as screen:
        FLOOR[name](screen)
        for width, height in WIDTHS:
            look(screen.page, "light", (width, height))
            icons = screen.page.evaluate(ICONS)
            assert icons
            squeezed += [
                f"{width}: {text} {round(w)}×{round(h)}{' outside' if outside else ''}"
                for text, w, h, outside in icons
                if min(w, h) < ICON_PX_MIN or outside
            ]
    assert squeezed == []


# The focused element, as a finger or an eye finds it: the row when it is a joint's tick.
FOCUSED = """() => {
    const e = document.activeElement, shown = e.closest('[data-joint]') ?? e;
    const {x, y, width, height} = shown.getBoundingClientRect();
    const edges = [[x + width / 2, y + height / 2], [x + width / 2, y + 2], [x + width / 2, y + height - 2]];
    const covered = edges.some(([left, top]) => !shown.contains(document.elementFromPoint(left, top)));
    return [shown.dataset.joint ?? e.textContent, covered];
}"""


@pytest.mark.parametrize("size", WIDTHS)
@pytest.mark.parametrize("key", ["Tab", "Shift+Tab"])
def test_a_joint_that_has_the_focus_is_never_under_the_buttons(
    tablets: Tablets, shop: RunningServer, size: tuple[int, int], key: str
) -> None:
    with tablets.one(shop.url, worker=EVERYBODY, size=size) as screen:
        page = screen.open(f"/trabajo/ARM/{LONG}")
        (screen.joint(1) if key == "Tab" else screen.joint(JOINTS)).locator("input").focus()
        visited: list[str] = []
        covered: list[str] = []
        for _ in range(JOINTS + 2):
            what, hidden = page.evaluate(FOCUSED)
            visited += [what]
            covered += [what] if hidden else []
            page.keyboard.press(key)
        assert len({what for what in visited if what.isdigit()}) == JOINTS - JOINTS // 9
        assert covered == []


PAGES: dict[str, Callable[[Screen], None]] = {
    **FLOOR,
    "board": opened("/tablero", lambda page: page.get_by_text(THEIRS)),
    "supervision, who": opened("/supervision", button("Sergio Vidal")),
    "not found": opened("/nada", button("Ir al inicio")),
    "no such operation": opened("/trabajo/NADA", button("Ir al inicio")),
    "no such spool": opened("/trabajo/ARM/NADA", button("Reintentar")),
}


@pytest.mark.parametrize("name", FLOOR)
def test_the_english_screens_are_accessible_too(tablets: Tablets, shop: RunningServer, name: str) -> None:
    """In Spanish `test_screens` looks at them."""
    found: list[str] = []
    with tablets.one(shop.url, worker=EVERYBODY, allow=["ERR_FAILED"], script=ENGLISH, for_axe=True) as screen:
        FLOOR[name](screen)
        for size in SIZES:
            look(screen.page, "light", size)
            found += [f"{size}: {what}" for what in (*violations(screen.page), *small_targets(screen.page))]
            found += [f"{size}: {px} px too wide" for px in [overflow_px(screen.page)] if px > 0]
    assert found == []


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_one_title(tablets: Tablets, shop: RunningServer, name: str) -> None:
    with tablets.one(shop.url, worker=EVERYBODY, allow=["ERR_FAILED", "404"]) as screen:
        PAGES[name](screen)
        assert_one_title(screen.page)


def test_the_supervisors_views_and_the_first_screen_have_one_title(tablets: Tablets, shop: RunningServer) -> None:
    with tablets.one(shop.url, worker=SV) as screen:
        for path in ("/supervision", "/supervision?ver=spool", f"/supervision?ver=spool&spool={LONG}"):
            screen.open(path).get_by_role("button", name="Ahora").wait_for()
            assert_one_title(screen.page)
        screen.open("/supervision?ver=produccion").get_by_text("Pulgadas por día").wait_for()
        assert_one_title(screen.page)
    with tablets.one(shop.url) as screen:
        screen.open().get_by_role("button", name="Sergio Vidal").wait_for()
        assert_one_title(screen.page)


def test_a_screen_that_broke_has_a_title(tablets: Tablets, shop: RunningServer) -> None:
    broken = [{"id": 93, "nombre": "A", "apellido": "B", "label": "AB(93)", "roles": None}]
    with tablets.one(shop.url, allow=["Error", "error"]) as screen:
        screen.page.route("**/api/workers", lambda route: route.fulfill(json={"workers": broken}))
        page = screen.open("/supervision")
        expect(page.get_by_text("Algo falló en esta pantalla.")).to_be_visible()
        assert_one_title(page)


def assert_one_title(page: Page) -> None:
    titles = page.locator("h1").all_inner_texts()
    assert len(titles) == 1, titles
    assert titles[0].strip()


@pytest.mark.parametrize("path", ["/", "/supervision"])
def test_people_are_sorted_as_they_are_shown(tablets: Tablets, shop: RunningServer, path: str) -> None:
    with tablets.one(shop.url) as screen:
        page = screen.open(path)
        people = page.get_by_role("region", name="Todos").get_by_role("button")
        people.first.wait_for()
        shown = [re.sub(r"^\d+", "", text).strip() for text in people.all_inner_texts()]
        by_name = page.evaluate("names => [...names].sort(new Intl.Collator('es').compare)", shown)
        assert shown == by_name
        if path == "/":
            assert [name for name in shown if name in NAMES] == NAMES


@pytest.mark.parametrize(
    "path", ["/", f"/trabajo/ARM/{FREE}", "/supervision", "/administracion", "/tablero", "/etiquetas"]
)
def test_every_page_says_that_there_are_no_identities(tablets: Tablets, shop: RunningServer, path: str) -> None:
    with tablets.one(shop.url, worker=SV if path == "/supervision" else EVERYBODY, for_axe=True) as screen:
        page = screen.open(path)
        line = page.get_by_text("demostración sin identidad")
        expect(line).to_be_visible()
        for size in SIZES:
            look(page, "light", size)
            box = line.bounding_box()
            assert box is not None
            assert box["y"] == 0
            assert box["height"] <= 24
            below = page.locator("header, main").first.bounding_box()
            assert below is not None
            assert below["y"] >= box["height"]
            assert page.evaluate("document.documentElement.scrollHeight <= innerHeight") or path in ("/etiquetas",)
            assert violations(page) == []
