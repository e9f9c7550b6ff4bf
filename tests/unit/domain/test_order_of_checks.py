"""Rule 12: when several things are wrong at once, the first in the order is the answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import pytest

from carrete.domain.commands import Command, Corregir, Desbloquear, Inspeccionar, Liberar, Resultado, Tomar, Work
from carrete.domain.decide import Case, decide
from carrete.domain.refusals import Refusal
from carrete.domain.spool import Estado, Metrologia, Operacion, Reparacion, Spool
from carrete.domain.workers import Rol, Worker
from tests.support.builders import (
    EARLIER,
    NOW,
    SHOP,
    TAG,
    a_blocked_spool,
    a_finished_spool,
    a_joint,
    a_rejected_spool,
    a_spool,
    a_worker,
    held,
)
from tests.support.floor import ENDINGS, LOCK, refusal

ARM, SOLD, REPARACION = Operacion.ARM, Operacion.SOLD, Operacion.REPARACION
MR = a_worker()
LP = a_worker(7, "Luis", "Pérez")


@dataclass
class Situation:
    """A call that would succeed, before things go wrong with it."""

    kind: type[Work]
    operacion: Operacion
    spool: Spool | None
    worker: Worker | None = MR
    version: str | None = None

    def go_wrong(self, how: str) -> None:
        match how:
            case "WORKER_NO_ENCONTRADO":
                self.worker = None
            case "SPOOL_NO_ENCONTRADO":
                self.spool = None
            case "WORKER_INACTIVO":
                self.worker = replace(self.worker, activo=False) if self.worker else None
            case "ROL_NO_AUTORIZADO":
                self.worker = replace(self.worker, roles=frozenset()) if self.worker else None
            case _ if self.spool is not None:
                self.spool = self._spool_gone_wrong(self.spool, how)
        if how == "VERSION_CONFLICT":
            self.version = "an older token"

    def _spool_gone_wrong(self, spool: Spool, how: str) -> Spool:
        match how:
            case "WRONG_VERSION":
                return replace(spool, total_uniones=10)
            case "SPOOL_BLOQUEADO":
                return replace(spool, metrologia=Metrologia.BLOQUEADO)
            case "SPOOL_OCCUPIED" | "NO_AUTORIZADO":
                other = held(replace(spool, occupation=None), LP, self.operacion).occupation
                return replace(spool, occupation=other)
            case "OPERACION_NO_INICIADA":  # held, but for another operation
                assert spool.occupation is not None
                other_operacion = SOLD if self.operacion is ARM else ARM
                return replace(spool, occupation=spool.occupation._replace(operacion=other_operacion))
            case "OPERACION_YA_COMPLETADA":
                return spool.with_estado(self.operacion, Estado.COMPLETADO)
            case "OPERACION_NO_DISPONIBLE":
                return replace(spool, reparacion=Reparacion.NO_REQUERIDA)
            case "DEPENDENCIAS_NO_SATISFECHAS":
                return replace(spool, fecha_materiales=None)
        return spool


KNOWN = ["WORKER_NO_ENCONTRADO", "SPOOL_NO_ENCONTRADO"]
PERSON = ["WORKER_INACTIVO", "ROL_NO_AUTORIZADO"]
TAKING = [
    *(*KNOWN, *PERSON, "WRONG_VERSION", "SPOOL_BLOQUEADO", "SPOOL_OCCUPIED", "VERSION_CONFLICT"),
    *("OPERACION_YA_COMPLETADA", "DEPENDENCIAS_NO_SATISFECHAS"),
]
TAKING_FOR_REPAIR = [
    *(*KNOWN, "WORKER_INACTIVO", "SPOOL_BLOQUEADO", "SPOOL_OCCUPIED", "VERSION_CONFLICT"),
    *("OPERACION_NO_DISPONIBLE", "DEPENDENCIAS_NO_SATISFECHAS"),
]
ENDING = [
    *(*KNOWN, *PERSON, "WRONG_VERSION", "SPOOL_BLOQUEADO", "NO_AUTORIZADO", "OPERACION_NO_INICIADA"),
    "VERSION_CONFLICT",
]
ENDING_A_REPAIR = [code for code in ENDING if code not in ("ROL_NO_AUTORIZADO", "WRONG_VERSION")]


def free_for(operacion: Operacion) -> Spool:
    return a_rejected_spool() if operacion is REPARACION else a_spool(armador="LP(7)")


def pairs(order: list[str]) -> list[tuple[str, str]]:
    return list(combinations(order, 2))


@pytest.mark.parametrize("operacion", [ARM, SOLD])
@pytest.mark.parametrize(("first", "second"), pairs(TAKING))
def test_taking_answers_with_the_earlier_of_two_reasons(first: str, second: str, operacion: Operacion) -> None:
    assert answer(Situation(Tomar, operacion, free_for(operacion)), first, second) == first


@pytest.mark.parametrize(("first", "second"), pairs(TAKING_FOR_REPAIR))
def test_taking_for_repair_answers_with_the_earlier_of_two_reasons(first: str, second: str) -> None:
    assert answer(Situation(Tomar, REPARACION, free_for(REPARACION)), first, second) == first


@pytest.mark.parametrize("kind", ENDINGS)
@pytest.mark.parametrize("operacion", [ARM, SOLD])
@pytest.mark.parametrize(("first", "second"), pairs(ENDING))
def test_ending_answers_with_the_earlier_of_two_reasons(
    kind: type[Work], operacion: Operacion, first: str, second: str
) -> None:
    begun = held(free_for(operacion), MR, operacion)
    assert answer(Situation(kind, operacion, begun), first, second) == first


@pytest.mark.parametrize("kind", ENDINGS)
@pytest.mark.parametrize(("first", "second"), pairs(ENDING_A_REPAIR))
def test_ending_a_repair_answers_with_the_earlier_of_two_reasons(kind: type[Work], first: str, second: str) -> None:
    begun = held(free_for(REPARACION), MR, REPARACION)
    assert answer(Situation(kind, REPARACION, begun), first, second) == first


@pytest.mark.parametrize(
    ("kind", "operacion", "order"),
    [(Tomar, ARM, TAKING), (Tomar, REPARACION, TAKING_FOR_REPAIR)]
    + [(kind, SOLD, ENDING) for kind in ENDINGS]
    + [(kind, REPARACION, ENDING_A_REPAIR) for kind in ENDINGS],
)
def test_with_everything_wrong_from_some_check_on_that_check_answers(
    kind: type[Work], operacion: Operacion, order: list[str]
) -> None:
    for place, first in enumerate(order):
        spool = free_for(operacion) if kind is Tomar else held(free_for(operacion), MR, operacion)
        assert answer(Situation(kind, operacion, spool), *order[place:]) == first


def test_a_second_tap_with_an_old_token_is_told_that_the_spool_changed() -> None:
    assert refusal(Tomar, held(a_spool(), MR), MR, version="older").code == "VERSION_CONFLICT"


def test_a_spool_held_by_another_for_another_operation_is_refused_as_not_yours() -> None:
    for kind in ENDINGS:
        assert refusal(kind, held(a_spool(), LP, ARM), MR, SOLD).code == "NO_AUTORIZADO"


def answer(situation: Situation, *reasons: str) -> str:
    """Later reasons first, so that an unknown worker or spool does not hide what else is wrong."""
    for how in sorted(reasons, key=lambda how: how in ("NO_AUTORIZADO", "SPOOL_OCCUPIED")):
        if how not in KNOWN:
            situation.go_wrong(how)
    for how in reasons:
        if how in KNOWN:
            situation.go_wrong(how)
    kind, operacion = situation.kind, situation.operacion
    return refusal(kind, situation.spool, situation.worker, operacion, version=situation.version).code


# ─── the inspector and the supervisor ─────────────────────────────────────────────────────────────────────────

EVERYBODY = a_worker(roles=(Rol.METROLOGIA, Rol.SUPERVISOR))
REASON = "Turno terminado"
INSPECTING = [*KNOWN, *PERSON, "SPOOL_BLOQUEADO", "SPOOL_OCCUPIED", "VERSION_CONFLICT"]
FREEING = [*KNOWN, *PERSON, "OPERACION_NO_INICIADA", "VERSION_CONFLICT"]
UNBLOCKING = [*KNOWN, *PERSON, "SPOOL_OCCUPIED", "VERSION_CONFLICT", "OPERACION_NO_DISPONIBLE"]
CORRECTING = [*INSPECTING, "OPERACION_NO_DISPONIBLE"]
INSTANT: dict[str, tuple[Command, Spool, list[str]]] = {
    "inspect": (
        Inspeccionar(TAG, EVERYBODY.id, Resultado.APROBADO),
        a_finished_spool(),
        [*INSPECTING, "OPERACION_YA_COMPLETADA"],
    ),
    "inspect what is to be repaired": (
        Inspeccionar(TAG, EVERYBODY.id, Resultado.RECHAZADO),
        a_finished_spool(),
        [*INSPECTING, "OPERACION_NO_DISPONIBLE"],
    ),
    "inspect what is not done": (
        Inspeccionar(TAG, EVERYBODY.id, Resultado.APROBADO),
        a_finished_spool(),
        [*INSPECTING, "DEPENDENCIAS_NO_SATISFECHAS"],
    ),
    "free": (Liberar(TAG, EVERYBODY.id, REASON), held(a_spool(), LP), FREEING),
    "unblock": (Desbloquear(TAG, EVERYBODY.id, REASON), a_blocked_spool(), UNBLOCKING),
    "correct ARM": (Corregir(TAG, EVERYBODY.id, REASON, ARM), a_finished_spool(), CORRECTING),
    "correct the inspection": (
        Corregir(TAG, EVERYBODY.id, REASON, Operacion.METROLOGIA),
        a_rejected_spool(),
        CORRECTING,
    ),
    "correct joints": (
        Corregir(TAG, EVERYBODY.id, REASON, ARM, (1,)),
        a_finished_spool(total_uniones=1),
        [*INSPECTING, "UNION_NO_DISPONIBLE"],
    ),
}
ARMED = a_joint(1, arm_inicio=EARLIER, arm_fin=EARLIER, arm_worker="LP(7)")


def gone_wrong(spool: Spool, how: str) -> Spool:
    match how:
        case "SPOOL_BLOQUEADO":
            return replace(spool, metrologia=Metrologia.BLOQUEADO)
        case "SPOOL_OCCUPIED":
            return replace(spool, occupation=held(a_spool(), LP).occupation)
        case "OPERACION_NO_INICIADA":
            return replace(spool, occupation=None)
        case "OPERACION_YA_COMPLETADA":
            return replace(spool, metrologia=Metrologia.APROBADO)
        case "OPERACION_NO_DISPONIBLE" if spool.metrologia is Metrologia.EN_COLA:
            return replace(spool, metrologia=Metrologia.RECHAZADO, arm=Estado.PAUSADO)
        case "OPERACION_NO_DISPONIBLE":
            return replace(spool, metrologia=Metrologia.PENDIENTE)
        case "DEPENDENCIAS_NO_SATISFECHAS":
            return replace(spool, metrologia=Metrologia.PENDIENTE)
    return spool


def first_refusal(command: Command, spool: Spool, *reasons: str) -> str:
    """The code of the refusal, with all of these wrong at once; BLOQUEADO last, which other wrongs would lift."""
    worker, known = EVERYBODY, spool
    for how in sorted(reasons, key=lambda how: how == "SPOOL_BLOQUEADO"):
        known = gone_wrong(known, how)
    if "WORKER_INACTIVO" in reasons:
        worker = replace(worker, activo=False)
    if "ROL_NO_AUTORIZADO" in reasons:
        worker = replace(worker, roles=frozenset())
    if "VERSION_CONFLICT" in reasons:
        command = replace(command, version="an older token")
    joints = [] if "UNION_NO_DISPONIBLE" in reasons else [ARMED]
    case = Case(
        None if "SPOOL_NO_ENCONTRADO" in reasons else known,
        None if "WORKER_NO_ENCONTRADO" in reasons else worker,
        NOW,
        SHOP,
        LOCK,
        joints,
    )
    with pytest.raises(Refusal) as refusal:
        decide(command, case)
    return refusal.value.code


@pytest.mark.parametrize("what", list(INSTANT))
def test_before_anything_goes_wrong_it_succeeds(what: str) -> None:
    command, spool, _ = INSTANT[what]
    assert decide(command, Case(spool, EVERYBODY, NOW, SHOP, LOCK, [ARMED])).events


@pytest.mark.parametrize(
    ("what", "first", "second"),
    [(what, *pair) for what, (_, _, order) in INSTANT.items() for pair in pairs(order)],
)
def test_inspecting_and_supervising_answer_with_the_earlier_of_two_reasons(what: str, first: str, second: str) -> None:
    command, spool, _ = INSTANT[what]
    assert first_refusal(command, spool, first, second) == first


@pytest.mark.parametrize("what", list(INSTANT))
def test_with_everything_wrong_from_some_check_on_it_answers_there_too(what: str) -> None:
    command, spool, order = INSTANT[what]
    for place, first in enumerate(order):
        assert first_refusal(command, spool, *order[place:]) == first


@pytest.mark.parametrize("total", [None, 10])
def test_a_supervisor_frees_whatever_workflow_and_block(total: int | None) -> None:
    """Nobody is stuck with a spool because it was blocked, or became another version, in their hands."""
    spool = held(a_blocked_spool(total_uniones=total), LP, REPARACION)
    assert decide(Liberar(TAG, EVERYBODY.id, REASON), Case(spool, EVERYBODY, NOW, SHOP, LOCK)).events
