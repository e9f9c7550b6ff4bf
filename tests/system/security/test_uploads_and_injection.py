"""Files and text: uploads that are something else, and text that a spreadsheet, a PDF or a page would obey."""

from __future__ import annotations

import csv
import io
import re
import time
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest

from carrete.api.planilla import XLSX
from carrete.domain.workers import Rol
from tests.integration.workbook.bombs import SHEET, STRINGS
from tests.integration.workbook.files import write_file
from tests.support.answers import done, refused
from tests.support.builders import a_spool, a_worker, put
from tests.support.people import MR
from tests.support.photos import a_photo
from tests.support.signed_in import EnrolledTablet
from tests.system.security.target import WAIT_S_MAX, Target

CARGAS = "/api/planilla/cargas"
WEB = Path(__file__).parents[3] / "web" / "src"
FORMULA = '=HYPERLINK("http://evil.example","x")'
READY = {"OT": "1", "Fecha_Materiales": "02-11-2026"}


def send(admin: EnrolledTablet, content: bytes, name: str = "libro.xlsx", kind: str = XLSX) -> httpx.Response:
    return admin.send("POST", CARGAS, params={"nombre": name}, content=content, headers={"Content-Type": kind})


def when_read(admin: EnrolledTablet, id_: str) -> dict[str, Any]:
    until = time.monotonic() + WAIT_S_MAX
    while (upload := admin.see(f"{CARGAS}/{id_}"))["estado"] in ("leyendo", "aplicando"):
        assert time.monotonic() < until, upload
        time.sleep(0.05)
    return upload


def book(folder: Path, tag: str, **cells: Any) -> Path:
    return write_file(folder / "libro.xlsx", Operaciones=[{"TAG_SPOOL": tag, **READY, **cells}])


@pytest.mark.parametrize("name", ["../../identity.key", "..\\..\\x.xlsx", "/etc/passwd", "C:\\x.xlsx", "a/b/c.xlsx"])
def test_the_name_of_an_upload_is_no_path(shop: Target, tmp_path: Path, name: str) -> None:
    """A workbook called `../../identity.key` → kept under an id of our own and shown by the last part of its name; no
    file outside of the folder of uploads is made or changed."""
    admin, key = shop.tablet(1), shop.folder / "identity.key"
    before = key.read_bytes()
    upload = done(send(admin, book(tmp_path, shop.spool()).read_bytes(), name))
    assert not set("/\\") & set(upload["archivo"] if "archivo" in upload else upload["nombre"])
    assert key.read_bytes() == before
    assert when_read(admin, upload["id"])["estado"] != "leyendo"
    done(admin.post(f"{CARGAS}/{upload['id']}/descartar", {}))


@pytest.mark.parametrize("name", ["x\r\nSet-Cookie: a=b.xlsx", "x\x1b[2J.xlsx", "\x00.xlsx", "/", "a\u202excod.xlsx"])
def test_the_name_of_an_upload_has_nothing_that_a_header_obeys(shop: Target, tmp_path: Path, name: str) -> None:
    """Line breaks, escape sequences, NULs and direction marks in a file's name → 422."""
    refused(send(shop.tablet(1), book(tmp_path, shop.spool()).read_bytes(), name), 422, "DATOS_INVALIDOS")


POLYGLOTS = {
    "a page": b"<!doctype html><script>alert(1)</script>",
    "a picture": a_photo(),
    "a PDF": b"%PDF-1.7\n%PK\x03\x04",
    "a program": b"\x7fELF\x02\x01\x01" + bytes(64),
    "a script": b"#!/bin/sh\nrm -rf /\n",
}


@pytest.mark.parametrize("name", POLYGLOTS)
def test_what_is_called_a_workbook_and_is_none_is_refused(shop: Target, name: str) -> None:
    """A page, a picture, a PDF or a program sent as `.xlsx` with the type of one → 415 `NO_ES_XLSX`, and nothing is
    kept."""
    admin = shop.tablet(1)
    before = [each["id"] for each in admin.see(CARGAS)["cargas"]]
    refused(send(admin, POLYGLOTS[name]), 415, "NO_ES_XLSX")
    assert [each["id"] for each in admin.see(CARGAS)["cargas"]] == before


def test_an_entity_in_a_workbook_reads_no_file(shop: Target, tmp_path: Path) -> None:
    """XXE: a sheet whose text is an entity for `file:///etc/passwd` and for an address → the file fails or the text is
    empty; no line of that file is in the preview or the report."""
    source, hostile = book(tmp_path, "SEC-XXE"), tmp_path / "hostile.xlsx"
    entity = b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd"><!ENTITY f SYSTEM "http://127.0.0.1:9/x">]>'
    with zipfile.ZipFile(source) as read, zipfile.ZipFile(hostile, "w") as write:
        for part in read.namelist():
            content = read.read(part)
            if part in (STRINGS, SHEET):
                head, mark, rest = content.partition(b"?>")
                content = head + mark + entity + rest.replace(b"SEC-XXE", b"SEC-XXE&e;&f;")
            write.writestr(part, content)
    admin = shop.tablet(1)
    answer = send(admin, hostile.read_bytes())
    assert answer.status_code == 200, answer.text
    upload = when_read(admin, answer.json()["id"])
    seen = (
        str(upload)
        + admin.get(f"{CARGAS}/{upload['id']}/filas").text
        + admin.get(f"{CARGAS}/{upload['id']}/informe").text
    )
    assert "root:" not in seen
    done(admin.post(f"{CARGAS}/{upload['id']}/descartar", {}))


def test_a_part_of_an_archive_called_like_a_path_is_not_written(shop: Target, tmp_path: Path) -> None:
    """Zip slip: parts called `../../../identity.key` and `/tmp/…` in a workbook → no file of that name is made or
    changed."""
    source = book(tmp_path, shop.spool())
    outside = tmp_path / "written-by-a-workbook"
    with zipfile.ZipFile(source, "a") as write:
        for name in ("../../../identity.key", "../carrete.db", str(outside)):
            write.writestr(name, b"hostile")
    admin, key = shop.tablet(1), (shop.folder / "identity.key").read_bytes()
    answer = send(admin, source.read_bytes())
    if answer.status_code == 200:
        when_read(admin, answer.json()["id"])
        done(admin.post(f"{CARGAS}/{answer.json()['id']}/descartar", {}))
    assert (shop.folder / "identity.key").read_bytes() == key
    assert not outside.exists()


def test_only_an_administrator_uploads(shop: Target, tmp_path: Path) -> None:
    """A right workbook from a worker's tablet, a supervisor's and a stranger → 401 or 403, and no byte of it is
    kept."""
    content = book(tmp_path, shop.spool()).read_bytes()
    kept = list((shop.folder / "uploads").glob("**/*")) if (shop.folder / "uploads").exists() else []
    for caller, status in (
        (shop.stranger(), 401),
        (shop.tablet(), 401),
        (shop.tablet(MR.id), 403),
        (shop.tablet(21), 403),
    ):
        assert send(caller, content).status_code == status
    assert (list((shop.folder / "uploads").glob("**/*")) if (shop.folder / "uploads").exists() else []) == kept


def test_no_role_comes_with_an_uploaded_workbook(shop: Target, tmp_path: Path) -> None:
    """A workbook that makes somebody `Administrador` and is applied → the role waits for a confirmation; the person may
    do nothing more."""
    person = shop.worker(Rol.ARMADOR)
    people = [{"Id": person, "Nombre": "Nueva", "Apellido": "Persona", "Activo": "TRUE"}]
    roles = [
        {"Id": person, "Rol": "Administrador", "Activo": "TRUE"},
        {"Id": person, "Rol": "Armador", "Activo": "TRUE"},
    ]
    spools = [{"TAG_SPOOL": shop.spool(), **READY}]
    content = write_file(tmp_path / "r.xlsx", Operaciones=spools, Trabajadores=people, Roles=roles).read_bytes()
    admin = shop.tablet(1)
    upload = when_read(admin, done(send(admin, content))["id"])
    done(admin.post(f"{CARGAS}/{upload['id']}/aplicar", {}))
    when_read(admin, upload["id"])
    refused(shop.tablet(person).get("/api/tokens"), 403, "PERMISO_INSUFICIENTE")
    (listed,) = [each for each in admin.see("/api/personas")["personas"] if each["id"] == person]
    assert "Administrador" not in listed["roles"]


def test_no_cell_of_an_export_is_a_formula(shop: Target) -> None:
    """Tags and names that begin with `=`, `+`, `-`, `@` → in the exported workbook they are text; no cell has a formula
    and nothing leads to another file or address."""
    tags = [FORMULA, "=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0"]
    put(shop.database, [a_spool(tag) for tag in tags], [a_worker(9_100, FORMULA, "=1", roles=())])
    archive = zipfile.ZipFile(io.BytesIO(shop.tablet(1).get("/api/planilla/exportar").content))
    parts = {name: archive.read(name) for name in archive.namelist()}
    assert not [name for name in parts if "externalLink" in name or "vba" in name.lower() or "connections" in name]
    sheets = b"".join(content for name, content in parts.items() if name.startswith("xl/worksheets/"))
    assert b"<f>" not in sheets
    assert b"<f " not in sheets
    assert b"hyperlink" not in sheets.lower().replace(b"hyperlink(", b"")


def test_no_cell_of_a_csv_is_a_formula(shop: Target) -> None:
    """Devices, people and file names that begin with `=`, `+`, `-`, `@`, in the CSV of access events → each such cell
    begins with an apostrophe."""
    admin = shop.tablet(1)
    for start in ("=1+1", "+1", "-1", "@x"):
        made = done(admin.post("/api/dispositivos/inscripciones", {"nombre": f"{start} tablet", "tipo": "tablet"}))
        used = done(shop.stranger().post("/api/dispositivos/inscripciones/usar", {"codigo": made["codigo"]}))
        done(admin.post(f"/api/dispositivos/inscripciones/{made['id']}/confirmar", {"numero": used["numero"]}))
    rows = list(csv.reader(io.StringIO(admin.get("/api/accesos", formato="csv").text)))
    cells = [cell for row in rows for cell in row]
    assert any("=1+1 tablet" in cell for cell in cells)
    assert not [cell for cell in cells if re.match(r"[=+\-@\t\r]", cell)]


def test_no_stranger_writes_a_formula_into_a_csv(shop: Target) -> None:
    """A stranger's tap that does not hold, whose path has `;=…`, in the CSV of access events → however a spreadsheet
    program parts the lines, at commas or (where the comma is for decimals) at semicolons, no cell is a formula."""
    path = "/api/spools/x;=HYPERLINK(1);+2;-3;@x/notas"
    refused(shop.stranger().send("POST", path, headers={"Carrete-Tap": "x"}), 401, "TOQUE_NO_VALIDO")
    admin, text = shop.tablet(1), ""

    def is_recorded() -> bool:
        nonlocal text
        text = admin.get("/api/accesos", formato="csv").text
        return "HYPERLINK" in text

    shop.until(is_recorded)
    by_comma = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    by_semicolon = [cell for line in text.splitlines() for cell in line.split(";")]
    assert not [cell for cell in (*by_comma, *by_semicolon) if re.match(r"[\"=+\-@\t\r]", cell)]


def test_no_tag_on_a_label_is_a_command_of_the_pdf(shop: Target) -> None:
    """A tag with parentheses, backslashes and the words of PDF actions → the document has no script, action, link or
    attached file, and ends where it should."""
    tags = [")>>/OpenAction<</S/JavaScript/JS(app.alert(1))>>", "\\) Tj (", "(((((", "%%EOF"]
    put(shop.database, [a_spool(tag) for tag in tags])
    answer = shop.tablet(21).post("/api/etiquetas/pdf", {"tags": tags})
    assert answer.status_code == 200, answer.text
    for word in (b"/JavaScript", b"/JS", b"/OpenAction", b"/URI", b"/Launch", b"/EmbeddedFile", b"/AA"):
        assert word not in answer.content
    assert answer.content.rstrip().endswith(b"%%EOF")


def test_the_app_never_writes_text_as_markup() -> None:
    """Names, notes and tags with scripts on the screens → the web app has no `innerHTML`, `dangerouslySetInnerHTML`,
    `document.write`, `eval` or `new Function`: React writes text as text."""
    banned = re.compile(
        r"dangerouslySetInnerHTML|\.innerHTML|\.outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
    )
    found = [
        f"{path.name}: {line.strip()}"
        for path in WEB.rglob("*.ts*")
        for line in path.read_text("utf-8").splitlines()
        if banned.search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    "kind",
    ["image/svg+xml", "text/html", "image/png", "application/octet-stream", "image/jpeg, text/html", "image/gif"],
)
def test_a_photo_is_a_jpeg_by_name_and_by_content(shop: Target, kind: str) -> None:
    """A photo under another type, and a script drawn as SVG under the right one → 415; nothing is stored."""
    tablet = shop.tablet(MR.id)
    refused(tablet.send("POST", "/api/fotos", content=a_photo(), headers={"Content-Type": kind}), 415, "NO_ES_JPEG")
    svg = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"
    answer = tablet.send("POST", "/api/fotos", content=svg, headers={"Content-Type": "image/jpeg"})
    assert answer.status_code in (415, 422)
