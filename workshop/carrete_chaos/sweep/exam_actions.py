"""Actions about examinations of welds (NDT): asked for, rejected, repaired, and welds that a rule samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from carrete.domain.commands import Command, Finalizar, Resultado, ResultadoNdt, SolicitarNdt
from carrete.domain.spool import Operacion
from carrete_chaos import shop
from carrete_chaos.ndt_log import SETTINGS
from carrete_chaos.sweep.acting import ALL_JOINTS, JOINTED, KEY, WELDING, WHOLE, WORKER, Action, Finish, fill, tap_all
from carrete_chaos.sweep.http import HttpAnswer, post

_WELDED = (*WELDING, Finalizar(JOINTED, WORKER, Operacion.SOLD, unions=ALL_JOINTS))
_REQUEST = SolicitarNdt(JOINTED, shop.SUPERVISOR, "RT", (1, 2))
_EXAM = "SELECT id FROM ndt WHERE n_union = 1 ORDER BY n"


class ExamAction(Action):
    """Rules and additional joints are in force only in the server that is killed: what was done before asked for
    nothing by itself."""

    settings: ClassVar[Mapping[str, Any]] = SETTINGS

    def prepare(self) -> None:
        fill(self.ledger.url, len(WHOLE), self.done_before, self.settings)

    def _exam(self) -> str:
        return str(self.ledger.ask(_EXAM)[0][0])


class RequestExams(ExamAction):
    name = "ndt-request"
    what = "an examination of three joints is asked for"
    path = "/api/ndt/solicitar"
    body: ClassVar[dict[str, Any]] = {
        **{"tag_spool": JOINTED, "supervisor_id": shop.SUPERVISOR, "metodo": "RT"},
        "unions": [1, 2, 3],
    }
    done_before = _WELDED


class RejectExam(ExamAction):
    """The result, its event, the joint's columns, and two more joints of the welder in one commit."""

    name = "ndt-result"
    what = "an examination is rejected, which calls for two more joints"
    path = "/api/ndt/resultado"
    body: ClassVar[dict[str, Any]] = {
        **{"tag_spool": JOINTED, "worker_id": shop.INSPECTOR, "resultado": "RECHAZADO"},
        **{"informe": "RT-1", "defectos": ["POROSIDAD"]},
    }
    done_before = (*_WELDED, _REQUEST)

    def _ask(self, port: int) -> HttpAnswer | None:
        return post(port, self.path, {**self.body, "examen": self._exam()}, KEY)


class RepairJoint(ExamAction):
    name = "ndt-repair"
    what = "a rejected joint is repaired, which asks for its re-examination"
    path = "/api/ndt/reparar"
    body: ClassVar[dict[str, Any]] = {"tag_spool": JOINTED, "worker_id": WORKER, "n_union": 1}
    done_before = (*_WELDED, _REQUEST)

    def prepare(self) -> None:
        super().prepare()
        tap_all(self.ledger.url, [self._rejection()])

    def _rejection(self) -> Command:
        rejected = Resultado.RECHAZADO
        return ResultadoNdt(JOINTED, shop.INSPECTOR, self._exam(), rejected, "RT-1", defectos=("POROSIDAD",))


class SampledWeld(ExamAction):
    """Twelve welds, the counters of three rules, and the examinations of the welds that they select."""

    name = "sampled-weld"
    what = "FINALIZAR of twelve joints, of which rules select some for examination"
    path = Finish.path
    body = Finish.body
    done_before = WELDING
