"""Routes of API tokens, for administrators. A token is answered once, when it is made."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response

from carrete.api.administration import (
    RecordId,
    body_of,
    change_author,
    changing,
    label_of,
    labels,
    reading,
    shown_instant,
    write,
)
from carrete.api.kept_changes import change_once, changing_once
from carrete.api.responses import Json
from carrete.api.schemas.devices import ChangedOut, EmptyBody
from carrete.api.schemas.tokens import NewTokenOut, TokenBody, TokenList
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso
from carrete.identity import tokens
from carrete.identity.people import ChangeAuthor
from carrete.ledger.database import Tx
from carrete.services import Services

_TAG = "tokens"


def add(app: FastAPI, services: Services) -> None:
    @app.get("/api/tokens", **reading(TokenList, _TAG))
    async def list_tokens() -> Json:
        """Los tokens, también los revocados y los vencidos. Ninguno muestra su secreto."""
        return Json({"tokens": await services.read(lambda tx: _list_json(tx, services.shop))})

    @app.post("/api/tokens", **changing(NewTokenOut, TokenBody, _TAG))
    async def make_token(request: Request) -> Json:
        """Un token para otro sistema. Se muestra una sola vez."""
        body, author = await body_of(TokenBody, request), change_author(request)
        made = await write(
            services,
            lambda tx: tokens.make(
                tx,
                body.nombre,
                body.alcances,
                at=author.at,
                days=body.dias,
                by_id=author.by_id,
                address=author.address,
            ),
        )
        return Json(
            {
                "token": made.token,
                "id": made.id,
                "nombre": made.name,
                "alcances": made.scopes,
                "vence": iso(made.ends_at, services.shop.zone),
            }
        )

    @app.post("/api/tokens/{id}/revocar", **changing_once(ChangedOut, EmptyBody, _TAG, {404: "NO_ENCONTRADO"}))
    async def revoke_token(id: RecordId, request: Request) -> Response:
        """El token deja de servir."""
        body = await body_of(EmptyBody, request)

        def work(tx: Tx, by: ChangeAuthor) -> str:
            return tokens.revoke(tx, id, at=by.at, by_id=by.by_id, address=by.address).name

        def answer(name: str) -> dict[str, Any]:
            return {"success": True, "message": f"{name} quedó revocado."}

        return await change_once(services, request, body, work, answer)


def _list_json(tx: Tx, shop: Shop) -> list[dict[str, Any]]:
    names = labels(tx)
    return [
        {
            "id": token.id,
            "nombre": token.name,
            "alcances": token.scopes,
            "creado_en": shown_instant(token.made_at, shop),
            "creado_por": label_of(names, token.made_by),
            "vence": shown_instant(token.ends_at, shop),
            "ultimo_uso": shown_instant(token.used_at, shop),
            "revocado_en": shown_instant(token.revoked_at, shop),
            "revocado_por": label_of(names, token.revoked_by),
        }
        for token in tokens.tokens(tx)
    ]
