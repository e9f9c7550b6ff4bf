"""Measures a server whose Redis is up and then killed under load, in turns with a server that runs without Redis."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from carrete.redis.embedded_server import NoServer, binary
from carrete_bench import shop
from carrete_bench.errors import BenchFailed
from carrete_bench.full.results import OutageResults
from carrete_bench.load import ACTIONS, LoadStep, StepResult
from carrete_bench.processes import BenchServer, running_server, send_load
from carrete_bench.results import percentiles, rate_per_s

CLIENTS = 50
SPOOLS = 2_000
START_S_MAX = 10.0
POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class OutageScale:
    """How much is measured."""

    rounds: int = 5
    round_s: float = 0.5
    killed_s: float = 4.0  # of the round in which Redis is killed; long enough for the load process to start before


def measure(folder: Path, scale: OutageScale) -> OutageResults:
    """The two servers have ledgers of their own. A response other than 200 from either ends the run."""
    off_folder, redis_folder = folder / "without", folder / "gated"
    for server_folder in (off_folder, redis_folder):
        server_folder.mkdir()
        shop.fill(_ledger_url(server_folder), SPOOLS)
    with (
        _redis(redis_folder) as (redis, address),
        running_server(off_folder, _ledger_url(off_folder)) as off,
        running_server(redis_folder, _ledger_url(redis_folder), address) as up,
    ):
        before = [_round(off, up, scale.round_s) for _ in range(scale.rounds + 1)]
        killed = _send_actions_and_kill(up, redis, scale.killed_s)
        after = [_round(off, up, scale.round_s) for _ in range(scale.rounds)]
    return _summary(before[1:], killed, after)  # the first round only warms up


def _round(off: BenchServer, up: BenchServer, seconds: float) -> tuple[StepResult, StepResult]:
    return _send_actions(off, seconds), _send_actions(up, seconds)


def _summary(
    before: list[tuple[StepResult, StepResult]], killed: StepResult, after: list[tuple[StepResult, StepResult]]
) -> OutageResults:
    latencies_us = killed["latencies_us"]
    return OutageResults(
        off_per_s=median(rate_per_s(off) for off, _ in [*before, *after]),
        up_ratio=median(rate_per_s(up) / rate_per_s(off) for off, up in before),
        dead_ratio=median(rate_per_s(dead) / rate_per_s(off) for off, dead in after),
        killed=percentiles(latencies_us),
        killed_max_ms=max(latencies_us) / 1000,
        killed_actions=len(latencies_us),
    )


def _send_actions(server: BenchServer, seconds: float) -> StepResult:
    step: LoadStep = {"kind": ACTIONS, "path": "", "seconds": seconds}
    (result,) = send_load(server, shop.load_clients(CLIENTS, SPOOLS), [step])
    return result


def _send_actions_and_kill(server: BenchServer, redis: subprocess.Popen[bytes], seconds: float) -> StepResult:
    timer = threading.Timer(seconds * 0.6, redis.kill)
    timer.start()
    try:
        return _send_actions(server, seconds)
    finally:
        timer.join()


@contextmanager
def _redis(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Yields a Redis process with the options of the embedded Redis, and its address. Nothing restarts it."""
    socket = folder / "outage.sock"
    options = ("--port", "0", "--unixsocket", str(socket), "--dir", str(folder), "--appendonly", "yes", "--save", "")
    try:
        command = [binary(), *options]
    except NoServer as error:
        raise BenchFailed(str(error)) from None
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(socket)
        yield process, f"unix://{socket}"
    finally:
        process.kill()
        process.wait()


def _wait_for(socket: Path) -> None:
    for _ in range(int(START_S_MAX / POLL_S)):
        if socket.exists():
            return
        time.sleep(POLL_S)
    raise BenchFailed("the Redis of the measurement did not start")


def _ledger_url(folder: Path) -> str:
    return f"sqlite:///{folder / 'shop.db'}"
