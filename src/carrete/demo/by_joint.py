"""v4.0 work as the trail tells it: INICIAR takes the spool, FINALIZAR dates the joints that were ticked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from carrete.domain import occupation
from carrete.domain.change import Change
from carrete.domain.events import Event, EventoTipo
from carrete.domain.joints import Joint, inches
from carrete.domain.progress import worked_out_anew
from carrete.domain.shop import Shop
from carrete.domain.shop_time import today
from carrete.domain.spool import Estado, Operacion, Spool
from carrete.domain.workers import Worker

_UNSAID = ""  # nobody waits for a sentence about it


def begun(spool: Spool, worker: Worker, operacion: Operacion, now: datetime, lock: str) -> Change:
    occupation.require_ready(spool, operacion)
    event = Event(EventoTipo.INICIAR_SPOOL, now, "INICIAR", operacion, worker.id, worker.label)
    after = occupation.occupied(spool, worker, operacion, now, lock)
    return Change(after, (event,), "INICIAR", _UNSAID)


def available(joints: Sequence[Joint], operacion: Operacion, shop: Shop) -> list[Joint]:
    if operacion is Operacion.ARM:
        return [joint for joint in joints if not joint.armed]
    return [joint for joint in joints if joint.armed and not joint.welded and shop.needs_welding(joint.tipo)]


def finished(
    spool: Spool, joints: Sequence[Joint], ticked: Sequence[Joint], worker: Worker, now: datetime, shop: Shop
) -> Change:
    held = spool.occupation
    assert held is not None
    if not ticked:
        return _cancelled(spool, held.operacion, worker, now)
    dated = {joint.n_union: _dated(joint, held.operacion, held.since, now, worker.label) for joint in ticked}
    after = replace(spool.with_operario(held.operacion, worker.label), occupation=None)
    after = worked_out_anew(after, [dated.get(joint.n_union, joint) for joint in joints], shop)
    complete = after.estado(held.operacion) == Estado.COMPLETADO
    events = (
        *_registered(ticked, held.operacion, worker, now),
        _ended(after, held.operacion, ticked, worker, now, shop),
        *occupation.queued(spool, after, now),
    )
    return Change(after, events, "COMPLETAR" if complete else "PAUSAR", _UNSAID, joints=tuple(dated.values()))


def _cancelled(spool: Spool, operacion: Operacion, worker: Worker, now: datetime) -> Change:
    event = Event(EventoTipo.SPOOL_CANCELADO, now, "CANCELADO", operacion, worker.id, worker.label)
    return Change(occupation.cancelled(spool), (event,), "CANCELADO", _UNSAID)


def _dated(joint: Joint, operacion: Operacion, since: datetime, now: datetime, label: str) -> Joint:
    if operacion is Operacion.ARM:
        return replace(joint, arm_inicio=since, arm_fin=now, arm_worker=label)
    return replace(joint, sol_inicio=since, sol_fin=now, sol_worker=label)


def _registered(ticked: Sequence[Joint], operacion: Operacion, worker: Worker, now: datetime) -> Iterator[Event]:
    tipo = EventoTipo(f"UNION_{operacion}_REGISTRADA")
    for joint in ticked:
        metadata = {"dn_union": inches(joint.dn_milli or 0), "tipo_union": joint.tipo}
        yield Event(
            tipo,
            now,
            "FINALIZAR",
            operacion,
            worker.id,
            worker.label,
            n_union=joint.n_union,
            metadata=metadata,
        )


def _ended(
    after: Spool, operacion: Operacion, ticked: Sequence[Joint], worker: Worker, now: datetime, shop: Shop
) -> Event:
    complete = after.estado(operacion) == Estado.COMPLETADO
    pulgadas = inches(sum(joint.dn_milli or 0 for joint in ticked))
    return Event(
        EventoTipo(f"SPOOL_{operacion}_{'COMPLETADO' if complete else 'PAUSADO'}"),
        now,
        "COMPLETAR" if complete else "PAUSAR",
        operacion,
        worker.id,
        worker.label,
        fecha_operacion=today(now, shop.zone) if complete else None,
        metadata={"unions": [joint.n_union for joint in ticked], "pulgadas": pulgadas},
    )
