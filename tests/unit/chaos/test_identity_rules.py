"""The rules of identity report nothing in a correct history and every fault in a wrong one."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from carrete_chaos import identity_rules as rules
from carrete_chaos.history import (
    ActionCall,
    ActionDone,
    ActionUnanswered,
    CampaignEvidence,
    Outcome,
    RecordedEvent,
    StoredKey,
)
from carrete_chaos.identity_log import (
    DeviceRevoked,
    IdentityLog,
    OthersKey,
    PinGuess,
    SessionClosed,
    TapOrigin,
)

ANA, BETO = 1, 2
REFUSED = ActionUnanswered("TOQUE_NO_VALIDO")


def tap(
    key: str = "a", *, began: float = 10.0, outcome: Outcome | None = None, number: int = 1, named: int | None = None
) -> ActionCall:
    """Of Ana, on the tablet `d1`, in the session `s1`."""
    reply = outcome or ActionDone(f"v-{key}", "TOMAR")
    ended = math.inf if isinstance(reply, ActionUnanswered) else began + 1
    origin = TapOrigin("d1", "s1", number, named)
    return ActionCall(key, ANA, "tomar", "A", "ARM", began, ended, reply, origin=origin)


def event(key: str = "a", worker_id: int = ANA, device: str = "d1", session: str = "s1") -> RecordedEvent:
    made = RecordedEvent(1, "A", "TOMAR_SPOOL", worker_id, "ARM", f"v-{key}", None)
    return replace(made, device=device, session=session)


def shop(
    calls: list[ActionCall], facts: list[RecordedEvent], log: IdentityLog | None = None, stored: bool = True
) -> CampaignEvidence:
    done = [call for call in calls if stored and not isinstance(call.outcome, ActionUnanswered)]
    keys = {call.key: StoredKey(200, {"version": f"v-{call.key}", "action_taken": "TOMAR"}) for call in done}
    return CampaignEvidence(calls, facts, keys, {}, identity=log or IdentityLog())


def found(evidence: CampaignEvidence) -> set[str]:
    return {rule for rule, _, _ in rules.findings(evidence)}


def test_a_tap_that_is_written_down_as_it_was_tapped_is_right() -> None:
    assert found(shop([tap()], [event()])) == set()


@pytest.mark.parametrize("wrong", [event(worker_id=BETO), event(device="d2"), event(session="s2")])
def test_an_event_of_another_person_device_or_session_is_wrong(wrong: RecordedEvent) -> None:
    assert found(shop([tap()], [wrong])) == {rules.ATTRIBUTION}


def test_what_follows_from_a_cell_of_the_workbook_was_tapped_by_nobody() -> None:
    typed = replace(event(), tipo="EDICION_EXTERNA", device=None, session=None)
    followed = replace(typed, seq=2, tipo="METROLOGIA_AUTO_TRIGGERED", worker_id=None)
    assert found(shop([], [typed, followed])) == set()
    assert found(shop([], [followed])) == {rules.ATTRIBUTION}


def test_an_event_without_a_received_answer_is_compared_with_the_tap_of_its_key() -> None:
    evidence = shop([tap(outcome=ActionUnanswered())], [event(worker_id=BETO)])
    evidence.keys["a"] = StoredKey(200, {"version": "v-a", "action_taken": "TOMAR"})
    assert found(evidence) == {rules.ATTRIBUTION}


def test_acting_in_the_name_of_another_is_wrong_and_being_refused_is_right() -> None:
    assert found(shop([tap(named=BETO)], [event(worker_id=BETO)])) == {rules.ATTRIBUTION}
    assert found(shop([tap(named=BETO, outcome=ActionUnanswered("IDENTIDAD_DISTINTA"))], [])) == set()


@pytest.mark.parametrize(("began", "wrong"), [(9.0, set()), (14.9, set()), (15.1, {rules.REVOKED})])
def test_a_revoked_device_has_five_seconds(began: float, wrong: set[str]) -> None:
    log = IdentityLog(revoked=[DeviceRevoked("d1", 10.0)])
    assert found(shop([tap(began=began)], [event()], log)) == wrong


@pytest.mark.parametrize(("number", "wrong"), [(3, set()), (4, {rules.SIGNED_OUT})])
def test_a_late_tap_is_served_up_to_the_last_number(number: int, wrong: set[str]) -> None:
    log = IdentityLog(closed=[SessionClosed("s1", 3, 1.0)])
    assert found(shop([tap(number=number)], [event()], log)) == wrong


@pytest.mark.parametrize(("named", "wrong"), [({"a", "b"}, set()), ({"b"}, {rules.SIGNED_OUT})])
def test_only_late_taps_that_the_tablet_named_are_served(named: set[str], wrong: set[str]) -> None:
    log = IdentityLog(closed=[SessionClosed("s1", 3, 1.0, frozenset(named))])
    assert found(shop([tap("a", number=3)], [event()], log)) == wrong


@pytest.mark.parametrize(("named", "wrong"), [({"a", "b"}, {rules.HONEST}), ({"b"}, set())])
def test_a_late_tap_that_the_tablet_named_must_be_served(named: set[str], wrong: set[str]) -> None:
    log = IdentityLog(closed=[SessionClosed("s1", 3, 1.0, frozenset(named))])
    assert found(shop([tap("a", number=3, outcome=REFUSED)], [], log)) == wrong


def test_an_honest_tap_that_identity_refuses_is_wrong() -> None:
    assert found(shop([tap(outcome=REFUSED)], [])) == {rules.HONEST}
    assert found(shop([tap(outcome=REFUSED)], [], IdentityLog(revoked=[DeviceRevoked("d1", 1.0)]))) == set()
    assert found(shop([tap(outcome=REFUSED)], [], IdentityLog(closed=[SessionClosed("s1", 0, 1.0)]))) == set()


@pytest.mark.parametrize(
    ("status", "code", "wrong"),
    [(422, "IDEMPOTENCY_KEY_REUSED", set()), (200, "", {rules.OWN_KEY}), (409, "SPOOL_OCCUPIED", {rules.OWN_KEY})],
)
def test_the_key_of_somebody_else_gives_nothing_away(status: int, code: str, wrong: set[str]) -> None:
    assert found(shop([], [], IdentityLog(others_keys=[OthersKey("a", "A", BETO, ANA, status, code)]))) == wrong


def guesses(*checked_at: float) -> IdentityLog:
    return IdentityLog(guesses=[PinGuess(at, at + 0.1, 401, "PIN_INCORRECTO") for at in checked_at])


def test_wrong_pins_wait_longer_and_longer() -> None:
    assert found(shop([], [], guesses(0.0, 0.2, 0.4, 5.4, 20.4))) == set()
    assert found(shop([], [], guesses(0.0, 0.2, 0.4, 0.6))) == {rules.THROTTLE}
    assert found(shop([], [], guesses(0.0, 0.2, 0.4, 5.4, 10.4))) == {rules.THROTTLE}


def test_a_sign_in_with_a_wrong_answer_is_found() -> None:
    assert found(shop([], [], IdentityLog(wrong=["the right PIN was refused"]))) == {rules.SIGN_IN}
