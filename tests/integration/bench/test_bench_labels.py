"""`carrete bench labels` with a small scale: every paper has its figures."""

from __future__ import annotations

import json

from carrete.labels.stock import STOCKS
from carrete_bench.labels import run
from carrete_bench.report import as_json


def test_a_short_run_has_a_figure_for_each_paper() -> None:
    report = run(30, lambda text: None)
    assert [(each.paper, each.labels) for each in report.papers] == [(paper, 30) for paper in STOCKS]
    assert all(each.seconds > 0 and each.http_seconds > 0 and each.kilobytes > 0 for each in report.papers)
    assert len(json.loads(as_json(report))["goals"]) == 2 * len(STOCKS)
