"""What the routes for administrators share: reading bodies, saying who changes something, writing, labels of people."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from fastapi import Path, Request
from pydantic import BaseModel

from carrete.api.actions import documented_problems, require_json, validated, whole_body
from carrete.api.documented_body import documented_body
from carrete.api.schemas.fields import ID_MAX, Body
from carrete.api.server.gatekeeper import author_of, client_address
from carrete.domain.refusals import Refusal
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso, whole_second
from carrete.domain.workers import Rol, Worker
from carrete.identity.people import ChangeAuthor
from carrete.ledger.database import Tx
from carrete.services import Services

B = TypeVar("B", bound=Body)
T = TypeVar("T")

RecordId = Annotated[str, Path(pattern="^[a-z0-9-]{1,64}$")]
PersonId = Annotated[int, Path(ge=0, le=ID_MAX)]
_ALWAYS = {
    401: "SESION_REQUERIDA, DISPOSITIVO_NO_INSCRITO",
    403: "PERMISO_INSUFICIENTE",
    422: "DATOS_INVALIDOS",
    503: "LEDGER_UNAVAILABLE",
}
_WITH_BODY = {413: "CUERPO_DEMASIADO_GRANDE", 415: "NO_ES_JSON"}


def reading(answer: type[BaseModel], tag: str) -> dict[str, Any]:
    """How a route that only reads is documented."""
    return {"response_model": answer, "responses": documented_problems(_ALWAYS), "tags": [tag]}


def changing(answer: type[BaseModel], body: type[Body], tag: str, refusals: dict[int, str] | None = None) -> Any:
    """How a route that changes something is documented. It reads the body itself, so that errors in it are answered
    in the same way as those of actions."""
    codes = {**_ALWAYS, **_WITH_BODY, **(refusals or {})}
    return {
        "response_model": answer,
        "responses": documented_problems(dict(sorted(codes.items()))),
        "tags": [tag],
        "openapi_extra": documented_body(body),
    }


async def body_of(kind: type[B], request: Request) -> B:
    require_json(request.headers.get("content-type", "").encode("latin-1"))
    return validated(kind, await whole_body(request.receive))


def change_author(request: Request) -> ChangeAuthor:
    """Who changes something now. Only an administrator may touch people with privileges, and no token may."""
    author = author_of(request.scope)
    return ChangeAuthor(
        whole_second(datetime.now(UTC)),
        author.worker_id if author else None,
        client_address(request.scope),
        author.token.id if author and author.token else None,
        floor_only=Rol.ADMINISTRADOR not in acting_roles(request),
    )


def acting_roles(request: Request) -> frozenset[Rol]:
    author = author_of(request.scope)
    return author.roles if author else frozenset()


async def write(services: Services, work: Callable[[Tx], T]) -> T:
    """Commits the change, and drops what memory has about devices, sessions and tokens, also when it is
    unknown whether it was committed. A refusal changed nothing: wrong codes must not empty that memory."""
    try:
        changed = await services.performer.housekeeping(work)
    except Refusal:
        raise
    except BaseException:
        services.identity.lookups.drop()
        raise
    services.identity.lookups.drop()
    return changed


def shown_instant(stored: str | None, shop: Shop) -> str | None:
    return iso(datetime.fromisoformat(stored), shop.zone) if stored else None


def labels(tx: Tx) -> dict[int, str]:
    """The label of everybody, also of those who left."""
    return {id_: Worker(id_, nombre, apellido).label for id_, nombre, apellido, _ in tx.all("workers")}


def label_of(labels: dict[int, str], worker_id: int | None) -> str | None:
    return None if worker_id is None else labels.get(worker_id, f"({worker_id})")
