"""The routes of administrators and supervisors: devices, people, PINs, tokens, access events."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from carrete.domain.workers import Rol
from carrete.identity.access_events import AccessKind
from carrete.identity.pins import is_obvious
from carrete.identity.records import DeviceKind, TokenScope
from tests.integration.identity.conftest import ADA, PEOPLE
from tests.support.builders import a_worker, put
from tests.support.lookups import token_of_secret
from tests.support.people import IN, JS, LP, MI, MR, SV
from tests.support.signed_in import (
    DEVICE_COOKIE,
    BearerClient,
    EnrolledTablet,
    IdentityShop,
    change_session,
    make_token,
)
from tests.support.signing_in import PIN, access_kinds, give_badge, recorded

BELA = a_worker(3, "Bela", "Bravo", roles=(Rol.ADMINISTRADOR,))


@pytest.fixture
def admin(pin_shop: IdentityShop) -> EnrolledTablet:
    """Ada at the office computer."""
    return signed_in(pin_shop, ADA.id)


@pytest.fixture
def supervisor(pin_shop: IdentityShop) -> EnrolledTablet:
    return signed_in(pin_shop, SV.id)


def signed_in(shop: IdentityShop, worker_id: int) -> EnrolledTablet:
    tablet = shop.tablet(DeviceKind.OFICINA)
    tablet.begin(worker_id)
    return tablet


def ok(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def refused(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def person(tablet: EnrolledTablet, id_: int) -> dict[str, Any]:
    return next(each for each in tablet.see("/api/personas")["personas"] if each["id"] == id_)


def cookie(answer: httpx.Response, name: str) -> str:
    return next(
        value.partition(";")[0].partition("=")[2]
        for value in answer.headers.get_list("set-cookie")
        if value.startswith(name + "=")
    )


# ─── devices ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_tablet_is_enrolled_by_code_and_number(pin_shop: IdentityShop, admin: EnrolledTablet) -> None:
    made = ok(admin.post("/api/dispositivos/inscripciones", {"nombre": "Tablet 3", "tipo": "tablet"}))
    assert made["direccion"] == f"/inscribir#{made['codigo']}"
    new = pin_shop.stranger()
    used = new.post("/api/dispositivos/inscripciones/usar", {"codigo": made["codigo"]})
    number = ok(used)["numero"]
    assert used.json() == {"numero": number}, "the secret is only in the cookie"
    attributes = used.headers["set-cookie"].lower()
    assert all(word in attributes for word in ("httponly", "secure", "samesite=strict", "path=/", "max-age=34560000"))
    new.cookies[DEVICE_COOKIE] = cookie(used, DEVICE_COOKIE)
    assert new.see("/api/acceso")["inscripcion"] == {"numero": number, "estado": "esperando"}
    assert refused(new.get("/api/spools")) == (401, "DISPOSITIVO_NO_INSCRITO")
    (waiting,) = admin.see("/api/dispositivos")["inscripciones"]
    assert (waiting["id"], waiting["numero"], waiting["nombre"]) == (made["id"], number, "Tablet 3")
    wrong = f"{(int(number) + 1) % 10_000:04d}"
    confirm = f"/api/dispositivos/inscripciones/{made['id']}/confirmar"
    assert refused(admin.post(confirm, {"numero": wrong})) == (422, "DATOS_INVALIDOS")
    ok(admin.post(confirm, {"numero": number}))
    assert new.get("/api/spools").status_code == 200
    enrolled = new.see("/api/acceso")
    assert (enrolled["inscripcion"], enrolled["dispositivo"]["nombre"]) == (None, "Tablet 3")
    (listed,) = [each for each in admin.see("/api/dispositivos")["dispositivos"] if each["nombre"] == "Tablet 3"]
    assert listed["inscrito_por"] == ADA.label
    assert refused(admin.post(confirm, {"numero": number})) == (404, "NO_ENCONTRADO")


def test_a_code_is_worth_nothing_twice_or_after_it_was_cancelled(pin_shop: IdentityShop, admin: EnrolledTablet) -> None:
    made = [
        ok(admin.post("/api/dispositivos/inscripciones", {"nombre": name, "tipo": "tablero"}))
        for name in ("Muro", "Otro")
    ]
    new = pin_shop.stranger()
    ok(new.post("/api/dispositivos/inscripciones/usar", {"codigo": made[0]["codigo"]}))
    ok(admin.post(f"/api/dispositivos/inscripciones/{made[1]['id']}/cancelar", {}))
    for each in made:
        again = new.post("/api/dispositivos/inscripciones/usar", {"codigo": each["codigo"]})
        assert refused(again) == (401, "CODIGO_NO_VALIDO")
        assert "set-cookie" not in again.headers


def test_a_revoked_device_and_its_session_end_at_once(pin_shop: IdentityShop, admin: EnrolledTablet) -> None:
    tablet = signed_in(pin_shop, MR.id)
    assert tablet.get("/api/sesion").status_code == 200
    ok(admin.post(f"/api/dispositivos/{tablet.device.id}/revocar", {}))
    assert refused(tablet.get("/api/sesion")) == (401, "DISPOSITIVO_NO_INSCRITO")
    (listed,) = [each for each in admin.see("/api/dispositivos")["dispositivos"] if each["id"] == tablet.device.id]
    assert (listed["revocado_por"], bool(listed["revocado_en"])) == (ADA.label, True)


def test_a_device_is_renamed(admin: EnrolledTablet) -> None:
    ok(admin.post(f"/api/dispositivos/{admin.device.id}/renombrar", {"nombre": "PC jefatura"}))
    assert "PC jefatura" in {each["nombre"] for each in admin.see("/api/dispositivos")["dispositivos"]}
    assert refused(admin.post("/api/dispositivos/d-x/renombrar", {"nombre": "A"})) == (404, "NO_ENCONTRADO")


# ─── people ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_only_an_administrator_sees_badges(
    pin_shop: IdentityShop, admin: EnrolledTablet, supervisor: EnrolledTablet
) -> None:
    give_badge(pin_shop.database, MR.id, "00417")
    assert person(admin, MR.id)["badge"] == "00417"
    seen = person(supervisor, MR.id)
    assert (seen["badge"], seen["label"], seen["tiene_pin"]) == (None, MR.label, True)
    token = pin_shop.token(TokenScope.ADMINISTRAR)
    assert "00417" not in token.get("/api/personas").text


def test_a_supervisor_resets_a_pin_that_then_works_and_ends_the_sessions(
    pin_shop: IdentityShop, supervisor: EnrolledTablet
) -> None:
    tablet = signed_in(pin_shop, MR.id)
    given = ok(supervisor.post(f"/api/personas/{MR.id}/pin", {}))
    assert (len(given["pin"]), given["worker"]["label"]) == (6, MR.label)
    assert not is_obvious(given["pin"])
    assert refused(tablet.get("/api/sesion")) == (401, "SESION_REQUERIDA")
    assert refused(tablet.sign_in(MR.id, PIN)) == (401, "PIN_INCORRECTO")
    assert tablet.sign_in(MR.id, given["pin"]).status_code == 200


def test_a_supervisor_never_gets_the_pin_of_somebody_with_privileges(
    pin_shop: IdentityShop, admin: EnrolledTablet, supervisor: EnrolledTablet
) -> None:
    put(pin_shop.database, workers=[BELA])
    with pin_shop.database.writing() as tx:
        tx.run("role_ask", worker_id=LP.id, rol="Administrador", activo=1)
    for id_ in (ADA.id, MI.id, SV.id, LP.id):
        assert refused(supervisor.post(f"/api/personas/{id_}/pin", {})) == (403, "PERMISO_INSUFICIENTE")
        assert refused(supervisor.post(f"/api/personas/{id_}/pin/desbloquear", {})) == (403, "PERMISO_INSUFICIENTE")
    for id_ in (BELA.id, MI.id, LP.id):
        ok(admin.post(f"/api/personas/{id_}/pin", {}))
        ok(admin.post(f"/api/personas/{id_}/pin/desbloquear", {}))
    assert refused(admin.post(f"/api/personas/{IN.id}/pin", {})) == (403, "WORKER_INACTIVO")
    assert refused(admin.post("/api/personas/404/pin", {})) == (404, "WORKER_NO_ENCONTRADO")
    assert refused(signed_in(pin_shop, MR.id).post(f"/api/personas/{LP.id}/pin", {})) == (403, "PERMISO_INSUFICIENTE")


def test_what_gives_power_needs_the_pin_again(pin_shop: IdentityShop) -> None:
    tablet = pin_shop.tablet(DeviceKind.OFICINA)
    tablet.begin(ADA.id)
    change_session(pin_shop.database, tablet.session_id, pin_at=datetime.now(UTC) - timedelta(minutes=6))
    pin_shop.forget_lookups()
    for path, body in (
        ("/api/tokens", {"nombre": "ERP", "alcances": ["leer"]}),
        ("/api/personas/pins", {}),
        (f"/api/personas/{MR.id}/pin", {}),
        (f"/api/personas/{MR.id}/roles", {"roles": ["Supervisor"]}),
        (f"/api/personas/{MR.id}/privilegios", decision(True)),
    ):
        assert refused(tablet.post(path, body)) == (403, "PIN_REQUERIDO"), path
    ok(tablet.post(f"/api/dispositivos/{pin_shop.tablet().device.id}/revocar", {}))


def test_a_supervisor_unlocks_a_pin(pin_shop: IdentityShop, supervisor: EnrolledTablet) -> None:
    with pin_shop.database.writing() as tx:
        tx.run("pin_lock_insert", who=f"w:{MR.id}", device_id="", at="2026-11-16T11:00:00+00:00")
    assert [lock["dispositivo"] for lock in person(supervisor, MR.id)["bloqueado"]] == [None]
    tablet = pin_shop.tablet()
    assert refused(tablet.sign_in(MR.id)) == (423, "PIN_BLOQUEADO")
    ok(supervisor.post(f"/api/personas/{MR.id}/pin/desbloquear", {}))
    assert person(supervisor, MR.id)["bloqueado"] == []
    assert tablet.sign_in(MR.id).status_code == 200
    (event,) = recorded(pin_shop.database, AccessKind.PIN_DESBLOQUEADO)
    assert event.worker_id == MR.id
    assert recorded(pin_shop.database, AccessKind.PIN_BLOQUEADO) == []


def test_people_are_added_and_get_roles_and_badges(pin_shop: IdentityShop, admin: EnrolledTablet) -> None:
    new = {"id": 300, "nombre": "Rosa", "apellido": "Luna", "roles": ["Armador", "NDT"]}
    assert ok(admin.post("/api/personas", new))["worker"]["label"] == "RL(300)"
    assert refused(admin.post("/api/personas", new)) == (422, "DATOS_INVALIDOS")
    changed = ok(admin.post("/api/personas/300/roles", {"roles": ["Supervisor"]}))
    assert changed["worker"]["roles"] == ["Supervisor"]
    ok(admin.post("/api/personas/300/badge", {"badge": "77"}))
    assert person(admin, 300)["badge"] == "77"
    assert refused(admin.post(f"/api/personas/{MR.id}/badge", {"badge": "77"})) == (422, "DATOS_INVALIDOS")
    ok(admin.post("/api/personas/300/badge", {"badge": None}))
    assert person(admin, 300)["badge"] is None


def test_a_name_is_changed_and_the_label_follows(pin_shop: IdentityShop, admin: EnrolledTablet) -> None:
    new = {"nombre": " Zoila ", "apellido": "Quiroga"}
    assert ok(admin.post(f"/api/personas/{MR.id}/nombre", new))["worker"]["label"] == f"ZQ({MR.id})"
    shown = person(admin, MR.id)
    assert (shown["nombre"], shown["apellido"], shown["activo"]) == ("Zoila", "Quiroga", True)
    (event,) = admin.see("/api/accesos", tipo="ROL_CAMBIADO")["accesos"]
    assert (event["por"], event["detalle"]) == (
        ADA.label,
        f"nombre: {MR.nombre} {MR.apellido} → Zoila Quiroga",
    )
    for wrong in ({**new, "nombre": "  "}, {**new, "apellido": "a\x07"}, {**new, "roles": []}, {"nombre": "Zoila"}):
        assert refused(admin.post(f"/api/personas/{MR.id}/nombre", wrong)) == (422, "DATOS_INVALIDOS")
    assert refused(admin.post("/api/personas/404/nombre", new)) == (404, "WORKER_NO_ENCONTRADO")


@pytest.mark.parametrize("blank", ["\u00a0", "\u2003", "\t", "  "])
def test_two_names_do_not_differ_in_a_blank_that_looks_the_same(admin: EnrolledTablet, blank: str) -> None:
    ok(admin.post(f"/api/personas/{MR.id}/nombre", {"nombre": f"Ana{blank}Paz", "apellido": "Pérez"}))
    assert person(admin, MR.id)["nombre"] == "Ana Paz"


def test_a_name_that_the_workbook_asked_for_no_longer_waits_once_it_is_given_here(
    pin_shop: IdentityShop, admin: EnrolledTablet
) -> None:
    with pin_shop.database.writing() as tx:
        tx.run("worker_change_ask", worker_id=MI.id, nombre="Marta", apellido="Ríos", activo=1, at="2026")
    ok(admin.post(f"/api/personas/{MI.id}/nombre", {"nombre": "Marta", "apellido": "Rey"}))
    assert person(admin, MI.id)["cambio_pendiente"] is not None, "another name than the one that waits"
    ok(admin.post(f"/api/personas/{MI.id}/nombre", {"nombre": "Marta", "apellido": "Ríos"}))
    assert person(admin, MI.id)["cambio_pendiente"] is None


def test_a_deactivated_person_is_out_at_once_and_may_come_back(pin_shop: IdentityShop, admin: EnrolledTablet) -> None:
    tablet = signed_in(pin_shop, MR.id)
    ok(admin.post(f"/api/personas/{MR.id}/desactivar", {}))
    assert refused(tablet.get("/api/sesion")) == (401, "SESION_REQUERIDA")
    assert not person(admin, MR.id)["activo"]
    assert ok(admin.post(f"/api/personas/{MR.id}/activar", {}))["success"]
    assert person(admin, MR.id)["activo"]


def test_the_last_administrator_stays(pin_shop: IdentityShop, admin: EnrolledTablet) -> None:
    assert refused(admin.post(f"/api/personas/{ADA.id}/desactivar", {})) == (409, "ULTIMO_ADMINISTRADOR")
    assert refused(admin.post(f"/api/personas/{ADA.id}/roles", {"roles": []})) == (409, "ULTIMO_ADMINISTRADOR")
    put(pin_shop.database, workers=[BELA])
    ok(admin.post(f"/api/personas/{ADA.id}/roles", {"roles": []}))


def test_a_token_adds_and_deactivates_floor_workers_only(pin_shop: IdentityShop) -> None:
    token = pin_shop.token(TokenScope.ADMINISTRAR)
    new = {"id": 300, "nombre": "Rosa", "apellido": "Luna"}
    assert refused(token.post("/api/personas", {**new, "roles": ["Supervisor"]})) == (403, "PERMISO_INSUFICIENTE")
    ok(token.post("/api/personas", {**new, "roles": ["Armador"]}))
    ok(token.post("/api/personas/300/desactivar", {}))
    assert refused(token.post(f"/api/personas/{SV.id}/desactivar", {})) == (403, "PERMISO_INSUFICIENTE")
    assert refused(token.post("/api/personas/300/pin", {})) == (403, "PERMISO_INSUFICIENTE")


def test_what_the_workbook_asked_for_is_shown_and_decided(pin_shop: IdentityShop, admin: EnrolledTablet) -> None:
    with pin_shop.database.writing() as tx:
        tx.run("role_ask", worker_id=LP.id, rol="Supervisor", activo=1)
        tx.run("role_ask", worker_id=JS.id, rol="NDT", activo=1)
        tx.run("worker_change_ask", worker_id=MI.id, nombre="Marta", apellido="Ríos", activo=1, at="2026")
    waiting = person(admin, LP.id)
    assert (waiting["roles"], waiting["roles_pendientes"]) == (["Armador"], ["Supervisor"])
    change = {"nombre": "Marta", "apellido": "Ríos", "activo": True}
    assert person(admin, MI.id)["cambio_pendiente"] == change
    seen = {LP.id: decision(True, "Supervisor"), MI.id: decision(True, change=change), JS.id: decision(False, "NDT")}
    for id_, body in seen.items():
        ok(admin.post(f"/api/personas/{id_}/privilegios", body))
    assert person(admin, LP.id)["roles"] == ["Armador", "Supervisor"]
    assert (person(admin, MI.id)["apellido"], person(admin, MI.id)["cambio_pendiente"]) == ("Ríos", None)
    assert (person(admin, JS.id)["roles"], person(admin, JS.id)["roles_pendientes"]) == (["Soldador"], [])
    again = admin.post(f"/api/personas/{LP.id}/privilegios", decision(True, "Supervisor"))
    assert refused(again) == (404, "NO_ENCONTRADO")


def test_only_what_the_administrator_saw_is_confirmed(pin_shop: IdentityShop, admin: EnrolledTablet) -> None:
    """Somebody types one more role into the workbook while the administrator decides."""
    with pin_shop.database.writing() as tx:
        tx.run("role_ask", worker_id=LP.id, rol="Metrologia", activo=1)
    seen = decision(True, *person(admin, LP.id)["roles_pendientes"])
    with pin_shop.database.writing() as tx:
        tx.run("role_ask", worker_id=LP.id, rol="Administrador", activo=1)
    answer = admin.post(f"/api/personas/{LP.id}/privilegios", seen)
    assert refused(answer) == (409, "PENDIENTE_DISTINTO")
    assert person(admin, LP.id)["roles"] == ["Armador"]


def decision(confirmed: bool, *roles: str, change: dict[str, object] | None = None) -> dict[str, object]:
    return {"confirmar": confirmed, "roles_pendientes": list(roles), "cambio_pendiente": change}


def test_cards_for_people_without_a_pin_and_for_everybody(pin_shop: IdentityShop, admin: EnrolledTablet) -> None:
    put(pin_shop.database, workers=[a_worker(300, "Rosa", "Luna"), a_worker(301, "Raúl", "Lagos")])
    give_badge(pin_shop.database, 300, "00417")
    first = ok(admin.post("/api/personas/pins", {}))["tarjetas"]
    assert [(card["id"], card["label"], card["badge"]) for card in first] == [
        (300, "RL(300)", "00417"),
        (301, "RL(301)", None),
    ]
    assert pin_shop.tablet().sign_in(300, first[0]["pin"]).status_code == 200
    assert ok(admin.post("/api/personas/pins", {"todos": False}))["tarjetas"] == []
    everybody = ok(admin.post("/api/personas/pins", {"todos": True}))["tarjetas"]
    active = {each.id for each in PEOPLE if each.activo} | {300, 301}
    assert {card["id"] for card in everybody} == active - {ADA.id}
    assert admin.get("/api/sesion").status_code == 200, "whoever prints the cards goes on"


# ─── tokens and access events ─────────────────────────────────────────────────────────────────────────────────


def test_a_token_is_shown_once_works_and_is_revoked(pin_shop: IdentityShop, admin: EnrolledTablet) -> None:
    made = ok(admin.post("/api/tokens", {"nombre": "ERP", "alcances": ["leer"], "dias": 30}))
    with pin_shop.database.reading() as tx:
        assert token_of_secret(tx, made["token"]) is not None
    listed = admin.get("/api/tokens")
    assert made["token"] not in listed.text
    (shown,) = [each for each in listed.json()["tokens"] if each["id"] == made["id"]]
    assert (shown["alcances"], shown["creado_por"], shown["vence"]) == (["leer"], ADA.label, made["vence"])
    bearer = {"Authorization": f"Bearer {made['token']}"}
    assert pin_shop.stranger().send("GET", "/api/spools", headers=bearer).status_code == 200
    ok(admin.post(f"/api/tokens/{made['id']}/revocar", {}))
    assert refused(pin_shop.stranger().send("GET", "/api/spools", headers=bearer)) == (401, "SESION_REQUERIDA")
    for wrong in ({"nombre": "x", "alcances": []}, {"nombre": "x", "alcances": ["todo"]}, {"alcances": ["leer"]}):
        assert refused(admin.post("/api/tokens", wrong)) == (422, "DATOS_INVALIDOS")


def test_access_events_are_listed_filtered_and_paged(pin_shop: IdentityShop, admin: EnrolledTablet) -> None:
    ok(admin.post(f"/api/personas/{MR.id}/pin", {}))
    ok(admin.post(f"/api/personas/{LP.id}/badge", {"badge": "1"}))
    every = admin.see("/api/accesos")
    assert [event["tipo"] for event in every["accesos"]] == ["ROL_CAMBIADO", "PIN_NUEVO", "ENTRO"]
    assert every["next_cursor"] is None
    (pin,) = admin.see("/api/accesos", tipo="PIN_NUEVO")["accesos"]
    assert (pin["persona"], pin["por"], pin["direccion"]) == (MR.label, ADA.label, "127.0.0.1")
    assert len(admin.see("/api/accesos", persona=LP.id)["accesos"]) == 1
    assert len(admin.see("/api/accesos", dispositivo=admin.device.id)["accesos"]) == 1
    assert admin.see("/api/accesos", hasta="2020-01-01")["accesos"] == []
    assert len(admin.see("/api/accesos", desde="2020-01-01")["accesos"]) == 3
    for day in ("1763510400", "20261113", "2026-11-13T10:00:00"):
        assert refused(admin.get("/api/accesos", desde=day)) == (422, "DATOS_INVALIDOS")
    too_early = admin.get("/api/accesos", hasta="1999-12-31")
    assert too_early.json()["detail"] == "hasta: debe ser al menos 2000-01-01."
    first = admin.see("/api/accesos", limit=2)
    second = admin.see("/api/accesos", limit=2, cursor=first["next_cursor"])
    assert [*first["accesos"], *second["accesos"]] == every["accesos"]
    assert second["next_cursor"] is None
    assert refused(admin.get("/api/accesos", tipo="NADA")) == (422, "DATOS_INVALIDOS")


def test_access_events_come_as_csv_without_formulas(admin: EnrolledTablet) -> None:
    ok(admin.post(f"/api/dispositivos/{admin.device.id}/renombrar", {"nombre": "=1+1"}))
    answer = admin.get("/api/accesos", formato="csv")
    assert answer.headers["content-type"].startswith("text/csv")
    header, row = csv.reader(io.StringIO(answer.text))
    assert header == ["seq", "at", "tipo", "dispositivo", "persona", "por", "direccion", "detalle"]
    assert (row[2], row[3], row[4]) == ("ENTRO", "'=1+1", ADA.label)


def test_secrets_are_in_no_access_event(pin_shop: IdentityShop, admin: EnrolledTablet) -> None:
    pin = ok(admin.post(f"/api/personas/{MR.id}/pin", {}))["pin"]
    token = ok(admin.post("/api/tokens", {"nombre": "ERP", "alcances": ["leer"]}))["token"]
    code = ok(admin.post("/api/dispositivos/inscripciones", {"nombre": "T", "tipo": "tablet"}))["codigo"]
    events = admin.get("/api/accesos").text
    assert access_kinds(pin_shop.database) == ["ENTRO", "PIN_NUEVO", "TOKEN_CREADO"]
    assert not any(secret in events for secret in (pin, token, code))


def test_what_a_token_changes_is_recorded_with_the_token(pin_shop: IdentityShop, admin: EnrolledTablet) -> None:
    made = make_token(pin_shop.database, TokenScope.ADMINISTRAR)
    token = BearerClient(pin_shop.sends(), made.token)
    tablet = pin_shop.tablet()
    ok(token.post("/api/personas", {"id": 500, "nombre": "Nora", "apellido": "Nueva", "roles": ["Armador"]}))
    ok(token.post("/api/personas/500/desactivar", {}))
    ok(token.post(f"/api/dispositivos/{tablet.device.id}/revocar", {}))
    ok(admin.post(f"/api/personas/{MR.id}/desactivar", {}))
    shown = admin.see("/api/accesos")["accesos"]
    by = {(each["tipo"], each["detalle"], each["persona"]): each["por"] for each in shown}
    assert by["ROL_CAMBIADO", "nuevo: Armador", "NN(500)"] == "Planificación"
    assert by["ROL_CAMBIADO", "desactivado", "NN(500)"] == "Planificación"
    assert by["REVOCADO", f"dispositivo: {tablet.device.name}", None] == "Planificación"
    assert by["ROL_CAMBIADO", "desactivado", MR.label] == ADA.label
    assert {event.token_id for event in recorded(pin_shop.database, AccessKind.REVOCADO)} == {made.id}
