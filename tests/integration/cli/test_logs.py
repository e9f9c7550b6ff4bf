"""The log of a command: at the configured level, never inside a progress bar, and never blocking."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from carrete.ledger import open_database
from carrete.ledger.migrate import migrate
from carrete.log_stream import LOST, LogStream
from tests.integration.cli.conftest import Carrete
from tests.integration.cli.test_workbook_files import a_workbook
from tests.support.builders import a_spool, put, spool_in
from tests.support.gated import eventually
from tests.support.people import CREW, MR
from tests.support.server import RunningServer, clean_environment, running_server

TAGS = [f"MK-{n}" for n in range(20)]


@pytest.fixture
def ledger_url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    database = open_database(url)
    migrate(database)
    put(database, [a_spool()], CREW)
    database.close()
    return url


def facts(server: RunningServer) -> list[dict[str, object]]:
    """Every line that it wrote on standard error is one JSON object."""
    return [json.loads(line) for line in server.complaints.splitlines()]


def until_redis_is_used(server: RunningServer, workers: int = 1) -> None:
    """Waits until the server uses Redis; of several processes each says so in its log."""
    with server.client() as client:
        eventually(lambda: bool(client.get("/api/health/redis").json()["status"] == "healthy"), 5.0)
    if workers > 1:
        eventually(lambda: [fact["event"] for fact in facts(server)].count("Redis is used") >= workers, 10.0)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_every_process_logs_the_locks_as_json_on_standard_error(workers: str, ledger_url: str, tmp_path: Path) -> None:
    embedded = {"REDIS_URL": "embedded"}
    with running_server(ledger_url, tmp_path, "--workers", workers, settings=embedded) as server:
        until_redis_is_used(server, int(workers))
        with server.tablet() as tablet:
            assert tablet.tap("TOMAR").status_code == 200
            assert tablet.tap("PAUSAR").status_code == 200
        lines = [fact["event"] for fact in facts(server) if str(fact["event"]).startswith("lock ")]
        assert {"lock taken", "lock released"} <= set(lines)


def test_with_a_higher_level_nothing_is_written(ledger_url: str, tmp_path: Path) -> None:
    settings = {"REDIS_URL": "embedded", "CARRETE_LOG_LEVEL": "error"}
    with running_server(ledger_url, tmp_path, settings=settings) as server:
        until_redis_is_used(server)
        with server.tablet() as tablet:
            assert tablet.tap("TOMAR").status_code == 200
            assert tablet.tap("TOMAR", worker_id=7).status_code == 409
        assert server.complaints == ""


def test_a_level_that_does_not_exist_is_one_sentence(carrete: Carrete, tmp_path: Path) -> None:
    result = carrete("worker", "list", CARRETE_DATA=str(tmp_path), CARRETE_LOG_LEVEL="loud")
    assert result.exit_code == 1
    assert result.sentence.startswith("carrete: CARRETE_LOG_LEVEL=LOUD: ")
    assert "'WARNING'" in result.sentence


@pytest.fixture
def serving(ledger_url: str, tmp_path: Path) -> Iterator[RunningServer]:
    with running_server(ledger_url, tmp_path, settings={"REDIS_URL": "embedded"}) as server:
        until_redis_is_used(server)
        yield server


def an_import(tmp_path: Path, url: str) -> tuple[list[str], dict[str, str]]:
    """Of new spools that somebody holds already, so that each of them needs a lock."""
    rows = [(tag, "02-11-2026", MR.label, "16-11-2026 08:00:00") for tag in TAGS]
    headers = ("TAG_SPOOL", "Fecha_Materiales", "Ocupado_Por", "Fecha_Ocupacion")
    file = a_workbook(tmp_path / "in.xlsx", rows, headers)
    settings = {"DATABASE_URL": url, "CARRETE_DATA": str(tmp_path), "REDIS_URL": "embedded"}
    return [sys.executable, "-m", "carrete", "import", str(file)], clean_environment(**settings)


def test_an_import_in_a_terminal_shows_its_bar_and_no_log_lines(
    serving: RunningServer, ledger_url: str, tmp_path: Path
) -> None:
    command, environment = an_import(tmp_path, ledger_url)
    code, shown = in_a_terminal(command, {**environment, "TERM": "xterm", "COLUMNS": "100"})
    assert code in (0, 3), shown
    assert_taken(ledger_url)
    assert "Importing" in shown
    for words in ("lock put right", "Redis is used", '"event"', "[info", "[warning"):
        assert words not in shown


def test_an_import_into_a_file_writes_plain_lines(serving: RunningServer, ledger_url: str, tmp_path: Path) -> None:
    command, environment = an_import(tmp_path, ledger_url)
    ended = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ended.returncode in (0, 3), ended.stderr
    assert_taken(ledger_url)
    assert "\x1b" not in ended.stderr
    assert '"event"' not in ended.stderr
    assert ended.stderr.count("Importing") == 1


def test_a_warning_while_a_bar_is_drawn_stands_on_lines_of_its_own_above_it(tmp_path: Path) -> None:
    program = """
import time, structlog
from carrete import logs
from carrete.cli.common import progress_bar
logs.set_up("INFO")
log = structlog.get_logger()
with progress_bar("Importing") as advance:
    for n in range(1, 4):
        advance(n, 3)
        log.info("of no weight")
        log.warning("take care", n=n)
        time.sleep(0.15)
log.info("afterwards")
"""
    command = [sys.executable, "-c", program]
    _, shown = in_a_terminal(command, clean_environment(TERM="xterm", COLUMNS="100"))
    lines = shown.replace("\x1b[2K", "\n").replace("\r", "\n").splitlines()
    warnings = [line for line in lines if "take care" in line]
    assert len(warnings) == 3
    assert not [line for line in warnings if "Importing" in line or "━" in line]
    assert "of no weight" not in shown
    assert "afterwards" in shown
    ended = subprocess.run(command, env=clean_environment(), cwd=tmp_path, capture_output=True, text=True, timeout=60)
    plain = [json.loads(line) for line in ended.stderr.splitlines() if line.startswith("{")]
    assert [line["event"] for line in plain] == ["take care"] * 3 + ["afterwards"]


def test_a_line_with_text_that_is_no_utf8_is_written_all_the_same() -> None:
    program = """
import structlog
from carrete import logs
logs.set_up("INFO")
log = structlog.get_logger()
log.info("odd", name="\\udc80.xlsx", raw=b"\\xff")
log.warning("odd", name="\\udc80.xlsx", raw=b"\\xff")
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    written = [json.loads(line) for line in ended.stderr.splitlines()]
    assert [(line["event"], line["level"], line["name"]) for line in written] == [
        ("odd", "info", "\udc80.xlsx"),
        ("odd", "warning", "\udc80.xlsx"),
    ]


def assert_taken(url: str) -> None:
    database = open_database(url)
    assert spool_in(database, TAGS[0]).occupation is not None
    database.close()


def in_a_terminal(command: list[str], environment: dict[str, str]) -> tuple[int, str]:
    ours, its = pty.openpty()
    process = subprocess.Popen(command, stdin=its, stdout=its, stderr=its, env=environment)
    os.close(its)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:  # the terminal's other side is closed
        pass
    finally:
        os.close(ours)
    return process.wait(30), shown.decode()


class TestAReaderThatStoppedReading:
    def test_costs_lines_but_no_time_and_later_gets_the_number_of_lost_lines(self) -> None:
        reading, writing = os.pipe()
        with open(reading, "rb", buffering=0) as reader, open(writing, "w") as stderr:
            stream = LogStream(stderr)
            begun = time.monotonic()
            for n in range(2_000):
                stream.write(f"{n} " + "x" * 200 + "\n")
            assert time.monotonic() - begun < 5
            received = reader.read(1 << 20)
            stream.write("again\n")
            lines = reader.read(1 << 20).decode().splitlines()
        assert received.startswith(b"0 x")
        assert received.endswith(b"\n"), "a line is there as a whole or not at all"
        lost = 2_000 - received.count(b"\n")
        assert lines == [f"{lost} {LOST}", "again"]

    def test_does_not_change_the_descriptor_that_others_share(self) -> None:
        reading, writing = os.pipe()
        with open(reading, "rb", buffering=0), open(writing, "w") as stderr:
            LogStream(stderr).write("hola\n")
            assert os.get_blocking(writing)

    def test_of_a_long_line_leaves_no_broken_one_behind(self) -> None:
        reading, writing = os.pipe()
        with open(reading, "rb", buffering=0) as reader, open(writing, "w") as stderr:
            stream = LogStream(stderr)
            stream.write("x" * 1_000_000 + "\n")
            reader.read(1 << 20)
            stream.write("next\n")
            assert reader.read(1 << 20).decode().splitlines()[-1] == "next"

    def test_does_not_stop_a_server(self, ledger_url: str, tmp_path: Path) -> None:
        """Its standard error is a pipe that is full from the beginning."""
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        while True:
            try:
                os.write(writing, b"x" * 4096)
            except BlockingIOError:
                break
        os.set_blocking(writing, True)
        environment = clean_environment(DATABASE_URL=ledger_url, CARRETE_DATA=str(tmp_path), REDIS_URL="embedded")
        command = [sys.executable, "-m", "carrete", "serve", "--port", "0"]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=writing, env=environment, cwd=tmp_path, text=True
        )
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[-1]
            assert _answers(url), "it answers although nobody reads its log"
        finally:
            process.terminate()
            process.wait(15)
            os.close(reading)
            os.close(writing)


def _answers(url: str) -> bool:
    """Twenty taps that each want to log something, in a thread: a server that hangs must not hang the test."""
    import httpx

    statuses: list[int] = []

    def tap() -> None:
        with httpx.Client(base_url=url, trust_env=False, timeout=10) as client:
            eventually(lambda: bool(client.get("/api/health/redis").json()["status"] == "healthy"), 5.0)
            for accion in ("tomar", "pausar") * 10:
                body = {"tag_spool": a_spool().tag, "worker_id": MR.id, "operacion": "ARM"}
                statuses.append(client.post(f"/api/occupation/{accion}", json=body).status_code)

    thread = threading.Thread(target=tap, daemon=True)
    thread.start()
    thread.join(60)
    return statuses == [200] * 20
