"""A shift that starts: hundreds who each begin a spool within a minute, beside as many empty POSTs in between."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from carrete.domain.events import EventoTipo
from carrete.domain.spool import Occupation
from carrete.ledger import open_database
from carrete.ledger.rows import StoredEvent, event_from, spool_from
from carrete_bench import shop
from carrete_bench.figures import latency
from carrete_bench.full.arrivals import Call, Plan
from carrete_bench.full.figures import Shift
from carrete_bench.load import EMPTY_PATH
from carrete_bench.running import LOAD_S_MAX, Server, process_told, running_server

JOINTS = 10
_SEED = 500


@dataclass(frozen=True, slots=True)
class Crowd:
    """So many a minute, for so many seconds."""

    per_minute: int
    seconds: float

    @property
    def workers(self) -> int:
        return max(1, round(self.per_minute * self.seconds / 60))


@dataclass(frozen=True, slots=True)
class Extent:
    """What matters is how many come at once: only the largest crowd is waited for to its end."""

    crowds: tuple[Crowd, ...] = (Crowd(50, 18.0), Crowd(200, 18.0), Crowd(500, 60.0))


def measure(ledger_url: str, folder: Path, extent: Extent) -> list[Shift]:
    """One server with its Redis; everybody starts once, on a spool of their own."""
    everybody = sum(crowd.workers for crowd in extent.crowds)
    shop.fill(ledger_url, shop.SPOOLS_MIN, workers=everybody)
    shop.deliver_by_joint(ledger_url, [(_tag(worker), JOINTS) for worker in range(1, everybody + 1)])
    shifts: list[Shift] = []
    came = 0
    with running_server(folder, ledger_url, "embedded") as server:
        for crowd in extent.crowds:
            workers = range(came + 1, came + crowd.workers + 1)
            shifts.append(_start(server, ledger_url, crowd, workers))
            came += crowd.workers
    return shifts


def _start(server: Server, ledger_url: str, crowd: Crowd, workers: range) -> Shift:
    dice = random.Random(_SEED)
    moments = [[dice.uniform(0, crowd.seconds) for _ in workers] for _ in ("iniciar", "empty")]
    calls = [*_calls("/api/v4/occupation/iniciar", workers, moments[0]), *_calls(EMPTY_PATH, workers, moments[1])]
    plan: Plan = {"port": server.port, "calls": calls}
    took: list[int] = json.loads(
        process_told("carrete_bench.full.arrivals", json.dumps(plan), crowd.seconds + LOAD_S_MAX)
    )
    iniciar, empty = took[: len(workers)], took[len(workers) :]
    lost = len(workers) - begun(ledger_url, workers)
    return Shift(crowd.per_minute, crowd.seconds, len(workers), lost, latency(iniciar), latency(empty))


def _calls(path: str, workers: Sequence[int], moments: Sequence[float]) -> Iterator[Call]:
    for worker, at_s in zip(workers, moments, strict=True):
        body = {"tag_spool": _tag(worker), "worker_id": worker, "operacion": "ARM"}
        yield {"at_s": at_s, "path": path, "body": json.dumps(body)}


def begun(ledger_url: str, workers: Sequence[int]) -> int:
    """How many hold their own spool, with one INICIAR_SPOOL of theirs and no other event."""
    database = open_database(ledger_url)
    try:
        with database.reading() as tx:
            held = {row[0]: spool_from(row).occupation for row in tx.all("occupied")}
            told = {worker: [event_from(row) for row in tx.all("events_of", tag=_tag(worker))] for worker in workers}
    finally:
        database.close()
    return sum(_has_begun(worker, held.get(_tag(worker)), events) for worker, events in told.items())


def _has_begun(worker: int, holder: Occupation | None, events: Sequence[StoredEvent]) -> bool:
    said = [(one.event.tipo, one.event.worker_id) for one in events]
    return holder is not None and holder.worker_id == worker and said == [(EventoTipo.INICIAR_SPOOL, worker)]


def _tag(worker: int) -> str:
    return f"MK-3000-CW-{30_000 + worker}-001"
