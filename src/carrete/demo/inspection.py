"""METROLOGIA as the trail tells it: approved for good, or one rejection more, the third of which blocks."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from carrete.domain.change import Change
from carrete.domain.events import Event, EventoTipo
from carrete.domain.shop import Shop
from carrete.domain.shop_time import today
from carrete.domain.spool import REJECTIONS_MAX, Metrologia, Operacion, Reparacion, Spool
from carrete.domain.workers import Worker

_UNSAID = ""  # nobody waits for a sentence about it


def approved(spool: Spool, worker: Worker, now: datetime, shop: Shop) -> Change:
    dia = today(now, shop.zone)
    event = Event(
        EventoTipo.METROLOGIA_APROBADO,
        now,
        "APROBADO",
        Operacion.METROLOGIA,
        worker.id,
        worker.label,
        fecha_operacion=dia,
    )
    after = replace(spool, metrologia=Metrologia.APROBADO, reparacion=Reparacion.NO_REQUERIDA, fecha_qc=dia, ciclo=0)
    return Change(after, (event,), "APROBADO", _UNSAID)


def rejected(spool: Spool, worker: Worker, now: datetime, shop: Shop) -> Change:
    ciclo = spool.ciclo + 1
    event = Event(
        EventoTipo.METROLOGIA_RECHAZADO,
        now,
        "RECHAZADO",
        Operacion.METROLOGIA,
        worker.id,
        worker.label,
        fecha_operacion=today(now, shop.zone),
        metadata={"ciclo": ciclo},
    )
    estado = Metrologia.BLOQUEADO if ciclo >= REJECTIONS_MAX else Metrologia.RECHAZADO
    after = replace(spool, metrologia=estado, reparacion=Reparacion.PENDIENTE, ciclo=ciclo)
    return Change(after, (event,), "RECHAZADO", _UNSAID)
