"""Starts and stops the two processes of a measurement: the server and the load."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path

from carrete_bench.errors import BenchFailed
from carrete_bench.load import GET, LoadClient, LoadPlan, LoadStep, StepResult, client_context
from carrete_bench.results import ReadLatency, percentiles
from carrete_bench.server import APPLICATION_VARIABLE

START_S_MAX = 120.0
HEALTH_S_MAX = 5.0
STOP_S_MAX = 10.0
STREAMS_MAX = 10_000
LOAD_S_MAX = 60.0  # in addition to the seconds of the steps
# Removed from the environment: a measurement must not touch the Google Sheet for which this machine is configured.
_SHEET_VARIABLES = ("GOOGLE_SHEET_ID", "GOOGLE_APPLICATION_CREDENTIALS", "CARRETE_SHEETS_URL")
# Removed as well: with this variable Python would compile a checkout at every start. An installed Carrete is compiled.
_NO_BYTECODE_VARIABLE = "PYTHONDONTWRITEBYTECODE"


@dataclass(frozen=True, slots=True)
class BenchServer:
    pid: int
    port: int
    authority: str | None = None  # with HTTPS: the file of the certificate that clients must trust

    def resident_mb(self) -> float | None:
        """None on systems without Linux's /proc."""
        try:
            status = Path(f"/proc/{self.pid}/status").read_text()
        except OSError:
            return None
        (kilobytes,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(kilobytes) / 1024


@dataclass(frozen=True, slots=True)
class BenchCertificate:
    """`server` has key and certificate; `authority` is the certificate that signed it."""

    server: Path
    authority: Path


@contextmanager
def running_server(
    folder: Path,
    ledger_url: str,
    redis_url: str = "off",
    processes: int = 1,
    access: str = "open",
    certificate: BenchCertificate | None = None,
    application: str = "",
) -> Iterator[BenchServer]:
    removed = (*_SHEET_VARIABLES, _NO_BYTECODE_VARIABLE)
    environment = {name: value for name, value in os.environ.items() if name not in removed}
    environment |= {"CARRETE_DATA": str(folder), "DATABASE_URL": ledger_url, "REDIS_URL": redis_url}
    environment["CARRETE_ACCESS"] = access
    environment |= {APPLICATION_VARIABLE: application} if application else {}
    environment["CARRETE_STREAMS_PER_ADDRESS"] = str(STREAMS_MAX)  # every viewer comes from this machine
    command = [sys.executable, "-m", "carrete_bench.server", str(processes)]
    command += [str(certificate.server)] if certificate else []
    with (folder / "server.log").open("w+") as log:
        # In its own folder: a file `.env` of this machine's Carrete is not for it.
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                raise BenchFailed(f"the server did not start: {(folder / 'server.log').read_text()}")
            server = BenchServer(process.pid, int(line), str(certificate.authority) if certificate else None)
            _wait_for_status(server, process, "/api/health", "ok")
            if redis_url != "off":
                _wait_for_status(server, process, "/api/health/redis", "healthy")
            yield server
        finally:
            _stop(process)


def _wait_for_status(server: BenchServer, process: subprocess.Popen[str], path: str, status: str) -> None:
    until = time.monotonic() + START_S_MAX
    while process.poll() is None and time.monotonic() < until:
        if _status(server, path) == status:
            return
        time.sleep(0.02)
    raise BenchFailed(f"the server did not say {status} on {path}")


def _status(server: BenchServer, path: str) -> str | None:
    secure = client_context(server.authority)
    connection = (
        HTTPSConnection("127.0.0.1", server.port, timeout=HEALTH_S_MAX, context=secure)
        if secure
        else HTTPConnection("127.0.0.1", server.port, timeout=HEALTH_S_MAX)
    )
    try:
        connection.request("GET", path)
        health: dict[str, str] = json.load(connection.getresponse())
        return health.get("status")
    except (ConnectionError, TimeoutError):
        return None
    finally:
        connection.close()


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(STOP_S_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()


def measure_reads(
    server: BenchServer, clients: Sequence[LoadClient], paths: Mapping[str, str], seconds: float
) -> list[ReadLatency]:
    """Repeats each GET for its share of the seconds. A quarter of that share comes before it, only to warm up."""
    share_s = seconds / len(paths)
    steps: list[LoadStep] = [
        {"kind": GET, "path": path, "seconds": step_s} for path in paths.values() for step_s in (share_s / 4, share_s)
    ]
    measured = send_load(server, clients, steps)[1::2]
    return [
        ReadLatency(what, len(result["latencies_us"]), percentiles(result["latencies_us"]))
        for what, result in zip(paths, measured, strict=True)
    ]


def send_load(server: BenchServer, clients: Sequence[LoadClient], steps: Sequence[LoadStep]) -> list[StepResult]:
    plan: LoadPlan = {"port": server.port, "clients": list(clients), "steps": list(steps)}
    wait_s_max = sum(step["seconds"] for step in steps) + LOAD_S_MAX
    results: list[StepResult] = json.loads(run_load_process("carrete_bench.load", json.dumps(plan), wait_s_max))
    return results


def run_load_process(module: str, plan: str, wait_s_max: float) -> str:
    """Runs a module as a process with the plan as its input, and returns its output."""
    command = [sys.executable, "-m", module]
    try:
        ended = subprocess.run(command, input=plan, capture_output=True, text=True, timeout=wait_s_max)
    except subprocess.TimeoutExpired as error:
        raise BenchFailed(f"the load did not end within {error.timeout:.0f} s") from None
    if ended.returncode:
        raise BenchFailed(f"the load met an answer that is not 200: {ended.stderr.strip()}")
    return ended.stdout
