"""`carrete sheets-emulator`: one command, a page in the browser, and a key that makes Carrete take it for Google."""

from __future__ import annotations

import re
import shlex
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from carrete.workbook.columns import PLANS
from sheets_emulator.command import load_or_fill
from sheets_emulator.emulator import Emulator
from sheets_emulator.server import Server
from tests.support.emulator import GRANT, Control, assertion
from tests.support.local import LOCAL
from tests.support.server import clean_environment

START_S_MAX = 60.0
_LISTENS = re.compile(r"listens on (http://\S+) \(control: (http://\S+)\)")


class Command:
    def __init__(self, process: subprocess.Popen[str], output: str) -> None:
        self.process = process
        self.output = output
        found = _LISTENS.search(output)
        assert found is not None, output
        self.url, self.control_url = found.groups()

    @property
    def environment(self) -> dict[str, str]:
        exports = [shlex.split(line)[1] for line in self.output.splitlines() if line.startswith("export ")]
        return dict(one.split("=", 1) for one in exports)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(10)


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[Command]:
    process = subprocess.Popen(
        [sys.executable, "-m", "carrete", "sheets-emulator", "--port", "0", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder,
        env=clean_environment(CARRETE_DATA=str(folder)),
    )  # fmt: skip
    try:
        yield Command(
            process, _output_until(process, "Carrete listens on" if "--demo" in arguments else "carrete serve")
        )
    finally:
        process.kill()
        process.wait()


def _output_until(process: subprocess.Popen[str], last: str) -> str:
    assert process.stdout is not None
    output, until = "", time.monotonic() + START_S_MAX
    while last not in output and time.monotonic() < until:
        line = process.stdout.readline()
        if not line:
            break
        output += line
    return output


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    with running(tmp_path_factory.mktemp("demo"), "--demo", "--shop-port", "0") as command:
        yield command


def test_the_demo_has_the_five_tabs_with_the_columns_of_the_contract(demo: Command) -> None:
    control = Control(demo.control_url, demo.environment["GOOGLE_SHEET_ID"])
    for plan in PLANS:
        header, *rows = control.rows(plan.name)
        assert header == [column.name for column in plan.without_optional().columns]
        assert rows
    first = control.records("Operaciones", "FORMATTED_VALUE")[0]
    assert re.fullmatch(r"\d\d-\d\d-\d{4}", first["Fecha_Materiales"])
    moments = [row["Fecha_Ocupacion"] for row in control.records("Operaciones", "FORMATTED_VALUE")]
    assert any(re.fullmatch(r"\d\d-\d\d-\d{4} \d\d:\d\d:\d\d", moment) for moment in moments)
    control.close()


def test_both_ways_are_at_work_in_one_command(demo: Command) -> None:
    found = re.search(r"Carrete listens on (http://\S+)", demo.output)
    assert found is not None
    control = Control(demo.control_url, demo.environment["GOOGLE_SHEET_ID"])
    with httpx.Client(base_url=found[1], **LOCAL) as shop:
        _until(lambda: shop.get("/api/spools", params={"accion": "TOMAR", "operacion": "ARM"}).json()["total"] > 0)
        tag = shop.get("/api/spools", params={"accion": "TOMAR", "operacion": "ARM"}).json()["spools"][0]["tag_spool"]
        worker = shop.get("/api/workers", params={"operacion": "ARM"}).json()["workers"][0]
        body = {"tag_spool": tag, "worker_id": worker["id"], "operacion": "ARM"}
        assert shop.post("/api/occupation/tomar", json=body).status_code == 200
        _until(lambda: _in_the_sheet(control, tag)[1]["Ocupado_Por"] == worker["label"])
        row, _ = _in_the_sheet(control, tag)
        column = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[control.rows("Operaciones")[0].index("Ocupado_Por")]
        control.edit("Operaciones", f"{column}{row}", "DISPONIBLE")
        _until(lambda: shop.get(f"/api/spools/{tag}").json()["ocupado_por"] is None)
    control.close()


def _in_the_sheet(control: Control, tag: str) -> tuple[int, dict[str, Any]]:
    """Its row, as people count them, and what it says."""
    records = control.records("Operaciones", "FORMATTED_VALUE")
    return next((n, record) for n, record in enumerate(records, 2) if record["TAG_SPOOL"] == tag)


def _until(true: Callable[[], bool]) -> None:
    until = time.monotonic() + START_S_MAX
    while not true():
        assert time.monotonic() < until, "it did not come true"
        time.sleep(0.2)


def test_what_it_prints_is_enough_to_sign_in_and_read(demo: Command) -> None:
    environment = demo.environment
    file = Path(environment["GOOGLE_APPLICATION_CREDENTIALS"])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    account: dict[str, Any] = httpx.Response(200, content=file.read_bytes()).json()
    form = {"grant_type": GRANT, "assertion": assertion(account)}
    token = httpx.post(account["token_uri"], data=form, **LOCAL).json()["access_token"]
    url = f"{environment['CARRETE_SHEETS_URL']}/v4/spreadsheets/{environment['GOOGLE_SHEET_ID']}"
    answer = httpx.get(url, headers={"Authorization": f"Bearer {token}"}, **LOCAL)
    assert [tab["properties"]["title"] for tab in answer.json()["sheets"]] == [plan.name for plan in PLANS]


def test_a_browser_gets_a_page_without_a_line_of_script_in_it(demo: Command) -> None:
    page = httpx.get(demo.url, **LOCAL)
    assert page.headers["content-security-policy"] == "default-src 'self'; frame-ancestors 'none'"
    assert "<script src=" in page.text
    assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|<style|\sstyle=", page.text)
    for name, kind in (("page.js", "text/javascript"), ("page.css", "text/css")):
        assert httpx.get(f"{demo.url}/{name}", **LOCAL).headers["content-type"].startswith(kind)
    hints = httpx.get(f"{demo.url}/_control/hints", **LOCAL).json()["environment"]
    assert "GOOGLE_SHEET_ID=" in hints


def test_what_is_in_the_snapshot_when_it_stops_is_there_when_it_starts_again(tmp_path: Path) -> None:
    snapshot = tmp_path / "libro.json"
    with running(tmp_path, "--snapshot", str(snapshot)) as command:
        control = Control(command.control_url)
        control.edit("Sheet1", "A1", "25-02-2026")
        control.edit("Sheet1", "B1", "=A1+1")
        control.protect("Sheet1", "A1:A1")
        control.rename_tab("Sheet1", "Hoja")
        before = control.workbook()
        control.close()
        assert command.stop() == 0
    again = Emulator()
    assert load_or_fill(again, snapshot, fill=lambda _: pytest.fail("there was a snapshot"))
    server = Server(again)
    server.start()
    try:
        control = Control(server.control_url)
        after = control.workbook()
        assert (after["spreadsheetId"], after["revision"]) == (before["spreadsheetId"], before["revision"])
        assert control.rows("Hoja", "FORMATTED_VALUE") == [["25-02-2026", "46079"]]
        control.insert_rows("Hoja", 1)
        assert control.rows("Hoja", "FORMULA")[1][1] == "=A2+1"
        control.close()
    finally:
        server.stop()


def test_a_port_in_use_is_one_clear_sentence(demo: Command, tmp_path: Path) -> None:
    port = demo.url.rpartition(":")[2]
    done = subprocess.run(
        [sys.executable, "-m", "carrete", "sheets-emulator", "--port", port],
        capture_output=True, text=True, timeout=START_S_MAX, env=clean_environment(CARRETE_DATA=str(tmp_path)),
    )  # fmt: skip
    assert done.returncode == 1
    assert "in use by another program" in done.stderr
    assert "Traceback" not in done.stderr
