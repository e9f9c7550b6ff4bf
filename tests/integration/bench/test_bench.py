"""`carrete bench`, in small: the report has every figure, and its ratios are of its own rounds. No time is asserted."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta
from pathlib import Path
from statistics import median
from zoneinfo import ZoneInfo

import pytest
from typer.testing import CliRunner

from carrete.domain.reports.first_pass import quality
from carrete.domain.reports.output import Por
from carrete.domain.spool import Operacion
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.reports import Inspections, Period, work_done
from carrete.ledger.rows import event_from
from carrete_bench import by_joint as sessions
from carrete_bench import month, reports, shop
from carrete_bench.command import bench_app
from carrete_bench.db import Db
from carrete_bench.engines import run
from carrete_bench.errors import BenchFailed
from carrete_bench.figures import Actions, ByJoint, Engine, Import, Latency, Round, actions, latency
from carrete_bench.goals import goals
from carrete_bench.load import ACTIONS, EMPTY, Seen
from carrete_bench.measure import Extent
from carrete_bench.report import as_json
from carrete_bench.running import running_server, under_load
from tests.support.builders import events_in, every_event

MONTH = reports.Extent(events=300, handlings=3, seconds=0.12)
SMALL = Extent(
    seconds=0.15,
    spools=shop.SPOOLS_MIN,
    idle_s=0.0,
    list_s=0.1,
    spools_of_few=4,
    spools_of_many=2,
    workbook_spools=5,
    joints_each=2,
    reports=MONTH,
)


def test_a_short_run_reports_every_figure_of_its_own_rounds() -> None:
    report = run(Db.SQLITE, SMALL, "", lambda text: None)

    (engine,) = report.engines
    assert [one.clients for one in engine.actions] == [1, 50]
    for one in engine.actions:
        assert one.ratio == median(r.actions_per_s / r.empty_per_s for r in one.rounds)
        assert 0 < one.actions.p50_ms <= one.actions.p95_ms <= one.actions.p99_ms
    done = engine.by_joint
    assert (done.few, done.sessions_of_few, done.many, done.sessions_of_many) == (10, 8, 200, 4)
    assert done.ratio == done.finalizar_few.p95_ms / done.tomar.p95_ms > 0
    assert 0 < done.finalizar_many.p50_ms <= done.finalizar_many.p95_ms
    assert [goal.measured for goal in report.goals if "FINALIZAR" in goal.what] == [
        done.ratio,
        done.finalizar_many.p95_ms,
    ]
    assert engine.workbook.joints == 10
    assert {goal.engine for goal in report.goals} == {"sqlite"}
    assert engine.reports is not None
    assert [one.requests > 0 for one in engine.reports.asked] == [True] * 6
    assert engine.reports.events >= 300
    assert engine.reports.history_events == 6
    assert sum("p50 ms" in goal.what for goal in report.goals) == 6
    told = json.loads(as_json(report))
    assert told["machine"]["cores"] >= 1
    assert told["engines"][0]["actions"][1]["rounds"]


def test_a_ratio_is_the_median_of_the_rounds_and_not_of_the_totals() -> None:
    """One round in which the machine was busy with something else does not decide."""
    seen = [
        _seen(EMPTY, 100),
        _seen(ACTIONS, 50),
        _seen(EMPTY, 10),
        _seen(ACTIONS, 10),
        _seen(EMPTY, 90),
        _seen(ACTIONS, 45),
    ]

    assert actions(50, seen).ratio == 0.5


def test_percentiles_are_answers_that_were_given() -> None:
    assert latency(range(1_000, 101_000, 1_000)) == Latency(50.0, 95.0, 99.0)
    assert latency([7_000]) == Latency(7.0, 7.0, 7.0)


@pytest.mark.parametrize(("ratio", "reached"), [(0.5, True), (0.49, False)])
def test_a_goal_that_was_missed_is_called_missed(ratio: float, reached: bool) -> None:
    took = Latency(1.0, 1.0, 1.0)
    measured = Actions(50, [Round(100, ratio * 100)], 100, ratio * 100, ratio, took, took)
    engine = Engine("sqlite", 20_000, 60.0, [measured], [], by_joint(), Import(2_000, 20_000, 1.0))

    assert [goal.reached for goal in goals(engine)] == [reached, True, True, True, True]


@pytest.mark.parametrize(
    ("few_ms", "many_ms", "reached"),
    [(2.0, 50.0, [True, True]), (2.1, 50.0, [False, True]), (2.0, 50.1, [True, False])],
)
def test_finalizar_is_measured_against_tomar_of_its_own_run(few_ms: float, many_ms: float, reached: list[bool]) -> None:
    engine = Engine("sqlite", 20_000, None, [], [], by_joint(few_ms, many_ms), Import(2_000, 20_000, 1.0))

    assert [goal.reached for goal in goals(engine) if "FINALIZAR" in goal.what] == reached


def test_a_session_is_its_taps_each_once_and_in_their_order(tmp_path: Path) -> None:
    """Ten joints armed and welded by one hand: a tap sent twice, or out of turn, would be refused and end the run."""
    ledger = f"sqlite:///{tmp_path / 'shop.db'}"
    shop.fill(ledger, shop.SPOOLS_MIN)
    with running_server(tmp_path, ledger) as server:
        sessions.measure(server, ledger, 2, 1, shop.SPOOLS_MIN)
    database = open_database(ledger)
    tipos = Counter(str(stored.event.tipo) for stored in events_in(database))
    database.close()
    assert tipos["UNION_ARM_REGISTRADA"] == tipos["UNION_SOLD_REGISTRADA"] == 2 * 10 + 200
    assert tipos["METROLOGIA_AUTO_TRIGGERED"] == 3
    assert tipos["TOMAR_SPOOL"] == tipos["PAUSAR_SPOOL"] == 4


def test_an_answer_that_is_not_200_ends_the_run(tmp_path: Path) -> None:
    """Refusals are quick: counting them would flatter the figures."""
    ledger = f"sqlite:///{tmp_path / 'empty.db'}"
    with running_server(tmp_path, ledger) as server, pytest.raises(BenchFailed, match="WORKER_NO_ENCONTRADO"):
        under_load(server, shop.hands(1, shop.SPOOLS_MIN), [{"kind": ACTIONS, "path": "", "seconds": 0.1}])


def test_the_command_has_room_for_others_beside_it() -> None:
    told = CliRunner().invoke(bench_app, ["--help"])

    assert told.exit_code == 0
    assert "COMMAND" in told.output


def test_the_month_fits_its_days_and_has_all_that_the_reports_count(database: Database, database_url: str) -> None:
    last = reports.LAST_DAY
    written = month.fill(database_url, 600, 2, last)

    period = Period(last - timedelta(days=month.DAYS - 1), last, ZoneInfo("America/Santiago"))
    with database.reading() as tx:
        work = work_done(tx, period, (Operacion.ARM, Operacion.SOLD), Por.OPERACION)
        made = quality(Inspections(tx, period).by_day()).values()
        events = [event_from(row).event for row in every_event(tx)]
        joints = len(tx.all("joints_all"))
    assert len(events) == written + 4
    assert all(period.since <= event.at.isoformat() < period.until for event in events)
    assert sum(row.joints for row in work) == 2 * joints - joints // month.JOINTS, "each armed, each but the FW welded"
    assert all(row.spools > joints / month.JOINTS for row in work), "some are worked as a whole"
    assert 0 < sum(day.rejections for day in made) < sum(day.inspections for day in made) / 2


def by_joint(few_ms: float = 1.0, many_ms: float = 1.0) -> ByJoint:
    tomar, few, many = (Latency(ms, ms, ms) for ms in (1.0, few_ms, many_ms))
    return ByJoint(10, 200, 600, 60, tomar, few, many)


def _seen(kind: str, answers: int) -> Seen:
    return {"kind": kind, "seconds": 1.0, "took_us": [1_000] * answers}
