"""The shop that is attacked: a real server in mode `pin`, with enrolled devices, people with PINs and programs."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx

from carrete.api.access_table import TABLE
from carrete.domain.workers import Rol
from carrete.identity.access_events import AccessEvent, AccessKind
from carrete.identity.records import DeviceKind, TokenScope
from carrete.ledger import open_database
from carrete.ledger.database import Database
from tests.conftest import migrated
from tests.integration.fuzz.wire import Answer, said_to
from tests.support.builders import a_spool, a_worker, events_in, put
from tests.support.people import CREW
from tests.support.server import RunningServer, running_server
from tests.support.signed_in import BearerClient, EnrolledTablet, enrol, give_pins, make_token, put_server_key
from tests.support.signing_in import recorded

AD = a_worker(1, "Ada", "Araya", roles=(Rol.ADMINISTRADOR,))
PEOPLE = (*CREW, AD)
WAIT_S_MAX = 30.0
_SECRET_BYTES = (b"identity.key", b"root:", b"[project]", b"PRAGMA", b"BEGIN PRIVATE KEY")


@dataclass
class Target:
    server: RunningServer
    database: Database
    folder: Path
    http: httpx.Client
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def tablet(self, worker_id: int | None = None, kind: DeviceKind = DeviceKind.TABLET) -> EnrolledTablet:
        """An enrolled device, with that person signed in."""
        made = EnrolledTablet(self.http.request, enrol(self.database, kind), self.database)
        if worker_id is not None:
            made.begin(worker_id)
        return made

    def stranger(self) -> EnrolledTablet:
        return EnrolledTablet(self.http.request, None, self.database)

    def program(self, *scopes: TokenScope) -> BearerClient:
        return BearerClient(self.http.request, make_token(self.database, *scopes).token)

    def spool(self, **facts: Any) -> str:
        """A new free spool's tag."""
        tag = f"SEC-{next(self._numbers)}"
        put(self.database, [a_spool(tag, **facts)])
        return tag

    def worker(self, *roles: Rol) -> int:
        """A new person with the PIN of everybody, whom no other probe has locked."""
        person = a_worker(5_000 + next(self._numbers), "Nueva", "Persona", roles=roles)
        put(self.database, workers=[person])
        give_pins(self.database, person.id)
        return person.id

    def events(self, tag: str) -> list[str]:
        return [stored.event.tipo.value for stored in events_in(self.database, tag)]

    def access(self, kind: AccessKind, worker_id: int) -> list[AccessEvent]:
        return [event for event in recorded(self.database, kind) if event.worker_id == worker_id]

    def until(self, holds: Callable[[], bool]) -> None:
        """Some events are written a moment after the answer."""
        end = time.monotonic() + WAIT_S_MAX
        while not holds():
            assert time.monotonic() < end, "it did not happen in time"
            time.sleep(0.05)

    def raw(self, *pieces: bytes) -> list[Answer]:
        return said_to(self.server.url, pieces)

    def counts(self) -> dict[str, int]:
        """How many rows there are of what an attack could add or remove."""
        tables = (
            "event",
            "worker",
            "worker_role",
            "device",
            "api_token",
            "pin",
            "badge",
            "webhook",
            "setting_change",
            "photo",
        )
        with closing(sqlite3.connect(self.folder / "carrete.db")) as connection:
            there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
            return {
                table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                for table in tables
                if table in there
            }

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        before = self.counts()
        yield
        after = self.counts()
        assert after == before, (before, after)


@contextmanager
def opened_target(folder: Path) -> Iterator[Target]:
    url = f"sqlite:///{folder / 'carrete.db'}"
    migrated(url)
    put_server_key(folder)
    database = open_database(url)
    put(database, workers=PEOPLE)
    give_pins(database, *(person.id for person in PEOPLE))
    with running_server(url, folder, settings={"CARRETE_ACCESS": "pin"}) as server, server.client() as http:
        yield Target(server, database, folder, http)
        assert "Traceback" not in server.complaints
    database.close()


def code_of(answer: httpx.Response) -> str:
    return str(answer.json()["code"])


def leaks_nothing(body: bytes) -> bool:
    """Neither files of the server nor how it is built."""
    hints = (b"Traceback", b'File "', b"site-packages", b"sqlite3.", b"psycopg", b"pydantic")
    return not any(word in body for word in (*_SECRET_BYTES, *hints))


def paths(method: str) -> list[str]:
    """Every address of the table with that method, with something in its braces."""
    return [
        path.replace("{tag}", "SEC-0").replace("{archivo}", "x").replace("{id}", "7")
        for verb, path in TABLE
        if verb == method
    ]


def body_with(**more: Any) -> bytes:
    return json.dumps({"tag_spool": "SEC-0", "worker_id": 93, "operacion": "ARM", **more}).encode()


def request_line(method: str, target: str, *fields: str, body: bytes = b"") -> bytes:
    """A whole request as bytes; the server closes after its answer."""
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost", *fields, f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1") + body


def cookie_field(tablet: EnrolledTablet) -> str:
    return "Cookie: " + "; ".join(f"{name}={value}" for name, value in tablet.cookies.items())
