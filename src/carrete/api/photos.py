"""Routes of photos: one is received, rewritten and stored under the hash of its bytes, and served as it is stored."""

from __future__ import annotations

import asyncio
import hashlib
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import FastAPI, Path, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from carrete.api.actions import documented_problems
from carrete.api.file_bodies import media_type, received
from carrete.api.responses import Json
from carrete.api.schemas.notes import EXAMPLE_PHOTO, PHOTO_ID, FotoOut
from carrete.api.server.gatekeeper import author_of
from carrete.domain.refusals import PhotoUnknown
from carrete.domain.shop_time import whole_second
from carrete.ledger.database import Tx
from carrete.ledger.notes import NewPhoto, photo_content, save_photo, unused_photos
from carrete.photos.jpeg import BYTES_MAX, rewritten
from carrete.photos.refusals import NotAJpeg, PhotoTooLarge, TooManyPhotos
from carrete.services import Services

JPEG = "image/jpeg"
RECEIVING_MAX = 32  # photos that one process receives at a time, of at most 400 kB each
WAIT_S_MAX = 10.0  # for one of them to end
RECEIVE_S_MAX = 60.0
UNUSED_MAX = 500  # photos without a note of one person; such a one is deleted after a week
_TOO_LARGE = f"La foto pasa de {BYTES_MAX // 1000} kB."
FOR_EVER = "private, max-age=31536000, immutable"
_PROBLEMS = documented_problems({404: "FOTO_NO_ENCONTRADA", 422: "DATOS_INVALIDOS", 503: "LEDGER_UNAVAILABLE"})
PhotoPath = Annotated[str, Path(pattern=PHOTO_ID, description="El id de la foto", examples=[EXAMPLE_PHOTO])]


def add(app: FastAPI, services: Services) -> None:
    places = asyncio.Semaphore(RECEIVING_MAX)

    @app.post("/api/fotos", **_documented_upload())
    async def receive(request: Request) -> Response:
        """Guarda una foto JPEG, sin ubicación ni otros datos de la cámara. La misma foto tiene siempre el mismo id."""
        _require_jpeg_type(request)
        try:
            async with asyncio.timeout(WAIT_S_MAX):
                await places.acquire()
        except TimeoutError:
            raise TooManyPhotos("Se están recibiendo muchas fotos. Espere un momento.") from None
        try:
            async with asyncio.timeout(RECEIVE_S_MAX):
                raw = await received(request, BYTES_MAX, PhotoTooLarge(_TOO_LARGE))
        except (ClientDisconnect, TimeoutError):
            return Response(status_code=400)  # nobody reads it
        finally:
            places.release()
        return Json(await _stored(services, raw, request))

    @app.get("/api/fotos/{id}", response_class=Response, responses=_documented_photo(), tags=["notas"])
    async def photo(id: PhotoPath) -> Response:
        """La foto. Con ese id es siempre la misma: el navegador la guarda."""
        content = await services.read(lambda tx: photo_content(tx, id))
        if content is None:
            raise PhotoUnknown([id])
        return Response(content, headers={"Cache-Control": FOR_EVER}, media_type=JPEG)


async def _stored(services: Services, raw: bytes, request: Request) -> dict[str, Any]:
    picture = await asyncio.to_thread(rewritten, raw)
    photo = NewPhoto(hashlib.sha256(picture.content).hexdigest(), *picture)
    author = author_of(request.scope)
    by_id = author.worker_id if author else None
    now = whole_second(datetime.now(UTC))

    def save(tx: Tx) -> bool:
        if unused_photos(tx, by_id, photo.id) >= UNUSED_MAX:
            return False
        save_photo(tx, photo, by_id, now)
        return True

    if not await services.performer.housekeeping(save):
        raise TooManyPhotos(f"Hay {UNUSED_MAX} fotos suyas que ninguna nota tiene. Se borran solas en una semana.")
    return {"id": photo.id, "ancho": photo.width, "alto": photo.height, "bytes": len(photo.content)}


def _require_jpeg_type(request: Request) -> None:
    if media_type(request) != JPEG:
        raise NotAJpeg(f"El cuerpo debe ser una foto JPEG, y la cabecera Content-Type debe decir {JPEG}.")


def _documented_upload() -> dict[str, Any]:
    refusals = {
        413: "FOTO_DEMASIADO_GRANDE: pasa de 400 kB o de 1600 puntos por lado",
        415: "NO_ES_JPEG",
        422: "FOTO_ILEGIBLE",
        429: "DEMASIADAS_FOTOS",
        503: "LEDGER_UNAVAILABLE",
    }
    content = {JPEG: {"schema": {"type": "string", "format": "binary", "maxLength": BYTES_MAX}}}
    return {
        "response_model": FotoOut,
        "responses": documented_problems(refusals),
        "openapi_extra": {"requestBody": {"required": True, "content": content}},
        "tags": ["notas"],
    }


def _documented_photo() -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {JPEG: {"schema": {"type": "string", "format": "binary"}}}}, **_PROBLEMS}
