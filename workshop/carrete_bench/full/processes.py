"""One, two and four processes of one shop: their rate beside one's, and where the processor's time went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from carrete_bench import cpu, figures, shop
from carrete_bench.full.figures import Cpu, Processes, Scaling
from carrete_bench.load import ACTIONS, EMPTY, Hand, Seen, Step
from carrete_bench.postgres import Place, fresh_database
from carrete_bench.running import Server, running_server, under_load

SPOOLS = 2_000
WARM_S = 0.3
_REDIS = ("redis-server", "valkey-server")


@dataclass(frozen=True, slots=True)
class Extent:
    counts: tuple[int, ...] = (1, 2, 4)
    # In all: as many as one process is measured with, and as many for each of four.
    clients: tuple[int, ...] = (50, 200)
    rounds: int = 5
    round_s: float = 1.0


@dataclass(frozen=True, slots=True)
class _Round:
    empty: Seen
    actions: Seen
    spent: Cpu


def measure(engine: str, postgres: Place | None, folder: Path, extent: Extent) -> list[Scaling]:
    """Each number of processes has a ledger and a Redis of its own, so that those that wait their turn cost nothing."""
    hands = shop.hands(max(extent.clients), SPOOLS)
    with ExitStack() as stack:
        served = {
            count: stack.enter_context(_served(folder / f"{engine}-{count}", postgres, count, len(hands)))
            for count in extent.counts
        }
        rounds = {clients: _rounds(served, hands[:clients], postgres, extent) for clients in extent.clients}
    return [Scaling(engine, n, [_summary(count, seen) for count in seen]) for n, seen in rounds.items()]


def _rounds(
    served: dict[int, Server], hands: Sequence[Hand], postgres: Place | None, extent: Extent
) -> dict[int, list[_Round]]:
    """In turns, each round with another one first."""
    seen: dict[int, list[_Round]] = {count: [] for count in served}
    for server in served.values():
        under_load(server, hands, _steps(WARM_S))
    for number in range(extent.rounds):
        first = number % len(served)
        for count in [*served][first:] + [*served][:first]:
            seen[count].append(_round(served[count], hands, postgres, extent.round_s))
    return seen


@contextmanager
def _served(folder: Path, postgres: Place | None, count: int, workers: int) -> Iterator[Server]:
    folder.mkdir()
    with ExitStack() as stack:
        url = f"sqlite:///{folder / 'shop.db'}"
        if postgres is not None:
            url = stack.enter_context(fresh_database(postgres.url, f"processes_{count}"))
        shop.fill(url, SPOOLS, workers)
        yield stack.enter_context(running_server(folder, url, "embedded", count))


def _round(server: Server, hands: Sequence[Hand], postgres: Place | None, seconds: float) -> _Round:
    """The actions by themselves, so that the processor's time is theirs alone."""
    empties, taps = _steps(seconds)
    (empty,) = under_load(server, hands, [empties])
    before = _spent(server, postgres)
    (actions,) = under_load(server, hands, [taps])
    after = _spent(server, postgres)
    api, redis, ledger = (late - early for late, early in zip(after, before, strict=True))
    ours = postgres is None or postgres.pid is not None
    return _Round(empty, actions, Cpu(actions["seconds"], api, ledger if ours else None, redis, actions["cpu_s"]))


def _steps(seconds: float) -> list[Step]:
    return [{"kind": kind, "path": "", "seconds": seconds} for kind in (EMPTY, ACTIONS)]


def _spent(server: Server, postgres: Place | None) -> tuple[float, float, float]:
    told = cpu.spent_s(server.pid)
    redis = sum(told.pop(name, 0.0) for name in _REDIS)
    ledger = sum(cpu.spent_s(postgres.pid).values()) if postgres and postgres.pid else 0.0
    return sum(told.values()), redis, ledger


def _summary(count: int, rounds: dict[int, list[_Round]]) -> Processes:
    mine, ones = rounds[count], rounds[min(rounds)]
    rates = [figures.rate(one.actions) for one in mine]
    of_one = [rate / figures.rate(one.actions) for rate, one in zip(rates, ones, strict=True)]
    of_empty = [rate / figures.rate(one.empty) for rate, one in zip(rates, mine, strict=True)]
    took = [us for one in mine for us in one.actions["took_us"]]
    return Processes(
        count,
        per_s=median(rates),
        of_one=median(of_one),
        of_empty=median(of_empty),
        latency=figures.latency(took),
        actions=len(took),
        cpu=_sum([one.spent for one in mine]),
    )


def _sum(spent: list[Cpu]) -> Cpu:
    ledger = [one.ledger_s for one in spent if one.ledger_s is not None]
    return Cpu(
        sum(one.wall_s for one in spent),
        sum(one.api_s for one in spent),
        sum(ledger) if ledger else None,
        sum(one.redis_s for one in spent),
        sum(one.load_s for one in spent),
    )
