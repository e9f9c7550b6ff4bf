"""Decides a command: the checks in the order of rule 12, then the rule of that command. Every action comes here."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from carrete.domain import occupation, shift_end, supervision
from carrete.domain.change import Change
from carrete.domain.commands import (
    Anotar,
    Cancelar,
    Command,
    Completar,
    Corregir,
    Desbloquear,
    Finalizar,
    Iniciar,
    Inspeccionar,
    Liberar,
    NdtCommand,
    Pausar,
    RelevoCommand,
    RepararUnion,
    ResultadoNdt,
    Seguir,
    SolicitarNdt,
    Supervise,
    Tomar,
    Work,
)
from carrete.domain.inspection import inspect
from carrete.domain.joint_work import finish
from carrete.domain.joints import Joint
from carrete.domain.ndt.actions import decide_ndt
from carrete.domain.ndt.case import NO_NDT, NdtCase
from carrete.domain.notes import add_note
from carrete.domain.qualification import NO_WELD_RECORD, WeldRecord
from carrete.domain.refusals import (
    NotBegun,
    NotTheHolder,
    RoleMissing,
    SpoolBlocked,
    SpoolOccupied,
    VersionConflict,
    WorkerInactive,
    WorkerUnknown,
    WrongVersion,
    no_such_spool,
)
from carrete.domain.relevo import NO_RELEVO, RelevoCase, decide_relevo, require_party
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso, today
from carrete.domain.spool import ARM, COMPLETADO, REPARACION, SOLD, Metrologia, Operacion, Spool
from carrete.domain.version import V4, workflow
from carrete.domain.workers import ROLES_FOR, Rol, Worker

# The call to make instead, for a command of the wrong workflow.
USE_INSTEAD: dict[type[Command], str] = {
    Tomar: "/api/v4/occupation/iniciar",
    Iniciar: "/api/occupation/tomar",
    Finalizar: "/api/occupation/completar",
}
USE_FINALIZAR = "/api/v4/occupation/finalizar"


class Case(NamedTuple):
    """Everything that a decision may depend on."""

    spool: Spool | None
    worker: Worker | None
    now: datetime
    shop: Shop
    lock: str  # the value of the lock that a taker would hold
    joints: Sequence[Joint] = ()
    relevo: RelevoCase = NO_RELEVO  # of a hand-over only
    welds: WeldRecord = NO_WELD_RECORD  # of welds that name a procedure only
    photos: Collection[str] = ()  # those that the ledger has, of the photos that a note or a result names
    ndt: NdtCase = NO_NDT  # of a command about examinations only


def decide(command: Command, case: Case) -> Change:
    """The change that the command makes, or the Refusal raised by the first check that fails."""
    spool, worker = _require_known(command, case)
    require_role(command, worker)
    if isinstance(command, Anotar):  # allowed whether or not the spool is held, and also when it is blocked
        _require_version(command, spool)
        return add_note(spool, case.joints, case.photos, worker, command, case.now)
    if isinstance(command, NdtCommand):
        return _decide_ndt(command, spool, worker, case)
    _require_workflow(command, spool)
    if spool.metrologia is Metrologia.BLOQUEADO and not isinstance(command, (Liberar, Desbloquear)):
        raise SpoolBlocked(spool.tag)
    _free_to_act(command, spool, case)
    _require_version(command, spool)
    return _apply(command, spool, worker, case)


def _decide_ndt(command: NdtCommand, spool: Spool, worker: Worker, case: Case) -> Change:
    """Requests and results are allowed like a note, whether or not the spool is held or blocked. A repair is work on
    the spool: no other worker may hold it."""
    held = spool.occupation
    if isinstance(command, RepararUnion):
        if spool.metrologia is Metrologia.BLOQUEADO:
            raise SpoolBlocked(spool.tag)
        if held is not None and held.worker_id != worker.id:
            raise SpoolOccupied(spool.tag, held, iso(held.since, case.shop.zone))
    _require_version(command, spool)
    return decide_ndt(command, spool, case.joints, worker, case.ndt, case.photos, case.now, case.shop, case.welds)


def _require_version(command: Command, spool: Spool) -> None:
    if command.version is not None and command.version != spool.version:
        raise VersionConflict(spool.tag, command.version, spool.version)


def _apply(command: Command, spool: Spool, worker: Worker, case: Case) -> Change:
    match command:
        case Tomar(operacion=operacion):
            return occupation.take(spool, worker, operacion, case.now, case.lock)
        case Pausar(operacion=operacion):
            return occupation.pause(spool, worker, operacion, case.now)
        case Completar(operacion=operacion, fecha=fecha):
            dia = fecha or today(case.now, case.shop.zone)
            return occupation.complete(spool, worker, operacion, case.now, dia)
        case Cancelar(operacion=operacion):
            return occupation.cancel(spool, worker, operacion, case.now)
        case Seguir(operacion=operacion):
            return shift_end.keep_on(spool, worker, operacion, case.now, case.shop)
        case Finalizar(operacion=operacion, unions=unions, soldadura=welds):
            return finish(spool, case.joints, worker, operacion, unions, case.now, case.shop, welds, case.welds)
        case RelevoCommand():
            relevo = replace(case.relevo, welds=case.welds)
            return decide_relevo(command, spool, case.joints, worker, relevo, case.now, case.shop, case.lock)
        case Inspeccionar(resultado=resultado):
            return inspect(spool, worker, resultado, case.now, case.shop)
        case Liberar(motivo=motivo):
            return supervision.release(spool, case.joints, worker, motivo, case.now, case.shop)
        case Desbloquear(motivo=motivo):
            return supervision.unblock(spool, worker, motivo, case.now)
        case Corregir(operacion=operacion, unions=chosen, motivo=motivo):
            return supervision.correct(spool, case.joints, worker, operacion, chosen, motivo, case.now, case.shop)
    raise TypeError(f"no rule for {type(command).__name__}")


def _require_known(command: Command, case: Case) -> tuple[Spool, Worker]:
    if case.worker is None:
        raise WorkerUnknown(command.worker_id)
    if case.spool is None or (case.spool.retired and not isinstance(command, _ENDS)):
        raise no_such_spool(command.tag)
    return case.spool, case.worker


# Its holder may still end the work on a retired spool, or say that it goes on.
_ENDS = (Pausar, Completar, Cancelar, Finalizar, Liberar, Seguir)


def require_role(command: Command, worker: Worker) -> None:
    if not worker.activo:
        raise WorkerInactive(worker.label, worker.id)
    if isinstance(command, Anotar):
        return
    if isinstance(command, Supervise):
        if Rol.SUPERVISOR not in worker.roles:
            raise RoleMissing(worker.label, type(command).__name__.upper(), [Rol.SUPERVISOR])
        return
    if isinstance(command, NdtCommand) and not isinstance(command, RepararUnion):
        _require_one_of(worker, *_NDT_ROLES[type(command)])
        return
    operacion = _operation_of(command)
    if not worker.may(operacion):
        raise RoleMissing(worker.label, operacion, sorted(ROLES_FOR[operacion]))


_NDT_ROLES: dict[type[NdtCommand], tuple[str, tuple[Rol, ...]]] = {
    ResultadoNdt: ("el resultado de un ensayo", (Rol.METROLOGIA, Rol.NDT)),
    SolicitarNdt: ("solicitar un ensayo", (Rol.SUPERVISOR,)),
}


def _require_one_of(worker: Worker, what: str, roles: tuple[Rol, ...]) -> None:
    if not worker.roles & set(roles):
        raise RoleMissing(worker.label, what, list(roles))


def _operation_of(command: Command) -> Operacion:
    """The operation whose roles may give the command. Repairing a joint is welding."""
    if isinstance(command, Work):
        return command.operacion
    return SOLD if isinstance(command, RepararUnion) else Operacion.METROLOGIA


def _require_workflow(command: Command, spool: Spool) -> None:
    """Refuses a call of the other workflow. A repair, a hand-over and "Sigo yo" use the same calls in both."""
    flow = workflow(spool)
    by_joint = isinstance(command, (Iniciar, Finalizar))
    if not isinstance(command, Work) or isinstance(command, (RelevoCommand, Seguir)):
        return
    if command.operacion is REPARACION or by_joint == (flow is V4):
        return
    use = USE_INSTEAD.get(type(command), USE_FINALIZAR)
    raise WrongVersion(spool.tag, flow, (spool.total_uniones or 0) if flow is V4 else 0, use)


def _free_to_act(command: Command, spool: Spool, case: Case) -> None:
    """Only the holder may end, and only the operation held; a supervisor may free any held spool.
    Every other command needs a free spool, except taking again what one already holds."""
    held = spool.occupation
    match command:
        case Tomar(worker_id=worker_id, operacion=operacion) if spool.held_by(worker_id, operacion):
            return
        case RelevoCommand():
            require_party(command, spool, case.relevo, case.shop)
        case Work() if not isinstance(command, Tomar):
            _require_held(command, spool)
        case Liberar():
            if held is None:
                raise NotBegun(spool.tag)
        case _ if held is not None:
            raise SpoolOccupied(spool.tag, held, iso(held.since, case.shop.zone))


def _require_held(command: Work, spool: Spool) -> None:
    held = spool.occupation
    if held is None:
        raise NotBegun(spool.tag, command.operacion)
    if held.worker_id != command.worker_id:
        raise NotTheHolder(spool.tag, held.label)
    if held.operacion is not command.operacion:
        raise NotBegun(spool.tag, command.operacion)


def takeable(spool: Spool) -> list[Operacion]:
    """The operations that a qualified worker could begin if nobody holds the spool. Lists are filtered by them."""
    if spool.retired or spool.metrologia is Metrologia.BLOQUEADO:
        return []
    return [op for op in _OCCUPYING if occupation.hindrance(spool, op) is None]


_OCCUPYING = (ARM, SOLD, REPARACION)


def equally_takeable(before: Spool, after: Spool) -> bool:
    """Whether the same operations could be begun on both. They differ only in who holds them and in the progress of ARM
    and SOLD. Every tap asks this: `takeable` of both would cost it more than all its checks."""
    return (
        (before.arm is COMPLETADO) is (after.arm is COMPLETADO)
        and (before.sold is COMPLETADO) is (after.sold is COMPLETADO)
        and occupation.fitting_begun(before) is occupation.fitting_begun(after)
    )


def inspectable(spool: Spool) -> bool:
    return not spool.retired and spool.metrologia is Metrologia.EN_COLA
