"""The Sheets emulator for tests: started on free ports, with a client for everything that `/_control` can do."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from sheets_emulator.accounts import EMAIL
from sheets_emulator.clock import EmulatorClock
from sheets_emulator.emulator import Emulator
from sheets_emulator.server import Server
from tests.support.local import LOCAL

Json = dict[str, Any]
MORNING = datetime(2026, 11, 16, 11, 0, tzinfo=UTC)  # Monday, 08:00 in Santiago
CONTROL_S_MAX = 130.0


@dataclass
class Held:
    """A barrier: wait until a request is held there, let it go."""

    control: Control
    id: int

    def wait(self, seconds: float = 10.0) -> Json:
        barrier = self.control.get(f"barrier/{self.id}", wait_s=seconds)
        assert barrier["met"], "no request came to the barrier"
        return barrier

    def release(self) -> None:
        self.control.post(f"barrier/{self.id}/release")


class Control:
    """Edits by people, faults, and the oracle."""

    def __init__(self, url: str, spreadsheet: str = "") -> None:
        self._http = httpx.Client(base_url=url, timeout=CONTROL_S_MAX, **LOCAL)
        self.spreadsheet = spreadsheet

    def close(self) -> None:
        self._http.close()

    def get(self, path: str, /, **query: Any) -> Json:
        return self._body(self._http.get(f"/_control/{path}", params=query))

    def post(self, path: str, /, **body: Any) -> Json:
        return self._body(self._http.post(f"/_control/{path}", json=body))

    def delete(self, path: str) -> Json:
        return self._body(self._http.delete(f"/_control/{path}"))

    def _body(self, answer: httpx.Response) -> Json:
        assert answer.status_code == 200, f"{answer.request.method} {answer.request.url}: {answer.text}"
        body: Json = answer.json()
        return body

    # ─── workbooks ────────────────────────────────────────────────────────────────────────────────────────

    def make(self, tabs: Sequence[Mapping[str, Any]], **settings: Any) -> Json:
        """tabs: title, rows (header first), formats by column, row_count, column_count. From now on we act on it."""
        made = self.post("workbook", tabs=list(tabs), **settings)
        self.spreadsheet = made["spreadsheetId"]
        return made

    def workbook(self) -> Json:
        return self.get("workbook", spreadsheet=self.spreadsheet)

    def revision(self) -> int:
        number: int = self.workbook()["revision"]
        return number

    def rows(self, sheet: str, render: str = "UNFORMATTED_VALUE") -> list[list[Any]]:
        """The workbook as it is, without quota, faults or staleness."""
        grid = self.get("grid", spreadsheet=self.spreadsheet, sheet=sheet, rows=10_000_000, render=render)
        rows: list[list[Any]] = grid["rows"]
        return rows

    def records(self, sheet: str, render: str = "UNFORMATTED_VALUE") -> list[Json]:
        header, *rows = self.rows(sheet, render)
        return [dict(zip(header, [*row, *[""] * (len(header) - len(row))], strict=False)) for row in rows]

    def cell(self, sheet: str, cell: str) -> Json:
        return self.get("cell", spreadsheet=self.spreadsheet, sheet=sheet, cell=cell)

    # ─── a person's hands ─────────────────────────────────────────────────────────────────────────────────

    def person(self, act: str, **fields: Any) -> Json:
        return self.post(f"person/{act}", spreadsheet=self.spreadsheet, **fields)

    def edit(self, sheet: str, cell: str, value: Any, as_: str = "USER_ENTERED") -> int:
        revision: int = self.person("edit", sheet=sheet, cell=cell, value=value, **{"as": as_})["revision"]
        return revision

    def paste(self, sheet: str, cell: str, rows: Sequence[Sequence[Any]], as_: str = "USER_ENTERED") -> None:
        self.person("paste", sheet=sheet, cell=cell, rows=rows, **{"as": as_})

    def clear(self, sheet: str, range_: str) -> None:
        self.person("clear", sheet=sheet, range=range_)

    def add_row(self, sheet: str, **values: Any) -> int:
        row: int = self.person("add_row", sheet=sheet, values=values)["row"]
        return row

    def insert_rows(self, sheet: str, at: int, count: int = 1) -> None:
        self.person("insert_rows", sheet=sheet, at=at, count=count)

    def delete_rows(self, sheet: str, at: int, count: int = 1) -> None:
        self.person("delete_rows", sheet=sheet, at=at, count=count)

    def move_rows(self, sheet: str, at: int, to: int, count: int = 1) -> None:
        self.person("move_rows", sheet=sheet, at=at, to=to, count=count)

    def insert_columns(self, sheet: str, at: str | int, count: int = 1) -> None:
        self.person("insert_columns", sheet=sheet, at=at, count=count)

    def delete_columns(self, sheet: str, at: str | int, count: int = 1) -> None:
        self.person("delete_columns", sheet=sheet, at=at, count=count)

    def move_columns(self, sheet: str, at: str | int, to: str | int, count: int = 1) -> None:
        self.person("move_columns", sheet=sheet, at=at, to=to, count=count)

    def sort(self, sheet: str, column: str | int, *, descending: bool = False, range_: str | None = None) -> None:
        self.person("sort", sheet=sheet, column=column, descending=descending, range=range_)

    def cut_paste(self, sheet: str, range_: str, to: str, to_sheet: str | None = None) -> None:
        self.person("cut_paste", sheet=sheet, range=range_, to=to, to_sheet=to_sheet or sheet)

    def rename_header(self, sheet: str, column: str | int, to: str) -> None:
        self.person("rename_header", sheet=sheet, column=column, to=to)

    def rename_tab(self, sheet: str, to: str) -> None:
        self.person("rename_tab", sheet=sheet, to=to)

    def reorder_tab(self, sheet: str, to: int) -> None:
        self.person("reorder_tab", sheet=sheet, to=to)

    def delete_tab(self, sheet: str) -> None:
        self.person("delete_tab", sheet=sheet)

    def duplicate_tab(self, sheet: str, to: str) -> None:
        self.person("duplicate_tab", sheet=sheet, to=to)

    def add_tab(self, title: str) -> None:
        self.person("add_tab", title=title)

    def set_format(self, sheet: str, range_: str, type_: str | None, pattern: str = "") -> None:
        self.person("set_format", sheet=sheet, range=range_, type=type_, pattern=pattern)

    def filter(self, sheet: str, range_: str | None = None) -> None:
        self.person("filter", sheet=sheet, range=range_)

    def unfilter(self, sheet: str) -> None:
        self.person("unfilter", sheet=sheet)

    def protect(self, sheet: str, range_: str | None = None, *, warning: bool = False) -> None:
        self.person("protect", sheet=sheet, range=range_, warning=warning)

    def unprotect(self, sheet: str) -> None:
        self.person("unprotect", sheet=sheet)

    def pin(self, sheet: str, cell: str, value: Any) -> None:
        self.person("pin", sheet=sheet, cell=cell, value=value)

    def restore(self, revision: int) -> int:
        restored: int = self.person("restore", revision=revision)["revision"]
        return restored

    def undo(self) -> None:
        self.person("undo")

    def locale(self, name: str) -> None:
        self.person("locale", locale=name)

    def time_zone(self, name: str) -> None:
        self.person("time_zone", time_zone=name)

    def replace_by_copy(self) -> Json:
        """New ids for everything; from now on we act on the copy."""
        made = self.person("replace_by_copy")
        self.spreadsheet = made["spreadsheetId"]
        return made

    def share(self, with_: Sequence[str] | None) -> None:
        self.post("share", spreadsheet=self.spreadsheet, **{"with": with_})

    def trash(self) -> None:
        self.post("trash", spreadsheet=self.spreadsheet)

    # ─── what goes wrong ──────────────────────────────────────────────────────────────────────────────────

    def fault(self, fault: str, **match_and_settings: Any) -> int:
        """Matched on method, path (regular expression), kind (read, write, token, drive), nth, probability, times."""
        number: int = self.post("fault", fault=fault, **match_and_settings)["id"]
        return number

    def no_faults(self) -> None:
        self.delete("fault")

    def barrier(self, at: str = "before-apply", **match: Any) -> Held:
        return Held(self, self.post("barrier", at=at, **match)["id"])

    def outage(self, mode: str = "refuse", for_s: float | None = None, after_s: float = 0.0) -> None:
        self.post("outage", mode=mode, for_s=for_s, after_s=after_s)

    def end_outage(self) -> None:
        self.delete("outage")

    def apply_later_ones_now(self) -> int:
        done: int = self.post("later")["done"]
        return done

    def expire_tokens(self) -> None:
        self.post("token/expire")

    def options(self, **options: Any) -> Json:
        return self.post("options", **options)

    def quota(self, **limits: Any) -> Json:
        return self.post("quota", **limits)

    def script(self, *steps: Json) -> None:
        self.post("script", steps=list(steps))

    # ─── clock and oracle ─────────────────────────────────────────────────────────────────────────────────

    def advance(self, seconds: float) -> None:
        self.post("clock", advance_s=seconds)

    def freeze(self) -> None:
        self.post("clock", running=False)

    def run_clock(self) -> None:
        self.post("clock", running=True)

    def now(self) -> datetime:
        return datetime.fromisoformat(self.get("clock")["now"])

    def log(self, after: int = 0) -> list[Json]:
        entries: list[Json] = self.get("log", after=after)["requests"]
        return entries

    def forget(self) -> None:
        self.delete("log")

    def audit(self, sheet: str = "Metadata", column: str = "ID") -> Json:
        return self.get("oracle/audit", spreadsheet=self.spreadsheet, sheet=sheet, column=column)

    def lost(self) -> list[Json]:
        return self._findings("lost")

    def overwritten(self) -> list[Json]:
        return self._findings("overwritten")

    def misdirected(self) -> list[Json]:
        return self._findings("misdirected")

    def _findings(self, what: str) -> list[Json]:
        found: list[Json] = self.get(f"oracle/{what}", spreadsheet=self.spreadsheet)[what]
        return found

    def quota_use(self) -> list[Json]:
        minutes: list[Json] = self.get("oracle/quota", spreadsheet=self.spreadsheet)["minutes"]
        return minutes


SCOPES = "https://www.googleapis.com/auth/spreadsheets https://www.googleapis.com/auth/drive.metadata.readonly"
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"


def assertion(account: Json, scope: str = SCOPES, **claims: Any) -> str:
    """The signed assertion of a client library, made with the key of its service account."""
    now = int(time.time())
    payload = {
        "iss": account["client_email"],
        "scope": scope,
        "aud": "https://oauth2.googleapis.com/token",
        "iat": now,
        "exp": now + 3600,
        **claims,
    }
    signed = f"{_encoded({'alg': 'RS256', 'typ': 'JWT'})}.{_encoded(payload)}"
    key = _private_key(account["private_key"])
    signature = key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
    return f"{signed}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


@cache
def _private_key(pem: str) -> rsa.RSAPrivateKey:
    """Reading a key takes longer than signing with it."""
    key = serialization.load_pem_private_key(pem.encode(), None)
    assert isinstance(key, rsa.RSAPrivateKey)
    return key


def _encoded(part: Json) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


class Api:
    """A plain client of the API: what was asked, what was answered, nothing retried."""

    def __init__(self, url: str, token: str, spreadsheet: str, read_s_max: float = 10.0) -> None:
        bearer = {"authorization": f"Bearer {token}"}
        self.http = httpx.Client(base_url=url, headers=bearer, timeout=read_s_max, **LOCAL)
        self.path = f"/v4/spreadsheets/{spreadsheet}"

    def get(self, rest: str = "", **query: Any) -> httpx.Response:
        return self.http.get(self.path + rest, params=query)

    def post(self, rest: str, body: Json | None = None, **query: Any) -> httpx.Response:
        return self.http.post(self.path + rest, json=body or {}, params=query)

    def put(self, rest: str, body: Json, **query: Any) -> httpx.Response:
        return self.http.put(self.path + rest, json=body, params=query)

    def values(self, range_: str, **query: Any) -> list[list[Any]]:
        """As they are in the cells; empty when the answer has none."""
        answer = self.get(f"/values/{quote(range_, safe='')}", **{"valueRenderOption": "UNFORMATTED_VALUE", **query})
        assert answer.status_code == 200, answer.text
        values: list[list[Any]] = answer.json().get("values", [])
        return values

    def update(self, range_: str, values: Sequence[Sequence[Any]], option: str = "RAW", **query: Any) -> httpx.Response:
        body = {"values": values}
        return self.put(f"/values/{quote(range_, safe='')}", body, valueInputOption=option, **query)

    def batch(self, *requests: Json, **more: Any) -> httpx.Response:
        return self.post(":batchUpdate", {"requests": list(requests), **more})


class RunningEmulator:
    """url is what CARRETE_SHEETS_URL wants."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.url = server.url
        self.control = Control(server.control_url)

    def service_account(self, folder: Path, email: str = EMAIL) -> Path:
        """What GOOGLE_APPLICATION_CREDENTIALS wants."""
        path = folder / f"service-account-{email.split('@')[0]}.json"
        path.write_text(json.dumps(self.account(email)))
        return path

    def account(self, email: str = EMAIL) -> Json:
        return self.server.emulator.accounts.service_account(self.server.token_uri, email)

    def token(self, email: str = EMAIL, scope: str = SCOPES) -> str:
        form = {"grant_type": GRANT, "assertion": assertion(self.account(email), scope)}
        answer = httpx.post(f"{self.url}/token", data=form, **LOCAL)
        assert answer.status_code == 200, answer.text
        token: str = answer.json()["access_token"]
        return token

    @contextmanager
    def api(self, email: str = EMAIL, scope: str = SCOPES, read_s_max: float = 10.0) -> Iterator[Api]:
        """For the workbook that the control acts on now."""
        client = Api(self.url, self.token(email, scope), self.control.spreadsheet, read_s_max)
        try:
            yield client
        finally:
            client.http.close()


@contextmanager
def running_emulator(seed: int = 0, start: datetime = MORNING, *, clock_runs: bool = True) -> Iterator[RunningEmulator]:
    """In this process, on free ports, gone at the end."""
    server = Server(Emulator(seed, EmulatorClock(start, running=clock_runs)))
    server.start()
    running = RunningEmulator(server)
    try:
        yield running
    finally:
        running.control.close()
        server.stop()
