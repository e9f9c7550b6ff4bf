"""What only a real server shows: bodies in flight, bytes in paths and headers, and a disk that is full."""

from __future__ import annotations

import json
import resource
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.migrate import migrate
from tests.support.answers import PROBLEM, done, refused
from tests.support.builders import TAG, a_spool, events_in, put
from tests.support.local import LOCAL
from tests.support.people import CREW
from tests.support.server import RunningServer, running_server

GOOD = {"tag_spool": TAG, "worker_id": 93, "operacion": "ARM"}
MEGABYTES_5 = b"x" * (5 * 1024 * 1024)


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningServer, Database]]:
    folder: Path = tmp_path_factory.mktemp("wire")
    url = f"sqlite:///{folder / 'carrete.db'}"
    database = open_database(url)
    migrate(database)
    put(
        database,
        [a_spool(), a_spool("A/B"), a_spool("/%2F"), a_spool("A/notas"), a_spool("DISK"), a_spool("CUT")],
        CREW,
    )
    with running_server(url, folder) as server:
        yield server, database
    database.close()


def test_a_body_of_five_megabytes_is_413_and_the_tablet_gets_that_answer(floor: tuple[RunningServer, Database]) -> None:
    server, database = floor
    with server.client() as client:
        for content in (MEGABYTES_5, iter([MEGABYTES_5])):  # with a Content-Length, and in chunks
            answer = client.post("/api/occupation/tomar", content=content, headers={"Content-Type": "application/json"})
            refused(answer, 413, "CUERPO_DEMASIADO_GRANDE")
        assert client.get("/api/health").status_code == 200
    assert events_in(database, TAG) == []


def raw(server: RunningServer, request: bytes) -> bytes:
    """Bytes as no well-behaved client would send them; the answer until the server closes."""
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
        connection.sendall(request)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    return answer


def post_head(accion: str) -> bytes:
    fields = f"POST /api/occupation/{accion} HTTP/1.1", "Host: localhost", "Content-Type: application/json", ""
    return "\r\n".join(fields).encode()


def get(server: RunningServer, path: bytes) -> bytes:
    return raw(server, b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")


def test_an_answer_leaves_in_one_piece(floor: tuple[RunningServer, Database]) -> None:
    """A killed process leaves a whole answer or none: a proxy can retry a request on another process only if it got
    none."""
    server, _ = floor
    address = urlsplit(server.url)
    paths = (b"/api/health", b"/api/spools/none", b"/api/workers", b"/")
    with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
        for count, path in enumerate(paths, 1):
            connection.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert b"\r\n\r\n" in connection.recv(65536)
            assert segments_received(connection) == count, path


def test_the_answer_to_an_action_has_the_headers_of_every_other_answer(floor: tuple[RunningServer, Database]) -> None:
    """Actions are answered in one write of our own, not by uvicorn's."""
    server, _ = floor
    with server.client() as client:
        action = client.post("/api/occupation/tomar", json={**GOOD, "tag_spool": "HEADERS"})
        other = client.get("/api/spools/none")
    own = {"content-type", "content-length"}
    assert refused(action, 404, "SPOOL_NO_ENCONTRADO")
    assert {name: action.headers[name] for name in other.headers.keys() - own - {"date"}} == {
        name: other.headers[name] for name in other.headers.keys() - own - {"date"}
    }
    assert action.headers.keys() == other.headers.keys()


def test_the_answers_to_two_actions_come_in_order_and_the_last_closes_when_asked(
    floor: tuple[RunningServer, Database],
) -> None:
    server, _ = floor
    body = json.dumps({**GOOD, "tag_spool": "CLOSE"}).encode()
    head = post_head("tomar") + b"Content-Length: %d\r\n" % len(body)
    answers = raw(server, head + b"\r\n" + body + head + b"Connection: close\r\n\r\n" + body)
    first, last = answers.split(b"HTTP/1.1 404 ")[1:]
    assert b"connection: close\r\n" not in first
    assert b"connection: close\r\n" in last
    for answer in (first, last):
        fields, _, content = answer.partition(b"\r\n\r\n")
        assert b"content-length: %d\r\n" % len(content) in fields


def test_a_client_that_closes_its_side_after_the_request_still_gets_the_answer(
    floor: tuple[RunningServer, Database],
) -> None:
    """Also when the answer is nothing but a head."""
    server, _ = floor
    address = urlsplit(server.url)
    for verb in (b"HEAD", b"GET"):
        with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
            connection.sendall(verb + b" / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")


def test_a_head_alone_does_not_wait_for_a_body(floor: tuple[RunningServer, Database]) -> None:
    """On a connection that stays open, where no later write would push the rest out."""
    server, _ = floor
    address = urlsplit(server.url)
    told_to_go_on = post_head("tomar") + b"Content-Length: 2\r\nExpect: 100-continue\r\n"
    for request, status in ((b"HEAD / HTTP/1.1\r\nHost: localhost\r\n", b"200"), (told_to_go_on, b"100")):
        with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
            connection.sendall(request + b"\r\n")
            assert connection.recv(65536).startswith(b"HTTP/1.1 " + status)


def test_whoever_asks_by_head_gets_the_head_of_the_answer(floor: tuple[RunningServer, Database]) -> None:
    """Programs that watch a server ask so. The connection goes on: no byte of the answer's body is in the way."""
    server, _ = floor
    paths = ("/api/health", "/api/health/ready", "/api/spools", f"/api/spools/{TAG}", "/api/spools/NADA", "/metrics")
    with server.client() as client:
        for path in (*paths, "/api/openapi.json", f"/api/history/{TAG}", "/api/spools?limit=0"):
            head, get = client.head(path), client.get(path)
            assert (head.status_code, head.content) == (get.status_code, b""), path
            assert head.headers["content-type"] == get.headers["content-type"], path
        refused(client.get("/api/occupation/tomar"), 405, "METODO_NO_PERMITIDO")
        for path in ("/api/occupation/tomar", "/api/sse/stream"):
            assert client.head(path).status_code == 405, path


def segments_received(connection: socket.socket) -> int:
    """The TCP segments with data that arrived: `tcpi_data_segs_in` of Linux."""
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 160)
    return int.from_bytes(info[152:156], sys.byteorder)


def test_a_slash_in_a_tag_is_percent_encoded_in_the_path(floor: tuple[RunningServer, Database]) -> None:
    server, _ = floor
    for path, tag in ((b"A%2FB", "A/B"), (b"A%2fB", "A/B"), (b"%2F%252F", "/%2F"), (b"A%2Fnotas", "A/notas")):
        head, _, body = get(server, b"/api/spools/" + path).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        assert json.loads(body)["tag_spool"] == tag


def test_bytes_that_are_no_text_break_nothing(floor: tuple[RunningServer, Database]) -> None:
    server, _ = floor
    for path in (b"%FF%FE", b"%ED%A0%80", b"%00", b"A%0AB", b"%", b"%zz", b"..%2F..%2Fetc%2Fpasswd", b"\xff"):
        answer = get(server, b"/api/spools/" + path)
        status = answer.split(b" ")[1]
        assert status in (b"404", b"422", b"400"), (path, answer)
        assert status == b"400" or PROBLEM.encode() in answer
    for key in (b"\xff\xfe", "ñ😀".encode()):
        body = json.dumps(GOOD).encode()
        head = post_head("pausar") + b"Connection: close\r\nIdempotency-Key: " + key
        answer = raw(server, head + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        assert answer.startswith(b"HTTP/1.1 400 "), answer
        assert b"OPERACION_NO_INICIADA" in answer


def test_a_request_that_was_cut_off_does_nothing(floor: tuple[RunningServer, Database]) -> None:
    """The tablet lost its Wi-Fi before the last bytes that it had announced; the bytes so far are not the request."""
    server, database = floor
    body = json.dumps({**GOOD, "tag_spool": "CUT"}).encode()
    head = post_head("tomar") + b"Content-Length: %d\r\n\r\n" % (len(body) + 1)
    address = urlsplit(server.url)
    for sent in (body[:20], body):
        with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
            connection.sendall(head + sent)
    with server.tablet() as tablet:
        for _ in range(20):  # more than enough turns for what was cut off to have been decided
            tablet.tap("TOMAR", "NO-HAY")
    assert events_in(database, "CUT") == []


def test_a_full_disk_is_503_and_work_goes_on_when_there_is_room_again(
    floor: tuple[RunningServer, Database],
) -> None:
    server, database = floor
    with server.client() as client:
        body = {**GOOD, "tag_spool": "DISK"}
        soft, hard = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (4096, hard))  # no file may grow: as on a full disk
        try:
            answers = [client.post("/api/occupation/tomar", json=body) for _ in range(3)]
            reading = client.get("/api/spools")
        finally:
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (soft, hard))
        for answer in answers:
            refused(answer, 503, "LEDGER_UNAVAILABLE")
            assert "retry-after" in answer.headers
        assert reading.status_code == 200
        assert events_in(database, "DISK") == []
        done(client.post("/api/occupation/tomar", json=body))
        assert len(events_in(database, "DISK")) == 1


def test_every_answer_is_utf8_json(floor: tuple[RunningServer, Database]) -> None:
    server, _ = floor
    answer = httpx.get(f"{server.url}/api/workers", **LOCAL)
    assert answer.headers["content-type"] == "application/json"
    assert "Ángela" in answer.content.decode("utf-8")
