"""The route that receives a workbook: in pieces, within limits of its own, into a file that is not read yet."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any

import structlog
from fastapi import FastAPI, Query, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from carrete.api.file_bodies import declares_more_than, discard, media_type
from carrete.api.planilla import XLSX, acting_label, reading_with, upload_json
from carrete.api.responses import Json
from carrete.api.schemas.planilla import UploadOut
from carrete.domain.refusals import NotValid
from carrete.domain.texts import writable
from carrete.services import Services
from carrete.uploads import Upload
from carrete.uploads.folder import UPLOAD_BYTES_MAX, PartialUpload
from carrete.uploads.refusals import NotXlsx, TooManyUploads, UploadTooLarge

log = structlog.get_logger()

NAME_LENGTH_MAX = 200
RECEIVING_MAX = 4  # files that one process receives at a time
WRITE_BYTES = 1 << 20  # collected before they are written
_TOO_LARGE = f"El archivo pasa de {UPLOAD_BYTES_MAX >> 20} MB: divídalo en varios."
FileName = Annotated[str, Query(min_length=1, max_length=NAME_LENGTH_MAX, description="El nombre del archivo")]


def add(app: FastAPI, services: Services) -> None:
    places = asyncio.Semaphore(RECEIVING_MAX)

    @app.post("/api/planilla/cargas", **_documented_upload())
    async def receive(request: Request, nombre: FileName) -> Response:
        """Recibe un libro .xlsx de a lo más 32 MB y empieza a leerlo. Nada cambia hasta que alguien lo aplica."""
        _require_xlsx_type(request)
        name = _clean_name(nombre)
        if places.locked():
            await discard(request)
            raise TooManyUploads("Ya se están recibiendo varios archivos. Espere un momento.")
        async with places:
            try:
                upload = await _receive(request, services, name)
            except ClientDisconnect:
                log.info("an upload was cut off", name=name)
                return Response(status_code=400)  # nobody reads it
        services.upload_worker.poke()
        return Json(upload_json(upload, services.shop))


async def _receive(request: Request, services: Services, name: str) -> Upload:
    if declares_more_than(request, UPLOAD_BYTES_MAX):
        await discard(request)
        raise UploadTooLarge(_TOO_LARGE)
    partial = await asyncio.to_thread(services.uploads.begin)
    try:
        async for piece in _pieces(request):
            try:
                await asyncio.to_thread(partial.write, piece)
                _require_xlsx_start(partial)
            except (UploadTooLarge, NotXlsx):
                await discard(request)
                raise
        if not partial.size:
            raise NotXlsx("El archivo está vacío.")
        return await asyncio.to_thread(partial.finish, name, acting_label(request))
    finally:
        await asyncio.shield(asyncio.to_thread(partial.abandon))


async def _pieces(request: Request) -> AsyncIterator[bytes]:
    """The body in large pieces: writing each packet by itself would cost a thread's turn each."""
    collected = bytearray()
    async for chunk in request.stream():
        collected += chunk
        if len(collected) >= WRITE_BYTES:
            yield bytes(collected)
            collected.clear()
    if collected:
        yield bytes(collected)


def _require_xlsx_type(request: Request) -> None:
    if media_type(request) != XLSX:
        raise NotXlsx(f"El cuerpo debe ser el archivo .xlsx, y la cabecera Content-Type debe decir {XLSX}.")


def _require_xlsx_start(partial: PartialUpload) -> None:
    if len(partial.start) >= 2 and not partial.start.startswith((b"PK", b"\xd0\xcf")):  # the second: with a password
        raise NotXlsx("El archivo no es un .xlsx: guárdelo en la planilla como libro de Excel (.xlsx).")


def _clean_name(name: str) -> str:
    """The last part of a path, without what a terminal or a log would obey."""
    last = name.replace("\\", "/").rpartition("/")[2].strip()
    if not last or not writable(last) or not last.isprintable():
        raise NotValid([{"campo": "nombre", "motivo": "no es el nombre de un archivo."}])
    return last


def _documented_upload() -> dict[str, Any]:
    refusals = {413: "ARCHIVO_DEMASIADO_GRANDE", 415: "NO_ES_XLSX", 429: "DEMASIADAS_CARGAS", 507: "DISCO_LLENO"}
    content = {XLSX: {"schema": {"type": "string", "format": "binary", "maxLength": UPLOAD_BYTES_MAX}}}
    return {
        **reading_with(UploadOut, refusals),
        "openapi_extra": {"requestBody": {"required": True, "content": content}},
    }
