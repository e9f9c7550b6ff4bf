"""Examinations of welds (NDT) in a campaign: what people know about them, and what should have happened."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from carrete_chaos.history import ActionCall, ActionDone, ActionRefused

REQUEST, RESULT, REPAIR = "ndt/solicitar", "ndt/resultado", "ndt/reparar"
NDT_ACTIONS = (REQUEST, RESULT, REPAIR)
SETTINGS: Mapping[str, Any] = {
    "ndt_reglas": [
        {"metodo": "RT", "porcentaje": 25, "tipos": ["BW"]},
        {"metodo": "PT", "porcentaje": 10, "tipos": ["BW"]},
        {"metodo": "VT", "porcentaje": 60},  # also of v3.0 spools
    ],
    "ndt_adicionales": 2,
}
METHODS = ("RT", "PT", "UT")
WELDS_KEPT = 40

WAS_REQUESTED = "an examination was asked for by hand"
WAS_PASSED = "an examination was passed"
WAS_REJECTED = "an examination was rejected"
WAS_REPAIRED = "a rejected joint was repaired"
REPAIRED_AGAIN = "a joint was repaired a second time"
DECIDED_ALREADY = "a second result of an examination was refused"
NOT_APPROVED = "the approval of a spool with an open examination was refused"
NDT_HAPPENINGS = (WAS_REQUESTED, WAS_PASSED, WAS_REJECTED)
NDT_WITH_TIME = (WAS_REPAIRED, REPAIRED_AGAIN, DECIDED_ALREADY, NOT_APPROVED)  # each needs some of those before


@dataclass(slots=True)
class ExamBoard:
    """What people of the campaign know about welds and examinations. Much of it is out of date."""

    welds: deque[tuple[str, tuple[int, ...]]] = field(default_factory=lambda: deque(maxlen=WELDS_KEPT))
    pending: Sequence[Mapping[str, Any]] = ()  # as the work list shows them
    to_repair: Sequence[Mapping[str, Any]] = ()

    def learn(self, call: ActionCall) -> None:
        """Adds what this call says about welds and examinations to what people know."""
        if isinstance(call.outcome, ActionDone) and call.operacion == "SOLD":
            if call.accion == "completar":
                self.welds.append((call.tag, ()))
            elif call.accion == "finalizar" and call.more.get("selected_unions"):
                self.welds.append((call.tag, tuple(call.more["selected_unions"])))


def count_happenings(call: ActionCall, happened: Counter[str]) -> None:
    match call.outcome:
        case ActionDone():
            happened[WAS_REQUESTED] += call.accion == REQUEST
            happened[WAS_PASSED] += call.more.get("resultado") == "APROBADO" and call.accion == RESULT
            happened[WAS_REJECTED] += call.more.get("resultado") == "RECHAZADO" and call.accion == RESULT
            happened[WAS_REPAIRED] += call.accion == REPAIR
            happened[REPAIRED_AGAIN] += call.accion == REPAIR and call.more.get("ronda", 0) > 0
        case ActionRefused(code="ENSAYO_CERRADO"):
            happened[DECIDED_ALREADY] += 1
        case ActionRefused(code="NDT_PENDIENTE"):
            happened[NOT_APPROVED] += 1
