"""Routes of the weld record: procedures, qualifications, and which of these end soon."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

import structlog
from fastapi import FastAPI, Request

from carrete.api.administration import body_of, change_author, changing, label_of, labels, reading, write
from carrete.api.responses import Json
from carrete.api.schemas.welding import (
    AvisosCalificacion,
    CalificacionBody,
    CalificacionList,
    SavedOut,
    WpsBody,
    WpsList,
)
from carrete.domain.qualification import Procedure, Qualification
from carrete.domain.qualification_warnings import EndingQualification, ending
from carrete.domain.refusals import NotValid, WorkerUnknown
from carrete.domain.shop_time import today
from carrete.ledger.database import Tx
from carrete.ledger.welding import (
    all_procedures,
    all_qualifications,
    all_uses,
    save_procedures,
    save_qualifications,
)
from carrete.services import Services
from carrete.workbook.cells import ANY_ZONE, Unreadable
from carrete.workbook.columns import CALIFICACIONES, WPS, SheetPlan
from carrete.workbook.rows import Cells
from carrete.workbook.weld_rows import (
    BadRow,
    procedure_cells,
    procedure_from_cells,
    qualification_cells,
    qualification_from_cells,
)

log = structlog.get_logger()
TAG = "soldadura"


def add(app: FastAPI, services: Services) -> None:
    _add_procedures(app, services)
    _add_qualifications(app, services)

    @app.get("/api/soldadura/avisos", **reading(AvisosCalificacion, TAG))
    async def warnings() -> Json:
        """Las calificaciones que terminan en 30 días o ya terminaron, la más atrasada primero."""
        day = today(datetime.now(UTC), services.shop.zone)
        return Json({"avisos": await services.read(lambda tx: _warnings(tx, day))})


def _add_procedures(app: FastAPI, services: Services) -> None:
    @app.get("/api/soldadura/wps", **reading(WpsList, TAG))
    async def procedures() -> Json:
        """Todos los procedimientos, también los retirados."""
        return Json({"wps": [procedure_json(one) for one in await services.read(all_procedures)]})

    @app.post("/api/soldadura/wps", **changing(SavedOut, WpsBody, TAG))
    async def save_procedure(request: Request) -> Json:
        """Agrega un procedimiento, o cambia o retira el que tiene ese número."""
        body = await body_of(WpsBody, request)
        cells = cells_of(body.model_dump(), WPS)
        if not cells["WPS"]:
            raise NotValid([{"campo": "wps", "motivo": "falta."}])
        made = _parsed(lambda: procedure_from_cells(cells["WPS"], cells))
        await write(services, lambda tx: save_procedures(tx, [made]))
        log.info("a procedure was saved", wps=made.number, by=change_author(request).by_id)
        return Json({"success": True, "message": f"{made.number} quedó guardado."})


def _add_qualifications(app: FastAPI, services: Services) -> None:
    @app.get("/api/soldadura/calificaciones", **reading(CalificacionList, TAG))
    async def qualifications() -> Json:
        """Todas las calificaciones, también las retiradas, y hasta cuándo cubre cada una."""
        day = today(datetime.now(UTC), services.shop.zone)
        return Json({"calificaciones": await services.read(lambda tx: _qualifications(tx, day))})

    @app.post(
        "/api/soldadura/calificaciones", **changing(SavedOut, CalificacionBody, TAG, {404: "WORKER_NO_ENCONTRADO"})
    )
    async def save_qualification(request: Request) -> Json:
        """Agrega una calificación, o cambia o retira la de ese trabajador, proceso y documento."""
        body = await body_of(CalificacionBody, request)
        cells = cells_of(body.model_dump(), CALIFICACIONES)
        blank = [name for name in ("Proceso", "Documento") if not cells[name]]
        if blank:
            raise NotValid([{"campo": name.lower(), "motivo": "falta."} for name in blank])
        key, day = (body.worker_id, cells["Proceso"], cells["Documento"]), today(datetime.now(UTC), services.shop.zone)
        made = _parsed(lambda: qualification_from_cells(*key, cells, day))
        await write(services, lambda tx: _save_qualification(tx, made))
        log.info("a qualification was saved", of=made.worker_id, by=change_author(request).by_id)
        return Json({"success": True, "message": f"{made.document} quedó guardada."})


def _save_qualification(tx: Tx, made: Qualification) -> None:
    if made.worker_id not in labels(tx):
        raise WorkerUnknown(made.worker_id)
    save_qualifications(tx, [made])


def cells_of(body: Mapping[str, Any], plan: SheetPlan) -> Cells:
    """The fields of a body as cells of the workbook in normal form. Raises NotValid, which names every wrong one."""
    cells: Cells = {}
    wrong: list[dict[str, str]] = []
    for column in plan.columns:
        value = body[column.name.lower()]
        try:
            cells[column.name] = column.read(value, ANY_ZONE)
        except Unreadable as error:
            wrong.append({"campo": column.name.lower(), "motivo": str(error)})
    if wrong:
        raise NotValid(wrong)
    return cells


def _parsed(parse: Any) -> Any:
    try:
        return parse()
    except BadRow as bad:
        raise NotValid([{"campo": column.lower(), "motivo": reason} for column, reason in bad.wrong]) from None


def procedure_json(one: Procedure) -> dict[str, Any]:
    return {"wps": one.number, **_lower(procedure_cells(one)), "activo": one.active}


def _qualifications(tx: Tx, day: date) -> list[dict[str, Any]]:
    people, uses = labels(tx), all_uses(tx)
    found = []
    for one in all_qualifications(tx):
        lapses = one.lapses(uses.get((one.worker_id, one.process), ()), day)
        last = min(lapses, one.expires) if one.expires else lapses
        key = {"worker_id": one.worker_id, "worker": label_of(people, one.worker_id), "proceso": one.process}
        cells = _lower(qualification_cells(one))
        found.append(
            {**key, "documento": one.document, **cells, "activo": one.active, "vigente_hasta": last.isoformat()}
        )
    return found


def _warnings(tx: Tx, day: date) -> list[dict[str, Any]]:
    active = {row[0] for row in tx.all("workers") if row[3]}
    people = labels(tx)
    found = ending(all_qualifications(tx), all_uses(tx), active, day)
    return [warning_json(end, label_of(people, end.qualification.worker_id), day) for end in found]


def warning_json(end: EndingQualification, label: str | None, day: date) -> dict[str, Any]:
    one = end.qualification
    return {
        "worker_id": one.worker_id,
        "worker": label,
        "proceso": one.process,
        "documento": one.document,
        "causa": end.reason,
        "ultimo_dia": end.last_day.isoformat(),
        "dias": end.days_left(day),
    }


def _lower(cells: Cells) -> dict[str, Any]:
    return {name.lower(): value for name, value in cells.items()}
