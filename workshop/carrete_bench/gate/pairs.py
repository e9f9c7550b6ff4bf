"""Measures pairs: a free lock is taken and released. All lock implementations take short turns, round after round."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from carrete_bench import results
from carrete_bench.gate.lock_implementations import BARE, LockImplementation
from carrete_bench.gate.results import PairResults, PairRound
from carrete_bench.load import StepResult

CLIENT_COUNTS = (1, 50)
TURN_S_MAX = 0.2  # turns are short, so that other work on the machine slows all implementations alike
ROUNDS_MIN = 3

NameAndClients = tuple[str, int]
TurnsByName = dict[NameAndClients, list[StepResult]]


async def measure(implementations: Sequence[LockImplementation], seconds: float) -> list[PairResults]:
    rounds = max(ROUNDS_MIN, round(seconds / TURN_S_MAX))
    turn_s = seconds / rounds
    turns: TurnsByName = {(each.name, clients): [] for clients in CLIENT_COUNTS for each in implementations}
    await _run_round(implementations, turn_s, turns, 0)
    for warm_up in turns.values():
        warm_up.clear()
    for number in range(rounds):
        await _run_round(implementations, turn_s, turns, number)
    return summary(turns)


async def _run_round(
    implementations: Sequence[LockImplementation], turn_s: float, turns: TurnsByName, number: int
) -> None:
    """Each round starts with another implementation, so that none always follows the same one's disk writes."""
    first = number % len(implementations)
    for clients in CLIENT_COUNTS:
        for each in (*implementations[first:], *implementations[:first]):
            turns[each.name, clients].append(await each.run(clients, turn_s))


def summary(turns: TurnsByName) -> list[PairResults]:
    rounds = {key: [_pair_round(turn) for turn in own_turns] for key, own_turns in turns.items()}
    return [_pair_results(key, turns[key], rounds) for key in turns]


def _pair_round(turn: StepResult) -> PairRound:
    return PairRound(results.rate_per_s(turn), median(turn["latencies_us"]))


def _pair_results(
    key: NameAndClients, turns: list[StepResult], rounds: dict[NameAndClients, list[PairRound]]
) -> PairResults:
    name, clients = key
    own, bare_at_1, bare_at_same = rounds[key], rounds[BARE, 1], rounds[BARE, clients]
    return PairResults(
        name,
        clients,
        own,
        per_s=median(round_.per_s for round_ in own),
        latency=results.percentiles(results.all_latencies_us(turns)),
        rate_ratio=median(round_.per_s / bare.per_s for round_, bare in zip(own, bare_at_1, strict=True)),
        latency_ratio=median(round_.p50_us / bare.p50_us for round_, bare in zip(own, bare_at_same, strict=True)),
    )
