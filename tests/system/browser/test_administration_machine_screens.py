"""The pages about the server and its data, in both themes, both languages and four sizes: axe finds nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from carrete.identity.records import DeviceKind
from tests.support.browser import Tablets, complaints
from tests.support.builders import a_spool
from tests.support.office import as_administrator, spool_rows, write_workbook
from tests.support.pin_shop import PinShop, pin_shop

ONE = "MK-1335-CW-25238-001"
ENGLISH = 'localStorage.setItem("carrete.language", "en")'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("machine")


@pytest.fixture(scope="module")
def shop(tablets: Tablets, folder: Path) -> Iterator[PinShop]:
    with pin_shop(tablets, folder, [a_spool(ONE)], CARRETE_ARM_ONLY_TYPES="FW") as running:
        yield running


def preview(page: Page, folder: Path) -> None:
    rows = [*spool_rows(ONE, OT="4712"), *spool_rows("MK-NEW"), *spool_rows("MK-BAD", Total_Uniones="muchas")]
    file = write_workbook(folder / "semana.xlsx", Operaciones=rows)
    choose = page.locator("input[type=file]").first
    page.get_by_role("heading", name="Excel").or_(page.get_by_role("heading", name=file.name)).first.wait_for()
    if page.get_by_role("heading", name=file.name).count() == 0:
        choose.set_input_files(file)
    page.get_by_role("heading", name=ONE).or_(page.get_by_role("heading", name="MK-BAD")).first.wait_for()


def keys_form(page: Page, folder: Path) -> None:
    page.get_by_role("button", name="Respaldar ahora").or_(page.get_by_role("button", name="Back up now")).click()
    page.get_by_role("link", name="Descargar").or_(page.get_by_role("link", name="Download")).first.wait_for()
    page.get_by_role("button", name="las claves").or_(page.get_by_role("button", name="the keys")).click()


def system(page: Page, folder: Path) -> None:
    page.locator("[data-check]").first.wait_for()


def shifts(page: Page, folder: Path) -> None:
    page.get_by_role("button", name="turno").or_(page.get_by_role("button", name="shift")).last.click()


def second_step(page: Page, folder: Path) -> None:
    page.get_by_role("button", name="Ahora no").or_(page.get_by_role("button", name="Not now")).click()
    page.get_by_role("button", name="Google").click()
    page.get_by_role("heading", name="Google Sheets").wait_for()


def first_step(page: Page, folder: Path) -> None:
    page.locator("form").wait_for()


PAGES: dict[str, tuple[str, Callable[[Page, Path], None]]] = {
    "preview": ("planilla", preview),
    "keys": ("respaldo", keys_form),
    "system": ("sistema", system),
    "settings": ("ajustes", shifts),
    "first step": ("primeros-pasos", first_step),
    "second step": ("primeros-pasos", second_step),
}


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_about_the_server_is_accessible(shop: PinShop, folder: Path, name: str, language: str) -> None:
    path, prepare = PAGES[name]
    script = ENGLISH if language == "en" else ""
    with shop.tablet(kind=DeviceKind.OFICINA, for_axe=True, script=script) as screen:
        page = as_administrator(screen, f"/administracion/{path}")
        expect(page.locator("h1")).to_be_visible()
        prepare(page, folder)
        assert complaints(screen) == []
