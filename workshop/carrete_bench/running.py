"""Starts the two processes of a measurement, the server and the load, and ends them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

from carrete_bench.errors import BenchFailed
from carrete_bench.load import Hand, Plan, Seen, Step

START_S_MAX = 120.0
LOOK_S_MAX = 5.0
STOP_S_MAX = 10.0
STREAMS_MAX = 10_000
LOAD_S_MAX = 60.0  # beyond the seconds asked for
# Whatever this machine's Carrete is set to, a measurement never touches its ledger, Redis or sheet.
_NOT_OURS = ("GOOGLE_SHEET_ID", "GOOGLE_APPLICATION_CREDENTIALS", "CARRETE_SHEETS_URL")


@dataclass(frozen=True, slots=True)
class Server:
    pid: int
    port: int

    def resident_mb(self) -> float | None:
        """None where the system does not say (it is Linux that does)."""
        try:
            status = Path(f"/proc/{self.pid}/status").read_text()
        except OSError:
            return None
        (kilobytes,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(kilobytes) / 1024


@contextmanager
def running_server(folder: Path, ledger_url: str, redis_url: str = "off", processes: int = 1) -> Iterator[Server]:
    environment = {name: value for name, value in os.environ.items() if name not in _NOT_OURS}
    environment |= {"CARRETE_DATA": str(folder), "DATABASE_URL": ledger_url, "REDIS_URL": redis_url}
    environment["CARRETE_STREAMS_PER_ADDRESS"] = str(STREAMS_MAX)  # every viewer comes from this machine
    command = [sys.executable, "-m", "carrete_bench.server", str(processes)]
    with (folder / "server.log").open("w+") as log:
        # In its own folder: a file `.env` of this machine's Carrete is not for it.
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                raise BenchFailed(f"the server did not start: {(folder / 'server.log').read_text()}")
            server = Server(process.pid, int(line))
            _wait_until(server, process, "/api/health", "ok")
            if redis_url != "off":
                _wait_until(server, process, "/api/health/redis", "healthy")
            yield server
        finally:
            _stop(process)


def _wait_until(server: Server, process: subprocess.Popen[str], path: str, status: str) -> None:
    until = time.monotonic() + START_S_MAX
    while process.poll() is None and time.monotonic() < until:
        if _status(server, path) == status:
            return
        time.sleep(0.02)
    raise BenchFailed(f"the server did not say {status} on {path}")


def _status(server: Server, path: str) -> str | None:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=LOOK_S_MAX)
    try:
        connection.request("GET", path)
        told: dict[str, str] = json.load(connection.getresponse())
        return told.get("status")
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


def under_load(server: Server, hands: Sequence[Hand], steps: Sequence[Step]) -> list[Seen]:
    plan: Plan = {"port": server.port, "hands": list(hands), "steps": list(steps)}
    wait_s_max = sum(step["seconds"] for step in steps) + LOAD_S_MAX
    seen: list[Seen] = json.loads(process_told("carrete_bench.load", json.dumps(plan), wait_s_max))
    return seen


def process_told(module: str, plan: str, wait_s_max: float) -> str:
    """What a process of its own says about the plan it was given."""
    command = [sys.executable, "-m", module]
    try:
        done = subprocess.run(command, input=plan, capture_output=True, text=True, timeout=wait_s_max)
    except subprocess.TimeoutExpired as error:
        raise BenchFailed(f"the load did not end within {error.timeout:.0f} s") from None
    if done.returncode:
        raise BenchFailed(f"the load met an answer that is not 200: {done.stderr.strip()}")
    return done.stdout
