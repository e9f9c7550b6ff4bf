"""Routes of what is overdue now, and of how long the stages take."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, NamedTuple

from fastapi import FastAPI

from carrete.api.actions import documented_problems
from carrete.api.overdue import late_json
from carrete.api.reports import Day, period_of
from carrete.api.responses import Json
from carrete.api.schemas.stage_times import OverdueList, StageTimesList
from carrete.domain import estado_detalle
from carrete.domain.overdue import Overdue
from carrete.domain.reports.stage_times import (
    AGES_DAYS,
    EndedStages,
    Lengths,
    StageNow,
    StageTimes,
    bottleneck,
    by_age,
    by_week,
    stage_times,
)
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso, whole_second
from carrete.domain.spool import Spool
from carrete.ledger import stage_times as ledger
from carrete.ledger.database import Tx
from carrete.ledger.overdue import overdue_spools
from carrete.ledger.reports import Period
from carrete.services import Services

OVERDUE_EACH_MAX = 100
PERIOD_DAYS_MAX = 366  # the cost grows with the period: a year of a large shop takes some tenths of a second


def add(app: FastAPI, services: Services) -> None:
    problems = {503: "LEDGER_UNAVAILABLE"}
    ended = ledger.EndedInPeriods()

    @app.get(
        "/api/dashboard/atrasos", response_model=OverdueList, responses=documented_problems(problems), tags=["tablero"]
    )
    async def atrasos() -> Json:
        """Lo que lleva más tiempo que el límite del taller: ocupado, en pausa o en cola de inspección."""
        now, shop = whole_second(datetime.now(UTC)), services.shop
        found = await services.read(lambda tx: overdue_spools(tx, shop.overdue, now, OVERDUE_EACH_MAX))
        rows = [overdue_spool_json(spool, late, shop) for spool, late in found.spools]
        return Json({"now": iso(now, shop.zone), "atrasos": rows, "totales": found.totals})

    @app.get(
        "/api/metrics/etapas",
        response_model=StageTimesList,
        responses=documented_problems({422: "DATOS_INVALIDOS", **problems}),
        tags=["métricas"],
    )
    async def etapas(desde: Day, hasta: Day) -> Json:
        """Espera y trabajo por etapa, trabajo en curso por antigüedad, aprobados por semana y cuello de botella."""
        shop = services.shop
        period = period_of(desde, hasta, shop, PERIOD_DAYS_MAX)
        now = whole_second(datetime.now(UTC))
        figures = await services.read(lambda tx: _figures(tx, ended, period, now))
        return Json(stage_times_json(figures, period, shop, now))


class _Figures(NamedTuple):
    ended: list[EndedStages]
    now_in: list[StageNow]
    begun: list[tuple[datetime, int]]
    approved: dict[str, int]


def _figures(tx: Tx, ended: ledger.EndedInPeriods, period: Period, now: datetime) -> _Figures:
    return _Figures(
        ended.read(tx, period, now),
        ledger.stages_now(tx),
        ledger.begun_and_open(tx),
        ledger.approved_by_day(tx, period),
    )


def stage_times_json(figures: _Figures, period: Period, shop: Shop, now: datetime) -> dict[str, Any]:
    stages = stage_times(figures.ended, figures.now_in, now)
    worst = bottleneck(figures.now_in, now)
    ages = zip(AGES_DAYS, by_age(figures.begun, now), strict=True)
    weeks = by_week(figures.approved, period.desde, period.hasta)
    return {
        "now": iso(now, shop.zone),
        "etapas": [{"operacion": operacion, **_stage_json(times)} for operacion, times in stages.items()],
        "en_curso": [{"hasta_dias": days, "spools": spools} for days, spools in ages],
        "por_semana": [{"semana": monday.isoformat(), "spools": spools} for monday, spools in weeks],
        "cuello": worst
        and {"operacion": worst.operacion, "esperan": worst.waiting, "mediana_horas": worst.median_hours},
    }


def _stage_json(times: StageTimes) -> dict[str, Any]:
    waiting = times.waiting_now
    return {
        "espera": _lengths_json(times.waits),
        "trabajo": _lengths_json(times.sessions),
        "ahora": {
            "esperan": waiting.times,
            "mediana_horas": waiting.median_hours,
            "en_trabajo": times.in_work_now,
        },
    }


def _lengths_json(lengths: Lengths) -> dict[str, Any]:
    return {"veces": lengths.times, "mediana_horas": lengths.median_hours, "total_horas": lengths.total_hours}


def overdue_spool_json(spool: Spool, late: Overdue, shop: Shop) -> dict[str, Any]:
    held = spool.occupation
    return {
        "tag_spool": spool.tag,
        "ot": spool.ot,
        "ocupado_por": held.label if held else None,
        "ocupado_por_id": held.worker_id if held else None,
        "estado_detalle": estado_detalle.render(spool),
        "atraso": late_json(late, shop),
    }
