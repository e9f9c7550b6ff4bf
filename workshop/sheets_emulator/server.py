"""The HTTP server, on loopback only: the API on one port, the control on another that stays open during an outage."""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import Any
from urllib.parse import urlsplit

from sheets_emulator import api
from sheets_emulator.control import ROOT, Control
from sheets_emulator.emulator import Emulator
from sheets_emulator.errors import ApiError, Json
from sheets_emulator.exchange import JSON_TYPE, Exchanges, HttpOutcome

HOST = "127.0.0.1"
BODY_BYTES_MAX = 64 << 20
IDLE_S_MAX = 300.0
TICK_S = 0.02
IDLE_TICK_S = 0.25
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_RESET = struct.pack("ii", 1, 0)
_PAGE = {
    "/": ("index.html", "text/html; charset=UTF-8"),
    "/page.js": ("page.js", "text/javascript; charset=UTF-8"),
    "/page.css": ("page.css", "text/css; charset=UTF-8"),
}


class Server:
    """Both ports and the clock's thread, started and stopped together, in a test's own process or by the command."""

    def __init__(self, emulator: Emulator, port: int = 0, control_port: int = 0) -> None:
        self.emulator = emulator
        self.stopping = threading.Event()
        self.exchanges = Exchanges(emulator, self.stopping)
        self.control = Control(emulator, self.open_or_close_api)
        self.hints: Json = {}  # settings that the page shows for starting Carrete
        self._listener_lock = threading.Lock()
        self._control_listener = _Listener(self, control_port)
        self._api_listener: _Listener | None = _Listener(self, port)
        self.port = self._api_listener.server_address[1]
        self._ticker = threading.Thread(target=self._tick, name="emulator-ticker", daemon=True)

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def control_url(self) -> str:
        return f"http://{HOST}:{self._control_listener.server_address[1]}"

    @property
    def token_uri(self) -> str:
        return f"{self.url}/token"

    def start(self) -> None:
        self._control_listener.open()
        if self._api_listener:
            self._api_listener.open()
        self._ticker.start()

    def stop(self) -> None:
        """Requests that are held or hanging are released first."""
        self.stopping.set()
        self.emulator.barriers.release_all()
        self._ticker.join()
        with self._listener_lock:
            if self._api_listener:
                self._api_listener.close()
                self._api_listener = None
        self._control_listener.close()

    def open_or_close_api(self) -> None:
        """Closes the API's port while an outage refuses connections, and opens it otherwise."""
        outage = self.emulator.outage
        refused = bool(outage and outage.refuse and outage.on(self.emulator.clock.seconds()))
        with self._listener_lock:
            if self.stopping.is_set():
                return
            if refused and self._api_listener:
                self._api_listener.close()
                self._api_listener = None
            elif not refused and self._api_listener is None:
                self._api_listener = _Listener(self, self.port)
                self._api_listener.open()

    def refuse_for(self, seconds: float) -> None:
        self.control.answer("POST", f"{ROOT}/outage", {}, {"mode": "refuse", "for_s": seconds})

    def _tick(self) -> None:
        """While the clock runs, carries out what is due without waiting for a request."""
        pending = False
        while not self.stopping.wait(TICK_S if pending else IDLE_TICK_S):
            pending = bool(self.emulator.waiting or self.emulator.outage)
            if pending:
                self.emulator.run_due()
                self.open_or_close_api()


class _Listener(ThreadingHTTPServer):
    """A listening socket with the connections that it accepted."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, server: Server, port: int) -> None:
        self.owner = server
        self._open: set[socket.socket] = set()
        self._open_lock = threading.Lock()
        self._closing = threading.Event()
        self._accepting = threading.Thread(target=self._accept_connections, name="emulator-listener", daemon=True)
        super().__init__((HOST, port), _Handler)

    def open(self) -> None:
        self._accepting.start()

    def _accept_connections(self) -> None:
        """Waits without polling: `close` ends the wait by connecting to the port itself."""
        while True:
            try:
                request, address = self.get_request()
            except OSError:
                return
            if self._closing.is_set():
                request.close()
                return
            self.process_request(request, address)

    def close(self) -> None:
        """Accepts no further connection, and resets those that are open."""
        self._closing.set()
        with suppress(OSError):
            socket.create_connection((HOST, self.server_port), timeout=1).close()
        self._accepting.join(timeout=5)
        self.server_close()
        with self._open_lock:
            still_open = list(self._open)
        for connection in still_open:
            reset(connection)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._open_lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._open_lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that disconnected is no error of the emulator; every other error is shown."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def reset(connection: socket.socket) -> None:
    """RST instead of FIN: the client sees its connection broken, not ended."""
    with suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RD)
    with suppress(OSError):
        connection.close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "ESF"
    sys_version = ""
    disable_nagle_algorithm = True
    wbufsize = 1 << 16
    timeout = IDLE_S_MAX
    server: _Listener

    def do_GET(self) -> None:
        self._serve()

    do_POST = do_PUT = do_DELETE = do_GET

    def _serve(self) -> None:
        raw = self._read()
        if raw is None:
            self._send(HttpOutcome(413, b"{}"))
            return
        parts = urlsplit(self.path)
        if parts.path.startswith(ROOT) or parts.path in _PAGE:
            self._send(self._controlled(parts.path, parts.query, raw))
            return
        if parts.path == "/favicon.ico":
            self._send(HttpOutcome(204, b""))
            return
        authorization = self.headers.get("Authorization")
        outcome = self.server.owner.exchanges.handle(self.command, parts.path, parts.query, authorization, raw)
        self._deliver(outcome)

    def _read(self) -> bytes | None:
        """The body; None if it is too long or its length is not given."""
        declared = self.headers.get("Content-Length") or "0"
        length = int(declared) if declared.isdecimal() else -1
        if self.headers.get("Transfer-Encoding") or not 0 <= length <= BODY_BYTES_MAX:
            self.close_connection = True
            return None
        return self.rfile.read(length) if length else b""

    # ─── the API's answers ────────────────────────────────────────────────────────────────────────────────

    def _deliver(self, outcome: HttpOutcome) -> None:
        if outcome.cut == "hang":
            self.server.owner.stopping.wait(outcome.hang_s)
        if outcome.refuse_s:
            # before the client gets the answer: its next attempt finds the port closed
            self.server.owner.refuse_for(outcome.refuse_s)
        if outcome.cut in ("hang", "reset"):
            self._break_off()
            return
        self._send(outcome)

    def _break_off(self) -> None:
        self.close_connection = True
        reset(self.connection)

    def _send(self, outcome: HttpOutcome) -> None:
        self.send_response(outcome.status)
        self.send_header("Content-Type", outcome.content_type)
        self.send_header("Cache-Control", "private")
        self.send_header("Vary", "Origin, X-Origin, Referer")
        self.send_header("X-Content-Type-Options", "nosniff")
        if outcome.content_type.startswith("text/html"):
            self.send_header("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
        if outcome.status != 204:
            self.send_header("Content-Length", str(len(outcome.body)))
        with suppress(OSError):
            self.end_headers()
            self.wfile.write(outcome.body[: len(outcome.body) // 2] if outcome.cut == "truncate" else outcome.body)
            self.wfile.flush()
        if outcome.cut == "truncate":
            self._break_off()

    # ─── control and page ─────────────────────────────────────────────────────────────────────────────────

    def _controlled(self, path: str, query: str, raw: bytes) -> HttpOutcome:
        if not self._from_here():
            return _json_outcome(403, {"error": {"code": 403, "message": "Only from this machine."}})
        if path in _PAGE:
            name, kind = _PAGE[path]
            return HttpOutcome(200, (resources.files("sheets_emulator") / "page" / name).read_bytes(), kind)
        if path == f"{ROOT}/hints":
            return _json_outcome(200, self.server.owner.hints)
        try:
            body = json.loads(raw) if raw else {}
            return _json_outcome(200, self.server.owner.control.answer(self.command, path, api.query_of(query), body))
        except ApiError as error:
            return _json_outcome(error.code, error.body())
        except ValueError as error:
            return _json_outcome(400, {"error": {"code": 400, "message": f"No JSON: {error}"}})

    def _from_here(self) -> bool:
        """A page of another site, open in the same browser, must not edit the workbook."""
        host = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        origin = self.headers.get("Origin")
        return host in _LOOPBACK and (origin is None or urlsplit(origin).netloc == self.headers.get("Host"))

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing here: the journal has the log."""


def _json_outcome(status: int, body: Json) -> HttpOutcome:
    return HttpOutcome(status, json.dumps(body, ensure_ascii=False).encode(), JSON_TYPE)
