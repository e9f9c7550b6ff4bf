"""`GET /api/offline/spools`: what a tablet keeps for the time without a connection, in one answer.

The spools that one person could take or holds, with their joints. A tablet asks every few minutes: an ETag over the
spools' versions spares it the answer when nothing changed."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from pydantic_core import to_json
from starlette.responses import Response

from carrete.api.actions import documented_problems
from carrete.api.schemas.fields import ID_MAX
from carrete.api.schemas.spools import OfflineCopy
from carrete.api.spools import card_json, require_worker
from carrete.domain.joints import Joint
from carrete.domain.offers import Offer
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso
from carrete.domain.spool import Operacion, Spool
from carrete.domain.version import Workflow, workflow
from carrete.domain.workers import Worker
from carrete.ledger import queries
from carrete.ledger.database import Tx
from carrete.ledger.listing import scope_for
from carrete.ledger.queries import Scope
from carrete.ledger.store import joints_of_many
from carrete.services import Services

SPOOLS_MAX = 2_000
_FORMAT = 3  # one more when a card gets a field: a tablet then reads everything anew, although no spool has changed
_FASTEST = 1  # of gzip's levels: a shop's spools are alike, so even this makes a fifteenth of them
_TAKES = (
    ("INICIAR", Operacion.ARM),
    ("TOMAR", Operacion.ARM),
    ("INICIAR", Operacion.SOLD),
    ("TOMAR", Operacion.SOLD),
    ("TOMAR", Operacion.REPARACION),
)
_WHOLE_ENDS = ("PAUSAR", "COMPLETAR", "CANCELAR")
_PROBLEMS = documented_problems({404: "WORKER_NO_ENCONTRADO", 422: "DATOS_INVALIDOS", 503: "LEDGER_UNAVAILABLE"})


@dataclass(slots=True)
class Workable:
    """The spools of one person, with what the person could do on each."""

    spools: dict[str, Spool] = field(default_factory=dict)
    offers: dict[str, list[Offer]] = field(default_factory=dict)
    tags: set[str] = field(default_factory=set)  # of all of them, also of those that did not fit

    @property
    def left_out(self) -> int:
        return len(self.tags) - len(self.spools)

    def add(self, spools: Iterable[Spool], offers: dict[str, list[Offer]]) -> None:
        for spool in spools:
            if spool.tag not in self.spools and len(self.spools) >= SPOOLS_MAX:
                continue
            self.spools[spool.tag] = spool
            self.offers.setdefault(spool.tag, []).extend(offers[spool.tag])


def add(app: FastAPI, services: Services) -> None:
    @app.get("/api/offline/spools", response_model=OfflineCopy, responses=_PROBLEMS, tags=["spools"])
    async def offline_spools(request: Request, worker_id: Annotated[int, Query(ge=0, le=ID_MAX)]) -> Response:
        """Lo que esta persona tiene o podría tomar, con sus uniones: a lo más 2.000 spools. Con ETag."""
        seen = request.headers.get("if-none-match", "")
        accepts_gzip = "gzip" in request.headers.get("accept-encoding", "")
        shop = services.shop

        def read(tx: Tx) -> tuple[str, bytes | None]:
            worker = require_worker(tx, worker_id, shop)
            found = workable(tx, worker)
            etag = _etag(worker, found, shop)
            if etag in [one.strip().removeprefix("W/") for one in seen.split(",")]:
                return etag, None
            joints = joints_of_many(tx, found.spools)
            body = to_json(_copy(found, joints, shop))
            return etag, gzip.compress(body, _FASTEST, mtime=0) if accepts_gzip else body

        etag, body = await services.read(read)
        headers = {"ETag": etag, "Vary": "Accept-Encoding"}
        if body is None:
            return Response(status_code=304, headers=headers)
        encoding = {"Content-Encoding": "gzip"} if accepts_gzip else {}
        return Response(body, headers={**headers, **encoding}, media_type="application/json")


def workable(tx: Tx, worker: Worker) -> Workable:
    """First what the person holds: that must be there, whatever else does not fit."""
    found = Workable()
    held = _read(tx, scope_for(tx, None, None, worker), found)
    found.add(held, {spool.tag: _ends(spool) for spool in held})
    for accion, operacion in _TAKES:
        free = _read(tx, scope_for(tx, operacion, accion, worker), found)
        found.add(free, {spool.tag: [Offer(accion, operacion)] for spool in free})
    return found


def _read(tx: Tx, scope: Scope, found: Workable) -> list[Spool]:
    """A page of spools. A spool may be in several scopes, and beyond the page in each: only its tag tells which."""
    page = queries.spool_page(tx, scope, "", "", SPOOLS_MAX)
    found.tags.update(queries.tags_in(tx, scope) if page.next_after else (spool.tag for spool in page.spools))
    return page.spools


def _ends(spool: Spool) -> list[Offer]:
    held = spool.occupation
    if held is None:
        return []
    by_joint = held.operacion is not Operacion.REPARACION and workflow(spool) is Workflow.V4
    return [Offer(accion, held.operacion) for accion in (("FINALIZAR",) if by_joint else _WHOLE_ENDS)]


def _etag(worker: Worker, found: Workable, shop: Shop) -> str:
    """A spool's version changes with everything that the answer shows of it, the format with what it can show."""
    digest = hashlib.blake2b(digest_size=16)
    about_all = (_FORMAT, worker.id, sorted(worker.roles), sorted(shop.arm_only_types), found.left_out)
    digest.update(repr(about_all).encode())
    for tag, spool in sorted(found.spools.items()):
        digest.update(repr((tag, spool.version, found.offers[tag])).encode())
    return f'"{digest.hexdigest()}"'


def _copy(found: Workable, joints: dict[str, list[Joint]], shop: Shop) -> dict[str, Any]:
    by_tag = sorted(found.spools.items())
    cards = [card_json(spool, joints.get(tag, []), found.offers[tag], [], shop) for tag, spool in by_tag]
    return {
        "spools": cards,
        "faltan": found.left_out,
        "solo_arm": sorted(shop.arm_only_types),
        "visto_en": iso(datetime.now(UTC), shop.zone),
    }
