"""What of a refused piece of work can still be registered: the checks of one joint or of a whole operation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date

from carrete.domain.commands import WorkItem
from carrete.domain.joints import Joint
from carrete.domain.occupation import completed, waits_for_repair
from carrete.domain.progress import update_queue_unless_approved
from carrete.domain.qualification import NOTHING_CHECKED, CheckedWelds, WeldRecord, check_welds
from carrete.domain.shop import Shop
from carrete.domain.shop_time import today
from carrete.domain.spool import Before, Estado, Metrologia, Operacion, Spool
from carrete.domain.version import Workflow, workflow
from carrete.domain.workers import Worker


def hindrance(
    item: WorkItem,
    together: Collection[WorkItem],
    spool: Spool,
    joints: Mapping[int, Joint],
    claimant: Worker,
    shop: Shop,
    dia: date | None,
) -> str | None:
    """The Spanish sentence why this piece cannot be registered; None when it can. `together` is what is accepted in the
    same decision, `dia` the day that it would count on, if that is known yet."""
    if spool.metrologia is Metrologia.BLOQUEADO:
        return f"El spool {spool.tag} está bloqueado."
    if not claimant.may(item.operacion):
        return f"{claimant.label} no tiene el rol para {item.operacion}."
    if item.operacion is Operacion.REPARACION:
        return _of_repair(spool) if item.n_union is None else "La reparación es del spool completo."
    if item.n_union is None:
        return _of_whole(item, together, spool, dia)
    return _of_joint(item, item.n_union, together, joints, shop, dia)


def _of_joint(
    item: WorkItem,
    n_union: int,
    together: Collection[WorkItem],
    joints: Mapping[int, Joint],
    shop: Shop,
    dia: date | None,
) -> str | None:
    joint = joints.get(n_union)
    if joint is None:
        return f"La unión {n_union} no existe."
    if item.operacion is Operacion.ARM:
        return f"La unión {n_union} ya la armó {joint.arm_worker or 'otra persona'}." if joint.armed else None
    if not shop.needs_welding(joint.tipo):
        return f"La unión {n_union} es {joint.tipo}: no se suelda."
    if joint.welded:
        return f"La unión {n_union} ya la soldó {joint.sol_worker or 'otra persona'}."
    if joint.arm_fin is None:
        return None if WorkItem(Operacion.ARM, n_union) in together else f"La unión {n_union} no está armada."
    armed_on = today(joint.arm_fin, shop.zone)
    if dia is not None and dia < armed_on:
        return f"La unión {n_union} se armó el {armed_on:%d-%m-%Y}: no pudo soldarse antes."
    return None


def _of_whole(item: WorkItem, together: Collection[WorkItem], spool: Spool, dia: date | None) -> str | None:
    if workflow(spool) is Workflow.V4:
        return f"El spool {spool.tag} ahora se trabaja por uniones: hay que decir cuáles."
    if spool.estado(item.operacion) is Estado.COMPLETADO or spool.fecha(item.operacion) is not None:
        return f"{item.operacion} ya la completó {spool.operario(item.operacion) or 'otra persona'}."
    if item.operacion is Operacion.ARM:
        return None
    begun = spool.armador or spool.arm is not Estado.PENDIENTE or WorkItem(Operacion.ARM) in together
    if not begun:
        return f"El spool {spool.tag} aún no tiene armado iniciado."
    if dia is not None and spool.fecha_armado is not None and dia < spool.fecha_armado:
        return f"El spool {spool.tag} se armó el {spool.fecha_armado:%d-%m-%Y}: no pudo soldarse antes."
    return None


def _of_repair(spool: Spool) -> str | None:
    """A repair under way is its holder's to end."""
    if waits_for_repair(spool) and spool.occupation is None:
        return None
    return f"El spool {spool.tag} no espera una reparación."


def with_open_joints(
    work: Iterable[WorkItem], spool: Spool | None, joints: Iterable[Joint], shop: Shop
) -> tuple[WorkItem, ...]:
    """The claimed work, and the joints that can stand for an operation that was claimed for a whole spool, if the spool
    is worked by joint now."""
    by_joint = spool is not None and workflow(spool) is Workflow.V4
    found: list[WorkItem] = []
    for item in work:
        found.append(item)
        if by_joint and item.n_union is None:
            open_joints = [joint for joint in joints if not joint.retired and _is_open(joint, item.operacion, shop)]
            found += [WorkItem(item.operacion, joint.n_union) for joint in open_joints]
    return tuple(dict.fromkeys(found))


def _is_open(joint: Joint, operacion: Operacion, shop: Shop) -> bool:
    match operacion:
        case Operacion.ARM:
            return not joint.armed
        case Operacion.SOLD:
            return not joint.welded and shop.needs_welding(joint.tipo)
    return False


def accepted_twice(items: Collection[WorkItem]) -> dict[WorkItem, str]:
    """The joints whose operation is accepted for the whole spool too: their work would be registered twice."""
    return {
        item: f"{item.operacion} se acepta para el spool completo o por uniones, no de ambas formas."
        for item in items
        if item.n_union is not None and WorkItem(item.operacion) in items
    }


def registered_whole(spool: Spool, operacion: Operacion, label: str, dia: date) -> Spool:
    """A v3.0 operation completed on that day by that worker. A worker who holds the spool for it keeps it, and
    however that occupation ends, the operation is complete."""
    if operacion is Operacion.REPARACION:
        return completed(spool, operacion, dia)
    spool = spool.with_fecha(operacion, dia).with_operario(operacion, label)
    held = spool.occupation
    if held is not None and held.operacion is operacion:
        return spool.but(occupation=held._replace(before=Before(Estado.COMPLETADO, label)))
    return update_queue_unless_approved(spool.with_estado(operacion, Estado.COMPLETADO))


def welded_of(accepted: Iterable[WorkItem], done: Mapping[int, Joint]) -> list[Joint]:
    sold = {item.n_union for item in accepted if item.operacion is Operacion.SOLD}
    return [joint for n_union, joint in done.items() if n_union in sold]


def checked_late_welds(
    tag: str, welded: Sequence[Joint], claimant: Worker, dia: date, shop: Shop, record: WeldRecord
) -> CheckedWelds:
    """Checks welds that a supervisor accepts late. The supervisor has seen the work, so a welder who was not
    qualified is recorded, never refused."""
    if not any(joint.wps or joint.colada_1 or joint.colada_2 for joint in welded):
        return NOTHING_CHECKED
    return check_welds(tag, welded, claimant, dia, shop, record, may_refuse=False)
