"""One client's connection: uvicorn's own, with bounds on what a client may send and on how long it may take.

Whoever breaks them, or sends what is no HTTP, gets a problem like any other, after the answers that are still owed.
"""

from __future__ import annotations

import math
import re
from asyncio import AbstractEventLoop, Transport
from asyncio.events import TimerHandle
from itertools import chain
from typing import Any, NamedTuple, cast

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from carrete.api.problems import MEDIA_TYPE, problem
from carrete.api.server.headers import API_HEADERS
from carrete.api.server.junk import junk

REQUEST_S_MAX = 10.0  # from the first byte to the last: tablets wait no longer for their answer
HEAD_BYTES_MAX = 64 * 1024
REQUEST_BYTES_MAX = 34 * 1024 * 1024  # a little more than is read of a body that is too large


class BrokenHead(Exception):
    """The head has come and must not be served; `_why` has the answer."""


class CoalescingTransport:
    """A transport that keeps a head back until its body comes, within this turn of the loop: whoever is killed between
    two writes leaves half an answer behind, which no proxy can ask somebody else for."""

    def __init__(self, transport: Transport, loop: AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._head = b""

    def write(self, data: bytes) -> None:
        if data.startswith(b"HTTP/1.") and data.endswith(b"\r\n\r\n"):
            self._head += data
            self._loop.call_soon(self.flush)
        elif self._head and data:
            head, self._head = self._head, b""
            self._transport.writelines((head, data))
        elif data:
            self._transport.write(data)

    def flush(self) -> None:
        head, self._head = self._head, b""
        if head and not self._transport.is_closing():
            self._transport.write(head)

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class Connection(HttpToolsProtocol):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._whole = True  # nothing of a request has come that is not all here
        self._in_head = False
        self._read = 0  # bytes of this read
        self._total = 0  # of the request that is coming in, after the read in which it began
        self._idle = 0  # of them, those since the last piece of its body: head, sizes of chunks, trailers
        self._why: Rejection | None = None
        self._given_up = False
        self._answering: RequestResponseCycle | None = None
        self._due = math.inf  # when the client must have sent the rest
        self._timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Browsers connect ahead of need: until its first byte it may be as silent as between two requests."""
        self._out = CoalescingTransport(transport, self.loop)
        super().connection_made(cast(Transport, self._out))
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def connection_lost(self, exc: Exception | None) -> None:
        """The last request is told by uvicorn; the one that is being answered before it must hear it too."""
        super().connection_lost(exc)
        if self._timer is not None:
            self._timer.cancel()
        self.pipeline.clear()
        if self._answering is not None and not self._answering.response_complete:
            self._answering.disconnected = True
            self._answering.message_event.set()

    def eof_received(self) -> None:
        """The transport closes itself after it."""
        self._out.flush()

    def data_received(self, data: bytes) -> None:
        if self._given_up:
            return
        self._wait_for_the_client()
        self._read = len(data)
        super().data_received(data)
        if self._whole or self._given_up:
            return
        self._total += self._read
        self._idle += self._read
        if self._idle > HEAD_BYTES_MAX:
            self._refuse(_too_large_a_head(self.url))
        elif self._total > REQUEST_BYTES_MAX:
            self._refuse(BODY_TOO_LARGE)

    # ─── the request that is coming in ────────────────────────────────────────────────────────────────────────

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._whole, self._in_head = False, True
        self._total = self._idle = -self._read
        self._wait_for_the_client()

    def on_headers_complete(self) -> None:
        self._why = self._wrong_with_the_head()
        if self._why is not None:
            raise BrokenHead
        if not self.url.startswith(b"/") and (authority := _authority(self.url)) is not None:
            self.headers.append((b"host", authority))
        super().on_headers_complete()
        self._in_head = False
        self.headers = []  # what follows the last chunk of a body is no header of the request

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        self._idle = -self._read

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._whole, self._due = True, math.inf

    def _wrong_with_the_head(self) -> Rejection | None:
        came_at_once = self._idle < 0 and self._read <= HEAD_BYTES_MAX
        if not came_at_once and len(self.url) + sum(map(len, chain(*self.headers))) > HEAD_BYTES_MAX:
            return _too_large_a_head(self.url)
        hosts = [name for name, _ in self.headers].count(b"host")
        if hosts != 1 and (hosts or self.parser.get_http_version() == "1.1"):
            return UNREADABLE
        return None

    # ─── time ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _wait_for_the_client(self) -> None:
        """One timer serves many requests: it looks at the clock, and goes on waiting when another one is due."""
        if self._due == math.inf:
            self._due = self.loop.time() + REQUEST_S_MAX
        if self._timer is None:
            self._timer = self.loop.call_at(self._due, self._look_at_the_clock)

    def _look_at_the_clock(self) -> None:
        self._timer = None
        if self.transport.is_closing() or self._due == math.inf:
            return
        if self.loop.time() < self._due:
            self._timer = self.loop.call_at(self._due, self._look_at_the_clock)
        elif not self._whole:
            self._refuse(TOO_SLOW)
        elif self._unanswered():
            self._due = math.inf  # blank lines while a long answer is on its way
        else:
            self.transport.close()  # nothing but blank lines

    # ─── giving up ────────────────────────────────────────────────────────────────────────────────────────────

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    def _unsupported_upgrade_warning(self) -> None:
        """Answered as if it had not asked; but what it sends next might be in the other protocol."""
        self.cycle.keep_alive = False

    def send_400_response(self, msg: str) -> None:
        self.logger.debug(msg)
        self._refuse(self._why or UNREADABLE)

    def _refuse(self, rejection: Rejection) -> None:
        """Nothing more is read. An answer that is owed goes first: it must not look as if it were this one."""
        junk.add(rejection.code)
        self._given_up = True
        broken = None if self._whole or self._in_head else self.cycle
        owed = [cycle for cycle in self._unanswered() if cycle is not broken]
        if owed:
            self.pipeline = type(self.pipeline)(each for each in self.pipeline if each[0] is not broken)
            owed[-1].keep_alive = False
            return
        if broken is None or not broken.response_started:
            self.transport.write(rejection.answer)
        self.transport.close()

    def _unanswered(self) -> list[RequestResponseCycle]:
        """The requests that are not answered yet, in their order."""
        begun = [] if self._answering is None or self._answering.response_complete else [self._answering]
        return [*begun, *(cycle for cycle, _ in reversed(self.pipeline))]


class Rejection(NamedTuple):
    code: str
    answer: bytes  # as it goes to the client


def _rejection(status: int, code: str, title: str, detail: str) -> Rejection:
    body = problem(status, code, title, detail).encode()
    headers = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"content-length", b"%d" % len(body)),
        (b"connection", b"close"),
        *API_HEADERS,
    ]
    fields = b"".join(b"%b: %b\r\n" % header for header in headers)
    return Rejection(code, STATUS_LINE[status] + fields + b"\r\n" + body)


UNREADABLE = _rejection(400, "SOLICITUD_ILEGIBLE", "Solicitud ilegible", "La solicitud no es HTTP válido.")
TOO_SLOW = _rejection(
    408,
    "SOLICITUD_INCOMPLETA",
    "Solicitud incompleta",
    f"La solicitud no llegó entera en {REQUEST_S_MAX:.0f} segundos y nada se hizo.",
)
BODY_TOO_LARGE = _rejection(413, "CUERPO_DEMASIADO_GRANDE", "Cuerpo demasiado grande", "El cuerpo no termina nunca.")
URL_TOO_LONG = _rejection(
    414, "DIRECCION_DEMASIADO_LARGA", "Dirección demasiado larga", "La dirección es demasiado larga."
)
HEAD_TOO_LARGE = _rejection(
    431,
    "CABECERAS_DEMASIADO_GRANDES",
    "Cabeceras demasiado grandes",
    f"Las cabeceras pasan de {HEAD_BYTES_MAX // 1024} KiB.",
)


def _authority(url: bytes) -> bytes | None:
    """The host in a whole address such as http://host/path: it must be ours too, like the one in the header."""
    _, separator, rest = url.partition(b"://")
    return re.split(rb"[/?#]", rest, maxsplit=1)[0].rpartition(b"@")[2] if separator else None


def _too_large_a_head(url: bytes) -> Rejection:
    return URL_TOO_LONG if len(url) > HEAD_BYTES_MAX // 2 else HEAD_TOO_LARGE
