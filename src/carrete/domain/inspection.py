"""METROLOGIA (rule 8): approved, or one consecutive rejection more, the third of which blocks the spool."""

from __future__ import annotations

from datetime import datetime

from carrete.domain import sentences
from carrete.domain.change import Change
from carrete.domain.commands import Resultado
from carrete.domain.events import Event, EventoTipo
from carrete.domain.ndt.refusals import NdtPending
from carrete.domain.refusals import AlreadyDone, NotAvailable, PrerequisiteMissing
from carrete.domain.shop import Shop
from carrete.domain.shop_time import today
from carrete.domain.spool import REJECTIONS_MAX, Ensayos, Metrologia, Operacion, Reparacion, Spool
from carrete.domain.workers import Worker


def inspect(spool: Spool, worker: Worker, resultado: Resultado, now: datetime, shop: Shop) -> Change:
    """The event has the number of earlier rejections, so that reports can tell a first inspection from a later one."""
    _require_in_the_queue(spool)
    if resultado is Resultado.APROBADO and spool.ndt is Ensayos.PENDIENTE and shop.ndt.blocks_approval:
        raise NdtPending(spool.tag)
    dia = today(now, shop.zone)
    after = _approved(spool).but(fecha_qc=dia) if resultado is Resultado.APROBADO else _rejected(spool)
    event = Event(
        EventoTipo(f"METROLOGIA_{resultado}"),
        now,
        resultado.value,
        Operacion.METROLOGIA,
        worker.id,
        worker.label,
        fecha_operacion=dia,
        metadata={"rechazos_previos": spool.ciclo, "ciclo": after.ciclo},
    )
    return Change(after, (event,), resultado.value, sentences.inspected(after))


def _approved(spool: Spool) -> Spool:
    return spool.but(metrologia=Metrologia.APROBADO, reparacion=Reparacion.NO_REQUERIDA, ciclo=0)


def _rejected(spool: Spool) -> Spool:
    ciclo = spool.ciclo + 1
    estado = Metrologia.BLOQUEADO if ciclo >= REJECTIONS_MAX else Metrologia.RECHAZADO
    return spool.but(metrologia=estado, reparacion=Reparacion.PENDIENTE, ciclo=ciclo)


def rejected_by_ndt(spool: Spool) -> Spool:
    """For a shop where a rejected examination counts in the spool's cycle. In the inspection queue it is a rejection
    like any other. Elsewhere only the count rises, and never to the one that blocks, because work on the spool goes
    on. An approval stays."""
    if spool.metrologia is Metrologia.EN_COLA and spool.occupation is None:
        return _rejected(spool)
    if spool.metrologia not in (Metrologia.PENDIENTE, Metrologia.EN_COLA, Metrologia.RECHAZADO):
        return spool
    ciclo = min(spool.ciclo + 1, REJECTIONS_MAX - 1)
    return spool if ciclo <= spool.ciclo else spool.but(ciclo=ciclo)


def unblocked(spool: Spool) -> Spool:
    """Rejected again with the count at 2: one more rejection blocks the spool again."""
    return spool.but(metrologia=Metrologia.RECHAZADO, reparacion=Reparacion.PENDIENTE, ciclo=REJECTIONS_MAX - 1)


def _require_in_the_queue(spool: Spool) -> None:
    match spool.metrologia:
        case Metrologia.APROBADO:
            raise AlreadyDone(spool.tag, Operacion.METROLOGIA)
        case Metrologia.RECHAZADO:
            raise NotAvailable(f"El spool {spool.tag} está rechazado: se inspecciona cuando esté reparado.")
        case Metrologia.PENDIENTE:
            raise PrerequisiteMissing(f"El spool {spool.tag} aún no tiene ARM y SOLD completos.", falta="SOLD")
