"""Rounds in which groups of clients take turns, each in several short slices.

The rate of a machine drifts by a tenth within seconds; in short slices that affects all groups alike. Two processes of
the same code differ by up to 4 % for as long as they live; so every round has servers of its own, each started anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from carrete_bench.load import ACTIONS, LoadStep, StepResult

SLICES = 24  # of a round; a multiple of the number of groups, so that each round begins alike
WARM_UP_S = 0.5
SETS_OF_SERVERS = 10
_ONLY_ACTIONS: Mapping[str, str] = MappingProxyType({})


def rounds_of_sets(rounds: int) -> list[int]:
    """How many of the rounds each set of servers has."""
    each, more = divmod(rounds, SETS_OF_SERVERS)
    return [count for number in range(SETS_OF_SERVERS) if (count := each + (number < more))]


def warm_up_steps(*groups: str, kinds: Mapping[str, str] = _ONLY_ACTIONS) -> list[LoadStep]:
    """Every server of a new set needs the same warm-up: a group is named more than once where another server has more
    groups than its own."""
    return [_step(group, WARM_UP_S, kinds.get(group, ACTIONS)) for group in groups]


def sliced_steps(
    groups: Sequence[str], rounds: int, round_s: float, kinds: Mapping[str, str] = _ONLY_ACTIONS
) -> list[LoadStep]:
    """The slices of all rounds. `round_s` is each group's. `kinds` names what a group sends instead of actions."""
    assert SLICES % len(groups) == 0
    turns = (_turn(groups, number) for number in range(SLICES * rounds))
    return [_step(group, round_s / SLICES, kinds.get(group, ACTIONS)) for turn in turns for group in turn]


def sliced_rounds(groups: Sequence[str], results: Sequence[StepResult]) -> list[dict[str, list[StepResult]]]:
    """The results of `sliced_steps`: in each round the slices of each group."""
    in_round = SLICES * len(groups)
    return [_by_group(groups, results[at : at + in_round]) for at in range(0, len(results), in_round)]


def _by_group(groups: Sequence[str], slices: Sequence[StepResult]) -> dict[str, list[StepResult]]:
    found: dict[str, list[StepResult]] = {group: [] for group in groups}
    for at, step in enumerate(slices):
        found[_turn(groups, at // len(groups))[at % len(groups)]].append(step)
    return found


def _turn(groups: Sequence[str], number: int) -> Sequence[str]:
    """Another group is first in each slice: a ledger that grows slows down, which must not look like a group's cost."""
    first = number % len(groups)
    return [*groups[first:], *groups[:first]]


def _step(group: str, seconds: float, kind: str = ACTIONS) -> LoadStep:
    return {"kind": kind, "path": "", "seconds": seconds, "group": group}
