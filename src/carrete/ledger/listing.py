"""Which spools a list shows: turns `accion`, `operacion` and worker into one of the named scopes."""

from __future__ import annotations

from carrete.domain.spool import Operacion
from carrete.domain.version import Workflow
from carrete.domain.workers import Rol, Worker
from carrete.ledger.database import Tx
from carrete.ledger.queries import EVERYTHING, NOTHING, Scope, active_worker_ids

_OPEN = {
    Operacion.ARM: Scope("open_arm", {}),
    Operacion.SOLD: Scope("open_sold", {}),
    Operacion.METROLOGIA: Scope("open_metrologia", {}),
    Operacion.REPARACION: Scope("open_rep", {}),
}
_TAKE = {Operacion.ARM: "take_arm", Operacion.SOLD: "take_sold"}


def scope_for(tx: Tx, operacion: Operacion | None, accion: str | None, worker: Worker | None) -> Scope:
    """With `accion`: spools on which it could succeed now. Without: spools that the worker holds, or, without a worker,
    spools whose operation is open."""
    if accion is None:
        if worker is not None:
            return Scope("held_by", {"holder": worker.id, "operacion": operacion or ""})
        return _OPEN[operacion] if operacion else EVERYTHING
    if accion == "INSPECCIONAR":
        fits = operacion in (None, Operacion.METROLOGIA) and _may(worker, Operacion.METROLOGIA)
        return Scope("inspectable", {}) if fits else NOTHING
    if accion == "DESBLOQUEAR":
        fits = operacion in (None, Operacion.METROLOGIA) and _supervises(worker)
        return Scope("blocked", {}) if fits else NOTHING
    flow = Workflow.V4 if accion in ("INICIAR", "FINALIZAR") else Workflow.V3
    operaciones = _possible(operacion, flow, worker)
    if not operaciones:
        return NOTHING
    if accion in ("TOMAR", "INICIAR"):
        return _takeable(operaciones, flow)
    return Scope("held", {"workflow": flow.value, **_who_may_end(tx, operaciones, worker)})


def _takeable(operaciones: set[Operacion], flow: Workflow) -> Scope:
    if operaciones == {Operacion.REPARACION}:
        return Scope("take_rep", {})
    if len(operaciones) == 1:
        return Scope(_TAKE[next(iter(operaciones))], {"workflow": flow.value})
    return Scope("take_any", {"workflow": flow.value, **_flags(operaciones)})


def _possible(operacion: Operacion | None, flow: Workflow, worker: Worker | None) -> set[Operacion]:
    """REPARACION goes through the v3.0 calls in both workflows."""
    offered = {Operacion.ARM, Operacion.SOLD}
    if flow is Workflow.V3:
        offered.add(Operacion.REPARACION)
    wanted = offered if operacion is None else offered & {operacion}
    return {op for op in wanted if _may(worker, op)}


def _may(worker: Worker | None, operacion: Operacion) -> bool:
    return worker is None or (worker.activo and worker.may(operacion))


def _supervises(worker: Worker | None) -> bool:
    return worker is None or (worker.activo and Rol.SUPERVISOR in worker.roles)


def _flags(operaciones: set[Operacion]) -> dict[str, int]:
    return {
        "arm": int(Operacion.ARM in operaciones),
        "sold": int(Operacion.SOLD in operaciones),
        "rep": int(Operacion.REPARACION in operaciones),
    }


def _who_may_end(tx: Tx, operaciones: set[Operacion], worker: Worker | None) -> dict[str, list[int]]:
    """The ids of those who may end each operation: this worker, or all active workers with the role."""
    return {
        name: ([worker.id] if worker else active_worker_ids(tx, op)) if op in operaciones else []
        for name, op in (("arm", Operacion.ARM), ("sold", Operacion.SOLD), ("rep", Operacion.REPARACION))
    }
