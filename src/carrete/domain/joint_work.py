"""FINALIZAR (rule 6): the holder of a v4.0 spool records which joints are done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any

from carrete.domain import sentences
from carrete.domain.change import Change
from carrete.domain.commands import JointWeld
from carrete.domain.events import Event, EventoTipo
from carrete.domain.joints import Joint, inches
from carrete.domain.occupation import cancelled, queue_events
from carrete.domain.progress import recompute_progress
from carrete.domain.qualification import (
    NO_WELD_RECORD,
    NOTHING_CHECKED,
    CheckedWelds,
    WeldRecord,
    check_welds,
)
from carrete.domain.refusals import JointsNotAvailable
from carrete.domain.shop import Shop
from carrete.domain.shop_time import today
from carrete.domain.spool import Estado, Metrologia, Operacion, Spool
from carrete.domain.workers import Worker


def finish(
    spool: Spool,
    joints: Sequence[Joint],
    worker: Worker,
    operacion: Operacion,
    chosen: Sequence[int],
    now: datetime,
    shop: Shop,
    soldadura: Sequence[JointWeld] = (),
    record: WeldRecord = NO_WELD_RECORD,
) -> Change:
    """Without joints the occupation is cancelled. Otherwise each chosen joint gets worker and times, and the operation
    is complete only if every joint that it needs on this spool is done."""
    if not chosen:
        return _cancel(spool, joints, worker, operacion, now, shop)
    present = {joint.n_union: joint for joint in joints}
    require_available(spool.tag, present, chosen, operacion, shop)
    assert spool.occupation is not None
    done = [mark_done(present[n], worker, operacion, spool.occupation.since, now) for n in chosen]
    done = with_weld_data(done, soldadura)
    checked = checked_welds(spool.tag, done, worker, operacion, now, shop, record)
    free = spool.with_operario(operacion, worker.label).but(occupation=None)
    after = recompute_keeping_approval(free, {**present, **{joint.n_union: joint for joint in done}}.values(), shop)
    completed = after.estado(operacion) is Estado.COMPLETADO
    accion = "COMPLETAR" if completed else "PAUSAR"
    milli = sum(joint.dn_milli or 0 for joint in done)
    events = (
        *(joint_event(joint, worker, operacion, now, facts=checked.facts) for joint in done),
        _end_event(worker, operacion, completed, done, milli, now, shop),
        *queue_events(spool, after, now),
    )
    message = sentences.finished(spool.tag, operacion, len(done), inches(milli), completed)
    return Change(after, events, accion, message, tuple(done), warnings=checked.warnings)


def checked_welds(
    tag: str, done: Sequence[Joint], worker: Worker, operacion: Operacion, now: datetime, shop: Shop, record: WeldRecord
) -> CheckedWelds:
    """The last check of rule 12. Only welds are checked, and only where a joint names its procedure."""
    if operacion is not Operacion.SOLD or not any(joint.wps or joint.colada_1 or joint.colada_2 for joint in done):
        return NOTHING_CHECKED
    return check_welds(tag, done, worker, today(now, shop.zone), shop, record)


def with_weld_data(joints: list[Joint], soldadura: Sequence[JointWeld]) -> list[Joint]:
    """The joints with the procedure and the heats that the welder confirmed or changed."""
    if not soldadura:
        return joints
    typed = {each.n_union: each for each in soldadura}
    return [_with_weld(joint, typed[joint.n_union]) if joint.n_union in typed else joint for joint in joints]


def _with_weld(joint: Joint, typed: JointWeld) -> Joint:
    named = {"wps": typed.wps, "colada_1": typed.colada_1, "colada_2": typed.colada_2}
    return joint.but(**{name: value or None for name, value in named.items() if value is not None})


def _cancel(
    spool: Spool, joints: Sequence[Joint], worker: Worker, operacion: Operacion, now: datetime, shop: Shop
) -> Change:
    """The state is recomputed from the joints: a person may have dated or removed some during the occupation."""
    after = recompute_keeping_approval(cancelled(spool), joints, shop)
    event = Event(EventoTipo.SPOOL_CANCELADO, now, "CANCELADO", operacion, worker.id, worker.label)
    message = sentences.cancelled(spool.tag, operacion)
    return Change(after, (event, *queue_events(spool, after, now)), "CANCELADO", message)


def available(joint: Joint, operacion: Operacion, shop: Shop) -> bool:
    """Whether it can be ticked now: for ARM if it is not armed; for SOLD if it is armed and needs welding."""
    if joint.retired:
        return False
    if operacion is Operacion.ARM:
        return not joint.armed
    return joint.armed and not joint.welded and shop.needs_welding(joint.tipo)


def require_available(
    tag: str, present: Mapping[int, Joint], chosen: Sequence[int], operacion: Operacion, shop: Shop
) -> None:
    repeated = {n for n, times in Counter(chosen).items() if times > 1}
    bad = {n for n in chosen if n not in present or not available(present[n], operacion, shop)}
    if repeated or bad:
        raise JointsNotAvailable(tag, operacion, sorted(repeated | bad))


def mark_done(joint: Joint, worker: Worker, operacion: Operacion, since: datetime, now: datetime) -> Joint:
    if operacion is Operacion.ARM:
        return joint.but(arm_inicio=since, arm_fin=now, arm_worker=worker.label)
    return joint.but(sol_inicio=since, sol_fin=now, sol_worker=worker.label)


def recompute_keeping_approval(free: Spool, joints: Iterable[Joint], shop: Shop) -> Spool:
    """An approval that came during the occupation stays, and completed operations do not reopen."""
    if free.metrologia is not Metrologia.APROBADO:
        return recompute_progress(free, joints, shop)
    worked = recompute_progress(free.but(metrologia=Metrologia.PENDIENTE), joints, shop)
    for operacion in (Operacion.ARM, Operacion.SOLD):
        if free.estado(operacion) is Estado.COMPLETADO:
            worked = worked.with_estado(operacion, Estado.COMPLETADO).with_fecha(operacion, free.fecha(operacion))
    return worked.but(metrologia=Metrologia.APROBADO)


def joint_event(
    joint: Joint,
    worker: Worker,
    operacion: Operacion,
    now: datetime,
    accion: str = "FINALIZAR",
    facts: Mapping[int, Mapping[str, Any]] = MappingProxyType({}),
) -> Event:
    """`facts`: what else is known about each joint, by its number."""
    tipo = EventoTipo(f"UNION_{operacion}_REGISTRADA")
    dn = inches(joint.dn_milli) if joint.dn_milli is not None else None
    metadata = {"dn_union": dn, "tipo_union": joint.tipo, **facts.get(joint.n_union, {})}
    return Event(tipo, now, accion, operacion, worker.id, worker.label, n_union=joint.n_union, metadata=metadata)


def _end_event(
    worker: Worker, operacion: Operacion, completed: bool, done: Sequence[Joint], milli: int, now: datetime, shop: Shop
) -> Event:
    tipo = EventoTipo(f"SPOOL_{operacion}_{'COMPLETADO' if completed else 'PAUSADO'}")
    metadata = {"unions": [joint.n_union for joint in done], "pulgadas": inches(milli)}
    accion, dia = ("COMPLETAR", today(now, shop.zone)) if completed else ("PAUSAR", None)
    return Event(tipo, now, accion, operacion, worker.id, worker.label, fecha_operacion=dia, metadata=metadata)
