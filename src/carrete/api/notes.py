"""Routes of notes: one is added to a spool or to a joint, and they are listed, newest first."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query

from carrete.api.actions import documented_problems
from carrete.api.occupation import action_answer
from carrete.api.responses import Json
from carrete.api.schemas.notes import NotaAnswer, NotaBody, NotaList
from carrete.api.server.application import Application
from carrete.api.spool_actions import SpoolActionEndpoint, add_spool_action
from carrete.api.spool_parts import part_of_spool
from carrete.api.spools import TagPath, known_spool, note_json, tag_from_path
from carrete.domain.commands import Anotar
from carrete.ledger.database import Tx
from carrete.ledger.notes import notes_of
from carrete.services import Services

PATH = "/api/spools/{tag}/notas"
PAGE_MAX = 100
PAGE_DEFAULT = 20
_ADD = {
    403: "WORKER_INACTIVO",
    404: "SPOOL_NO_ENCONTRADO, WORKER_NO_ENCONTRADO, UNION_NO_ENCONTRADA, FOTO_NO_ENCONTRADA",
    409: "VERSION_CONFLICT",
}
_READ = documented_problems({404: "SPOOL_NO_ENCONTRADO", 422: "DATOS_INVALIDOS", 503: "LEDGER_UNAVAILABLE"})


def add(app: Application, services: Services) -> None:
    """Before the card, whose path matches every longer one."""
    endpoint = SpoolActionEndpoint(
        services,
        PATH,
        NotaBody,
        _note,
        lambda commands, outcomes: action_answer(commands[0], outcomes[0], services.shop),
    )
    add_spool_action(app, endpoint, NotaAnswer, _ADD, "Agregar una nota a un spool o a una unión")
    _add_list(app, services)


def _add_list(app: Application, services: Services) -> None:
    @part_of_spool(
        app, "GET", "/api/spools/{tag:path}/notas", response_model=NotaList, responses=_READ, tags=["spools"]
    )
    async def notes(
        tag: TagPath,
        cursor: Annotated[str, Query(pattern="^[0-9]{0,18}$")] = "",
        limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = PAGE_DEFAULT,
    ) -> Json:
        """Las notas del spool y de sus uniones, lo más nuevo primero."""
        wanted, shop = tag_from_path(tag), services.shop

        def read(tx: Tx) -> dict[str, Any]:
            known_spool(tx, wanted)
            page = notes_of(tx, wanted, limit, int(cursor or 0))
            after = None if page.next_before is None else str(page.next_before)
            notas = [note_json(note, shop) for note in page.notes]
            return {"tag_spool": wanted, "notas": notas, "next_cursor": after}

        return Json(await services.read(read))


def _note(tag: str, body: NotaBody) -> Anotar:
    return Anotar(tag, body.worker_id, body.texto, body.n_union, tuple(body.fotos), version=body.version)
