"""The pages *Respaldo*, *Sistema* and *Ajustes*, and the first start in four steps."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from carrete.identity import setup
from carrete.identity.records import DeviceKind
from carrete.ledger import open_database
from tests.conftest import migrated
from tests.support.browser import Tablets
from tests.support.builders import a_spool
from tests.support.office import as_administrator, card, spool_rows, write_workbook
from tests.support.pin_shop import LOST, PinShop, pin_shop, type_pin
from tests.support.server import running_server
from tests.support.signing_in import PIN

ONE = "MK-1335-CW-25238-001"
PHRASE = "caballo batería grapa correcta"


@pytest.fixture
def shop(tablets: Tablets, tmp_path: Path) -> Iterator[PinShop]:
    with pin_shop(tablets, tmp_path, [a_spool(ONE)], CARRETE_ARM_ONLY_TYPES="FW") as running:
        yield running


def test_the_shop_is_named_and_the_history_says_who_did_it(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_administrator(screen, "/administracion/ajustes")
        page.get_by_label("Nombre del taller").fill("Maestranza Norte")
        zone = page.get_by_label("Zona horaria")
        zone.fill("America/Santiagoo")
        expect(page.get_by_role("alert").get_by_text("Esa zona horaria no existe.")).to_be_visible()
        expect(page.get_by_role("button", name="Guardar")).to_be_disabled()
        zone.fill("America/Punta_Arenas")
        expect(page.get_by_label("Tipos de unión que sólo se arman")).to_be_disabled()  # the machine's environment wins
        expect(page.get_by_text("Fijado en el servidor")).to_be_visible()
        screen.tap("Agregar turno")
        page.get_by_label("Nombre del turno").fill("Noche")
        page.get_by_label("Desde").fill("22:00")
        page.get_by_label("Hasta").fill("06:00")
        expect(page.get_by_text("Termina al día siguiente.")).to_be_visible()
        screen.tap("Guardar")
        expect(page.get_by_text("Guardado. Vale en todo el taller")).to_be_visible()
        history = card(page, "Quién cambió qué")
        expect(history.get_by_text("Maestranza Norte")).to_be_visible()
        expect(history.get_by_text("Noche Lu–Vi 22:00–06:00")).to_be_visible()
        expect(history.get_by_text("AD(1)").first).to_be_visible()
        page.reload()
        expect(page.get_by_label("Nombre del taller")).to_have_value("Maestranza Norte")


def test_a_backup_is_made_now_and_downloaded(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_administrator(screen, "/administracion/respaldo")
        screen.tap("Respaldar ahora")
        expect(page.get_by_text("Respaldo hecho y comprobado.")).to_be_visible()
        expect(card(page, "Último respaldo").get_by_text("al día", exact=True)).to_be_visible()
        with page.expect_download() as download:
            card(page, "Respaldos guardados").get_by_role("link", name="Descargar").first.click()
        assert download.value.path().read_bytes()[:2] == b"\x1f\x8b"  # gzip


def test_the_keys_are_written_under_a_passphrase(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_administrator(screen, "/administracion/respaldo")
        keys = card(page, "Claves del taller")
        expect(keys.get_by_text("sin respaldar", exact=True)).to_be_visible()
        expect(keys.get_by_text("Los PIN: nadie puede entrar.")).to_be_visible()
        keys.get_by_role("button", name="Respaldar las claves").click()
        write = keys.get_by_role("button", name="Respaldar las claves")
        keys.get_by_label("Frase", exact=True).fill("corta")
        expect(keys.get_by_text("La frase necesita al menos 12 caracteres.")).to_be_visible()
        keys.get_by_label("Frase", exact=True).fill(PHRASE)
        keys.get_by_label("La misma frase otra vez").fill("otra")
        expect(keys.get_by_text("Las dos frases no son iguales.")).to_be_visible()
        expect(write).to_be_disabled()
        keys.get_by_label("La misma frase otra vez").fill(PHRASE)
        refused = iter([{"code": "PIN_REQUERIDO", "detail": "Su PIN otra vez.", "status": 403}])
        page.route("**/api/respaldos/claves", lambda route: refuse_once(route, refused))
        write.click()
        type_pin(page)  # the pad opens, and what was asked for is repeated
        expect(keys.get_by_text("respaldadas", exact=True)).to_be_visible()
        with page.expect_download() as download:
            keys.get_by_role("link", name="Descargar las claves").click()
        assert re.fullmatch(r"carrete-keys-.*\.enc", download.value.suggested_filename)


def refuse_once(route: Route, refused: Iterator[dict[str, object]]) -> None:
    """As if the PIN had been typed long ago."""
    problem = next(refused, None)
    if problem:
        route.fulfill(status=403, content_type="application/problem+json", body=json.dumps(problem))
    else:
        route.continue_()


def test_the_system_page_says_what_doctor_says_in_both_languages(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as screen:
        page = as_administrator(screen, "/administracion/sistema")
        expect(card(page, "Versiones").get_by_text("SQLite")).to_be_visible()
        checks = page.locator("[data-check]")
        checks.first.wait_for()
        spanish = checks.all_inner_texts()
        page.evaluate("localStorage.setItem('carrete.language', 'en')")
        page.reload()
        expect(card(page, "Versions").get_by_text("SQLite")).to_be_visible()
        assert checks.all_inner_texts() != spanish


def make_administrator(page: Page) -> None:
    page.get_by_label("Su número de trabajador").fill("500")
    page.get_by_label("Nombre", exact=True).fill("Ana")
    page.get_by_label("Apellido").fill("Díaz")
    page.get_by_label("PIN de 6 dígitos").fill(PIN)
    page.get_by_label("El mismo PIN otra vez").fill(PIN)
    page.get_by_label("Nombre de este equipo").fill("Oficina")
    page.get_by_role("button", name="Crear administrador").click()


def test_the_first_start_leads_through_four_steps_and_is_taken_up_again(tablets: Tablets, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    migrated(url)
    ledger = open_database(url)
    file = write_workbook(tmp_path / "spools.xlsx", Operaciones=spool_rows(ONE))
    with running_server(url, tmp_path, settings={"CARRETE_ACCESS": "pin"}) as server:
        with ledger.writing() as tx:
            code = setup.make_code(tx, at=datetime.now(UTC))
        with tablets.one(server.url, allow=LOST) as screen, tablets.one(server.url, allow=LOST) as tablet:
            page = screen.open(f"/configurar#{code}")
            make_administrator(page)
            page.get_by_role("link", name="Seguir con el taller").click()
            steps = page.get_by_role("list", name="Primeros pasos")
            expect(steps.locator("[aria-current=step]")).to_contain_text("El taller")

            screen.tap("Ahora no")  # left for later
            expect(steps.locator("[aria-current=step]")).to_contain_text("Los spools")
            page.set_input_files("input[type=file]", file)
            page.get_by_role("button", name="Importar 1 cambio").click()
            screen.tap("Sí, importar")
            expect(steps.get_by_text("(listo)")).to_have_count(2)

            page = screen.open("/administracion")  # away, and back
            expect(page.get_by_text("Primeros pasos: 2 de 4")).to_be_visible()
            page.get_by_role("link", name="Continuar").click()
            expect(steps.locator("[aria-current=step]")).to_contain_text("El taller")
            page.get_by_label("Nombre del taller").fill("Maestranza Norte")
            screen.tap("Guardar y seguir")
            expect(steps.locator("[aria-current=step]")).to_contain_text("Los spools")
            expect(page.get_by_text("Qué spools hay.")).to_be_in_viewport()  # not hidden above the button
            screen.tap("Seguir")
            expect(steps.locator("[aria-current=step]")).to_contain_text("El primer tablet")
            page.get_by_label("Nombre del equipo").fill("Tablet 1")
            screen.tap("Inscribir un equipo")
            address = page.get_by_text(re.compile("/inscribir#")).inner_text()
            new = tablet.open(address.removeprefix(server.url))
            page.get_by_role("button", name="Sí, es ese").click()
            expect(new.get_by_text("Listo: este equipo es «Tablet 1».")).to_be_visible()
            expect(steps.get_by_text("(listo)")).to_have_count(4)
            screen.tap("Terminar")
            expect(page.get_by_text("El taller está listo.")).to_be_visible()
            expect(screen.open("/administracion").get_by_text("Primeros pasos")).to_have_count(0)
    ledger.close()
