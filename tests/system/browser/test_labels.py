"""The page of the labels in Chromium: chosen, looked at, printed by the browser or saved, and read back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from carrete.identity.records import DeviceKind
from tests.support.browser import SIZES, Screen, Tablets, look, overflow_px, small_targets, violations
from tests.support.builders import a_spool
from tests.support.labels import codes_of, page_sizes_mm, pictures_inside
from tests.support.office import as_administrator
from tests.support.people import MR, SV
from tests.support.pin_shop import BADGE, PEOPLE, PinShop, face, pin_shop, type_pin

SPOOLS = [
    *(a_spool(f"MK-1335-CW-25238-{n:03}", ot="25238", total_uniones=n) for n in range(30)),
    *(a_spool(f"PT-{n}", ot="4712") for n in range(3)),
    a_spool("管-" + "X" * 90, ot="9"),
]
ENGLISH = 'localStorage.setItem("carrete.language", "en")'
NO_DIALOG = "window.print = () => { window.printed = true }"


@pytest.fixture(scope="module")
def shop(tablets: Tablets, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PinShop]:
    with pin_shop(tablets, tmp_path_factory.mktemp("labels"), SPOOLS) as running:
        yield running


@pytest.fixture(autouse=True)
def nothing_printed(shop: PinShop) -> None:
    with shop.database.writing() as tx:
        tx.execute("DELETE FROM label_print")


def as_supervisor(screen: Screen, path: str = "/etiquetas") -> Page:
    page = screen.open(path)
    face(screen, SV).click()
    type_pin(page)
    expect(page.get_by_role("banner").get_by_text(SV.label)).to_be_visible()
    return page


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def saved(page: Page, button: str) -> bytes:
    with page.expect_download() as download:
        press(page, button)
    return download.value.path().read_bytes()


def test_a_supervisor_prints_a_work_order_and_says_that_it_came_out_well(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_supervisor(screen, "/supervision")
        page.get_by_role("link", name="Imprimir etiquetas").click()
        expect(page.get_by_text("Etiquetas: 34. Hojas: 2.")).to_be_visible()
        press(page, "Por OT")
        expect(page.get_by_text("Elija una OT de la lista.")).to_be_visible()
        page.get_by_label("Orden de trabajo").select_option("25238")
        expect(page.get_by_text("Etiquetas: 30. Hojas: 2.")).to_be_visible()
        pdf = saved(page, "Guardar PDF")
        assert [code.text for code in codes_of(pdf)] == [spool.tag for spool in SPOOLS[:30]]
        expect(page.get_by_text("¿Salieron bien las 30 etiquetas?")).to_be_visible()
        press(page, "Sí, están impresas")
        expect(page.get_by_text("impresa ").first).to_be_visible()
        press(page, "Sin imprimir")
        expect(page.get_by_text("Etiquetas: 4. Hojas: 1.")).to_be_visible()


@pytest.mark.parametrize(
    ("paper", "size", "pages"),
    [("a4-3x8", (210, 297), 2), ("rollo-62", (62, 29), 30), ("rollo-100x50", (100, 50), 30)],
)
def test_what_the_browser_prints_has_the_size_of_the_paper_and_is_read_back(
    shop: PinShop, paper: str, size: tuple[int, int], pages: int
) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA, script=NO_DIALOG) as screen:
        page = as_supervisor(screen)
        press(page, "Por OT")
        page.get_by_label("Orden de trabajo").select_option("25238")
        page.get_by_label("Formato").select_option(paper)
        expect(page.get_by_text(f"Etiquetas: 30. Hojas: {pages}.")).to_be_visible()
        press(page, "Imprimir")
        page.wait_for_function("() => window.printed")
        printed = page.pdf(prefer_css_page_size=True, print_background=True)
        assert page_sizes_mm(printed) == [size] * pages
        assert [code.text for code in codes_of(printed)] == [spool.tag for spool in SPOOLS[:30]]
        assert pictures_inside(printed) == 0


def test_a_pasted_list_names_the_tags_that_no_spool_has(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_supervisor(screen)
        press(page, "Una lista")
        expect(page.get_by_text("Elija qué imprimir y complete los números del papel.")).to_be_visible()
        page.get_by_label("Tags, uno por línea").fill("PT-2\nNADIE\nPT-0\n")
        expect(page.get_by_text("Ningún spool se llama así, y no se imprime: NADIE")).to_be_visible()
        expect(page.get_by_text("Etiquetas: 2. Hojas: 1.")).to_be_visible()
        assert [code.text for code in codes_of(saved(page, "Guardar PDF"))] == ["PT-2", "PT-0"]
        press(page, "Todavía no")
        expect(page.get_by_text("¿Salieron bien")).to_have_count(0)


def test_a_grid_that_is_too_fine_is_refused_in_words_and_one_that_fits_is_drawn(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_supervisor(screen)
        page.get_by_label("Formato").select_option("a4-libre")
        page.get_by_label("Columnas", exact=True).fill("7")
        expect(page.get_by_role("alert")).to_contain_text("cada etiqueta mediría 30.0 × 37.1 mm")
        page.get_by_label("Columnas", exact=True).fill("2")
        page.get_by_label("Margen arriba y abajo (mm)").fill("8,5")
        expect(page.get_by_text("Etiquetas: 34. Hojas: 3.")).to_be_visible()


def test_a_tag_that_is_hard_to_print_is_named(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_supervisor(screen)
        page.get_by_label("Formato").select_option("rollo-62")
        expect(page.get_by_text("el código queda denso")).to_be_visible()
        expect(page.get_by_text("letras que la fuente no tiene")).to_be_visible()


def test_an_administrator_gives_badges_and_saves_the_cards(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_administrator(screen, "/etiquetas")
        assert [code.text for code in codes_of(saved(page, "Guardar PDF de credenciales"))] == [BADGE]
        press(page, "Dar credencial a quienes no tienen")
        active = [person for person in PEOPLE if person.activo]
        expect(page.get_by_text(f"{len(active) - 1} personas recibieron una credencial.")).to_be_visible()
        assert len(codes_of(saved(page, "Guardar PDF de credenciales"))) == len(active)


def test_a_supervisor_prints_no_badges(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_supervisor(screen)
        expect(page.get_by_role("heading", name="Vista previa")).to_be_visible()
        expect(page.get_by_role("heading", name="Credenciales")).to_have_count(0)


def test_a_worker_is_asked_for_somebody_who_may_print(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.open("/")
        face(screen, MR).click()
        type_pin(page)
        expect(page.get_by_role("banner").get_by_text(MR.label)).to_be_visible()
        screen.open("/etiquetas")
        expect(page.get_by_text("no es supervisor ni administrador")).to_be_visible()


@pytest.mark.parametrize("language", ["es", "en"])
def test_the_page_is_accessible(shop: PinShop, language: str) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA, for_axe=True, script=ENGLISH if language == "en" else "") as screen:
        page = as_supervisor(screen)
        page.locator("svg[role=img]").wait_for()
        assert complaints(screen) == []
        page.locator("select").first.select_option("a4-libre")
        page.get_by_role("button", name="Una lista").or_(page.get_by_role("button", name="A list")).click()
        page.locator("textarea").fill("PT-1\nNADIE")
        page.locator("[data-callout=warn]").first.wait_for()
        assert complaints(screen) == []


def complaints(screen: Screen) -> list[str]:
    found: list[str] = []
    for theme in ("light", "dark"):
        for size in SIZES:
            look(screen.page, theme, size)
            found += [f"{theme} {size}: {what}" for what in (*violations(screen.page), *small_targets(screen.page))]
            found += [f"{theme} {size}: {px} px too wide" for px in [overflow_px(screen.page)] if px > 0]
    return found
