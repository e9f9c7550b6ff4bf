"""`carrete serve`: uvicorn around the application, one process or several."""

from __future__ import annotations

import signal
import socket

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from carrete import settings
from carrete.api.app import create_app
from carrete.wiring import House

STOP_S_MAX = 1  # what is open is cut after this, so that a stop takes less than 3 s
BACKLOG = 2048


def app_from_environment() -> FastAPI:
    """What each worker process runs."""
    return create_app(House(settings.load()))


def bound_socket(host: str, port: int) -> socket.socket:
    """Bound before anything else starts, so that a port in use is a sentence and not a trace."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((host, port))
    sock.set_inheritable(True)
    return sock


def run(sock: socket.socket, workers: int) -> None:
    config = uvicorn.Config(
        "carrete.api.serving:app_from_environment",
        factory=True,
        workers=workers,
        loop="uvloop",
        http="httptools",
        ws="none",
        lifespan="on",
        backlog=BACKLOG,
        access_log=False,
        log_config=None,
        server_header=False,
        date_header=True,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=STOP_S_MAX,
    )
    # uvicorn raises the signal once more after its clean stop; that one should not end us with a failure
    signal.signal(signal.SIGTERM, lambda *_: None)
    if workers == 1:
        uvicorn.Server(config).run(sockets=[sock])
    else:
        Multiprocess(config, sockets=[sock]).run()
