"""`carrete bench live` with a small scale: every event reaches every viewer, and every goal has its figure."""

from __future__ import annotations

import json
from pathlib import Path

from carrete_bench.live.measure import LiveScale, ViewerResults, goals, run
from carrete_bench.report import as_json
from carrete_bench.results import LatencyPercentiles


def test_a_short_run_measures_one_and_many_and_says_which_goals_were_reached() -> None:
    report = run(LiveScale(viewers=30, events=4, pause_s=0.0), lambda text: None)
    assert (report.alone.viewers, report.crowd.viewers) == (1, 30)
    assert 0 < report.crowd.reached.p50_ms <= report.crowd.reached.p99_ms
    assert report.crowd.all_p50_ms > 0
    as_dict = json.loads(as_json(report))
    assert len(as_dict["goals"]) == 1 + Path("/proc/self/status").exists()


def test_a_goal_is_reached_or_not_as_it_was_measured() -> None:
    def reached(p99_ms: float, grown_mb: float | None) -> list[bool]:
        crowd = ViewerResults(1_000, 10, LatencyPercentiles(1.0, 1.0, p99_ms), 1.0, grown_mb)
        return [goal.reached for goal in goals(crowd)]

    assert reached(999.0, 58.0) == [True, True]
    assert reached(1_001.0, 58.0) == [False, True]
    assert reached(1.0, 60.0) == [True, False]
    assert reached(1.0, None) == [True]
