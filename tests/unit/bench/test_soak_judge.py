"""The verdict of the soak: a process that grows is reported, one that only warms up or wavers is flat."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import pytest

from carrete_bench.load import LoadClient
from carrete_bench.soak.judge import LIMITS, judged
from carrete_bench.soak.measure import SoakScale, part_of
from carrete_bench.soak.samples import ResourceSample
from carrete_bench.soak.taps import JOINTS, SoakClient, spools_by_joint, taps, taps_in_round

SAMPLES = 100
FLAT: dict[str, float] = {
    "memory_mb": 110.0,
    "redis_mb": 2.3,
    "redis_connections": 5,
    "handles": 85,
    "threads": 9,
    "files": 11,
    "other_kb": 1.2,
    "redis_file_mb": 30.0,
}


def series(**figures: Callable[[int], float]) -> list[ResourceSample]:
    def sample(number: int) -> ResourceSample:
        values: dict[str, Any] = {**FLAT, **{name: figure(number) for name, figure in figures.items()}}
        return ResourceSample(actions=number, ledger_mb=float(number), **values)

    return [sample(number) for number in range(SAMPLES)]


def grown(samples: Iterable[ResourceSample]) -> list[str]:
    return [verdict.what for verdict in judged(list(samples)) if not verdict.flat]


def test_a_figure_that_does_not_grow_with_the_ledger_is_flat() -> None:
    assert grown(series()) == []


@pytest.mark.parametrize(("figure", "what", "most"), [(limit.figure, limit.what, limit.most) for limit in LIMITS])
def test_each_figure_that_grows_by_a_little_more_than_it_may_is_named(figure: str, what: str, most: float) -> None:
    """From the middle of the first tenth to the middle of the last are 80 of the hundred samples."""
    assert grown(series(**{figure: lambda n: FLAT[figure] + n * most * 1.1 / 80})) == [what]
    assert grown(series(**{figure: lambda n: FLAT[figure] + n * most * 0.9 / 80})) == []


def test_a_process_that_warms_up_and_then_wavers_is_flat() -> None:
    assert grown(series(memory_mb=lambda n: 60 + 5 * min(n, 10) + n % 3, handles=lambda n: 80 + n % 4)) == []


def test_one_high_sample_in_the_last_tenth_is_no_growth_and_one_in_the_first_hides_none() -> None:
    assert grown(series(memory_mb=lambda n: 400.0 if n == 95 else 110.0)) == []
    leaking = series(memory_mb=lambda n: 400.0 if n == 12 else 110.0 + n / 4)
    assert grown(leaking) == ["memory: MB"]


def test_the_parts_of_a_soak_add_up_to_all_of_it() -> None:
    scale = SoakScale(actions=12_345, sign_ins=67, reconnects=3)
    parts = [part_of(scale, number) for number in range(scale.samples)]
    sums = {name: sum(part[name] for part in parts) for name in ("actions", "sign_ins", "reconnects")}
    assert sums == {"actions": 12_345, "sign_ins": 67, "reconnects": 3}


@pytest.mark.parametrize("actions", [24, 1_000, 40_100])
def test_a_client_has_enough_joints_for_its_actions_and_finishes_each_once(actions: int) -> None:
    whole: LoadClient = {"worker_id": 1, "tags": ["A", "B", "C", "D"]}
    spools = spools_by_joint(actions, taps_in_round(whole))
    client: SoakClient = {**whole, "joint_tags": [f"J{n}" for n in range(spools)]}
    sent = list(islice(taps(client), actions))
    assert len(sent) == actions
    finished = [tap.body for tap in sent if tap.path.endswith("finalizar") and b'"selected_unions": []' not in tap.body]
    assert len(set(finished)) == len(finished) <= 2 * JOINTS * spools
    assert {tap.path.rpartition("/")[2] for tap in sent if not tap.repeated} == {
        *("tomar", "pausar", "iniciar", "finalizar", "notas")
    }
    assert not sent[0].repeated
