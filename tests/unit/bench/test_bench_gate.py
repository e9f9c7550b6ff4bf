"""`carrete bench gate`, in small: everybody is measured, and every goal stands beside a figure. No time is asserted."""

from __future__ import annotations

import json
from statistics import median

import pytest
from typer.testing import CliRunner

from carrete_bench.command import bench_app
from carrete_bench.figures import Latency
from carrete_bench.gate.contestants import BARE, OURS, RIVALS
from carrete_bench.gate.figures import Beside, Gate, PairRound, Pairs, Rebuild
from carrete_bench.gate.goals import goals
from carrete_bench.gate.measure import Extent, run
from carrete_bench.report import as_json

SMALL = Extent(seconds=0.06, calls=20, batches=5, rebuilds=1, locks=50)


def test_a_short_run_measures_everybody_and_says_which_goals_were_reached() -> None:
    report = run(SMALL, lambda text: None)

    assert {(one.name, one.at_once) for one in report.gate.pairs} == {
        (name, at_once) for name in (OURS, BARE, *RIVALS) for at_once in (1, 50)
    }
    by = {(one.name, one.at_once): one for one in report.gate.pairs}
    ours, bare = by[OURS, 50], by[BARE, 1]
    ratios = (mine.per_s / theirs.per_s for mine, theirs in zip(ours.rounds, bare.rounds, strict=True))
    assert ours.rate_ratio == median(ratios)
    assert bare.rate_ratio == bare.latency_ratio == 1
    assert [one.occupations for one in report.gate.rebuilds] == [50, 50]
    told = json.loads(as_json(report))
    assert told["gate"]["occupied"]["ratio"] > 0
    assert len(told["goals"]) == 11
    assert told["not_measured"] == []


def test_who_is_not_installed_has_no_goal() -> None:
    measured = _gate(batch_ratio=2.0, without=("pottery Redlock",))

    assert not any("pottery" in goal.what for goal in goals(measured))


@pytest.mark.parametrize(("ratio", "reached"), [(3.0, True), (3.01, False)])
def test_a_batch_that_costs_more_than_three_takes_is_called_not_reached(ratio: float, reached: bool) -> None:
    (batch,) = (goal for goal in goals(_gate(batch_ratio=ratio)) if "batch" in goal.what)

    assert batch.reached is reached


def test_the_command_is_there() -> None:
    told = CliRunner().invoke(bench_app, ["gate", "--help"])

    assert told.exit_code == 0
    assert "--seconds" in told.output


def _gate(batch_ratio: float, without: tuple[str, ...] = ()) -> Gate:
    names = [name for name in (OURS, BARE, *RIVALS) if name not in without]
    took = Latency(1.0, 1.0, 1.0)
    pairs = [Pairs(name, n, [PairRound(1, 1)], 1, took, 1, 1) for name in names for n in (1, 50)]
    beside = Beside("a take", 1, "PING", 1, 1)
    batch = Beside("a batch of 50 takes", batch_ratio, "one take", 1, batch_ratio)
    return Gate(pairs, beside, beside, batch, [Rebuild("into an empty Redis", 10, 0.1, 1)])
