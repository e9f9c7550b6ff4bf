"""Sessions of work, read from the events of one spool: worker, operation, start, end and result."""

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


class SessionEvent(NamedTuple):
    """The part of an event that sessions are read from, and the holder after it. A history has thousands of events,
    and an `Event` costs three times as much to make."""

    tipo: str
    at: datetime
    operacion: str | None
    metadata: Mapping[str, Any]
    holder: str | None
    worker: str | None = None


@dataclass(slots=True)
class WorkSession:
    """One worker's occupation of the spool, open until `fin` is set."""

    worker: str
    worker_id: int | None
    operacion: str | None
    inicio: datetime
    fin: datetime | None = None
    resultado: str = EN_PROGRESO
    pulgadas: Decimal = Decimal(0)


class SessionReader:
    """Reads sessions from events, one by one and in order. A change of the holder opens or closes a session, so an
    occupation that was imported or edited in a workbook counts like any other."""

    def __init__(self) -> None:
        self.open: WorkSession | None = None

    def read(self, event: SessionEvent) -> WorkSession | None:
        """The session that this event ended, if any."""
        tipo, at, operacion, metadata, holder, worker = event
        if tipo == EventoTipo.REGISTRO_TARDIO:
            return _late_session(at, operacion, metadata, worker)
        current, ended = self.open, None
        if current and tipo in _JOINT_DONE:  # the event that ends the session, if one does, follows
            current.pulgadas += _inches(metadata)
            return None
        if current and holder == current.worker and (since := _since(metadata)):
            current.inicio = since  # a person corrected `Fecha_Ocupacion` during the session
        if current and holder != current.worker:
            current.fin, current.resultado = at, _RESULTADO.get(tipo, tipo)
            ended, self.open = current, None
        if self.open is None and holder is not None:
            self.open = WorkSession(holder, labelled_id(holder), operacion, _since(metadata) or at)
        return ended


def sessions(trail: Iterable[SessionEvent]) -> list[WorkSession]:
    """All sessions of a history whose events are in order: the ended ones, then the open one."""
    reader = SessionReader()
    found = [ended for event in trail if (ended := reader.read(event)) is not None]
    return [*found, reader.open] if reader.open else found


def _late_session(
    at: datetime, operacion: str | None, metadata: Mapping[str, Any], worker: str | None
) -> WorkSession | None:
    """Work that a supervisor accepted later: nobody held the spool for it, so it lasts no time. The first event of each
    operation has the sum of them all."""
    if worker is None or "registro" not in metadata:
        return None
    pulgadas = Decimal(str(metadata["registro"]["pulgadas"]))
    return WorkSession(worker, labelled_id(worker), operacion, at, at, EventoTipo.REGISTRO_TARDIO.value, pulgadas)


def _since(metadata: Mapping[str, Any]) -> datetime | None:
    """The start of an occupation that was imported or dated in a workbook: its event has it in the metadata."""
    since = metadata.get("fecha_ocupacion")
    return datetime.fromisoformat(since) if isinstance(since, str) else None


def _inches(metadata: Mapping[str, Any]) -> Decimal:
    return Decimal(str(metadata.get("dn_union") or 0))
