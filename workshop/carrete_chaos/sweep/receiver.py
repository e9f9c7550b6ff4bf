"""A receiver of webhooks in a process of its own: it writes each message to a file and then answers 200."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import NoReturn

from carrete.parent_death import end_with_parent
from carrete.webhooks.signature import signed_headers


@dataclass(frozen=True, slots=True)
class ReceivedMessage:
    id: str
    timestamp: str
    signature: str
    body: str

    def is_signed_with(self, key: bytes) -> bool:
        headers = signed_headers(key, self.id, int(self.timestamp), self.body.encode())
        return headers["webhook-signature"] == self.signature


class Receiver:
    def __init__(self, file: Path) -> None:
        self._file = file
        self._server = HTTPServer(("127.0.0.1", 0), _handler(self._keep))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/avisos"
        self._pid = os.fork()
        if self._pid == 0:
            self._serve()
        self._server.server_close()  # the child's is open

    def _serve(self) -> NoReturn:
        try:
            end_with_parent()
            self._server.serve_forever()
        finally:
            os._exit(0)

    def _keep(self, message: list[str]) -> None:
        with self._file.open("a") as file:
            file.write(json.dumps(message) + "\n")

    @property
    def messages(self) -> list[ReceivedMessage]:
        """All of them, in the order in which they came."""
        lines = self._file.read_text().splitlines() if self._file.exists() else []
        return [ReceivedMessage(*json.loads(line)) for line in lines]

    def end(self) -> None:
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)


def _handler(keep: Callable[[list[str]], None]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            """A message that did not arrive whole, because its sender was killed, does not count."""
            length = int(self.headers["content-length"])
            body = self.rfile.read(length)
            if len(body) == length:
                names = ("webhook-id", "webhook-timestamp", "webhook-signature")
                keep([*(self.headers[name] for name in names), body.decode()])
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

        def log_message(self, *_: object) -> None:
            """Prints nothing: the sweep has a report of its own."""

    return Handler
