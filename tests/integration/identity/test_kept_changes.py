"""What an administrator changed under an idempotency key is done once, whatever is repeated."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import uuid4

import httpx
import pytest

from carrete.api import kept_changes
from carrete.domain.workers import Rol
from carrete.identity.records import DeviceKind, TokenScope
from carrete.ledger.database import Tx
from carrete.ledger.store import KnownKey, keys_known
from tests.integration.identity.conftest import ADA
from tests.support.answers import replayed
from tests.support.people import LP, MR
from tests.support.signed_in import BearerClient, EnrolledTablet, IdentityShop, enrol, make_token

NEW = {"id": 700, "nombre": "Juana", "apellido": "Soto", "roles": ["Armador"]}


@pytest.fixture
def admin(pin_shop: IdentityShop) -> EnrolledTablet:
    tablet = pin_shop.tablet(DeviceKind.OFICINA)
    tablet.begin(ADA.id)
    return tablet


def code_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_a_person_is_added_once_under_a_key(admin: EnrolledTablet) -> None:
    key = str(uuid4())
    first, again = (admin.post("/api/personas", NEW, key=key) for _ in range(2))
    assert (first.status_code, replayed(first)) == (200, False)
    assert (again.status_code, replayed(again)) == (200, True)
    assert again.json() == first.json()
    assert code_of(admin.post("/api/personas", {**NEW, "id": 701}, key=key)) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert code_of(admin.post("/api/personas/700/roles", {"roles": []}, key=key)) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert [each["id"] for each in admin.see("/api/personas")["personas"] if each["id"] >= 700] == [700]


def test_badges_are_given_once_under_a_key_and_the_answer_says_again_how_many(admin: EnrolledTablet) -> None:
    key = str(uuid4())
    first, again = (admin.post("/api/personas/badges", {}, key=key) for _ in range(2))
    assert (first.status_code, replayed(first)) == (200, False)
    assert first.json()["dadas"] > 1
    assert (again.json(), replayed(again)) == (first.json(), True)
    assert admin.post("/api/personas/badges", {}).json() == {"dadas": 0}


def test_a_refused_change_stays_refused_under_its_key(admin: EnrolledTablet) -> None:
    """A request that was stuck somewhere cannot act after its twin was refused."""
    key, path = str(uuid4()), f"/api/personas/{NEW['id']}/desactivar"
    assert code_of(admin.post(path, {}, key=key)) == (404, "WORKER_NO_ENCONTRADO")
    assert admin.post("/api/personas", NEW).status_code == 200
    again = admin.post(path, {}, key=key)
    assert code_of(again) == (404, "WORKER_NO_ENCONTRADO")
    assert replayed(again)
    assert admin.post(path, {}).status_code == 200


def test_each_change_of_people_and_devices_is_recorded_once(pin_shop: IdentityShop, admin: EnrolledTablet) -> None:
    device, token = enrol(pin_shop.database).device, make_token(pin_shop.database, TokenScope.LEER)
    changes = {
        f"/api/personas/{MR.id}/nombre": {"nombre": "Mauro", "apellido": "Rodríguez"},
        f"/api/personas/{MR.id}/roles": {"roles": [Rol.SOLDADOR]},
        f"/api/personas/{MR.id}/badge": {"badge": "B-93"},
        f"/api/personas/{LP.id}/desactivar": {},
        f"/api/personas/{LP.id}/activar": {},
        f"/api/personas/{MR.id}/pin/desbloquear": {},
        f"/api/dispositivos/{device.id}/renombrar": {"nombre": "Tablet 9"},
        f"/api/dispositivos/{device.id}/revocar": {},
        f"/api/tokens/{token.id}/revocar": {},
    }
    for path, body in changes.items():
        key = str(uuid4())
        first = admin.post(path, body, key=key)
        recorded = admin.see("/api/accesos")["accesos"]
        again = admin.post(path, body, key=key)
        assert (first.status_code, replayed(first)) == (200, False), first.text
        assert (again.json(), replayed(again)) == (first.json(), True), path
        assert admin.see("/api/accesos")["accesos"] == recorded, path


def test_a_key_that_another_process_stores_meanwhile_gives_its_answer(
    admin: EnrolledTablet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not there when it is looked up, and then the commit fails."""
    key, path, body = str(uuid4()), f"/api/personas/{MR.id}/nombre", {"nombre": "Mauro", "apellido": "Rodríguez"}
    first, looked_up = admin.post(path, body, key=key), []

    def not_yet(tx: Tx, keys: Iterable[str]) -> dict[str, KnownKey]:
        looked_up.append(key)
        return {} if len(looked_up) == 1 else keys_known(tx, keys)

    monkeypatch.setattr(kept_changes, "keys_known", not_yet)
    again = admin.post(path, body, key=key)
    assert (again.json(), replayed(again)) == (first.json(), True)
    assert len(looked_up) == 2
    assert len([each for each in admin.see("/api/accesos")["accesos"] if each["tipo"] == "ROL_CAMBIADO"]) == 1


def test_a_change_that_is_refused_leaves_in_memory_who_acts(
    pin_shop: IdentityShop, admin: EnrolledTablet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else every request would have to ask the ledger again after each wrong number."""
    dropped: list[str | None] = []
    for key in (None, str(uuid4())):
        monkeypatch.setattr(pin_shop.services.identity.lookups, "drop", lambda key=key: dropped.append(key))
        wrong = admin.post("/api/dispositivos/inscripciones/i-1/confirmar", {"numero": "0000"}, key=key)
        assert code_of(wrong) == (404, "NO_ENCONTRADO")
    assert dropped == []


def test_a_key_of_somebody_else_tells_nothing(pin_shop: IdentityShop, admin: EnrolledTablet) -> None:
    key = str(uuid4())
    assert admin.post("/api/personas", NEW, key=key).status_code == 200
    token = make_token(pin_shop.database, TokenScope.ADMINISTRAR)
    other = BearerClient(admin._plain_sends, token.token)
    assert code_of(other.post("/api/personas", NEW, key=key)) == (422, "IDEMPOTENCY_KEY_REUSED")


def test_a_refusal_of_identity_is_not_final(pin_shop: IdentityShop, admin: EnrolledTablet) -> None:
    """What a token may not do, an administrator's own key does later."""
    key = str(uuid4())
    other = BearerClient(admin._plain_sends, make_token(pin_shop.database, TokenScope.ADMINISTRAR).token)
    privileged = {**NEW, "roles": ["Supervisor"]}
    for _ in range(2):
        refused = other.post("/api/personas", privileged, key=key)
        assert code_of(refused) == (403, "PERMISO_INSUFICIENTE")
        assert not replayed(refused)


def test_the_document_says_which_changes_take_a_key(admin: EnrolledTablet) -> None:
    paths = admin.see("/api/openapi.json")["paths"]
    keyed = {
        path
        for path, methods in paths.items()
        if any(each["name"] == "Idempotency-Key" for each in methods.get("post", {}).get("parameters", ()))
    }
    assert {"/api/personas", "/api/personas/{id}/roles", "/api/dispositivos/{id}/revocar"} <= keyed
    assert "/api/personas/badges" in keyed
    assert keyed.isdisjoint({"/api/sesion", "/api/sesion/pin", "/api/tokens", "/api/personas/{id}/pin"})
    assert keyed.isdisjoint({"/api/dispositivos/inscripciones", "/api/personas/pins"})
