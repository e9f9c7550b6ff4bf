"""Photos: which are accepted, which are refused with which sentence, and how a photo is served."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from PIL import Image

from carrete.api.photos import UNUSED_MAX
from carrete.ledger.database import Database
from carrete.ledger.notes import NewPhoto, forget_unused_photos, photo_content, save_photo, unused_photos
from carrete.ledger.postgres_tx import PostgresTx
from carrete.ledger.sqlite_tx import SqliteTx
from carrete.photos.jpeg import BYTES_MAX
from tests.support.answers import done, refused
from tests.support.builders import TAG, a_spool, put
from tests.support.people import MR
from tests.support.photos import (
    FOTOS,
    HEIC,
    JPEG,
    SCRIPT,
    SVG,
    a_photo,
    a_picture,
    a_png_of_100_megapixels,
    a_zip,
    with_location,
)
from tests.support.tablet import Tablet, in_path


def upload(tablet: Tablet, content: bytes, content_type: str = JPEG, **headers: str) -> httpx.Response:
    return tablet.send("POST", FOTOS, content=content, headers={"Content-Type": content_type, **headers})


def uploaded(tablet: Tablet, content: bytes) -> str:
    return str(done(upload(tablet, content))["id"])


def served(tablet: Tablet, photo: str) -> bytes:
    answer = tablet.get(f"{FOTOS}/{photo}")
    assert answer.status_code == 200, answer.text
    return answer.content


def test_a_photo_is_stored_under_the_hash_of_its_bytes(tablet: Tablet, ledger: Database) -> None:
    answer = done(upload(tablet, with_location()))
    content = served(tablet, answer["id"])
    assert hashlib.sha256(content).hexdigest() == answer["id"]
    assert (answer["ancho"], answer["alto"], answer["bytes"]) == (64, 48, len(content))
    assert uploaded(tablet, with_location()) == answer["id"]


def test_a_served_photo_has_its_type_no_location_and_may_be_kept_for_ever(tablet: Tablet, ledger: Database) -> None:
    photo = uploaded(tablet, with_location())
    answer = tablet.get(f"{FOTOS}/{photo}")
    assert answer.headers["content-type"] == JPEG
    assert answer.headers.get_list("cache-control") == ["private, max-age=31536000, immutable"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert not dict(Image.open(io.BytesIO(answer.content)).getexif())
    assert b"CamaraSecreta" not in answer.content


def test_everything_else_of_the_api_is_never_kept_by_a_browser(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    for path in (f"{FOTOS}/{'0' * 64}", "/api/spools", f"/api/spools/{in_path(TAG)}/notas"):
        assert tablet.get(path).headers.get_list("cache-control") == ["no-store"], path


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (SVG, 415, "NO_ES_JPEG"),
        (a_png_of_100_megapixels(), 415, "NO_ES_JPEG"),
        (a_picture("PNG"), 415, "NO_ES_JPEG"),
        (a_picture("GIF"), 415, "NO_ES_JPEG"),
        (HEIC, 415, "NO_ES_JPEG"),
        (a_zip(), 415, "NO_ES_JPEG"),
        (b"", 415, "NO_ES_JPEG"),
        (b"<html>" + SCRIPT + a_photo(), 415, "NO_ES_JPEG"),
        (a_photo()[:-2], 422, "FOTO_ILEGIBLE"),
        (a_photo()[:300], 422, "FOTO_ILEGIBLE"),
        (a_photo(1601, 20), 413, "FOTO_DEMASIADO_GRANDE"),
        (a_photo() + b"\0" * BYTES_MAX, 413, "FOTO_DEMASIADO_GRANDE"),
    ],
    ids=[
        *("SVG with a script", "PNG of 100 megapixels", "PNG", "GIF", "HEIC", "ZIP", "nothing", "page and photo"),
        *("without its end", "cut off", "too wide", "too many bytes"),
    ],
)
def test_a_hostile_file_gets_a_sentence_and_is_not_stored(
    tablet: Tablet, ledger: Database, content: bytes, status: int, code: str
) -> None:
    refused(upload(tablet, content), status, code)
    with ledger.reading() as tx:
        assert unused_photos(tx, None, "") == 0


@pytest.mark.parametrize("tail", [b"<html>" + SCRIPT, a_zip(), b"*/;alert(1)//"], ids=["page", "archive", "script"])
def test_of_a_photo_that_is_something_else_too_only_the_photo_is_served(
    tablet: Tablet, ledger: Database, tail: bytes
) -> None:
    assert served(tablet, uploaded(tablet, a_photo() + tail)) == served(tablet, uploaded(tablet, a_photo()))


@pytest.mark.parametrize(
    "content_type", ["", "text/html", "image/png", "application/json", "multipart/form-data; boundary=x"]
)
def test_the_type_must_be_that_of_a_photo(tablet: Tablet, ledger: Database, content_type: str) -> None:
    refused(upload(tablet, a_photo(), content_type), 415, "NO_ES_JPEG")


def test_a_page_of_another_site_uploads_nothing(tablet: Tablet, ledger: Database) -> None:
    refused(upload(tablet, a_photo(), Origin="http://evil.example"), 403, "ORIGEN_NO_PERMITIDO")
    refused(upload(tablet, a_photo(), **{"Sec-Fetch-Site": "cross-site"}), 403, "ORIGEN_NO_PERMITIDO")


def test_a_photo_that_nobody_uploaded_is_not_found(tablet: Tablet, ledger: Database) -> None:
    refused(tablet.get(f"{FOTOS}/{'ab' * 32}"), 404, "FOTO_NO_ENCONTRADA")
    for odd in ("x", "AB" * 32, "ab" * 31, "..%2F..%2Fidentity.key"):
        assert tablet.get(f"{FOTOS}/{odd}").status_code in (404, 405, 422), odd


def test_a_photo_without_a_note_is_deleted_after_a_week_and_one_with_a_note_never(
    tablet: Tablet, ledger: Database
) -> None:
    put(ledger, [a_spool()], [MR])
    noted, unused = uploaded(tablet, a_photo()), uploaded(tablet, a_photo(30, 30))
    body = {"worker_id": MR.id, "fotos": [noted]}
    done(tablet.post(f"/api/spools/{in_path(TAG)}/notas", body))
    with ledger.writing() as tx:
        assert forget_unused_photos(tx, datetime.now(UTC) - timedelta(days=7), 10) == 0
    with ledger.writing() as tx:
        assert forget_unused_photos(tx, datetime.now(UTC) + timedelta(days=1), 10) == 1
    with ledger.reading() as tx:
        assert photo_content(tx, noted) is not None
        assert photo_content(tx, unused) is None


def test_uploading_a_photo_again_gives_it_its_week_again(tablet: Tablet, ledger: Database) -> None:
    photo = uploaded(tablet, a_photo())
    with ledger.writing() as tx:
        tx.execute("UPDATE photo SET uploaded_at = '2026-01-01T00:00:00+00:00'")
    uploaded(tablet, a_photo())
    with ledger.writing() as tx:
        assert forget_unused_photos(tx, datetime.now(UTC) - timedelta(days=7), 10) == 0
    assert served(tablet, photo)


def test_a_person_with_too_many_photos_without_a_note_uploads_no_more_and_others_still_do(
    tablet: Tablet, ledger: Database
) -> None:
    row = {"bytes": 1, "width": 1, "height": 1, "uploaded_at": "2026-11-16T00:00:00+00:00"}
    with ledger.writing() as tx:
        tx.many("photo_insert", [{**row, "id": f"{n:064x}", "by_id": 1} for n in range(UNUSED_MAX)])
    known = uploaded(tablet, a_photo())
    with ledger.writing() as tx:
        tx.many("photo_insert", [{**row, "id": f"{n:064x}", "by_id": None} for n in range(9_000, 8_999 + UNUSED_MAX)])
    assert uploaded(tablet, a_photo()) == known  # a photo that the ledger has already needs no room
    refused(upload(tablet, a_photo(colour=(1, 2, 3))), 429, "DEMASIADAS_FOTOS")


def test_a_thousand_photos_cost_the_list_and_the_card_nothing(
    tablet: Tablet, ledger: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(ledger, [a_spool()], [MR])
    _add_notes(tablet, ledger, 5)
    before = _cost(tablet, monkeypatch)
    _add_notes(tablet, ledger, 250)
    after = _cost(tablet, monkeypatch)
    assert after.statements == before.statements
    assert after.bytes - before.bytes < 20  # the digits of larger seqs
    with ledger.reading() as tx:
        assert unused_photos(tx, None, "") == 0


@dataclass(frozen=True, slots=True)
class ReadCost:
    statements: list[str]
    bytes: int


def _add_notes(tablet: Tablet, ledger: Database, notes: int) -> None:
    """Four photos each, of the largest size, each with other bytes."""
    for number in range(notes):
        photos = [f"{notes:032x}{number * 4 + each:032x}" for each in range(4)]
        with ledger.writing() as tx:
            for id_ in photos:
                save_photo(tx, NewPhoto(id_, id_.encode() * (BYTES_MAX // 64), 1600, 1200), MR.id, datetime.now(UTC))
        body = {"worker_id": MR.id, "texto": "Poro en la raíz", "fotos": photos}
        done(tablet.post(f"/api/spools/{in_path(TAG)}/notas", body))


def _cost(tablet: Tablet, monkeypatch: pytest.MonkeyPatch) -> ReadCost:
    """Of a list and a card: which statements are run, and how much is sent."""
    ran: list[str] = []
    with monkeypatch.context() as patched:
        for kind in (SqliteTx, PostgresTx):
            for method in ("all", "one", "count"):
                patched.setattr(kind, method, _recording(ran, getattr(kind, method)))
        size = sum(len(tablet.get(path).content) for path in ("/api/spools", f"/api/spools/{in_path(TAG)}"))
    return ReadCost([name for name in ran if name != "shop_settings"], size)  # those are read anew every few seconds


def _recording(ran: list[str], method: Callable[..., Any]) -> Callable[..., Any]:
    def recorded(self: Any, name: str, /, **params: Any) -> Any:
        ran.append(name)
        return method(self, name, **params)

    return recorded
