"""Drawings over HTTP on both engines: received, served, given to a spool with its joints' numbers, and replaced."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from carrete.api.drawings import UNUSED_MAX
from carrete.drawings.picture import UPLOAD_BYTES_MAX
from carrete.ledger.database import Database
from carrete.ledger.drawings import NewDrawing, drawing_content, forget_unused_drawings, save_drawing
from tests.support.answers import done, refused
from tests.support.builders import TAG, a_joint, a_spool, put
from tests.support.drawings import JPEG, PDF, PLANOS, PNG, a_pdf, a_png
from tests.support.photos import a_photo
from tests.support.tablet import Tablet, in_path

MARKS = [{"n_union": 1, "x": 120, "y": 340}, {"n_union": 2, "x": 1000, "y": 0}]


def upload(tablet: Tablet, content: bytes, content_type: str = PDF, page: int | None = None) -> httpx.Response:
    query = "" if page is None else f"?pagina={page}"
    return tablet.send("POST", PLANOS + query, content=content, headers={"Content-Type": content_type})


def path_of(tag: str = TAG) -> str:
    return f"/api/spools/{in_path(tag)}/plano"


def save(tablet: Tablet, plano: str | None, version: int, marks: list[Any] | None = None) -> httpx.Response:
    return tablet.post(path_of(), {"plano": plano, "version": version, "marcas": marks or []})


@pytest.fixture
def spool(ledger: Database) -> str:
    put(ledger, [a_spool(TAG, total_uniones=2)], joints=[a_joint(1), a_joint(2), a_joint(3, retired=True)])
    return TAG


def test_a_page_of_a_pdf_is_stored_as_a_picture_under_its_hash(tablet: Tablet, spool: str) -> None:
    stored = done(upload(tablet, a_pdf(pages=4), page=3))
    assert (stored["ancho"], stored["pagina"], stored["paginas"]) == (3000, 3, 4)
    served = tablet.get(f"{PLANOS}/{stored['id']}")
    assert served.headers["content-type"] == PNG
    assert served.headers["cache-control"] == "private, max-age=31536000, immutable"
    assert hashlib.sha256(served.content).hexdigest() == stored["id"]
    assert done(upload(tablet, a_pdf(pages=4), page=3))["id"] == stored["id"]


def test_a_picture_is_taken_as_it_is(tablet: Tablet, spool: str) -> None:
    stored = done(upload(tablet, a_photo(), JPEG))
    assert (stored["ancho"], stored["alto"], stored["paginas"]) == (64, 48, 1)
    assert tablet.get(f"{PLANOS}/{stored['id']}").headers["content-type"] == JPEG


@pytest.mark.parametrize(
    ("content", "kind", "status", "code"),
    [
        (a_pdf(), "text/plain", 415, "NO_ES_PLANO"),
        (b"GIF89a", PNG, 415, "NO_ES_PLANO"),
        (a_pdf()[:300], PDF, 422, "PLANO_ILEGIBLE"),
        (a_pdf(password="x"), PDF, 422, "PLANO_ILEGIBLE"),
        (a_pdf(pages=300), PDF, 413, "PLANO_DEMASIADO_GRANDE"),
        (a_png()[:-9], PNG, 422, "PLANO_ILEGIBLE"),
        (bytes(UPLOAD_BYTES_MAX + 1), PDF, 413, "PLANO_DEMASIADO_GRANDE"),
    ],
)
def test_what_is_no_drawing_gets_a_sentence(
    tablet: Tablet, spool: str, content: bytes, kind: str, status: int, code: str
) -> None:
    assert refused(upload(tablet, content, kind), status, code)["detail"]


def test_a_page_that_does_not_exist_says_how_many_there_are(tablet: Tablet, spool: str) -> None:
    assert refused(upload(tablet, a_pdf(pages=2), page=7), 404, "PAGINA_NO_EXISTE")["paginas"] == 2
    assert upload(tablet, a_pdf(), page=0).status_code == 422


def test_a_spool_gets_a_drawing_and_the_numbers_of_its_joints(tablet: Tablet, spool: str) -> None:
    assert tablet.get(path_of()).json() == {
        **{"tag_spool": TAG, "plano": None, "ancho": 0, "alto": 0, "marcas": [], "version": 0},
        **{"guardado_en": None, "guardado_por": None},
    }
    plano = done(upload(tablet, a_png(), PNG))["id"]
    saved = done(save(tablet, plano, 0, MARKS))
    assert (saved["version"], saved["marcas"], saved["ancho"]) == (1, MARKS, 80)
    read = tablet.get(path_of()).json()
    assert (read["plano"], read["marcas"], read["version"]) == (plano, MARKS, 1)


def test_a_drawing_is_replaced_and_taken_away(tablet: Tablet, spool: str) -> None:
    first, second = (done(upload(tablet, a_png(width), PNG))["id"] for width in (80, 81))
    done(save(tablet, first, 0, MARKS))
    assert done(save(tablet, second, 1, MARKS[:1]))["plano"] == second
    gone = done(save(tablet, None, 2, MARKS))
    assert (gone["plano"], gone["marcas"], gone["version"]) == (None, [], 3)
    assert tablet.get(f"{PLANOS}/{first}").status_code == 200, "what was in a record stays"


def test_who_saves_over_somebody_elses_numbers_is_refused(tablet: Tablet, spool: str) -> None:
    plano = done(upload(tablet, a_png(), PNG))["id"]
    done(save(tablet, plano, 0, MARKS))
    assert refused(save(tablet, plano, 0, []), 409, "PLANO_CAMBIADO")["version"] == 1
    assert refused(save(tablet, plano, 5, []), 409, "PLANO_CAMBIADO")["version"] == 1
    assert tablet.get(path_of()).json()["marcas"] == MARKS


def test_a_number_needs_its_joint_and_a_drawing_its_picture(tablet: Tablet, spool: str) -> None:
    plano = done(upload(tablet, a_png(), PNG))["id"]
    for n_union in (3, 4):
        refused(save(tablet, plano, 0, [{"n_union": n_union, "x": 1, "y": 1}]), 404, "UNION_NO_ENCONTRADA")
    refused(save(tablet, "0" * 64, 0), 404, "PLANO_NO_ENCONTRADO")
    refused(tablet.get(f"{PLANOS}/{'0' * 64}"), 404, "PLANO_NO_ENCONTRADO")
    refused(tablet.get(path_of("NADA")), 404, "SPOOL_NO_ENCONTRADO")
    assert tablet.get(path_of()).json()["version"] == 0


@pytest.mark.parametrize(
    "marks", [[{"n_union": 1, "x": 1001, "y": 0}], [{"n_union": 1, "x": -1, "y": 0}], [MARKS[0], MARKS[0]], [{"x": 1}]]
)
def test_a_number_outside_the_picture_or_twice_is_not_valid(tablet: Tablet, spool: str, marks: list[Any]) -> None:
    plano = done(upload(tablet, a_png(), PNG))["id"]
    assert save(tablet, plano, 0, marks).status_code == 422


def test_a_drawing_of_no_spool_is_deleted_after_a_week_and_one_of_a_spool_never(
    tablet: Tablet, spool: str, ledger: Database
) -> None:
    used, unused = (done(upload(tablet, a_png(width), PNG))["id"] for width in (80, 81))
    done(save(tablet, used, 0))
    with ledger.writing() as tx:
        assert forget_unused_drawings(tx, datetime.now(UTC) - timedelta(days=7), 20) == 0
        assert forget_unused_drawings(tx, datetime.now(UTC) + timedelta(days=1), 20) == 1
    with ledger.reading() as tx:
        assert drawing_content(tx, used) is not None
        assert drawing_content(tx, unused) is None


def test_nobody_fills_the_disk_with_drawings_of_no_spool(tablet: Tablet, spool: str, ledger: Database) -> None:
    with ledger.writing() as tx:
        for number in range(UNUSED_MAX):
            save_drawing(tx, NewDrawing(f"{number:064x}", PNG, b"x", 1, 1), None, datetime.now(UTC))
    refused(upload(tablet, a_png(), PNG), 429, "DEMASIADOS_PLANOS")
