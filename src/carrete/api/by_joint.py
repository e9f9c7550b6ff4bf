"""Routes of the v4.0 workflow: INICIAR, FINALIZAR, the joints that can be ticked, and a spool's workflow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import structlog
from fastapi import Path, Query
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    RetryError,
    retry_if_exception_type,
    stop_after_attempt,
    wait_exponential,
)

from carrete.actions import Outcome, Success
from carrete.actions.answer import Answer
from carrete.api.actions import ActionEndpoint, documented_problems
from carrete.api.occupation import action_answer, as_json, batch_answer, spool_worker_operation, success_body
from carrete.api.responses import Json
from carrete.api.schemas.fields import BATCH_MAX, EXAMPLE_TAG
from carrete.api.schemas.joints import (
    BatchIniciarBody,
    Diagnostic,
    FinalizarAnswer,
    FinalizarBody,
    IniciarBody,
    JointOperation,
    SoldaduraUnion,
    UnionList,
    UnionMetrics,
)
from carrete.api.schemas.occupation import ActionAnswer, BatchAnswer
from carrete.api.server.application import Application
from carrete.api.spools import known_spool, tag_from_path
from carrete.domain.commands import Command, Finalizar, Iniciar, JointWeld
from carrete.domain.events import EventoTipo
from carrete.domain.joint_work import available
from carrete.domain.joints import Joint, diameter_problem, inches
from carrete.domain.shop import Shop
from carrete.domain.spool import Operacion, Spool
from carrete.domain.version import Workflow, workflow, workflow_reason
from carrete.ledger import queries
from carrete.ledger.database import Tx
from carrete.ledger.errors import LedgerUnavailable
from carrete.services import Services

log = structlog.get_logger()

TRIES_MAX = 3
WAIT_S_MIN, WAIT_S_MAX = 2, 10

TagPath = Annotated[str, Path(description="TAG_SPOOL, percent-encoded", examples=[EXAMPLE_TAG])]
_INICIAR = {
    400: "OPERACION_YA_COMPLETADA, DEPENDENCIAS_NO_SATISFECHAS",
    403: "ROL_NO_AUTORIZADO, WORKER_INACTIVO, SPOOL_BLOQUEADO",
    404: "SPOOL_NO_ENCONTRADO, WORKER_NO_ENCONTRADO",
    409: "SPOOL_OCCUPIED, WRONG_VERSION, VERSION_CONFLICT",
}
_FINALIZAR = {
    400: "OPERACION_NO_INICIADA, UNION_NO_DISPONIBLE, SOLDADOR_NO_CALIFICADO",
    403: "NO_AUTORIZADO, ROL_NO_AUTORIZADO, WORKER_INACTIVO, SPOOL_BLOQUEADO",
    404: "SPOOL_NO_ENCONTRADO, WORKER_NO_ENCONTRADO",
    409: "WRONG_VERSION, VERSION_CONFLICT",
}
_ONE = documented_problems({404: "SPOOL_NO_ENCONTRADO", 422: "DATOS_INVALIDOS", 503: "LEDGER_UNAVAILABLE"})
_DIAGNOSTIC = documented_problems({404: "SPOOL_NO_ENCONTRADO", 422: "DATOS_INVALIDOS"})


def add(app: Application, services: Services, wait_s_min: float = WAIT_S_MIN) -> None:
    _add_actions(app, services)

    @app.get("/api/v4/uniones/{tag:path}/disponibles", response_model=UnionList, responses=_ONE, tags=["uniones"])
    async def disponibles(tag: TagPath, operacion: Annotated[JointOperation, Query()]) -> Json:
        """Las uniones que se pueden marcar ahora."""
        _, joints = await services.read(lambda tx: _with_joints(tx, tag_from_path(tag)))
        found = [union_json(j) for j in joints if available(j, Operacion(operacion), services.shop)]
        return Json({"unions": found, "count": len(found)})

    @app.get("/api/v4/uniones/{tag:path}/metricas", response_model=UnionMetrics, responses=_ONE, tags=["uniones"])
    async def metricas(tag: TagPath) -> Json:
        """Uniones y pulgadas hechas."""
        return Json(metrics_json(await services.read(lambda tx: known_spool(tx, tag_from_path(tag)))))

    @app.get("/api/diagnostic/{tag:path}/version", response_model=Diagnostic, responses=_DIAGNOSTIC, tags=["uniones"])
    async def diagnostic(tag: TagPath) -> Json:
        """Qué flujo tiene el spool y por qué; si el registro no responde, v3.0 con el motivo."""
        wanted = tag_from_path(tag)
        try:
            return Json(diagnostic_json(await _read_with_retries(services, wanted, wait_s_min)))
        except RetryError:
            log.error("version not detected, v3.0 is answered", tag=wanted)
            return Json(_unknown_workflow(wanted, "el registro no responde; se supone v3.0"))


def _add_actions(app: Application, services: Services) -> None:
    iniciar = ActionEndpoint(
        services,
        "/api/v4/occupation/iniciar",
        IniciarBody,
        lambda body: (Iniciar(*spool_worker_operation(body), version=body.version),),
        lambda commands, outcomes: action_answer(commands[0], outcomes[0], services.shop),
    )
    several = ActionEndpoint(
        services,
        "/api/v4/occupation/batch-iniciar",
        BatchIniciarBody,
        lambda b: [Iniciar(tag, b.worker_id, Operacion(b.operacion), version=b.version) for tag in b.tag_spools],
        batch_answer,
    )
    finalizar = ActionEndpoint(
        services,
        "/api/v4/occupation/finalizar",
        FinalizarBody,
        lambda body: (_finalizar(body),),
        lambda commands, outcomes: finalizar_answer(commands, outcomes, services.shop),
    )
    app.add_action(iniciar, ActionAnswer, _INICIAR, "INICIAR un spool (v4.0): lo ocupa, no toca uniones")
    app.add_action(several, BatchAnswer, {}, f"INICIAR hasta {BATCH_MAX} spools (v4.0), cada uno por su cuenta")
    app.add_action(finalizar, FinalizarAnswer, _FINALIZAR, "FINALIZAR con las uniones hechas (v4.0)")


def _finalizar(body: FinalizarBody) -> Finalizar:
    where = spool_worker_operation(body)
    return Finalizar(*where, tuple(body.selected_unions), weld_data(body.soldadura), version=body.version)


def weld_data(soldadura: Sequence[SoldaduraUnion] | None) -> tuple[JointWeld, ...]:
    return tuple(JointWeld(each.n_union, each.wps, each.colada_1, each.colada_2) for each in soldadura or ())


def finalizar_answer(commands: Sequence[Command], outcomes: Sequence[Outcome], shop: Shop) -> Answer:
    (outcome,) = outcomes
    if not isinstance(outcome, Success):
        return action_answer(commands[0], outcome, shop)
    return Answer(200, as_json({**success_body(commands[0], outcome, shop), **finish_figures(outcome)}))


def finish_figures(done: Success) -> dict[str, Any]:
    """What the answer to a FINALIZAR has besides."""
    change = done.change
    return {
        "unions_processed": len(change.joints),
        "pulgadas": inches(sum(joint.dn_milli or 0 for joint in change.joints)),
        "metrologia_triggered": any(event.tipo is EventoTipo.METROLOGIA_AUTO_TRIGGERED for event in change.events),
    }


def _with_joints(tx: Tx, tag: str) -> tuple[Spool, list[Joint]]:
    return known_spool(tx, tag), queries.joints_of(tx, tag)


async def _read_with_retries(services: Services, tag: str, wait_s_min: float) -> Spool:
    """Rule 1: three tries, with waits from 2 s to 10 s, before v3.0 is answered by default."""
    retrying = AsyncRetrying(
        stop=stop_after_attempt(TRIES_MAX),
        wait=wait_exponential(multiplier=wait_s_min, max=WAIT_S_MAX),
        retry=retry_if_exception_type(LedgerUnavailable),
        after=lambda state: _log_failed_try(tag, state),
    )
    async for attempt in retrying:
        with attempt:
            return await services.read(lambda tx: known_spool(tx, tag))
    raise AssertionError("tenacity either returns or raises")


def _log_failed_try(tag: str, state: RetryCallState) -> None:
    """The reason may name a file or a host, so it goes only to the log."""
    reason = str(state.outcome.exception()) if state.outcome else ""
    log.warning("version not detected", tag=tag, attempt=state.attempt_number, of=TRIES_MAX, reason=reason)


def union_json(joint: Joint) -> dict[str, Any]:
    """A joint without a readable diameter can be worked, but counts no inches; `datos_incompletos` says so."""
    body = {
        "n_union": joint.n_union,
        "dn_union": inches(joint.dn_milli) if joint.dn_milli is not None else None,
        "tipo_union": joint.tipo,
    }
    why = diameter_problem(joint)
    return {**body, "datos_incompletos": why} if why else body


def metrics_json(spool: Spool) -> dict[str, Any]:
    counts = spool.counts
    return {
        "total_uniones": spool.total_uniones or 0,
        "arm_completadas": counts.armed,
        "sold_completadas": counts.welded,
        "pulgadas_arm": inches(counts.milli_armed),
        "pulgadas_sold": inches(counts.milli_welded),
    }


def diagnostic_json(spool: Spool) -> dict[str, Any]:
    return {
        "tag_spool": spool.tag,
        "version": workflow(spool),
        "union_count": max(0, spool.total_uniones or 0),
        "detection_logic": workflow_reason(spool),
        "uniones_rows": spool.counts.rows,
        "consistent": spool.total_uniones_text is None and spool.counts.rows == max(0, spool.total_uniones or 0),
    }


def _unknown_workflow(tag: str, reason: str) -> dict[str, Any]:
    return {
        "tag_spool": tag,
        "version": Workflow.V3,
        "union_count": 0,
        "detection_logic": reason,
        "uniones_rows": None,
        "consistent": None,
    }
