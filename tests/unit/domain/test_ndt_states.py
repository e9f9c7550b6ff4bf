"""Examinations against a small model: whatever happens to a joint, its state follows, and its inches never change."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from carrete.domain.change import Change
from carrete.domain.commands import Command, RepararUnion, Resultado, ResultadoNdt, SolicitarNdt
from carrete.domain.decide import Case, decide
from carrete.domain.joints import count as count_joints
from carrete.domain.ndt.case import NdtCase
from carrete.domain.ndt.examination import Examination, ExamStatus, joint_ndt, of_joint, spool_ndt
from carrete.domain.ndt.policy import NdtPolicy
from carrete.domain.ndt.sampling import Sampling
from carrete.domain.ndt.weld_changes import WeldChange, follow_welds, in_the_sheet, merged
from carrete.domain.refusals import Refusal
from carrete.domain.reports.repair_rates import BANDS, Examined, RatePor, band_of, by_key, wilson
from carrete.domain.shop import Shop
from carrete.domain.spool import Ensayos, Estado, Metrologia, Spool
from carrete.domain.workers import Rol, Worker
from tests.support.builders import EARLIER, NOW, TAG, a_blocked_spool, a_joint, a_spool, a_worker, held

METHODS = ("RT", "PT")
EVERYBODY = a_worker(roles=[Rol.SOLDADOR, Rol.NDT, Rol.SUPERVISOR])
SHOP = Shop(ndt=NdtPolicy(additional=0))
WELD: dict[str, Any] = {"arm_fin": EARLIER, "arm_worker": "LP(7)", "sol_fin": EARLIER, "sol_worker": "MR(93)"}


def no_groups(*_: object) -> list[Any]:
    return []


class OneSpool:
    """A spool with two welded joints, its examinations, and commands decided one after the other."""

    def __init__(self, spool: Spool | None = None) -> None:
        self.joints = {n: a_joint(n, **WELD) for n in (1, 2)}
        self.spool = spool or a_spool(total_uniones=2, arm=Estado.COMPLETADO, sold=Estado.COMPLETADO)
        self.exams: list[Examination] = []
        self._ids = count()

    def do(self, command: Command, worker: Worker = EVERYBODY) -> Change | str:
        ndt = NdtCase(self.exams, self._new_id)
        case = Case(self.spool, worker, NOW, SHOP, "", list(self.joints.values()), ndt=ndt)
        try:
            change = decide(command, case)
        except Refusal as refusal:
            return refusal.code
        self.spool = change.spool
        self.exams = merged(self.exams, change.exams)
        self.joints.update({joint.n_union: joint for joint in change.joints})
        return change

    def _new_id(self) -> str:
        return f"e{next(self._ids)}"

    def become(self, n_union: int, **facts: Any) -> None:
        """A joint changes in another way than by a command about examinations."""
        after = {**self.joints, n_union: replace(self.joints[n_union], **facts)}
        welds = WeldChange(self.spool, self.spool, self.joints, after, self.exams, NOW, self._new_id, {})
        effect = follow_welds(welds, Sampling((), no_groups, no_groups), sample=False)
        self.exams = merged(self.exams, effect.exams)
        self.spool, changed = in_the_sheet(self.spool, self.exams, after.values())
        self.joints = {**after, **{joint.n_union: joint for joint in changed}}

    def pending(self, n_union: int, method: str) -> Examination | None:
        found = [e for e in of_joint(self.exams, n_union) if e.method == method and e.status is ExamStatus.PENDIENTE]
        return found[0] if found else None


class Model(RuleBasedStateMachine):
    """The model knows for each joint and method only: nothing, waits, approved, rejected, and how many repairs."""

    def __init__(self) -> None:
        super().__init__()
        self.real = OneSpool()
        self.inches = self._inches()
        self.state: dict[tuple[int, str], str] = {}
        self.welded = {1, 2}

    def _inches(self) -> int:
        return count_joints(self.real.joints.values(), SHOP).milli_armed

    @rule(n=st.sampled_from([1, 2]), method=st.sampled_from(METHODS))
    def ask(self, n: int, method: str) -> None:
        done = self.real.do(SolicitarNdt(TAG, EVERYBODY.id, method, (n,)))
        allowed = n in self.welded and self.state.get((n, method)) in (None, "approved")
        assert isinstance(done, Change) is allowed
        if allowed:
            self.state[n, method] = "waits"

    @rule(n=st.sampled_from([1, 2]), method=st.sampled_from(METHODS), good=st.booleans())
    def examine(self, n: int, method: str, good: bool) -> None:
        exam = self.real.pending(n, method)
        assert (exam is not None) is (self.state.get((n, method)) == "waits")
        if exam:
            resultado = Resultado.APROBADO if good else Resultado.RECHAZADO
            defects = () if good else ("GRIETA",)
            command = ResultadoNdt(TAG, EVERYBODY.id, exam.id, resultado, "RT-1", None, defects)
            assert isinstance(self.real.do(command), Change)
            assert self.real.do(command) == "ENSAYO_CERRADO"
            self.state[n, method] = "approved" if good else "rejected"

    @rule(n=st.sampled_from([1, 2]))
    def repair(self, n: int) -> None:
        rejected = [key for key, state in self.state.items() if key[0] == n and state == "rejected"]
        done = self.real.do(RepararUnion(TAG, EVERYBODY.id, n))
        assert isinstance(done, Change) is bool(rejected)
        self.state.update(dict.fromkeys(rejected, "waits"))

    @rule(n=st.sampled_from([1, 2]))
    @precondition(lambda self: bool(self.welded))
    def reopen(self, n: int) -> None:
        if n in self.welded:
            self.real.become(n, sol_fin=None, sol_worker=None)
            self.welded.discard(n)
            self.asked = {key for key in self.state if key[0] == n}
            for key in self.asked:
                self.state[key] = "lost"

    @rule(n=st.sampled_from([1, 2]))
    def weld_again(self, n: int) -> None:
        if n not in self.welded:
            self.real.become(n, sol_fin=NOW, sol_worker="JS(8)")
            self.welded.add(n)
            for key in [key for key in self.state if key[0] == n]:
                self.state[key] = "waits"

    @invariant()
    def the_joint_says_what_its_examinations_say(self) -> None:
        for n in (1, 2):
            states = {state for key, state in self.state.items() if key[0] == n and state != "lost"}
            shown = self.real.joints[n].ndt_status
            expected = joint_ndt(of_joint(self.real.exams, n))
            assert shown == (expected.value if expected else None)
            assert (shown is None) is (not states)
            assert (shown == "RECHAZADO") is ("rejected" in states)
            assert (shown == "APROBADO") is (states == {"approved"})

    @invariant()
    def the_spool_knows_whether_something_is_open(self) -> None:
        standing = [state for state in self.state.values() if state != "lost"]
        open_ones = [state for state in standing if state != "approved"]
        if self.real.exams:
            assert (self.real.spool.ndt is Ensayos.PENDIENTE) is bool(open_ones)
        assert self.real.spool.ndt is spool_ndt(self.real.exams)

    @invariant()
    def no_repair_changes_inches(self) -> None:
        assert self._inches() == self.inches
        assert all(joint.dn_milli == 4_000 for joint in self.real.joints.values())


TestModel = Model.TestCase


def test_a_removed_joint_voids_its_examination_and_a_joint_that_is_back_is_examined() -> None:
    real = OneSpool()
    real.do(SolicitarNdt(TAG, EVERYBODY.id, "RT", (1,)))
    real.become(1, retired=True)
    assert [exam.status for exam in real.exams] == [ExamStatus.ANULADO]
    assert real.spool.ndt is Ensayos.AL_DIA
    real.become(1, retired=False)
    assert real.pending(1, "RT") is not None


def test_a_blocked_spool_can_be_examined_and_not_repaired() -> None:
    real = OneSpool(a_blocked_spool(total_uniones=2))
    assert isinstance(real.do(SolicitarNdt(TAG, EVERYBODY.id, "RT", (1,))), Change)
    exam = real.pending(1, "RT")
    assert exam is not None
    done = real.do(ResultadoNdt(TAG, EVERYBODY.id, exam.id, Resultado.RECHAZADO, "RT-1", None, ("GRIETA",)))
    assert isinstance(done, Change)
    assert done.spool.metrologia is Metrologia.BLOQUEADO
    assert real.do(RepararUnion(TAG, EVERYBODY.id, 1)) == "SPOOL_BLOQUEADO"


@pytest.mark.parametrize("command", [SolicitarNdt(TAG, 93, "RT", (1,)), RepararUnion(TAG, 93, 1)])
def test_who_lacks_the_role_does_nothing_of_it(command: Command) -> None:
    assert OneSpool().do(command, a_worker(roles=[Rol.ARMADOR])) == "ROL_NO_AUTORIZADO"
    assert OneSpool().do(command, a_worker(activo=False)) == "WORKER_INACTIVO"


def test_examinations_never_change_the_holder() -> None:
    real = OneSpool()
    real.spool = held(real.spool, a_worker(7))
    before = real.spool.occupation
    assert isinstance(real.do(SolicitarNdt(TAG, EVERYBODY.id, "RT", (1,))), Change)
    assert real.spool.occupation == before


# ─── repair rates ─────────────────────────────────────────────────────────────────────────────────────────────


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_rate_and_stays_within_nought_and_one(counted: tuple[int, int]) -> None:
    rejected, examined = counted
    rate = wilson(rejected, examined)
    assert 0 <= rate.low <= rate.rate <= rate.high <= 1
    assert wilson(rejected * 10, examined * 10).high <= rate.high + 1e-9, "more examinations, a narrower interval"


def test_the_interval_of_one_in_ten_is_wilsons() -> None:
    rate = wilson(1, 10)
    assert (round(rate.low, 4), round(rate.high, 4)) == (0.0179, 0.4042)


def test_few_examinations_show_no_rate() -> None:
    assert Examined(4, 4).rate is None
    assert Examined(5, 1).rate is not None


def test_diameters_are_in_bands_and_days_in_weeks() -> None:
    assert [band_of(milli) for milli in (2_000, 2_001, 8_000, 20_000, None)] == [
        "hasta 2",
        "2 a 4",
        "4 a 8",
        "más de 14",
        "sin diámetro",
    ]
    rows = [(20_000, Examined(1)), (None, Examined(1)), (1_000, Examined(1))]
    assert list(by_key(RatePor.DIAMETRO, rows)) == ["hasta 2", "más de 14", "sin diámetro"]
    assert set(by_key(RatePor.DIAMETRO, rows)) <= set(BANDS)
    weeks = by_key(
        RatePor.SEMANA, [("2026-11-16", Examined(1, 1, 1)), ("2026-11-22", Examined(2)), ("2026-11-23", Examined(1))]
    )
    assert weeks == {"2026-11-16": Examined(3, 1, 1), "2026-11-23": Examined(1)}
