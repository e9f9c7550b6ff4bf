"""`carrete bench all`, each part with a small scale: counts are true, ratios come from rounds. No time is asserted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.table import Table
from typer.testing import CliRunner

from carrete.ledger import open_database
from carrete_bench import shop
from carrete_bench.command import bench_app
from carrete_bench.cpu import cpu_seconds_by_name
from carrete_bench.full import goals, growth, outage, scaling, shift, yardsticks
from carrete_bench.full.chart import chart
from carrete_bench.full.markdown import page
from carrete_bench.full.measure import scale_for
from carrete_bench.full.report import FullReport, busy_share, parts
from carrete_bench.full.results import (
    CallCost,
    CostGrowth,
    CpuSeconds,
    LedgerSizeCosts,
    OutageResults,
    ProcessCountResults,
    ScalingResults,
    ShiftResults,
    YardstickRate,
    YardstickResults,
)
from carrete_bench.gate.results import CallComparison, GateResults
from carrete_bench.live.measure import ViewerResults
from carrete_bench.report import Machine, as_json
from carrete_bench.results import ActionResults, ActionRound, EngineResults, ImportTime, LatencyPercentiles
from tests.integration.bench.test_bench import finalizar_latency
from tests.support.builders import events_in
from tests.support.tampering import tampering


def test_everybody_who_begins_a_shift_is_in_the_ledger_once(tmp_path: Path) -> None:
    ledger = f"sqlite:///{tmp_path / 'shop.db'}"
    rates = (shift.ArrivalRate(per_minute=360, seconds=0.5), shift.ArrivalRate(per_minute=1_200, seconds=0.5))

    few, many = shift.measure(ledger, tmp_path, shift.ShiftScale(rates))

    assert (few.workers, many.workers) == (3, 10)
    assert few.lost == many.lost == 0
    assert 0 < many.iniciar.p50_ms <= many.iniciar.p95_ms
    assert many.p95_ratio == many.iniciar.p95_ms / many.empty.p95_ms
    database = open_database(ledger)
    try:
        assert len(events_in(database)) == 13
        with tampering(database) as tx:
            tx.execute("UPDATE event SET worker_id = 2 WHERE worker_id = 1")
    finally:
        database.close()
    assert shift.count_begun(ledger, range(1, 15)) == 12, "worker 1 has the event of another, worker 14 never began"


def test_several_processes_are_compared_with_one_and_each_part_of_the_cpu_is_reported(tmp_path: Path) -> None:
    scale = scaling.ProcessScale(counts=(1, 2), clients=(10, 60), rounds=1, round_s=0.3)
    few, many = scaling.measure("sqlite", None, tmp_path, scale)

    assert (few.clients, many.clients) == (10, 60)
    one, two = many.processes
    assert (one.count, one.of_one) == (1, 1.0)
    assert two.of_one == two.per_s / one.per_s
    for result in (one, two):
        assert result.actions > 0
        assert result.cpu.api_s > result.cpu.redis_s
        assert result.cpu.load_s > 0
        assert busy_share(result.cpu, os.cpu_count() or 1) > 0


def test_the_cpu_of_a_process_is_counted_with_that_of_its_children() -> None:
    """While the child runs, and after it has ended."""
    before = sum(cpu_seconds_by_name(os.getpid()).values()) - time.process_time()
    child = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        until = time.monotonic() + 30
        while (while_running := _cpu_of_children(before)) < 0.2 and time.monotonic() < until:
            time.sleep(0.05)
    finally:
        child.kill()
        child.wait()

    assert while_running >= 0.2
    assert _cpu_of_children(before) >= 0.2


def _cpu_of_children(before: float) -> float:
    return sum(cpu_seconds_by_name(os.getpid()).values()) - time.process_time() - before


def test_a_ledger_grows_to_as_many_events_as_asked_for(database_url: str) -> None:
    shop.fill(database_url, 40)
    growth.fill_events(database_url, events=90, spools=40)
    growth.fill_events(database_url, events=250, spools=40)

    database = open_database(database_url)
    try:
        events = events_in(database)
        with database.writing() as tx:
            _, ((seq,), _) = tx.write_and_allocate_seqs(1)
    finally:
        database.close()
    assert [stored.seq for stored in events] == list(range(1, 251))
    assert {stored.tag for stored in events} == {shop.tag(number) for number in range(40)}
    assert seq == 251, "the next action gets the next seq"


def test_growth_is_reported_beside_the_empty_post_and_the_smallest_size(tmp_path: Path) -> None:
    scale = growth.GrowthScale(spools=(100, 200), events=(400,), rounds=1, round_s=0.05)

    spools, events = growth.measure("sqlite", f"sqlite:///{tmp_path / 'shop.db'}", tmp_path, scale)

    assert (spools.of, events.of) == ("spools", "events")
    assert [size.count for size in events.sizes] == [400]
    smallest, largest = (size.costs for size in spools.sizes)
    assert [cost.of_smallest for cost in smallest] == [1.0] * 7
    for small, large in zip(smallest, largest, strict=True):
        assert large.of_smallest == large.of_empty / small.of_empty


def test_actions_under_load_go_on_when_redis_is_killed(tmp_path: Path) -> None:
    result = outage.measure(tmp_path, outage.OutageScale(rounds=1, round_s=0.1, killed_s=1.0))

    assert result.killed_actions > 0
    assert result.up_ratio > 0
    assert result.dead_ratio > 0
    assert result.killed_max_ms >= result.killed.p99_ms


def test_actions_are_compared_with_bare_redis_and_bare_commits(tmp_path: Path) -> None:
    scale = yardsticks.YardstickScale(rounds=1, round_s=0.1)
    result = yardsticks.measure("sqlite", f"sqlite:///{tmp_path / 'shop.db'}", tmp_path, scale)

    assert [rate.what.partition(":")[0] for rate in result.besides] == ["empty POST", "bare Redis", "bare SQLite"]
    for rate in result.besides:
        assert rate.actions_ratio == result.actions_per_s / rate.per_s


def test_the_exponent_tells_flat_from_linear() -> None:
    """It is about the two largest sizes: a call that costs more at 1,000 than at 100 may still be flat."""
    flat, linear = _growth("sqlite", (1.0, 2.0, 2.0)), _growth("sqlite", (1.0, 1.0, 10.0))

    assert flat.exponent("list") == pytest.approx(0)
    assert linear.exponent("list") == pytest.approx(1)


@pytest.mark.parametrize(
    ("change", "missed"),
    [
        ({}, []),
        ({"growth": (1.0, 1.2, 1.6)}, ["list: cost at 10,000 spools, of that at 100"] * 2),
        ({"of_one": 1.09}, ["actions of 50 clients by 4 processes, of the rate of one"]),
        ({"lost": 1}, ["500 workers a minute begin: lost of 500"]),
        ({"p95_ms": 301.0}, ["500 workers a minute begin: p95 ms"]),
        ({"dead": 0.89}, ["actions after Redis died, of those without Redis"]),
    ],
)
def test_a_goal_of_the_whole_that_was_missed_is_called_missed(change: dict[str, float], missed: list[str]) -> None:
    report = _report(**change)  # type: ignore[arg-type]

    assert [goal.what for goal in goals.goals(report) if not goal.reached] == missed


def test_the_picture_says_every_figure_in_words_and_is_whole() -> None:
    svg = chart(_report(of_one=1.23, p95_ms=77.0))

    words = {element.text for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("text")}
    assert {"1.23× · 90%", "77 ms", "0.48", "empty POST", "PostgreSQL, 4 · 50", "Redis dead"} <= words
    assert svg.count('<g transform="translate(') == 8
    assert "prefers-color-scheme: dark" in svg
    assert "http" not in svg.replace('xmlns="http://www.w3.org/2000/svg"', ""), "it loads nothing"


def test_the_page_has_every_table_and_every_goal_as_markdown() -> None:
    report = _report(of_one=1.09)
    report = replace(report, goals=goals.goals(report))

    text = page(report)

    tables = [part for part in parts(report) if isinstance(part, Table)]
    assert [line for line in text.splitlines() if line.startswith("## ")] == [f"## {table.title}" for table in tables]
    rows = sum(table.row_count for table in tables)
    assert len([line for line in text.splitlines() if line.startswith("| ")]) == rows + 2 * len(tables)
    assert "| ≥ 1.1 | 1.09 | not reached |" in text


def test_a_run_without_postgresql_has_its_picture_too() -> None:
    both = _report()
    sqlite_only = replace(
        both,
        engines=both.engines[:1],
        growth=[growth for growth in both.growth if growth.engine == "sqlite"],
        scaling=both.scaling[:1],
        yardsticks=both.yardsticks[:1],
    )

    ElementTree.fromstring(chart(sqlite_only))
    assert json.loads(as_json(sqlite_only))["shifts"][0]["workers"] == 500


def test_the_effort_changes_how_long_and_never_how_large() -> None:
    short, long = scale_for(0.1), scale_for(8.0)

    assert short.growth.spools == long.growth.spools == (100, 1_000, 10_000, 100_000)
    assert short.shift == long.shift
    assert short.processes.rounds < long.processes.rounds


def test_the_command_that_measures_everything_is_there() -> None:
    result = CliRunner().invoke(bench_app, ["all", "--help"])

    assert result.exit_code == 0
    assert "--svg" in result.output
    assert "--markdown" in result.output


def _growth(engine: str, ratios: tuple[float, ...], of: str = "spools") -> CostGrowth:
    counts = (100, 1_000, 10_000)
    return CostGrowth(
        engine, of, [LedgerSizeCosts(n, [CallCost("list", r, r, r)]) for n, r in zip(counts, ratios, strict=True)]
    )


def _report(
    growth: tuple[float, ...] = (1.0, 1.2, 1.4),
    of_one: float = 1.2,
    lost: int = 0,
    p95_ms: float = 40.0,
    dead: float = 1.0,
) -> FullReport:
    latency = LatencyPercentiles(10.0, p95_ms, p95_ms)
    names = ("sqlite", "postgres")
    call = CallComparison("a take", 1, "PING", 1, 1)
    cpu = CpuSeconds(10.0, 12.0, 4.0, 1.0, 1.0)
    processes = [ProcessCountResults(n, 900, of_one if n > 1 else 1.0, 0.4, latency, 9_000, cpu) for n in (1, 4)]
    return FullReport(
        at=datetime(2026, 11, 15, tzinfo=UTC),
        machine=Machine(2, "3.11", "Linux", "3.40", "0.1", 500.0, 0.1),
        took_s=500.0,
        engines=[_engine(name) for name in names],
        yardsticks=[
            YardstickResults(name, 50, 1_000, [YardstickRate(f"{n}: x", 1, 0.48) for n in "abc"]) for name in names
        ],
        growth=[
            _growth(name, growth if of == "spools" else (1.0, 1.0, 1.0), of) for name in names for of in _GROWTH_OF
        ],
        scaling=[ScalingResults(name, 50, processes) for name in names],
        shifts=[ShiftResults(500, 60.0, 500, lost, latency, LatencyPercentiles(1.0, 2.0, 3.0))],
        outage=OutageResults(1_000, 0.9, dead, latency, 200.0, 2_000),
        gate=GateResults([], call, call, call, []),
        watched=[ViewerResults(1, 40, latency, 5.0, 1.0), ViewerResults(1_000, 40, latency, 50.0, 13.0)],
        goals=[],
        not_measured=[],
    )


_GROWTH_OF = ("spools", "events")


def _engine(name: str) -> EngineResults:
    latency = LatencyPercentiles(1.0, 1.0, 1.0)
    actions = ActionResults(50, [ActionRound(100, 65)], 100, 65, 0.65, latency, latency)
    return EngineResults(name, 20_000, 60.0, [actions], [], finalizar_latency(), ImportTime(2_000, 20_000, 1.0))
