"""What a supervisor asks for, over a month of work, and the history of a spool that went through many hands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from carrete_bench import figures, month, shop
from carrete_bench.figures import Listing, Reports
from carrete_bench.load import GET, Step
from carrete_bench.running import running_server, under_load

LAST_DAY = date(2026, 10, 31)
METRICS_MS_MAX = 50.0
HISTORY_MS_MAX = 20.0
_HISTORY = "history of one spool"


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of it. The defaults are what the goals are about; a test takes less."""

    events: int = 100_000
    handlings: int = 500  # of one spool: each is taken and paused, two events
    seconds: float = 4.0


def measure(ledger_url: str, folder: Path, extent: Extent) -> Reports:
    """Beside whatever is in the ledger already."""
    written = month.fill(ledger_url, extent.events, extent.handlings, LAST_DAY)
    paths = _paths()
    each = extent.seconds / len(paths)
    # The first step of each only warms up.
    steps: list[Step] = [
        {"kind": GET, "path": path, "seconds": seconds} for path in paths.values() for seconds in (each / 4, each)
    ]
    with running_server(folder, ledger_url) as server:
        seen = under_load(server, shop.hands(1, shop.SPOOLS_MIN), steps)[1::2]
    asked = [
        Listing(what, len(one["took_us"]), figures.latency(one["took_us"]))
        for what, one in zip(paths, seen, strict=True)
    ]
    return Reports(written, 2 * extent.handlings, asked)


def _paths() -> dict[str, str]:
    first = LAST_DAY - timedelta(days=month.DAYS - 1)
    period = f"desde={first}&hasta={LAST_DAY}"
    inches = {f"inches by {por}": f"/api/metrics/pulgadas?{period}&por={por}" for por in ("dia", "worker", "operacion")}
    quality = {f"first-pass yield by {por}": f"/api/metrics/calidad?{period}&por={por}" for por in ("dia", "worker")}
    return {**inches, **quality, _HISTORY: f"/api/history/{month.MUCH_HANDLED}"}


def lines(reports: Reports) -> Iterator[tuple[str, float, float]]:
    """What, the most it may take, and the median of what it took, in ms."""
    for one in reports.asked:
        if one.what == _HISTORY:
            yield f"{one.what}, {reports.history_events:,} events: p50 ms", HISTORY_MS_MAX, one.latency.p50_ms
        else:
            yield f"{one.what}, a month of {reports.events:,} events: p50 ms", METRICS_MS_MAX, one.latency.p50_ms


def rows(name: str, asked: Sequence[Listing]) -> Iterator[tuple[str, ...]]:
    """For the table."""
    for one in asked:
        took = one.latency
        yield name, one.what, str(one.requests), f"{took.p50_ms:.1f}", f"{took.p95_ms:.1f}"
