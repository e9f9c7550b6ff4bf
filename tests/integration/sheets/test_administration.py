"""An administrator connects the Google workbook in the browser: key, test, preview, connect, disconnect, no restart."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from carrete.identity.access_events import AccessKind
from carrete.identity.records import DeviceKind
from carrete.ledger import open_database
from carrete.settings import Settings
from carrete.sheets.key_file import KEY_FILE
from carrete.shop_settings import change
from sheets_emulator.workbooks import Tab, make_book
from tests.integration.uploads.conftest import ADA
from tests.support.builders import put
from tests.support.people import CREW, SV
from tests.support.sheet_server import HURRIED, SheetServer
from tests.support.sheets import BOOK
from tests.support.signed_in import EnrolledTablet, IdentityShop, identity_shop
from tests.support.signing_in import recorded
from tests.support.whole_ledger import everything_in

GOOGLE = "/api/planilla/google"
ADDRESS = f"https://docs.google.com/spreadsheets/d/{BOOK}/edit#gid=0"
Json = dict[str, Any]


@pytest.fixture
def google(tmp_path: Path) -> Iterator[SheetServer]:
    with SheetServer(tmp_path, spools=3) as google:
        google.emulator.quota.limits.enforced = False
        yield google


def settings_of(google: SheetServer, data: Path, **more: Any) -> Settings:
    url = google.settings["DATABASE_URL"]
    root = google.settings["CARRETE_SHEETS_URL"]
    return Settings(access="pin", database_url=url, data=data, redis_url="off", sheets_url=root, **more)


@pytest.fixture
def processes(google: SheetServer, tmp_path: Path) -> Iterator[tuple[IdentityShop, IdentityShop]]:
    """Two that serve the same ledger, without a workbook so far."""
    data = tmp_path / "data"
    data.mkdir(0o700)
    database = open_database(google.settings["DATABASE_URL"])
    put(database, workers=[*CREW, ADA])
    settings = settings_of(google, data)
    with (
        identity_shop(settings, database, lane_timings=HURRIED) as one,
        identity_shop(settings, database, lane_timings=HURRIED) as two,
    ):
        yield one, two
    database.close()


@pytest.fixture
def admin(processes: tuple[IdentityShop, IdentityShop]) -> EnrolledTablet:
    return signed_in(processes[0], ADA.id)


def signed_in(shop: IdentityShop, worker_id: int) -> EnrolledTablet:
    tablet = shop.tablet(DeviceKind.OFICINA)
    tablet.begin(worker_id)
    return tablet


def key_of(google: SheetServer) -> Json:
    key: Json = json.loads(Path(google.settings["GOOGLE_APPLICATION_CREDENTIALS"]).read_text())
    return key


def posted(tablet: EnrolledTablet, what: str, body: Json | None = None) -> Json:
    answer = tablet.post(f"{GOOGLE}/{what}", body or {})
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


def refused(tablet: EnrolledTablet, what: str, body: Json) -> tuple[int, str, str]:
    answer = tablet.post(f"{GOOGLE}/{what}", body)
    found = answer.json()
    return answer.status_code, found["code"], found["detail"]


def lease_until(shop: IdentityShop) -> str:
    """Until when a lane may write; empty when it has let go."""
    with shop.database.reading() as tx:
        row = tx.one("lease", workbook=BOOK)
    return str(row[1]) if row else ""


def test_from_the_key_to_a_workbook_that_follows_the_floor_and_back(
    google: SheetServer, processes: tuple[IdentityShop, IdentityShop], admin: EnrolledTablet, tmp_path: Path
) -> None:
    assert admin.see(GOOGLE) == {
        "conectada": False,
        "hoja": None,
        "cuenta": None,
        "fijado": False,
        "estado": "Sin planilla de Google.",
    }
    key = key_of(google)
    assert posted(admin, "clave", key) == {"cuenta": key["client_email"]}
    kept = tmp_path / "data" / KEY_FILE
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert admin.see(GOOGLE)["cuenta"] == key["client_email"]
    (event,) = recorded(processes[0].database, AccessKind.CLAVE_DE_GOOGLE)
    assert (event.by_id, event.detail) == (ADA.id, key["client_email"])

    tested = posted(admin, "probar", {"direccion": ADDRESS})
    assert (tested["titulo"], tested["puede_escribir"]) == ("Planilla", True)
    assert tested["hojas"] == ["Operaciones", "Uniones", "Trabajadores", "Roles", "Metadata"]

    before, rows = everything_in(google.settings["DATABASE_URL"]), google.rows()
    previewed = posted(admin, "previa", {"direccion": ADDRESS})
    assert previewed["resumen"]["nuevos"] == 3
    assert (everything_in(google.settings["DATABASE_URL"]), google.rows()) == (before, rows)

    connected = posted(admin, "conectar", {"direccion": ADDRESS})
    assert (connected["conectada"], connected["hoja"]["titulo"]) == (True, "Planilla")
    google.wait_for(lambda: admin.see("/api/spools")["total"] == 3)
    google.wait_for(lambda: all(one.services.lane is not None for one in processes))
    google.wait_for(lambda: admin.see(GOOGLE)["estado"] == "Al día.")

    assert posted(admin, "desconectar")["conectada"] is False
    google.wait_for(lambda: all(one.services.lane is None for one in processes))
    changes = admin.see("/api/ajustes/historial")["cambios"]
    assert [(one["ajuste"], one["despues"], one["por"]) for one in changes] == [
        ("google_sheet", "", ADA.id),
        ("google_sheet", BOOK, ADA.id),
    ]
    assert posted(admin, "conectar", {"direccion": BOOK})["conectada"] is True, "what both know of it is still there"


def test_the_preview_of_another_workbook_is_made_as_if_the_one_before_were_forgotten(
    google: SheetServer, processes: tuple[IdentityShop, IdentityShop], admin: EnrolledTablet
) -> None:
    posted(admin, "clave", key_of(google))
    posted(admin, "conectar", {"direccion": BOOK})
    google.wait_for(lambda: admin.see("/api/spools")["total"] == 3)
    rows = [["TAG_SPOOL", "OT"], ["A-1", "otra"], ["B-9", "1"]]
    make_book(google.emulator, "Nueva", [Tab("Operaciones", rows), Tab("Uniones", [["TAG_SPOOL", "N_UNION"]])], id_="n")
    assert "desconéctela primero" in refused(admin, "conectar", {"direccion": "n"})[2]
    posted(admin, "desconectar")
    google.wait_for(lambda: all(one.services.lane is None for one in processes))
    google.wait_for(lambda: not lease_until(processes[0]))
    before = everything_in(google.settings["DATABASE_URL"])
    previewed = posted(admin, "previa", {"direccion": "n"})
    assert (previewed["resumen"]["nuevos"], previewed["resumen"]["cambiados"]) == (1, 1)
    assert any("otra planilla" in line for line in previewed["lineas"])
    assert everything_in(google.settings["DATABASE_URL"]) == before
    google.wait_for(lambda: admin.post(f"{GOOGLE}/conectar", {"direccion": "n"}).status_code == 200)
    google.wait_for(lambda: admin.see("/api/spools")["total"] == 4)


def test_a_key_that_comes_later_starts_the_lane_that_waits_for_it(
    google: SheetServer, processes: tuple[IdentityShop, IdentityShop], admin: EnrolledTablet
) -> None:
    with processes[0].database.writing() as tx:
        change(tx, {"google_sheet": ADDRESS}, None, datetime.now(UTC))  # as `carrete setting set` does
    google.wait_for(lambda: all(one.services.lane is not None for one in processes))
    assert admin.see("/api/spools")["total"] == 0
    posted(admin, "clave", key_of(google))
    google.wait_for(lambda: admin.see("/api/spools")["total"] == 3)


def test_what_google_does_not_allow_is_a_sentence(google: SheetServer, admin: EnrolledTablet) -> None:
    there = {"direccion": ADDRESS}
    assert refused(admin, "probar", there)[:2] == (409, "GOOGLE_NO_PERMITE")
    key = key_of(google)
    elsewhere = {**key, "token_uri": "http://169.254.169.254/token"}
    assert "token_uri" in refused(admin, "clave", elsewhere)[2]
    assert "falta private_key" in refused(admin, "clave", {"client_email": "a@b"})[2]
    assert refused(admin, "clave", {**key, "private_key": "x"})[2] == "El archivo tiene una clave privada dañada."
    posted(admin, "clave", key)
    assert refused(admin, "probar", {"direccion": "https://example.com/x y"})[:2] == (422, "DATOS_INVALIDOS")
    assert "No existe la planilla" in refused(admin, "probar", {"direccion": "otra"})[2]
    google.emulator.faults.add({"fault": "403-revoked", "kind": "write"})
    assert posted(admin, "probar", there)["puede_escribir"] is False
    google.person("edit", cell="A1", value="Etiqueta")
    assert "falta la columna TAG_SPOOL" in refused(admin, "previa", there)[2]
    assert "falta la columna TAG_SPOOL" in refused(admin, "conectar", there)[2]
    assert admin.see(GOOGLE)["conectada"] is False


@pytest.mark.parametrize("body", [b"[" * 100_000 + b"]" * 100_000, b"9" * 5_000, b"[]", b"{", b"\xff"])
def test_a_body_that_is_no_key_is_refused_however_it_is_made(admin: EnrolledTablet, body: bytes) -> None:
    json_type = {"Content-Type": "application/json"}
    answer = admin.send("POST", f"{GOOGLE}/clave", content=body, headers=json_type)
    assert (answer.status_code, answer.json()["code"]) == (422, "DATOS_INVALIDOS")


def test_what_the_machine_gives_cannot_be_changed_on_the_page(google: SheetServer, tmp_path: Path) -> None:
    database = open_database(google.settings["DATABASE_URL"])
    put(database, workers=[*CREW, ADA])
    path = google.settings["GOOGLE_APPLICATION_CREDENTIALS"]
    settings = settings_of(google, tmp_path, google_sheet_id=BOOK, google_credentials=path)
    with identity_shop(settings, database, lane_timings=HURRIED) as shop:
        admin = signed_in(shop, ADA.id)
        assert admin.see(GOOGLE)["fijado"] is True
        assert refused(admin, "clave", key_of(google))[1] == "AJUSTE_FIJADO"
        assert refused(admin, "conectar", {"direccion": "otra"})[1] == "AJUSTE_FIJADO"
        assert refused(admin, "desconectar", {})[1] == "AJUSTE_FIJADO"
        assert signed_in(shop, SV.id).get(GOOGLE).status_code == 403
    database.close()
