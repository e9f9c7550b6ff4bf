"""Measures what the chain of hashes and its receipts cost: the same actions with them and without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from carrete_bench import shop
from carrete_bench.load import ACTIONS, LoadClient, LoadStep
from carrete_bench.processes import running_server, send_load
from carrete_bench.results import ChainResults, rate_per_s

UNCHAINED = "carrete_bench.unchained:app_without_chain"
WITHOUT, WITH = GROUPS = ("without", "with")
WARM_UP_S = 0.2


@dataclass(frozen=True, slots=True)
class ChainScale:
    """How much is measured. The goal is for the defaults; tests use less."""

    clients: int = 50
    rounds: int = 10
    round_s: float = 1.0


def measure(ledger_url: str, folder: Path, spools: int, scale: ChainScale) -> ChainResults:
    """Both servers run all the time, on one ledger, and are used in turns. The one without the chain leaves events
    without a hash: nothing verifies this ledger afterwards."""
    own_folder = folder / "chain"
    own_folder.mkdir(mode=0o700)
    clients = shop.load_clients(scale.clients, spools)
    with (
        running_server(folder, ledger_url, application=UNCHAINED) as without,
        running_server(own_folder, ledger_url) as chained,
    ):
        groups: list[LoadClient] = [{**client, "group": WITHOUT} for client in clients]
        groups += [{**client, "group": WITH, "port": chained.port} for client in clients]
        seconds = (WARM_UP_S, scale.round_s)
        steps: list[LoadStep] = [
            {"kind": ACTIONS, "path": "", "seconds": step_s, "group": group}
            for number in range(scale.rounds + 1)
            for group in _turn(number)
            for step_s in seconds
        ]
        results = send_load(without, groups, steps)
    rates = [rate_per_s(step) for step in results[2 * len(GROUPS) :][1::2]]  # the first round only warms up
    rounds = [_round(number, rates[start : start + 2]) for number, start in enumerate(range(0, len(rates), 2), start=1)]
    return ChainResults(scale.clients, rounds, median(after / before for before, after in rounds))


def _turn(number: int) -> tuple[str, ...]:
    """The other group is first in each second round: a ledger that grows slows down, which is no cost of the chain."""
    return GROUPS if number % 2 == 0 else GROUPS[::-1]


def _round(number: int, rates: Sequence[float]) -> tuple[float, float]:
    """The rates without and with. Round 0 was the one that only warmed up."""
    by_group = dict(zip(_turn(number), rates, strict=True))
    return by_group[WITHOUT], by_group[WITH]
