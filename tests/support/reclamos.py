"""Chains and reclamos as a test needs them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import httpx

from carrete.domain.commands import WorkItem
from carrete.domain.reclamo import Reclamo
from carrete.domain.workers import Worker
from tests.support.answers import done
from tests.support.builders import NOW, TAG
from tests.support.people import MR, SV
from tests.support.tablet import Json, Tablet

CADENA, RECLAMOS = "/api/occupation/cadena", "/api/reclamos"


def a_reclamo(id_: str, tag: str, worker: Worker, work: Sequence[WorkItem], at: datetime = NOW) -> Reclamo:
    steps: list[Json] = [
        {"accion": "COMPLETAR", "operacion": item.operacion.value} for item in work if item.n_union is None
    ]
    steps += [
        {"accion": "FINALIZAR", "operacion": item.operacion.value, "uniones": [item.n_union]}
        for item in work
        if item.n_union is not None
    ]
    refused = ("NO_AUTORIZADO", "Lo tiene otra persona.")
    return Reclamo(id_, tag, worker.id, worker.label, tuple(work), steps, 1, *refused, {}, at)


def paso(accion: str, operacion: str = "ARM", *unions: int, **more: Any) -> Json:
    ticked = {"uniones": list(unions)} if accion == "FINALIZAR" else {}
    return {"accion": accion, "operacion": operacion, **ticked, **more}


def cadena(tablet: Tablet, *pasos: Json, tag: str = TAG, worker: Worker = MR, key: str | None = None) -> httpx.Response:
    return tablet.post(CADENA, {"tag_spool": tag, "worker_id": worker.id, "pasos": list(pasos)}, key=key)


def pending(tablet: Tablet, **query: Any) -> list[Json]:
    found: list[Json] = tablet.see(RECLAMOS, **query)["reclamos"]
    return found


def resolver(
    tablet: Tablet, reclamo: str, *items: tuple[str, int | None], dia: str, key: str | None = None, who: Worker = SV
) -> httpx.Response:
    body = {
        "supervisor_id": who.id,
        "aceptar": [{"operacion": operacion, "n_union": n_union} for operacion, n_union in items],
        "dia": dia,
        "motivo": "Visto en el taller",
    }
    return tablet.post(f"{RECLAMOS}/{reclamo}/resolver", body, key=key)


def accepted(tablet: Tablet, reclamo: str, *items: tuple[str, int | None], dia: str) -> Json:
    return done(resolver(tablet, reclamo, *items, dia=dia))
