"""`carrete bench tls` with a small scale: both kinds of connection act, every viewer gets every event over HTTPS."""

from __future__ import annotations

import json
from pathlib import Path

from carrete_bench.live.measure import LiveScale
from carrete_bench.report import as_json
from carrete_bench.tls import TlsScale, run


def test_a_short_run_measures_actions_and_viewers_and_says_which_goals_were_reached() -> None:
    live = LiveScale(viewers=10, events=4, pause_s=0.0)
    report = run(TlsScale(clients=5, rounds=2, round_s=0.1, live=live), lambda text: None)
    assert len(report.rounds) == 2
    assert all(each.plain_per_s > 0 and each.tls_per_s > 0 for each in report.rounds)
    assert report.crowd.viewers == 10
    assert len(json.loads(as_json(report))["goals"]) == 2 + Path("/proc/self/status").exists()
