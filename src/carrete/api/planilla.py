"""Routes of the workbook for administrators: upload, preview, apply, report, export, and the empty template."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import structlog
from fastapi import FastAPI, Query, Request
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response, StreamingResponse

from carrete.api.actions import documented_problems
from carrete.api.administration import RecordId, body_of, changing, reading, shown_instant
from carrete.api.responses import Json
from carrete.api.schemas.devices import ChangedOut, EmptyBody
from carrete.api.schemas.planilla import ApplyBody, PreviewPageOut, UploadList, UploadOut
from carrete.api.server.gatekeeper import author_of
from carrete.domain.shop import Shop
from carrete.domain.shop_time import wall
from carrete.ledger import open_database
from carrete.ledger.migrate import known_schema
from carrete.services import Services
from carrete.uploads import Upload, UploadState
from carrete.uploads.refusals import PreviewChanged
from carrete.uploads.report import csv_pieces, page
from carrete.uploads.upload import UploadSummary
from carrete.workbook.effects import RowKind

log = structlog.get_logger()

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PAGE_DEFAULT, PAGE_MAX = 50, 500
APPLY_WAIT_S_MAX = 20.0  # how long an answer waits so that it can say that the preview no longer holds
APPLY_LOOK_EVERY_S = 0.1
TAG = "planilla"
_UNKNOWN = {404: "CARGA_NO_ENCONTRADA"}
_OTHER_STATE = {**_UNKNOWN, 409: "CARGA_EN_OTRO_ESTADO, PLANILLA_CAMBIADA"}


def add(app: FastAPI, services: Services) -> None:
    _add_looking(app, services)
    _add_deciding(app, services)
    _add_files(app, services)


def acting_label(request: Request) -> str | None:
    author = author_of(request.scope)
    return author.worker.label if author and author.worker else None


# ─── looking ──────────────────────────────────────────────────────────────────────────────────────────────────


def _add_looking(app: FastAPI, services: Services) -> None:
    @app.get("/api/planilla/cargas", **reading(UploadList, TAG))
    async def uploads() -> Json:
        """Los archivos subidos en el último día, el más nuevo primero."""
        found = await asyncio.to_thread(services.uploads.all)
        return Json({"cargas": [upload_json(one, services.shop) for one in found]})

    @app.get("/api/planilla/cargas/{id}", **reading_with(UploadOut, _UNKNOWN))
    async def upload(id: RecordId) -> Json:
        """En qué va un archivo, y qué haría."""
        return Json(upload_json(await asyncio.to_thread(services.uploads.get, id), services.shop))

    @app.get("/api/planilla/cargas/{id}/filas", **reading_with(PreviewPageOut, _UNKNOWN))
    async def rows(
        id: RecordId,
        tipo: RowKind | None = None,
        cursor: Annotated[int, Query(ge=0, le=2**40)] = 0,
        limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = PAGE_DEFAULT,
    ) -> Json:
        """La vista previa, fila por fila y celda por celda."""
        found, after = await asyncio.to_thread(page, services.uploads, id, tipo, cursor, limit)
        return Json({"filas": [_row_json(row) for row in found], "next_cursor": None if after is None else str(after)})


def upload_json(upload: Upload, shop: Shop) -> dict[str, Any]:
    return {
        "id": upload.id,
        "nombre": upload.name,
        "bytes": upload.size,
        "estado": upload.state.value,
        "avance": {"hecho": upload.done, "total": upload.total},
        "resumen": summary_json(upload.summary),
        "vista": upload.view,
        "error": upload.error,
        "subida_por": upload.uploaded_by,
        "subida_en": shown_instant(upload.uploaded_at, shop),
    }


def summary_json(summary: UploadSummary) -> dict[str, int]:
    return {
        "nuevos": summary.new,
        "cambiados": summary.changed,
        "retirados": summary.retired,
        "rechazados": summary.refused,
        "iguales": summary.unchanged,
        "avisos": summary.notices,
    }


def _row_json(row: dict[str, Any]) -> dict[str, Any]:
    cells = [
        {"columna": one["column"], "antes": one["before"], "despues": one["after"], "motivo": one["reason"]}
        for one in row["cells"]
    ]
    return {"hoja": row["sheet"], "fila": row["row"], "clave": row["key"], "tipo": row["kind"], "celdas": cells}


# ─── deciding ─────────────────────────────────────────────────────────────────────────────────────────────────


def _add_deciding(app: FastAPI, services: Services) -> None:
    @app.post("/api/planilla/cargas/{id}/aplicar", **changing(UploadOut, ApplyBody, TAG, _OTHER_STATE))
    async def apply(id: RecordId, request: Request) -> Json:
        """Hace lo que la vista previa muestra, y nada más. Si el taller cambió y haría otra cosa, se lee de nuevo."""
        body = await body_of(ApplyBody, request)
        by = acting_label(request)
        await asyncio.to_thread(services.uploads.begin_applying, id, body.vista, by)
        log.info("an upload is applied", upload=id, by=by)
        services.upload_worker.poke()
        upload = await _checked_upload(services, id)
        if upload.error and upload.state in (UploadState.READING, UploadState.READY):
            raise PreviewChanged
        return Json(upload_json(upload, services.shop))

    @app.post("/api/planilla/cargas/{id}/descartar", **changing(ChangedOut, EmptyBody, TAG, _OTHER_STATE))
    async def discard(id: RecordId, request: Request) -> Json:
        """Olvida el archivo. Lo que ya se aplicó queda."""
        await body_of(EmptyBody, request)
        await asyncio.to_thread(services.uploads.discard, id)
        return Json({"success": True, "message": "La carga fue descartada."})


async def _checked_upload(services: Services, id_: str) -> Upload:
    """The upload as soon as it is known whether its preview still holds. A large one is answered before that."""
    until = time.monotonic() + APPLY_WAIT_S_MAX
    while True:
        upload = await asyncio.to_thread(services.uploads.get, id_)
        if upload.checked or upload.state is not UploadState.APPLYING or time.monotonic() > until:
            return upload
        await asyncio.sleep(APPLY_LOOK_EVERY_S)


# ─── files to download ────────────────────────────────────────────────────────────────────────────────────────


def _add_files(app: FastAPI, services: Services) -> None:
    exporting = asyncio.Lock()

    @app.get("/api/planilla/cargas/{id}/informe", **_file("text/csv", _UNKNOWN))
    async def report(id: RecordId) -> Response:
        """Qué se hizo y qué se rechazó, celda por celda; antes de aplicar, qué se haría."""
        upload = await asyncio.to_thread(services.uploads.get, id)
        headers = {"Content-Disposition": f'attachment; filename="informe-{id}.csv"'}
        return StreamingResponse(csv_pieces(services.uploads, upload), 200, headers, "text/csv")

    @app.get("/api/planilla/exportar", **_file(XLSX))
    async def export() -> Response:
        """El registro como libro .xlsx, para editarlo y volver a subirlo."""
        now = datetime.now(UTC)
        async with exporting:
            path = await asyncio.to_thread(_export, services, now)
        name = f"carrete-{wall(now, services.shop.zone):%Y%m%d-%H%M}.xlsx"
        return FileResponse(path, media_type=XLSX, filename=name, background=BackgroundTask(path.unlink, True))

    @app.get("/api/planilla/plantilla", **_file(XLSX))
    async def template() -> Response:
        """Un libro vacío con las hojas y columnas que se leen."""
        path = await asyncio.to_thread(_template, services)
        background = BackgroundTask(path.unlink, True)
        return FileResponse(path, media_type=XLSX, filename="plantilla-carrete.xlsx", background=background)


def _export(services: Services, now: datetime) -> Path:
    """With a connection of its own: that of the process belongs to its writer thread."""
    from carrete.workbook.exporting import export_workbook

    path = services.uploads.temporary_file()
    database = open_database(services.settings.ledger_url)
    database.schema = known_schema()  # this process has migrated it
    try:
        export_workbook(database, path, services.shop, now)
    finally:
        database.close()
    return path


def _template(services: Services) -> Path:
    from carrete.workbook.exporting import write_template

    path = services.uploads.temporary_file()
    write_template(path)
    return path


# ─── the document of the API ──────────────────────────────────────────────────────────────────────────────────


def reading_with(answer: type[Any], refusals: dict[int, str]) -> dict[str, Any]:
    documented = reading(answer, TAG)
    return {**documented, "responses": {**documented["responses"], **documented_problems(refusals)}}


def _file(media_type: str, refusals: dict[int, str] | None = None) -> dict[str, Any]:
    documented = reading(UploadOut, TAG)
    content = {media_type: {"schema": {"type": "string", "format": "binary"}}}
    responses = {
        **documented["responses"],
        **documented_problems(refusals or {}),
        200: {"description": "El archivo", "content": content},
    }
    return {"responses": responses, "tags": [TAG], "response_class": Response}
