"""`carrete bench all`, each part in small: what is counted happened, ratios are of their round. No time is asserted."""

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
from typer.testing import CliRunner

from carrete.ledger import open_database
from carrete_bench import cpu, shop
from carrete_bench.command import bench_app
from carrete_bench.figures import Actions, Engine, Import, Latency, Round
from carrete_bench.full import goals, growth, outage, processes, shift, yardsticks
from carrete_bench.full.chart import chart
from carrete_bench.full.figures import (
    Beside,
    Cost,
    Cpu,
    Growth,
    Outage,
    Processes,
    Scaling,
    Shift,
    Size,
    Yardsticks,
)
from carrete_bench.full.measure import extent_of
from carrete_bench.full.report import FullReport, busy_share
from carrete_bench.gate.figures import Beside as GateBeside
from carrete_bench.gate.figures import Gate
from carrete_bench.live.measure import Watched
from carrete_bench.report import Machine, as_json
from tests.integration.bench.test_bench import by_joint
from tests.support.builders import events_in


def test_everybody_who_begins_a_shift_is_in_the_ledger_once(tmp_path: Path) -> None:
    ledger = f"sqlite:///{tmp_path / 'shop.db'}"
    crowds = (shift.Crowd(per_minute=360, seconds=0.5), shift.Crowd(per_minute=1_200, seconds=0.5))

    few, many = shift.measure(ledger, tmp_path, shift.Extent(crowds))

    assert (few.workers, many.workers) == (3, 10)
    assert few.lost == many.lost == 0
    assert 0 < many.iniciar.p50_ms <= many.iniciar.p95_ms
    assert many.p95_ratio == many.iniciar.p95_ms / many.empty.p95_ms
    database = open_database(ledger)
    try:
        assert len(events_in(database)) == 13
        with database.writing() as tx:
            tx.execute("UPDATE event SET worker_id = 2 WHERE worker_id = 1")
    finally:
        database.close()
    assert shift.begun(ledger, range(1, 15)) == 12, "neither whom nobody wrote down, nor who never came"


def test_several_processes_are_measured_beside_one_and_their_cpu_is_told_apart(tmp_path: Path) -> None:
    extent = processes.Extent(counts=(1, 2), clients=(10, 60), rounds=1, round_s=0.3)
    few, many = processes.measure("sqlite", None, tmp_path, extent)

    assert (few.clients, many.clients) == (10, 60)
    one, two = many.processes
    assert (one.count, one.of_one) == (1, 1.0)
    assert two.of_one == two.per_s / one.per_s
    for each in (one, two):
        assert each.actions > 0
        assert each.cpu.api_s > each.cpu.redis_s
        assert each.cpu.load_s > 0
        assert busy_share(each.cpu, os.cpu_count() or 1) > 0


def test_the_cpu_of_a_process_is_counted_with_that_of_its_children() -> None:
    """While it lives, and after it has ended."""
    before = sum(cpu.spent_s(os.getpid()).values()) - time.process_time()
    child = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        until = time.monotonic() + 30
        while (meanwhile := _of_children(before)) < 0.2 and time.monotonic() < until:
            time.sleep(0.05)
    finally:
        child.kill()
        child.wait()

    assert meanwhile >= 0.2
    assert _of_children(before) >= 0.2


def _of_children(before: float) -> float:
    return sum(cpu.spent_s(os.getpid()).values()) - time.process_time() - before


def test_a_ledger_grows_to_as_many_events_as_asked_for(database_url: str) -> None:
    shop.fill(database_url, 40)
    growth.tell(database_url, events=90, spools=40)
    growth.tell(database_url, events=250, spools=40)

    database = open_database(database_url)
    try:
        events = events_in(database)
        with database.writing() as tx:
            _, (seq,) = tx.write_and_allocate_seqs(1)
    finally:
        database.close()
    assert [stored.seq for stored in events] == list(range(1, 251))
    assert {stored.tag for stored in events} == {shop.tag(number) for number in range(40)}
    assert seq == 251, "the next action goes on where they end"


def test_growth_is_told_beside_the_empty_post_and_the_smallest_size(tmp_path: Path) -> None:
    extent = growth.Extent(spools=(100, 200), events=(400,), rounds=1, round_s=0.05)

    spools, events = growth.measure("sqlite", f"sqlite:///{tmp_path / 'shop.db'}", tmp_path, extent)

    assert (spools.of, events.of) == ("spools", "events")
    assert [size.count for size in events.sizes] == [400]
    smallest, largest = (size.costs for size in spools.sizes)
    assert [cost.of_smallest for cost in smallest] == [1.0] * 5
    for small, large in zip(smallest, largest, strict=True):
        assert large.of_smallest == large.of_empty / small.of_empty


def test_a_redis_killed_under_load_is_noticed_by_nobody(tmp_path: Path) -> None:
    found = outage.measure(tmp_path, outage.Extent(rounds=1, round_s=0.1, killed_s=1.0))

    assert found.killed_actions > 0
    assert found.up_ratio > 0
    assert found.dead_ratio > 0
    assert found.killed_max_ms >= found.killed.p99_ms


def test_actions_stand_beside_bare_redis_and_bare_commits(tmp_path: Path) -> None:
    extent = yardsticks.Extent(rounds=1, round_s=0.1)
    found = yardsticks.measure("sqlite", f"sqlite:///{tmp_path / 'shop.db'}", tmp_path, extent)

    assert [one.what.partition(":")[0] for one in found.besides] == ["empty POST", "bare Redis", "bare SQLite"]
    for one in found.besides:
        assert one.actions_ratio == found.actions_per_s / one.per_s


def test_the_exponent_tells_flat_from_linear() -> None:
    """At the large end: what costs a little more from 100 to 1,000 may still be flat."""
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
    drawn = chart(_report(of_one=1.23, p95_ms=77.0))

    words = {element.text for element in ElementTree.fromstring(drawn).iter() if element.tag.endswith("text")}
    assert {"1.23× · 90%", "77 ms", "0.48", "empty POST", "PostgreSQL, 4 · 50", "Redis dead"} <= words
    assert drawn.count('<g transform="translate(') == 8
    assert "prefers-color-scheme: dark" in drawn
    assert "http" not in drawn.replace('xmlns="http://www.w3.org/2000/svg"', ""), "it loads nothing"


def test_a_run_without_postgresql_has_its_picture_too() -> None:
    whole = _report()
    alone = replace(
        whole,
        engines=whole.engines[:1],
        growth=[one for one in whole.growth if one.engine == "sqlite"],
        scaling=whole.scaling[:1],
        yardsticks=whole.yardsticks[:1],
    )

    ElementTree.fromstring(chart(alone))
    assert json.loads(as_json(alone))["shifts"][0]["workers"] == 500


def test_the_effort_changes_how_long_and_never_how_large() -> None:
    short, long = extent_of(0.1), extent_of(8.0)

    assert short.growth.spools == long.growth.spools == (100, 1_000, 10_000, 100_000)
    assert short.shift == long.shift
    assert short.processes.rounds < long.processes.rounds


def test_the_command_that_measures_everything_is_there() -> None:
    told = CliRunner().invoke(bench_app, ["all", "--help"])

    assert told.exit_code == 0
    assert "--svg" in told.output


def _growth(engine: str, ratios: tuple[float, ...], of: str = "spools") -> Growth:
    counts = (100, 1_000, 10_000)
    return Growth(engine, of, [Size(n, [Cost("list", r, r, r)]) for n, r in zip(counts, ratios, strict=True)])


def _report(
    growth: tuple[float, ...] = (1.0, 1.2, 1.4),
    of_one: float = 1.2,
    lost: int = 0,
    p95_ms: float = 40.0,
    dead: float = 1.0,
) -> FullReport:
    took = Latency(10.0, p95_ms, p95_ms)
    names = ("sqlite", "postgres")
    beside = GateBeside("a take", 1, "PING", 1, 1)
    spent = Cpu(10.0, 12.0, 4.0, 1.0, 1.0)
    ones = [Processes(n, 900, of_one if n > 1 else 1.0, 0.4, took, 9_000, spent) for n in (1, 4)]
    return FullReport(
        at=datetime(2026, 11, 15, tzinfo=UTC),
        machine=Machine(2, "3.11", "Linux", "3.40", "0.1", 500.0, 0.1),
        took_s=500.0,
        engines=[_engine(name) for name in names],
        yardsticks=[Yardsticks(name, 50, 1_000, [Beside(f"{n}: x", 1, 0.48) for n in "abc"]) for name in names],
        growth=[_growth(name, growth if of == "spools" else (1.0, 1.0, 1.0), of) for name in names for of in _OF],
        scaling=[Scaling(name, 50, ones) for name in names],
        shifts=[Shift(500, 60.0, 500, lost, took, Latency(1.0, 2.0, 3.0))],
        outage=Outage(1_000, 0.9, dead, took, 200.0, 2_000),
        gate=Gate([], beside, beside, beside, []),
        watched=[Watched(1, 40, took, 5.0, 1.0), Watched(1_000, 40, took, 50.0, 13.0)],
        goals=[],
        not_measured=[],
    )


_OF = ("spools", "events")


def _engine(name: str) -> Engine:
    took = Latency(1.0, 1.0, 1.0)
    actions = Actions(50, [Round(100, 55)], 100, 55, 0.55, took, took)
    return Engine(name, 20_000, 60.0, [actions], [], by_joint(), Import(2_000, 20_000, 1.0))
