"""*Integraciones*: addresses that are told what happens, as an administrator sees and changes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from carrete.identity.records import DeviceKind
from carrete.ledger.database import Database
from carrete.webhooks import registry
from carrete.webhooks.deliveries import Progress, save
from carrete.webhooks.formats import WebhookFormat
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.message import new_message
from carrete.webhooks.registry import AddressFields
from tests.support.browser import Tablets, complaints
from tests.support.builders import a_finished_spool
from tests.support.gated import eventually
from tests.support.office import as_administrator, card
from tests.support.people import MI
from tests.support.pin_shop import AD, PinShop, pin_shop
from tests.support.quality import inspect
from tests.support.signed_in import EnrolledTablet, enrol
from tests.support.webhook_receiver import ReceiverAnswer, webhook_receiver

ONE = "MK-1335-CW-25238-001"
ENGLISH = 'localStorage.setItem("carrete.language", "en")'
ARRIVES_S_MAX = 30.0
PATH = "/administracion/integraciones"
NOTICES = "Avisos a otros sistemas"


@pytest.fixture(scope="module")
def shop(tablets: Tablets, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PinShop]:
    with pin_shop(tablets, tmp_path_factory.mktemp("webhooks"), [a_finished_spool(ONE)]) as running:
        yield running


@pytest.fixture(scope="module")
def looked_at(tablets: Tablets, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PinShop]:
    """A shop with an address in each state."""
    with pin_shop(tablets, tmp_path_factory.mktemp("states"), []) as running:
        in_every_state(running.database)
        yield running


def in_every_state(database: Database) -> None:
    now = datetime.now(UTC)
    with database.writing() as tx:
        for name, form in (
            ("Calidad", "json"),
            ("Sala de control", "slack"),
            ("Bodega", "teams"),
            ("Turno", "telegram"),
        ):
            fields = AddressFields(
                name, "https://hooks.example.com/x?chat_id=1", WebhookFormat(form), frozenset(WebhookKind)
            )
            made = registry.add(tx, fields, now, AD.id)
            progress = Progress(made.id, 0)
            progress.succeed(now - timedelta(minutes=5))
            if name != "Calidad":
                message = new_message(WebhookKind.RECHAZADO, f"{ONE} fue rechazado por MI(12).", now, ONE)
                later = now + timedelta(days=1)
                progress.fail_event(message, later, later, now, "el receptor respondió 500", park=name == "Bodega")
            save(tx, progress)
            if name == "Turno":
                registry.disable(tx, made.id, now, stopped="el receptor respondió 410: ya no existe.")


def test_an_administrator_adds_tries_and_deletes_an_address_and_a_rejection_arrives(shop: PinShop) -> None:
    with webhook_receiver() as receiver, shop.tablet(kind=DeviceKind.OFICINA) as office:
        page = as_administrator(office, PATH)
        notices = card(page, NOTICES)
        expect(notices.get_by_text("Ningún otro sistema recibe avisos.")).to_be_visible()
        office.tap("Agregar aviso")
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Nombre").fill("Calidad")
        dialog.get_by_label("Dirección del receptor").fill(receiver.url)
        office.tap("Guardar")
        expect(dialog.get_by_role("alert")).to_contain_text("127.0.0.1 es privada")
        office.tap("Permitir una dirección de la red privada")
        office.tap("Guardar")
        secret = dialog.get_by_text("whsec_").inner_text()
        office.tap("Ya está, cerrar")
        row = notices.get_by_role("listitem").filter(has_text="Calidad")
        expect(row).to_contain_text("Nada entregado aún")
        assert secret not in page.content()
        office.tap("Probar Calidad")
        expect(row.get_by_text("Respondió 200.")).to_be_visible()
        assert [each.json["tipo"] for each in receiver.received] == ["prueba"]

        with shop.server.client() as client:
            inspector = EnrolledTablet(client.request, enrol(shop.database), shop.database)
            inspector.begin(MI.id)
            assert inspect(inspector, "RECHAZADO", ONE).status_code == 200
        eventually(lambda: len(receiver.received) == 2, ARRIVES_S_MAX)
        assert receiver.received[1].json["tag_spool"] == ONE
        page.reload()
        expect(row).to_contain_text("Entregó")

        receiver.answers = lambda _: ReceiverAnswer(302, {"location": "http://10.0.0.1/"})
        office.tap("Probar Calidad")
        expect(row.get_by_text("el receptor redirige a otra dirección (302), y no se sigue")).to_be_visible()
        office.tap("Editar Calidad")
        dialog.get_by_label("Nombre").fill("Control de calidad")
        dialog.get_by_label("Formato").select_option("slack")
        office.tap("Guardar")
        expect(notices.get_by_text("Control de calidad")).to_be_visible()
        office.tap("Desactivar Control de calidad")
        expect(notices.get_by_text("Desactivado", exact=True)).to_be_visible()
        office.tap("Borrar Control de calidad")
        office.tap("Borrar")
        expect(notices.get_by_text("Ningún otro sistema recibe avisos.")).to_be_visible()


def test_a_parked_notice_is_shown_with_its_reason_and_sent_again(shop: PinShop) -> None:
    with webhook_receiver() as receiver, shop.tablet(kind=DeviceKind.OFICINA) as office:
        now = datetime.now(UTC).replace(microsecond=0)
        with shop.database.writing() as tx:
            fields = AddressFields(
                "Bodega", receiver.url, WebhookFormat.JSON, frozenset(WebhookKind), allow_private=True
            )
            made = registry.add(tx, fields, now, AD.id)
            progress = Progress(made.id, made.event_seq)
            message = new_message(WebhookKind.ATRASADO, f"{ONE} espera hace 3 días.", now, ONE)
            progress.fail_event(message, now, now, now, "el receptor respondió 500", park=True)
            save(tx, progress)
        notices = card(as_administrator(office, PATH), NOTICES)
        expect(notices.get_by_text("1 aviso quedó sin entregar:")).to_be_visible()
        expect(notices.get_by_text("1 intentos · el receptor respondió 500")).to_be_visible()
        office.tap("Enviar de nuevo Bodega")
        eventually(lambda: [each.id for each in receiver.accepted] == [message.id], ARRIVES_S_MAX)
        expect(notices.get_by_text("1 aviso quedó sin entregar:")).to_have_count(0)
        with shop.database.writing() as tx:
            registry.delete(tx, made.id)


def the_list(page: Page) -> None:
    page.locator("[data-webhook]").nth(3).wait_for()


def a_new_one(page: Page) -> None:
    page.get_by_role("button", name="Agregar aviso").or_(page.get_by_role("button", name="Add a notice")).click()
    page.get_by_role("dialog").get_by_role("combobox").select_option("telegram")


def a_change(page: Page) -> None:
    page.get_by_role("button", name="Editar Bodega").or_(page.get_by_role("button", name="Edit Bodega")).click()


def a_secret(page: Page) -> None:
    a_new_one(page)
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").first.fill("Prueba")
    dialog.get_by_role("textbox").nth(1).fill("https://hooks.example.com/x?chat_id=1")
    dialog.get_by_role("button", name="Guardar").or_(dialog.get_by_role("button", name="Save")).click()
    page.get_by_text("whsec_").wait_for()


PAGES: dict[str, Callable[[Page], None]] = {"list": the_list, "new": a_new_one, "edit": a_change, "secret": a_secret}


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("name", PAGES)
def test_notices_to_other_systems_are_accessible(looked_at: PinShop, name: str, language: str) -> None:
    script = ENGLISH if language == "en" else ""
    with looked_at.tablet(kind=DeviceKind.OFICINA, for_axe=True, script=script) as screen:
        PAGES[name](as_administrator(screen, PATH))
        assert complaints(screen) == []
