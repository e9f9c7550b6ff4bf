"""The modes `device` and `pin`, and a server behind a proxy or without HTTPS."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from carrete.api.server.origin import Listening
from carrete.domain.authorship import Proof
from carrete.domain.workers import Worker
from carrete.identity.access_events import AccessKind, record
from carrete.identity.records import DeviceKind, TokenScope
from carrete.ledger import open_database
from carrete.settings import Settings
from tests.conftest import migrated
from tests.integration.identity.conftest import staffed
from tests.support.answers import done, refused
from tests.support.builders import a_spool, put
from tests.support.people import AY, JS, LP, MI, MR, SV
from tests.support.signed_in import HERE, EnrolledTablet, IdentityShop, acted, identity_shop
from tests.support.signing_in import PIN, WRONG_PIN


def test_a_pin_is_needed_in_the_mode_pin(one: EnrolledTablet, pin_shop: IdentityShop) -> None:
    for person in (MR, SV):
        problem = refused(one.sign_in(person.id, None), 403, "PIN_REQUERIDO")
        assert "de nuevo" not in problem["detail"], "no PIN was given before"
    done(one.sign_in(MR.id))
    put(pin_shop.database, [a_spool()])
    done(one.tap("TOMAR", worker_id=MR.id))


@pytest.mark.parametrize("person", [MR, LP, JS, AY])
def test_on_an_enrolled_device_floor_workers_need_no_pin_in_the_mode_device(
    device_shop: IdentityShop,
    person: Worker,
) -> None:
    put(device_shop.database, [a_spool(total_uniones=0)])
    tablet = device_shop.tablet()
    done(tablet.sign_in(person.id, None))
    tablet.tap("TOMAR", worker_id=person.id)
    for event in acted(device_shop.database):
        assert event.metadata["via"]["proof"] == Proof.NAME


@pytest.mark.parametrize("person_id", [MI.id, SV.id, 1, 2])
def test_people_with_a_privilege_need_the_pin_in_the_mode_device_too(device_shop: IdentityShop, person_id: int) -> None:
    tablet = device_shop.tablet()
    refused(tablet.sign_in(person_id, None), 403, "PIN_REQUERIDO")
    refused(tablet.sign_in(person_id, WRONG_PIN), 401, "PIN_INCORRECTO")
    assert done(tablet.sign_in(person_id, PIN))["proof"] == "pin"


def test_a_device_that_is_not_enrolled_lets_nobody_sign_in_in_the_mode_device(device_shop: IdentityShop) -> None:
    refused(device_shop.stranger().sign_in(MR.id, None), 401, "DISPOSITIVO_NO_INSCRITO")


def test_nobody_signs_in_on_a_board(device_shop: IdentityShop, pin_shop: IdentityShop) -> None:
    for shop in (device_shop, pin_shop):
        board = shop.tablet(DeviceKind.TABLERO)
        refused(board.sign_in(MR.id, PIN), 403, "PERMISO_INSUFICIENTE")
        assert board.get("/api/spools").status_code == 200


@pytest.fixture
def behind_proxy(tmp_path: Path) -> Iterator[IdentityShop]:
    yield from a_shop(tmp_path, Listening("127.0.0.1", ("127.0.0.1/32",)))


@pytest.fixture
def without_https(tmp_path: Path) -> Iterator[IdentityShop]:
    yield from a_shop(tmp_path, Listening("0.0.0.0", (), insecure_http=True))


def a_shop(folder: Path, listening: Listening) -> Iterator[IdentityShop]:
    url = f"sqlite:///{folder / 'carrete.db'}"
    migrated(url)
    database = open_database(url)
    settings = Settings(access="pin", database_url=url, data=folder, redis_url="off")
    try:
        with identity_shop(settings, database, listening) as shop:
            yield staffed(shop)
    finally:
        database.close()


@pytest.mark.parametrize("forwarded", [None, "127.0.0.1", "192.168.1.9", "::1"])
@pytest.mark.parametrize("path", ["/metrics", "/api/openapi.json"])
def test_behind_a_proxy_nobody_counts_as_this_machine(
    behind_proxy: IdentityShop, path: str, forwarded: str | None
) -> None:
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    refused(behind_proxy.stranger(HERE).send("GET", path, headers=headers), 403, "PERMISO_INSUFICIENTE")
    assert behind_proxy.token(TokenScope.LEER).get(path).status_code == 200


def test_a_forwarded_address_is_not_trusted_without_a_proxy(pin_shop: IdentityShop) -> None:
    stranger = pin_shop.stranger(("192.168.1.9", 1))
    headers = {"X-Forwarded-For": "127.0.0.1"}
    refused(stranger.send("GET", "/metrics", headers=headers), 403, "PERMISO_INSUFICIENTE")


def test_without_https_cookies_have_other_names_and_taps_are_not_signed(without_https: IdentityShop) -> None:
    tablet = without_https.tablet()
    tablet.cookies = {"carrete-device": next(iter(tablet.cookies.values()))}
    answer = tablet.post("/api/sesion", {"worker_id": MR.id, "pin": PIN})
    assert done(answer)["tap_key"] is None
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("carrete-session=")
    assert "Secure" not in cookie
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert without_https.stranger().get("/api/acceso").json()["firma"] is False


def test_cookies_are_host_only_secure_and_strict(one: EnrolledTablet) -> None:
    cookie = one.sign_in(MR.id).headers["set-cookie"]
    assert cookie.startswith("__Host-carrete-session=")
    assert {"HttpOnly", "Secure", "SameSite=strict", "Path=/", "Max-Age=43200"} <= set(cookie.split("; "))
    assert "Domain" not in cookie


def test_supervisors_are_told_of_many_wrong_pins(one: EnrolledTablet, pin_shop: IdentityShop) -> None:
    with pin_shop.database.writing() as tx:
        record(tx, AccessKind.MUCHOS_FALLOS, at=datetime.now(UTC))
    for person, is_told in ((MR, False), (SV, True)):
        one.begin(person.id)
        assert one.see("/api/acceso")["muchos_fallos"] is is_told
