"""A shop in mode `pin` and every kind of caller in it. Each keeps its role, whatever a call changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import requests
import schemathesis
from schemathesis.config import SchemathesisConfig

from carrete.domain.spool import Spool
from carrete.domain.workers import Rol, Worker
from carrete.identity.records import TokenScope
from carrete.ledger import open_database
from carrete.ledger.database import Database
from tests.conftest import migrated
from tests.integration.fuzz.openapi import KEY, STREAM
from tests.support.builders import (
    a_blocked_spool,
    a_finished_spool,
    a_joint,
    a_rejected_spool,
    a_spool,
    a_worker,
    an_armed_spool,
    held,
    put,
)
from tests.support.server import RunningServer, running_server
from tests.support.signed_in import EnrolledTablet, enrol, give_pins, make_token, put_server_key

RENEW_EVERY = 100  # calls after which a caller signs in again: PINs grow old, and calls sign people out
SPOOLS = 20  # of each state
DECOYS = 20  # people, devices and tokens that may be changed and removed

PEOPLE: dict[str, Worker] = {
    "worker": a_worker(70_001, "Fina", "Obrera", roles=(Rol.ARMADOR, Rol.SOLDADOR, Rol.AYUDANTE)),
    "inspector": a_worker(70_002, "Inés", "Pectora", roles=(Rol.METROLOGIA, Rol.NDT)),
    "supervisor": a_worker(70_003, "Sara", "Visora", roles=(Rol.SUPERVISOR,)),
    "administrator": a_worker(70_004, "Ada", "Ministra", roles=(Rol.ADMINISTRADOR,)),
}
SCOPES = {f"token {scope.value}": scope for scope in TokenScope}
CALLERS = ("nobody", "device", *PEOPLE, *SCOPES)
_DECOY_PEOPLE = [a_worker(80_000 + n, "Ana", f"Paz {n}", roles=(Rol.ARMADOR,)) for n in range(DECOYS)]


@dataclass
class Seen:
    """The requests and their statuses, by caller."""

    statuses: dict[str, Counter[int]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def note(self, caller: str, status: int, what: str) -> None:
        self.statuses.setdefault(caller, Counter())[status] += 1
        if status >= 500:
            self.failures.append(f"{caller}: {status} to {what}")

    @property
    def total(self) -> int:
        return sum(counter.total() for counter in self.statuses.values())


class Caller:
    """One kind of caller, with the headers that prove it."""

    def __init__(self, name: str, shop: RoleShop) -> None:
        self.name = name
        self._shop = shop
        self._turns = count()
        self._headers: dict[str, str] = {}

    @property
    def person(self) -> Worker | None:
        return PEOPLE.get(self.name)

    def headers(self) -> dict[str, str]:
        if next(self._turns) % RENEW_EVERY == 0:
            self._headers = self._renewed()
        return self._headers

    def _renewed(self) -> dict[str, str]:
        database = self._shop.database
        if self.name == "nobody":
            return {}
        if scope := SCOPES.get(self.name):
            return {"Authorization": f"Bearer {make_token(database, scope).token}"}
        tablet = EnrolledTablet(requests.request, enrol(database), database)  # type: ignore[arg-type]
        if person := self.person:
            put(database, workers=[person])
            tablet.begin(person.id)
        return {"Cookie": "; ".join(f"{name}={value}" for name, value in tablet.cookies.items())}


@dataclass
class RoleShop:
    server: RunningServer
    database: Database
    tags: list[str]
    ids: dict[str, list[str]]  # what may be in braces, by the first word of the path
    turns: Iterator[int] = field(default_factory=count)

    def document(self) -> Any:
        raw = requests.get(f"{self.server.url}/api/openapi.json", timeout=10).json()
        for methods in raw["paths"].values():
            for operation in methods.values():
                for parameter in operation.get("parameters", ()):
                    if parameter["name"] == KEY:
                        parameter.pop("example")
        settings = SchemathesisConfig.from_dict({"base-url": self.server.url})
        return schemathesis.openapi.from_dict(raw, config=settings).exclude(path=STREAM)

    def use_existing_names(self, case: Any, caller: Caller) -> None:
        """Three calls of four name what is there, and their own caller, and so reach the rules."""
        turn = next(self.turns)
        if turn % 4 == 0:
            return
        author = caller.person.id if caller.person else PEOPLE["worker"].id
        tag = self.tags[turn * 7 % len(self.tags)]
        there: dict[str, Any] = {
            "tag": tag,
            "tag_spool": tag,
            "tag_spools": [tag],
            "tags": [tag],
            "worker_id": author,
            "supervisor_id": author,
            "url": "http://127.0.0.1:9/nadie",
            "webhook_conflictos": "",
        }
        if known := self.ids.get(case.path.split("/")[2]):
            there["id"] = known[turn % len(known)]
        for place in (case.body, case.query, case.path_parameters):
            if isinstance(place, dict):
                place.update({name: value for name, value in there.items() if name in place})


@contextmanager
def role_shop(folder: Path) -> Iterator[RoleShop]:
    url = f"sqlite:///{folder / 'carrete.db'}"
    migrated(url)
    put_server_key(folder)
    database = open_database(url)
    spools = _spools()
    joints = [a_joint(n, spool.tag) for spool in spools if spool.total_uniones for n in (1, 2, 3)]
    put(database, spools, [*PEOPLE.values(), *_DECOY_PEOPLE], joints)
    give_pins(database, *(person.id for person in (*PEOPLE.values(), *_DECOY_PEOPLE)))
    ids = {
        "personas": [str(person.id) for person in _DECOY_PEOPLE],
        "dispositivos": [enrol(database).device.id for _ in range(DECOYS)],
        "tokens": [make_token(database, TokenScope.LEER).id for _ in range(DECOYS)],
    }
    with running_server(url, folder, settings={"CARRETE_ACCESS": "pin"}) as server:
        yield RoleShop(server, database, [spool.tag for spool in spools], ids)
        assert "Traceback" not in server.complaints, server.complaints[-5_000:]
    database.close()


def _spools() -> Sequence[Spool]:
    worker = PEOPLE["worker"]
    states = (a_spool, an_armed_spool, a_finished_spool, a_rejected_spool, a_blocked_spool)
    made = [make(f"F-{make.__name__[2:5]}-{n}") for make in states for n in range(SPOOLS)]
    made += [held(a_spool(f"F-held-{n}"), worker) for n in range(SPOOLS)]
    made += [a_spool(f"F-v4-{n}", total_uniones=3) for n in range(SPOOLS)]
    return [*made, *(held(a_spool(f"F-v4-held-{n}", total_uniones=3), worker) for n in range(SPOOLS))]
