"""The page that a setup code opens: the first administrator, and a lost PIN."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from carrete.identity import setup
from carrete.ledger.database import Database
from carrete.settings import Settings
from tests.support.builders import put
from tests.support.people import CREW, SV
from tests.support.signed_in import DEVICE_COOKIE, SESSION_COOKIE, EnrolledTablet, IdentityShop, identity_shop
from tests.support.signing_in import access_kinds

PATH = "/api/configuracion/administrador"
ANA: dict[str, Any] = {
    "worker_id": 900,
    "nombre": "Ana",
    "apellido": "Díaz",
    "pin": "482915",
    "dispositivo": "PC oficina",
}


@pytest.fixture
def new_shop(database: Database, database_url: str, tmp_path: Path) -> Iterator[IdentityShop]:
    """A ledger without administrator."""
    settings = Settings(access="pin", database_url=database_url, data=tmp_path, redis_url="off")
    put(database, workers=CREW)
    with identity_shop(settings, database) as shop:
        yield shop


def new_code(shop: IdentityShop) -> str:
    with shop.database.writing() as tx:
        code = setup.make_code(tx, at=datetime.now(UTC))
    setup.write_code_file(shop.services.settings.data, code)
    return code


def browser_with(shop: IdentityShop, answer: httpx.Response) -> EnrolledTablet:
    """The browser after it has stored the cookies of the answer."""
    browser = shop.stranger()
    for value in answer.headers.get_list("set-cookie"):
        name, _, secret = value.partition(";")[0].partition("=")
        browser.cookies[name] = secret
    return browser


def refused(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_the_code_makes_the_first_administrator_and_signs_the_browser_in(new_shop: IdentityShop) -> None:
    code = new_code(new_shop)
    assert new_shop.stranger().see("/api/acceso")["administrador"] is False
    answer = new_shop.stranger().post(PATH, {"codigo": code, **ANA})
    assert answer.status_code == 200, answer.text
    signed_in: dict[str, Any] = answer.json()
    assert (signed_in["worker"]["label"], signed_in["roles"]) == ("AD(900)", ["Administrador"])
    assert signed_in["tap_key"]
    assert signed_in["pin_fresh_s"] > 0
    browser = browser_with(new_shop, answer)
    assert set(browser.cookies) == {DEVICE_COOKIE, SESSION_COOKIE}
    access = browser.see("/api/acceso")
    assert access["administrador"] is True
    assert (access["dispositivo"]["nombre"], access["dispositivo"]["tipo"]) == ("PC oficina", "oficina")
    assert access["sesion"]["session"] == signed_in["session"]
    assert browser.get("/api/personas").status_code == 200
    assert browser.sign_in(900, ANA["pin"]).status_code == 200
    assert "ADMINISTRADOR_CREADO" in access_kinds(new_shop.database)
    assert not (new_shop.services.settings.data / setup.CODE_FILE).exists()


def test_a_code_works_once_over_http(new_shop: IdentityShop) -> None:
    code = new_code(new_shop)
    assert new_shop.stranger().post(PATH, {"codigo": code, **ANA}).status_code == 200
    again = new_shop.stranger().post(PATH, {"codigo": code, **ANA})
    assert refused(again) == (401, "CODIGO_NO_VALIDO")
    assert "set-cookie" not in again.headers


def test_ten_wrong_codes_end_the_right_one(new_shop: IdentityShop) -> None:
    code = new_code(new_shop)
    wrong = "00000000" if code != "00000000" else "00000001"
    for _ in range(10):
        assert refused(new_shop.stranger().post(PATH, {"codigo": wrong, **ANA})) == (401, "CODIGO_NO_VALIDO")
    assert refused(new_shop.stranger().post(PATH, {"codigo": code, **ANA})) == (401, "CODIGO_NO_VALIDO")
    assert new_shop.stranger().see("/api/acceso")["administrador"] is False


@pytest.mark.parametrize(
    "wrong",
    [
        {"pin": "123456"},
        {"pin": "111111"},
        {"pin": "12345"},
        {"worker_id": SV.id},
        {"nombre": ""},
        {"apellido": " "},
        {"dispositivo": "  "},
        {"worker_id": 0},
    ],
    ids=str,
)
def test_what_is_wrong_is_named_and_does_not_use_the_code_up(new_shop: IdentityShop, wrong: dict[str, Any]) -> None:
    code = new_code(new_shop)
    answer = new_shop.stranger().post(PATH, {"codigo": code, **ANA, **wrong})
    assert refused(answer) == (422, "DATOS_INVALIDOS")
    assert new_shop.stranger().post(PATH, {"codigo": code, **ANA}).status_code == 200


def test_without_the_code_nobody_learns_who_works_here(new_shop: IdentityShop) -> None:
    new_code(new_shop)
    answer = new_shop.stranger().post(PATH, {"codigo": "AAAA-AAAA", **ANA, "worker_id": SV.id})
    assert refused(answer) == (401, "CODIGO_NO_VALIDO")
    assert SV.nombre not in answer.text


def test_somebody_who_lost_the_pin_gets_a_new_one_on_the_same_device(new_shop: IdentityShop) -> None:
    first = browser_with(new_shop, new_shop.stranger().post(PATH, {"codigo": new_code(new_shop), **ANA}))
    device = first.see("/api/acceso")["dispositivo"]["id"]
    again = {"codigo": new_code(new_shop), "worker_id": 900, "pin": "739264", "dispositivo": "Otro"}
    answer = first.post(PATH, again)
    assert answer.status_code == 200, answer.text
    assert [value.partition("=")[0] for value in answer.headers.get_list("set-cookie")] == [SESSION_COOKIE]
    first.cookies |= browser_with(new_shop, answer).cookies
    assert first.see("/api/acceso")["dispositivo"]["id"] == device
    assert refused(first.sign_in(900, "482915")) == (401, "PIN_INCORRECTO")
    assert first.sign_in(900, "739264").status_code == 200
