"""Client libraries that people use against Google work against the emulator, and get the answers they expect."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gspread
import pytest
from google.auth.transport.requests import Request
from google.oauth2 import service_account
from gspread.exceptions import APIError
from gspread.http_client import HTTPClient

from tests.support.emulator import Control, RunningEmulator

SCOPES = ["https://www.googleapis.com/auth/spreadsheets", "https://www.googleapis.com/auth/drive"]
GOOGLE = ("https://sheets.googleapis.com", "https://www.googleapis.com")


@pytest.fixture
def book(emulator: RunningEmulator, control: Control) -> Iterator[gspread.Spreadsheet]:
    class Redirected(HTTPClient):
        def request(self, method: str, endpoint: str, *arguments: Any, **options: Any) -> Any:
            for root in GOOGLE:
                endpoint = endpoint.replace(root, emulator.url)
            return super().request(method, endpoint, *arguments, **options)

    client = gspread.service_account_from_dict(emulator.account(), scopes=SCOPES, http_client=Redirected)
    client.set_timeout(10)
    yield client.open_by_key(control.spreadsheet)
    client.http_client.session.close()


def test_googles_own_library_signs_in_with_the_service_account_file(emulator: RunningEmulator, tmp_path: Path) -> None:
    file = emulator.service_account(tmp_path)
    assert json.loads(file.read_text())["token_uri"] == f"{emulator.url}/token"
    credentials = service_account.Credentials.from_service_account_file(str(file), scopes=SCOPES)  # type: ignore[no-untyped-call]
    credentials.refresh(Request())
    assert credentials.valid
    assert credentials.token.startswith("ya29.")


def test_gspread_reads_the_workbook(book: gspread.Spreadsheet) -> None:
    assert [tab.title for tab in book.worksheets()] == ["Operaciones", "Metadata"]
    tab = book.worksheet("Operaciones")
    assert tab.row_values(2) == ["MK-01", "OT-1", "MR(93)", "25-02-2026 12:00:00", "1,5"]
    assert tab.get_all_values()[4] == ["MK-04", "OT-2", "", "", ""]
    found = tab.find("MK-03")
    assert found is not None
    assert (found.row, found.col) == (4, 1)
    assert book.timezone == "America/Santiago"


def test_gspread_writes_the_workbook(book: gspread.Spreadsheet, control: Control) -> None:
    tab = book.worksheet("Operaciones")
    tab.update([["OT-8", "JP(12)"]], "B3:C3")
    tab.batch_update([{"range": "B4:C4", "values": [["OT-9", ""]]}, {"range": "B5", "values": [["OT-10"]]}])
    tab.append_row(["MK-05", "OT-11"])
    tab.insert_row(["MK-00"], index=2)
    tab.delete_rows(3)
    assert [row[:3] for row in control.rows("Operaciones")[1:]] == [
        ["MK-00"],
        ["MK-02", "OT-8", "JP(12)"],
        ["MK-03", "OT-9", ""],
        ["MK-04", "OT-10"],
        ["MK-05", "OT-11"],
    ]


def test_gspread_manages_tabs_sorts_and_resizes(book: gspread.Spreadsheet, control: Control) -> None:
    tab = book.add_worksheet("Nueva", rows=5, cols=3)
    tab.update([["b", 1], ["a", 2]], "A1:B2")
    tab.sort((1, "asc"), range="A1:B2")
    assert control.rows("Nueva") == [["a", 2], ["b", 1]]
    tab.resize(rows=1)
    tab.freeze(cols=1)
    tab.update_title("Otra")
    assert control.rows("Otra") == [["a", 2]]
    book.del_worksheet(tab)
    assert [one["title"] for one in control.workbook()["tabs"]] == ["Operaciones", "Metadata"]


def test_gspread_raises_the_errors_of_the_api(book: gspread.Spreadsheet, control: Control) -> None:
    control.fault("429", kind="read")
    with pytest.raises(APIError) as refused:
        book.fetch_sheet_metadata()
    assert refused.value.code == 429
    control.fault("502-html", kind="read")
    with pytest.raises(APIError) as broken:
        book.fetch_sheet_metadata()
    assert broken.value.response.status_code == 502


def test_gspread_signs_in_again_when_its_token_is_refused(book: gspread.Spreadsheet, control: Control) -> None:
    control.expire_tokens()
    assert book.worksheet("Operaciones").acell("A2").value == "MK-01"
