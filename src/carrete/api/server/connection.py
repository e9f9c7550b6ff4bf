"""One client's connection: uvicorn's own, with bounds on how much a client may send and how long it may take.

A client that breaks a bound, or sends no HTTP, gets a problem document after the answers to its earlier requests; then
the connection ends.
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
from carrete.api.server.headers import API_HEADERS, WHOLE_RESPONSE, header_lines
from carrete.api.server.junk import junk
from carrete.api.server.response_cycle import ResponseCycle

REQUEST_S_MAX = 10.0  # from the first byte to the last; tablets wait no longer for an answer
HEAD_BYTES_MAX = 64 * 1024
REQUEST_BYTES_MAX = 34 * 1024 * 1024  # a little more than `actions` reads of a body that is too large
UPLOAD_PATH = b"/api/planilla/cargas"  # a file may come slowly, if only some of it comes every REQUEST_S_MAX
UPLOAD_S_MAX = 300.0
PHOTO_PATH = b"/api/fotos"  # 400 kB over bad Wi-Fi
PHOTO_S_MAX = 60.0
DRAWING_PATH = b"/api/planos"
_EXTENSIONS: dict[str, dict[Any, Any]] = {WHOLE_RESPONSE: {}}
_SLOW_S_MAX = {UPLOAD_PATH: UPLOAD_S_MAX, PHOTO_PATH: PHOTO_S_MAX, DRAWING_PATH: UPLOAD_S_MAX}


class BrokenHead(Exception):
    """The head of the request is complete and must be refused; `_rejection` has the answer."""


class CoalescingTransport:
    """Holds a response's head back until its body follows, at most until the next turn of the event loop. Head and body
    leave together, so that nginx never has to retry half a response of a process that was killed in between."""

    def __init__(self, transport: Transport, loop: AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._head = b""
        self._is_secure = transport.get_extra_info("sslcontext") is not None

    def write(self, data: bytes) -> None:
        if data.startswith(b"HTTP/1.") and data.endswith(b"\r\n\r\n"):
            self._head += data
            self._loop.call_soon(self.flush)
        elif self._head and data:
            head, self._head = self._head, b""
            if self._is_secure:  # each write would be a record of TLS, encrypted by itself
                self._transport.write(head + data)
            else:
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
        self._whole = True  # no request is partly received
        self._in_head = False
        self._read = 0  # bytes of the present read
        self._total = 0  # bytes of the incoming request, without the read in which it began
        self._outside_body = 0  # those since the last piece of its body: head, chunk sizes, trailers
        self._rejection: Rejection | None = None
        self._given_up = False
        self._answering: RequestResponseCycle | None = None
        self._due = math.inf  # when the whole request must have come
        self._upload_due = 0.0  # when the whole file must have come; 0 for a request that is no upload
        self._timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Browsers connect before they need to: the keep-alive timeout applies before the first request too."""
        self._out = CoalescingTransport(transport, self.loop)
        super().connection_made(cast(Transport, self._out))
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def connection_lost(self, exc: Exception | None) -> None:
        """uvicorn tells only the last request of the disconnect; an earlier one that is being answered is informed
        here."""
        super().connection_lost(exc)
        if self._timer is not None:
            self._timer.cancel()
        self.pipeline.clear()
        if self._answering is not None and not self._answering.response_complete:
            self._answering.disconnected = True
            self._answering.message_event.set()

    def eof_received(self) -> None:
        """The transport closes itself afterwards, so a held-back head must leave now."""
        self._out.flush()

    def data_received(self, data: bytes) -> None:
        if self._given_up:
            return
        self._start_deadline()
        self._read = len(data)
        super().data_received(data)
        if self._whole or self._given_up:
            return
        self._total += self._read
        self._outside_body += self._read
        if self._outside_body > HEAD_BYTES_MAX:
            self._refuse(_too_large_a_head(self.url))
        elif self._total > REQUEST_BYTES_MAX:
            self._refuse(BODY_TOO_LARGE)

    # ─── the request that is coming in ────────────────────────────────────────────────────────────────────────

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = _EXTENSIONS
        self._whole, self._in_head, self._upload_due = False, True, 0.0
        self._total = self._outside_body = -self._read
        self._start_deadline()

    def on_headers_complete(self) -> None:
        self._rejection = self._check_head()
        if self._rejection is not None:
            raise BrokenHead
        if not self.url.startswith(b"/") and (authority := _authority(self.url)) is not None:
            self.headers.append((b"host", authority))
        super().on_headers_complete()
        self._in_head = False
        if slow_s_max := _SLOW_S_MAX.get(self.url.partition(b"?")[0]):
            self._upload_due = self.loop.time() + slow_s_max
        self.headers = []  # trailers after the last chunk of a body are no headers of the request

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        self._outside_body = -self._read
        if self._upload_due and not self.cycle.response_complete:
            self._due = min(self._upload_due, self.loop.time() + REQUEST_S_MAX)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._whole, self._due = True, math.inf

    def _check_head(self) -> Rejection | None:
        came_at_once = self._outside_body < 0 and self._read <= HEAD_BYTES_MAX
        if not came_at_once and len(self.url) + sum(map(len, chain(*self.headers))) > HEAD_BYTES_MAX:
            return _too_large_a_head(self.url)
        hosts = [name for name, _ in self.headers].count(b"host")
        if hosts != 1 and (hosts or self.parser.get_http_version() == "1.1"):
            return UNREADABLE
        return None

    # ─── time ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _start_deadline(self) -> None:
        """One timer serves many requests: when it fires before a later deadline, it is set again."""
        if self._due == math.inf:
            self._due = self.loop.time() + REQUEST_S_MAX
        if self._timer is None:
            self._timer = self.loop.call_at(self._due, self._check_deadline)

    def _check_deadline(self) -> None:
        self._timer = None
        if self.transport.is_closing() or self._due == math.inf:
            return
        if self.loop.time() < self._due:
            self._timer = self.loop.call_at(self._due, self._check_deadline)
        elif not self._whole:
            self._refuse(TOO_SLOW)
        elif self._unanswered():
            self._due = math.inf  # the client sent only blank lines while a long answer is sent
        else:
            self.transport.close()  # the client sent only blank lines

    # ─── giving up ────────────────────────────────────────────────────────────────────────────────────────────

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        cycle.__class__ = ResponseCycle  # uvicorn makes the object itself
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    def _unsupported_upgrade_warning(self) -> None:
        """The request is answered without the upgrade; then the connection ends, because the client may send another
        protocol."""
        self.cycle.keep_alive = False

    def send_400_response(self, msg: str) -> None:
        self.logger.debug(msg)
        self._refuse(self._rejection or UNREADABLE)

    def _refuse(self, rejection: Rejection) -> None:
        """Stops reading. Earlier requests are answered first: the refusal must not look like an answer to them."""
        junk.add(rejection.code)
        self._given_up = True
        broken = None if self._whole or self._in_head else self.cycle
        earlier = [cycle for cycle in self._unanswered() if cycle is not broken]
        if earlier:
            self.pipeline = type(self.pipeline)(each for each in self.pipeline if each[0] is not broken)
            earlier[-1].keep_alive = False
            return
        if broken is None or not broken.response_started:
            self.transport.write(rejection.answer)
        self.transport.close()

    def _unanswered(self) -> list[RequestResponseCycle]:
        """The requests that are not fully answered yet, in their order."""
        begun = [] if self._answering is None or self._answering.response_complete else [self._answering]
        return [*begun, *(cycle for cycle, _ in reversed(self.pipeline))]


class Rejection(NamedTuple):
    code: str
    answer: bytes  # status line, headers and body


def _make_rejection(status: int, code: str, title: str, detail: str) -> Rejection:
    body = problem(status, code, title, detail).encode()
    headers = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"content-length", b"%d" % len(body)),
        (b"connection", b"close"),
        *API_HEADERS,
    ]
    return Rejection(code, STATUS_LINE[status] + header_lines(headers) + b"\r\n" + body)


UNREADABLE = _make_rejection(400, "SOLICITUD_ILEGIBLE", "Solicitud ilegible", "La solicitud no es HTTP válido.")
TOO_SLOW = _make_rejection(
    408,
    "SOLICITUD_INCOMPLETA",
    "Solicitud incompleta",
    f"La solicitud no llegó entera en {REQUEST_S_MAX:.0f} segundos y nada se hizo.",
)
BODY_TOO_LARGE = _make_rejection(
    413, "CUERPO_DEMASIADO_GRANDE", "Cuerpo demasiado grande", "El cuerpo no termina nunca."
)
URL_TOO_LONG = _make_rejection(
    414, "DIRECCION_DEMASIADO_LARGA", "Dirección demasiado larga", "La dirección es demasiado larga."
)
HEAD_TOO_LARGE = _make_rejection(
    431,
    "CABECERAS_DEMASIADO_GRANDES",
    "Cabeceras demasiado grandes",
    f"Las cabeceras pasan de {HEAD_BYTES_MAX // 1024} KiB.",
)


def _authority(url: bytes) -> bytes | None:
    """The host in an absolute address such as http://host/path. It is checked like the `Host` header."""
    _, separator, rest = url.partition(b"://")
    return re.split(rb"[/?#]", rest, maxsplit=1)[0].rpartition(b"@")[2] if separator else None


def _too_large_a_head(url: bytes) -> Rejection:
    return URL_TOO_LONG if len(url) > HEAD_BYTES_MAX // 2 else HEAD_TOO_LARGE
