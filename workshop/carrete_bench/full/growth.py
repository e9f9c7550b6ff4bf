"""How cost grows with the ledger: the same calls at powers of ten of spools, then of events, beside the empty POST."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from carrete.ledger import open_database
from carrete.ledger.database import Database, Tx
from carrete.ledger.values import instant_text
from carrete_bench import shop
from carrete_bench.figures import latency
from carrete_bench.full.figures import Cost, Growth, Size, relative
from carrete_bench.load import ACTIONS, EMPTY, GET, SESSION, Seen, Step, Tap
from carrete_bench.running import Server, running_server, under_load

ON_THE_BOARD = 40  # spools that are occupied, at every size
HANDLINGS = 50  # of the spool whose history is read: each is taken and paused, two events
_HANDLED = "MK-0500-CW-20000-001"
_EVENTS_PER_COMMIT = 100_000
_SESSION_S_MAX = 60.0
_CALLS = {
    "TOMAR and PAUSAR": (ACTIONS, ""),
    "list of all": (GET, "/api/spools"),
    "list to take": (GET, "/api/spools?accion=TOMAR&operacion=ARM&worker_id=7"),
    "history": (GET, f"/api/history/{_HANDLED}"),
    "board": (GET, "/api/dashboard/occupied"),
}

# The same in SQLite and PostgreSQL: events of all spools in turns, each as long as a real one.
_EVENTS = """
WITH RECURSIVE many(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM many WHERE i < {count}),
placed(i, n) AS (SELECT i, i % {spools} FROM many),
numbered(i, n, k) AS (SELECT i, n, n % 20 + 1 FROM placed)
INSERT INTO event (seq, id, at, evento_tipo, tag, worker_id, worker, operacion, accion, metadata, ocupado_por,
    estado_detalle, version, workflow)
SELECT {last} + i, '00000000-0000-4000-8000-' || (100000000000 + {last} + i), '{at}', 'TOMAR_SPOOL',
    'MK-' || (1335 + n / 5000) || '-CW-' || (25000 + n / 20) || '-0' || CASE WHEN k < 10 THEN '0' ELSE '' END || k,
    1, 'MR(1)', 'ARM', 'TOMAR', NULL, 'MR(1)', 'MR(1) trabajando ARM (ARM en progreso, SOLD pendiente)',
    '00000000-0000-4000-9000-' || (100000000000 + {last} + i), 'v3.0'
FROM numbered
"""


@dataclass(frozen=True, slots=True)
class Extent:
    spools: tuple[int, ...] = (100, 1_000, 10_000, 100_000)
    events: tuple[int, ...] = (10_000, 100_000, 1_000_000)
    rounds: int = 3
    round_s: float = 0.1  # for each call and the empty POST, one at a time


def measure(engine: str, ledger_url: str, folder: Path, extent: Extent) -> list[Growth]:
    """One ledger: its spools grow first, then its events, at the most spools."""
    by_spools, by_events = [], []
    delivered = 0
    for count in extent.spools:
        shop.fill(ledger_url, count, delivered=delivered)
        by_spools.append(_costs(ledger_url, folder, count, extent, begin=not delivered))
        delivered = count
    for count in extent.events:
        tell(ledger_url, count, delivered)
        by_events.append(_costs(ledger_url, folder, delivered, extent, begin=False))
    grown = (("spools", extent.spools, by_spools), ("events", extent.events, by_events))
    return [Growth(engine, of, _sizes(counts, costs)) for of, counts, costs in grown]


def _costs(ledger_url: str, folder: Path, spools: int, extent: Extent, *, begin: bool) -> list[Cost]:
    """A fresh server, as after a night; Redis is off, because what it costs does not depend on the ledger's size."""
    with running_server(folder, ledger_url) as server:
        if begin:
            _begin(server, ledger_url, spools)
        called = ((EMPTY, ""), *_CALLS.values())
        steps: list[Step] = [{"kind": kind, "path": path, "seconds": extent.round_s} for kind, path in called]
        seen = under_load(server, shop.hands(1, spools), steps * (extent.rounds + 1))
    each = len(steps)
    rounds = [seen[first : first + each] for first in range(each, len(seen), each)]  # the first only warms up
    return [_cost(what, place, rounds) for place, what in enumerate(_CALLS, 1)]


def _cost(what: str, place: int, rounds: list[list[Seen]]) -> Cost:
    took, empty = ([us for one in rounds for us in one[which]["took_us"]] for which in (place, 0))
    return Cost(what, latency(took).p50_ms, _undisturbed_us(took) / _undisturbed_us(empty), of_smallest=1.0)


def _undisturbed_us(took: list[int]) -> float:
    """The tenth percentile: what a call costs when nothing else gets in its way, on a busy machine too."""
    return sorted(took)[len(took) // 10]


def _sizes(counts: tuple[int, ...], measured: list[list[Cost]]) -> list[Size]:
    """Each call's cost beside its own at the smallest size."""
    by_call = [relative([costs[place].of_empty for costs in measured]) for place in range(len(_CALLS))]
    return [
        Size(
            count,
            [
                Cost(cost.what, cost.p50_ms, cost.of_empty, by_call[place][number])
                for place, cost in enumerate(measured[number])
            ],
        )
        for number, count in enumerate(counts)
    ]


def _begin(server: Server, ledger_url: str, spools: int) -> None:
    """Spools of their own that are on the board, and one with a history, at every size the same."""
    board = [f"MK-0400-CW-20000-{number + 1:03d}" for number in range(ON_THE_BOARD)]
    shop.deliver_whole(ledger_url, [*board, _HANDLED])
    taps: list[Tap] = [_tap("tomar", tag, place + 1) for place, tag in enumerate(board)]
    taps += [_tap(name, _HANDLED, 50) for _ in range(HANDLINGS) for name in ("tomar", "pausar")]
    step: Step = {"kind": SESSION, "path": "", "seconds": _SESSION_S_MAX, "taps": taps}
    under_load(server, shop.hands(1, spools), [step])


def _tap(name: str, tag: str, worker: int) -> Tap:
    body = {"tag_spool": tag, "worker_id": worker, "operacion": "ARM"}
    return {"path": f"/api/occupation/{name}", "body": json.dumps(body)}


def tell(ledger_url: str, events: int, spools: int) -> None:
    """As many events as asked in all, by bulk: what is there already counts."""
    database = open_database(ledger_url)
    try:
        for count in _missing(database, events):
            with database.writing() as tx:
                _insert(tx, database.engine, count, spools)
        with database.writing() as tx:
            tx.run("analyze")
    finally:
        database.close()


def _missing(database: Database, events: int) -> Iterator[int]:
    with database.reading() as tx:
        missing = events - _last(tx)
    while missing > 0:
        yield min(missing, _EVENTS_PER_COMMIT)
        missing -= _EVENTS_PER_COMMIT


def _insert(tx: Tx, engine: str, count: int, spools: int) -> None:
    last = _last(tx)
    at = instant_text(datetime(2026, 11, 2, 12, tzinfo=UTC))
    tx.execute(_EVENTS.format(count=count, spools=spools, last=last, at=at))
    if engine == "postgres":
        tx.execute(f"SELECT setval('event_seq', {last + count})")


def _last(tx: Tx) -> int:
    found = tx.one("event_last")
    return int(found[0]) if found else 0
