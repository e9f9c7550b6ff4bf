"""The plain HTTP port beside HTTPS, in a thread of the process that was started: the same bounds on every client."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Sequence

from uvicorn.config import Config
from uvicorn.server import Server

from carrete.api.server.connection import Connection
from carrete.api.server.junk import silence_uvicorn_lines
from carrete.api.server.trust_page.app import PlainPortApp

CLIENTS_MAX = 200
STOP_S_MAX = 1.0


class PlainPort:
    def __init__(self, sockets: Sequence[socket.socket], app: PlainPortApp) -> None:
        config = Config(
            app,
            http=Connection,
            ws="none",
            lifespan="off",
            proxy_headers=False,
            access_log=False,
            log_config=None,
            server_header=False,
            limit_concurrency=CLIENTS_MAX,
            timeout_keep_alive=10,
            timeout_graceful_shutdown=1,
        )
        silence_uvicorn_lines()
        self._server = Server(config)
        self._sockets = list(sockets)
        self._thread = threading.Thread(target=self._run, name="plain port", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(STOP_S_MAX)

    def _run(self) -> None:
        asyncio.run(self._server.serve(sockets=self._sockets))
