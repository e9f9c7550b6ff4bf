"""Requests inside requests: what a proxy and this server could read differently, with somebody's right cookies."""

from __future__ import annotations

import pytest

from tests.support.people import MR
from tests.system.security.target import Target, cookie_field, request_line

NOT_HTTP = (400, "SOLICITUD_ILEGIBLE")


def inner(shop: Target, tag: str) -> bytes:
    """The take that is hidden in another request, with a worker's own cookies."""
    body = b'{"tag_spool":"%b","operacion":"ARM"}' % tag.encode()
    fields = (cookie_field(shop.tablet(MR.id)), "Content-Type: application/json")
    return request_line("POST", "/api/occupation/tomar", *fields, body=body)


@pytest.mark.parametrize(
    "framing",
    [
        b"Content-Length: 5\r\nTransfer-Encoding: chunked",
        b"Transfer-Encoding: chunked\r\nContent-Length: 5",
        b"Transfer-Encoding: chunked, identity",
        b"Transfer-Encoding: gzip, chunked\r\nContent-Length: 5",
        b"Transfer-Encoding: \x0bchunked\r\nContent-Length: 5",
        b"Content-Length: 5\r\nContent-Length: 6",
        b"Content-Length: 5 \t,5",
    ],
)
def test_a_request_with_two_ends_has_none(shop: Target, framing: bytes) -> None:
    """CL.TE, TE.CL and odd codings on a route without identity, a take with right cookies inside → 400, nothing is
    taken."""
    tag = shop.spool()
    head = b"POST /api/dispositivos/inscripciones/usar HTTP/1.1\r\nHost: localhost\r\n" + framing + b"\r\n\r\n"
    found = shop.raw(head + b"0\r\n\r\n" + inner(shop, tag))
    assert [(answer.status, answer.code) for answer in found] == [NOT_HTTP]
    assert shop.events(tag) == []


def test_the_body_of_a_reading_is_no_second_request(shop: Target) -> None:
    """GET.CL: a take as the body of a GET, by somebody without cookies → the GET alone is answered; nothing is
    taken."""
    tag = shop.spool()
    found = shop.raw(request_line("GET", "/api/health", body=inner(shop, tag)))
    assert [answer.status for answer in found] == [200]
    assert shop.events(tag) == []


@pytest.mark.parametrize(
    "fields",
    [
        b"Cookie: a=b\r\n %b",  # folded on to the next line
        b"X: y\n%b",  # a bare line feed
        b"X: y\r%b",
        b"X:\x00y\r\n%b",
        b"%b\x00",
        b"X y\r\n%b",
    ],
)
def test_cookies_come_in_whole_lines_only(shop: Target, fields: bytes) -> None:
    """Obsolete folding, bare line feeds and NULs around the cookies' line → 400."""
    cookies = cookie_field(shop.tablet(1)).encode()
    (answer,) = shop.raw(b"GET /api/tokens HTTP/1.1\r\nHost: localhost\r\n" + fields % cookies + b"\r\n\r\n")
    assert (answer.status, answer.code) == NOT_HTTP


def test_whoever_shares_a_connection_shares_no_cookies(shop: Target) -> None:
    """A kept connection, first with an administrator's cookies, then without, as behind a proxy → 200, then 401."""
    admin = cookie_field(shop.tablet(1))
    first = request_line("GET", "/api/tokens", admin).replace(b"Connection: close\r\n", b"")
    found = shop.raw(first + request_line("GET", "/api/tokens"))
    assert [(answer.status, answer.code) for answer in found] == [(200, None), (401, "DISPOSITIVO_NO_INSCRITO")]


@pytest.mark.parametrize(
    "target",
    [
        "http://localhost/api/tokens",
        "http://localhost/api/health/../tokens",
        "http://localhost:80@localhost/api/tokens",
        "HTTP://LOCALHOST/api/tokens",
        "http://localhost/api/health#/../tokens",
        "http://localhost?/api/tokens",
    ],
)
def test_a_whole_address_asks_for_what_it_says(shop: Target, target: str) -> None:
    """Absolute-form addresses of an administrator's route, from a stranger → the same refusals as without: never 200
    with tokens."""
    (answer,) = shop.raw(request_line("GET", target))
    assert answer.status in (200, 400, 401, 404, 421)
    assert b'"tokens"' not in answer.body
    health = b'"status"' in answer.body
    assert answer.status != 200 or health or answer.headers["content-type"].startswith("text/html")
