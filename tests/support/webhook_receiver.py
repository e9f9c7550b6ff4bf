"""A real receiver of webhooks: an HTTP server on this machine that answers as a test says and keeps what it got."""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class ReceiverAnswer:
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    after_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes
    status: int
    at: float  # monotonic

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def accepted(self) -> bool:
        return 200 <= self.status < 300


Answers = Callable[[Mapping[str, Any]], ReceiverAnswer]


class WebhookReceiver:
    """`answers` decides from the message; `is_down` closes each connection without a word."""

    def __init__(self, certificate: tuple[Path, Path] | None = None) -> None:
        self.received: list[Received] = []
        self.answers: Answers = lambda _: ReceiverAnswer()
        self.is_down = False
        self.attempts = 0
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/avisos"

    @property
    def accepted(self) -> list[Received]:
        with self._lock:
            return [each for each in self.received if each.accepted]

    @property
    def accepted_seqs(self) -> list[int]:
        return [each.json["seq"] for each in self.accepted]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                receiver.attempts += 1
                if receiver.is_down:
                    self.close_connection = True
                    return
                body = self.rfile.read(int(self.headers["content-length"]))
                answer = receiver.answers(json.loads(body))
                headers = {name.lower(): value for name, value in self.headers.items()}
                with receiver._lock:
                    receiver.received.append(Received(self.path, headers, body, answer.status, time.monotonic()))
                time.sleep(answer.after_s)
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Tests do not want its lines."""

        return Handler


@contextmanager
def webhook_receiver(certificate: tuple[Path, Path] | None = None) -> Iterator[WebhookReceiver]:
    """With a certificate (its file and its key's) it speaks HTTPS."""
    receiver = WebhookReceiver(certificate)
    try:
        yield receiver
    finally:
        receiver.close()
