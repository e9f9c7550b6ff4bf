"""Signing in over HTTP: cookies, statuses, the session as JSON, and the first question of a page."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from anyio.from_thread import start_blocking_portal

from carrete.api.app import create_app
from carrete.api.schemas.sign_in import PinBody, PinChangeBody, SignInBody
from carrete.api.server.origin import LOOPBACK, Listening
from carrete.identity.pins import PinHasher
from carrete.identity.secrets import new_secret, secret_hash
from carrete.identity.server_keys import KEY_FILE, ServerKeys, seal
from carrete.identity.throttle import FREE_FAILURES
from carrete.ledger.database import Database
from carrete.ledger.values import instant_text
from carrete.services import Services
from carrete.settings import Access, Settings
from tests.support.builders import put
from tests.support.people import CREW, LP, MR, SV, UNKNOWN_ID
from tests.support.signing_in import OTHER_PIN, PIN, WRONG_PIN, access_kinds

DEVICE, SESSION = "__Host-carrete-device", "__Host-carrete-session"


class Browser:
    """A browser with its cookies. Without a device's secret it is a stranger's."""

    def __init__(self, call: Callable[..., httpx.Response]) -> None:
        self._call = call
        self.cookies: dict[str, str] = {}

    def send(self, method: str, path: str, body: Any = None, **query: Any) -> httpx.Response:
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        answer = self._call(method, path, json=body, params=query, headers=headers if self.cookies else {})
        for name, value in answer.cookies.items():
            self.cookies[name] = value
        return answer

    def enter(self, worker_id: int = MR.id, pin: str | None = PIN) -> httpx.Response:
        return self.send("POST", "/api/sesion", {"worker_id": worker_id, **({"pin": pin} if pin else {})})

    def access(self) -> dict[str, Any]:
        answer = self.send("GET", "/api/acceso")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


class Shop:
    """A served ledger, and browsers in front of it."""

    def __init__(self, services: Services, database: Database, call: Callable[..., httpx.Response]) -> None:
        self.services = services
        self._database = database
        self._call = call

    def stranger(self) -> Browser:
        return Browser(self._call)

    def device(self, kind: str = "tablet", cookie: str = DEVICE) -> Browser:
        browser, secret, now = self.stranger(), new_secret(), instant_text(datetime.now(UTC))
        with self._database.writing() as tx:
            names = {"id": f"d-{secret[:8].lower()}", "name": "Mesa 1", "kind": kind}
            tx.run("device_insert", secret_hash=secret_hash(secret), at=now, by_id=None, **names)
        browser.cookies[cookie] = secret
        return browser


@contextmanager
def served(
    database: Database, url: str, folder: Path, mode: Access = "pin", listening: Listening = LOOPBACK, idle_s: int = 300
) -> Iterator[Shop]:
    put(database, workers=CREW)
    services = Services(Settings(data=folder, database_url=url, redis_url="off", access=mode, idle_s=idle_s))
    if mode != "open":
        hasher = PinHasher(ServerKeys((folder / KEY_FILE).read_bytes()).pepper)
        with database.writing() as tx:
            for person in (MR, SV):
                pin_hash = hasher.hash_blocking(PIN)
                tx.run("pin_put", worker_id=person.id, hash=pin_hash, at=instant_text(datetime.now(UTC)))
    app = create_app(services, listening=listening)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(app.router.lifespan_context(app)):
        client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="https://localhost")

        def call(*what: Any, **options: Any) -> httpx.Response:
            client.cookies.clear()
            return portal.call(partial(client.request, *what, **options))

        yield Shop(services, database, call)


@pytest.fixture
def shop(database: Database, database_url: str, tmp_path: Path) -> Iterator[Shop]:
    with served(database, database_url, tmp_path) as running:
        yield running


def test_a_person_signs_in_and_out(shop: Shop, database: Database) -> None:
    tablet = shop.device()
    answer = tablet.enter()
    session = answer.json()
    assert answer.status_code == 200, answer.text
    assert session["worker"] == {
        "id": MR.id,
        "nombre": MR.nombre,
        "apellido": MR.apellido,
        "label": MR.label,
        "roles": ["Armador", "Soldador"],
    }
    assert (session["roles"], session["proof"], session["locked"]) == (["Armador", "Soldador"], "pin", False)
    assert 290 <= session["pin_fresh_s"] <= 300
    left = datetime.fromisoformat(session["ends"]) - datetime.now(UTC)
    assert timedelta(hours=11, minutes=59) < left <= timedelta(hours=12)
    assert urlsafe_b64decode(session["tap_key"] + "=") == shop.services.identity.keys.tap_key(session["session"])
    assert "no-store" in answer.headers["cache-control"]
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{SESSION}=")
    for attribute in ("HttpOnly", "Secure", "SameSite=strict", "Path=/", "Max-Age=43200"):
        assert attribute in cookie
    assert "Domain" not in cookie

    seen = tablet.send("GET", "/api/sesion").json()
    assert seen == {**{k: v for k, v in session.items() if k != "tap_key"}, "pin_fresh_s": seen["pin_fresh_s"]}

    out = tablet.send("DELETE", "/api/sesion", ultimo_toque=4)
    assert out.status_code == 200
    assert "Max-Age=0" in out.headers["set-cookie"]
    assert tablet.send("GET", "/api/sesion").status_code == 401
    with database.reading() as tx:
        assert tx.all("sessions_by_ids", ids=[session["session"]])[0][8] == 4
    assert access_kinds(database) == ["ENTRO", "SALIO"]


def test_a_new_cookie_comes_with_each_sign_in_and_the_old_one_is_worth_nothing(shop: Shop) -> None:
    tablet = shop.device()
    tablet.enter()
    before = dict(tablet.cookies)
    tablet.enter()
    assert tablet.cookies[SESSION] != before[SESSION]
    tablet.cookies = before
    assert tablet.send("GET", "/api/sesion").status_code == 401


def test_a_session_is_of_its_device_only(shop: Shop) -> None:
    tablet, other = shop.device(), shop.device()
    tablet.enter()
    other.cookies[SESSION] = tablet.cookies[SESSION]
    assert other.send("GET", "/api/sesion").json()["code"] == "SESION_REQUERIDA"
    assert other.access()["sesion"] is None


def test_without_an_enrolled_device_nobody_signs_in(shop: Shop, database: Database) -> None:
    stranger = shop.stranger()
    assert stranger.enter().json()["code"] == "DISPOSITIVO_NO_INSCRITO"
    stranger.cookies[DEVICE] = new_secret()
    assert stranger.enter().status_code == 401
    assert access_kinds(database) == []


def test_nobody_signs_in_on_a_board(shop: Shop) -> None:
    answer = shop.device("tablero").enter()
    assert (answer.status_code, answer.json()["code"]) == (403, "PERMISO_INSUFICIENTE")


def test_a_wrong_pin_and_an_unknown_person_get_the_same_answer(shop: Shop) -> None:
    answers = [
        shop.device().enter(MR.id, WRONG_PIN),
        shop.device().enter(UNKNOWN_ID, WRONG_PIN),
        shop.device().enter(LP.id, WRONG_PIN),
        shop.device().send("POST", "/api/sesion", {"badge": "no such badge", "pin": WRONG_PIN}),
    ]
    assert {answer.status_code for answer in answers} == {401}
    assert len({answer.text for answer in answers}) == 1
    assert answers[0].json()["code"] == "PIN_INCORRECTO"
    assert all("set-cookie" not in answer.headers for answer in answers)


def test_a_wait_says_how_long(shop: Shop) -> None:
    tablet = shop.device()
    for _ in range(FREE_FAILURES):
        tablet.enter(pin=WRONG_PIN)
    answer = tablet.enter()
    assert (answer.status_code, answer.json()["code"]) == (429, "DEMASIADOS_INTENTOS")
    assert answer.headers["retry-after"] == str(answer.json()["retry_after_s"])
    assert 1 <= answer.json()["retry_after_s"] <= 5


def test_a_lock_is_423(shop: Shop, database: Database) -> None:
    tablet = shop.device()
    with database.writing() as tx:
        tx.run("pin_lock_insert", who=f"w:{MR.id}", device_id="", at=instant_text(datetime.now(UTC)))
    answer = tablet.enter()
    assert (answer.status_code, answer.json()["code"]) == (423, "PIN_BLOQUEADO")
    assert answer.json()["detail"].endswith("Un supervisor o un administrador puede desbloquearlo."), (
        "true for everybody"
    )
    assert tablet.enter(SV.id).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"pin": PIN},
        {"worker_id": MR.id, "badge": "1", "pin": PIN},
        {"worker_id": str(MR.id), "pin": PIN},
        {"worker_id": MR.id, "pin": 482915},
        {"worker_id": MR.id, "pin": "48291"},
        {"worker_id": MR.id, "pin": "٤٨٢٩١٥"},
        {"worker_id": MR.id, "pin": PIN + "\n"},
        {"badge": " ", "pin": PIN},
        {"badge": "x" * 65, "pin": PIN},
        {"worker_id": 2**31, "pin": PIN},
        {"worker_id": MR.id, "pin": PIN, "role": "Supervisor"},
    ],
)
def test_a_body_of_another_shape_is_refused_and_its_pin_not_repeated(shop: Shop, body: dict[str, Any]) -> None:
    answer = shop.device().send("POST", "/api/sesion", body)
    assert (answer.status_code, answer.json()["code"]) == (422, "DATOS_INVALIDOS")
    assert PIN not in answer.text


def test_a_pin_is_in_no_text_of_a_body() -> None:
    bodies = [
        SignInBody.model_validate({"worker_id": 1, "pin": PIN}),
        PinBody.model_validate({"pin": PIN}),
        PinChangeBody.model_validate({"pin": PIN, "nuevo": OTHER_PIN}),
    ]
    for body in bodies:
        assert PIN not in repr(body)
        assert OTHER_PIN not in repr(body)


def test_an_idle_session_is_locked_and_only_the_right_pin_unlocks_it(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    with served(database, database_url, tmp_path, idle_s=300) as shop:
        tablet = shop.device()
        session = tablet.enter().json()["session"]
        long_ago = instant_text(datetime.now(UTC) - timedelta(minutes=20))
        with database.writing() as tx:
            tx.execute(f"UPDATE session SET used_at = '{long_ago}', pin_at = '{long_ago}' WHERE id = '{session}'")
        shop.services.identity.lookups.drop()
        shop.services.identity.last_use._used.clear()

        def is_locked() -> bool:
            shop.services.identity.lookups.drop()
            used = tablet.send("POST", "/api/sesion/uso", {})
            assert used.status_code == 200 or used.json()["bloqueada"] is True
            assert tablet.send("GET", "/api/sesion").json()["locked"] is (used.status_code == 401)
            return used.status_code == 401

        assert is_locked()
        assert tablet.access()["sesion"]["locked"] is True
        assert tablet.send("POST", "/api/sesion/pin", {"pin": WRONG_PIN}).json()["code"] == "PIN_INCORRECTO"
        assert is_locked(), "trying is not using"
        unlocked = tablet.send("POST", "/api/sesion/pin", {"pin": PIN}).json()
        assert (unlocked["locked"], unlocked["session"]) == (False, session)
        assert unlocked["pin_fresh_s"] >= 290
        assert not is_locked()


def test_a_pin_typed_offline_is_sent_sealed(shop: Shop) -> None:
    tablet = shop.device()
    session = tablet.enter().json()["session"]
    key = tablet.access()["clave_publica"]
    right = seal(key, json.dumps({"pin": PIN, "session": session, "at": "2026-11-16T13:30:00Z"}))
    wrong = seal(key, json.dumps({"pin": PIN, "session": "s-other", "at": "2026-11-16T13:30:00Z"}))
    assert tablet.send("POST", "/api/sesion/pin", {"sellado": right}).json()["session"] == session
    assert tablet.send("POST", "/api/sesion/pin", {"sellado": wrong}).status_code == 422
    assert tablet.send("POST", "/api/sesion/pin", {}).status_code == 422
    assert tablet.send("POST", "/api/sesion/pin", {"pin": PIN, "sellado": right}).status_code == 422


def test_a_person_changes_the_own_pin(shop: Shop) -> None:
    tablet = shop.device()
    tablet.enter()
    obvious = tablet.send("POST", "/api/sesion/pin/cambiar", {"pin": PIN, "nuevo": "123456"})
    assert (obvious.status_code, obvious.json()["code"]) == (422, "DATOS_INVALIDOS")
    assert tablet.send("POST", "/api/sesion/pin/cambiar", {"pin": PIN, "nuevo": OTHER_PIN}).status_code == 200
    assert tablet.enter(pin=PIN).status_code == 401
    assert tablet.enter(pin=OTHER_PIN).status_code == 200


def test_signing_out_for_somebody_before_leaves_the_present_session(shop: Shop, database: Database) -> None:
    """The tablet was offline when the previous person signed out, and reports it now."""
    tablet = shop.device()
    before = tablet.enter().json()["session"]
    tablet.enter(SV.id)
    out = tablet.send("DELETE", "/api/sesion", sesion=before, ultimo_toque=7)
    assert "set-cookie" not in out.headers
    assert tablet.send("GET", "/api/sesion").json()["worker"]["id"] == SV.id
    with database.reading() as tx:
        assert tx.all("sessions_by_ids", ids=[before])[0][8] == 7
    other = shop.device()
    other.send("DELETE", "/api/sesion", sesion=before, ultimo_toque=1)
    with database.reading() as tx:
        assert tx.all("sessions_by_ids", ids=[before])[0][8] == 7, "another device cannot lower it"


def test_the_people_of_a_device_are_shown_on_it(shop: Shop) -> None:
    tablet = shop.device()
    assert tablet.send("GET", "/api/sesion/personas").json() == {"recientes": []}
    tablet.enter()
    assert [each["label"] for each in tablet.send("GET", "/api/sesion/personas").json()["recientes"]] == [MR.label]


def test_the_first_question_of_a_page(shop: Shop, database: Database) -> None:
    stranger = shop.stranger()
    access = stranger.access()
    assert (access["modo"], access["dispositivo"], access["inscripcion"], access["sesion"]) == ("pin", None, None, None)
    assert (access["administrador"], access["bloqueo_s"], access["firma"]) == (False, 300, True)
    assert len(access["clave_publica"]) == 87
    assert stranger.cookies == {}

    tablet = shop.device()
    answer = tablet.send("GET", "/api/acceso")
    assert (answer.json()["dispositivo"]["nombre"], answer.json()["dispositivo"]["tipo"]) == ("Mesa 1", "tablet")
    assert f"{DEVICE}={tablet.cookies[DEVICE]}" in answer.headers["set-cookie"], "its 400 days begin anew"
    assert "Max-Age=34560000" in answer.headers["set-cookie"]
    assert answer.json()["sesion"] is None
    tablet.enter()
    assert tablet.access()["sesion"]["worker"]["id"] == MR.id

    with database.writing() as tx:
        tx.run("role_upsert", worker_id=SV.id, rol="Administrador", activo=1)
    assert stranger.access()["administrador"] is True


def test_a_browser_that_used_a_code_sees_its_number_until_it_is_confirmed(shop: Shop, database: Database) -> None:
    browser, secret = shop.stranger(), new_secret()
    browser.cookies[DEVICE] = secret

    def claim(minutes: int) -> None:
        ends_at = instant_text(datetime.now(UTC) + timedelta(minutes=minutes))
        with database.writing() as tx:
            tx.execute("DELETE FROM enrolment_code")
            tx.execute(
                "INSERT INTO enrolment_code (id, code_hash, purpose, name, kind, made_at, ends_at, claim_hash, number) "
                f"VALUES ('i', 'h', 'device', 'Mesa', 'tablet', '', '{ends_at}', '{secret_hash(secret)}', '0417')"
            )

    claim(5)
    assert browser.access()["inscripcion"] == {"numero": "0417", "estado": "esperando"}
    claim(-1)
    answer = browser.send("GET", "/api/acceso")
    assert answer.json()["inscripcion"] == {"numero": "0417", "estado": "vencida"}
    assert "set-cookie" not in answer.headers


def test_without_identity_there_is_nothing_to_sign_in_to(database: Database, database_url: str, tmp_path: Path) -> None:
    with served(database, database_url, tmp_path, "open") as shop:
        access = shop.stranger().access()
        assert (access["modo"], access["firma"], access["clave_publica"]) == ("open", False, None)
        assert shop.stranger().enter().status_code == 403


def test_in_mode_device_the_floor_needs_no_pin(database: Database, database_url: str, tmp_path: Path) -> None:
    with served(database, database_url, tmp_path, "device") as shop:
        tablet = shop.device()
        assert tablet.access()["modo"] == "device"
        session = tablet.enter(LP.id, None).json()
        assert (session["proof"], session["pin_fresh_s"]) == ("name", 0)
        for worker_id in (SV.id, UNKNOWN_ID):
            answer = tablet.enter(worker_id, None)
            assert (answer.status_code, answer.json()["code"]) == (403, "PIN_REQUERIDO")


def test_without_https_no_tap_key_travels(database: Database, database_url: str, tmp_path: Path) -> None:
    with served(database, database_url, tmp_path, listening=Listening(insecure_http=True)) as shop:
        tablet = shop.device(cookie="carrete-device")
        assert tablet.access()["firma"] is False
        answer = tablet.enter()
        assert answer.json()["tap_key"] is None
        assert answer.headers["set-cookie"].startswith("carrete-session=")
        assert "Secure" not in answer.headers["set-cookie"]
