"""The end of a shift: about which spools a holder is asked, and the answer "Sigo yo". Nothing here ends anything."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from carrete.domain import sentences
from carrete.domain.change import Change
from carrete.domain.events import Event, EventoTipo
from carrete.domain.shifts import Shift, ShiftOccurrence, last_ended_by, next_end_after
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso
from carrete.domain.spool import Occupation, Operacion, Spool
from carrete.domain.workers import Worker

ASKED_BEFORE_END = timedelta(minutes=15)


def asked_from(ending: ShiftOccurrence) -> datetime:
    """The instant from which the holders are asked. An answer counts if it was given at that instant or later."""
    return ending.ends - ASKED_BEFORE_END


def shift_in_question(shifts: Sequence[Shift], now: datetime, zone: ZoneInfo) -> ShiftOccurrence | None:
    """The shift about whose end holders are asked now: it ends within 15 minutes, or is the last that ended. An answer
    to a later question answers the earlier ones, so there is only one at a time."""
    return last_ended_by(shifts, now + ASKED_BEFORE_END, zone)


def next_question(shifts: Sequence[Shift], now: datetime, zone: ZoneInfo) -> datetime | None:
    end = next_end_after(shifts, now + ASKED_BEFORE_END, zone)
    return end - ASKED_BEFORE_END if end else None


def concerns(ending: ShiftOccurrence, held: Occupation) -> bool:
    """What was taken after the question began belongs to the shift that comes."""
    return held.since < asked_from(ending)


def keep_on(spool: Spool, worker: Worker, operacion: Operacion, now: datetime, shop: Shop) -> Change:
    """The holder goes on with the spool after the end of a shift. Only the history changes."""
    held, ending = spool.occupation, shift_in_question(shop.shifts, now, shop.zone)
    assert held is not None
    metadata = {}
    if ending is not None and concerns(ending, held):
        metadata = {"turno": ending.shift.name, "hasta": iso(ending.ends, shop.zone)}
    event = Event(EventoTipo.SIGUE_TURNO, now, "SEGUIR", operacion, worker.id, worker.label, metadata=metadata)
    return Change(spool, (event,), "SEGUIR", sentences.kept_on(spool.tag, worker.label, operacion))
