"""Measures how the cost of calls grows with the ledger: at powers of ten of spools, then of events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from carrete.ledger import open_database
from carrete.ledger.database import Database, Tx
from carrete_bench import shop
from carrete_bench.full.results import CallCost, CostGrowth, LedgerSizeCosts, relative_to_first
from carrete_bench.load import ACTIONS, EMPTY, GET, SESSION, LoadStep, StepResult, Tap
from carrete_bench.processes import BenchServer, running_server, send_load
from carrete_bench.results import all_latencies_us, percentiles

ON_THE_BOARD = 40  # occupied spools, at every size
HANDLINGS = 50  # of the spool whose history is read: each is a TOMAR and a PAUSAR, two events
OVERDUE = 300  # paused spools, at every size
STAGE_TIMES = "stage times of a month"
_TODAY = datetime.now(UTC).date()
_HANDLED = "MK-0500-CW-20000-001"
_EVENTS_PER_COMMIT = 100_000
_SESSION_S_MAX = 60.0
_CALLS = {
    "TOMAR and PAUSAR": (ACTIONS, ""),
    "list of all": (GET, "/api/spools"),
    "list to take": (GET, "/api/spools?accion=TOMAR&operacion=ARM&worker_id=7"),
    "history": (GET, f"/api/history/{_HANDLED}"),
    "board": (GET, "/api/dashboard/occupied"),
    "overdue": (GET, "/api/dashboard/atrasos"),
    STAGE_TIMES: (GET, f"/api/metrics/etapas?desde={_TODAY - timedelta(days=27)}&hasta={_TODAY}"),
}

# For SQLite and PostgreSQL alike. The events go through all spools in turn, and through the days of a year; each is as
# long as a real event, and three of five end a stage.
_INSERT_EVENTS = """
WITH RECURSIVE many(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM many WHERE i < {count}),
placed(i, n) AS (SELECT i, i % {spools} FROM many),
numbered(i, n, k) AS (SELECT i, n, n % 20 + 1 FROM placed)
INSERT INTO event (seq, id, at, evento_tipo, tag, worker_id, worker, operacion, accion, metadata, ocupado_por,
    estado_detalle, version, workflow, stage_ended, stage_s)
SELECT {last} + i, '00000000-0000-4000-8000-' || (100000000000 + {last} + i),
    '{year}-' || substr('0' || (1 + i % 12), length('0' || (1 + i % 12)) - 1, 2)
    || '-' || substr('0' || (1 + i / 12 % 28), length('0' || (1 + i / 12 % 28)) - 1, 2)
    || 'T' || substr('0' || (i / 336 % 24), length('0' || (i / 336 % 24)) - 1, 2) || ':30:00+00:00', 'TOMAR_SPOOL',
    'MK-' || (1335 + n / 5000) || '-CW-' || (25000 + n / 20) || '-0' || CASE WHEN k < 10 THEN '0' ELSE '' END || k,
    1, 'MR(1)', 'ARM', 'TOMAR', NULL, 'MR(1)', 'MR(1) trabajando ARM (ARM en progreso, SOLD pendiente)',
    '00000000-0000-4000-9000-' || (100000000000 + {last} + i), 'v3.0',
    CASE i % 5 WHEN 0 THEN 'espera:ARM' WHEN 1 THEN 'trabajo:ARM' WHEN 2 THEN 'pausa:ARM espera:SOLD' END,
    CASE WHEN i % 5 < 3 THEN (i * 7919) % 259200 END
FROM numbered
"""


@dataclass(frozen=True, slots=True)
class GrowthScale:
    """How much is measured. The goals are for the default sizes; tests use less."""

    spools: tuple[int, ...] = (100, 1_000, 10_000, 100_000)
    events: tuple[int, ...] = (10_000, 100_000, 1_000_000)
    rounds: int = 3
    round_s: float = 0.1  # for each call and for the empty POST, one request at a time


def measure(engine: str, ledger_url: str, folder: Path, scale: GrowthScale) -> list[CostGrowth]:
    """On one ledger: its spools grow first; then, with all spools, its events."""
    by_spools, by_events = [], []
    delivered = 0
    for count in scale.spools:
        shop.fill(ledger_url, count, delivered=delivered)
        by_spools.append(_measure_calls(ledger_url, folder, count, scale, first=not delivered))
        delivered = count
    for count in scale.events:
        fill_events(ledger_url, count, delivered)
        by_events.append(_measure_calls(ledger_url, folder, delivered, scale, first=False))
    measured = (("spools", scale.spools, by_spools), ("events", scale.events, by_events))
    return [CostGrowth(engine, of, _costs_by_size(counts, costs)) for of, counts, costs in measured]


def _measure_calls(ledger_url: str, folder: Path, spools: int, scale: GrowthScale, *, first: bool) -> list[CallCost]:
    """On a freshly started server. Redis is off, because its cost does not depend on the size of the ledger."""
    with running_server(folder, ledger_url) as server:
        if first:
            _prepare_board_and_history(server, ledger_url, spools)
        kinds_and_paths = ((EMPTY, ""), *_CALLS.values())
        steps: list[LoadStep] = [
            {"kind": kind, "path": path, "seconds": scale.round_s} for kind, path in kinds_and_paths
        ]
        results = send_load(server, shop.load_clients(1, spools), steps * (scale.rounds + 1))
    per_round = len(steps)
    # The first round only warms up.
    rounds = [results[start : start + per_round] for start in range(per_round, len(results), per_round)]
    return [_call_cost(call, index, rounds) for index, call in enumerate(_CALLS, 1)]


def _call_cost(call: str, step_index: int, rounds: list[list[StepResult]]) -> CallCost:
    latencies_us = all_latencies_us([steps[step_index] for steps in rounds])
    empty_us = all_latencies_us([steps[0] for steps in rounds])
    cost = _undisturbed_us(latencies_us) / _undisturbed_us(empty_us)
    return CallCost(call, percentiles(latencies_us).p50_ms, cost, of_smallest=1.0)


def _undisturbed_us(latencies_us: list[int]) -> float:
    """The tenth percentile: the latency of a call that other work on the machine did not slow down."""
    return sorted(latencies_us)[len(latencies_us) // 10]


def _costs_by_size(counts: tuple[int, ...], measured: list[list[CallCost]]) -> list[LedgerSizeCosts]:
    """Fills in `of_smallest`, which needs the costs at all sizes."""
    of_smallest = [relative_to_first([costs[call].of_empty for costs in measured]) for call in range(len(_CALLS))]
    return [
        LedgerSizeCosts(
            count,
            [
                CallCost(cost.what, cost.p50_ms, cost.of_empty, of_smallest[call][size])
                for call, cost in enumerate(measured[size])
            ],
        )
        for size, count in enumerate(counts)
    ]


def _prepare_board_and_history(server: BenchServer, ledger_url: str, spools: int) -> None:
    """Adds the occupied spools of the board, overdue spools and one spool with a history; they stay the same."""
    board = [f"MK-0400-CW-20000-{number + 1:03d}" for number in range(ON_THE_BOARD)]
    shop.deliver_whole(ledger_url, [*board, _HANDLED])
    shop.deliver_paused(ledger_url, [f"MK-0300-CW-20000-{number + 1:03d}" for number in range(OVERDUE)])
    taps: list[Tap] = [_tap("tomar", tag, worker_id) for worker_id, tag in enumerate(board, 1)]
    taps += [_tap(name, _HANDLED, 50) for _ in range(HANDLINGS) for name in ("tomar", "pausar")]
    step: LoadStep = {"kind": SESSION, "path": "", "seconds": _SESSION_S_MAX, "taps": taps}
    send_load(server, shop.load_clients(1, spools), [step])


def _tap(name: str, tag: str, worker_id: int) -> Tap:
    body = {"tag_spool": tag, "worker_id": worker_id, "operacion": "ARM"}
    return {"path": f"/api/occupation/{name}", "body": json.dumps(body)}


def fill_events(ledger_url: str, events: int, spools: int) -> None:
    """Inserts events in bulk until the ledger has `events` of them."""
    database = open_database(ledger_url)
    try:
        for count in _batches(database, events):
            with database.writing() as tx:
                _insert(tx, count, spools)
        with database.writing() as tx:
            tx.run("analyze")
    finally:
        database.close()
    shop.vacuum(ledger_url)


def _batches(database: Database, events: int) -> Iterator[int]:
    """How many events to insert in each commit."""
    with database.reading() as tx:
        missing = events - _last_seq(tx)
    while missing > 0:
        yield min(missing, _EVENTS_PER_COMMIT)
        missing -= _EVENTS_PER_COMMIT


def _insert(tx: Tx, count: int, spools: int) -> None:
    last = _last_seq(tx)
    tx.execute(_INSERT_EVENTS.format(count=count, spools=spools, last=last, year=_TODAY.year))


def _last_seq(tx: Tx) -> int:
    row = tx.one("event_last")
    return int(row[0]) if row else 0
