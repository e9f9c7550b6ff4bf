"""*Dispositivos*, *Accesos* and *Integraciones* of the administrator's page."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest
from playwright.sync_api import expect

from carrete.identity.records import DeviceKind
from tests.support.browser import Tablets
from tests.support.builders import a_spool
from tests.support.office import as_administrator, card
from tests.support.people import JS, LP
from tests.support.pin_shop import AD, PinShop, face, pin_shop, sign_in, type_pin
from tests.support.signing_in import WRONG_PIN

ONE = "MK-1335-CW-25238-001"


@pytest.fixture
def shop(tablets: Tablets, tmp_path: Path) -> Iterator[PinShop]:
    with pin_shop(tablets, tmp_path, [a_spool(ONE)]) as running:
        yield running


def test_a_device_is_renamed_and_the_former_address_still_leads_here(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as office, shop.tablet() as tablet:
        tablet.open()
        face(tablet, LP).wait_for()
        page = as_administrator(office, "/equipos")
        assert page.url.endswith("/administracion/dispositivos")
        devices = page.get_by_role("list", name="Equipos").get_by_role("listitem")
        expect(devices).to_have_count(2)
        expect(devices.filter(has_text="Este equipo")).to_have_count(1)
        other = devices.filter(has_text="Visto hace menos de 1 min").filter(has_not_text="Este equipo")
        other.get_by_role("button", name="Renombrar").click()
        page.get_by_role("dialog").get_by_label("Nombre del equipo").fill("Nave 2")
        office.tap("Renombrar")
        expect(devices.filter(has_text="Nave 2")).to_have_count(1)
        devices.filter(has_text="Nave 2").get_by_role("button", name="Revocar").click()
        office.tap("Revocar")
        expect(devices).to_have_count(1)
        office.tap("Ver 1 revocado")
        expect(page.get_by_role("list", name="Revocados").get_by_text(f"por {AD.label}")).to_be_visible()


def test_a_device_that_waits_is_confirmed_although_the_page_was_reloaded_meanwhile(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as office, shop.tablet(kind=None) as tablet:
        page = as_administrator(office, "/administracion/dispositivos")
        page.get_by_label("Nombre del equipo").fill("Tablet 4")
        office.tap("Inscribir un equipo")
        address = page.get_by_text("/inscribir#").inner_text()
        page.reload()
        expect(page.get_by_role("button", name="Inscribir un equipo")).to_be_visible()
        new = tablet.open(address.removeprefix(shop.server.url))
        number = new.get_by_role("status").filter(has_text=re.compile(r"^\d{4}$"))
        expect(number).to_be_visible()
        page.reload()
        expect(page.get_by_text(f"¿Muestra el número {number.inner_text()}?")).to_be_visible()
        office.tap("Sí, es ese")
        expect(page.get_by_text("«Tablet 4» quedó inscrito.")).to_be_visible()
        expect(new.get_by_text("Listo: este equipo es «Tablet 4».")).to_be_visible()


def test_accesses_are_filtered_by_the_address_and_downloaded_as_they_are_shown(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as office, shop.tablet() as tablet:
        tablet.open()
        face(tablet, JS).click()
        type_pin(tablet.page, WRONG_PIN)
        expect(tablet.page.get_by_role("alert")).not_to_be_empty()
        tablet.page.reload()
        sign_in(tablet, LP)
        page = as_administrator(office, f"/administracion/accesos?persona={JS.id}")
        events = page.locator("[data-access]")
        expect(events).to_have_count(1)
        expect(events).to_contain_text("PIN equivocado")
        expect(events).to_contain_text(JS.label)
        with page.expect_download() as download:
            page.get_by_role("link", name="Descargar CSV").click()
        rows = list(csv.DictReader(download.value.path().read_text().splitlines()))
        assert [(row["tipo"], row["persona"]) for row in rows] == [("PIN_INCORRECTO", JS.label)]
        office.tap("Quitar filtro")
        expect(events).to_have_count(3)
        page.get_by_label("Qué").select_option("ENTRO")
        expect(events).to_have_count(2)
        assert page.url.endswith("/administracion/accesos?tipo=ENTRO")
        page.get_by_label("Hasta").fill("2020-01-01")
        expect(page.get_by_text("No hay accesos con ese filtro.")).to_be_visible()


def test_a_token_is_shown_once_works_and_is_revoked(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as office:
        page = as_administrator(office, "/administracion/integraciones")
        office.tap("Crear token")
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Para qué sistema").fill("ERP")
        office.tap("Crear token")
        secret = dialog.get_by_text("carrete_").inner_text()
        headers = {"Authorization": f"Bearer {secret}"}
        assert httpx.get(f"{shop.server.url}/api/spools", headers=headers).status_code == 200
        office.tap("Ya está, cerrar")
        expect(page.get_by_text("carrete_")).to_have_count(0)
        tokens = page.get_by_role("list", name="Tokens").get_by_role("listitem")
        expect(tokens).to_contain_text("Leer")
        tokens.get_by_role("button", name="Revocar").click()
        office.tap("Revocar")
        expect(tokens.get_by_text("Revocado", exact=True)).to_be_visible()
        assert httpx.get(f"{shop.server.url}/api/spools", headers=headers).status_code == 401


@pytest.fixture
def listener() -> Iterator[tuple[str, list[dict[str, object]]]]:
    """Another system that receives conflicts: its address, and the messages it got."""
    received: list[dict[str, object]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/conflictos", received
    server.shutdown()
    server.server_close()


def test_the_address_for_conflicts_is_saved_and_tried(
    shop: PinShop, listener: tuple[str, list[dict[str, object]]]
) -> None:
    address, received = listener
    with shop.tablet(kind=DeviceKind.OFICINA) as office:
        page = as_administrator(office, "/administracion/integraciones")
        webhook = card(page, "Aviso de conflictos")
        webhook.get_by_label("Dirección").fill("esto no es una dirección")
        office.tap("Guardar dirección")
        expect(webhook.get_by_role("alert")).to_be_visible()
        webhook.get_by_label("Dirección").fill(address)
        expect(page.get_by_role("button", name="Probar")).to_be_disabled()  # what is tried is what is saved
        office.tap("Guardar dirección")
        expect(page.get_by_text("Dirección guardada")).to_be_visible()
        office.tap("Probar")
        expect(webhook.get_by_text("Respondió 204.")).to_be_visible()
        assert [each["code"] for each in received] == ["PRUEBA"]
        webhook.get_by_label("Dirección").fill("http://127.0.0.1:9/nadie")
        office.tap("Guardar dirección")
        expect(page.get_by_role("button", name="Probar")).to_be_enabled()
        office.tap("Probar")
        expect(webhook.get_by_text("No se pudo entregar")).to_be_visible()
