"""A workbook that is uploaded: its preview, applying it, and everything that can be wrong with the file."""

from __future__ import annotations

import csv
import io
import threading
import zipfile
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from carrete.api import planilla
from carrete.uploads.folder import UPLOAD_BYTES_MAX, UPLOADS_MAX, UploadFolder
from carrete.uploads.refusals import UploadUnknown
from carrete.uploads.upload import UploadState
from carrete.uploads.work import UploadContext, work_on
from carrete.workbook.errors import WorkbookError
from tests.integration.uploads.conftest import ADA, CARGAS, READY, Office
from tests.integration.workbook.bombs import BOMBS
from tests.integration.workbook.files import SHOP
from tests.support.builders import a_spool, events_in, put, spool_in
from tests.support.people import MR
from tests.support.signed_in import IdentityShop


def nothing_in(office: Office) -> bool:
    with office.database.reading() as tx:
        return not tx.all("spools_all")


def files_left(shop: IdentityShop) -> list[str]:
    return sorted(path.name for path in shop.services.uploads.path.iterdir() if not path.name.endswith(".lock"))


def test_a_workbook_is_previewed_cell_by_cell_and_then_applied(office: Office) -> None:
    put(office.database, [a_spool("A-1", ot="1")])
    book = office.book({"TAG_SPOOL": "A-1", "OT": "2"}, {"TAG_SPOOL": "A-2", "OT": "7", "Fecha_Armado": "ayer"})
    upload = office.upload(book)
    assert (upload["estado"], upload["nombre"], upload["subida_por"]) == ("lista", "libro.xlsx", ADA.label)
    counts = {"nuevos": 1, "cambiados": 1, "retirados": 0, "rechazados": 1, "iguales": 0, "avisos": 2}
    assert upload["resumen"] == counts
    assert office.rows(upload, "cambio") == [
        {
            "hoja": "Operaciones",
            "fila": 2,
            "clave": "A-1",
            "tipo": "cambio",
            "celdas": [{"columna": "OT", "antes": "1", "despues": "2", "motivo": ""}],
        }
    ]
    (refused,) = office.rows(upload, "rechazo")
    assert (refused["clave"], refused["celdas"][0]["columna"], refused["celdas"][0]["despues"]) == (
        "A-2",
        "Fecha_Armado",
        "ayer",
    )
    assert len(office.rows(upload)) == 5
    assert spool_in(office.database, "A-1").ot == "1"

    done = office.apply(upload)
    assert (done["estado"], done["error"], done["resumen"]) == ("hecha", None, counts)
    assert (spool_in(office.database, "A-1").ot, spool_in(office.database, "A-2").ot) == ("2", "7")
    assert [event.event.metadata.get("importado_por") for event in events_in(office.database)] == [ADA.label] * 2
    report = office.tablet.get(f"{CARGAS}/{upload['id']}/informe")
    lines = list(csv.DictReader(io.StringIO(report.content.decode("utf-8-sig"))))
    assert {line["resultado"] for line in lines} == {"hecho", "rechazado", "aviso"}
    assert ("A-1", "OT", "1", "2") in [(one["clave"], one["columna"], one["antes"], one["despues"]) for one in lines]
    assert office.decide(upload, "aplicar").json()["code"] == "CARGA_EN_OTRO_ESTADO"


def test_a_preview_that_no_longer_holds_is_not_applied(office: Office, shop: IdentityShop) -> None:
    """The file frees the spool that nobody had; meanwhile a worker takes it."""
    office.apply(office.upload(office.book({"TAG_SPOOL": "A-1", **READY})))
    floor = shop.tablet()
    floor.begin(MR.id)
    upload = office.upload(office.book({"TAG_SPOOL": "A-1", **READY, "Armador": "otra"}, {"TAG_SPOOL": "B-1"}))
    assert floor.tap("TOMAR", "A-1").status_code == 200
    refused = office.decide(upload, "aplicar")
    assert (refused.status_code, refused.json()["code"]) == (409, "PLANILLA_CAMBIADA")
    again = office.when_over(upload["id"])
    assert again["estado"] == "lista"
    assert "El taller cambió" in again["error"]
    assert again["vista"] != upload["vista"]
    assert spool_in(office.database, "A-1").armador == MR.label
    with office.database.reading() as tx:
        assert [row[0] for row in tx.all("spools_all")] == ["A-1"]
    old = office.decide(upload, "aplicar", {"vista": upload["vista"]})
    assert old.json()["code"] == "CARGA_EN_OTRO_ESTADO"
    assert office.apply(again)["estado"] == "hecha"


def test_work_on_other_spools_does_not_disturb_a_preview(office: Office, shop: IdentityShop) -> None:
    put(office.database, [a_spool("Z-1")])
    upload = office.upload(office.book({"TAG_SPOOL": "A-1"}))
    floor = shop.tablet()
    floor.begin(MR.id)
    assert floor.tap("TOMAR", "Z-1").status_code == 200
    assert office.apply(upload)["estado"] == "hecha"


def test_two_workbooks_at_once_are_both_read_and_applied(office: Office) -> None:
    first, second = (office.book({"TAG_SPOOL": tag, "OT": tag}) for tag in ("A-1", "B-1"))
    with ThreadPoolExecutor(2) as pool:
        uploads = list(pool.map(office.upload, (first, second)))
        assert [one["estado"] for one in uploads] == ["lista", "lista"]
        assert [one["estado"] for one in pool.map(office.apply, uploads)] == ["hecha", "hecha"]
    assert (spool_in(office.database, "A-1").ot, spool_in(office.database, "B-1").ot) == ("A-1", "B-1")


def test_of_two_people_who_apply_at_once_one_is_refused(office: Office) -> None:
    upload = office.upload(office.book({"TAG_SPOOL": "A-1"}))
    start = threading.Barrier(2)

    def apply(_: int) -> int:
        start.wait()
        return office.decide(upload, "aplicar").status_code

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(apply, range(2))) == [200, 409]


# ─── files that are refused ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("content", "content_type", "status", "code"),
    [
        (b"hola", planilla.XLSX, 415, "NO_ES_XLSX"),
        (b"", planilla.XLSX, 415, "NO_ES_XLSX"),
        (b"PK", "application/json", 415, "NO_ES_XLSX"),
        (b"PK" + bytes(UPLOAD_BYTES_MAX), planilla.XLSX, 413, "ARCHIVO_DEMASIADO_GRANDE"),
    ],
    ids=["text", "empty", "wrong type", "too large"],
)
def test_what_is_no_workbook_is_refused_at_once_and_nothing_is_kept(
    office: Office, shop: IdentityShop, content: bytes, content_type: str, status: int, code: str
) -> None:
    answer = office.send(content, content_type=content_type)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not shop.services.uploads.path.exists() or files_left(shop) == []


def test_a_file_that_does_not_say_its_size_is_cut_at_the_limit(office: Office, shop: IdentityShop) -> None:
    async def endless() -> AsyncIterator[bytes]:
        yield b"PK"
        for _ in range(UPLOAD_BYTES_MAX // (1 << 20) + 1):
            yield bytes(1 << 20)

    answer = office.send(endless())
    assert (answer.status_code, answer.json()["code"]) == (413, "ARCHIVO_DEMASIADO_GRANDE")
    assert files_left(shop) == []


def macros(book: bytes) -> bytes:
    buffer = io.BytesIO(book)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("xl/vbaProject.bin", b"Sub AutoOpen()")
    return buffer.getvalue()


def test_a_workbook_with_macros_fails_with_a_sentence(office: Office) -> None:
    upload = office.upload(macros(office.book({"TAG_SPOOL": "A-1"})))
    assert (upload["estado"], upload["error"]) == (
        "fallida",
        "libro.xlsx tiene macros: guárdelo como .xlsx, sin macros.",
    )
    assert nothing_in(office)


@pytest.mark.parametrize("name", sorted(BOMBS)[::6])
def test_a_zip_bomb_fails_with_a_sentence(office: Office, engine: str, name: str) -> None:
    if engine == "postgres":
        pytest.skip("no ledger is asked about a file that cannot be read")
    path = office.folder / "bomb.xlsx"
    make, words = BOMBS[name]
    make(path)
    upload = office.upload(path.read_bytes())
    assert upload["estado"] == "fallida"
    assert words in upload["error"]
    assert office.decide(upload, "aplicar").json()["code"] == "CARGA_EN_OTRO_ESTADO"
    assert nothing_in(office)


def test_without_room_on_the_disk_nothing_is_kept(
    office: Office, shop: IdentityShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage: Any = type("Usage", (), {"free": 1 << 20})
    monkeypatch.setattr("carrete.uploads.folder.shutil.disk_usage", lambda _path: usage)
    answer = office.send(office.book({"TAG_SPOOL": "A-1"}))
    assert (answer.status_code, answer.json()["code"]) == (507, "DISCO_LLENO")
    assert files_left(shop) == []


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_preview_leaves_the_room_that_the_ledger_needs(
    office: Office, shop: IdentityShop, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    """A preview of many rows is larger than its file."""
    frees = iter([1 << 30])
    usage: Any = lambda _path: type("Usage", (), {"free": next(frees, 1 << 20)})  # noqa: E731
    monkeypatch.setattr("carrete.uploads.folder.shutil.disk_usage", usage)
    upload = office.upload(office.book({"TAG_SPOOL": "A-1"}))
    assert (upload["estado"], "no queda espacio" in upload["error"]) == ("fallida", True)
    assert not shop.services.uploads.file(upload["id"], "rows.jsonl").exists()


# ─── keeping and forgetting ───────────────────────────────────────────────────────────────────────────────────


def test_a_discarded_upload_is_gone(office: Office, shop: IdentityShop) -> None:
    upload = office.upload(office.book({"TAG_SPOOL": "A-1"}))
    assert [one["id"] for one in office.tablet.see(CARGAS)["cargas"]] == [upload["id"]]
    assert office.decide(upload, "descartar").status_code == 200
    assert office.tablet.see(CARGAS)["cargas"] == []
    assert office.tablet.get(f"{CARGAS}/{upload['id']}").json()["code"] == "CARGA_NO_ENCONTRADA"
    assert office.decide(upload, "aplicar").status_code == 404
    assert files_left(shop) == []


def test_uploads_are_forgotten_after_a_day(office: Office, shop: IdentityShop) -> None:
    upload = office.upload(office.book({"TAG_SPOOL": "A-1"}))
    now = datetime.now(UTC)
    shop.services.uploads.begin()  # of a process that was killed
    (shop.services.uploads.path / "c-0").mkdir()  # of a version that kept them otherwise
    shop.services.uploads.clean(now + timedelta(minutes=59))
    assert len(files_left(shop)) == 3
    shop.services.uploads.clean(now + timedelta(hours=23))
    assert files_left(shop) == sorted([upload["id"], "c-0"])
    shop.services.uploads.clean(now + timedelta(hours=25))
    assert files_left(shop) == []


def test_only_so_many_uploads_are_kept_and_the_oldest_failed_one_makes_room(office: Office, shop: IdentityShop) -> None:
    uploads = shop.services.uploads
    for n in range(UPLOADS_MAX):
        partial = uploads.begin()
        partial.write(b"PK")
        kept = partial.finish(f"{n}.xlsx", None)
        uploads.update(kept.id, lambda one: replace(one, state=UploadState.READY))
    answer = office.send(office.book({"TAG_SPOOL": "A-1"}))
    assert (answer.status_code, answer.json()["code"]) == (429, "DEMASIADAS_CARGAS")
    oldest = uploads.all()[-1]
    uploads.update(oldest.id, lambda one: replace(one, state=UploadState.FAILED))
    assert office.upload(office.book({"TAG_SPOOL": "A-1"}))["estado"] == "lista"
    assert oldest.id not in [one.id for one in uploads.all()]


def test_the_export_comes_back_as_no_change_and_the_template_is_an_empty_workbook(office: Office) -> None:
    office.apply(office.upload(office.book({"TAG_SPOOL": "A-1", **READY})))
    exported = office.tablet.get("/api/planilla/exportar")
    assert exported.headers["content-type"] == planilla.XLSX
    upload = office.upload(exported.content)
    rows = len(office.rows(upload))
    assert (rows, upload["resumen"]["iguales"] > 1) == (0, True)
    template = office.upload(office.tablet.get("/api/planilla/plantilla").content)
    assert (template["estado"], set(template["resumen"].values())) == ("lista", {0})


def test_one_process_of_a_machine_works_at_a_time_and_another_takes_over(tmp_path: Path) -> None:
    folder, other = UploadFolder(tmp_path / "uploads"), UploadFolder(tmp_path / "uploads")
    with folder.only_worker() as ours, other.only_worker() as theirs:
        assert (ours, theirs) == (True, False)
    with other.only_worker() as theirs:
        assert theirs


def test_an_upload_that_is_discarded_while_it_is_read_is_forgotten(office: Office, shop: IdentityShop) -> None:
    uploads = shop.services.uploads
    with uploads.only_worker() as ours:  # the worker waits meanwhile
        assert ours
        id_ = office.send(office.book({"TAG_SPOOL": "A-1"})).json()["id"]
        upload = uploads.get(id_)
        assert office.decide({"id": id_}, "descartar").status_code == 200
        context = UploadContext(uploads, office.database, SHOP, lambda _tags, _held_anew: None)
        with pytest.raises((UploadUnknown, WorkbookError)):
            work_on(upload, context)
    assert files_left(shop) == []
