"""What an administrator does with the Google workbook in the browser: the key, a test, a preview, the connection.

Everything here blocks, and runs in a thread of its own. The lane itself follows the shop's settings and the key's file.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from carrete.ledger.database import Database
from carrete.settings import Settings
from carrete.sheets import first_connection
from carrete.sheets.clock import RealClock
from carrete.sheets.google.account import key_from
from carrete.sheets.google.cell_requests import guard_request
from carrete.sheets.google.client import GUARD_KEY, SheetsClient
from carrete.sheets.google.errors import Denied, SheetsError
from carrete.sheets.key_file import KEY_FILE
from carrete.sheets.push.guards import delete_requests
from carrete.sheets.refusals import GoogleDenies, GoogleSilent
from carrete.sheets.running import client_for
from carrete.sheets.timings import DEFAULT_TIMINGS
from carrete.workbook.report import ImportReport, no_progress

_GOOGLE_TOKENS = "googleapis.com"
_PROBE = 1_900_000_000  # guards of batches are far below


@dataclass(frozen=True, slots=True)
class SheetTest:
    title: str
    tabs: list[str]
    writable: bool


def store_key(settings: Settings, info: Mapping[str, Any]) -> str:
    """Keeps the key of a service account for this user only, and returns the account's address. Raises GoogleDenies."""
    with _as_refusals():
        key = key_from(info, "El archivo")
        _require_token_address(key.token_uri, settings)
    path = settings.data / KEY_FILE
    partial = path.with_name(f".{KEY_FILE}.{secrets.token_hex(4)}")
    descriptor = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(dict(info), file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
    return key.email


def test(settings: Settings) -> SheetTest:
    """Reads the names of the tabs, and writes a mark that the same batch removes again."""
    with _as_refusals(), _client(settings) as client:
        workbook = client.workbook()
        tabs = [tab.title for tab in workbook.tabs]
        guard = _PROBE + secrets.randbelow(100_000_000)
        try:
            client.write([guard_request(guard, GUARD_KEY, "prueba"), *delete_requests([guard])])
        except Denied:
            return SheetTest(workbook.title, tabs, writable=False)
        return SheetTest(workbook.title, tabs, writable=True)


def preview(settings: Settings, database: Database) -> tuple[ImportReport, list[str]]:
    """What connecting would do, and what was found. Neither the ledger nor the workbook changes."""
    clock, workbook = RealClock(), settings.google_sheet_id
    with _as_refusals():
        with _client(settings) as client:
            survey = first_connection.survey_of(database, client, workbook, clock)
        survey.require_right()
        lines = list(first_connection.summary(survey, workbook, database))
        return first_connection.dry_run(survey, database, workbook, settings.shop, clock, no_progress), lines


def connect(settings: Settings, database: Database) -> str:
    """Adds the columns that Carrete fills, and stores the connection; the lane then syncs it. Returns the title."""
    clock = RealClock()
    with _as_refusals(), _client(settings) as client:
        survey = first_connection.survey_of(database, client, settings.google_sheet_id, clock)
        first_connection.attach(survey, database, client, settings.google_sheet_id, clock, DEFAULT_TIMINGS)
        return survey.workbook.title


def _require_token_address(address: str, settings: Settings) -> None:
    """A key decides where its signed requests go: only to Google, or to the address that the machine gives instead."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    of_google = parts.scheme == "https" and (host == _GOOGLE_TOKENS or host.endswith(f".{_GOOGLE_TOKENS}"))
    if not of_google and not (settings.sheets_url and host == urlsplit(settings.sheets_url).hostname):
        raise Denied("La clave no es de Google: su token_uri lleva a otra parte.")


@contextmanager
def _client(settings: Settings) -> Iterator[SheetsClient]:
    client = client_for(settings, RealClock())
    try:
        yield client
    finally:
        client.close()


@contextmanager
def _as_refusals() -> Iterator[None]:
    try:
        yield
    except Denied as error:
        raise GoogleDenies(str(error)) from error
    except SheetsError as error:
        raise GoogleSilent(str(error)) from error
