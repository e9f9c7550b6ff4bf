"""Routes of drawings: a picture or a page of a PDF is stored, and a spool gets it with the numbers of its joints."""

from __future__ import annotations

import asyncio
import hashlib
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import FastAPI, Path, Query, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from carrete.api.actions import documented_problems
from carrete.api.administration import body_of, change_author, changing, label_of, labels, shown_instant
from carrete.api.file_bodies import discard, media_type, received
from carrete.api.one_at_a_time import OneAtATime
from carrete.api.photos import FOR_EVER
from carrete.api.responses import Json
from carrete.api.schemas.drawings import DRAWING_ID, DrawingBody, DrawingOut, DrawingSaved, StoredDrawing
from carrete.api.schemas.notes import EXAMPLE_PHOTO
from carrete.api.server.gatekeeper import author_of
from carrete.api.spool_parts import part_of_spool
from carrete.api.spools import TagPath, known_spool, tag_from_path
from carrete.domain.refusals import DrawingUnknown, JointUnknown
from carrete.domain.shop import Shop
from carrete.domain.shop_time import whole_second
from carrete.drawings.pdf_limits import PAGES_MAX
from carrete.drawings.picture import JPEG, PDF, PNG, UPLOAD_BYTES_MAX, DrawingPicture, picture_of
from carrete.drawings.refusals import DrawingChanged, DrawingsBusy, DrawingTooLarge, NotADrawing, TooManyDrawings
from carrete.ledger.database import Tx
from carrete.ledger.drawings import (
    JointMark,
    NewDrawing,
    SpoolDrawing,
    attach_drawing,
    drawing_content,
    drawing_of,
    save_drawing,
    unused_drawings,
)
from carrete.ledger.queries import joints_of
from carrete.ledger.values import instant_or_none_text
from carrete.services import Services

RECEIVING_MAX = 2  # drawings that one process receives at a time, of at most 20 MB each
RECEIVE_S_MAX = 300.0
UNUSED_MAX = 100  # drawings without a spool of one person; such a one is deleted after a week
TAG = "planos"
_KINDS = (PDF, PNG, JPEG)
_TOO_LARGE = f"El archivo pasa de {UPLOAD_BYTES_MAX >> 20} MB: guarde aparte la página del plano."
_PROBLEMS = documented_problems({404: "PLANO_NO_ENCONTRADO", 422: "DATOS_INVALIDOS", 503: "LEDGER_UNAVAILABLE"})
_READ = documented_problems({404: "SPOOL_NO_ENCONTRADO", 422: "DATOS_INVALIDOS", 503: "LEDGER_UNAVAILABLE"})
_SAVE = {404: "SPOOL_NO_ENCONTRADO, UNION_NO_ENCONTRADA, PLANO_NO_ENCONTRADO", 409: "PLANO_CAMBIADO"}
DrawingPath = Annotated[str, Path(pattern=DRAWING_ID, description="El id del plano", examples=[EXAMPLE_PHOTO])]
PageNumber = Annotated[int, Query(ge=1, le=PAGES_MAX, description="La página del PDF, desde 1")]


def add(app: FastAPI, services: Services) -> None:
    """Before the spool's card, whose path matches every longer one."""
    _add_pictures(app, services)
    _add_of_spool(app, services)


def _add_pictures(app: FastAPI, services: Services) -> None:
    places, reading = asyncio.Semaphore(RECEIVING_MAX), OneAtATime(DrawingsBusy)

    @app.post("/api/planos", **_documented_upload())
    async def receive(request: Request, pagina: PageNumber = 1) -> Response:
        """Guarda un plano como imagen: un PNG, un JPEG o una página de un PDF. Aún no es de ningún spool."""
        _require_known_type(request)
        if places.locked():
            await discard(request)
            raise DrawingsBusy
        try:
            async with places, asyncio.timeout(RECEIVE_S_MAX):
                raw = await received(request, UPLOAD_BYTES_MAX, DrawingTooLarge(_TOO_LARGE))
        except (ClientDisconnect, TimeoutError):
            return Response(status_code=400)  # nobody reads it
        async with reading.turn():
            picture = await asyncio.to_thread(picture_of, raw, pagina)
        return Json(await _stored(services, picture, pagina, request))

    @app.get("/api/planos/{id}", response_class=Response, responses=_documented_picture(), tags=[TAG])
    async def drawing(id: DrawingPath) -> Response:
        """La imagen del plano. Con ese id es siempre la misma: el navegador la guarda."""
        found = await services.read(lambda tx: drawing_content(tx, id))
        if found is None:
            raise DrawingUnknown(id)
        media_type, content = found
        return Response(content, headers={"Cache-Control": FOR_EVER}, media_type=media_type)


def _add_of_spool(app: FastAPI, services: Services) -> None:
    @part_of_spool(app, "GET", "/api/spools/{tag:path}/plano", response_model=DrawingOut, responses=_READ, tags=[TAG])
    async def drawing_of_spool(tag: TagPath) -> Json:
        """El plano del spool y dónde está cada unión en él."""
        wanted, shop = tag_from_path(tag), services.shop

        def read(tx: Tx) -> dict[str, Any]:
            known_spool(tx, wanted)
            return _drawing_json(tx, wanted, drawing_of(tx, wanted), shop)

        return Json(await services.read(read))

    @part_of_spool(app, "POST", "/api/spools/{tag:path}/plano", **changing(DrawingSaved, DrawingBody, TAG, _SAVE))
    async def save(tag: TagPath, request: Request) -> Json:
        """Guarda el plano del spool y los números de sus uniones. Lo anterior queda en el registro."""
        wanted, shop = tag_from_path(tag), services.shop
        body, author = await body_of(DrawingBody, request), change_author(request)
        marks = tuple(JointMark(each.n_union, each.x, each.y) for each in body.marcas) if body.plano else ()

        def write(tx: Tx) -> dict[str, Any]:
            known_spool(tx, wanted)
            _require_joints(tx, wanted, marks)
            present = drawing_of(tx, wanted)
            new = SpoolDrawing(body.version + 1, body.plano, marks, author.at, author.by_id)
            if present.revision != body.version or not attach_drawing(tx, wanted, new):
                raise DrawingChanged(present.revision)
            return {"success": True, **_drawing_json(tx, wanted, drawing_of(tx, wanted), shop)}

        return Json(await services.performer.housekeeping(write))


def _require_joints(tx: Tx, tag: str, marks: tuple[JointMark, ...]) -> None:
    known = {joint.n_union for joint in joints_of(tx, tag) if not joint.retired}
    if missing := [mark.n_union for mark in marks if mark.n_union not in known]:
        raise JointUnknown(tag, missing[0])


def _drawing_json(tx: Tx, tag: str, drawing: SpoolDrawing, shop: Shop) -> dict[str, Any]:
    return {
        "tag_spool": tag,
        "plano": drawing.drawing_id,
        "ancho": drawing.width,
        "alto": drawing.height,
        "marcas": [{"n_union": mark.n_union, "x": mark.x, "y": mark.y} for mark in drawing.marks],
        "version": drawing.revision,
        "guardado_en": shown_instant(instant_or_none_text(drawing.at), shop),
        "guardado_por": label_of(labels(tx), drawing.by_id),
    }


async def _stored(services: Services, picture: DrawingPicture, page: int, request: Request) -> dict[str, Any]:
    author = author_of(request.scope)
    by_id = author.worker_id if author else None
    now = whole_second(datetime.now(UTC))
    id_ = hashlib.sha256(picture.content).hexdigest()
    drawing = NewDrawing(id_, picture.media_type, picture.content, picture.width, picture.height)

    def save(tx: Tx) -> bool:
        if unused_drawings(tx, by_id, drawing.id) >= UNUSED_MAX:
            return False
        save_drawing(tx, drawing, by_id, now)
        return True

    if not await services.performer.housekeeping(save):
        raise TooManyDrawings(f"Hay {UNUSED_MAX} planos suyos que ningún spool tiene. Se borran solos en una semana.")
    return {
        "id": drawing.id,
        "ancho": drawing.width,
        "alto": drawing.height,
        "bytes": len(drawing.content),
        "pagina": min(page, picture.pages),
        "paginas": picture.pages,
    }


def _require_known_type(request: Request) -> None:
    if media_type(request) not in _KINDS:
        raise NotADrawing(f"El cuerpo debe ser el plano, y la cabecera Content-Type una de {', '.join(_KINDS)}.")


def _documented_upload() -> dict[str, Any]:
    refusals = {
        404: "PAGINA_NO_EXISTE",
        413: f"PLANO_DEMASIADO_GRANDE: 20 MB o {PAGES_MAX} páginas un PDF, 4 MB o 4000 puntos por lado una imagen",
        415: "NO_ES_PLANO",
        422: "PLANO_ILEGIBLE, DATOS_INVALIDOS",
        429: "DEMASIADOS_PLANOS",
        503: "PLANOS_EN_CURSO, LEDGER_UNAVAILABLE",
    }
    binary = {"schema": {"type": "string", "format": "binary", "maxLength": UPLOAD_BYTES_MAX}}
    return {
        "response_model": StoredDrawing,
        "responses": documented_problems(refusals),
        "openapi_extra": {"requestBody": {"required": True, "content": dict.fromkeys(_KINDS, binary)}},
        "tags": [TAG],
    }


def _documented_picture() -> dict[int | str, dict[str, Any]]:
    content = {"image/*": {"schema": {"type": "string", "format": "binary"}}}
    return {200: {"content": content, "description": f"{PNG} o {JPEG}"}, **_PROBLEMS}
