"""Measures what the chain of hashes and its receipts cost: the same actions with them and without."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import median

from carrete.redis.embedded_server import socket_path
from carrete_bench import shop
from carrete_bench.load import LoadClient
from carrete_bench.processes import running_server, send_load
from carrete_bench.results import ChainResults, rate_per_s
from carrete_bench.slices import rounds_of_sets, sliced_rounds, sliced_steps, warm_up_steps

UNCHAINED = "carrete_bench.unchained:app_without_chain"
WITHOUT, WITH = GROUPS = ("without", "with")


@dataclass(frozen=True, slots=True)
class ChainScale:
    """How much is measured. The goal is for the defaults; tests use less."""

    clients: int = 50
    rounds: int = 10
    round_s: float = 4.0


def measure(ledger_url: str, folder: Path, spools: int, scale: ChainScale) -> ChainResults:
    """Two servers on one ledger and one Redis, as `carrete serve` has it, are used in turns. The one without the chain
    leaves events without a hash: nothing verifies this ledger afterwards."""
    own_folder = folder / "chain"
    own_folder.mkdir(mode=0o700)
    clients = shop.load_clients(scale.clients, spools)
    rounds: list[tuple[float, float]] = []
    for count in rounds_of_sets(scale.rounds):
        with (
            running_server(own_folder, ledger_url, "embedded") as chained,
            running_server(folder, ledger_url, f"unix://{socket_path(own_folder)}", application=UNCHAINED) as without,
        ):
            groups: list[LoadClient] = [{**client, "group": WITHOUT} for client in clients]
            groups += [{**client, "group": WITH, "port": chained.port} for client in clients]
            warm_up = warm_up_steps(*GROUPS)
            results = send_load(without, groups, [*warm_up, *sliced_steps(GROUPS, count, scale.round_s)])
        measured = sliced_rounds(GROUPS, results[len(warm_up) :])
        rounds += [(rate_per_s(*slices[WITHOUT]), rate_per_s(*slices[WITH])) for slices in measured]
    return ChainResults(scale.clients, rounds, median(after / before for before, after in rounds))
