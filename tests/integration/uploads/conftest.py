"""An office computer where an administrator uploads workbooks, on each engine."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from carrete.api.planilla import XLSX
from carrete.domain.workers import Rol
from carrete.identity.records import DeviceKind
from carrete.ledger.database import Database
from carrete.settings import Settings
from tests.integration.workbook.files import Rows, write_file
from tests.support.builders import a_worker, put
from tests.support.people import CREW
from tests.support.signed_in import EnrolledTablet, IdentityShop, identity_shop

ADA = a_worker(1, "Ada", "Araya", roles=(Rol.ADMINISTRADOR,))
CARGAS = "/api/planilla/cargas"
WORK_S_MAX = 60.0
READY = {"OT": "1", "Fecha_Materiales": "02-11-2026", "Ocupado_Por": "", "Fecha_Ocupacion": "", "Armador": ""}
Json = dict[str, Any]


class Office:
    """Ada at the office computer."""

    def __init__(self, tablet: EnrolledTablet, database: Database, folder: Path) -> None:
        self.tablet = tablet
        self.database = database
        self.folder = folder

    def book(self, *operaciones: Mapping[str, Any], **sheets: Rows) -> bytes:
        return write_file(self.folder / "libro.xlsx", Operaciones=operaciones, **sheets).read_bytes()

    def send(self, content: Any, name: str = "libro.xlsx", content_type: str = XLSX) -> httpx.Response:
        return self.tablet.send(
            "POST", CARGAS, params={"nombre": name}, content=content, headers={"Content-Type": content_type}
        )

    def upload(self, content: bytes) -> Json:
        """Until its preview is ready, or it failed."""
        answer = self.send(content)
        assert answer.status_code == 200, answer.text
        return self.when_over(answer.json()["id"])

    def when_over(self, id_: str) -> Json:
        until = time.monotonic() + WORK_S_MAX
        while (upload := self.tablet.see(f"{CARGAS}/{id_}"))["estado"] in ("leyendo", "aplicando"):
            assert time.monotonic() < until, upload
            time.sleep(0.02)
        return upload

    def rows(self, upload: Json, tipo: str | None = None) -> list[Json]:
        found: list[Json] = []
        cursor: str | None = "0"
        while cursor is not None:
            query = {"cursor": cursor, "limit": 2, **({"tipo": tipo} if tipo else {})}
            page = self.tablet.see(f"{CARGAS}/{upload['id']}/filas", **query)
            found, cursor = found + page["filas"], page["next_cursor"]
        return found

    def decide(self, upload: Json, what: str, body: Json | None = None) -> httpx.Response:
        return self.tablet.post(f"{CARGAS}/{upload['id']}/{what}", body or {})

    def apply(self, upload: Json) -> Json:
        answer = self.decide(upload, "aplicar")
        assert answer.status_code == 200, answer.text
        return self.when_over(upload["id"])


@pytest.fixture
def shop(database_url: str, database: Database, tmp_path: Path) -> Iterator[IdentityShop]:
    put(database, workers=[*CREW, ADA])
    data = tmp_path / "data"
    data.mkdir(0o700)
    settings = Settings(access="pin", database_url=database_url, data=data, redis_url="off")
    with identity_shop(settings, database) as opened:
        yield opened


@pytest.fixture
def office(shop: IdentityShop, tmp_path: Path) -> Office:
    tablet = shop.tablet(DeviceKind.OFICINA)
    tablet.begin(ADA.id)
    return Office(tablet, shop.database, tmp_path)
