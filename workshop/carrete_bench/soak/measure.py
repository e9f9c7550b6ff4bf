"""Runs the soak: one server process with identity, chain and gate, parts of the work, and a sample after each."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from select import select

from carrete_bench import shop
from carrete_bench.engines import NO_POSTGRES
from carrete_bench.errors import BenchFailed
from carrete_bench.identity import PIN, TabletCredentials, prepare
from carrete_bench.postgres import fresh_database, postgres_to_measure
from carrete_bench.processes import BenchServer, running_server
from carrete_bench.report import this_machine
from carrete_bench.soak.choice import SoakLedger
from carrete_bench.soak.driver import PartResult, SoakPart, SoakPlan
from carrete_bench.soak.judge import judged
from carrete_bench.soak.report import SoakReport
from carrete_bench.soak.samples import LEDGER_NAME, ResourceSample, take_sample
from carrete_bench.soak.taps import JOINTS, SoakClient, spools_by_joint, taps_in_round

SETTLE_S = 0.3  # until the server has noticed that streams were closed
END_S_MAX = 10.0
Advance = Callable[[int, int], None]  # actions done, of all


@dataclass(frozen=True, slots=True)
class SoakScale:
    """How much is done, and in which time at the most."""

    actions: int = 2_000_000
    sign_ins: int = 20_000
    reconnects: int = 5_000
    samples: int = 100
    clients: int = 50
    tablets_to_sign_in: int = 20
    minutes_max: float = 120.0


def run(ledger: SoakLedger, scale: SoakScale, postgres_url: str, advance: Advance) -> SoakReport:
    at, machine = datetime.now(UTC), this_machine()
    with _ledger(ledger, postgres_url) as (url, folder):
        plan = _prepared(url, folder, scale)
        with (
            running_server(folder, url, "embedded", access="pin") as server,
            _driver({**plan, "port": server.port}) as ask,
        ):
            start = time.monotonic()
            samples, counts = _work(server, folder, scale, ask, advance)
            took_s = time.monotonic() - start
    return SoakReport(at, machine, ledger.value, took_s, scale.actions, dict(counts), samples, judged(samples))


def _work(
    server: BenchServer, folder: Path, scale: SoakScale, ask: Callable[[SoakPart, float], PartResult], advance: Advance
) -> tuple[list[ResourceSample], Counter[str]]:
    until = time.monotonic() + scale.minutes_max * 60
    samples: list[ResourceSample] = []
    counts: Counter[str] = Counter()
    for number in range(scale.samples):
        counts.update(ask(part_of(scale, number), until - time.monotonic())["counts"])
        time.sleep(SETTLE_S)
        done = scale.actions * (number + 1) // scale.samples
        samples.append(take_sample(server.pid, folder, done))
        advance(done, scale.actions)
    return samples, counts


def part_of(scale: SoakScale, number: int) -> SoakPart:
    def share(total: int) -> int:
        return total * (number + 1) // scale.samples - total * number // scale.samples

    return {
        "actions": share(scale.actions),
        "sign_ins": share(scale.sign_ins),
        "reconnects": share(scale.reconnects),
    }


@contextmanager
def _ledger(ledger: SoakLedger, postgres_url: str) -> Iterator[tuple[str, Path]]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="carrete-soak-")))
        if ledger is SoakLedger.SQLITE:
            yield f"sqlite:///{folder / LEDGER_NAME}", folder
            return
        postgres = stack.enter_context(postgres_to_measure(postgres_url))
        if postgres is None:
            raise BenchFailed(NO_POSTGRES)
        yield stack.enter_context(fresh_database(postgres.url, "soak")), folder


def _prepared(url: str, folder: Path, scale: SoakScale) -> SoakPlan:
    """Everybody has spools of their own: no tap is refused."""
    shop.fill(url, shop.SPOOLS_MIN)
    clients = shop.load_clients(scale.clients, shop.SPOOLS_MIN)
    credentials: TabletCredentials = prepare(url, folder, clients, scale.tablets_to_sign_in)
    of_client = -(-scale.actions // scale.clients) + scale.samples  # each part may give a client one more
    each = spools_by_joint(of_client, taps_in_round(clients[0]))
    soaking: list[SoakClient] = [
        {**client, "joint_tags": [f"MK-3{number:03d}-CW-{25_000 + n}-001" for n in range(each)]}
        for number, client in enumerate(credentials.signed_in)
    ]
    shop.deliver_by_joint(url, [(tag, JOINTS) for client in soaking for tag in client["joint_tags"]])
    return {
        "port": 0,
        "clients": soaking,
        "device_cookies": credentials.device_cookies,
        "workers": shop.WORKERS,
        "pin": PIN,
    }


@contextmanager
def _driver(plan: SoakPlan) -> Iterator[Callable[[SoakPart, float], PartResult]]:
    """Yields a function that has one part done, within so many seconds."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "carrete_bench.soak.driver"]
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors, text=True, bufsize=1) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = process.stdin, process.stdout

        def ask(part: SoakPart, seconds: float) -> PartResult:
            stdin.write(json.dumps(part) + "\n")
            if not select([stdout], [], [], max(0.0, seconds))[0]:
                raise BenchFailed("the soak did not end in its time (--minutes)")
            line = stdout.readline()
            if not line:
                process.wait(END_S_MAX)
                errors.seek(0)
                raise BenchFailed(f"the soak met an answer that is not 200: {errors.read().strip()}")
            result: PartResult = json.loads(line)
            return result

        try:
            stdin.write(json.dumps(plan) + "\n")
            yield ask
        finally:
            process.kill()
