"""Whatever is wrong with the key, the sharing, the id or the project is one sentence that says what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from carrete.sheets.google.account import read_key
from carrete.sheets.google.client import SheetsClient
from carrete.sheets.google.errors import Denied, TooFast, Unreachable
from carrete_chaos.sheets.link import ROOT, emulated_key
from tests.support.sheets import BOOK, SheetShop

KEY = {"client_email": "x@y", "private_key": "no", "token_uri": "http://127.0.0.1/token"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "no se puede leer"),
        ("no es json", "no es un archivo JSON"),
        ("[]", "no es la clave de una cuenta de servicio"),
        (json.dumps({"type": "authorized_user"}), "falta client_email"),
        (json.dumps(KEY), "clave privada dañada"),
    ],
)
def test_a_bad_key_file_is_reported_before_anything_starts(tmp_path: Path, content: str | None, sentence: str) -> None:
    path = tmp_path / "key.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(Denied, match=sentence):
        read_key(str(path))


def test_no_key_at_all_names_the_setting() -> None:
    with pytest.raises(Denied, match="GOOGLE_APPLICATION_CREDENTIALS"):
        read_key("")


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("403-revoked", "comparta la planilla con esa dirección"),
        ("403-disabled", "no está activada"),
        ("404-trashed", "No existe la planilla de GOOGLE_SHEET_ID"),
    ],
)
def test_the_error_about_denied_access_says_what_to_do(shop: SheetShop, fault: str, sentence: str) -> None:
    shop.fault(fault, kind="read")
    with pytest.raises(Denied, match=sentence):
        shop.lane.client.workbook()


def test_a_key_that_google_does_not_know_is_reported_as_a_wrong_key(shop: SheetShop) -> None:
    shop.emulator.faults.add({"fault": "invalid_grant", "kind": "token"})
    client = SheetsClient(BOOK, emulated_key(shop.emulator), shop.clock, root=ROOT, transport=shop.google)
    with pytest.raises(Denied, match="no acepta la clave de carrete@"):
        client.workbook()


def test_a_wrong_id_is_reported_as_such(shop: SheetShop) -> None:
    client = SheetsClient("no-existe", emulated_key(shop.emulator), shop.clock, root=ROOT, transport=shop.google)
    with pytest.raises(Denied, match="GOOGLE_SHEET_ID"):
        client.workbook()


@pytest.mark.parametrize(("fault", "error"), [("429", TooFast), ("503", Unreachable), ("truncate-body", Unreachable)])
def test_a_temporary_error_is_not_reported_as_a_denial(shop: SheetShop, fault: str, error: type[Exception]) -> None:
    shop.fault(fault, kind="read")
    with pytest.raises(error):
        shop.lane.client.workbook()


def test_a_write_is_asked_exactly_once_whatever_comes_back(shop: SheetShop) -> None:
    requests: list[httpx.Request] = []

    def counting(request: httpx.Request) -> None:
        requests.append(request)

    for fault in ("503", "500", "reset-before-apply", "apply-then-hang", "502-html"):
        shop.fault(fault)
        shop.google.meanwhile = counting
        with pytest.raises(Unreachable):
            shop.lane.client.write([])
    assert len(requests) == 5


def test_a_refused_token_is_renewed_once_and_the_write_goes_through(shop: SheetShop) -> None:
    requests: list[int] = []
    count: Callable[[httpx.Request], None] = lambda _request: requests.append(1)  # noqa: E731
    shop.google.meanwhile = count
    shop.fault("401-once")
    shop.lane.client.write(
        [{"updateSheetProperties": {"properties": {"sheetId": 0, "hidden": False}, "fields": "hidden"}}]
    )
    assert len(requests) == 2
