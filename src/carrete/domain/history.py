"""Sessions of work, read from the trail of one spool: who, for what, from when to when, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from carrete.domain.events import Event, EventoTipo
from carrete.domain.workers import labelled_id

EN_PROGRESO = "EN_PROGRESO"

_RESULTADO = {
    EventoTipo.PAUSAR_SPOOL: "PAUSADO",
    EventoTipo.PAUSAR_REPARACION: "PAUSADO",
    EventoTipo.SPOOL_ARM_PAUSADO: "PAUSADO",
    EventoTipo.SPOOL_SOLD_PAUSADO: "PAUSADO",
    EventoTipo.COMPLETAR_ARM: "COMPLETADO",
    EventoTipo.COMPLETAR_SOLD: "COMPLETADO",
    EventoTipo.COMPLETAR_REPARACION: "COMPLETADO",
    EventoTipo.SPOOL_ARM_COMPLETADO: "COMPLETADO",
    EventoTipo.SPOOL_SOLD_COMPLETADO: "COMPLETADO",
    EventoTipo.CANCELAR_ARM: "CANCELADO",
    EventoTipo.CANCELAR_SOLD: "CANCELADO",
    EventoTipo.CANCELAR_REPARACION: "CANCELADO",
    EventoTipo.SPOOL_CANCELADO: "CANCELADO",
    EventoTipo.LIBERAR_SPOOL: "LIBERADO",
    EventoTipo.EDICION_EXTERNA: "EDITADO",
}
_JOINT_DONE = (EventoTipo.UNION_ARM_REGISTRADA, EventoTipo.UNION_SOLD_REGISTRADA)


@dataclass(slots=True)
class Session:
    """Grows with the trail; once it ended it stays as it is."""

    worker: str
    worker_id: int | None
    operacion: str | None
    inicio: datetime
    fin: datetime | None = None
    resultado: str = EN_PROGRESO
    pulgadas: Decimal = Decimal(0)


def sessions(trail: Iterable[tuple[Event, str | None]]) -> list[Session]:
    """From events in order, each with who held the spool after it. The holder is what opens and closes a
    session, so one that a workbook brought along, or a person ended there, is seen like any other."""
    found: list[Session] = []
    current: Session | None = None
    for event, holder in trail:
        if current and event.tipo in _JOINT_DONE:  # what ends the session follows in the same call
            current.pulgadas += _inches(event)
            continue
        if current and holder == current.worker and (since := _since(event)):
            current.inicio = since  # a person corrected `Fecha_Ocupacion` meanwhile
        if current and holder != current.worker:
            current.fin, current.resultado = event.at, _RESULTADO.get(event.tipo, str(event.tipo))
            current = None
        if current is None and holder is not None:
            current = Session(holder, labelled_id(holder), event.operacion, _since(event) or event.at)
            found.append(current)
    return found


def _since(event: Event) -> datetime | None:
    """An occupation that came with a workbook, or was dated there, says itself since when it lasts."""
    said = event.metadata.get("fecha_ocupacion")
    return datetime.fromisoformat(said) if isinstance(said, str) else None


def _inches(event: Event) -> Decimal:
    return Decimal(str(event.metadata.get("dn_union") or 0))
