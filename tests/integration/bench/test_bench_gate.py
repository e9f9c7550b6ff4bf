"""`carrete bench gate` with a small scale: all locks are measured, every goal has its figure. No time is asserted."""

from __future__ import annotations

import json
from statistics import median

import pytest
from typer.testing import CliRunner

from carrete_bench.command import bench_app
from carrete_bench.gate.goals import goals
from carrete_bench.gate.lock_implementations import BARE, OTHERS, OURS
from carrete_bench.gate.measure import GateScale, run
from carrete_bench.gate.results import CallComparison, GateResults, PairResults, PairRound, RebuildTime
from carrete_bench.report import as_json
from carrete_bench.results import LatencyPercentiles

SMALL = GateScale(seconds=0.06, calls=20, batches=5, rebuilds=1, locks=50)


def test_a_short_run_measures_every_lock_library_and_says_which_goals_were_reached() -> None:
    report = run(SMALL, lambda text: None)

    assert {(result.name, result.at_once) for result in report.gate.pairs} == {
        (name, at_once) for name in (OURS, BARE, *OTHERS) for at_once in (1, 50)
    }
    by_name = {(result.name, result.at_once): result for result in report.gate.pairs}
    ours, bare = by_name[OURS, 50], by_name[BARE, 1]
    ratios = (
        our_round.per_s / bare_round.per_s for our_round, bare_round in zip(ours.rounds, bare.rounds, strict=True)
    )
    assert ours.rate_ratio == median(ratios)
    assert bare.rate_ratio == bare.latency_ratio == 1
    assert [rebuild.occupations for rebuild in report.gate.rebuilds] == [50, 50]
    as_dict = json.loads(as_json(report))
    assert as_dict["gate"]["occupied"]["ratio"] > 0
    assert len(as_dict["goals"]) == 11
    assert as_dict["not_measured"] == []


def test_a_library_that_is_not_installed_has_no_goal() -> None:
    measured = _gate(batch_ratio=2.0, without=("pottery Redlock",))

    assert not any("pottery" in goal.what for goal in goals(measured))


@pytest.mark.parametrize(("ratio", "reached"), [(3.0, True), (3.01, False)])
def test_a_batch_that_costs_more_than_three_takes_is_called_not_reached(ratio: float, reached: bool) -> None:
    (batch,) = (goal for goal in goals(_gate(batch_ratio=ratio)) if "batch" in goal.what)

    assert batch.reached is reached


def test_the_command_is_there() -> None:
    result = CliRunner().invoke(bench_app, ["gate", "--help"])

    assert result.exit_code == 0
    assert "--seconds" in result.output


def _gate(batch_ratio: float, without: tuple[str, ...] = ()) -> GateResults:
    names = [name for name in (OURS, BARE, *OTHERS) if name not in without]
    latency = LatencyPercentiles(1.0, 1.0, 1.0)
    pairs = [PairResults(name, n, [PairRound(1, 1)], 1, latency, 1, 1) for name in names for n in (1, 50)]
    call = CallComparison("a take", 1, "PING", 1, 1)
    batch = CallComparison("a batch of 50 takes", batch_ratio, "one take", 1, batch_ratio)
    return GateResults(pairs, call, call, batch, [RebuildTime("into an empty Redis", 10, 0.1, 1)])
