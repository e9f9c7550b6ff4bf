"""Bytes that no well-behaved client sends, to a real server: a correct answer or a closed connection; no hang, no
traceback, no effect."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from carrete.api.server.connection import Connection
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.migrate import migrate
from tests.integration.fuzz.wire import HANG_S_MAX, Answer, connected, hang_up_rudely, said_to
from tests.support.answers import done
from tests.support.builders import a_spool, events_in, put
from tests.support.people import CREW
from tests.support.server import RunningServer, running_server

Expected = tuple[int, str | None]  # status and code
TARGET = "MK-1"  # what every hostile request tries to take
CANARY = "MK-2"  # the spool that an ordinary worker takes and pauses after each of them
GREW_KB_MAX = 64 * 1024
KB_256 = 256 * 1024
DRIP_S = 0.25


def body(**fields: Any) -> bytes:
    return json.dumps({"tag_spool": TARGET, "worker_id": 93, "operacion": "ARM", **fields}).encode()


TAKE = body()
HOST = b"Host: localhost"
JSON = b"Content-Type: application/json"


def post(*fields: bytes, content: bytes = b"", host: bool = True) -> bytes:
    """A take with exactly these header lines after the host and, unless they say another, the type."""
    typed = [] if any(field.lower().startswith(b"content-type:") for field in fields) else [JSON]
    lines = [b"POST /api/occupation/tomar HTTP/1.1", *([HOST] if host else []), *typed, *fields]
    return b"\r\n".join(lines) + b"\r\n\r\n" + content


def whole(content: bytes = TAKE, *fields: bytes, close: bool = True) -> bytes:
    """A request whose frame is in order, whatever is in it."""
    ending = (b"Connection: close",) if close else ()
    return post(*fields, b"Content-Length: %d" % len(content), *ending, content=content)


def get(path: bytes, *fields: bytes, method: bytes = b"GET") -> bytes:
    return b"\r\n".join([method + b" " + path + b" HTTP/1.1", HOST, *fields, b"Connection: close", b"", b""])


def chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + end


TE = b"Transfer-Encoding: chunked"
NOT_HTTP = (400, "SOLICITUD_ILEGIBLE")
NOT_OURS = (421, "HOST_DESCONOCIDO")
NOT_JSON = (415, "NO_ES_JSON")
NOT_VALID = (422, "DATOS_INVALIDOS")
NOT_FOUND = (404, "SPOOL_NO_ENCONTRADO")
NO_SUCH_ADDRESS = (404, "NO_EXISTE")
NO_SUCH_METHOD = (405, "METODO_NO_PERMITIDO")
BODY_TOO_LARGE = (413, "CUERPO_DEMASIADO_GRANDE")
URL_TOO_LONG = (414, "DIRECCION_DEMASIADO_LARGA")
HEAD_TOO_LARGE = (431, "CABECERAS_DEMASIADO_GRANDES")
OK = (200, None)
LATE = (408, "SOLICITUD_INCOMPLETA")


@dataclass(frozen=True)
class Case:
    name: str
    pieces: Iterable[bytes]
    expected: Sequence[Expected]  # every answer on that connection, in order; then it is closed
    effects: int = 0  # events of the target that may be there afterwards


def case(
    name: str, sent: bytes, then: Iterable[bytes] = (), *, gets: Sequence[Expected] = (NOT_HTTP,), effects: int = 0
) -> Case:
    return Case(name, chain([sent], then), gets, effects)


def for_ever(piece: bytes) -> Iterable[bytes]:
    """A hundred megabytes: more than a server may keep of one request."""
    return repeat(piece, 100 * 1024 * 1024 // len(piece))


HEALTH = get(b"/api/health")
SMUGGLED = whole(close=False)

CASES = [
    # ─── where one request ends and the next begins ──
    case("both a length and chunks", post(b"Content-Length: 4", TE, content=b"0\r\n\r\n" + SMUGGLED)),
    case("both chunks and a length", post(TE, b"Content-Length: 4", content=b"0\r\n\r\n" + SMUGGLED)),
    case("chunked spelled so that a proxy overlooks it", post(b"Transfer-Encoding: xchunked", content=chunked(TAKE))),
    case("a blank before the colon", post(b"Transfer-Encoding : chunked", content=chunked(TAKE))),
    case("chunked, and then identity", post(TE, b"Transfer-Encoding: identity", content=chunked(TAKE))),
    case("a coding on a folded line", post(b"Transfer-Encoding:\r\n chunked", content=chunked(TAKE))),
    case("two lengths that differ", post(b"Content-Length: 1", b"Content-Length: %d" % len(TAKE), content=TAKE)),
    case("the same length twice", post(*[b"Content-Length: %d" % len(TAKE)] * 2, content=TAKE)),
    case("a list of lengths", post(b"Content-Length: %d, %d" % (len(TAKE), len(TAKE)), content=TAKE)),
    case("a negative length", post(b"Content-Length: -1", content=TAKE)),
    case("a length with a plus", post(b"Content-Length: +%d" % len(TAKE), content=TAKE)),
    case("a length in hexadecimal", post(b"Content-Length: 0x40", content=TAKE)),
    case("a length of no digits", post(b"Content-Length:", content=TAKE)),
    case("a length beyond 64 bits", post(b"Content-Length: 99999999999999999999999", content=TAKE)),
    case("a chunk whose size is no number", post(TE, content=b"zz\r\n" + TAKE + b"\r\n0\r\n\r\n")),
    case("a chunk size beyond 64 bits", post(TE, content=b"fffffffffffffffff\r\n" + TAKE)),
    case("a negative chunk size", post(TE, content=b"-1\r\n" + TAKE)),
    case("a chunk longer than it said", post(TE, content=b"3\r\n" + TAKE + b"\r\n0\r\n\r\n")),
    case("chunks that end in bare line feeds", post(TE, content=b"%x\n%b\n0\n\n" % (len(TAKE), TAKE))),
    case(
        "a key hidden behind the last chunk is no header",
        post(TE, b"Connection: close", content=chunked(TAKE, end=b"0\r\nIdempotency-Key: %b\r\n\r\n" % (b"k" * 129))),
        gets=[OK],
        effects=1,
    ),
    case("rubbish behind a good request: its own answer comes first", SMUGGLED + b"\0\0\0", gets=[OK], effects=1),
    case(
        "a smuggled take behind a body that is longer than said",
        whole(b"{}", close=False) + b"G" + SMUGGLED,
        gets=[NOT_VALID],
    ),
    # ─── lines and names ──
    case("bare line feeds", b"GET /api/health HTTP/1.1\nHost: localhost\n\n"),
    case("a bare carriage return in a header", get(b"/api/health", b"X: a\rY: b")),
    case("a NUL in a header", get(b"/api/health", b"X: a\0b")),
    case("a NUL in the path", get(b"/api/\0health")),
    case("bytes beyond ASCII in the path", get("/api/spools/ñ".encode())),
    case("a blank in the path", get(b"/api/spools/MK 1")),
    case("a header without a name", get(b"/api/health", b": x")),
    case("no host", post(b"Content-Length: %d" % len(TAKE), content=TAKE, host=False)),
    case("two hosts", post(b"Host: y", b"Content-Length: %d" % len(TAKE), content=TAKE)),
    case("no host in HTTP/1.0, which had none", b"GET /api/health HTTP/1.0\r\n\r\n", gets=[NOT_OURS]),
    case("a version that never was", b"GET /api/health HTTP/9.9\r\nHost: localhost\r\n\r\n"),
    case("HTTP/2 without asking", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    case("TLS on a plain port", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200)),
    case("a whole address of somebody else", get(b"http://elsewhere.example/api/health"), gets=[NOT_OURS]),
    # ─── too much ──
    case("a head of 100 kB", get(b"/api/health", b"X: " + b"a" * 100_000), gets=[HEAD_TOO_LARGE]),
    case("ten thousand headers", get(b"/api/health", *[b"X-%d: y" % n for n in range(10_000)]), gets=[HEAD_TOO_LARGE]),
    case("an address of 100 kB", get(b"/api/spools/" + b"a" * 100_000), gets=[URL_TOO_LONG]),
    case(
        "one header without end",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ",
        for_ever(b"a" * KB_256),
        gets=[HEAD_TOO_LARGE],
    ),
    case(
        "a trailer without end",
        post(TE, content=chunked(TAKE, end=b"0\r\nX: ")),
        for_ever(b"a" * KB_256),
        gets=[HEAD_TOO_LARGE],
    ),
    case("a body of 5 MB", whole(b"[" * 5_000_000), gets=[BODY_TOO_LARGE]),
    case("chunks without end", post(TE), for_ever(chunked(b"a" * KB_256, end=b"")), gets=[BODY_TOO_LARGE]),
    case("a body behind a reading", get(b"/api/spools", b"Content-Length: %d" % len(TAKE)) + TAKE, gets=[OK]),
    case("an idempotency key of 10 kB", whole(TAKE, b"Idempotency-Key: " + b"k" * 10_000), gets=[NOT_VALID]),
    # ─── bodies ──
    case("JSON 100,000 deep", whole(b'{"tag_spool":' + b"[" * 100_000 + b"]" * 100_000 + b"}"), gets=[NOT_JSON]),
    case(
        "JSON 100,000 deep where nobody looks",
        whole(body()[:-1] + b',"worker_nombre":' + b"[" * 100_000),
        gets=[NOT_JSON],
    ),
    case("a worker with 4,000 digits", whole(body().replace(b"93", b"9" * 4_000)), gets=[NOT_VALID]),
    case("a worker that is not a number", whole(body().replace(b"93", b"NaN")), gets=[NOT_VALID]),
    case("an infinite worker", whole(body().replace(b"93", b"-Infinity")), gets=[NOT_VALID]),
    case("the same field twice: the last one counts", whole(body()[:-1] + b',"tag_spool":"NO-HAY"}'), gets=[NOT_FOUND]),
    case("a body that is no UTF-8", whole(body().replace(b"MK-1", b"MK-\xff")), gets=[NOT_JSON]),
    case("half of a surrogate pair", whole(body().replace(b"MK-1", b"\\ud800")), gets=[NOT_JSON]),
    case("a body in UTF-16", whole(TAKE.decode().encode("utf-16")), gets=[NOT_JSON]),
    case("a mark at the beginning", whole(b"\xef\xbb\xbf" + TAKE), gets=[NOT_JSON]),
    case("a NUL behind the body", whole(TAKE + b"\0"), gets=[NOT_JSON]),
    case("a form", whole(TAKE, b"Content-Type: application/x-www-form-urlencoded"), gets=[NOT_JSON]),
    case(
        "a body said to be compressed", whole(b"\x1f\x8b\x08" + bytes(20), b"Content-Encoding: gzip"), gets=[NOT_JSON]
    ),
    case("no body", post(b"Connection: close"), gets=[NOT_JSON]),
    # ─── methods and addresses ──
    case("TRACE", get(b"/api/health", method=b"TRACE"), gets=[NO_SUCH_METHOD]),
    case("CONNECT", get(b"elsewhere.example:443", method=b"CONNECT")),
    case("a method that nobody knows", get(b"/api/health", method=b"BREW")),
    case("a question about the server as a whole", get(b"*", method=b"OPTIONS"), gets=[NO_SUCH_ADDRESS]),
    case("deleting the list", get(b"/api/spools", method=b"DELETE"), gets=[NO_SUCH_METHOD]),
    case("a web socket", get(b"/api/health", b"Upgrade: websocket").replace(b": close", b": Upgrade"), gets=[OK]),
    case(
        "a take behind an upgrade",
        whole(TAKE, b"Upgrade: h2c").replace(b": close", b": Upgrade") + SMUGGLED,
        gets=[NOT_JSON],
    ),
    case("out of the folder, encoded", get(b"/..%2f..%2f..%2fetc/passwd"), gets=[OK]),
    case("out of the folder, plain", get(b"/assets/../../../../etc/passwd"), gets=[NO_SUCH_ADDRESS]),
    case("out of the folder, twice encoded", get(b"/assets/%252e%252e%252fsettings.py"), gets=[NO_SUCH_ADDRESS]),
    case("a NUL in a file's name", get(b"/index.html%00.png"), gets=[NO_SUCH_ADDRESS]),
    case("slashes in a tag", get(b"/api/spools/..%2F..%2Fhealth"), gets=[NOT_FOUND]),
    case("a tag of bytes that are no text", get(b"/api/spools/%FF%FE%ED%A0%80"), gets=[NOT_FOUND]),
    case("a tag of control characters", get(b"/api/spools/%00%0d%0aX:y"), gets=[NO_SUCH_ADDRESS]),
    case("a search for a NUL", get(b"/api/spools?q=%00&cursor=%00"), gets=[NOT_VALID]),
    case("a search for half a letter", get(b"/api/spools?q=%ff%c3"), gets=[OK]),
    case("a line break in a place of the stream", get(b"/api/sse/stream?since=1%0d%0aX:%20y"), gets=[NOT_VALID]),
    case("a header split by an encoded line break", whole(body(tag_spool="A\r\nSet-Cookie: x=y")), gets=[NOT_VALID]),
    # ─── one after another ──
    case(
        "three in one breath are answered in order",
        whole(body(operacion="X"), close=False) + whole(b"{", close=False) + HEALTH,
        gets=[NOT_VALID, NOT_JSON, OK],
    ),
    case("the second of two is no HTTP", whole(body(operacion="X"), close=False) + b"?", gets=[NOT_VALID]),
    case(
        "the second of two breaks off inside its chunks", SMUGGLED + post(TE, content=b"zz\r\n"), gets=[OK], effects=1
    ),
    case(
        "asked for leave to send, and then sent",
        post(b"Expect: 100-continue", b"Content-Length: %d" % len(TAKE), b"Connection: close"),
        [TAKE],
        gets=[OK],
        effects=1,
    ),
]


# Each is begun at the first test and waited for at the last: they take as long as the server lets them.
DRIPS = {
    "a head that drips": (chain([b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nX: "], repeat(b"a")), [LATE]),
    "a body that drips": (chain([whole(TAKE + b" " * 1000)[:-900]], repeat(b" ")), [LATE]),
    "chunks that drip": (chain([post(TE)], repeat(b"1\r\n \r\n")), [LATE]),
    "a trailer that drips": (chain([post(TE, content=chunked(TAKE, end=b"0\r\nX: "))], repeat(b"a")), [LATE]),
    "a request that stops in the middle": ([whole()[:-1]], [LATE]),
    "HTTP/0.9, which has no end": ([b"GET /api/health\r\n"], [LATE]),
    "a second request that stops in the middle": ([whole(b"{}", close=False) + whole()[:-1]], [NOT_VALID, LATE]),
    "blank lines for ever": (repeat(b"\r\n"), []),
    "blank lines for ever after a request": (chain([whole(b"{}", close=False)], repeat(b"\r\n")), [NOT_VALID]),
    "a body behind an answer that was given without it": (
        chain([get(b"/api/health", b"Content-Length: 9999999").replace(b": close", b": keep-alive")], repeat(b"a")),
        [OK],
    ),
}
Floor = tuple[RunningServer, Database]


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    folder: Path = tmp_path_factory.mktemp("sockets")
    url = f"sqlite:///{folder / 'carrete.db'}"
    database = open_database(url)
    migrate(database)
    put(database, [a_spool(TARGET), a_spool(CANARY)], CREW)
    with running_server(url, folder) as server:
        yield server, database
    database.close()


def seen(found: Sequence[Answer]) -> list[Expected]:
    return [(answer.status, answer.code) for answer in found]


@pytest.mark.parametrize("case", CASES, ids=lambda each: each.name)
def test_a_hostile_request_gets_its_answer_and_does_nothing_else(floor: Floor, case: Case) -> None:
    server, database = floor
    before = len(events_in(database, TARGET))
    found = said_to(server.url, case.pieces)
    assert seen(found) == list(case.expected)
    assert not any(b"root:" in answer.body for answer in found)
    assert len(events_in(database, TARGET)) - before == case.effects
    assert_work_goes_on(floor)


def assert_work_goes_on(floor: Floor) -> None:
    """On a new connection an ordinary worker takes and pauses a spool; the log has no unexpected line."""
    server, _ = floor
    with server.tablet() as tablet:
        done(tablet.tap("TOMAR", CANARY))
        done(tablet.tap("PAUSAR", CANARY))
        tablet.tap("PAUSAR", TARGET)  # as it was, for the next test
    assert "Traceback" not in server.complaints
    assert "unforeseen" not in server.complaints
    assert "ERROR" not in server.complaints


@pytest.fixture(scope="module", autouse=True)
def drips(floor: Floor) -> Iterator[dict[str, Future[list[Answer]]]]:
    server, _ = floor
    with ThreadPoolExecutor(len(DRIPS)) as clients:
        yield {name: clients.submit(said_to, server.url, pieces, DRIP_S) for name, (pieces, _) in DRIPS.items()}


@pytest.fixture(scope="module", autouse=True)
def kilobytes_before(floor: Floor) -> int:
    return resident_kb(floor[0].pid)


def resident_kb(pid: int) -> int:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1])


@pytest.mark.parametrize("cut", [1, 20, len(whole()) - 1])
@pytest.mark.parametrize("rudely", [False, True])
def test_a_client_that_leaves_in_the_middle_of_its_request_did_nothing(floor: Floor, cut: int, rudely: bool) -> None:
    server, database = floor
    before = events_in(database, TARGET)
    with connected(server.url) as client:
        client.sendall(whole()[:cut])
        if rudely:
            hang_up_rudely(client)
    assert_work_goes_on(floor)
    assert events_in(database, TARGET) == before


def test_a_client_that_leaves_before_the_answer_may_ask_again_with_its_key(floor: Floor) -> None:
    """The client has half closed the connection, or is gone: whether the action was done is found out with the same
    key, and it is done once."""
    server, database = floor
    before = len(events_in(database, TARGET))
    for close in (lambda client: client.shutdown(socket.SHUT_WR), hang_up_rudely, socket.socket.close):
        with connected(server.url) as client:
            client.sendall(whole(TAKE, b"Idempotency-Key: left"))
            close(client)
    (again,) = said_to(server.url, [whole(TAKE, b"Idempotency-Key: left")])
    assert again.status == 200
    assert len(events_in(database, TARGET)) - before == 1
    assert_work_goes_on(floor)


def test_a_viewer_who_asked_for_more_on_the_same_connection_is_noticed_when_it_leaves(floor: Floor) -> None:
    server, _ = floor
    assert viewers(server) == 0
    for _ in range(5):
        with connected(server.url) as client:
            client.sendall(b"GET /api/sse/stream HTTP/1.1\r\nHost: localhost\r\n\r\n" + HEALTH)
            assert b"text/event-stream" in client.recv(65_536)
            hang_up_rudely(client)
    until = time.monotonic() + HANG_S_MAX
    while viewers(server):
        assert time.monotonic() < until, "the stream goes on for somebody who is gone"
        assert_work_goes_on(floor)  # a stream notices it with its next write


def viewers(server: RunningServer) -> int:
    with server.client() as client:
        found = re.search(r"^carrete_live_viewers (\d+)", client.get("/metrics").text, re.MULTILINE)
    assert found is not None
    return int(float(found[1]))


@pytest.mark.parametrize("name", DRIPS)
def test_a_client_that_sends_too_slowly_is_disconnected(
    floor: Floor, drips: dict[str, Future[list[Answer]]], name: str
) -> None:
    assert seen(drips[name].result(HANG_S_MAX)) == DRIPS[name][1]


def test_a_connection_that_never_sends_a_request_is_closed_like_an_idle_one() -> None:
    """With a tenth of a second in place of the 75 that `serve` gives."""

    async def silent() -> bytes:
        loop = asyncio.get_running_loop()
        config = uvicorn.Config("carrete.api.app:create_app", log_config=None, ws="none")
        config.load()
        config.timeout_keep_alive = 0.1  # type: ignore[assignment]
        server = await loop.create_server(lambda: Connection(config, ServerState(), {}), "127.0.0.1", 0)
        async with server, asyncio.timeout(HANG_S_MAX):
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            response = await reader.read()
            writer.close()
        return response

    assert asyncio.run(silent()) == b""


def test_after_all_hostile_requests_the_server_works_and_has_kept_nothing_of_them(
    floor: Floor, kilobytes_before: int
) -> None:
    server, database = floor
    assert_work_goes_on(floor)
    grew = resident_kb(server.pid) - kilobytes_before
    print(f"{len(CASES)} hostile requests and {len(DRIPS)} slow ones later: {grew} kB more")
    assert grew < GREW_KB_MAX
    assert {event.event.worker for event in events_in(database)} == {"MR(93)"}
    assert connections_to(server) == 0


def connections_to(server: RunningServer) -> int:
    """Open at the server's end."""
    port = int(server.url.rpartition(":")[2])
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return sum(line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "01" for line in lines)
