"""What an administrator does with webhooks, in a whole process: the messages arrive by themselves."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from carrete.domain.workers import Rol
from carrete.identity.records import DeviceKind
from carrete.ledger.database import Database
from carrete.settings import Settings
from carrete.webhooks import registry
from carrete.webhooks.checks import problems
from carrete.webhooks.delivery import WebhookDelivery
from carrete.webhooks.formats import WebhookFormat
from carrete.webhooks.signature import signed_headers
from carrete.webhooks.timings import ADDRESSES_MAX, WebhookTimings
from tests.support.answers import refused
from tests.support.builders import a_finished_spool, a_spool, a_worker, put
from tests.support.machines import wait_for
from tests.support.people import CREW, LP, MI, MR
from tests.support.signed_in import EnrolledTablet, IdentityShop, change_session, identity_shop
from tests.support.signing_in import access_kinds
from tests.support.webhook_receiver import ReceiverAnswer, WebhookReceiver
from tests.support.webhook_shop import EVERY_KIND

ADA = a_worker(1, "Ada", "Araya", roles=(Rol.ADMINISTRADOR,))
QUICK = WebhookTimings(look_every_s=0.05, idle_every_s=0.05, flush_every_s=0.05)
TAGS = ("A-1", "A-2")


@pytest.fixture
def shop(
    database: Database, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[IdentityShop]:
    """The waits are shorter than a shop's; the rest is what `carrete serve` runs."""
    monkeypatch.setattr("carrete.services.WebhookDelivery", partial(WebhookDelivery, timings=QUICK))
    settings = Settings(access="pin", database_url=database_url, data=tmp_path, redis_url="off")
    put(database, [a_finished_spool("A-1"), a_spool("A-2")], workers=[ADA, *CREW])
    with identity_shop(settings, database) as opened:
        yield opened


@pytest.fixture
def admin(shop: IdentityShop) -> EnrolledTablet:
    tablet = shop.tablet(DeviceKind.OFICINA)
    tablet.begin(ADA.id)
    return tablet


def floor(shop: IdentityShop, worker_id: int) -> EnrolledTablet:
    tablet = shop.tablet()
    tablet.begin(worker_id)
    return tablet


def body(url: str, **more: Any) -> dict[str, Any]:
    return {"nombre": "Calidad", "url": url, "tipos": sorted(EVERY_KIND), "red_privada": True, **more}


def registered(admin: EnrolledTablet, url: str, **more: Any) -> dict[str, Any]:
    answer = admin.post("/api/webhooks", body(url, **more))
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


def listed(admin: EnrolledTablet) -> dict[str, Any]:
    (found,) = admin.see("/api/webhooks")["webhooks"]
    return dict(found)


def kinds(receiver: WebhookReceiver) -> list[str]:
    return [each.json["tipo"] for each in receiver.accepted]


def until_wanted(shop: IdentityShop) -> None:
    wait_for(lambda: bool(shop.services.webhooks.wanted))


def test_a_rejection_arrives_signed_with_the_secret_that_was_shown_once(
    shop: IdentityShop, admin: EnrolledTablet, receiver: WebhookReceiver
) -> None:
    made = registered(admin, f"{receiver.url}/secret-path?token=no-hex")
    assert made["secreto"].startswith("whsec_")
    before = admin.get("/api/webhooks")
    assert made["secreto"] not in before.text
    assert "secret-path" not in before.text
    assert "no-hex" not in before.text
    inspector = floor(shop, MI.id)
    rejected = inspector.post("/api/metrologia/completar", {"tag_spool": "A-1", "resultado": "RECHAZADO"})
    assert rejected.status_code == 200, rejected.text
    wait_for(lambda: bool(receiver.accepted))
    (got,) = receiver.accepted
    assert (got.json["tipo"], got.json["seq"]) == ("rechazado", rejected.json()["event_seq"])
    assert "via" not in got.json["datos"]["metadata"]
    key = b64decode(made["secreto"].removeprefix("whsec_"))
    assert signed_headers(key, got.id, int(got.headers["webhook-timestamp"]), got.body).items() <= got.headers.items()
    wait_for(lambda: listed(admin)["ultimo_exito_en"] is not None)
    shown = listed(admin)
    assert (shown["url"], shown["creado_por"]) == (f"http://127.0.0.1:{receiver.port}", ADA.label)
    assert (shown["falla"], shown["esperando"], shown["estacionados"]) == (None, 0, 0)


def test_a_refused_take_of_an_occupied_spool_is_delivered(
    shop: IdentityShop, admin: EnrolledTablet, receiver: WebhookReceiver
) -> None:
    registered(admin, receiver.url)
    until_wanted(shop)
    take = {"tag_spool": "A-2", "operacion": "ARM"}
    assert floor(shop, MR.id).post("/api/occupation/tomar", take).status_code == 200
    refused(floor(shop, LP.id).post("/api/occupation/tomar", take), 409, "SPOOL_OCCUPIED")
    wait_for(lambda: bool(receiver.accepted))
    (got,) = receiver.accepted
    assert (got.json["tipo"], got.json["tag_spool"], got.json["seq"]) == ("ocupado", "A-2", None)
    assert (got.json["datos"]["owner"], got.json["datos"]["worker_id"]) == (MR.label, LP.id)


def test_a_locked_pin_and_a_new_device_are_delivered(
    shop: IdentityShop, admin: EnrolledTablet, receiver: WebhookReceiver
) -> None:
    registered(admin, receiver.url, tipos=["pin_bloqueado", "dispositivo_inscrito"])
    tablet = shop.tablet()
    with shop.database.writing() as tx:
        for _ in range(9):
            tx.run("pin_failure_insert", who=f"w:{MR.id}", device_id=tablet.device.id, at="2026-01-01T00:00:00+00:00")
    refused(tablet.sign_in(MR.id, "000000"), 401, "PIN_INCORRECTO")
    code = admin.post("/api/dispositivos/inscripciones", {"nombre": "Tablet 9", "tipo": "tablet"}).json()
    used = shop.stranger().post("/api/dispositivos/inscripciones/usar", {"codigo": code["codigo"]})
    confirmed = admin.post(f"/api/dispositivos/inscripciones/{code['id']}/confirmar", {"numero": used.json()["numero"]})
    assert confirmed.status_code == 200, confirmed.text
    wait_for(lambda: len(receiver.accepted) == 2)
    assert sorted(kinds(receiver)) == ["dispositivo_inscrito", "pin_bloqueado"]
    texts = {each.json["tipo"]: each.json["texto"] for each in receiver.accepted}
    assert texts["pin_bloqueado"].startswith(f"El PIN de {MR.label} quedó bloqueado en {tablet.device.name}")
    assert texts["dispositivo_inscrito"] == "Se inscribió el dispositivo Tablet 9 (tablet)."


def test_a_failed_copy_is_delivered(
    shop: IdentityShop, admin: EnrolledTablet, receiver: WebhookReceiver, tmp_path: Path
) -> None:
    registered(admin, receiver.url)
    (tmp_path / "backups").write_text("in the way of the folder")
    refused(admin.post("/api/respaldos", {}), 503, "RESPALDO_FALLIDO")
    wait_for(lambda: "respaldo_fallido" in kinds(receiver))


def test_the_test_button_says_what_the_receiver_answered(admin: EnrolledTablet, receiver: WebhookReceiver) -> None:
    made = registered(admin, receiver.url)
    tried = admin.post(f"/api/webhooks/{made['id']}/probar", {}).json()
    assert tried == {"ok": True, "estado": 200, "mensaje": "Respondió 200."}
    assert kinds(receiver) == ["prueba"]
    receiver.answers = lambda _: ReceiverAnswer(302, {"location": "http://169.254.169.254/"})
    tried = admin.post(f"/api/webhooks/{made['id']}/probar", {}).json()
    assert (tried["ok"], tried["estado"]) == (False, 302)
    assert "no se sigue" in tried["mensaje"]
    admin.post(f"/api/webhooks/{made['id']}/editar", {"url": "http://no-such-host.invalid/"})
    tried = admin.post(f"/api/webhooks/{made['id']}/probar", {}).json()
    assert tried == {
        "ok": False,
        "estado": None,
        "mensaje": "No se pudo entregar: no se encontró ese nombre de servidor.",
    }


def test_a_private_address_is_refused_when_it_is_saved(admin: EnrolledTablet, receiver: WebhookReceiver) -> None:
    problem = refused(admin.post("/api/webhooks", body(receiver.url, red_privada=False)), 422, "DATOS_INVALIDOS")
    assert "127.0.0.1 es privada" in problem["detail"]
    made = registered(admin, receiver.url)
    answer = admin.post(f"/api/webhooks/{made['id']}/editar", {"red_privada": False})
    refused(answer, 422, "DATOS_INVALIDOS")
    assert listed(admin)["red_privada"] is True


def test_an_address_is_edited_disabled_enabled_and_deleted(
    shop: IdentityShop, admin: EnrolledTablet, receiver: WebhookReceiver
) -> None:
    made = registered(admin, receiver.url)
    path = f"/api/webhooks/{made['id']}"
    edited = admin.post(f"{path}/editar", {"nombre": "Otro", "tipos": ["relevo"], "formato": "slack"})
    assert edited.status_code == 200, edited.text
    shown = listed(admin)
    assert (shown["nombre"], shown["tipos"], shown["formato"]) == ("Otro", ["relevo"], "slack")
    admin.post(f"{path}/desactivar", {})
    assert listed(admin)["activo"] is False
    admin.post(f"{path}/activar", {})
    assert listed(admin)["activo"] is True
    admin.post(f"{path}/borrar", {})
    assert admin.see("/api/webhooks")["webhooks"] == []
    for what in ("editar", "probar", "activar", "desactivar", "borrar", "reintentar", "descartar"):
        refused(admin.post(f"{path}/{what}", {}), 404, "NO_ENCONTRADO")
    assert access_kinds(shop.database).count("WEBHOOK_CAMBIADO") == 5


def test_parked_messages_are_shown_and_sent_again_or_dropped(
    shop: IdentityShop, admin: EnrolledTablet, receiver: WebhookReceiver
) -> None:
    receiver.is_down = True
    made = registered(admin, receiver.url)
    path = f"/api/webhooks/{made['id']}"
    inspector = floor(shop, MI.id)
    inspector.post("/api/metrologia/completar", {"tag_spool": "A-1", "resultado": "RECHAZADO"})
    wait_for(lambda: listed(admin)["esperando"] == 1)
    with shop.database.writing() as tx:
        tx.execute("UPDATE webhook_delivery SET give_up_at = '2026-01-01T00:00:00+00:00'")
    wait_for(lambda: listed(admin)["estacionados"] == 1)
    (parked,) = listed(admin)["ultimos_estacionados"]
    assert (parked["tipo"], parked["tag_spool"]) == ("rechazado", "A-1")
    assert parked["motivo"]
    (bad, *_) = problems(shop.database)
    assert "Calidad did not take 1 messages" in bad.what.en
    receiver.is_down = False
    assert admin.post(f"{path}/reintentar", {}).json()["mensajes"] == 1
    wait_for(lambda: kinds(receiver) == ["rechazado"])
    wait_for(lambda: listed(admin)["esperando"] == 0)
    assert admin.post(f"{path}/descartar", {}).json()["mensajes"] == 0


def test_only_an_administrator_with_a_fresh_pin_registers_or_changes_an_address(
    shop: IdentityShop, admin: EnrolledTablet, receiver: WebhookReceiver
) -> None:
    made = registered(admin, receiver.url)
    refused(floor(shop, MI.id).get("/api/webhooks"), 403, "PERMISO_INSUFICIENTE")
    change_session(shop.database, admin.session_id, pin_at=datetime.now(UTC) - timedelta(minutes=6))
    shop.forget_lookups()
    refused(admin.post("/api/webhooks", body(receiver.url)), 403, "PIN_REQUERIDO")
    refused(admin.post(f"/api/webhooks/{made['id']}/editar", {"nombre": "Otro"}), 403, "PIN_REQUERIDO")
    assert admin.post(f"/api/webhooks/{made['id']}/desactivar", {}).status_code == 200


def test_wrong_bodies_are_refused_and_there_is_an_end_to_addresses(
    shop: IdentityShop, admin: EnrolledTablet, receiver: WebhookReceiver
) -> None:
    for wrong in (
        body("ftp://x/y"),
        body("https://x/y", tipos=[]),
        body("https://x/y", tipos=["todo"]),
        body("https://x/y", nombre=" "),
        body("https://x/y", formato="xml"),
        body("https://api.telegram.org/bot1/sendMessage", formato="telegram"),
    ):
        refused(admin.post("/api/webhooks", wrong), 422, "DATOS_INVALIDOS")
    fields = registry.AddressFields("x", receiver.url, WebhookFormat.JSON, EVERY_KIND)
    with shop.database.writing() as tx:
        for _ in range(ADDRESSES_MAX):
            registry.add(tx, fields, datetime.now(UTC), None)
    problem = refused(admin.post("/api/webhooks", body(receiver.url)), 422, "DATOS_INVALIDOS")
    assert f"ya hay {ADDRESSES_MAX}" in problem["detail"]


def test_a_process_that_stops_leaves_its_lease_free(shop: IdentityShop, admin: EnrolledTablet) -> None:
    registered(admin, "http://127.0.0.1:9/")
    wait_for(lambda: shop.services.webhooks.is_leading)
    metrics = shop.sends()("GET", "/metrics").text
    assert "carrete_webhooks_leading 1.0" in metrics
    assert "carrete_webhooks_parked 0.0" in metrics
