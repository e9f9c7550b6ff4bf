"""Measures the start of a shift: hundreds of workers begin a spool within a minute. Empty POSTs are the yardstick."""

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
from carrete_bench.full.arrivals import ArrivalPlan, ScheduledCall
from carrete_bench.full.results import ShiftResults
from carrete_bench.load import EMPTY_PATH
from carrete_bench.processes import LOAD_S_MAX, BenchServer, run_load_process, running_server
from carrete_bench.results import percentiles

JOINTS = 10
_SEED = 500


@dataclass(frozen=True, slots=True)
class ArrivalRate:
    """`per_minute` workers arrive for `seconds`."""

    per_minute: int
    seconds: float

    @property
    def workers(self) -> int:
        return max(1, round(self.per_minute * self.seconds / 60))


@dataclass(frozen=True, slots=True)
class ShiftScale:
    """The number of workers who arrive at once is what matters, so only the highest rate lasts a full minute."""

    rates: tuple[ArrivalRate, ...] = (ArrivalRate(50, 18.0), ArrivalRate(200, 18.0), ArrivalRate(500, 60.0))


def measure(ledger_url: str, folder: Path, scale: ShiftScale) -> list[ShiftResults]:
    """One server with Redis. Every worker begins once, on a spool of their own."""
    all_workers = sum(rate.workers for rate in scale.rates)
    shop.fill(ledger_url, shop.SPOOLS_MIN, workers=all_workers)
    shop.deliver_by_joint(ledger_url, [(_tag(worker), JOINTS) for worker in range(1, all_workers + 1)])
    results: list[ShiftResults] = []
    first_worker = 1
    with running_server(folder, ledger_url, "embedded") as server:
        for rate in scale.rates:
            workers = range(first_worker, first_worker + rate.workers)
            results.append(_start_shift(server, ledger_url, rate, workers))
            first_worker += rate.workers
    return results


def _start_shift(server: BenchServer, ledger_url: str, rate: ArrivalRate, workers: range) -> ShiftResults:
    dice = random.Random(_SEED)
    iniciar_times, empty_times = ([dice.uniform(0, rate.seconds) for _ in workers] for _ in ("iniciar", "empty"))
    calls = [*_calls("/api/v4/occupation/iniciar", workers, iniciar_times), *_calls(EMPTY_PATH, workers, empty_times)]
    plan: ArrivalPlan = {"port": server.port, "calls": calls}
    latencies_us: list[int] = json.loads(
        run_load_process("carrete_bench.full.arrivals", json.dumps(plan), rate.seconds + LOAD_S_MAX)
    )
    iniciar, empty = latencies_us[: len(workers)], latencies_us[len(workers) :]
    lost = len(workers) - count_begun(ledger_url, workers)
    return ShiftResults(rate.per_minute, rate.seconds, len(workers), lost, percentiles(iniciar), percentiles(empty))


def _calls(path: str, workers: Sequence[int], times_s: Sequence[float]) -> Iterator[ScheduledCall]:
    for worker, at_s in zip(workers, times_s, strict=True):
        body = {"tag_spool": _tag(worker), "worker_id": worker, "operacion": "ARM"}
        yield {"at_s": at_s, "path": path, "body": json.dumps(body)}


def count_begun(ledger_url: str, workers: Sequence[int]) -> int:
    """The number of workers who hold their spool, if its only event is the worker's INICIAR_SPOOL."""
    database = open_database(ledger_url)
    try:
        with database.reading() as tx:
            holders = {row[0]: spool_from(row).occupation for row in tx.all("occupied")}
            events = {worker: [event_from(row) for row in tx.all("events_of", tag=_tag(worker))] for worker in workers}
    finally:
        database.close()
    return sum(_has_begun(worker, holders.get(_tag(worker)), events[worker]) for worker in workers)


def _has_begun(worker: int, holder: Occupation | None, events: Sequence[StoredEvent]) -> bool:
    types_and_workers = [(stored.event.tipo, stored.event.worker_id) for stored in events]
    only_event = [(EventoTipo.INICIAR_SPOOL, worker)]
    return holder is not None and holder.worker_id == worker and types_and_workers == only_event


def _tag(worker: int) -> str:
    return f"MK-3000-CW-{30_000 + worker}-001"
