"""`Host` in every spelling and place, as bytes to a real server: only what is ours is served, and nothing else acts."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.migrate import migrate
from tests.integration.fuzz.wire import Answer, said_to
from tests.support.builders import a_spool, events_in, put
from tests.support.local import LOCAL
from tests.support.people import CREW
from tests.support.server import RunningServer, running_server

TAG = "MK-1"
TAKE = json.dumps({"tag_spool": TAG, "worker_id": 93, "operacion": "ARM"}).encode()
CONFIGURED = "carrete.taller.cl, 203.0.113.9 [2001:db8::9]"
NOT_OURS = (421, "HOST_DESCONOCIDO")
NOT_HTTP = (400, "SOLICITUD_ILEGIBLE")
NOT_ITS_PAGE = (403, "ORIGEN_NO_PERMITIDO")
OK = (200, None)
Floor = tuple[RunningServer, Database]


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    folder: Path = tmp_path_factory.mktemp("hosts")
    url = f"sqlite:///{folder / 'carrete.db'}"
    database = open_database(url)
    migrate(database)
    put(database, [a_spool(TAG)], CREW)
    with running_server(url, folder, settings={"CARRETE_HOSTS": CONFIGURED}) as server:
        yield server, database
    database.close()


def take(*fields: bytes, target: bytes = b"/api/occupation/tomar", version: bytes = b"1.1") -> bytes:
    lines = [b"POST %b HTTP/%b" % (target, version), *fields, b"Content-Type: application/json"]
    return b"\r\n".join([*lines, b"Content-Length: %d" % len(TAKE), b"Connection: close", b"", TAKE])


def outcome(floor: Floor, request: bytes) -> tuple[int, str | None]:
    (answer,) = said_to(floor[0].url, [request])
    return answer.status, answer.code


REFUSED = {
    "a made-up name": (take(b"Host: evil.example"), NOT_OURS),
    "a name that begins like ours": (take(b"Host: localhost.evil.example"), NOT_OURS),
    "a name that ends like ours": (take(b"Host: evilcarrete.taller.cl"), NOT_OURS),
    "ours with somebody in front": (take(b"Host: evil@localhost"), NOT_OURS),
    "an address of nobody here": (take(b"Host: 198.51.100.1"), NOT_OURS),
    "an empty one": (take(b"Host:"), NOT_OURS),
    "a list": (take(b"Host: localhost, evil.example"), NOT_OURS),
    "a blank inside": (take(b"Host: localhost evil.example"), NOT_OURS),
    "a folded one": (take(b"Host: localhost\r\n .evil.example"), NOT_HTTP),
    "bytes beyond ASCII": (take("Host: localhóst".encode()), NOT_OURS),
    "an IPv6 address without brackets": (take(b"Host: ::1"), NOT_OURS),
    "an address in hexadecimal": (take(b"Host: 0x7f000001"), NOT_OURS),
    "none": (take(), NOT_HTTP),
    "none, in HTTP/1.0": (take(version=b"1.0"), NOT_OURS),
    "two": (take(b"Host: localhost", b"Host: localhost"), NOT_HTTP),
    "two that differ": (take(b"Host: localhost", b"Host: evil.example"), NOT_HTTP),
    "a whole address of somebody else": (
        take(b"Host: localhost", target=b"http://evil.example/api/occupation/tomar"),
        NOT_OURS,
    ),
    "a whole address of ours to somebody else": (
        take(b"Host: evil.example", target=b"http://localhost/api/occupation/tomar"),
        NOT_OURS,
    ),
    "ours as the name of a user": (
        take(b"Host: localhost", target=b"http://localhost:8000@evil.example/api/occupation/tomar"),
        NOT_OURS,
    ),
    "a whole address without a Host": (take(target=b"http://localhost/api/occupation/tomar"), NOT_HTTP),
    "what only a proxy may say": (take(b"Host: evil.example", b"X-Forwarded-Host: localhost"), NOT_OURS),
    "another origin": (take(b"Host: localhost", b"Origin: http://evil.example"), NOT_ITS_PAGE),
    "our origin, said by a proxy that nobody named": (
        take(b"Host: localhost", b"X-Forwarded-Host: carrete.taller.cl", b"Origin: http://carrete.taller.cl"),
        NOT_ITS_PAGE,
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_for_us_does_nothing(floor: Floor, name: str) -> None:
    request, expected = REFUSED[name]
    before = len(events_in(floor[1], TAG))
    assert outcome(floor, request) == expected
    assert len(events_in(floor[1], TAG)) == before


SERVED = [
    *(b"localhost", b"LOCALHOST", b"localhost.", b"localhost:1", b"a.b.localhost:8000", b"127.0.0.1", b"127.1.2.3:80"),
    *(b"[::1]", b"[::1]:8000", b"carrete.taller.cl", b"Carrete.Taller.CL.:8443", b"203.0.113.9:80", b"[2001:DB8:0::9]"),
    *(socket.gethostname().encode(), socket.gethostname().partition(".")[0].encode() + b".local"),
]


@pytest.mark.parametrize("host", SERVED)
def test_what_is_for_us_is_served(floor: Floor, host: bytes) -> None:
    assert outcome(floor, take(b"Host: " + host)) == OK
    assert outcome(floor, take(b"Host: localhost", target=b"http://%b/api/occupation/tomar" % host)) == OK
    assert outcome(floor, take(b"Host: " + host, b"Origin: http://" + host.lower())) == OK
    assert outcome(floor, take(target=b"http://%b/api/occupation/tomar" % host, version=b"1.0")) == OK


def test_what_comes_after_a_refusal_on_the_same_connection_is_looked_at_too(floor: Floor) -> None:
    """An accepted name is remembered by name, not by connection."""
    kept = [take(b"Host: " + host).replace(b"Connection: close\r\n", b"") for host in (b"localhost", b"evil.example")]
    found = said_to(floor[0].url, [*kept, take(b"Host: localhost")])
    assert [(answer.status, answer.code) for answer in found] == [OK, NOT_OURS, OK]


def test_junk_is_counted_and_is_one_line_in_the_log(tmp_path: Path) -> None:
    with running_server(f"sqlite:///{tmp_path / 'carrete.db'}", tmp_path) as server:
        for _ in range(40):
            junk: list[Answer] = said_to(server.url, [b"\x16\x03\x01 no http\r\n\r\n"])
            assert [answer.code for answer in junk] == ["SOLICITUD_ILEGIBLE"]
        said_to(server.url, [b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n"])
        figures = httpx.get(f"{server.url}/metrics", **LOCAL).text
        assert 'carrete_junk_requests_total{code="SOLICITUD_ILEGIBLE"} 40.0' in figures
        assert 'carrete_junk_requests_total{code="DIRECCION_DEMASIADO_LARGA"} 1.0' in figures
        assert len(re.findall("\n", server.complaints)) == 1
        assert "junk instead of requests" in server.complaints
