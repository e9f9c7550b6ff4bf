"""Routes of the inspection and of a supervisor's commands: METROLOGIA, LIBERAR, DESBLOQUEAR, CORREGIR."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from carrete.api.actions import ActionEndpoint
from carrete.api.occupation import action_answer
from carrete.api.schemas.fields import Body
from carrete.api.schemas.occupation import ActionAnswer
from carrete.api.schemas.quality import CorregirBody, InspectionBody, SupervisorBody
from carrete.api.server.application import Application
from carrete.domain.commands import Command, Corregir, Desbloquear, Inspeccionar, Liberar
from carrete.domain.spool import Operacion
from carrete.services import Services

B = TypeVar("B", bound=Body)

_WHO = "SPOOL_NO_ENCONTRADO, WORKER_NO_ENCONTRADO"
_INSPECT = {
    400: "DEPENDENCIAS_NO_SATISFECHAS, OPERACION_NO_DISPONIBLE, OPERACION_YA_COMPLETADA, NDT_PENDIENTE",
    403: "ROL_NO_AUTORIZADO, WORKER_INACTIVO, SPOOL_BLOQUEADO",
    404: _WHO,
    409: "SPOOL_OCCUPIED, VERSION_CONFLICT",
}
_RELEASE = {
    400: "OPERACION_NO_INICIADA",
    403: "ROL_NO_AUTORIZADO, WORKER_INACTIVO",
    404: _WHO,
    409: "VERSION_CONFLICT",
}
_UNBLOCK = {
    400: "OPERACION_NO_DISPONIBLE",
    403: "ROL_NO_AUTORIZADO, WORKER_INACTIVO",
    404: _WHO,
    409: "SPOOL_OCCUPIED, VERSION_CONFLICT",
}
_CORRECT = {
    400: "OPERACION_NO_DISPONIBLE, UNION_NO_DISPONIBLE",
    403: "ROL_NO_AUTORIZADO, WORKER_INACTIVO, SPOOL_BLOQUEADO",
    404: _WHO,
    409: "SPOOL_OCCUPIED, VERSION_CONFLICT",
}


def add(app: Application, services: Services) -> None:
    def one(path: str, body: type[B], command: Callable[[B], Command], refusals: dict[int, str], what: str) -> None:
        endpoint = ActionEndpoint(
            services,
            path,
            body,
            lambda b: (command(b),),
            lambda commands, outcomes: action_answer(commands[0], outcomes[0], services.shop),
        )
        app.add_action(endpoint, ActionAnswer, refusals, what)

    one("/api/metrologia/completar", InspectionBody, _inspection, _INSPECT, "Aprobar o rechazar un spool")
    one("/api/metrologia/desbloquear", SupervisorBody, _unblocking, _UNBLOCK, "Levantar el bloqueo de un spool")
    one("/api/occupation/liberar", SupervisorBody, _release, _RELEASE, "Liberar un spool que otro tiene")
    one("/api/occupation/corregir", CorregirBody, _correction, _CORRECT, "Reabrir lo completado por error")


def _inspection(body: InspectionBody) -> Command:
    return Inspeccionar(body.tag_spool, body.worker_id, body.resultado, version=body.version)


def _unblocking(body: SupervisorBody) -> Command:
    return Desbloquear(body.tag_spool, body.supervisor_id, body.motivo, version=body.version)


def _release(body: SupervisorBody) -> Command:
    return Liberar(body.tag_spool, body.supervisor_id, body.motivo, version=body.version)


def _correction(body: CorregirBody) -> Command:
    unions = None if body.unions is None else tuple(body.unions)
    operacion = Operacion(body.operacion)
    return Corregir(body.tag_spool, body.supervisor_id, body.motivo, operacion, unions, version=body.version)
