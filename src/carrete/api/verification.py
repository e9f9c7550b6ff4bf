"""POST /api/sistema/verificar: `carrete verify` for an administrator's page, with receipts that a tablet kept."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from fastapi import FastAPI, Request

from carrete.api.administration import body_of, changing
from carrete.api.responses import Json
from carrete.api.schemas.verification import VerificacionOut, VerificarBody
from carrete.domain.trail.files import RECEIPTS
from carrete.findings import Language
from carrete.ledger.errors import LedgerUnavailable
from carrete.services import Services

VERIFY_S_MAX = 120.0
_CHILD = (sys.executable, "-P", "-m", "carrete.verification.child")


def add(app: FastAPI, services: Services) -> None:
    turn = asyncio.Lock()  # one at a time: each reads the whole trail

    @app.post("/api/sistema/verificar", **changing(VerificacionOut, VerificarBody, "sistema"))
    async def verify(request: Request, idioma: Language = "es") -> Json:
        """Calcula de nuevo la cadena del registro y la compara con sus testigos y con estos recibos. No cambia nada."""
        from carrete.verification.child import task_for  # seldom asked for

        body = await body_of(VerificarBody, request)
        kept = [each.model_dump(exclude_none=True) for each in body.recibos]
        text = json.dumps({RECEIPTS: kept, "dispositivo": body.dispositivo}) if kept else ""
        async with turn:
            return Json(await _by_child(task_for(services.settings, text, idioma)))


async def _by_child(task: dict[str, Any]) -> dict[str, Any]:
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(*_CHILD, stdin=pipe, stdout=pipe)
    try:
        async with asyncio.timeout(VERIFY_S_MAX):
            answer, _ = await child.communicate(json.dumps(task).encode())
        result: dict[str, Any] = json.loads(answer)
    except (TimeoutError, ValueError):
        raise LedgerUnavailable("the trail could not be verified in time") from None
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if failed := result.get("failed"):
        raise LedgerUnavailable(failed)
    return result
