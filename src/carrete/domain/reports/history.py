"""Sessions of work, read from the trail of one spool: who, for what, from when to when, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from carrete.domain.events import EventoTipo
from carrete.domain.workers import labelled_id

EN_PROGRESO = "EN_PROGRESO"

_RESULTADO: dict[str, str] = {
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


class Told(NamedTuple):
    """What a session is read from: an event, and who held the spool after it. A trail has thousands, and to make an
    `Event` costs three times as much."""

    tipo: str
    at: datetime
    operacion: str | None
    metadata: Mapping[str, Any]
    holder: str | None


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


class SessionReader:
    """Reads sessions from events that come one by one, in order. The holder is what opens and closes a session, so one
    that a workbook brought along, or a person ended there, is seen like any other."""

    def __init__(self) -> None:
        self.open: Session | None = None

    def read(self, event: Told) -> Session | None:
        """The session that this event ended."""
        tipo, at, operacion, metadata, holder = event
        current, ended = self.open, None
        if current and tipo in _JOINT_DONE:  # what ends the session follows in the same call
            current.pulgadas += _inches(metadata)
            return None
        if current and holder == current.worker and (since := _since(metadata)):
            current.inicio = since  # a person corrected `Fecha_Ocupacion` meanwhile
        if current and holder != current.worker:
            current.fin, current.resultado = at, _RESULTADO.get(tipo, tipo)
            ended, self.open = current, None
        if self.open is None and holder is not None:
            self.open = Session(holder, labelled_id(holder), operacion, _since(metadata) or at)
        return ended


def sessions(trail: Iterable[Told]) -> list[Session]:
    """From events in order: those that ended, and the open one."""
    reader = SessionReader()
    found = [ended for event in trail if (ended := reader.read(event)) is not None]
    return [*found, reader.open] if reader.open else found


def _since(metadata: Mapping[str, Any]) -> datetime | None:
    """An occupation that came with a workbook, or was dated there, says itself since when it lasts."""
    said = metadata.get("fecha_ocupacion")
    return datetime.fromisoformat(said) if isinstance(said, str) else None


def _inches(metadata: Mapping[str, Any]) -> Decimal:
    return Decimal(str(metadata.get("dn_union") or 0))
