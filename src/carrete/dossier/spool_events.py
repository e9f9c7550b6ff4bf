"""Reads the events of one spool for a dossier: WPS revisions, inspections, corrections, photos of notes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from carrete.domain.edits.cells import EDITAR
from carrete.domain.events import EventoTipo
from carrete.domain.joints import Joint
from carrete.domain.notes import PHOTOS
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso
from carrete.domain.spool import Operacion
from carrete.dossier.facts import CorrectionFacts, InspectionFacts, PhotoFacts, RepairFacts
from carrete.ledger.database import Tx

EVENTS_MAX = 10_000  # of one spool
CORRECTIONS_MAX = 200  # of one spool that are listed; the others are counted
_WELDED_AT = "SOL_FECHA_FIN"  # the column that says when a joint was welded
VALUE_LENGTH_MAX = 200  # of a cell before and after
_INSPECTIONS = (
    EventoTipo.METROLOGIA_AUTO_TRIGGERED,
    EventoTipo.METROLOGIA_APROBADO,
    EventoTipo.METROLOGIA_RECHAZADO,
    EventoTipo.COMPLETAR_REPARACION,
)
_BY_SUPERVISOR = (
    EventoTipo.CORRECCION,
    EventoTipo.LIBERAR_SPOOL,
    EventoTipo.SUPERVISOR_OVERRIDE,
    EventoTipo.REGISTRO_TARDIO,
)


class _EventRecord(NamedTuple):
    seq: int
    at: str
    tipo: str
    worker: str
    operacion: str
    accion: str
    n_union: int
    metadata: dict[str, Any]


@dataclass(frozen=True, slots=True)
class WeldedUnder:
    """What the event of a weld or repair says: the revision of its WPS, the processes, and whether the check of that
    day found the welder qualified."""

    revision: str = ""
    processes: tuple[str, ...] = ()
    qualified: bool = True


class SpoolEvents:
    def __init__(self, tx: Tx, tag: str, shop: Shop) -> None:
        self._events = [_event_record(row, shop) for row in tx.all("dossier_events", tag=tag, limit=EVENTS_MAX)]
        self._corrections = [event for event in self._events if _is_correction(event)]
        self._welds = _standing_welds(self._events)
        repairs = (event for event in self._events if event.tipo == EventoTipo.REPARACION_UNION)
        self._repairs = {(event.n_union, str(event.metadata.get("reparacion"))): event for event in repairs}

    def inspections(self) -> tuple[InspectionFacts, ...]:
        return tuple(
            InspectionFacts(event.at, event.tipo, event.worker, int(event.metadata.get("ciclo") or 0))
            for event in self._events
            if event.tipo in _INSPECTIONS
        )

    def corrections(self) -> tuple[CorrectionFacts, ...]:
        return tuple(map(_correction, self._corrections[:CORRECTIONS_MAX]))

    def corrections_left_out(self) -> int:
        return max(0, len(self._corrections) - CORRECTIONS_MAX)

    def weld(self, joint: Joint) -> WeldedUnder | None:
        """None if no event is about the weld that stands: it was typed into the sheet, or changed there."""
        return _welded_under(self._welds.get(joint.n_union), joint.wps, joint.sol_worker)

    def repair(self, joint: Joint, repair: RepairFacts) -> WeldedUnder | None:
        return _welded_under(self._repairs.get((joint.n_union, f"R{repair.round}")), joint.wps, repair.welder)

    def photos(self) -> list[PhotoFacts]:
        return [
            PhotoFacts(photo, event.at, event.worker, event.n_union, str(event.metadata.get("texto", "")))
            for event in self._events
            if event.tipo == EventoTipo.NOTA
            for photo in event.metadata.get(PHOTOS, ())
        ]


def _event_record(row: tuple[Any, ...], shop: Shop) -> _EventRecord:
    seq, at, tipo, worker, operacion, accion, n_union, metadata = row
    facts = json.loads(metadata) if metadata else {}
    when = iso(datetime.fromisoformat(at), shop.zone)
    return _EventRecord(seq, when, tipo, worker or "", operacion or "", accion, n_union or 0, facts)


def _standing_welds(events: Iterable[_EventRecord]) -> dict[int, _EventRecord]:
    """The last weld event of each joint. One that was reopened since then has none: a weld that a person types into the
    sheet afterwards is another one, even by the same welder under the same WPS."""
    welds: dict[int, _EventRecord] = {}
    for event in events:
        for n_union in _reopened(event):
            welds.pop(n_union, None)
        if _is_weld(event):
            welds[event.n_union] = event
    return welds


def _reopened(event: _EventRecord) -> list[int]:
    """The joints whose welds an event reopens. Another date that a person types corrects the weld that stands."""
    facts = event.metadata
    if event.tipo == EventoTipo.CORRECCION:  # of ARM or SOLD: both take the weld; of METROLOGIA it names no joints
        return [int(joint["n_union"]) for joint in facts.get("unions", ())]
    edited = event.tipo == EventoTipo.EDICION_EXTERNA and event.accion == EDITAR and facts.get("aceptado", True)
    emptied = facts.get("columna") == _WELDED_AT and not facts.get("nuevo")
    return [event.n_union] if edited and emptied else []


def _is_weld(event: _EventRecord) -> bool:
    late = event.tipo == EventoTipo.REGISTRO_TARDIO and event.operacion == Operacion.SOLD
    return event.n_union > 0 and (late or event.tipo == EventoTipo.UNION_SOLD_REGISTRADA)


def _welded_under(event: _EventRecord | None, wps: str | None, welder: str | None) -> WeldedUnder | None:
    if event is None or event.worker != welder or event.metadata.get("wps") != wps:
        return None
    facts = event.metadata
    processes = tuple(map(str, facts.get("proceso", ())))
    return WeldedUnder(_text(facts.get("wps_revision")), processes, not facts.get("no_calificado"))


def _is_correction(event: _EventRecord) -> bool:
    """A cell that a person edited is one; a row that was new in the sheet is not."""
    return event.tipo in _BY_SUPERVISOR or (event.tipo == EventoTipo.EDICION_EXTERNA and event.accion == EDITAR)


def _correction(event: _EventRecord) -> CorrectionFacts:
    facts = event.metadata
    return CorrectionFacts(
        at=event.at,
        event=event.tipo,
        by=event.worker,
        n_union=event.n_union,
        operation=event.operacion,
        reason=_text(facts.get("motivo")),
        column=_text(facts.get("columna")),
        before=_text(facts.get("anterior")),
        after=_text(facts.get("nuevo")),
    )


def _text(value: object) -> str:
    return "" if value is None else str(value)[:VALUE_LENGTH_MAX]
