"""Whose page a request asks for: a person's own, and for a supervisor anybody's."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request

from carrete.api.schemas.fields import ID_MAX
from carrete.api.server.gatekeeper import author_of
from carrete.domain.refusals import NotValid, WorkerUnknown
from carrete.domain.workers import Rol, Worker
from carrete.identity.refusals import IdentityDiffers
from carrete.ledger import queries
from carrete.ledger.database import Tx

WorkerQuery = Annotated[
    int | None,
    Query(ge=0, le=ID_MAX, description="De quién; sin él, de la persona que entró. Obligatorio sin identidad."),
]


def page_owner_id(request: Request, worker_id: int | None, supervisors_see_all: bool) -> int:
    """Without identity the request itself says whose page it is."""
    author = author_of(request.scope)
    own = author.worker_id if author else worker_id
    if own is None:
        raise NotValid([{"campo": "worker_id", "motivo": "falta."}])
    if worker_id in (None, own):
        return own
    if author is None or (supervisors_see_all and Rol.SUPERVISOR in author.roles):
        return int(worker_id)
    raise IdentityDiffers(worker_id)


def known_worker(tx: Tx, worker_id: int) -> Worker:
    found = queries.worker(tx, worker_id)
    if found is None:
        raise WorkerUnknown(worker_id)
    return found
