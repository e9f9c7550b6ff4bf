"""FINALIZAR: what the holder of a v4.0 spool did, joint by joint (rule 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from carrete.domain import sentences
from carrete.domain.change import Change
from carrete.domain.events import Event, EventoTipo
from carrete.domain.joints import Joint, inches
from carrete.domain.occupation import cancelled, queued
from carrete.domain.progress import worked_out_anew
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
) -> Change:
    """None chosen: the occupation never was. Else each joint is dated, and the spool is complete only if every
    joint that the operation needs on it is done, whatever was available today."""
    if not chosen:
        return _nothing_done(spool, joints, worker, operacion, now, shop)
    present = {joint.n_union: joint for joint in joints}
    _require_available(spool.tag, present, chosen, operacion, shop)
    assert spool.occupation is not None
    done = [_done(present[n], worker, operacion, spool.occupation.since, now) for n in chosen]
    free = spool.with_operario(operacion, worker.label).but(occupation=None)
    after = by_its_joints(free, {**present, **{joint.n_union: joint for joint in done}}.values(), shop)
    completed = after.estado(operacion) is Estado.COMPLETADO
    accion = "COMPLETAR" if completed else "PAUSAR"
    milli = sum(joint.dn_milli or 0 for joint in done)
    events = (
        *(_registered(joint, worker, operacion, now) for joint in done),
        _ended(worker, operacion, completed, done, milli, now, shop),
        *queued(spool, after, now),
    )
    message = sentences.finished(spool.tag, operacion, len(done), inches(milli), completed)
    return Change(after, events, accion, message, tuple(done))


def _nothing_done(
    spool: Spool, joints: Sequence[Joint], worker: Worker, operacion: Operacion, now: datetime, shop: Shop
) -> Change:
    """Where it was before is asked of the joints: a person may have dated or removed some meanwhile."""
    after = by_its_joints(cancelled(spool), joints, shop)
    event = Event(EventoTipo.SPOOL_CANCELADO, now, "CANCELADO", operacion, worker.id, worker.label)
    message = sentences.cancelled(spool.tag, operacion)
    return Change(after, (event, *queued(spool, after, now)), "CANCELADO", message)


def available(joint: Joint, operacion: Operacion, shop: Shop) -> bool:
    """Can be ticked now: ARM once, SOLD only when armed and only what is welded at all."""
    if joint.retired:
        return False
    if operacion is Operacion.ARM:
        return not joint.armed
    return joint.armed and not joint.welded and shop.needs_welding(joint.tipo)


def _require_available(
    tag: str, present: Mapping[int, Joint], chosen: Sequence[int], operacion: Operacion, shop: Shop
) -> None:
    repeated = {n for n, times in Counter(chosen).items() if times > 1}
    bad = {n for n in chosen if n not in present or not available(present[n], operacion, shop)}
    if repeated or bad:
        raise JointsNotAvailable(tag, operacion, sorted(repeated | bad))


def _done(joint: Joint, worker: Worker, operacion: Operacion, since: datetime, now: datetime) -> Joint:
    if operacion is Operacion.ARM:
        return joint.but(arm_inicio=since, arm_fin=now, arm_worker=worker.label)
    return joint.but(sol_inicio=since, sol_fin=now, sol_worker=worker.label)


def by_its_joints(free: Spool, joints: Iterable[Joint], shop: Shop) -> Spool:
    """What was approved meanwhile stays so, and nothing of it reopens."""
    if free.metrologia is not Metrologia.APROBADO:
        return worked_out_anew(free, joints, shop)
    worked = worked_out_anew(free.but(metrologia=Metrologia.PENDIENTE), joints, shop)
    for operacion in (Operacion.ARM, Operacion.SOLD):
        if free.estado(operacion) is Estado.COMPLETADO:
            worked = worked.with_estado(operacion, Estado.COMPLETADO).with_fecha(operacion, free.fecha(operacion))
    return worked.but(metrologia=Metrologia.APROBADO)


def _registered(joint: Joint, worker: Worker, operacion: Operacion, now: datetime) -> Event:
    tipo = EventoTipo(f"UNION_{operacion}_REGISTRADA")
    dn = inches(joint.dn_milli) if joint.dn_milli is not None else None
    metadata = {"dn_union": dn, "tipo_union": joint.tipo}
    return Event(tipo, now, "FINALIZAR", operacion, worker.id, worker.label, n_union=joint.n_union, metadata=metadata)


def _ended(
    worker: Worker, operacion: Operacion, completed: bool, done: Sequence[Joint], milli: int, now: datetime, shop: Shop
) -> Event:
    tipo = EventoTipo(f"SPOOL_{operacion}_{'COMPLETADO' if completed else 'PAUSADO'}")
    metadata = {"unions": [joint.n_union for joint in done], "pulgadas": inches(milli)}
    accion, dia = ("COMPLETAR", today(now, shop.zone)) if completed else ("PAUSAR", None)
    return Event(tipo, now, accion, operacion, worker.id, worker.label, fecha_operacion=dia, metadata=metadata)
