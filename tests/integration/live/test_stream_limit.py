"""The number of live streams of one client address is limited, without any effect on other clients."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.support.answers import refused
from tests.support.local import LOCAL
from tests.support.server import RunningServer, running_server
from tests.support.watching import STREAM

MAX = 5
WAIT_S_MAX = 20.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """127.0.0.9 has the role of the proxy in front of the server."""
    folder: Path = tmp_path_factory.mktemp("limit")
    settings = {"CARRETE_STREAMS_PER_ADDRESS": str(MAX)}
    arguments = ("--behind-proxy", "127.0.0.9", "--insecure-open")
    with running_server(f"sqlite:///{folder / 'carrete.db'}", folder, *arguments, settings=settings) as running:
        yield running


def opened(server: RunningServer, source: str = "127.0.0.1", forwarded_for: str = "") -> tuple[socket.socket, int]:
    """Opens a stream from that address; returns the connection and the status of the answer."""
    address = urlsplit(server.url)
    connection = socket.create_connection((address.hostname, address.port), WAIT_S_MAX, source_address=(source, 0))
    forwarded = f"X-Forwarded-For: {forwarded_for}\r\n" if forwarded_for else ""
    connection.sendall(f"GET {STREAM} HTTP/1.1\r\nHost: localhost\r\n{forwarded}\r\n".encode())
    return connection, int(connection.recv(65_536).split(b" ")[1])


def figure(server: RunningServer, name: str) -> float:
    lines = httpx.get(f"{server.url}/metrics", **LOCAL).text.splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith(f"{name} ")))


def wait_until_nobody_watches(server: RunningServer) -> None:
    until = time.monotonic() + WAIT_S_MAX
    while figure(server, "carrete_live_viewers"):
        assert time.monotonic() < until
        time.sleep(0.02)


def statuses(server: RunningServer, n: int, stack: ExitStack, **where: str) -> list[int]:
    found = []
    for _ in range(n):
        connection, status = opened(server, **where)
        stack.callback(connection.close)
        found.append(status)
    return found


def test_one_address_may_have_so_many_and_everybody_else_is_served(server: RunningServer) -> None:
    before = figure(server, "carrete_live_viewers_refused_total")
    with ExitStack() as stack:
        assert statuses(server, MAX + 2, stack) == [200] * MAX + [429] * 2
        assert statuses(server, MAX + 1, stack, source="127.0.0.2") == [200] * MAX + [429]
        answer = httpx.get(server.url + STREAM, **LOCAL)
        refused(answer, 429, "DEMASIADOS_INTENTOS")
        assert int(answer.headers["retry-after"]) > 0
        assert httpx.get(f"{server.url}/api/health", **LOCAL).status_code == 200
        assert figure(server, "carrete_live_viewers_refused_total") - before == 4
    wait_until_nobody_watches(server)


def test_however_a_stream_ends_its_place_is_free_again(server: RunningServer) -> None:
    for _ in range(3 * MAX):
        assert httpx.get(f"{server.url}{STREAM}?since=x", **LOCAL).status_code == 422
        connection, status = opened(server)
        connection.close()
        assert status == 200
        wait_until_nobody_watches(server)
    with ExitStack() as stack:
        assert statuses(server, MAX, stack) == [200] * MAX
    wait_until_nobody_watches(server)


def test_behind_a_proxy_the_address_is_the_clients(server: RunningServer) -> None:
    with ExitStack() as stack:
        for client in ("192.168.1.71", "192.168.1.72"):
            assert statuses(server, MAX + 1, stack, source="127.0.0.9", forwarded_for=client) == [200] * MAX + [429]
    wait_until_nobody_watches(server)


def test_a_client_cannot_get_around_the_limit_by_forged_headers(server: RunningServer) -> None:
    with ExitStack() as stack:
        assert statuses(server, MAX, stack, forwarded_for="192.168.1.71") == [200] * MAX
        assert statuses(server, 1, stack, forwarded_for="192.168.1.72") == [429]
    wait_until_nobody_watches(server)
