"""The page of the copies: what an administrator sees, makes and downloads."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from carrete.backups.folder import backups_in
from carrete.backups.keys import decrypted, present_keys
from carrete.backups.nightly import NightlyBackups
from carrete.backups.schedule import BackupTimings
from carrete.domain.workers import Rol
from carrete.identity.records import DeviceKind
from carrete.ledger import open_database
from carrete.settings import Settings
from tests.integration.backups.conftest import TAGS
from tests.support.answers import refused
from tests.support.builders import a_worker, put
from tests.support.machines import wait_for
from tests.support.signed_in import EnrolledTablet, IdentityShop, change_session, identity_shop
from tests.support.signing_in import access_kinds

ADA = a_worker(1, "Ada", "Araya", roles=(Rol.ADMINISTRADOR,))
PHRASE = "caballo correcto batería grapa"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (folder := tmp_path / "data").mkdir()
    return folder


@pytest.fixture
def shop(shop_url: str, data: Path) -> Iterator[IdentityShop]:
    settings = Settings(access="pin", database_url=shop_url, data=data, redis_url="off")
    with closing(open_database(shop_url)) as database, identity_shop(settings, database) as opened:
        put(database, workers=[ADA])
        yield opened


@pytest.fixture
def admin(shop: IdentityShop) -> EnrolledTablet:
    tablet = shop.tablet(DeviceKind.OFICINA)
    tablet.begin(ADA.id)
    return tablet


def seen(admin: EnrolledTablet) -> dict[str, Any]:
    found: dict[str, Any] = admin.see("/api/respaldos")
    return found


def test_an_administrator_makes_a_copy_sees_it_and_takes_it_home(
    admin: EnrolledTablet, shop: IdentityShop, data: Path, engine: str
) -> None:
    before = seen(admin)
    assert before["carpeta"] == str(data / "backups")
    assert (before["respaldos"], before["ultimo_en"], before["edad_s"]) == ([], None, None)
    assert (before["vencido"], before["en_curso"], before["error"], before["claves"]) == (False, False, None, None)
    assert "T03:30:00" in before["proximo_en"]
    made = admin.post("/api/respaldos", {})
    assert made.status_code == 200, made.text
    (backup,) = made.json()["respaldos"]
    assert (backup["motor"], backup["eventos"], backup["ultimo_seq"]) == (engine, 0, 0)
    assert backup["hecho_en"] == made.json()["ultimo_en"]
    assert made.json()["edad_s"] < 60
    head = admin.send("HEAD", f"/api/respaldos/{backup['archivo']}")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(backup["bytes"])
    assert access_kinds(shop.database).count("RESPALDO_DESCARGADO") == 0, "whoever asks by HEAD takes nothing home"
    file = admin.get(f"/api/respaldos/{backup['archivo']}")
    assert file.status_code == 200
    assert file.headers["content-disposition"] == f'attachment; filename="{backup["archivo"]}"'
    assert file.headers["cache-control"] == "no-store"
    assert len(file.content) == backup["bytes"]
    assert file.content == (data / "backups" / backup["archivo"]).read_bytes()
    if engine == "sqlite":
        assert TAGS[0].encode() in gzip.decompress(file.content)
    assert access_kinds(shop.database).count("RESPALDO_DESCARGADO") == 1


def test_a_copy_that_cannot_be_made_says_why_and_the_page_keeps_saying_so(admin: EnrolledTablet, data: Path) -> None:
    (data / "backups").write_text("in the way of the folder")
    refused(admin.post("/api/respaldos", {}), 503, "RESPALDO_FALLIDO")
    assert "No se pudo escribir" in seen(admin)["error"]["texto"]
    (data / "backups").unlink()
    assert admin.post("/api/respaldos", {}).json()["error"] is None


def test_only_copies_can_be_downloaded(admin: EnrolledTablet, data: Path, tmp_path: Path) -> None:
    (folder := data / "backups").mkdir()
    (tmp_path / "secret").write_text("secret")
    (folder / "carrete-20260101T000000Z.db.gz").symlink_to(tmp_path / "secret")
    (folder / "notes.txt").write_text("secret")
    refused(admin.get("/api/respaldos/carrete-20260101T000000Z.db.gz"), 404, "NO_ENCONTRADO")
    refused(admin.get("/api/respaldos/carrete-20260102T000000Z.dump"), 404, "NO_ENCONTRADO")
    refused(admin.get("/api/respaldos/claves/carrete-keys-20260102T000000Z.enc"), 404, "NO_ENCONTRADO")
    for name in ("notes.txt", "..%2Fidentity.key", "carrete-20260101T000000Z.db.gz.json", "carrete-keys-x.enc"):
        answer = admin.get(f"/api/respaldos/{name}")
        assert answer.status_code in (403, 404, 422), name
        assert "secret" not in answer.text


def test_the_keys_are_written_under_a_passphrase_that_is_kept_nowhere(
    admin: EnrolledTablet, shop: IdentityShop, data: Path
) -> None:
    made = admin.post("/api/respaldos/claves", {"frase": PHRASE})
    assert made.status_code == 200, made.text
    keys = made.json()["claves"]
    assert keys["al_dia"] is True
    file = admin.get(f"/api/respaldos/claves/{keys['archivo']}")
    assert decrypted(file.content, PHRASE) == present_keys(data)
    assert "identity.key" in present_keys(data)
    for path in data.rglob("*"):
        assert not path.is_file() or PHRASE.encode() not in path.read_bytes()
    (data / "later.key").write_bytes(b"\1" * 32)
    assert seen(admin)["claves"]["al_dia"] is False
    assert "CLAVES_RESPALDADAS" in access_kinds(shop.database)


def test_the_keys_need_a_fresh_pin_and_a_long_passphrase(admin: EnrolledTablet, shop: IdentityShop) -> None:
    for phrase in ("corta", "  once letras  ", "x" * 201):
        refused(admin.post("/api/respaldos/claves", {"frase": phrase}), 422, "DATOS_INVALIDOS")
    change_session(shop.database, admin.session_id, pin_at=datetime.now(UTC) - timedelta(minutes=6))
    shop.forget_lookups()
    refused(admin.post("/api/respaldos/claves", {"frase": PHRASE}), 403, "PIN_REQUERIDO")
    assert seen(admin)["claves"] is None


def test_the_metric_says_how_old_the_newest_copy_is(admin: EnrolledTablet, shop: IdentityShop) -> None:
    admin.post("/api/respaldos", {})
    metrics = shop.sends()("GET", "/metrics").text
    (line,) = (line for line in metrics.splitlines() if line.startswith("carrete_backup_age_seconds "))
    assert 0 <= float(line.split()[1]) < 60


def test_a_server_that_runs_makes_its_copy_without_being_asked(
    shop_url: str, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The times are shorter than a shop's; the rest is what `carrete serve` runs."""
    at_once = BackupTimings(check_every_s=0.1, after_start_s=0.0, first_after_s=0.0)
    monkeypatch.setattr("carrete.services.NightlyBackups", partial(NightlyBackups, timings=at_once))
    settings = Settings(access="pin", database_url=shop_url, data=data, redis_url="off")
    with closing(open_database(shop_url)) as database, identity_shop(settings, database):
        wait_for(lambda: bool(backups_in(data / "backups")))
    assert len(backups_in(data / "backups")) == 1


def test_copies_that_are_asked_for_one_after_another_are_all_made(admin: EnrolledTablet) -> None:
    """Faster than one a second: each has a name of its own."""
    for number in range(1, 4):
        assert admin.post("/api/respaldos", {}).status_code == 200
        assert len(seen(admin)["respaldos"]) == number
