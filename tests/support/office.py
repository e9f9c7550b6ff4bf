"""The administrator's page in the browser: an administrator who has signed in, and workbooks to upload."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import xlsxwriter
from playwright.sync_api import Locator, Page, expect

from carrete.ledger.values import instant_text
from tests.support.browser import Screen
from tests.support.pin_shop import AD, PinShop, face, type_pin

READY_ON = date(2026, 11, 2)


def as_administrator(screen: Screen, path: str = "/administracion") -> Page:
    page = screen.open(path)
    face(screen, AD).click()
    type_pin(page)
    expect(page.get_by_role("banner").get_by_text(AD.label)).to_be_visible()
    return page


def card(page: Page, title: str) -> Locator:
    return page.get_by_role("region", name=title, exact=True)


def grow_old(shop: PinShop, page: Page) -> None:
    """As if every PIN had been typed six minutes ago. Any change by an administrator makes the server read its sessions
    anew."""
    with shop.database.writing() as tx:
        tx.execute(f"UPDATE session SET pin_at = '{instant_text(datetime.now(UTC) - timedelta(minutes=6))}'")
    done = json.dumps({"paso": "taller", "listo": True})
    body = {"method": "POST", "headers": {"Content-Type": "application/json"}, "body": done}
    assert page.evaluate("async body => (await fetch('/api/configuracion/pasos', body)).status", body) == 200


def write_workbook(path: Path, **sheets: Sequence[Mapping[str, Any]]) -> Path:
    """The columns of a sheet are those of its rows."""
    book = xlsxwriter.Workbook(str(path))
    day = book.add_format({"num_format": "dd-mm-yyyy"})
    for name, rows in sheets.items():
        sheet = book.add_worksheet(name)
        headers = list(dict.fromkeys(header for row in rows for header in row))
        sheet.write_row(0, 0, headers)
        for number, row in enumerate(rows, 1):
            for header, value in row.items():
                written = (value, day) if isinstance(value, date) else (value,)
                sheet.write(number, headers.index(header), *written)
    book.close()
    return path


def spool_rows(*tags: str, **cells: Any) -> list[dict[str, Any]]:
    return [{"TAG_SPOOL": tag, "OT": "4711", "Fecha_Materiales": READY_ON, **cells} for tag in tags]
