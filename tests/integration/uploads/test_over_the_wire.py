"""Uploads to a real server: a connection that is cut, and a server that is killed in the middle."""

from __future__ import annotations

import os
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from carrete.api.planilla import XLSX
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.uploads.folder import PARTIAL_KEPT_FOR
from tests.conftest import migrated
from tests.integration.uploads.conftest import ADA, CARGAS, Office
from tests.support.builders import events_in, put
from tests.support.local import LOCAL
from tests.support.nginx import running_nginx
from tests.support.people import CREW
from tests.support.recipe import free_ports, shipped
from tests.support.server import RunningServer, running_server, start_server, stop
from tests.support.signed_in import EnrolledTablet, enrol, put_server_key

SPOOLS = 2_000  # ten commits
WAIT_S_MAX = 60.0
CERTIFICATE = (
    "ssl_certificate /etc/carrete/tls/cert.pem;",
    "ssl_certificate_key /etc/carrete/tls/key.pem;",
)
PIN_MODE = {"CARRETE_ACCESS": "pin", "REDIS_URL": "off"}


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Database]:
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    migrated(url)
    put_server_key(tmp_path)
    database = open_database(url)
    put(database, workers=[*CREW, ADA])
    yield database
    database.close()


@contextmanager
def office_at(server: RunningServer, database: Database, folder: Path) -> Iterator[Office]:
    with server.client() as client:
        tablet = EnrolledTablet(client.request, enrol(database), database)
        tablet.begin(ADA.id)
        yield Office(tablet, database, folder)


def spools_in(database: Database) -> int:
    with database.reading() as tx:
        return len(tx.all("spools_all"))


def wait_for(what: Callable[[], object]) -> None:
    until = time.monotonic() + WAIT_S_MAX
    while not what():
        assert time.monotonic() < until, "it did not come to that"
        time.sleep(0.005)


@contextmanager
def a_third_sent(server: RunningServer, office: Office, uploads: Path) -> Iterator[None]:
    """The server has begun to receive a workbook, and the connection is open."""
    address = urlsplit(server.url)
    cookies = "; ".join(f"{name}={value}" for name, value in office.tablet.cookies.items())
    head = (
        f"POST {CARGAS}?nombre=a.xlsx HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Type: {XLSX}\r\n"
        f"Cookie: {cookies}\r\nContent-Length: 9000000\r\n\r\n"
    )
    with socket.create_connection((str(address.hostname), address.port or 0)) as connection:
        connection.sendall(head.encode() + b"PK" + bytes(3 << 20))
        wait_for(lambda: list(uploads.glob(".*.receiving")))
        yield


def test_a_server_that_is_killed_while_it_receives_leaves_nothing_half_done(ledger: Database, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    uploads = tmp_path / "uploads"
    server = start_server(url, tmp_path, settings=PIN_MODE)
    try:
        with office_at(server, ledger, tmp_path) as office, a_third_sent(server, office, uploads):
            server.kill()
        assert (spools_in(ledger), events_in(ledger)) == (0, [])
        (left,) = uploads.glob(".*.receiving")
    finally:
        stop(server)
    an_hour_ago = time.time() - PARTIAL_KEPT_FOR.total_seconds() - 60
    os.utime(left, (an_hour_ago, an_hour_ago))
    with running_server(url, tmp_path, settings=PIN_MODE) as server, office_at(server, ledger, tmp_path) as office:
        assert office.tablet.see(CARGAS)["cargas"] == []
        assert office.upload(office.book({"TAG_SPOOL": "A-1"}))["estado"] == "lista", "the next one is received"
        wait_for(lambda: not left.exists())
        assert "Traceback" not in server.complaints


def test_a_connection_that_is_cut_leaves_nothing(ledger: Database, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    uploads = tmp_path / "uploads"
    with running_server(url, tmp_path, settings=PIN_MODE) as server, office_at(server, ledger, tmp_path) as office:
        with a_third_sent(server, office, uploads):
            pass
        wait_for(lambda: not list(uploads.glob(".*.receiving")))
        assert office.tablet.see(CARGAS)["cargas"] == []
        assert office.upload(office.book({"TAG_SPOOL": "A-1"}))["estado"] == "lista", "the next one is received"
        assert "Traceback" not in server.complaints


def test_a_server_that_is_killed_takes_its_work_up_again(ledger: Database, tmp_path: Path) -> None:
    """Once while it reads, and once while it applies: what was decided is done in the end, every row once."""
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    server = start_server(url, tmp_path, settings=PIN_MODE)
    try:
        with office_at(server, ledger, tmp_path) as office:
            book = office.book(*({"TAG_SPOOL": f"K-{n:05}", "OT": n} for n in range(SPOOLS)))
            id_ = office.send(book).json()["id"]
            server.kill()
        server = start_server(url, tmp_path, settings=PIN_MODE)
        with office_at(server, ledger, tmp_path) as office:
            upload = office.when_over(id_)
            assert (upload["estado"], upload["resumen"]["nuevos"], spools_in(ledger)) == ("lista", SPOOLS, 0)
            with ThreadPoolExecutor(1) as pool:
                pool.submit(lambda: office.decide(upload, "aplicar"))
                wait_for(lambda: spools_in(ledger))
                server.kill()
        assert 0 < spools_in(ledger) < SPOOLS
        server = start_server(url, tmp_path, settings=PIN_MODE)
        with office_at(server, ledger, tmp_path) as office:
            done = office.when_over(id_)
            assert (done["estado"], done["error"]) == ("hecha", None)
            report = office.tablet.get(f"{CARGAS}/{id_}/informe").text
    finally:
        stop(server)
    assert spools_in(ledger) == SPOOLS
    assert set(Counter(event.tag for event in events_in(ledger)).values()) == {1}
    assert report.count("hecho,Operaciones") == SPOOLS * 2, "tag and OT"


def test_a_large_workbook_goes_through_the_nginx_that_is_shipped(ledger: Database, tmp_path: Path) -> None:
    """nginx's own limit is 1 MB. This file is no workbook inside, which is found when it is read."""
    url, port = f"sqlite:///{tmp_path / 'carrete.db'}", free_ports(1)[0]
    with running_server(url, tmp_path, "--behind-proxy", "127.0.0.1", settings=PIN_MODE) as server:
        behind = urlsplit(server.url).port
        instead = dict.fromkeys(("10.0.0.11:8001", "10.0.0.11:8002", "10.0.0.12:8001"), f"127.0.0.1:{behind}")
        plain = {"listen 443 ssl;": f"listen 127.0.0.1:{port};", **dict.fromkeys(CERTIFICATE, "")}
        site = shipped("nginx/carrete.conf", {**instead, **plain})
        with (
            running_nginx(tmp_path / "nginx", site, port) as address,
            httpx.Client(base_url=address, timeout=WAIT_S_MAX, **LOCAL) as client,
        ):
            tablet = EnrolledTablet(client.request, enrol(ledger), ledger)
            tablet.begin(ADA.id)
            upload = Office(tablet, ledger, tmp_path).upload(b"PK" + bytes(8 << 20))
    assert (upload["bytes"], upload["estado"]) == (2 + (8 << 20), "fallida")
    assert "no es un archivo .xlsx que se pueda leer" in upload["error"]
