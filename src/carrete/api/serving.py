"""`carrete serve`: uvicorn around the application, one process or several."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import sys
import threading

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from carrete import settings
from carrete.api.app import create_app
from carrete.lifeline import end_with_parent
from carrete.wiring import House

REQUESTS_S_MAX = 1  # what is under way when we are stopped gets this long…
PARTS_S_MAX = 1.7  # …and then the parts: less than 3 s in all
BACKLOG = 2048


def app_from_environment() -> FastAPI:
    """What each worker process runs."""
    if (parent := multiprocessing.parent_process()) is not None:
        end_with_parent(signal.SIGTERM)
        if os.getppid() != parent.pid:  # it was gone before we could ask to be told
            sys.exit(0)
    return create_app(House(settings.load()), before_stop=_leave_in_time)


def _leave_in_time() -> None:
    """A ledger that does not answer must not hold up the stop: everything acknowledged is on the disk already."""
    timer = threading.Timer(PARTS_S_MAX, os._exit, (0,))
    timer.daemon = True
    timer.start()


def bound_socket(host: str, port: int) -> socket.socket:
    """Bound before anything else starts, so that a port in use is a sentence and not a trace."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((host, port))
    sock.listen(BACKLOG)  # whoever comes before the server is ready waits instead of being refused
    sock.set_inheritable(True)
    return sock


def end_well_on_sigterm() -> None:
    """Before uvicorn has its own handler, and when it raises the signal once more after its clean stop."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))


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
        timeout_graceful_shutdown=REQUESTS_S_MAX,
    )
    if workers == 1:
        uvicorn.Server(config).run(sockets=[sock])
    else:
        Multiprocess(config, sockets=[sock]).run()
