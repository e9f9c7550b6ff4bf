"""`GET /api/history/{tag}`: who had a spool, for what, how long and how it ended, and all of its events.

A short history is sent whole. A long one is read and sent page by page: it needs the memory of one page, uses a reader
of the ledger only for the time of a page, and pauses between pages so that other requests are served.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import structlog
from fastapi import FastAPI
from pydantic_core import to_json
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from carrete.api.actions import documented_problems
from carrete.api.problems import response_to
from carrete.api.request_refusals import TooManyHistories
from carrete.api.responses import Json
from carrete.api.schemas.history import History
from carrete.api.spools import TagPath, known_spool, tag_from_path
from carrete.domain.reports.history import SessionEvent, SessionReader, WorkSession, sessions
from carrete.domain.shop import Shop
from carrete.domain.shop_time import duration, iso
from carrete.ledger import queries
from carrete.ledger.database import Tx
from carrete.ledger.errors import LedgerUnavailable
from carrete.ledger.rows import TrailEvent
from carrete.services import Services

log = structlog.get_logger()

SHORT_EVENTS_MAX = 1_000  # about 300 kB: up to here a history is sent whole
PAGE_EVENTS_MAX = 250
PAUSE_S = 0.005  # after each page, so that other requests wait no longer than one page takes
LONG_AT_ONCE_MAX = 2
WHOLE_S_MAX = 300.0  # for the whole history: a slow client keeps a turn from others

Rendered = list[dict[str, Any]]
_HEADERS = [(b"content-type", b"application/json")]
_PROBLEMS = documented_problems(
    {
        404: "SPOOL_NO_ENCONTRADO",
        422: "DATOS_INVALIDOS",
        503: "LEDGER_UNAVAILABLE; DEMASIADAS_HISTORIAS: ya se leen dos historias largas",
    }
)


@dataclass
class HistoryWaits:
    """How long a long history waits before it gives up."""

    turn_s_max: float = 10.0  # for one of the others to end; then 503
    send_s_max: float = 10.0  # for the client to take a page


def add(app: FastAPI, services: Services, waits: HistoryWaits) -> None:
    turns = asyncio.Semaphore(LONG_AT_ONCE_MAX)

    @app.get("/api/history/{tag:path}", response_model=History, responses=_PROBLEMS, tags=["spools"])
    async def history(tag: TagPath) -> Response:
        """Quién lo tuvo, para qué, cuánto y cómo terminó; y todos los eventos."""
        wanted = tag_from_path(tag)

        def read(tx: Tx) -> Json | int:
            """The answer for a short history, rendered in the reader's thread; for a long one, its last seq."""
            known_spool(tx, wanted)
            end = queries.trail_end(tx, wanted)
            trail = queries.trail_page(tx, wanted, 0, end, SHORT_EVENTS_MAX + 1)
            if len(trail) > SHORT_EVENTS_MAX:
                return end
            return Json(history_json(wanted, trail, services.shop, datetime.now(UTC)))

        found = await services.read(read)
        return found if isinstance(found, Json) else LongHistory(LongTrail(services, wanted, found), turns, waits)


class LongHistory(Response):
    """Sends a long history while it is read. Only LONG_AT_ONCE_MAX run at once; others wait for a turn."""

    media_type = "application/json"

    def __init__(self, trail: LongTrail, turns: asyncio.Semaphore, waits: HistoryWaits) -> None:
        super().__init__()
        self._trail = trail
        self._turns = turns
        self._waits = waits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.timeout(self._waits.turn_s_max):
                await self._turns.acquire()
        except TimeoutError:
            await response_to(TooManyHistories(), scope["path"])(scope, receive, send)
            return
        gone = asyncio.create_task(_disconnected(receive))
        try:
            async with asyncio.timeout(WHOLE_S_MAX):
                await self._send(send, gone)
        except (TimeoutError, LedgerUnavailable) as error:
            # A part is sent already. The connection ends without the end of the text, so that the client notices.
            log.warning("a long history was cut off", reason=str(error) or "the client reads too slowly")
        finally:
            gone.cancel()
            self._turns.release()

    async def _send(self, send: Send, gone: asyncio.Task[None]) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        async for piece in self._trail.pieces():
            if gone.done():
                return
            await self._send_within(send, {"type": "http.response.body", "body": piece, "more_body": True})
        await self._send_within(send, {"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_within(self, send: Send, message: Message) -> None:
        async with asyncio.timeout(self._waits.send_s_max):
            await send(message)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class LongTrail:
    """The history of one spool up to the seq `end`, as pieces of JSON text."""

    def __init__(self, services: Services, tag: str, end: int) -> None:
        self._services = services
        self._tag = tag
        self._end = end
        self._now = datetime.now(UTC)

    async def pieces(self) -> AsyncIterator[bytes]:
        """In the answer sessions come before events, so events are read twice: storing them would need more memory."""
        yield b'{"tag_spool":%b,"sessions":[' % to_json(self._tag)
        async for piece in self._with_commas(self._session_pages()):
            yield piece
        yield b'],"events":['
        async for piece in self._with_commas(self._pages(self._events)):
            yield piece
        yield b"]}"

    async def _with_commas(self, pages: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        comma = b""
        async for page in pages:
            if page:
                yield comma + page
                comma = b","

    async def _session_pages(self) -> AsyncIterator[bytes]:
        reader = SessionReader()

        def ended(trail: list[TrailEvent]) -> Rendered:
            found = [session for event in trail if (session := reader.read(_session_event(event))) is not None]
            return [session_json(session, self._services.shop, self._now) for session in found]

        async for page in self._pages(ended):
            yield page
        if reader.open:
            yield to_json(session_json(reader.open, self._services.shop, self._now))

    def _events(self, trail: list[TrailEvent]) -> Rendered:
        return [event_json(event, self._services.shop) for event in trail]

    async def _pages(self, render: Callable[[list[TrailEvent]], Rendered]) -> AsyncIterator[bytes]:
        """The rendered items of each page, as the inside of a JSON list. Between two pages no reader is used."""
        after = 0
        while after < self._end:

            def page(tx: Tx, after: int = after) -> tuple[int, bytes]:
                trail = queries.trail_page(tx, self._tag, after, self._end, PAGE_EVENTS_MAX)
                return trail[-1].seq if trail else self._end, to_json(render(trail))[1:-1]

            after, items = await self._services.read(page)
            yield items
            await asyncio.sleep(PAUSE_S)


def _session_event(event: TrailEvent) -> SessionEvent:
    return SessionEvent(event.evento_tipo, event.at, event.operacion, event.metadata, event.ocupado_por, event.worker)


def history_json(tag: str, trail: list[TrailEvent], shop: Shop, now: datetime) -> dict[str, Any]:
    work = sessions(map(_session_event, trail))
    return {
        "tag_spool": tag,
        "sessions": [session_json(session, shop, now) for session in work],
        "events": [event_json(event, shop) for event in trail],
    }


def session_json(session: WorkSession, shop: Shop, now: datetime) -> dict[str, Any]:
    """An open session lasts until now."""
    return {
        "worker": session.worker,
        "worker_id": session.worker_id,
        "operacion": session.operacion,
        "inicio": iso(session.inicio, shop.zone),
        "fin": iso(session.fin, shop.zone) if session.fin else None,
        "duracion": duration(session.inicio, session.fin or now),
        "resultado": session.resultado,
        "pulgadas": float(session.pulgadas),
    }


def event_json(event: TrailEvent, shop: Shop) -> dict[str, Any]:
    seq, id_, evento_tipo, worker, worker_id, operacion, accion, n_union, at, metadata, _ = event
    return {
        "seq": seq,
        "id": id_,
        "evento_tipo": evento_tipo,
        "worker": worker,
        "worker_id": worker_id,
        "operacion": operacion,
        "accion": accion,
        "n_union": n_union,
        "at": iso(at, shop.zone),
        "metadata": metadata,
    }
