"""The HTTP side, on loopback only: the API on one port, the control on another that stays open when it is shut."""

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
    """Started and stopped as a whole; usable in a test's own process or behind the command."""

    def __init__(self, emulator: Emulator, port: int = 0, control_port: int = 0) -> None:
        self.emulator = emulator
        self.stopping = threading.Event()
        self.exchanges = Exchanges(emulator, self.stopping)
        self.control = Control(emulator, self.mind_the_door)
        self.hints: Json = {}  # what the page tells a newcomer
        self._door_lock = threading.Lock()
        self._control_door = _Door(self, control_port)
        self._door: _Door | None = _Door(self, port)
        self.port = self._door.server_address[1]
        self._ticker = threading.Thread(target=self._tick, name="emulator-ticker", daemon=True)

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def control_url(self) -> str:
        return f"http://{HOST}:{self._control_door.server_address[1]}"

    @property
    def token_uri(self) -> str:
        return f"{self.url}/token"

    def start(self) -> None:
        self._control_door.open()
        if self._door:
            self._door.open()
        self._ticker.start()

    def stop(self) -> None:
        """Whoever is held or hanging is let go first."""
        self.stopping.set()
        self.emulator.barriers.release_all()
        self._ticker.join()
        with self._door_lock:
            if self._door:
                self._door.shut()
                self._door = None
        self._control_door.shut()

    def mind_the_door(self) -> None:
        """Closed while an outage refuses connections, open otherwise."""
        outage = self.emulator.outage
        refused = bool(outage and outage.refuse and outage.on(self.emulator.clock.seconds()))
        with self._door_lock:
            if self.stopping.is_set():
                return
            if refused and self._door:
                self._door.shut()
                self._door = None
            elif not refused and self._door is None:
                self._door = _Door(self, self.port)
                self._door.open()

    def refuse_for(self, seconds: float) -> None:
        self.control.answer("POST", f"{ROOT}/outage", {}, {"mode": "refuse", "for_s": seconds})

    def _tick(self) -> None:
        """On a running clock, what is due happens by itself."""
        pending = False
        while not self.stopping.wait(TICK_S if pending else IDLE_TICK_S):
            pending = bool(self.emulator.waiting or self.emulator.outage)
            if pending:
                self.emulator.run_due()
                self.mind_the_door()


class _Door(ThreadingHTTPServer):
    """A listening socket with the connections that came through it."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, server: Server, port: int) -> None:
        self.owner = server
        self._open: set[socket.socket] = set()
        self._open_lock = threading.Lock()
        self._shut = threading.Event()
        self._porter = threading.Thread(target=self._let_in, name="emulator-door", daemon=True)
        super().__init__((HOST, port), _Handler)

    def open(self) -> None:
        self._porter.start()

    def _let_in(self) -> None:
        """Waits without polling: a closing door is told by a connection of its own."""
        while True:
            try:
                request, address = self.get_request()
            except OSError:
                return
            if self._shut.is_set():
                request.close()
                return
            self.process_request(request, address)

    def shut(self) -> None:
        """Nobody comes in any more, and who is in is thrown out."""
        self._shut.set()
        with suppress(OSError):
            socket.create_connection((HOST, self.server_port), timeout=1).close()
        self._porter.join(timeout=5)
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
        """A client that went away is no error of ours; anything else is, and is shown."""
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
    server: _Door

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
        """None: too long, or of a length that is not said."""
        said = self.headers.get("Content-Length") or "0"
        length = int(said) if said.isdecimal() else -1
        if self.headers.get("Transfer-Encoding") or not 0 <= length <= BODY_BYTES_MAX:
            self.close_connection = True
            return None
        return self.rfile.read(length) if length else b""

    # ─── the API's answers ────────────────────────────────────────────────────────────────────────────────

    def _deliver(self, outcome: HttpOutcome) -> None:
        if outcome.cut == "hang":
            self.server.owner.stopping.wait(outcome.hang_s)
        if outcome.refuse_s:
            # before the client hears: its next try finds the port shut
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
            return _said(403, {"error": {"code": 403, "message": "Only from this machine."}})
        if path in _PAGE:
            name, kind = _PAGE[path]
            return HttpOutcome(200, (resources.files("sheets_emulator") / "page" / name).read_bytes(), kind)
        if path == f"{ROOT}/hints":
            return _said(200, self.server.owner.hints)
        try:
            body = json.loads(raw) if raw else {}
            return _said(200, self.server.owner.control.answer(self.command, path, api.query_of(query), body))
        except ApiError as error:
            return _said(error.code, error.body())
        except ValueError as error:
            return _said(400, {"error": {"code": 400, "message": f"No JSON: {error}"}})

    def _from_here(self) -> bool:
        """A page of some other site, open in the same browser, must not edit the workbook."""
        host = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        origin = self.headers.get("Origin")
        return host in _LOOPBACK and (origin is None or urlsplit(origin).netloc == self.headers.get("Host"))

    def log_message(self, format: str, *args: Any) -> None:
        """The journal keeps the log."""


def _said(status: int, body: Json) -> HttpOutcome:
    return HttpOutcome(status, json.dumps(body, ensure_ascii=False).encode(), JSON_TYPE)
