"""`carrete serve`: uvicorn around the application, one process or several."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from carrete import logs, settings
from carrete.api.app import create_app
from carrete.api.server.connection import Connection
from carrete.api.server.junk import silence_uvicorns_lines
from carrete.api.server.origin import LOOPBACK, Listening
from carrete.parent_death import end_with_parent
from carrete.services import Services
from carrete.sheets.timings import DEFAULT_TIMINGS, LaneTimings

REQUESTS_S_MAX = 1  # what is under way when we are stopped gets this long…
PARTS_S_MAX = 1.7  # …and then the parts: less than 3 s in all
BACKLOG = 2048
FILES_MAX = 65_536
UNREAD_MS_MAX = 30_000  # a tablet that was switched off, or reads nothing, is given up by the kernel after this


def app_from_environment(listening: Listening = LOOPBACK, lane_timings: LaneTimings = DEFAULT_TIMINGS) -> FastAPI:
    """What each worker process runs."""
    if (parent := multiprocessing.parent_process()) is not None:
        end_with_parent(signal.SIGTERM)
        if os.getppid() != parent.pid:  # it was gone before we could ask to be told
            sys.exit(0)
    configured = settings.load()
    logs.set_up(configured.log_level)  # a process of several begins with nothing set up
    silence_uvicorns_lines()
    services = Services(configured, lane_timings=lane_timings)
    return create_app(services, lambda: end_streams_on_signal(services), _leave_in_time, listening=listening)


def end_streams_on_signal(services: Services) -> None:
    """A stream has no end of its own, and uvicorn waits for what is under way: they end as soon as we are told to."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(
            number, _and_then(signal.getsignal(number), lambda: loop.call_soon_threadsafe(services.tail.close))
        )


def _and_then(before: Any, also: Callable[[], object]) -> Callable[[int, FrameType | None], None]:
    def handle(number: int, frame: FrameType | None) -> None:
        also()
        if callable(before):
            before(number, frame)

    return handle


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
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux; every connection inherits it
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_MS_MAX)
    sock.bind((host, port))
    sock.listen(BACKLOG)  # whoever comes before the server is ready waits instead of being refused
    sock.set_inheritable(True)
    return sock


def allow_many_connections() -> None:
    """A thousand viewers are a thousand open files; most systems allow as many when asked, and few unasked."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_MAX if hard == resource.RLIM_INFINITY else min(hard, FILES_MAX)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def end_well_on_sigterm() -> None:
    """Before uvicorn has its own handler, and when it raises the signal once more after its clean stop."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))


def run(
    sock: socket.socket, workers: int, listening: Listening = LOOPBACK, lane_timings: LaneTimings = DEFAULT_TIMINGS
) -> None:
    allow_many_connections()
    config = uvicorn.Config(
        partial(app_from_environment, listening, lane_timings),
        factory=True,
        proxy_headers=False,  # uvicorn's own would believe whoever connects from this machine; api/proxies.py does it
        workers=workers,
        loop="uvloop",
        http=Connection,
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
