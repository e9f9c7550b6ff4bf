"""`carrete serve` as a process: where it listens, what it warns of, and how it ends."""

from __future__ import annotations

import os
import pty
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from carrete.api.server.invitation import lan_url, qr_code
from carrete.demo.people import demo_workers
from carrete.demo.pins import demo_pins
from carrete.ledger import open_database
from carrete.ledger.migrate import migrate
from tests.support.builders import a_spool, put
from tests.support.people import CREW
from tests.support.postgres import PostgresServer
from tests.support.server import clean_environment, is_alive, running_server, start_server, stop
from tests.support.tablet import Tablet

STOP_S_MAX = 10.0  # three on a machine that does nothing else


def alive_after(pids: set[int], wait_s_max: float) -> set[int]:
    """A helper process of Python's multiprocessing ends a moment after the server."""
    until = time.monotonic() + wait_s_max
    while (alive := {pid for pid in pids if is_alive(pid)}) and time.monotonic() < until:
        time.sleep(0.02)
    return alive


@pytest.mark.parametrize("workers", [1, 2])
def test_it_stops_in_time_and_leaves_no_process_behind(workers: int, tmp_path: Path) -> None:
    """With one connection that a tablet keeps open and one on which a request has only begun."""
    with running_server(f"sqlite:///{tmp_path / 'carrete.db'}", tmp_path, "--workers", str(workers)) as server:
        children = server.descendants()
        assert workers == 1 or len(children) >= workers
        address = urlsplit(server.url)
        with (
            server.client() as client,
            socket.create_connection((address.hostname, address.port)) as slow,
        ):
            assert client.get("/api/health").status_code == 200
            slow.sendall(b"POST /api/occupation/tomar HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{")
            assert server.terminate() < STOP_S_MAX
        assert server.exit_code in (0, -signal.SIGTERM)
        assert not alive_after(children, wait_s_max=1.0)


def test_it_says_where_it_listens_and_a_loopback_address_needs_no_warning(tmp_path: Path) -> None:
    with running_server(f"sqlite:///{tmp_path / 'carrete.db'}", tmp_path) as server:
        assert server.output == f"Carrete listens on {server.url}\n"
        assert server.url.startswith("http://127.0.0.1:")
        assert server.complaints == ""


def test_an_open_address_is_warned_of(tmp_path: Path) -> None:
    with running_server(
        f"sqlite:///{tmp_path / 'carrete.db'}", tmp_path, "--host", "0.0.0.0", "--insecure-open"
    ) as server:
        assert "There is no identity in this mode" in " ".join(server.complaints.split())
        assert "any worker" in " ".join(server.complaints.split())


def test_an_open_address_comes_with_the_one_that_tablets_open(tmp_path: Path) -> None:
    """No QR code, because the output is a pipe; a terminal also gets one."""
    command = [sys.executable, "-m", "carrete", "serve", "--port", "0", "--host", "0.0.0.0", "--insecure-open"]
    settings = clean_environment(CARRETE_DATA=str(tmp_path), PYTHONIOENCODING="utf-8")
    with running_server(
        f"sqlite:///{tmp_path / 'carrete.db'}", tmp_path, "--host", "0.0.0.0", "--insecure-open"
    ) as server:
        port = urlsplit(server.url).port
        assert port is not None
        assert invitation(port) in server.output
        assert "█" not in server.output
    shown = in_a_terminal(command, settings, until=b"Carrete listens on")
    for url in re.findall(r"Tablets open (http://\S+)", shown):
        assert qr_code(url, "utf-8") in shown.replace("\r\n", "\n")


def invitation(port: int) -> str:
    """A machine without a network says so instead."""
    url = lan_url("0.0.0.0", port)
    return f"Tablets open {url}" if url else "This machine has no address"


def in_a_terminal(command: list[str], environment: dict[str, str], until: bytes) -> str:
    """The output of the command until a pattern appears."""
    ours, its = pty.openpty()
    process = subprocess.Popen(command, stdin=its, stdout=its, stderr=subprocess.DEVNULL, env=environment)
    os.close(its)
    shown = b""
    try:
        while until not in shown:
            shown += os.read(ours, 65536)
    finally:
        process.terminate()
        process.wait(10)
        os.close(ours)
    return shown.decode()


@pytest.mark.parametrize(
    ("host", "url"), [("192.168.1.20", "http://192.168.1.20:8000"), ("fd00::20", "http://[fd00::20]:8000")]
)
def test_tablets_open_the_very_address_that_was_asked_for(host: str, url: str) -> None:
    assert lan_url(host, 8000) == url


def test_a_terminal_that_has_no_blocks_gets_no_code() -> None:
    assert qr_code("http://192.168.1.20:8000", "ascii") == ""


def test_a_demo_fills_an_empty_ledger_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    with running_server(url, tmp_path, "--demo") as server, server.tablet() as tablet:
        assert "filled with a demo shop" in server.output
        first = as_stored(tablet)
        assert 180 <= first["total"] <= 220
        assert tablet.see("/api/workers")["total"] >= 35
        assert tablet.see("/api/dashboard/occupied")["total"] > 0
    with running_server(url, tmp_path, "--demo") as server, server.tablet() as tablet:
        assert "demo" not in server.output
        assert as_stored(tablet) == first


def as_stored(tablet: Tablet) -> dict[str, Any]:
    """All spools, without what grows by itself: for how long they have been overdue."""
    found: dict[str, Any] = tablet.see("/api/spools", limit=500)
    return {**found, "spools": [{**spool, "atraso": None} for spool in found["spools"]]}


def test_a_demo_with_identity_prints_the_pins_of_its_people_at_every_start(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    for start in ("first", "second"):
        with running_server(url, tmp_path, "--demo", settings={"CARRETE_ACCESS": "pin"}) as server:
            shown = dict(re.findall(r"^  (\d{6})  (.+)$", server.output, re.MULTILINE))
            assert "PINs of the demo shop:" in server.output, start
            assert sorted(shown) == sorted(demo_pins().values()), start
            for pin, worker in zip(demo_pins().values(), (w for w in demo_workers() if w.activo), strict=True):
                assert shown[pin].endswith(": " + ", ".join(sorted(worker.roles))), start
            assert "None of them is an administrator: the setup code makes one" in server.output, start
    with closing(open_database(url)) as database, database.reading() as tx:
        assert {row[0] for row in tx.all("pins_held")} == set(demo_pins()), "and the ledger has them"


def test_a_demo_leaves_a_shop_with_anything_in_it_alone(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    database = open_database(url)
    migrate(database)
    put(database, [a_spool("MINE")], CREW)
    database.close()
    with running_server(url, tmp_path, "--demo") as server, server.tablet() as tablet:
        assert tablet.see_list() == ["MINE"]


def test_two_servers_that_start_at_once_on_no_ledger_both_serve_it(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    if engine == "postgres":
        postgres: PostgresServer = request.getfixturevalue("postgres")
        url = postgres.url(postgres.create())
    with ThreadPoolExecutor(2) as hands:
        starting = [hands.submit(start_server, url, tmp_path, "--demo") for _ in range(2)]
        servers = [start.result() for start in starting]
    try:
        assert sum("filled with a demo shop" in server.output for server in servers) == 1
        totals = set()
        for server in servers:
            with server.tablet() as tablet:
                totals.add(tablet.see("/api/spools", limit=1)["total"])
        assert len(totals) == 1
    finally:
        for server in servers:
            stop(server)


def test_a_stop_right_after_it_says_where_it_listens_is_not_lost(tmp_path: Path) -> None:
    server = start_server(f"sqlite:///{tmp_path / 'carrete.db'}", tmp_path, ready=False)
    try:
        assert server.terminate() < STOP_S_MAX
        assert server.exit_code == 0
    finally:
        stop(server)


def test_a_client_that_connects_at_once_waits_instead_of_being_refused(tmp_path: Path) -> None:
    server = start_server(f"sqlite:///{tmp_path / 'carrete.db'}", tmp_path, ready=False)
    try:
        with server.client() as client:
            assert client.get("/api/health").status_code == 200
    finally:
        stop(server)


def test_a_ledger_that_does_not_answer_does_not_hold_up_the_stop(tmp_path: Path) -> None:
    path = tmp_path / "carrete.db"
    with running_server(f"sqlite:///{path}", tmp_path) as server, ThreadPoolExecutor(1) as pool:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with server.client() as client:
            body = {"tag_spool": "S", "worker_id": 1, "operacion": "ARM"}
            waiting = pool.submit(client.post, "/api/occupation/tomar", json=body)
            time.sleep(0.3)
            assert server.terminate() < STOP_S_MAX
            assert waiting.result().status_code == 503
        other.close()


def test_workers_end_with_their_parent_even_when_it_is_killed(tmp_path: Path) -> None:
    with running_server(f"sqlite:///{tmp_path / 'carrete.db'}", tmp_path, "--workers", "2") as server:
        children = server.descendants()
        server.kill()
        assert not alive_after(children, wait_s_max=4.0)


def test_a_server_loads_nothing_that_only_other_shops_need() -> None:
    """Work stops during a restart, so drivers, the Google client and the workbook writer are imported when they are
    first used."""
    needless = {"psycopg", "sqlite3", "httpx", "google.auth", "xlsxwriter", "python_calamine", "rich.progress"}
    needless |= {"carrete.demo"}
    process = subprocess.run(
        [sys.executable, "-c", "import sys, carrete.cli, carrete.api.server.serving; print(*sys.modules)"],
        env=clean_environment(),
        check=True,
        capture_output=True,
        text=True,
    )
    assert needless & set(process.stdout.split()) == set()
