"""`carrete bench soak` with a small scale: every request is made and answered, and the samples are reported. No time is
asserted, and growth only of what has no cache that still grows in a short run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from carrete_bench.command import bench_app
from carrete_bench.errors import BenchFailed
from carrete_bench.report import as_json
from carrete_bench.soak.choice import SoakLedger
from carrete_bench.soak.measure import SoakScale, run
from carrete_bench.soak.report import sentence

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks at processes by Linux's /proc")
SMALL = SoakScale(actions=1_200, sign_ins=24, reconnects=24, samples=12, clients=5, tablets_to_sign_in=3)


@pytest.mark.parametrize("ledger", [SoakLedger.SQLITE, pytest.param(SoakLedger.POSTGRES, marks=pytest.mark.long)])
def test_a_short_soak_makes_every_request_and_leaves_nothing_open(ledger: SoakLedger) -> None:
    done: list[tuple[int, int]] = []
    report = run(ledger, SMALL, "", lambda *counts: done.append(counts))

    assert done[-1] == (1_200, 1_200)
    assert [sample.actions for sample in report.samples] == list(range(100, 1_300, 100))
    counts = report.counts
    assert (counts["sign-ins"], counts["sign-outs"], counts["reconnects"]) == (24, 12, 24)
    assert sum(counts[kind] for kind in ("tomar", "pausar", "iniciar", "finalizar", "notas", "repeated")) == 1_200
    assert min(counts.values()) > 0
    flat = {verdict.what: verdict.flat for verdict in report.verdicts}
    assert flat["open handles beside these"], report.samples
    assert flat["files"], report.samples
    assert all(
        sample.memory_mb > 10 and sample.redis_mb > 0 and sample.redis_connections > 0 for sample in report.samples
    )
    assert "1,200 actions, 24 sign-ins and 24 stream reconnects of one process" in sentence(report)
    assert len(json.loads(as_json(report))["samples"]) == 12


def test_a_soak_that_does_not_end_in_its_time_says_so() -> None:
    with pytest.raises(BenchFailed, match="did not end in its time"):
        run(
            SoakLedger.SQLITE, SoakScale(actions=100_000, samples=10, clients=5, minutes_max=0.001), "", lambda *_: None
        )


def test_the_command_says_what_it_does() -> None:
    result = CliRunner().invoke(bench_app, ["soak", "--help"], env={"COLUMNS": "200"})

    assert result.exit_code == 0
    assert "--reconnects" in result.output
