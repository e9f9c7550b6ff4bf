"""`carrete serve`: uvicorn around the application, one process or several, with HTTPS or without."""

from __future__ import annotations

import asyncio
import errno
import multiprocessing
import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from types import FrameType
from typing import Any

from fastapi import FastAPI
from uvicorn.config import Config
from uvicorn.server import Server

from carrete import logs, settings
from carrete.api.app import create_app
from carrete.api.server.connection import Connection
from carrete.api.server.junk import silence_uvicorn_lines
from carrete.api.server.origin import LOOPBACK, Listening
from carrete.parent_death import end_with_parent
from carrete.services import Services
from carrete.sheets.timings import DEFAULT_TIMINGS, LaneTimings
from carrete.tls.files import CertificateFiles
from carrete.tls.reload import ContextFactory

REQUESTS_S_MAX = 1  # at a stop, requests under way get this long…
PARTS_S_MAX = 1.7  # …and then the parts of the process: less than 3 s in all
WORKER_ANSWER_S_MAX = 5
BACKLOG = 2048
FILES_MAX = 65_536
UNREAD_MS_MAX = 30_000  # after this the kernel closes the connection of a tablet that reads nothing


def app_from_environment(listening: Listening = LOOPBACK, lane_timings: LaneTimings = DEFAULT_TIMINGS) -> FastAPI:
    """The application of one worker process."""
    if (parent := multiprocessing.parent_process()) is not None:
        end_with_parent(signal.SIGTERM)
        if os.getppid() != parent.pid:  # the parent ended before this process could watch it
            sys.exit(0)
    configured = settings.load()
    logs.set_up(configured.log_level)  # a spawned process begins without a configured log
    silence_uvicorn_lines()
    services = Services(configured, lane_timings=lane_timings)
    return create_app(services, lambda: end_streams_on_signal(services), _exit_in_time, listening=listening)


def end_streams_on_signal(services: Services) -> None:
    """Ends live streams at a signal: they never end by themselves, and uvicorn waits for open responses."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(
            number, _chain_handlers(signal.getsignal(number), lambda: loop.call_soon_threadsafe(services.tail.close))
        )


def _chain_handlers(before: Any, also: Callable[[], object]) -> Callable[[int, FrameType | None], None]:
    def handle(number: int, frame: FrameType | None) -> None:
        also()
        if callable(before):
            before(number, frame)

    return handle


def _exit_in_time() -> None:
    """A ledger that does not answer must not delay the stop. Every answered action is on the disk already."""
    timer = threading.Timer(PARTS_S_MAX, os._exit, (0,))
    timer.daemon = True
    timer.start()


def bound_socket(host: str, port: int, *, ipv6_only: bool = False) -> socket.socket:
    """The socket is bound before anything else starts, so that a port in use gives a sentence and not a traceback."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux; every connection inherits it
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_MS_MAX)
    if ipv6_only:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    sock.bind((host, port))
    sock.listen(BACKLOG)  # clients that connect before the server is ready wait instead of being refused
    sock.set_inheritable(True)
    return sock


def bound_sockets(host: str, port: int) -> list[socket.socket]:
    """One socket; for `0.0.0.0` with the same port of IPv6 beside it, if this machine has IPv6. One socket for both
    would show the addresses of IPv4 clients in another form."""
    first = bound_socket(host, port)
    if host != "0.0.0.0":
        return [first]
    try:
        return [first, bound_socket("::", first.getsockname()[1], ipv6_only=True)]
    except OSError as error:
        if error.errno in (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL):
            return [first]
        first.close()
        raise


def allow_many_connections() -> None:
    """Raises the limit of open files: a thousand viewers need a thousand, more than most systems allow by default."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_MAX if hard == resource.RLIM_INFINITY else min(hard, FILES_MAX)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def exit_cleanly_on_sigterm() -> None:
    """For the time before uvicorn sets its handler, and after its stop, when it raises the signal once more."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))


def run(
    sockets: Sequence[socket.socket],
    workers: int,
    listening: Listening = LOOPBACK,
    lane_timings: LaneTimings = DEFAULT_TIMINGS,
    certificate: CertificateFiles | None = None,
) -> None:
    """Serves the product until a signal ends it."""
    application = partial(app_from_environment, listening, lane_timings)
    serve_application(sockets, workers, application, certificate=certificate)


def serve_application(
    sockets: Sequence[socket.socket],
    workers: int,
    application: str | Callable[[], FastAPI],
    worker_answer_s_max: int = WORKER_ANSWER_S_MAX,
    certificate: CertificateFiles | None = None,
) -> None:
    """`application` makes the application in each process; a name such as `package.module:function` is imported there.
    A worker process that does not answer its parent for `worker_answer_s_max` is replaced. With a certificate it speaks
    HTTPS."""
    allow_many_connections()
    config = Config(
        application,
        factory=True,
        proxy_headers=False,  # uvicorn would trust every client of this machine; `proxies` does not
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
        timeout_worker_healthcheck=worker_answer_s_max,
        ssl_context_factory=ContextFactory(certificate) if certificate else None,
    )
    if workers == 1:
        Server(config).run(sockets=list(sockets))
    else:
        from uvicorn.supervisors import Multiprocess  # of no use to one process

        Multiprocess(config, sockets=list(sockets)).run()
