"""`carrete bench` with a small scale: the report has every figure, and ratios come from rounds. No time is asserted."""

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
from carrete_bench import joint_sessions, month, reports, shop
from carrete_bench.chain import ChainScale
from carrete_bench.command import bench_app
from carrete_bench.engine_choice import EngineChoice
from carrete_bench.engines import run
from carrete_bench.errors import BenchFailed
from carrete_bench.goals import goals
from carrete_bench.identity import IdentityScale
from carrete_bench.load import ACTIONS, EMPTY, GET, LoadStep, SignInRequest, StepResult
from carrete_bench.measure import EngineScale
from carrete_bench.processes import running_server, send_load
from carrete_bench.report import as_json
from carrete_bench.results import (
    ActionResults,
    ActionRound,
    AloneResults,
    EngineResults,
    FinalizarLatency,
    IdentityResults,
    IdentityRound,
    ImportTime,
    LatencyPercentiles,
    WholePathResults,
    WrongPinResults,
    action_results,
    percentiles,
)
from carrete_bench.whole_path import WholePathScale
from tests.support.builders import events_in, every_event

IDENTITY = IdentityScale(clients=5, rounds=3, round_s=0.05, sign_ins=4, sign_in_rounds=2, sign_in_round_s=0.1)
MONTH = reports.ReportScale(events=300, handlings=3, examinations=200, seconds=0.12)
SMALL = EngineScale(
    seconds=0.15,
    spools=shop.SPOOLS_MIN,
    idle_s=0.0,
    list_s=0.1,
    spools_of_few=4,
    spools_of_many=2,
    workbook_spools=5,
    joints_each=2,
    reports=MONTH,
    identity=IDENTITY,
    chain=ChainScale(clients=5, rounds=2, round_s=0.05),
    whole=WholePathScale(rounds=2, round_s=0.05, alone_rounds=2, alone_round_s=0.05, idle_s=0.0),
)


def test_a_short_run_reports_every_figure_of_its_own_rounds() -> None:
    report = run(EngineChoice.SQLITE, SMALL, "", lambda text: None)

    (engine,) = report.engines
    assert [result.clients for result in engine.actions] == [1, 50]
    for result in engine.actions:
        assert result.ratio == median(r.actions_per_s / r.empty_per_s for r in result.rounds)
        assert 0 < result.actions.p50_ms <= result.actions.p95_ms <= result.actions.p99_ms
    latency = engine.by_joint
    assert (latency.few, latency.sessions_of_few, latency.many, latency.sessions_of_many) == (10, 8, 200, 4)
    assert latency.ratio == latency.finalizar_few.p95_ms / latency.tomar.p95_ms > 0
    assert 0 < latency.finalizar_many.p50_ms <= latency.finalizar_many.p95_ms
    assert [goal.measured for goal in report.goals if "FINALIZAR" in goal.what] == [
        latency.ratio,
        latency.finalizar_many.p95_ms,
    ]
    assert engine.workbook.joints == 10
    assert {goal.engine for goal in report.goals} == {"sqlite"}
    assert engine.reports is not None
    assert [read.requests > 0 for read in engine.reports.asked] == [True] * 6
    assert [read.requests > 0 for read in engine.reports.rates] == [True] * 5
    assert engine.reports.events >= 300
    assert engine.reports.history_events == 6
    assert sum("p50 ms" in goal.what for goal in report.goals) == 11
    assert engine.identity is not None
    assert len(engine.identity.rounds) == 3
    ratios = [each.signed_per_s / each.open_per_s for each in engine.identity.rounds]
    assert engine.identity.signed_ratio == median(ratios) > 0
    assert 0 < engine.identity.sign_in.p50_ms <= engine.identity.sign_in.p95_ms
    of_identity = [goal for goal in report.goals if goal.what.startswith(("actions with identity", "taps while"))]
    assert [goal.measured for goal in of_identity] == [
        engine.identity.cookie_ratio,
        engine.identity.signed_ratio,
        engine.identity.taps_p95_ratio,
    ]
    assert engine.whole is not None
    assert engine.whole.actions.clients == 50
    assert engine.whole.actions.ratio == median(r.actions_per_s / r.empty_per_s for r in engine.whole.actions.rounds)
    assert engine.whole.alone.commits > 0
    assert (engine.whole.alone_at_1_ms is None) == (engine.name == "sqlite")
    as_dict = json.loads(as_json(report))
    assert as_dict["machine"]["cores"] >= 1
    assert as_dict["engines"][0]["actions"][1]["rounds"]


def test_a_ratio_is_the_median_of_the_rounds_and_not_of_the_totals() -> None:
    """One round that other work on the machine slowed down does not change the ratio."""
    results = [
        _step_result(EMPTY, 100),
        _step_result(ACTIONS, 50),
        _step_result(EMPTY, 10),
        _step_result(ACTIONS, 10),
        _step_result(EMPTY, 90),
        _step_result(ACTIONS, 45),
    ]

    assert action_results(50, results).ratio == 0.5


def test_percentiles_are_times_that_were_measured() -> None:
    assert percentiles(range(1_000, 101_000, 1_000)) == LatencyPercentiles(50.0, 95.0, 99.0)
    assert percentiles([7_000]) == LatencyPercentiles(7.0, 7.0, 7.0)


@pytest.mark.parametrize(("ratio", "reached"), [(0.6, True), (0.59, False)])
def test_a_goal_that_was_missed_is_called_missed(ratio: float, reached: bool) -> None:
    latency = LatencyPercentiles(1.0, 1.0, 1.0)
    measured = ActionResults(50, [ActionRound(100, ratio * 100)], 100, ratio * 100, ratio, latency, latency)
    engine = EngineResults("sqlite", 20_000, 60.0, [measured], [], finalizar_latency(), ImportTime(2_000, 20_000, 1.0))

    assert [goal.reached for goal in goals(engine)] == [reached, True, True, True, True]


@pytest.mark.parametrize(
    ("name", "ratio", "commits", "start_s", "idle_mb", "reached"),
    [
        ("sqlite", 0.6, 9.0, 1.0, 90.0, [True, True, True]),
        ("sqlite", 0.59, 9.0, 1.1, 91.0, [False, False, False]),
        ("postgres", 0.45, 2.5, 1.0, 90.0, [True, True, True, True]),
        ("postgres", 0.44, 2.6, 1.0, 90.0, [False, False, True, True]),
    ],
)
def test_goals_of_the_whole_path(
    name: str, ratio: float, commits: float, start_s: float, idle_mb: float, reached: list[bool]
) -> None:
    latency = LatencyPercentiles(1.0, 1.0, 1.0)
    actions = ActionResults(50, [ActionRound(100, ratio * 100)], 100, ratio * 100, ratio, latency, latency)
    slow = AloneResults(commits, 1.0, commits) if name == "postgres" else None
    whole = WholePathResults(actions, AloneResults(2.0, 0.2, 10.0), slow, start_s, idle_mb)
    engine = EngineResults(name, 20_000, None, [], [], finalizar_latency(), ImportTime(2_000, 20_000, 1.0), whole=whole)
    assert [goal.reached for goal in goals(engine)][3:] == reached


@pytest.mark.parametrize(
    ("few_ms", "many_ms", "reached"),
    [(2.0, 50.0, [True, True]), (2.1, 50.0, [False, True]), (2.0, 50.1, [True, False])],
)
def test_finalizar_is_measured_against_tomar_of_its_own_run(few_ms: float, many_ms: float, reached: list[bool]) -> None:
    engine = EngineResults(
        "sqlite", 20_000, None, [], [], finalizar_latency(few_ms, many_ms), ImportTime(2_000, 20_000, 1.0)
    )

    assert [goal.reached for goal in goals(engine) if "FINALIZAR" in goal.what] == reached


def test_a_session_is_its_taps_each_once_and_in_their_order(tmp_path: Path) -> None:
    """One worker arms and welds ten joints: a tap sent twice, or out of order, would be refused and end the run."""
    ledger = f"sqlite:///{tmp_path / 'shop.db'}"
    shop.fill(ledger, shop.SPOOLS_MIN)
    with running_server(tmp_path, ledger) as server:
        joint_sessions.measure(server, ledger, 2, 1, shop.SPOOLS_MIN)
    database = open_database(ledger)
    tipos = Counter(str(stored.event.tipo) for stored in events_in(database))
    database.close()
    assert tipos["UNION_ARM_REGISTRADA"] == tipos["UNION_SOLD_REGISTRADA"] == 2 * 10 + 200
    assert tipos["METROLOGIA_AUTO_TRIGGERED"] == 3
    assert tipos["TOMAR_SPOOL"] == tipos["PAUSAR_SPOOL"] == 4


def test_an_answer_that_is_not_200_ends_the_run(tmp_path: Path) -> None:
    """Refusals are fast: counting them would improve the figures."""
    ledger = f"sqlite:///{tmp_path / 'empty.db'}"
    with running_server(tmp_path, ledger) as server, pytest.raises(BenchFailed, match="WORKER_NO_ENCONTRADO"):
        send_load(server, shop.load_clients(1, shop.SPOOLS_MIN), [{"kind": ACTIONS, "path": "", "seconds": 0.1}])


def test_the_command_has_room_for_others_beside_it() -> None:
    result = CliRunner().invoke(bench_app, ["--help"])

    assert result.exit_code == 0
    assert "COMMAND" in result.output


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


def finalizar_latency(few_ms: float = 1.0, many_ms: float = 1.0) -> FinalizarLatency:
    tomar, few, many = (LatencyPercentiles(ms, ms, ms) for ms in (1.0, few_ms, many_ms))
    return FinalizarLatency(10, 200, 600, 60, tomar, few, many)


def _step_result(kind: str, answers: int) -> StepResult:
    return {"kind": kind, "seconds": 1.0, "latencies_us": [1_000] * answers}


@pytest.mark.parametrize(
    ("cookie", "signed", "sign_ins", "unknown", "reached"),
    [
        (0.95, 0.95, 2.0, 1.09, [True, True, True, True, True]),
        (0.94, 0.95, 2.0, 0.89, [False, True, True, False, True]),
        (0.95, 0.94, 2.1, 1.11, [True, False, False, False, True]),
    ],
)
def test_goals_of_identity(cookie: float, signed: float, sign_ins: float, unknown: float, reached: list[bool]) -> None:
    latency = LatencyPercentiles(1.0, 1.0, 1.0)
    rounds = [IdentityRound(100, 100 * cookie, 100 * signed)]
    wrong_pins = WrongPinResults(50, 30.0, unknown, 1.0)
    identity = IdentityResults(50, rounds, cookie, signed, 50, latency, latency, latency, sign_ins, wrong_pins)
    engine = EngineResults(
        "sqlite", 20_000, None, [], [], finalizar_latency(), ImportTime(2_000, 20_000, 1.0), identity=identity
    )
    assert [goal.reached for goal in goals(engine)][-5:] == reached


def test_a_server_that_refuses_who_signs_in_ends_the_run(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'shop.db'}"
    shop.fill(url, shop.SPOOLS_MIN)
    with running_server(tmp_path, url, access="pin") as server:
        request: SignInRequest = {"port": server.port, "cookie": "", "body": '{"worker_id": 1, "pin": "482915"}'}
        step: LoadStep = {"kind": GET, "path": "/api/health", "seconds": 0.05, "sign_ins": [request]}
        with pytest.raises(BenchFailed, match="DISPOSITIVO_NO_INSCRITO"):
            send_load(server, shop.load_clients(1, shop.SPOOLS_MIN), [step])
