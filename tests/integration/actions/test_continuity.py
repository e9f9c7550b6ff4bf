"""Continuity over random histories: welds that are registered, corrected and edited, against a slow calculation."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from carrete.actions.answer import Answer
from carrete.actions.group import decide_group
from carrete.actions.requests import QueuedRequest
from carrete.actions.welds import EditedWelds
from carrete.domain.commands import Command, Corregir, Finalizar, Iniciar
from carrete.domain.joints import Joint
from carrete.domain.qualification import Procedure, Qualification, WeldScope
from carrete.domain.shop_time import today
from carrete.domain.spool import Operacion
from carrete.domain.workers import Rol
from carrete.gate import LockAttempt
from carrete.ledger.database import Database
from carrete.ledger.rows import joint_from, joint_row
from carrete.ledger.welding import ProcessUse, all_uses, save_procedures, save_uses
from tests.support.acting import a_request, bodies
from tests.support.builders import SHOP, TAG, a_joint, a_spool, a_worker, empty, put

SOLD = Operacion.SOLD
WELDERS = (a_worker(93, roles=[Rol.SOLDADOR]), a_worker(12, "Juana", "Pérez", roles=[Rol.SOLDADOR]))
SUPERVISOR = a_worker(21, "Sergio", "Vidal", roles=[Rol.SUPERVISOR])
FIRST = datetime(2024, 1, 2, 15, tzinfo=UTC)
START = date(2024, 1, 1)
JOINTS = (1, 2, 3)
NEVER_WELDED = 4  # so that there is always a joint to weld, which the spool's counters say and an edit here leaves


@dataclass
class History:
    """A spool on the floor, and the welds that still stand: joint to welder and day. The latter is the slow side."""

    database: Database
    now: datetime = FIRST
    standing: dict[int, tuple[int, date]] = field(default_factory=dict)

    def begin(self) -> History:
        empty(self.database)
        armed = [a_joint(n, wps="W-1", arm_fin=FIRST, arm_worker="AM(1)") for n in (*JOINTS, NEVER_WELDED)]
        put(self.database, [a_spool(total_uniones=len(armed) + 1)], [*WELDERS, SUPERVISOR], armed)
        with self.database.writing() as tx:
            save_procedures(tx, [Procedure("W-1", ("GTAW",))])
        return self

    def do(self, *commands: Command) -> None:
        """In one group, as when they wait for the same commit."""
        with self.database.writing() as tx:
            queued = [
                QueuedRequest(a_request(each), [LockAttempt(TAG, f"{each.worker_id}:lock", takes=True)], self.now)
                for each in commands
            ]
            for decided in decide_group(tx, SHOP, queued):
                assert isinstance(decided.answer, Answer)
                (body,) = bodies(decided.answer)
                assert "code" not in body, body

    def weld(self, n: int, welder: int) -> None:
        self.do(Iniciar(TAG, welder, SOLD))
        self.do(Finalizar(TAG, welder, SOLD, (n,)))
        self.standing[n] = welder, today(self.now, SHOP.zone)

    def correct(self, n: int) -> None:
        self.do(Corregir(TAG, SUPERVISOR.id, "Unión equivocada", SOLD, (n,)))
        del self.standing[n]

    def joint(self, n: int) -> Joint:
        with self.database.reading() as tx:
            return {found.n_union: found for found in map(joint_from, tx.all("joints_of", tag=TAG))}[n]

    def edit(self, n: int, **facts: Any) -> None:
        """What the merge of a workbook does with an edited row of `Uniones`."""
        before = self.joint(n)
        after = replace(before, **facts)
        with self.database.writing() as tx:
            edited = EditedWelds(tx, SHOP)
            edited.follow([before], [after])
            edited.save()
            tx.many("joint_update", [{**joint_row(after), "read_version": before.version}])

    def empty_the_date(self, n: int) -> None:
        self.edit(n, sol_fin=None, sol_inicio=None, sol_worker=None)
        del self.standing[n]

    def type_another_day(self, n: int, days: int) -> None:
        fin = self.joint(n).sol_fin
        assert fin is not None
        self.edit(n, sol_fin=fin - timedelta(days=days))
        self.standing[n] = self.standing[n][0], today(fin - timedelta(days=days), SHOP.zone)

    def type_another_welder(self, n: int) -> None:
        """The weld was not this welder's; a weld that is typed proves no use of another one."""
        other = next(each for each in WELDERS if each.id != self.standing[n][0])
        self.edit(n, sol_worker=other.label)
        self.standing[n] = 0, self.standing[n][1]

    def lapses(self, welder: int) -> date:
        with self.database.reading() as tx:
            uses = all_uses(tx).get((welder, "GTAW"), ())
        return Qualification(welder, "GTAW", "Q-1", WeldScope(), START).lapses(uses, date.max)

    def slowly(self, welder: int) -> date:
        """Day by day, from the welds that stand."""
        used = {day for by, day in self.standing.values() if by == welder}
        counted_from = day = START
        while _within_six_months(counted_from, day + timedelta(days=1)):
            day += timedelta(days=1)
            counted_from = day if day in used else counted_from
        return day


def _within_six_months(begin: date, day: date) -> bool:
    months = (day.year - begin.year) * 12 + day.month - begin.month
    return months < 6 or (months == 6 and day.day <= begin.day)


@pytest.fixture
def history(database: Database) -> History:
    return History(database).begin()


def uses(history: History) -> dict[tuple[int, str], list[date]]:
    with history.database.reading() as tx:
        return all_uses(tx)


def test_a_weld_that_a_person_reopens_in_the_sheet_renews_nothing(history: History) -> None:
    history.weld(1, 93)
    assert history.lapses(93) == date(2024, 7, 2)
    history.empty_the_date(1)
    assert history.lapses(93) == date(2024, 7, 1)


def test_a_weld_that_another_welder_makes_anew_is_the_others_use_alone(history: History) -> None:
    history.weld(1, 93)
    history.empty_the_date(1)
    history.weld(1, 12)
    assert uses(history) == {(12, "GTAW"): [date(2024, 1, 2)]}


def test_a_weld_and_its_correction_in_one_group_leave_no_use(history: History) -> None:
    history.do(Iniciar(TAG, 93, SOLD))
    history.do(Finalizar(TAG, 93, SOLD, (1,)), Corregir(TAG, SUPERVISOR.id, "Unión equivocada", SOLD, (1,)))
    assert uses(history) == {}


def test_a_correction_takes_the_use_back_when_the_procedure_was_emptied_before(history: History) -> None:
    history.weld(1, 93)
    history.edit(1, wps=None)
    history.correct(1)
    assert uses(history) == {}


def repaired(history: History, n: int, welder: int) -> None:
    """What the commit of a repair records."""
    with history.database.writing() as tx:
        save_uses(tx, [ProcessUse(welder, "GTAW", today(history.now, SHOP.zone), TAG, n)])


def test_another_welder_or_day_of_a_weld_leaves_the_uses_of_its_repairs(history: History) -> None:
    for n in (1, 2):
        history.weld(n, 93)
        repaired(history, n, 12)
    history.type_another_day(1, 30)
    history.type_another_welder(2)
    assert uses(history) == {(93, "GTAW"): [date(2023, 12, 3)], (12, "GTAW"): [date(2024, 1, 2)]}
    assert history.joint(2).sol_worker == WELDERS[1].label


def test_a_welders_label_in_another_spelling_is_the_same_welder(history: History) -> None:
    history.weld(1, 93)
    history.edit(1, sol_worker="mr (93)")
    assert uses(history) == {(93, "GTAW"): [date(2024, 1, 2)]}


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["weld", "weld", "weld", "correct", "empty", "day", "welder"]),
        st.sampled_from(JOINTS),
        st.sampled_from([worker.id for worker in WELDERS]),
        st.integers(0, 120),
    ),
    min_size=3,
    max_size=10,
)


@settings(
    max_examples=20, database=None, deadline=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck)
)
@given(STEPS)
def test_only_welds_that_still_stand_renew_a_process(
    database: Database, steps: list[tuple[str, int, int, int]]
) -> None:
    history = History(database).begin()
    for what, n, welder, days in steps:
        history.now += timedelta(days=days)
        known = history.standing.get(n)
        if what == "weld" and known is None:
            history.weld(n, welder)
        elif what == "correct" and known is not None:
            history.correct(n)
        elif what == "empty" and known is not None:
            history.empty_the_date(n)
        elif what == "day" and known is not None and known[0]:
            history.type_another_day(n, days)
        elif what == "welder" and known is not None and known[0]:
            history.type_another_welder(n)
    for each in WELDERS:
        assert history.lapses(each.id) == history.slowly(each.id)
