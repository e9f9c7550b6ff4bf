"""Sessions in the history: over the change of hour, from half-way imports, after edits and corrections."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from carrete.domain.commands import Command, Completar, Corregir, Finalizar, Iniciar, Liberar, Pausar, Tomar
from carrete.domain.decide import Case, decide
from carrete.domain.edits.cells import Edit, EditContext, RowEdits
from carrete.domain.edits.spool import apply_edits
from carrete.domain.events import Event
from carrete.domain.joints import Joint
from carrete.domain.reports.history import SessionEvent, WorkSession, sessions
from carrete.domain.shop_time import duration, iso
from carrete.domain.spool import Operacion, Spool
from tests.support.builders import NOW, SHOP, a_joint, a_spool
from tests.support.floor import LOCK
from tests.support.people import JS, LP, MR, SV

ARM, SOLD = Operacion.ARM, Operacion.SOLD
PEOPLE = {worker.id: worker for worker in (MR, LP, JS, SV)}


class Trail:
    """A spool led through taps and edits, with what each left in the trail."""

    def __init__(self, spool: Spool, joints: Sequence[Joint] = (), at: datetime = NOW) -> None:
        self.spool = spool
        self.joints = {joint.n_union: joint for joint in joints}
        self.now = at
        self.events: list[SessionEvent] = []

    def tap(self, command: Command, after: timedelta = timedelta(hours=1)) -> None:
        self.now += after
        case = Case(self.spool, PEOPLE[command.worker_id], self.now, SHOP, LOCK, list(self.joints.values()))
        change = decide(command, case)
        self.joints |= {joint.n_union: joint for joint in change.joints}
        self._follow(change.spool, change.events)

    def type(self, *, back: bool = False, **cells: str) -> None:
        held = self.spool.occupation
        local = held.since.astimezone(SHOP.zone).replace(tzinfo=None).isoformat() if held else ""
        seen = {"Ocupado_Por": held.label if held else "", "Fecha_Ocupacion": local}
        edits = tuple(Edit(column, seen[column], seen[column], value) for column, value in cells.items())
        context = EditContext(self.now, SHOP, PEOPLE, lambda _worker, _since: LOCK)
        result = apply_edits(self.spool, list(self.joints.values()), RowEdits(edits, seen, back), (), context)
        self._follow(result.spool, result.events)

    def _follow(self, spool: Spool, events: Sequence[Event]) -> None:
        self.spool = spool
        holder = spool.occupation.label if spool.occupation else None
        self.events += [SessionEvent(e.tipo, e.at, e.operacion, e.metadata, holder) for e in events]

    @property
    def sessions(self) -> list[WorkSession]:
        return sessions(self.events)


@pytest.mark.parametrize(
    ("began", "wall", "ended"),
    [
        (datetime(2026, 9, 6, 2, 0, tzinfo=UTC), "2026-09-05T22:00:00-04:00", "2026-09-06T01:30:00-03:00"),
        (datetime(2026, 4, 5, 2, 0, tzinfo=UTC), "2026-04-04T23:00:00-03:00", "2026-04-05T00:30:00-04:00"),
    ],
    ids=["an hour is skipped", "an hour comes twice"],
)
def test_a_night_shift_over_the_change_of_hour_lasts_as_long_as_it_lasted(
    began: datetime, wall: str, ended: str
) -> None:
    trail = Trail(a_spool(), at=began)
    trail.tap(Tomar(trail.spool.tag, MR.id, ARM), timedelta())
    trail.tap(Pausar(trail.spool.tag, MR.id, ARM), timedelta(hours=2, minutes=30))
    (session,) = trail.sessions
    assert session.fin is not None
    assert (iso(session.inicio, SHOP.zone), iso(session.fin, SHOP.zone)) == (wall, ended)
    assert duration(session.inicio, session.fin) == "2h 30m"


def test_a_session_that_a_supervisor_ended_says_so_and_is_still_the_workers() -> None:
    trail = Trail(a_spool())
    tag = trail.spool.tag
    trail.tap(Tomar(tag, LP.id, ARM))
    trail.tap(Liberar(tag, SV.id, "Se fue"))
    trail.tap(Tomar(tag, LP.id, ARM))
    shown = [(s.worker, s.worker_id, s.resultado, s.fin is None) for s in trail.sessions]
    assert shown == [("LP(7)", 7, "LIBERADO", False), ("LP(7)", 7, "EN_PROGRESO", True)]


def test_a_session_that_a_person_handed_to_somebody_else() -> None:
    trail = Trail(a_spool())
    trail.tap(Tomar(trail.spool.tag, MR.id, ARM))
    trail.now += timedelta(hours=3)
    trail.type(Ocupado_Por="LP(7)")
    trail.now += timedelta(hours=1)
    trail.type(Ocupado_Por="")
    shown = [(s.worker, s.operacion, s.resultado, duration(s.inicio, s.fin or NOW)) for s in trail.sessions]
    assert shown == [("MR(93)", "ARM", "EDITADO", "3h 0m"), ("LP(7)", "ARM", "EDITADO", "1h 0m")]


def test_a_start_that_a_person_corrected_is_the_start_of_the_session() -> None:
    """As of the joints that are finished then: their start is `Fecha_Ocupacion` too."""
    trail = Trail(a_spool(total_uniones=1), [a_joint(1)])
    tag = trail.spool.tag
    trail.tap(Iniciar(tag, MR.id, ARM))  # 11:30 in Santiago
    trail.type(Fecha_Ocupacion="2026-11-16T08:15:00")
    trail.tap(Finalizar(tag, MR.id, ARM, unions=(1,)))
    (session,) = trail.sessions
    assert session.inicio == trail.joints[1].arm_inicio == datetime(2026, 11, 16, 11, 15, tzinfo=UTC)
    assert session.fin is not None
    assert duration(session.inicio, session.fin) == "4h 15m"


def test_a_row_that_comes_back_with_a_holder_opens_a_session_with_its_operation() -> None:
    trail = Trail(a_spool(retired=True))
    trail.type(back=True, Ocupado_Por="LP(7)", Fecha_Ocupacion="2026-11-16T08:00:00")
    (session,) = trail.sessions
    assert (session.worker, session.operacion) == ("LP(7)", "ARM")
    assert session.inicio == datetime(2026, 11, 16, 11, 0, tzinfo=UTC)


def test_inches_are_of_the_session_in_which_they_were_done_whatever_is_corrected_later() -> None:
    """The trail is of what happened; the figures of the period are of what stands."""
    joints = [a_joint(n, dn_milli=dn) for n, dn in ((1, 375), (2, 700), (3, 100))]
    trail = Trail(a_spool(total_uniones=3), joints)
    tag = trail.spool.tag
    for worker, operacion, unions in ((LP, ARM, (1, 2)), (MR, ARM, (3,)), (JS, SOLD, (1, 2, 3))):
        trail.tap(Iniciar(tag, worker.id, operacion))
        trail.tap(Finalizar(tag, worker.id, operacion, unions=unions))
    before = trail.sessions
    trail.tap(Corregir(tag, SV.id, "Por error", ARM, (2,)))
    assert trail.sessions == before
    assert [(s.worker, float(s.pulgadas), s.resultado) for s in before] == [
        *(("LP(7)", 1.075, "PAUSADO"), ("MR(93)", 0.1, "COMPLETADO"), ("JS(8)", 1.175, "COMPLETADO")),
    ]


def test_a_correction_ends_nobodys_session_and_begins_none() -> None:
    trail = Trail(a_spool())
    tag = trail.spool.tag
    trail.tap(Tomar(tag, MR.id, ARM))
    trail.tap(Completar(tag, MR.id, ARM))
    before: Any = trail.sessions
    trail.tap(Corregir(tag, SV.id, "Por error", ARM))
    assert trail.sessions == before
