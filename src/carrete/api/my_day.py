"""The route of a person's own page, Mi día: what I hold, what I did today and this week, what was rejected of it."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

from fastapi import FastAPI, Request

from carrete.api.actions import documented_problems
from carrete.api.own_pages import WorkerQuery, known_worker, page_owner_id
from carrete.api.reclamo_views import reclamos_json
from carrete.api.responses import Json
from carrete.api.schemas.my_day import MyDayOut
from carrete.api.spools import note_json
from carrete.domain import estado_detalle
from carrete.domain.joints import inches
from carrete.domain.reports.output import Output
from carrete.domain.shop import Shop
from carrete.domain.shop_time import from_wall, iso, minutes_between, today, whole_second
from carrete.domain.spool import Spool
from carrete.domain.version import workflow
from carrete.domain.workers import Worker
from carrete.ledger import my_day, queries, reclamos
from carrete.ledger.database import Tx
from carrete.ledger.reports import Period
from carrete.services import Services

HELD_MAX = 200
SPOOLS_MAX = 100
REJECTIONS_MAX = 50
RECLAMOS_MAX = 10
NOTES_MAX = 20
RECENT_DAYS = 7  # a rejection of a Friday is still shown on Monday

_READ = documented_problems(
    {
        403: "IDENTIDAD_DISTINTA",
        404: "WORKER_NO_ENCONTRADO",
        422: "DATOS_INVALIDOS",
        503: "LEDGER_UNAVAILABLE",
    }
)


def add(app: FastAPI, services: Services) -> None:
    @app.get("/api/mi-dia", response_model=MyDayOut, responses=_READ, tags=["turno"])
    async def mi_dia(request: Request, worker_id: WorkerQuery = None) -> Json:
        """Lo que tengo, lo que hice hoy y esta semana, lo que me rechazaron y las notas de otros.

        Un supervisor ve el de cualquiera."""
        who = page_owner_id(request, worker_id, supervisors_see_all=True)
        now, shop = whole_second(datetime.now(UTC)), services.shop
        return Json(await services.read(lambda tx: my_day_json(tx, known_worker(tx, who), now, shop)))


def my_day_json(tx: Tx, worker: Worker, now: datetime, shop: Shop) -> dict[str, Any]:
    day = today(now, shop.zone)
    monday = day - timedelta(days=day.weekday())
    recent = from_wall(datetime.combine(day - timedelta(days=RECENT_DAYS - 1), time.min), shop.zone)
    this_day = Period(day, day, shop.zone)
    held = held_spools(tx, worker)
    decided = reclamos.resolved(tx, worker.id, 0, RECLAMOS_MAX).reclamos
    news = [each for each in decided if each.resolution and each.resolution.at >= recent]
    spools = my_day.own_spools(tx, this_day, worker, SPOOLS_MAX)
    notes = my_day.notes_to(tx, worker.id, recent, NOTES_MAX)
    return {
        "ahora": iso(now, shop.zone),
        "worker": worker.label,
        "worker_id": worker.id,
        "dia": day.isoformat(),
        "semana_desde": monday.isoformat(),
        "tengo": [held_json(spool, shop, now) for spool in held.spools],
        "tengo_total": held.total,
        "hoy": [_output_json(row) for row in my_day.own_work(tx, this_day, worker)],
        "semana": [_output_json(row) for row in my_day.own_work(tx, Period(monday, day, shop.zone), worker)],
        "hechos_hoy": [_own_spool_json(row) for row in spools],
        "rechazos": [_rejection_json(row, shop) for row in my_day.own_rejections(tx, recent, worker, REJECTIONS_MAX)],
        "reclamos": reclamos_json(tx, news, shop),
        "notas": [{"tag_spool": tag, **note_json(note, shop)} for tag, note in notes],
    }


def held_spools(tx: Tx, worker: Worker) -> queries.SpoolPage:
    """What the person holds now, the longest occupation first."""
    scope = queries.Scope("held_by", {"holder": worker.id, "operacion": ""})
    page = queries.spool_page(tx, scope, "", "", HELD_MAX)
    page.spools.sort(key=_taken_at)
    return page


def _taken_at(spool: Spool) -> tuple[datetime, str]:
    assert spool.occupation is not None
    return spool.occupation.since, spool.tag


def held_json(spool: Spool, shop: Shop, now: datetime) -> dict[str, Any]:
    held = spool.occupation
    assert held is not None
    return {
        "tag_spool": spool.tag,
        "operacion": held.operacion,
        "desde": iso(held.since, shop.zone),
        "minutos": minutes_between(held.since, now),
        "version_workflow": workflow(spool),
        "estado_detalle": estado_detalle.render(spool),
    }


def _output_json(row: Output) -> dict[str, Any]:
    return {"operacion": row.key, "pulgadas": inches(row.milli), "uniones": row.joints, "spools": row.spools}


def _own_spool_json(row: my_day.OwnSpool) -> dict[str, Any]:
    return {
        "tag_spool": row.tag,
        "operacion": row.operacion,
        "pulgadas": inches(row.milli),
        "uniones": row.joints,
    }


def _rejection_json(row: my_day.WeldRejection, shop: Shop) -> dict[str, Any]:
    return {"tag_spool": row.tag, "en": iso(row.at, shop.zone), "ciclo": row.ciclo, "uniones": row.joints}
