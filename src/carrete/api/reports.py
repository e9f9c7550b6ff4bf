"""Routes of the board and of the supervisor's reports: held spools, stages, inches and first-pass yield."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, date, datetime
from typing import Annotated, Any

from fastapi import FastAPI, Query
from pydantic import BeforeValidator

from carrete.api.actions import documented_problems
from carrete.api.overdue import overdue_json
from carrete.api.responses import Json
from carrete.api.schemas.fields import iso_day
from carrete.api.schemas.joints import JointOperation
from carrete.api.schemas.reports import OccupiedList, OutputList, QualityList, QualityPor, StageList
from carrete.domain import estado_detalle
from carrete.domain.joints import inches
from carrete.domain.refusals import NotValid
from carrete.domain.reports.first_pass import Inspected, Quality, quality
from carrete.domain.reports.output import Output, Por
from carrete.domain.reports.stages import Stages, stages
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso, minutes_between, whole_second
from carrete.domain.spool import Operacion, Spool
from carrete.ledger import queries
from carrete.ledger.database import Tx
from carrete.ledger.reports import Inspections, Period, state_counts, work_done
from carrete.services import Services

PERIOD_DAYS_MAX = 3 * 366

Day = Annotated[
    date,
    Query(
        ge=date(1900, 1, 1),
        le=date(2999, 12, 31),
        description="Día del taller, AAAA-MM-DD",
        examples=["2026-11-13"],
    ),
    BeforeValidator(iso_day),  # after the bounds: before them, a refusal would show a bound as Python writes it
]
_REPORT = documented_problems({422: "DATOS_INVALIDOS", 503: "LEDGER_UNAVAILABLE"})
_DASHBOARD = documented_problems({503: "LEDGER_UNAVAILABLE"})


def add(app: FastAPI, services: Services) -> None:
    @app.get("/api/dashboard/occupied", response_model=OccupiedList, responses=_DASHBOARD, tags=["tablero"])
    async def occupied() -> Json:
        """¿Quién tiene qué spool ahora? El más antiguo primero."""
        now, shop = datetime.now(UTC), services.shop
        rows = [occupied_json(spool, shop, now) for spool in await services.read(queries.occupied)]
        return Json({"occupied": rows, "total": len(rows)})

    @app.get("/api/dashboard/stages", response_model=StageList, responses=_DASHBOARD, tags=["tablero"])
    async def stage_lengths() -> Json:
        """Cuántos spools esperan, se trabajan o están en pausa en cada etapa."""
        found = stages(await services.read(state_counts))
        return Json({"now": iso(whole_second(datetime.now(UTC)), services.shop.zone), **stages_json(found)})

    @app.get("/api/metrics/pulgadas", response_model=OutputList, responses=_REPORT, tags=["métricas"])
    async def pulgadas(desde: Day, hasta: Day, por: Por, operacion: JointOperation | None = None) -> Json:
        """Pulgadas-diámetro, uniones y spools hechos. Con `operacion`, sólo ARM o sólo SOLD."""
        period = period_of(desde, hasta, services.shop)
        chosen = (Operacion(operacion),) if operacion else (Operacion.ARM, Operacion.SOLD)
        found = await services.read(lambda tx: work_done(tx, period, chosen, por))
        return Json({"rows": [output_json(por, row) for row in found]})

    @app.get("/api/metrics/calidad", response_model=QualityList, responses=_REPORT, tags=["métricas"])
    async def calidad(desde: Day, hasta: Day, por: QualityPor, operacion: JointOperation = JointOperation.SOLD) -> Json:
        """Inspecciones, rechazos y rendimiento a la primera. `operacion` dice de quién es el trabajo inspeccionado."""
        period = period_of(desde, hasta, services.shop)

        def read(tx: Tx) -> tuple[list[Inspected], list[Inspected]]:
            inspections = Inspections(tx, period)
            made = inspections.by_day()
            return made, inspections.by_worker(Operacion(operacion)) if por == "worker" else made

        made, wanted = await services.read(read)
        found = quality(wanted)
        whole = quality(("", approved, first, times) for _, approved, first, times in made).get("", Quality())
        rows = [{por: key, **quality_json(row)} for key, row in found.items()]
        return Json({"rows": rows, "total": quality_json(whole)})


def period_of(desde: date, hasta: date, shop: Shop, days_max: int = PERIOD_DAYS_MAX) -> Period:
    if hasta < desde:
        raise NotValid([{"campo": "hasta", "motivo": "es anterior a desde."}])
    if (hasta - desde).days >= days_max:
        raise NotValid([{"campo": "hasta", "motivo": f"a lo más {days_max} días desde `desde`."}])
    return Period(desde, hasta, shop.zone)


def occupied_json(spool: Spool, shop: Shop, now: datetime) -> dict[str, Any]:
    held = spool.occupation
    assert held is not None
    return {
        "tag_spool": spool.tag,
        "ocupado_por": held.label,
        "ocupado_por_id": held.worker_id,
        "operacion": held.operacion,
        "since": iso(held.since, shop.zone),
        "minutos": minutes_between(held.since, now),
        "estado_detalle": estado_detalle.render(spool),
        "atraso": overdue_json(spool, shop, now),
    }


def stages_json(found: Stages) -> dict[str, Any]:
    return {
        "stages": [{"operacion": operacion, **asdict(stage)} for operacion, stage in found.by_operacion.items()],
        "without_materials": found.without_materials,
        "rejected": found.rejected,
        "blocked": found.blocked,
        "done": found.done,
    }


def output_json(por: Por, row: Output) -> dict[str, Any]:
    return {por: row.key, "pulgadas": inches(row.milli), "uniones": row.joints, "spools": row.spools}


def quality_json(row: Quality) -> dict[str, Any]:
    return {
        "inspecciones": row.inspections,
        "rechazos": row.rejections,
        "primeras": row.first,
        "aprobadas_a_la_primera": row.first_approved,
        "rendimiento_a_la_primera": row.first_pass_yield,
    }
