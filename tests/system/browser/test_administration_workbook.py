"""The page *Planilla*: a workbook is uploaded, previewed cell by cell, imported, exported; Google is connected."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from python_calamine import CalamineWorkbook

from carrete.identity.records import DeviceKind
from tests.support.browser import Tablets
from tests.support.builders import a_spool
from tests.support.office import as_administrator, card, spool_rows, write_workbook
from tests.support.pin_shop import PinShop, pin_shop
from tests.support.sheet_server import SheetServer
from tests.support.sheets import BOOK

OLD, NEW = "MK-1335-CW-25238-001", "MK-1335-CW-25238-002"
PATH = "/administracion/planilla"


@pytest.fixture
def shop(tablets: Tablets, tmp_path: Path) -> Iterator[PinShop]:
    with pin_shop(tablets, tmp_path, [a_spool(OLD)]) as running:
        yield running


def tags(shop: PinShop) -> set[str]:
    with closing(sqlite3.connect(shop.folder / "carrete.db")) as connection:
        return {str(row[0]) for row in connection.execute("SELECT tag FROM spool WHERE retired = 0")}


def choose(page: Page, file: Path) -> None:
    card(page, "Importar desde Excel").locator("input[type=file]").set_input_files(file)


def test_nothing_changes_until_the_preview_is_confirmed(shop: PinShop, tmp_path: Path) -> None:
    rows = [*spool_rows(OLD, OT="4712"), *spool_rows(NEW), *spool_rows("MK-BAD", Total_Uniones="muchas")]
    file = write_workbook(tmp_path / "semana 46.xlsx", Operaciones=rows)
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_administrator(screen, PATH)
        choose(page, file)
        upload = card(page, file.name)
        expect(upload.get_by_text("por confirmar")).to_be_visible()
        upload.get_by_role("button", name="nuevos").click()
        expect(upload.get_by_role("heading", name=NEW)).to_be_visible()
        upload.get_by_role("button", name="cambiados").click()
        expect(upload.get_by_role("heading", name=OLD)).to_be_visible()
        expect(upload.get_by_text("4712")).to_be_visible()
        assert NEW not in tags(shop)

        page.reload()  # left, and taken up again where it was
        upload.get_by_role("button", name="Importar").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("heading", name=f"¿Importar {file.name}?")).to_be_visible()
        assert NEW not in tags(shop)
        screen.tap("Sí, importar")
        expect(upload.get_by_text("importada", exact=True)).to_be_visible()
        assert NEW in tags(shop)

        with page.expect_download() as download:
            upload.get_by_role("link", name="Descargar informe").click()
        assert NEW in download.value.path().read_text("utf-8-sig")
        upload.get_by_role("button", name="Subir otra").click()
        expect(page.get_by_text("Elegir o soltar un archivo .xlsx")).to_be_visible()
        expect(card(page, "Importaciones recientes").get_by_text(file.name)).to_be_visible()


def test_a_preview_can_be_discarded(shop: PinShop, tmp_path: Path) -> None:
    file = write_workbook(tmp_path / "otra.xlsx", Operaciones=spool_rows(OLD, NEW))
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_administrator(screen, PATH)
        choose(page, file)
        card(page, file.name).get_by_role("button", name="Descartar").last.click()
        expect(page.get_by_text("Elegir o soltar un archivo .xlsx")).to_be_visible()
        assert tags(shop) == {OLD}


def test_a_file_that_is_no_workbook_is_refused_before_and_after_it_is_sent(shop: PinShop, tmp_path: Path) -> None:
    text, broken = tmp_path / "spools.csv", tmp_path / "roto.xlsx"
    text.write_text("TAG_SPOOL")
    broken.write_bytes(b"PK\x03\x04 half a file")
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_administrator(screen, PATH)
        choose(page, text)
        expect(page.get_by_role("alert").get_by_text("Sólo se pueden importar archivos .xlsx.")).to_be_visible()
        choose(page, broken)
        failed = card(page, broken.name)
        expect(failed.get_by_text("no se pudo", exact=True)).to_be_visible()
        expect(failed.get_by_role("alert")).not_to_be_empty()
        failed.get_by_role("button", name="Subir otra").click()
        expect(page.get_by_text("Elegir o soltar un archivo .xlsx")).to_be_visible()


def test_an_upload_that_is_cut_off_is_reported_and_can_be_repeated(shop: PinShop, tmp_path: Path) -> None:
    file = write_workbook(tmp_path / "cortada.xlsx", Operaciones=spool_rows(NEW))
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_administrator(screen, PATH)
        page.route("**/api/planilla/cargas?*", lambda route: route.abort())
        choose(page, file)
        expect(page.get_by_role("alert").get_by_text("Se cortó la conexión antes de terminar.")).to_be_visible()
        page.unroute("**/api/planilla/cargas?*")
        choose(page, file)
        expect(card(page, file.name).get_by_text("por confirmar")).to_be_visible()


def test_the_workbook_and_the_template_are_downloaded(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_administrator(screen, PATH)
        for link, expected in (("Descargar la planilla", [OLD]), ("Descargar plantilla vacía", [])):
            with page.expect_download() as download:
                page.get_by_role("link", name=link).click()
            book = CalamineWorkbook.from_path(download.value.path())
            header, *rows = book.get_sheet_by_name("Operaciones").to_python()
            assert [row[header.index("TAG_SPOOL")] for row in rows] == expected


def test_a_google_workbook_is_connected_step_by_step_and_disconnected(tablets: Tablets, tmp_path: Path) -> None:
    sheet_folder, shop_folder = tmp_path / "sheet", tmp_path / "shop"
    sheet_folder.mkdir()
    shop_folder.mkdir()
    with (
        SheetServer(sheet_folder) as sheet,
        pin_shop(tablets, shop_folder, [], CARRETE_SHEETS_URL=sheet.settings["CARRETE_SHEETS_URL"]) as shop,
        shop.tablet(kind=DeviceKind.OFICINA) as screen,
    ):
        key = Path(sheet.settings["GOOGLE_APPLICATION_CREDENTIALS"])
        page = as_administrator(screen, PATH)
        google = card(page, "Google Sheets")
        not_a_key = tmp_path / "otra.json"
        not_a_key.write_text("{}")
        google.locator("input[type=file]").set_input_files(not_a_key)
        expect(google.get_by_role("alert").get_by_text("no es la clave de una cuenta")).to_be_visible()
        google.locator("input[type=file]").set_input_files(key)
        expect(google.get_by_text(json.loads(key.read_text())["client_email"]).first).to_be_visible()

        address = google.get_by_label("Dirección de la planilla")
        address.fill("planilla")
        expect(google.get_by_role("button", name="Probar")).to_be_disabled()
        address.fill(f"https://docs.google.com/spreadsheets/d/{BOOK}/edit#gid=0")
        google.get_by_role("button", name="Probar").click()
        expect(google.get_by_text("Carrete la puede leer y escribir.")).to_be_visible()
        google.get_by_role("button", name="Ver qué pasaría").click()
        expect(google.get_by_text("Nuevos en el taller")).to_be_visible()
        assert tags(shop) == set()
        google.get_by_role("button", name="Conectar", exact=True).click()
        expect(google.get_by_text("conectada", exact=True)).to_be_visible()
        sheet.wait_for(lambda: "A-1" in tags(shop))

        google.get_by_role("button", name="Desconectar").click()
        screen.tap("Desconectar")
        expect(google.get_by_text("sin conectar", exact=True)).to_be_visible()
