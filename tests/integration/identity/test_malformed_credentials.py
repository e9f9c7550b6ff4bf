"""Malformed cookies and headers of every kind are refused with a sentence. None is an error or another's identity."""

from __future__ import annotations

import httpx
import pytest

from carrete.identity.records import TokenScope
from carrete.ledger.database import Database
from tests.support.answers import done, refused
from tests.support.builders import TAG, a_spool, put
from tests.support.people import MR
from tests.support.signed_in import DEVICE_COOKIE, SESSION_COOKIE, EnrolledTablet, IdentityShop, acted, make_token

TOMAR = "/api/occupation/tomar"
BODY = {"tag_spool": TAG, "operacion": "ARM", "worker_id": MR.id}


@pytest.fixture(params=["sqlite"])
def engine(request: pytest.FixtureRequest) -> str:
    """Malformed credentials are refused before the ledger is read; one engine is enough."""
    name: str = request.param
    return name


@pytest.fixture
def ledger(pin_shop: IdentityShop) -> Database:
    put(pin_shop.database, [a_spool()])
    return pin_shop.database


def post(tablet: EnrolledTablet, headers: list[tuple[bytes, bytes]]) -> httpx.Response:
    kind = (b"content-type", b"application/json")
    return tablet._plain_sends("POST", TOMAR, json=BODY, headers=[kind, *headers])


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b" ",
        b"x",
        b"'; DROP TABLE device; --",
        b"A" * 42,
        b"A" * 44,
        b"A" * 43,
        b"A" * 7_000,
        b"\xff" * 43,
        b"\x00" * 43,
        "ñ".encode() * 21 + b"a",
        b'"' + b"A" * 43 + b'"',
        b"%41" * 43,
        b"A" * 42 + b"=",
    ],
)
@pytest.mark.parametrize("name", [DEVICE_COOKIE, SESSION_COOKIE])
def test_a_malformed_cookie_counts_as_none(one: EnrolledTablet, ledger: Database, name: str, value: bytes) -> None:
    one.begin(MR.id)
    cookies = {each: secret.encode() for each, secret in one.cookies.items()} | {name: value}
    header = b"; ".join(each.encode() + b"=" + secret for each, secret in cookies.items())
    code = "DISPOSITIVO_NO_INSCRITO" if name == DEVICE_COOKIE else "SESION_REQUERIDA"
    refused(post(one, [(b"cookie", header)]), 401, code)
    assert acted(ledger) == []


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b";;;;",
        b"=",
        b"==;==",
        b"; ".join([b"a=b"] * 500),
        b"carrete-device=%s; carrete-session=%s",
        b"__host-carrete-device=%s; __host-carrete-session=%s",
        b"__Secure-carrete-device=%s; __Secure-carrete-session=%s",
        b"x__Host-carrete-device=%s; x__Host-carrete-session=%s",
        b'a="; __Host-carrete-device=x; __Host-carrete-session=y"; b=%s; c=%s',
    ],
)
def test_cookies_of_another_name_are_ignored(one: EnrolledTablet, ledger: Database, header: bytes) -> None:
    one.begin(MR.id)
    secrets = tuple(secret.encode() for secret in one.cookies.values())
    cookie = header % secrets if b"%s" in header else header
    refused(post(one, [(b"cookie", cookie)]), 401, "DISPOSITIVO_NO_INSCRITO")


def test_cookies_in_several_headers_are_read_together(one: EnrolledTablet, ledger: Database) -> None:
    """HTTP/2 sends them so, and a proxy may pass them on."""
    one.begin(MR.id)
    headers = [(b"cookie", f"{name}={value}".encode()) for name, value in one.cookies.items()]
    done(post(one, [(b"cookie", b"theme=dark"), *headers]))


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b" ",
        b"Bearer",
        b"Bearer ",
        b"bearer carrete_",
        b"Basic YWRtaW46YWRtaW4=",
        b"Bearer carrete_" + b"A" * 43,
        b"Bearer carrete_" + b"A" * 5_000,
        b"Bearer carrete_\xff\xfe",
        "Bearer carrete_ñandú".encode(),
        b"Bearer eyJhbGciOiJub25lIn0.e30.",
        b"Bearer  carrete_" + b"A" * 43,
        b"Bearer carrete_' OR 1=1 --",
        b"carrete_" + b"A" * 43,
    ],
)
def test_a_malformed_token_never_falls_back_to_the_cookies(one: EnrolledTablet, ledger: Database, value: bytes) -> None:
    one.begin(MR.id)
    cookies = "; ".join(f"{name}={secret}" for name, secret in one.cookies.items()).encode()
    refused(post(one, [(b"cookie", cookies), (b"authorization", value)]), 401, "SESION_REQUERIDA")
    assert acted(ledger) == []


def test_the_case_of_the_word_bearer_does_not_matter(pin_shop: IdentityShop, ledger: Database) -> None:
    token = make_token(ledger, TokenScope.ACTUAR).token
    done(post(pin_shop.stranger(), [(b"authorization", b"bEaReR " + token.encode())]))


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b" ",
        b"x",
        b",,,",
        b"s-1, 1, 2026-11-16T13:30:00Z, " + b"0" * 64,
        b"s-1, 1, 2026-11-16T13:30:00Z, " + b"0" * 63,
        b"s-1, 99999999999999999999, 2026-11-16T13:30:00Z, " + b"0" * 64,
        b"\xff" * 100,
        b"A" * 7_000,
        b"' OR 1=1 --, 1, 2026-11-16T13:30:00Z, " + b"0" * 64,
    ],
)
def test_a_malformed_tap_never_falls_back_to_the_cookies(one: EnrolledTablet, ledger: Database, value: bytes) -> None:
    one.begin(MR.id)
    cookies = "; ".join(f"{name}={secret}" for name, secret in one.cookies.items()).encode()
    headers = [(b"cookie", cookies), (b"idempotency-key", b"k"), (b"carrete-tap", value)]
    refused(post(one, headers), 401, "TOQUE_NO_VALIDO")
    assert acted(ledger) == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"[]",
        b"7",
        b'"worker_id"',
        b"{",
        b'{"worker_id":null}',
        b'{"worker_id":"93"}',
        b'{"worker_id":93.5}',
    ],
)
def test_a_body_without_a_person_is_checked_as_ever(one: EnrolledTablet, ledger: Database, content: bytes) -> None:
    one.begin(MR.id)
    answer = one.post(TOMAR, content=content)
    assert answer.status_code in (415, 422), answer.text
    assert acted(ledger) == []


def test_the_last_of_two_worker_ids_in_a_body_is_the_one_that_is_checked(one: EnrolledTablet, ledger: Database) -> None:
    one.begin(MR.id)
    twice = '{"tag_spool":"%s","operacion":"ARM","worker_id":%d,"worker_id":%d}'
    answers = [one.post(TOMAR, content=(twice % (TAG, *ids)).encode()) for ids in ((7, 93), (93, 7))]
    assert {answer.status_code for answer in answers} <= {200, 403, 422}
    assert {event.worker_id for event in acted(ledger)} <= {MR.id}
