"""Stolen or made-up credentials: cookies, tokens and codes that are not the caller's."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from carrete.domain.workers import Rol
from carrete.identity.access_events import AccessKind
from carrete.identity.records import DeviceKind, TokenScope
from tests.support.answers import done, invalid, refused
from tests.support.people import LP, MR, SV
from tests.support.photos import FOTOS, JPEG, a_photo
from tests.support.signed_in import DEVICE_COOKIE, SESSION_COOKIE, enrol, make_token
from tests.support.signing_in import PIN, WRONG_PIN, recorded
from tests.system.security.target import Target, code_of


def test_a_session_cookie_that_was_there_before_the_sign_in_is_worth_nothing(shop: Target) -> None:
    """Session fixation: a cookie that the attacker chose before the victim signs in → the sign-in sets another one; the
    chosen one is 401 `SESION_REQUERIDA`."""
    victim, chosen = shop.tablet(), "F" * 43
    victim.cookies[SESSION_COOKIE] = chosen
    done(victim.sign_in(MR.id))
    assert victim.cookies[SESSION_COOKIE] != chosen
    victim.cookies[SESSION_COOKIE] = chosen
    refused(victim.get("/api/mi-dia"), 401, "SESION_REQUERIDA")


def test_a_credential_of_one_kind_is_none_of_another(shop: Target) -> None:
    """A device's secret as session, as token; a session's secret as device, as token; a token as either cookie →
    401."""
    tablet, token = shop.tablet(MR.id), make_token(shop.database, *TokenScope).token
    device, session = tablet.cookies[DEVICE_COOKIE], tablet.cookies[SESSION_COOKIE]
    stranger = shop.stranger()
    for wrong in ({DEVICE_COOKIE: session}, {DEVICE_COOKIE: session, SESSION_COOKIE: device}, {DEVICE_COOKIE: token}):
        stranger.cookies = wrong
        refused(stranger.get("/api/spools"), 401, "DISPOSITIVO_NO_INSCRITO")
    stranger.cookies = {DEVICE_COOKIE: device, SESSION_COOKIE: device}
    refused(stranger.get("/api/mi-dia"), 401, "SESION_REQUERIDA")
    for secret in (device, session, f"carrete_{device}", f"carrete_{session}"):
        answer = shop.http.get("/api/spools", headers={"Authorization": f"Bearer {secret}"})
        refused(answer, 401, "SESION_REQUERIDA")


def test_what_a_backup_has_lets_nobody_in(shop: Target) -> None:
    """A found copy of the ledger: its hashes and ids of devices, sessions and tokens sent as credentials → 401."""
    tablet = shop.tablet(MR.id)
    make_token(shop.database, TokenScope.LEER)
    with closing(sqlite3.connect(shop.folder / "carrete.db")) as copy:
        found = [
            str(value)
            for table in ("device", "session", "api_token")
            for row in copy.execute(f"SELECT id, secret_hash FROM {table}")
            for value in row
        ]
    assert tablet.session_id in found
    for text in found:
        as_cookie = {"Cookie": f"{DEVICE_COOKIE}={text}; {SESSION_COOKIE}={text}"}
        assert shop.http.get("/api/spools", headers=as_cookie).status_code == 401
        bearer = {"Authorization": f"Bearer carrete_{text}"}
        assert shop.http.get("/api/spools", headers=bearer).status_code == 401


@pytest.mark.parametrize("place", ["query", "x-api-key", "basic", "body", "path"])
def test_a_credential_counts_in_its_own_place_only(shop: Target, place: str) -> None:
    """A right token in the address, in `X-API-Key`, as a password, in a body or in the path → 401."""
    token = make_token(shop.database, *TokenScope).token
    send = shop.http.request
    answer = {
        "query": lambda: send("GET", f"/api/spools?access_token={token}&token={token}"),
        "x-api-key": lambda: send("GET", "/api/spools", headers={"X-API-Key": token, "X-Auth-Token": token}),
        "basic": lambda: send("GET", "/api/spools", auth=("carrete", token)),
        "body": lambda: send("POST", "/api/codigos", json={"textos": ["A"], "token": token}),
        "path": lambda: send("GET", f"/api/spools/{token}"),
    }[place]()
    assert answer.status_code == 401


def test_a_sign_in_names_one_person(shop: Target) -> None:
    """A sign-in with one person's number and another one's badge → 422; nobody is in."""
    tablet = shop.tablet()
    answer = tablet.post("/api/sesion", {"worker_id": MR.id, "badge": "123456", "pin": PIN})
    invalid(answer, "cuerpo")
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("pin", ["４８２９１５", "٤٨٢٩١٥", "482915\n", " 482915", "482915\x00", "+82915", "4829１5"])
def test_a_pin_has_six_plain_digits(shop: Target, pin: str) -> None:
    """The right PIN in other digits of Unicode, or with a line break, a blank or a NUL → 422, and no attempt is
    counted."""
    person = shop.worker()
    tablet = shop.tablet()
    invalid(tablet.sign_in(person, pin), "pin")
    assert not shop.access(AccessKind.PIN_INCORRECTO, person)


def test_waits_cannot_be_shaken_off(shop: Target) -> None:
    """Guessing from ever new addresses, programs and connections, as the headers say → after three, 429
    `DEMASIADOS_INTENTOS`; three access events `PIN_INCORRECTO` with the true address."""
    person, tablet, codes = shop.worker(), shop.tablet(), []
    for n in range(6):
        lies = {"X-Forwarded-For": f"203.0.113.{n}", "X-Real-IP": f"203.0.113.{n}", "Forwarded": f"for=203.0.113.{n}"}
        more = {"User-Agent": f"tablet {n}", "Connection": "close", "Idempotency-Key": f"try-{n}"}
        answer = tablet.post("/api/sesion", json={"worker_id": person, "pin": WRONG_PIN}, headers={**lies, **more})
        codes.append(code_of(answer))
    assert codes == ["PIN_INCORRECTO"] * 3 + ["DEMASIADOS_INTENTOS"] * 3
    events = shop.access(AccessKind.PIN_INCORRECTO, person)
    assert [event.address for event in events] == ["127.0.0.1"] * 3


def test_every_place_that_takes_a_pin_counts_in_one_row(shop: Target) -> None:
    """Guessing in turn where one signs in, unlocks and changes the PIN → the fourth wrong one is 429 everywhere."""
    person, tablet = shop.worker(), shop.tablet()
    tablet.begin(person)
    assert code_of(tablet.post("/api/sesion/pin", {"pin": WRONG_PIN})) == "PIN_INCORRECTO"
    changing = {"pin": WRONG_PIN, "nuevo": "739264"}
    assert code_of(tablet.post("/api/sesion/pin/cambiar", changing)) == "PIN_INCORRECTO"
    assert code_of(tablet.sign_in(person, WRONG_PIN)) == "PIN_INCORRECTO"
    assert code_of(tablet.post("/api/sesion/pin", {"pin": PIN})) == "DEMASIADOS_INTENTOS"
    assert code_of(tablet.post("/api/sesion/pin/cambiar", {**changing, "pin": PIN})) == "DEMASIADOS_INTENTOS"
    assert code_of(tablet.sign_in(person, PIN)) == "DEMASIADOS_INTENTOS"


def test_two_signatures_on_a_tap_are_not_better_than_one(shop: Target) -> None:
    """A forged `Carrete-Tap` beside somebody's right one, in both orders, under a third person's cookies → never the
    forger's: 401, or done once for the signer."""
    signer, forger = shop.tablet(MR.id), shop.tablet(LP.id)
    tag = shop.spool()
    tap = signer.sign_tap("TOMAR", MR.id, "two-signatures", tag)
    fake = tap.header.replace(signer.session_id, forger.session_id)
    for first, second in ((tap.header, fake), (fake, tap.header)):
        lines = ["POST /api/occupation/tomar HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
        lines += [f"Idempotency-Key: {tap.key}", f"Carrete-Tap: {first}", f"Carrete-Tap: {second}"]
        lines += [f"Content-Length: {len(tap.body)}", "Connection: close", "", ""]
        (answer,) = shop.raw("\r\n".join(lines).encode() + tap.body)
        assert (answer.status, answer.code) in ((401, "TOQUE_NO_VALIDO"), (200, None)), answer
    assert shop.events(tag) in ([], ["TOMAR_SPOOL"])
    card = signer.see_spool(tag)
    assert card["ocupado_por_id"] in (None, MR.id)


def test_a_revoked_device_reads_nothing_more(shop: Target) -> None:
    """A stolen tablet after *revocar*: its cookies, its session and a tap it signed before → 401 within 5 s; access
    event `REVOCADO`."""
    admin, stolen, tag = shop.tablet(1), shop.tablet(MR.id), shop.spool()
    tap = stolen.sign_tap("TOMAR", MR.id, "stolen", tag)
    done(stolen.get("/api/spools", limit=1))
    done(admin.post(f"/api/dispositivos/{stolen.device.id}/revocar", {}))
    refused(stolen.get("/api/spools"), 401, "DISPOSITIVO_NO_INSCRITO")
    refused(stolen.get("/api/mi-dia"), 401, "DISPOSITIVO_NO_INSCRITO")
    assert stolen.deliver(tap).status_code == 401
    assert shop.events(tag) == []
    assert stolen.device.id in {event.device_id for event in recorded(shop.database, AccessKind.REVOCADO)}


def test_a_revoked_token_acts_no_more(shop: Target) -> None:
    """A leaked token after *revocar* → 401; access event `TOKEN_REVOCADO`."""
    admin, token = shop.tablet(1), make_token(shop.database, TokenScope.ACTUAR)
    tag, bearer = shop.spool(), {"Authorization": f"Bearer {token.token}", "Content-Type": "application/json"}
    done(admin.post(f"/api/tokens/{token.id}/revocar", {}))
    body = {"tag_spool": tag, "worker_id": MR.id, "operacion": "ARM"}
    refused(shop.http.post("/api/occupation/tomar", json=body, headers=bearer), 401, "SESION_REQUERIDA")
    assert shop.events(tag) == []
    assert any(event.by_id == 1 for event in recorded(shop.database, AccessKind.TOKEN_REVOCADO))


def test_whoever_left_acts_no_more(shop: Target) -> None:
    """A person who was deactivated: the open session, the right PIN and a tap signed before → refused; nothing is
    done."""
    person, tag = shop.worker(Rol.ARMADOR), shop.spool()
    tablet, admin = shop.tablet(person), shop.tablet(1)
    tap = tablet.sign_tap("TOMAR", person, f"left-{person}", tag)
    done(admin.post(f"/api/personas/{person}/desactivar", {}))
    refused(tablet.tap("TOMAR", tag, person), 401, "SESION_REQUERIDA")
    refused(tablet.sign_in(person), 401, "PIN_INCORRECTO")
    assert tablet.deliver(tap).status_code in (401, 403)
    assert shop.events(tag) == []


def test_a_device_cannot_enrol_another(shop: Target) -> None:
    """A worker, a supervisor and a token ask for an enrolment code → 403 `PERMISO_INSUFICIENTE`; no code is made."""
    body = {"nombre": "Tablet nueva", "tipo": "tablet"}
    for caller in (shop.tablet(MR.id), shop.tablet(SV.id), shop.program(*TokenScope)):
        refused(caller.post("/api/dispositivos/inscripciones", body), 403, "PERMISO_INSUFICIENTE")


def test_a_code_from_one_browser_is_no_device_in_another(shop: Target) -> None:
    """An enrolment code that was used: used again by another browser, and that browser's cookie before the
    administrator confirmed → 401."""
    admin, owner, thief = shop.tablet(1), shop.stranger(), shop.stranger()
    made = done(admin.post("/api/dispositivos/inscripciones", {"nombre": "Tablet 9", "tipo": "tablet"}))
    answer = owner.post("/api/dispositivos/inscripciones/usar", {"codigo": made["codigo"]})
    done(answer)
    refused(thief.post("/api/dispositivos/inscripciones/usar", {"codigo": made["codigo"]}), 401, "CODIGO_NO_VALIDO")
    waiting = answer.headers["set-cookie"].partition(";")[0].partition("=")[2]
    thief.cookies = {DEVICE_COOKIE: waiting}
    refused(thief.get("/api/spools"), 401, "DISPOSITIVO_NO_INSCRITO")


def test_a_board_is_for_reading(shop: Target) -> None:
    """The cookie of a wall board with a tablet's session → the session is another device's: 401; signing in there, and
    sending a photo: 403, and nothing is stored."""
    board, tablet, tag = enrol(shop.database, DeviceKind.TABLERO), shop.tablet(MR.id), shop.spool()
    mixed = shop.stranger()
    mixed.cookies = {DEVICE_COOKIE: board.secret, SESSION_COOKIE: tablet.cookies[SESSION_COOKIE]}
    refused(mixed.tap("TOMAR", tag), 401, "SESION_REQUERIDA")
    assert mixed.sign_in(MR.id).status_code == 403
    assert shop.events(tag) == []
    mixed.cookies = {DEVICE_COOKIE: board.secret}
    with shop.unchanged():
        photo = mixed.send("POST", FOTOS, headers={"Content-Type": JPEG}, content=a_photo())
    refused(photo, 403, "PERMISO_INSUFICIENTE")
