"""The progress of ARM and SOLD: joints done against joints needed (rules 2, 6 and 7)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime

from carrete.domain.joints import Joint, count
from carrete.domain.shop import Shop
from carrete.domain.shop_time import wall
from carrete.domain.spool import Estado, Metrologia, Operacion, Reparacion, Spool
from carrete.domain.version import Workflow, workflow


def joints_needed(spool: Spool, operacion: Operacion) -> int:
    """How many joints the operation needs on this spool, whether or not they can be worked now."""
    total = spool.total_uniones or 0
    return total if operacion is Operacion.ARM else max(0, total - spool.counts.arm_only)


def joints_done(spool: Spool, operacion: Operacion) -> int:
    return spool.counts.armed if operacion is Operacion.ARM else spool.counts.welded


def recompute_progress(spool: Spool, joints: Iterable[Joint], shop: Shop) -> Spool:
    """For an edit of `Total_Uniones` or of a joint. An approved spool keeps its states; its card reports it."""
    joints = [j for j in joints if not j.retired]
    spool = spool.but(counts=count(joints, shop))
    if spool.metrologia is Metrologia.APROBADO:
        return spool
    arm = _estado(spool, Operacion.ARM, joints)
    sold = _estado(spool.but(arm=arm), Operacion.SOLD, joints)
    spool = spool.but(arm=arm, sold=sold)
    spool = _dated(spool, Operacion.ARM, joints, shop)
    spool = _dated(spool, Operacion.SOLD, joints, shop)
    return update_inspection_queue(spool)


def recount_joints(spool: Spool, joints: Iterable[Joint], shop: Shop) -> Spool:
    """For a shop that changed which types are welded. A v3.0 spool only gets new counts."""
    if workflow(spool) is Workflow.V3:
        return spool.but(counts=count(joints, shop))
    return recompute_progress(spool, joints, shop)


def update_inspection_queue(spool: Spool) -> Spool:
    """A spool with ARM and SOLD complete enters the inspection queue; with one of them open again it leaves it.
    A spool under repair is left alone: the end of the repair calls this again."""
    both = spool.arm is Estado.COMPLETADO and spool.sold is Estado.COMPLETADO
    if both and spool.metrologia is Metrologia.PENDIENTE:
        return spool.but(metrologia=Metrologia.EN_COLA)
    if both or spool.metrologia not in _AFTER_BOTH or _being_repaired(spool):
        return spool
    return spool.but(metrologia=Metrologia.PENDIENTE, reparacion=Reparacion.NO_REQUERIDA, fecha_qc=None)


_AFTER_BOTH = (Metrologia.EN_COLA, Metrologia.APROBADO, Metrologia.RECHAZADO)


def reopened(spool: Spool, operacion: Operacion) -> Spool:
    """A v3.0 operation without its date: paused if a worker is named, else pending. The caller updates the queue."""
    open_again = Estado.PAUSADO if spool.operario(operacion) else Estado.PENDIENTE
    return spool.with_fecha(operacion, None).with_estado(operacion, open_again)


def inconsistencies(spool: Spool) -> list[str]:
    """Sentences for the card where engineering's numbers contradict each other."""
    found = []
    if spool.total_uniones_text is not None:
        found.append(f"Total_Uniones no es un número: «{spool.total_uniones_text}»; se trabaja como v3.0.")
    if spool.counts.rows != (spool.total_uniones or 0):
        found.append(f"Total_Uniones dice {spool.total_uniones or 0} y hay {spool.counts.rows} filas en Uniones.")
    if spool.metrologia is Metrologia.APROBADO and workflow(spool) is Workflow.V4:
        open_ones = [op for op in (Operacion.ARM, Operacion.SOLD) if joints_done(spool, op) < joints_needed(spool, op)]
        found += [f"Aprobado con {op} en {joints_done(spool, op)} de {joints_needed(spool, op)}." for op in open_ones]
    return found


def _estado(spool: Spool, operacion: Operacion, joints: list[Joint]) -> Estado:
    held = spool.occupation is not None and spool.occupation.operacion is operacion
    if workflow(spool) is Workflow.V3:
        dated = spool.fecha(operacion)
        named = spool.operario(operacion) is not None
        begun = named or any(_fin(joint, operacion) for joint in joints) or spool.estado(operacion) == Estado.PAUSADO
        complete = dated is not None
    else:
        begun = joints_done(spool, operacion) > 0
        complete = joints_done(spool, operacion) >= joints_needed(spool, operacion)
        if operacion is Operacion.SOLD and joints_needed(spool, operacion) == 0:
            complete = spool.arm is Estado.COMPLETADO  # nothing to weld: it completes with ARM
    if complete and not held:
        return Estado.COMPLETADO
    if held:
        return Estado.EN_PROGRESO
    return Estado.PAUSADO if begun else Estado.PENDIENTE


def _dated(spool: Spool, operacion: Operacion, joints: list[Joint], shop: Shop) -> Spool:
    if workflow(spool) is Workflow.V3:
        return spool
    if spool.estado(operacion) != Estado.COMPLETADO:
        return spool.with_fecha(operacion, None)
    return spool.with_fecha(operacion, last_day(joints, operacion, shop) or last_day(joints, Operacion.ARM, shop))


def last_day(joints: Iterable[Joint], operacion: Operacion, shop: Shop) -> date | None:
    ends = [fin for joint in joints if (fin := _fin(joint, operacion)) is not None]
    return wall(max(ends), shop.zone).date() if ends else None


def _fin(joint: Joint, operacion: Operacion) -> datetime | None:
    return joint.arm_fin if operacion is Operacion.ARM else joint.sol_fin


def _being_repaired(spool: Spool) -> bool:
    return spool.occupation is not None and spool.occupation.operacion is Operacion.REPARACION


def update_queue_unless_approved(spool: Spool) -> Spool:
    """As `update_inspection_queue`, but an approval stays: only emptying its date in the workbook withdraws it."""
    return spool if spool.metrologia is Metrologia.APROBADO else update_inspection_queue(spool)
