"""`carrete bench offline` with a small scale: every chain has its outcome, and both kinds of tap are measured."""

from __future__ import annotations

import json

from carrete_bench.engine_choice import EngineChoice
from carrete_bench.offline.measure import run
from carrete_bench.offline.queues import OfflineScale
from carrete_bench.report import as_json


def test_a_short_run_settles_every_chain_and_measures_the_taps_beside() -> None:
    scale = OfflineScale(tablets=3, rounds=2, others=2, pace_s=0.05, normal_s=0.3)
    report = run(EngineChoice.SQLITE, scale, "", lambda text: None)
    (engine,) = report.engines
    assert (scale.taps_each, scale.chains) == (40, 54)
    assert (engine.confirmed, engine.claimed) == (51, 3)
    assert engine.normal.p50_ms > 0
    assert engine.meanwhile.p50_ms > 0
    assert len(json.loads(as_json(report))["goals"]) == 4
