"""The taps of the inspector and of the supervisor."""

from __future__ import annotations

from typing import Any

import httpx

from tests.support.builders import TAG
from tests.support.people import MI, SV
from tests.support.tablet import Tablet

MOTIVO = "Turno terminado"


def inspect(
    tablet: Tablet, resultado: str, tag: str = TAG, worker_id: int = MI.id, *, key: str | None = None, **more: Any
) -> httpx.Response:
    body = {"tag_spool": tag, "worker_id": worker_id, "resultado": resultado, **more}
    return tablet.post("/api/metrologia/completar", body, key=key)


def supervise(
    tablet: Tablet,
    accion: str,
    tag: str = TAG,
    supervisor_id: int = SV.id,
    motivo: str = MOTIVO,
    *,
    key: str | None = None,
    **more: Any,
) -> httpx.Response:
    """`liberar`, `desbloquear` or `corregir`."""
    where = "metrologia" if accion == "desbloquear" else "occupation"
    body = {"tag_spool": tag, "supervisor_id": supervisor_id, "motivo": motivo, **more}
    return tablet.post(f"/api/{where}/{accion}", body, key=key)
