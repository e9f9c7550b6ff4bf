"""Routes that read: lists and cards of spools, and people."""

from __future__ import annotations

import base64
import binascii
from datetime import UTC, date, datetime
from typing import Annotated, Any

from fastapi import FastAPI, Path, Query
from pydantic import Field

from carrete.api.actions import documented_problems
from carrete.api.overdue import overdue_json
from carrete.api.responses import Json
from carrete.api.schemas.fields import EXAMPLE_TAG, ID_MAX
from carrete.api.schemas.spools import Accion, SpoolCard, SpoolList, WorkerList
from carrete.domain import estado_detalle
from carrete.domain.joints import Joint, diameter_problem, from_milli, inches
from carrete.domain.offers import Obstacle, Offer, obstacles, offers
from carrete.domain.progress import inconsistencies, joints_needed
from carrete.domain.refusals import NotValid, WorkerUnknown, no_such_spool
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso
from carrete.domain.spool import Operacion, Spool
from carrete.domain.tags import clean_tag
from carrete.domain.version import workflow
from carrete.domain.workers import Worker
from carrete.ledger import queries
from carrete.ledger.database import Tx
from carrete.ledger.listing import scope_for
from carrete.ledger.notes import Note, NotePage, notes_of
from carrete.services import Services

LIMIT_MAX = 500
LIMIT_DEFAULT = 100
NOTES_ON_CARD_MAX = 5

TagPath = Annotated[str, Path(description="TAG_SPOOL, percent-encoded", examples=[EXAMPLE_TAG])]
WorkerQuery = Annotated[int | None, Query(ge=0, le=ID_MAX)]
Search = Annotated[str, Query(max_length=200, description="Parte del tag, la OT o la NV, sin mayúsculas ni acentos")]
_LIST = documented_problems({404: "WORKER_NO_ENCONTRADO", 422: "DATOS_INVALIDOS", 503: "LEDGER_UNAVAILABLE"})
_ONE = documented_problems(
    {404: "SPOOL_NO_ENCONTRADO, WORKER_NO_ENCONTRADO", 422: "DATOS_INVALIDOS", 503: "LEDGER_UNAVAILABLE"}
)


def add(app: FastAPI, services: Services) -> None:
    _add_list(app, services)
    _add_card(app, services)
    _add_workers(app, services)


def _add_list(app: FastAPI, services: Services) -> None:
    @app.get("/api/spools", response_model=SpoolList, responses=_LIST, tags=["spools"])
    async def list_spools(
        operacion: Operacion | None = None,
        accion: Accion | None = None,
        worker_id: WorkerQuery = None,
        q: Search = "",
        cursor: Annotated[str, Query(max_length=1_000)] = "",
        limit: Annotated[int, Field(ge=1, le=LIMIT_MAX)] = LIMIT_DEFAULT,
    ) -> Json:
        """Con `accion`, sólo los spools en que resultaría ahora (para ese trabajador, si se da)."""
        after = _tag_from_cursor(cursor)

        def page(tx: Tx) -> queries.SpoolPage:
            worker = _known_worker(tx, worker_id, services.shop)
            return queries.spool_page(tx, scope_for(tx, operacion, accion, worker), q, after, limit)

        found = await services.read(page)
        shop, now = services.shop, datetime.now(UTC)
        return Json(
            {
                "spools": [spool_json(spool, shop, now) for spool in found.spools],
                "total": found.total,
                "next_cursor": _cursor_from_tag(found.next_after),
            }
        )


def _add_card(app: FastAPI, services: Services) -> None:
    @app.get("/api/spools/{tag:path}", response_model=SpoolCard, responses=_ONE, tags=["spools"])
    async def card(tag: TagPath, worker_id: WorkerQuery = None) -> Json:
        """La ficha: el spool, sus uniones, lo que este trabajador puede hacer y por qué no lo demás."""
        wanted, shop = tag_from_path(tag), services.shop

        def read(tx: Tx) -> tuple[Spool, list[Joint], Worker | None, NotePage]:
            spool, joints = known_spool(tx, wanted), queries.joints_of(tx, wanted)
            return spool, joints, _known_worker(tx, worker_id, shop), notes_of(tx, wanted, NOTES_ON_CARD_MAX)

        spool, joints, worker, notes = await services.read(read)
        now = datetime.now(UTC)
        possible = offers(spool, joints, worker, now, shop) if worker else []
        not_possible = obstacles(spool, joints, worker, now, shop) if worker else []
        card = card_json(spool, joints, possible, not_possible, shop, now)
        more = notes.next_before is not None
        return Json({**card, "notas": [note_json(note, shop) for note in notes.notes], "mas_notas": more})


def _add_workers(app: FastAPI, services: Services) -> None:
    @app.get("/api/workers", response_model=WorkerList, responses=_LIST, tags=["personas"])
    async def workers(operacion: Operacion | None = None) -> Json:
        """Los activos; con `operacion`, los que pueden hacerla."""
        people = await services.read(lambda tx: queries.workers(tx, operacion, services.shop.confirmed_roles_only))
        return Json({"workers": [worker_json(person) for person in people], "total": len(people)})


def tag_from_path(raw: str) -> str:
    try:
        return clean_tag(raw)
    except ValueError as error:
        raise NotValid([{"campo": "tag", "motivo": str(error)}]) from None


def known_spool(tx: Tx, tag: str) -> Spool:
    spool = queries.spool(tx, tag)
    if spool is None:
        raise no_such_spool(tag)
    return spool


def _known_worker(tx: Tx, worker_id: int | None, shop: Shop) -> Worker | None:
    return None if worker_id is None else require_worker(tx, worker_id, shop)


def require_worker(tx: Tx, worker_id: int, shop: Shop) -> Worker:
    worker = queries.worker(tx, worker_id, shop.confirmed_roles_only)
    if worker is None:
        raise WorkerUnknown(worker_id)
    return worker


def _cursor_from_tag(tag: str | None) -> str | None:
    return base64.urlsafe_b64encode(tag.encode()).decode() if tag is not None else None


def _tag_from_cursor(cursor: str) -> str:
    try:
        return base64.b64decode(cursor, altchars=b"-_", validate=True).decode().replace("\0", "")
    except (binascii.Error, ValueError):
        raise NotValid([{"campo": "cursor", "motivo": "no es un cursor de esta lista."}]) from None


def _day(value: date | None) -> str | None:
    return value.isoformat() if value else None


def _at(value: datetime | None, shop: Shop) -> str | None:
    return iso(value, shop.zone) if value else None


def spool_json(spool: Spool, shop: Shop, now: datetime | None) -> dict[str, Any]:
    held = spool.occupation
    return {
        "tag_spool": spool.tag,
        "ot": spool.ot,
        "nv": spool.nv,
        "version_workflow": workflow(spool),
        "total_uniones": spool.total_uniones,
        "uniones_sold_necesarias": joints_needed(spool, Operacion.SOLD),
        "uniones_arm_completadas": spool.counts.armed,
        "uniones_sold_completadas": spool.counts.welded,
        "arm": spool.arm,
        "sold": spool.sold,
        "metrologia": spool.metrologia,
        "reparacion": spool.reparacion,
        "ocupado_por": held.label if held else None,
        "ocupado_por_id": held.worker_id if held else None,
        "operacion_actual": held.operacion if held else None,
        "fecha_ocupacion": _at(held.since if held else None, shop),
        "armador": spool.armador,
        "soldador": spool.soldador,
        "fecha_materiales": _day(spool.fecha_materiales),
        "fecha_armado": _day(spool.fecha_armado),
        "fecha_soldadura": _day(spool.fecha_soldadura),
        "fecha_qc_metrologia": _day(spool.fecha_qc),
        "ciclo": spool.ciclo,
        "ndt": spool.ndt,
        "estado_detalle": estado_detalle.render(spool),
        "atraso": overdue_json(spool, shop, now),
        "version": spool.version,
    }


def card_json(
    spool: Spool,
    joints: list[Joint],
    possible: list[Offer],
    not_possible: list[Obstacle],
    shop: Shop,
    now: datetime | None = None,
) -> dict[str, Any]:
    """Without `now` for a copy that is kept: it does not say what is overdue."""
    return {
        **spool_json(spool, shop, now),
        "uniones": [joint_json(joint, shop) for joint in joints if not joint.retired],
        "pulgadas_arm": inches(spool.counts.milli_armed),
        "pulgadas_sold": inches(spool.counts.milli_welded),
        "retirado": spool.retired,
        "inconsistencias": inconsistencies(spool),
        "acciones": [{"accion": offer.accion, "operacion": offer.operacion} for offer in possible],
        "motivos": [reason_json(obstacle) for obstacle in not_possible],
        "notas": [],
        "mas_notas": False,
    }


def note_json(note: Note, shop: Shop) -> dict[str, Any]:
    return {
        "seq": note.seq,
        "at": iso(note.at, shop.zone),
        "worker": note.worker,
        "worker_id": note.worker_id,
        "n_union": note.n_union,
        "texto": note.texto,
        "fotos": note.photos,
    }


def reason_json(obstacle: Obstacle) -> dict[str, Any]:
    refusal = obstacle.refusal
    return {
        "operacion": obstacle.operacion,
        "code": refusal.code,
        "detail": refusal.detail,
        "falta": refusal.context.get("falta"),
    }


def joint_json(joint: Joint, shop: Shop) -> dict[str, Any]:
    return {
        "n_union": joint.n_union,
        "dn_union": inches(joint.dn_milli) if joint.dn_milli is not None else None,
        "tipo_union": joint.tipo,
        "datos_incompletos": diameter_problem(joint),
        "arm_worker": joint.arm_worker,
        "arm_fecha_fin": _at(joint.arm_fin, shop),
        "sol_worker": joint.sol_worker,
        "sol_fecha_fin": _at(joint.sol_fin, shop),
        "ndt_union": joint.ndt_union,
        "ndt_status": joint.ndt_status,
        "wps": joint.wps,
        "espesor": from_milli(joint.espesor_milli) if joint.espesor_milli is not None else None,
        "material": joint.material,
        "posicion": joint.posicion,
        "colada_1": joint.colada_1,
        "colada_2": joint.colada_2,
    }


def worker_json(worker: Worker) -> dict[str, Any]:
    return {
        "id": worker.id,
        "nombre": worker.nombre,
        "apellido": worker.apellido,
        "label": worker.label,
        "roles": sorted(worker.roles),
    }
