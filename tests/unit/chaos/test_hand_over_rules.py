"""The rules of a hand-over report nothing about one with an offer in force, and every other one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from carrete_chaos.checker import check
from carrete_chaos.hand_over_rules import ACCEPT, OFFER, WITHDRAW
from carrete_chaos.history import ActionCall, ActionDone, ActionRefused, CampaignEvidence, RecordedEvent, StoredKey

ANA, EVA, LEO = 1, 2, 3


def call(key: str, who: int, accion: str, began: float, version: str, **more: Any) -> ActionCall:
    return ActionCall(key, who, accion, "A", "ARM", began, began + 1, ActionDone(version, accion), more=more)


def event(seq: int, tipo: str, who: int, version: str, giver: int | None = None) -> RecordedEvent:
    return RecordedEvent(seq, "A", tipo, who, "ARM", version, f"X({who})", giver=giver)


TAKE = call("k1", ANA, "tomar", 0, "v1")
OFFERED = call("k2", ANA, OFFER, 2, "v1", receptor_id=EVA)
ACCEPTED = call("k3", EVA, ACCEPT, 4, "v2")
TOOK, RELEVO = event(1, "TOMAR_SPOOL", ANA, "v1"), event(2, "RELEVO", EVA, "v2", ANA)


def rules_broken(calls: list[ActionCall], facts: list[RecordedEvent], holder: int = EVA) -> set[str]:
    keys = {}
    for each in calls:
        if isinstance(each.outcome, ActionDone):
            body = {"version": each.outcome.version, "action_taken": each.outcome.accion}
            keys[each.key] = StoredKey(200, json.loads(json.dumps(body)))
        elif isinstance(each.outcome, ActionRefused):
            keys[each.key] = StoredKey(
                each.outcome.status, {"code": each.outcome.code, "owner_id": each.outcome.owner_id}
            )
    return {violation.rule for violation in check(CampaignEvidence(calls, facts, keys, {"A": holder}))}


def test_a_hand_over_with_its_offer_is_right() -> None:
    assert rules_broken([TAKE, OFFERED, ACCEPTED], [TOOK, RELEVO]) == set()


def test_an_offer_for_everybody_and_one_with_joints_are_right() -> None:
    open_offer = replace(OFFERED, more={})
    assert rules_broken([TAKE, open_offer, ACCEPTED], [TOOK, RELEVO]) == set()
    with_joints = call("k2", ANA, OFFER, 2, "v1b", selected_unions=[1])
    joint = replace(event(2, "UNION_ARM_REGISTRADA", ANA, "v1b"), n_union=1)
    assert rules_broken([TAKE, with_joints, ACCEPTED], [TOOK, joint, replace(RELEVO, seq=3)]) == set()


def test_a_receiver_of_a_hand_over_may_take_and_accept_the_spool_again() -> None:
    again = [call("k4", EVA, "tomar", 6, "v2"), call("k5", EVA, ACCEPT, 8, "v2")]
    assert rules_broken([TAKE, OFFERED, ACCEPTED, *again], [TOOK, RELEVO]) == set()
    stranger = call("k6", LEO, "tomar", 6, "v2")
    assert "as answered" in rules_broken([TAKE, OFFERED, ACCEPTED, stranger], [TOOK, RELEVO])


@pytest.mark.parametrize(
    ("offers", "why"),
    [
        ([], "nobody offered it"),
        ([replace(OFFERED, worker_id=LEO)], "somebody else offered it"),
        ([replace(OFFERED, more={"receptor_id": LEO})], "it was offered to somebody else"),
        ([replace(OFFERED, outcome=ActionDone("v0", OFFER))], "the spool had changed since the offer"),
        ([replace(OFFERED, outcome=ActionRefused(403, "NO_AUTORIZADO"))], "the offer was refused"),
        ([OFFERED, call("k9", ANA, WITHDRAW, 3.2, "v1")], "it was taken back"),
    ],
)
def test_a_hand_over_without_an_offer_in_force_is_found(offers: list[ActionCall], why: str) -> None:
    accepted = replace(ACCEPTED, began=5.0, ended=6.0)
    assert "handed over by an offer" in rules_broken([TAKE, *offers, accepted], [TOOK, RELEVO]), why


def test_a_withdrawal_that_may_have_come_too_late_is_no_finding() -> None:
    withdrawn = replace(call("k9", ANA, WITHDRAW, 3.5, "v1"), ended=4.5)
    assert "handed over by an offer" not in rules_broken([TAKE, OFFERED, withdrawn, ACCEPTED], [TOOK, RELEVO])


def test_a_third_person_who_takes_the_spool_during_a_hand_over_is_found() -> None:
    """Released and taken in two commits: a third person takes it in between."""
    slipped = call("k7", LEO, "tomar", 4, "v1c")
    facts = [TOOK, event(2, "TOMAR_SPOOL", LEO, "v1c"), replace(RELEVO, seq=3)]
    assert "one holder" in rules_broken([TAKE, OFFERED, slipped, ACCEPTED], facts)


def test_two_hand_overs_of_one_offer_are_found() -> None:
    second = call("k8", LEO, ACCEPT, 4, "v3")
    facts = [TOOK, RELEVO, event(3, "RELEVO", LEO, "v3", ANA)]
    broken = rules_broken([TAKE, replace(OFFERED, more={}), ACCEPTED, second], facts, holder=LEO)
    assert {"one holder", "handed over by an offer"} <= broken


def test_an_offer_of_a_person_who_does_not_hold_the_spool_is_found() -> None:
    late = replace(call("k10", ANA, OFFER, 10, "v2"), more={"receptor_id": EVA})
    assert "linearizable" in rules_broken([TAKE, OFFERED, ACCEPTED, late], [TOOK, RELEVO])
