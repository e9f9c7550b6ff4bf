"""Routes of access events: a page of them, or all as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query
from pydantic import BeforeValidator
from starlette.responses import Response

from carrete.api.administration import label_of, labels, reading, shown_instant
from carrete.api.responses import Json
from carrete.api.schemas.access_log import AccessEventList
from carrete.api.schemas.fields import ID_MAX, iso_day
from carrete.domain.shop import Shop
from carrete.domain.shop_time import from_wall
from carrete.domain.texts import without_formulas
from carrete.identity import access_events
from carrete.identity.access_events import PAGE_MAX, AccessFilter, AccessKind
from carrete.ledger.database import Tx
from carrete.services import Services

LIMIT_DEFAULT = 100
CSV_ROWS_MAX = 50_000
COLUMNS = ("seq", "at", "tipo", "dispositivo", "persona", "por", "direccion", "detalle")
_TAG = "accesos"

Day = Annotated[
    date | None,
    Query(ge=date(2000, 1, 1), le=date(2999, 12, 31), description="Día del taller, AAAA-MM-DD, incluido"),
    BeforeValidator(iso_day),  # after the bounds: before them, a refusal would show a bound as Python writes it
]


def add(app: FastAPI, services: Services) -> None:
    @app.get("/api/accesos", **reading(AccessEventList, _TAG))
    async def accesses(
        tipo: AccessKind | None = None,
        persona: Annotated[int | None, Query(ge=0, le=ID_MAX)] = None,
        dispositivo: Annotated[str | None, Query(pattern="^[a-z0-9-]{1,64}$")] = None,
        desde: Day = None,
        hasta: Day = None,
        cursor: Annotated[int | None, Query(ge=1, le=2**62)] = None,
        limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = LIMIT_DEFAULT,
        formato: Literal["json", "csv"] = "json",
    ) -> Response:
        """Quién entró, salió o fue rechazado, y qué cambió un administrador. Lo más nuevo primero."""
        shop = services.shop
        until = _first_instant(hasta + timedelta(days=1), shop) if hasta else None
        since = _first_instant(desde, shop) if desde else None
        wanted = AccessFilter(tipo, persona, dispositivo, since, until)
        if formato == "csv":
            return _csv_response(await services.read(lambda tx: _page(tx, wanted, None, CSV_ROWS_MAX, shop)[0]))
        events, next_before = await services.read(lambda tx: _page(tx, wanted, cursor, limit, shop))
        return Json({"accesos": events, "next_cursor": str(next_before) if next_before else None})


def _first_instant(day: date, shop: Shop) -> datetime:
    return from_wall(datetime.combine(day, time()), shop.zone)


def _page(
    tx: Tx, wanted: AccessFilter, before: int | None, limit: int, shop: Shop
) -> tuple[list[dict[str, Any]], int | None]:
    page = access_events.page(tx, wanted, before, limit)
    names = labels(tx)
    found = [
        {
            "seq": event.seq,
            "at": shown_instant(event.at, shop),
            "tipo": event.kind.value,
            "dispositivo": event.device or event.device_id,
            "persona": label_of(names, event.worker_id),
            "por": label_of(names, event.by_id) or event.token or event.token_id,
            "direccion": event.address,
            "detalle": event.detail,
        }
        for event in page.events
    ]
    return found, page.next_before


def _csv_response(events: Sequence[dict[str, Any]]) -> Response:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    writer.writerows([_cell(event[column]) for column in COLUMNS] for event in events)
    headers = {"Content-Disposition": 'attachment; filename="accesos.csv"'}
    return Response(text.getvalue(), 200, headers, "text/csv")


def _cell(value: Any) -> Any:
    return without_formulas(value) if isinstance(value, str) else value
