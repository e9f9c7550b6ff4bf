"""Routes of the labels: which spools have one, pages to look at and to print, the PDF, and cards with badges."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from starlette.responses import Response

from carrete.api.administration import body_of, change_author, changing, reading, shown_instant, write
from carrete.api.one_at_a_time import OneAtATime
from carrete.api.responses import Json
from carrete.api.schemas.labels import (
    BadgeCardsBody,
    GridBody,
    LabelList,
    LabelsBody,
    LabelSheets,
    LabelSheetsBody,
    LabelsPrinted,
    LabelsPrintedBody,
)
from carrete.api.spools import Search
from carrete.domain.shop import Shop
from carrete.identity.people import people_for_cards
from carrete.labels import printed
from carrete.labels.badges import BadgeCard, badge_pages, cards_of
from carrete.labels.drawing import DrawnCode, DrawnText, LabelPage, SpoolLabel, label_pages, warnings_of
from carrete.labels.pdf import pdf_of
from carrete.labels.printed import LabelChoice
from carrete.labels.refusals import LabelsBusy, NoBadges
from carrete.labels.stock import BADGE_STOCK, STOCKS, LabelFormat, LabelStock, free_grid
from carrete.ledger.database import Tx
from carrete.services import Services

PDF = "application/pdf"
WARNINGS_MAX = 100
GIVE_WAY_S = 0.0002
_TAG = "etiquetas"
_BUSY = {503: "ETIQUETAS_EN_CURSO, LEDGER_UNAVAILABLE"}
WorkOrderName = Annotated[str, Query(max_length=200, description="Sólo los spools de esta OT")]


def give_way() -> None:
    """A thread that draws keeps the interpreter for 5 ms at a time, and a tap needs it several times: the drawing
    thread rests for a moment after each label instead."""
    time.sleep(GIVE_WAY_S)


def add(app: FastAPI, services: Services) -> None:
    drawing = OneAtATime(LabelsBusy)
    _add_choosing(app, services)
    _add_sheets(app, services, drawing)
    _add_pdf(app, services, drawing)
    _add_badges(app, services, drawing)


def _add_choosing(app: FastAPI, services: Services) -> None:
    @app.get("/api/etiquetas", **reading(LabelList, _TAG))
    async def list_labels(ot: WorkOrderName = "", q: Search = "", sin_imprimir: bool = False) -> Json:
        """Los spools que pueden llevar etiqueta: todos, los de una OT, o los que aún no la tienen impresa."""
        choice = LabelChoice(ot, q, sin_imprimir)

        def read(tx: Tx) -> dict[str, Any]:
            labels, total = printed.chosen_labels(tx, choice)
            orders = [
                {"ot": each.ot, "spools": each.spools, "sin_imprimir": each.not_printed}
                for each in printed.work_orders(tx)
            ]
            return {"etiquetas": [_label_json(each, services.shop) for each in labels], "total": total, "ots": orders}

        return Json(await services.read(read))

    @app.post("/api/etiquetas/impresas", **changing(LabelsPrinted, LabelsPrintedBody, _TAG, _UNKNOWN))
    async def mark_printed(request: Request) -> Json:
        """Una persona dice que estas etiquetas salieron impresas. Hacer el PDF no basta: el papel se atasca."""
        body, author = await body_of(LabelsPrintedBody, request), change_author(request)
        marked = await write(services, lambda tx: printed.mark_printed(tx, body.tags, author.at, author.by_id))
        return Json({"success": True, "impresas": marked})


_UNKNOWN = {404: "SPOOL_NO_ENCONTRADO"}


def _label_json(label: SpoolLabel, shop: Shop) -> dict[str, Any]:
    return {
        "tag_spool": label.tag,
        "ot": label.ot,
        "uniones": label.joints,
        "impresa_en": shown_instant(label.printed_at, shop),
    }


def _add_sheets(app: FastAPI, services: Services, drawing: OneAtATime) -> None:
    @app.post("/api/etiquetas/hojas", **changing(LabelSheets, LabelSheetsBody, _TAG, _BUSY))
    async def sheets(request: Request) -> Json:
        """Las hojas como trazos, para verlas y para que las imprima el navegador. Los tags desconocidos se nombran."""
        body = await body_of(LabelSheetsBody, request)
        stock, address = stock_of(body), address_of(body, request)
        skip = stock.used_labels(body.saltar)
        labels, unknown = await services.read(lambda tx: printed.known_labels(tx, body.tags))
        shown = labels[: stock.labels_per_page - skip] if body.solo_primera else labels

        def draw() -> dict[str, Any]:
            pages = label_pages(shown, stock, skip=skip, address=address, give_way=give_way) if shown else ()
            warned = [(each.tag, why) for each in labels for why in warnings_of(each, stock, address)]
            return {
                "hojas": [_sheet_json(page) for page in pages],
                "avisos": [{"tag_spool": tag, "motivo": why} for tag, why in warned[:WARNINGS_MAX]],
            }

        async with drawing.turn():
            drawn = await asyncio.to_thread(draw)
        about = {
            "ancho_mm": stock.page_width,
            "alto_mm": stock.page_height,
            "total_hojas": stock.pages_for(len(labels), skip) if labels else 0,
            "por_hoja": stock.labels_per_page,
            "etiquetas": len(labels),
            "desconocidos": unknown,
        }
        return Json({**about, **drawn})


def _sheet_json(page: LabelPage) -> dict[str, Any]:
    return {"textos": [_text_json(text) for text in page.texts], "codigos": [_code_json(code) for code in page.codes]}


def _text_json(text: DrawnText) -> dict[str, Any]:
    return {
        "x": round(text.x, 3),
        "y": round(text.y, 3),
        "alto": round(text.size, 3),
        "ancho": round(text.width, 3),
        "negrita": text.bold,
        "texto": text.text,
    }


def _code_json(drawn: DrawnCode) -> dict[str, Any]:
    path = "".join(f"M{x} {y}h{width}v1h-{width}z" for x, y, width in drawn.code.bars)
    return {
        "x": round(drawn.x, 3),
        "y": round(drawn.y, 3),
        "modulo": round(drawn.module, 5),
        "lado": drawn.code.modules,
        "trazo": path,
    }


def _add_pdf(app: FastAPI, services: Services, drawing: OneAtATime) -> None:
    @app.post("/api/etiquetas/pdf", **_document(LabelsBody, {**_UNKNOWN, **_BUSY}))
    async def pdf(request: Request) -> Response:
        """Las etiquetas como PDF de trazos. Un tag desconocido se rechaza, y no se hace ninguna."""
        body = await body_of(LabelsBody, request)
        stock, address = stock_of(body), address_of(body, request)
        skip = stock.used_labels(body.saltar)
        labels = await services.read(lambda tx: printed.labels_of(tx, body.tags))
        pages = label_pages(labels, stock, skip=skip, address=address, give_way=give_way)
        async with drawing.turn():
            made = await asyncio.to_thread(pdf_of, pages, stock, "Etiquetas")
        return _file(made, "etiquetas.pdf")


def _add_badges(app: FastAPI, services: Services, drawing: OneAtATime) -> None:
    refusals = {404: "SIN_CREDENCIALES", **_BUSY}

    @app.post("/api/etiquetas/credenciales", **_document(BadgeCardsBody, refusals))
    async def badges(request: Request) -> Response:
        """Tarjetas con el nombre y la credencial de cada persona activa, sin PIN. Quien no tiene credencial no sale."""
        body = await body_of(BadgeCardsBody, request)
        cards = await services.read(lambda tx: badge_cards(tx, body.personas))
        async with drawing.turn():
            made = await asyncio.to_thread(pdf_of, badge_pages(cards), BADGE_STOCK, "Credenciales")
        return _file(made, "credenciales.pdf")


def badge_cards(tx: Tx, ids: Sequence[int] | None) -> list[BadgeCard]:
    people = people_for_cards(tx, everybody=True)
    found = cards_of(each for each in people if ids is None or each.worker.id in ids)
    if not found:
        raise NoBadges
    return found


def stock_of(body: LabelsBody) -> LabelStock:
    if body.formato is not LabelFormat.A4_GRID:
        return STOCKS[body.formato]
    grid = body.cuadricula or GridBody(columnas=3, filas=8)
    return free_grid(
        grid.columnas,
        grid.filas,
        grid.margen_superior_mm,
        grid.margen_izquierdo_mm,
        grid.separacion_horizontal_mm,
        grid.separacion_vertical_mm,
    )


def address_of(body: LabelsBody, request: Request) -> str:
    """The address under which this page was opened, because that one works on the tablets too."""
    return f"{request.base_url.scheme}://{request.base_url.netloc}" if body.codigo == "direccion" else ""


def _file(content: bytes, name: str) -> Response:
    return Response(content, media_type=PDF, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _document(body: type[LabelsBody] | type[BadgeCardsBody], refusals: dict[int, str]) -> dict[str, Any]:
    """How a route that answers a PDF is documented."""
    documented = changing(LabelList, body, _TAG, refusals)
    content = {PDF: {"schema": {"type": "string", "format": "binary"}}}
    ok = {200: {"content": content, "description": "El PDF"}}
    del documented["response_model"]
    return {**documented, "response_class": Response, "responses": {**ok, **documented["responses"]}}
