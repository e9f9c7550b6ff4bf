"""The rules of work without a connection report nothing in a correct history and every fault in a wrong one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from carrete.domain.commands import WorkItem
from carrete.domain.joints import Joint, JointCounts
from carrete.domain.reclamo import Reclamo
from carrete.domain.spool import Operacion
from carrete_chaos import inch_rules, offline_rules
from carrete_chaos.history import (
    ActionCall,
    ActionDone,
    ActionRefused,
    ActionUnanswered,
    CampaignEvidence,
    Outcome,
    RecordedEvent,
)
from carrete_chaos.offline_log import KeptTap, OfflineEvidence

ANA, BETO = 1, 2
TAKEN = KeptTap(ANA, "s1", "A", "INICIAR", "ARM", "08:00")
FINISHED = KeptTap(ANA, "s1", "A", "FINALIZAR", "ARM", "08:01", (3,))
DONE = ActionDone("v2", "PAUSAR", (1, 3))
REFUSED = ActionRefused(409, "SPOOL_OCCUPIED", BETO, 1, "r1")


def event(seq: int, tipo: str, version: str, tapped: str, n_union: int | None = None) -> RecordedEvent:
    return RecordedEvent(seq, "A", tipo, ANA, "ARM", version, None, session="s1", n_union=n_union, tapped=tapped)


EVENTS = [
    event(1, "INICIAR_SPOOL", "v1", "08:00"),
    event(2, "UNION_ARM_REGISTRADA", "v2", "08:01", 3),
    event(3, "SPOOL_ARM_PAUSADO", "v2", "08:01"),
]
RECLAMO = Reclamo(
    *("r1", "A", ANA, "AS(1)", (WorkItem(Operacion.ARM, 3),), [], 1, "SPOOL_OCCUPIED", "", {}),
    received_at=datetime(2026, 11, 16, tzinfo=UTC),
    origin_key="k",
)


def chain(outcome: Outcome = DONE, taps: Sequence[KeptTap] = (TAKEN, FINISHED), key: str = "k") -> ActionCall:
    ended = math.inf if isinstance(outcome, ActionUnanswered) else 2.0
    return ActionCall(key, ANA, "cadena", "A", "ARM", 1.0, ended, outcome, taps=tuple(taps))


def found(
    calls: list[ActionCall],
    facts: Sequence[RecordedEvent] = (),
    reclamos: Sequence[Reclamo] = (),
    kept: Sequence[KeptTap] = (TAKEN, FINISHED),
) -> set[str]:
    evidence = CampaignEvidence(calls, list(facts), {}, {}, offline=OfflineEvidence(kept, reclamos))
    return {rule for rule, _, _ in offline_rules.findings(evidence, calls)}


def test_a_chain_that_was_done_and_one_that_became_a_reclamo_are_right() -> None:
    assert found([chain()], EVENTS) == set()
    assert found([chain(REFUSED)], reclamos=[RECLAMO]) == set()


def test_a_kept_tap_that_never_went_out_or_went_out_twice_is_wrong() -> None:
    assert found([]) == {offline_rules.KEPT}
    assert offline_rules.KEPT in found([chain(), chain(key="k2")], EVENTS)


def test_a_tap_of_which_nobody_knows_is_wrong_unless_identity_refused_it() -> None:
    assert found([chain(ActionUnanswered())]) == {offline_rules.ENDED}
    assert found([chain(ActionUnanswered("TOQUE_NO_VALIDO"))]) == set()


@pytest.mark.parametrize(
    "facts",
    [
        EVENTS[:1],  # the ending is missing
        [*EVENTS[:1], EVENTS[2]],  # a joint is missing
        [replace(EVENTS[0], seq=3), replace(EVENTS[1], seq=1), replace(EVENTS[2], seq=2)],  # in another order
        [EVENTS[0], replace(EVENTS[1], tapped=None, tipo="PAUSAR_SPOOL"), EVENTS[2]],  # somebody in between
    ],
)
def test_a_chain_of_which_a_part_was_done_is_wrong(facts: list[RecordedEvent]) -> None:
    assert found([chain()], facts) == {offline_rules.WHOLE}


def test_a_chain_with_fewer_steps_in_its_answer_or_events_of_a_refused_one_are_wrong() -> None:
    assert found([chain(ActionDone("v1", "INICIAR", (1,)))], EVENTS) == {offline_rules.WHOLE}
    assert found([chain(REFUSED)], EVENTS[:1], [RECLAMO]) == {offline_rules.WHOLE}


@pytest.mark.parametrize(
    "reclamos",
    [[], [RECLAMO, replace(RECLAMO, id="r2")], [replace(RECLAMO, worker_id=BETO)], [replace(RECLAMO, work=())]],
)
def test_refused_work_is_one_reclamo_of_its_author(reclamos: list[Reclamo]) -> None:
    assert found([chain(REFUSED)], reclamos=reclamos) == {offline_rules.CLAIMED}


def test_a_reclamo_of_nothing_is_wrong() -> None:
    assert found([chain()], EVENTS, [RECLAMO]) == {offline_rules.CLAIMED}
    without_work = chain(replace(REFUSED, reclamo=None), [TAKEN])
    assert found([without_work], kept=[TAKEN]) == set()
    assert found([without_work], reclamos=[RECLAMO], kept=[TAKEN]) == {offline_rules.CLAIMED}


def test_late_work_without_a_decision_is_wrong() -> None:
    late = replace(EVENTS[1], tipo="REGISTRO_TARDIO", reclamo="r1")
    assert offline_rules.DECIDED in found([chain(REFUSED)], [late], [RECLAMO])


def inches(joint: Joint, facts: list[RecordedEvent], counts: JointCounts, reported: dict[str, int]) -> set[str]:
    offline = OfflineEvidence((), (), [joint], {"A": counts}, reported)
    return {rule for rule, _, _ in inch_rules.findings(facts, offline)}


def test_inches_are_the_joints_that_were_done() -> None:
    armed = Joint("A", 3, dn_milli=4125, arm_fin=datetime(2026, 11, 16, tzinfo=UTC), arm_worker="AS(1)")
    counts, reported = JointCounts(milli_armed=4125), {"AS(1)": 4125}
    assert inches(armed, EVENTS, counts, reported) == set()
    assert inches(armed, [], counts, reported) == {inch_rules.INCHES}
    assert inches(armed, EVENTS, JointCounts(milli_armed=4126), reported) == {inch_rules.INCHES}
    assert inches(armed, EVENTS, counts, {"AS(1)": 8250}) == {inch_rules.INCHES}
    again = replace(EVENTS[1], seq=9, tipo="REGISTRO_TARDIO", worker_id=ANA, reclamo="r1")
    assert inches(armed, [*EVENTS, again], counts, reported) == {inch_rules.TWICE}
    undone = replace(EVENTS[0], seq=8, tipo="CORRECCION", n_union=None, undone=((3, True),))
    assert inches(armed, [*EVENTS, undone, again], counts, reported) == set()
