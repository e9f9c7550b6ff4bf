"""Redis up, off, and killed in the middle: the same shop's rate, beside one that runs without Redis for good."""

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
from carrete_bench import figures, shop
from carrete_bench.errors import BenchFailed
from carrete_bench.full.figures import Outage
from carrete_bench.load import ACTIONS, Seen, Step
from carrete_bench.running import Server, running_server, under_load

CLIENTS = 50
SPOOLS = 2_000
START_S_MAX = 10.0
LOOK_EVERY_S = 0.02


@dataclass(frozen=True, slots=True)
class Extent:
    rounds: int = 5
    round_s: float = 0.5
    killed_s: float = 4.0  # of the round in which it is killed: the load's own start must not outlast it


def measure(folder: Path, extent: Extent) -> Outage:
    """Two servers on ledgers of their own take turns; what either answers otherwise than 200 ends the run."""
    without, gated = folder / "without", folder / "gated"
    for place in (without, gated):
        place.mkdir()
        shop.fill(_ledger(place), SPOOLS)
    with (
        _redis(gated) as (process, address),
        running_server(without, _ledger(without)) as off,
        running_server(gated, _ledger(gated), address) as up,
    ):
        before = [(_acted(off, extent.round_s), _acted(up, extent.round_s)) for _ in range(extent.rounds + 1)]
        killed = _acted_while_killed(up, process, extent.killed_s)
        after = [(_acted(off, extent.round_s), _acted(up, extent.round_s)) for _ in range(extent.rounds)]
    return _summary(before[1:], killed, after)


def _summary(before: list[tuple[Seen, Seen]], killed: Seen, after: list[tuple[Seen, Seen]]) -> Outage:
    took = killed["took_us"]
    return Outage(
        off_per_s=median(figures.rate(off) for off, _ in [*before, *after]),
        up_ratio=median(figures.rate(up) / figures.rate(off) for off, up in before),
        dead_ratio=median(figures.rate(dead) / figures.rate(off) for off, dead in after),
        killed=figures.latency(took),
        killed_max_ms=max(took) / 1000,
        killed_actions=len(took),
    )


def _acted(server: Server, seconds: float) -> Seen:
    step: Step = {"kind": ACTIONS, "path": "", "seconds": seconds}
    (seen,) = under_load(server, shop.hands(CLIENTS, SPOOLS), [step])
    return seen


def _acted_while_killed(server: Server, redis: subprocess.Popen[bytes], seconds: float) -> Seen:
    kill = threading.Timer(seconds * 0.6, redis.kill)
    kill.start()
    try:
        return _acted(server, seconds)
    finally:
        kill.join()


@contextmanager
def _redis(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """One that nobody starts again, with the options of the embedded one."""
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
    for _ in range(int(START_S_MAX / LOOK_EVERY_S)):
        if socket.exists():
            return
        time.sleep(LOOK_EVERY_S)
    raise BenchFailed("the Redis of the measurement did not start")


def _ledger(folder: Path) -> str:
    return f"sqlite:///{folder / 'shop.db'}"
