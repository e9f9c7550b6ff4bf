"""The first start, enrolling devices, and what a device sees that the shop does not know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from carrete.identity import setup
from carrete.identity.records import DeviceKind
from carrete.ledger import open_database
from tests.conftest import migrated
from tests.support.browser import Tablets, small_targets
from tests.support.builders import a_spool, put
from tests.support.people import LP
from tests.support.pin_shop import AD, LOST, PinShop, face, pin_shop, sign_in, type_pin
from tests.support.server import running_server
from tests.support.signing_in import PIN

ONE = "MK-1335-CW-25238-001"
CODE = re.compile(r"/inscribir#[\w-]+")


@pytest.fixture(scope="module")
def shop(tablets: Tablets, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PinShop]:
    with pin_shop(tablets, tmp_path_factory.mktemp("enrol"), [a_spool(ONE)]) as running:
        yield running


def make_code(page: Page, name: str, kind: str) -> str:
    """As the administrator; the path of the new device's page."""
    page.get_by_label("Nombre del equipo").fill(name)
    page.get_by_role("button", name=kind, exact=True).click()
    page.get_by_role("button", name="Inscribir un equipo", exact=True).click()
    expect(page.get_by_role("img", name="Código QR de inscripción")).to_be_visible()
    found = CODE.search(page.locator("main").inner_text())
    assert found is not None
    return found[0]


def test_a_device_that_the_shop_does_not_know_is_told_what_to_do(shop: PinShop) -> None:
    with shop.tablet(kind=None) as screen:
        for path in ("/", "/trabajo/ARM", "/tablero", "/supervision"):
            page = screen.open(path)
            expect(page.get_by_role("heading", name="Este equipo no está inscrito en el taller")).to_be_visible()
            expect(page.get_by_text("Pida a un administrador")).to_be_visible()
            expect(page.get_by_text(ONE)).to_have_count(0)


def test_a_tablet_is_enrolled_by_its_qr_code_and_the_number_that_both_show(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as office, shop.tablet(kind=None) as tablet:
        page = office.open("/equipos")
        face(office, AD).click()
        type_pin(page)
        path = make_code(page, "Tablet nave 2", "Tablet")
        new = tablet.open(path)
        number = new.get_by_role("status").filter(has_text=re.compile(r"^\d{4}$"))
        expect(number).to_be_visible()
        assert "#" not in new.url  # the code stays in no history
        expect(page.get_by_role("heading", name="¿El equipo nuevo muestra este número?")).to_be_visible()
        expect(page.get_by_text(number.inner_text(), exact=True)).to_be_visible()
        page.get_by_role("button", name="Sí, es ese").click()
        expect(page.get_by_text("«Tablet nave 2» quedó inscrito.")).to_be_visible()
        expect(new.get_by_text("Listo: este equipo es «Tablet nave 2».")).to_be_visible()
        sign_in(tablet, LP)  # it goes on by itself
        tablet.row(ONE).wait_for()


def test_a_wall_board_is_enrolled_and_shows_only_the_board(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as office, shop.tablet(kind=None) as wall:
        page = office.open("/equipos")
        face(office, AD).click()
        type_pin(page)
        new = wall.open(make_code(page, "Muro", "Tablero"))
        page.get_by_role("button", name="Sí, es ese").click()
        expect(new.get_by_text("¿Quién tiene qué spool ahora?")).to_be_visible()
        expect(wall.open("/").get_by_role("heading", name="está inscrito como tablero")).to_be_visible()
        assert small_targets(new) == []
        wall.page.get_by_role("link", name="Ver el tablero").click()
        expect(new.get_by_text("¿Quién tiene qué spool ahora?")).to_be_visible()


def test_a_link_works_also_in_a_tab_that_shows_its_page_already(shop: PinShop) -> None:
    with shop.tablet(kind=None) as stranger:
        page = stranger.open("/inscribir")
        expect(page.get_by_text("Lea con este equipo el código QR")).to_be_visible()
        page.evaluate("location.hash = 'un-codigo-que-no-existe'")
        expect(page.get_by_role("alert")).not_to_be_empty()
        assert "#" not in page.url
        page.get_by_role("link", name="Volver").click()
        expect(page.get_by_role("heading", name="Este equipo no está inscrito en el taller")).to_be_visible()


def test_after_a_wrong_setup_code_of_a_link_another_one_can_be_typed(shop: PinShop) -> None:
    with shop.tablet(kind=None) as stranger:
        page = stranger.open("/configurar#AAAA-BBBB")
        expect(page.get_by_role("heading", name="Crear un administrador")).to_be_visible()
        expect(page.get_by_label("Código de configuración")).to_have_count(0)
        page.get_by_label("Su número de trabajador").fill("77")
        page.get_by_label("PIN de 6 dígitos").fill("111111")
        page.get_by_label("El mismo PIN otra vez").fill("111111")
        page.get_by_label("Nombre de este equipo").fill("Oficina")
        page.get_by_role("button", name="Crear administrador").click()
        expect(page.get_by_label("Código de configuración")).to_have_value("AAAA-BBBB")
        expect(page.get_by_text("pin:")).to_have_count(0)


def test_a_code_works_once(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as office, shop.tablet(kind=None) as one, shop.tablet(kind=None) as two:
        page = office.open("/equipos")
        face(office, AD).click()
        type_pin(page)
        path = make_code(page, "Tablet 9", "Tablet")
        expect(one.open(path).get_by_text("Muestre este número al administrador:")).to_be_visible()
        expect(two.open(path).get_by_role("alert")).not_to_be_empty()
        page.get_by_role("button", name="No, cancelar").click()
        expect(page.get_by_role("button", name="Inscribir un equipo", exact=True)).to_be_visible()


def test_a_stolen_tablet_is_revoked_and_shows_nothing_more_by_itself(shop: PinShop) -> None:
    with shop.tablet(kind=DeviceKind.OFICINA) as office, shop.tablet() as tablet:
        stolen = tablet.open()
        sign_in(tablet, LP)
        tablet.row(ONE).wait_for()
        page = office.open("/equipos")
        face(office, AD).click()
        type_pin(page)
        tablets = page.get_by_role("list", name="Equipos").get_by_role("listitem").filter(has_text="Tablet")
        tablets.last.get_by_role("button", name="Revocar").wait_for()
        for _ in range(tablets.count()):
            tablets.first.get_by_role("button", name="Revocar").click()
            before = tablets.count()
            office.tap("Revocar")
            expect(tablets).to_have_count(before - 1)
        expect(stolen.get_by_role("heading", name="Este equipo no está inscrito en el taller")).to_be_visible()
        expect(stolen.get_by_text(ONE)).to_have_count(0)


def test_an_enrolled_device_does_not_lose_its_place_to_a_code_by_accident(shop: PinShop) -> None:
    with shop.tablet() as screen:
        page = screen.open("/inscribir#otro-codigo")
        expect(page.get_by_role("button", name="Inscribirlo de nuevo con el código")).to_be_visible()
        screen.open("/")
        face(screen, LP).wait_for()


def test_the_first_administrator_is_made_with_the_setup_code_and_enrols_a_tablet(
    tablets: Tablets, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    migrated(url)
    ledger = open_database(url)
    put(ledger, [a_spool(ONE)], [LP])
    with running_server(url, tmp_path, settings={"CARRETE_ACCESS": "pin"}) as server:
        with ledger.writing() as tx:
            code = setup.make_code(tx, at=datetime.now(UTC))
        with tablets.one(server.url, allow=LOST) as screen, tablets.one(server.url, allow=LOST) as tablet:
            page = screen.open()
            expect(page.get_by_role("heading", name="Carrete todavía no tiene administrador")).to_be_visible()
            page = screen.open(f"/configurar#{code}")
            page.get_by_label("Su número de trabajador").fill("500")
            page.get_by_label("Nombre", exact=True).fill("Ana")
            page.get_by_label("Apellido").fill("Díaz")
            page.get_by_label("PIN de 6 dígitos").fill(PIN)
            page.get_by_label("El mismo PIN otra vez").fill("111111")
            expect(page.get_by_text("Los dos PIN no son iguales.")).to_be_visible()
            page.get_by_label("El mismo PIN otra vez").fill(PIN)
            page.get_by_label("Nombre de este equipo").fill("Oficina")
            page.get_by_role("button", name="Crear administrador").click()
            expect(page.get_by_text("AD(500) es administrador.")).to_be_visible()
            page.get_by_role("link", name="Seguir con el taller").click()
            page.get_by_role("button", name="El primer tablet").click()
            new = tablet.open(make_code(page, "Tablet 1", "Tablet"))
            page.get_by_role("button", name="Sí, es ese").click()
            expect(new.get_by_text("Listo: este equipo es «Tablet 1».")).to_be_visible()
    ledger.close()
