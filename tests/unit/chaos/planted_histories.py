"""Right histories with one thing in them that is wrong: at least one for each rule of the checker."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from carrete_chaos import hand_over_rules, identity_rules, inch_rules, note_rules, offline_rules
from carrete_chaos.chains import CHAIN
from carrete_chaos.history import (
    ActionCall,
    ActionDone,
    ActionRefused,
    ActionUnanswered,
    CampaignEvidence,
    RecordedEvent,
    ReplacedEdit,
    SheetEdit,
    StoredKey,
    TypedCell,
)
from carrete_chaos.identity_log import DeviceRevoked, OthersKey, PinGuess, SessionClosed
from carrete_chaos.right_histories import RightShop
from tests.unit.chaos.planted_exams import PLANTED_EXAMS

CALLS = 500  # so that everything happens in each history
Planted = Callable[[CampaignEvidence], CampaignEvidence]


def history(seed: int) -> CampaignEvidence:
    return RightShop(seed).run(CALLS)


def done(evidence: CampaignEvidence, accion: str) -> ActionCall:
    """A call that was answered, that changed something, and that nobody repeated."""
    successes = [call for call in evidence.calls if call.accion == accion and isinstance(call.outcome, ActionDone)]
    versions = [call.outcome.version for call in evidence.calls if isinstance(call.outcome, ActionDone)]
    alone = [call for call in successes if versions.count(call.outcome.version) == 1]  # type: ignore[union-attr]
    return alone[0]


def version_of(call: ActionCall) -> str:
    assert isinstance(call.outcome, ActionDone)
    return call.outcome.version


def change_event(evidence: CampaignEvidence, tipo: str, **wrong: object) -> CampaignEvidence:
    """Changes the first event of a kind."""
    at = next(n for n, fact in enumerate(evidence.facts) if fact.tipo == tipo)
    facts = list(evidence.facts)
    facts[at] = replace(facts[at], **wrong)  # type: ignore[arg-type]
    return replace(evidence, facts=facts)


def change_call(evidence: CampaignEvidence, call: ActionCall, **wrong: object) -> CampaignEvidence:
    changed = replace(call, **wrong)  # type: ignore[arg-type]
    return replace(evidence, calls=[changed if each is call else each for each in evidence.calls])


def without_key(evidence: CampaignEvidence, call: ActionCall) -> CampaignEvidence:
    return replace(evidence, keys={key: kept for key, kept in evidence.keys.items() if key != call.key})


def added(evidence: CampaignEvidence, call: ActionCall, fact: RecordedEvent | None = None) -> CampaignEvidence:
    outcome = call.outcome
    stored = StoredKey(409, {"code": "SPOOL_OCCUPIED", "owner_id": getattr(outcome, "owner_id", None)})
    if isinstance(outcome, ActionDone):
        stored = StoredKey(200, {"version": outcome.version, "action_taken": outcome.accion})
    facts = [*evidence.facts, fact] if fact else evidence.facts
    return replace(evidence, calls=[*evidence.calls, call], facts=facts, keys={**evidence.keys, call.key: stored})


# ─── the ledger and its holders ───────────────────────────────────────────────────────────────────────────────


def an_answer_is_not_stored(evidence: CampaignEvidence) -> CampaignEvidence:
    return without_key(evidence, done(evidence, "tomar"))


def an_acknowledged_action_is_lost(evidence: CampaignEvidence) -> CampaignEvidence:
    lost = version_of(done(evidence, "tomar"))
    return replace(evidence, facts=[fact for fact in evidence.facts if fact.version != lost])


def an_event_has_another_name(evidence: CampaignEvidence) -> CampaignEvidence:
    version = version_of(done(evidence, "tomar"))
    facts = [replace(fact, worker_id=77) if fact.version == version else fact for fact in evidence.facts]
    return replace(evidence, facts=facts)


def one_ending_is_answered_to_two_taps(evidence: CampaignEvidence) -> CampaignEvidence:
    return added(evidence, replace(done(evidence, "pausar"), key="again"))


def an_event_comes_from_nowhere(evidence: CampaignEvidence) -> CampaignEvidence:
    ghost = RecordedEvent(10_000, "A", "CORRECCION", 1, "ARM", "ghost", None)
    return replace(evidence, facts=[*evidence.facts, ghost])


def the_row_names_another_holder(evidence: CampaignEvidence) -> CampaignEvidence:
    return replace(evidence, holders={**evidence.holders, "A": 77})


def two_takes_of_one_spool_succeed(evidence: CampaignEvidence) -> CampaignEvidence:
    """Of a spool that nobody else ever touched."""
    for who in (1, 2):
        call = ActionCall(
            f"t{who}", who, "tomar", "Z", "ARM", 10.0 * who, 10.0 * who + 1, ActionDone(f"z{who}", "TOMAR")
        )
        evidence = added(evidence, call, RecordedEvent(9000 + who, "Z", "TOMAR_SPOOL", who, "ARM", f"z{who}", None))
    return replace(evidence, holders={**evidence.holders, "Z": 2})


def a_refusal_names_somebody_who_never_held_it(evidence: CampaignEvidence) -> CampaignEvidence:
    return added(evidence, ActionCall("n", 1, "tomar", "A", "ARM", 5.0, 6.0, ActionRefused(409, "SPOOL_OCCUPIED", 55)))


def a_spool_is_handed_over_without_an_offer(evidence: CampaignEvidence) -> CampaignEvidence:
    relevo = next(fact for fact in evidence.facts if fact.tipo == hand_over_rules.RELEVO)
    offers = [call for call in evidence.calls if call.accion == hand_over_rules.OFFER and call.tag == relevo.tag]
    return replace(evidence, calls=[call for call in evidence.calls if call not in offers])


def somebody_keeps_on_with_what_another_holds(evidence: CampaignEvidence) -> CampaignEvidence:
    return change_event(evidence, "SIGUE_TURNO", worker_id=77)


# ─── locks, stream, workbook ──────────────────────────────────────────────────────────────────────────────────


def a_lock_is_no_occupation(evidence: CampaignEvidence) -> CampaignEvidence:
    return replace(evidence, locks={**(evidence.locks or {}), "Z": "1:x"})


def the_stream_has_a_gap(evidence: CampaignEvidence) -> CampaignEvidence:
    return replace(evidence, streamed=(evidence.streamed or [])[1:])


def a_cell_says_something_else(evidence: CampaignEvidence) -> CampaignEvidence:
    assert evidence.sheet is not None
    rows = {**evidence.sheet.rows, ("Operaciones", "B", 0): {"OT": "another row's"}}
    return replace(evidence, sheet=replace(evidence.sheet, rows=rows))


def an_event_is_in_the_sheet_twice(evidence: CampaignEvidence) -> CampaignEvidence:
    assert evidence.sheet is not None
    events = [*evidence.sheet.events, evidence.sheet.events[0]]
    return replace(evidence, sheet=replace(evidence.sheet, events=events))


def an_edit_is_read_and_forgotten(evidence: CampaignEvidence) -> CampaignEvidence:
    assert evidence.sheet is not None
    lost = SheetEdit("A", TypedCell("Operaciones", 0, "OT", "lost"), 1.0)
    return replace(evidence, sheet=replace(evidence.sheet, replaced=[ReplacedEdit(lost, 2.0)]))


# ─── identity ─────────────────────────────────────────────────────────────────────────────────────────────────


def with_log(evidence: CampaignEvidence, **wrong: object) -> CampaignEvidence:
    assert evidence.identity is not None
    return replace(evidence, identity=replace(evidence.identity, **wrong))  # type: ignore[arg-type]


def an_event_is_of_another_session(evidence: CampaignEvidence) -> CampaignEvidence:
    return change_event(evidence, "TOMAR_SPOOL", session="s99")


def a_revoked_device_is_served(evidence: CampaignEvidence) -> CampaignEvidence:
    call = done(evidence, "tomar")
    assert call.origin is not None
    return with_log(evidence, revoked=[DeviceRevoked(call.origin.device, call.began - 10)])


def a_tap_after_the_last_is_served(evidence: CampaignEvidence) -> CampaignEvidence:
    call = done(evidence, "tomar")
    assert call.origin is not None
    return with_log(evidence, closed=[SessionClosed(call.origin.session, 0, call.began - 10)])


def the_key_of_another_is_answered(evidence: CampaignEvidence) -> CampaignEvidence:
    return with_log(evidence, others_keys=[OthersKey("k", "A", 1, 2, 200, "")])


def wrong_pins_are_checked_at_once(evidence: CampaignEvidence) -> CampaignEvidence:
    return with_log(evidence, guesses=[PinGuess(at / 10, at / 10, 401, "PIN_INCORRECTO") for at in range(4)])


def a_right_pin_is_refused(evidence: CampaignEvidence) -> CampaignEvidence:
    return with_log(evidence, wrong=["the right PIN of 1 was refused"])


def an_honest_tap_is_refused(evidence: CampaignEvidence) -> CampaignEvidence:
    refused = [call for call in evidence.calls if isinstance(call.outcome, ActionRefused) and call.accion == "tomar"]
    evidence = with_log(without_key(evidence, refused[0]), revoked=[])
    return change_call(evidence, refused[0], outcome=ActionUnanswered("TOQUE_NO_VALIDO"), ended=math.inf)


# ─── work without a connection ────────────────────────────────────────────────────────────────────────────────


def a_kept_tap_never_goes_out(evidence: CampaignEvidence) -> CampaignEvidence:
    assert evidence.offline is not None
    lost = replace(evidence.offline.kept[0], hecho_en="never")
    return replace(evidence, offline=replace(evidence.offline, kept=[*evidence.offline.kept, lost]))


def a_chain_has_no_outcome(evidence: CampaignEvidence) -> CampaignEvidence:
    refused = [c for c in evidence.calls if c.accion == CHAIN and isinstance(c.outcome, ActionRefused)]
    return change_call(without_key(evidence, refused[0]), refused[0], outcome=ActionUnanswered(), ended=math.inf)


def a_step_of_a_chain_is_missing(evidence: CampaignEvidence) -> CampaignEvidence:
    tapped = next(fact for fact in evidence.facts if fact.tapped and fact.tipo == "SPOOL_ARM_PAUSADO")
    return replace(evidence, facts=[fact for fact in evidence.facts if fact.version != tapped.version])


def refused_work_is_thrown_away(evidence: CampaignEvidence) -> CampaignEvidence:
    assert evidence.offline is not None
    return replace(evidence, offline=replace(evidence.offline, reclamos=evidence.offline.reclamos[1:]))


def a_reclamo_is_registered_twice(evidence: CampaignEvidence) -> CampaignEvidence:
    late = next(fact for fact in evidence.facts if fact.tipo == offline_rules.LATE)
    return replace(evidence, facts=[*evidence.facts, replace(late, seq=9000, version="twice")])


def late_work_is_the_supervisors(evidence: CampaignEvidence) -> CampaignEvidence:
    return change_event(evidence, offline_rules.LATE, worker_id=9)


def a_joint_is_registered_twice(evidence: CampaignEvidence) -> CampaignEvidence:
    joint = next(fact for fact in evidence.facts if fact.tipo == "UNION_ARM_REGISTRADA")
    return replace(evidence, facts=[*evidence.facts, replace(joint, seq=9000)])


def the_report_counts_too_much(evidence: CampaignEvidence) -> CampaignEvidence:
    assert evidence.offline is not None
    assert evidence.offline.reported is not None
    reported = {who: inches + 1 for who, inches in evidence.offline.reported.items()}
    return replace(evidence, offline=replace(evidence.offline, reported=reported))


# ─── notes ────────────────────────────────────────────────────────────────────────────────────────────────────


def a_note_is_written_twice(evidence: CampaignEvidence) -> CampaignEvidence:
    note = [fact for fact in evidence.facts if fact.tipo == "NOTA"][-1]
    return replace(evidence, facts=[*evidence.facts, replace(note, seq=9000)])


def a_note_is_lost(evidence: CampaignEvidence) -> CampaignEvidence:
    note = next(fact for fact in evidence.facts if fact.tipo == "NOTA")
    return replace(evidence, facts=[fact for fact in evidence.facts if fact is not note])


def a_note_changes_the_spool(evidence: CampaignEvidence) -> CampaignEvidence:
    return change_event(evidence, "NOTA", version="another")


PLANTED: Mapping[str, tuple[Planted, ...]] = {
    "answers are final": (an_answer_is_not_stored,),
    "acknowledged is kept": (an_acknowledged_action_is_lost,),
    "as answered": (an_event_has_another_name,),
    "once": (one_ending_is_answered_to_two_taps,),
    "each change has a cause": (an_event_comes_from_nowhere,),
    "one holder": (
        the_row_names_another_holder,
        two_takes_of_one_spool_succeed,
        somebody_keeps_on_with_what_another_holds,
    ),
    "holds overlap": (two_takes_of_one_spool_succeed,),
    "linearizable": (a_refusal_names_somebody_who_never_held_it,),
    hand_over_rules.HANDED_OVER: (a_spool_is_handed_over_without_an_offer,),
    "locks": (a_lock_is_no_occupation,),
    "stream": (the_stream_has_a_gap,),
    "sheet": (a_cell_says_something_else,),
    "sheet events": (an_event_is_in_the_sheet_twice,),
    "edits are recorded": (an_edit_is_read_and_forgotten,),
    identity_rules.ATTRIBUTION: (an_event_is_of_another_session,),
    identity_rules.REVOKED: (a_revoked_device_is_served,),
    identity_rules.SIGNED_OUT: (a_tap_after_the_last_is_served,),
    identity_rules.OWN_KEY: (the_key_of_another_is_answered,),
    identity_rules.THROTTLE: (wrong_pins_are_checked_at_once,),
    identity_rules.SIGN_IN: (a_right_pin_is_refused,),
    identity_rules.HONEST: (an_honest_tap_is_refused,),
    offline_rules.KEPT: (a_kept_tap_never_goes_out,),
    offline_rules.ENDED: (a_chain_has_no_outcome,),
    offline_rules.WHOLE: (a_step_of_a_chain_is_missing,),
    offline_rules.CLAIMED: (refused_work_is_thrown_away,),
    offline_rules.DECIDED: (a_reclamo_is_registered_twice,),
    offline_rules.ITS_AUTHOR: (late_work_is_the_supervisors,),
    inch_rules.TWICE: (a_joint_is_registered_twice,),
    inch_rules.INCHES: (the_report_counts_too_much,),
    note_rules.NOTED: (a_note_is_written_twice, a_note_is_lost),
    note_rules.UNCHANGED: (a_note_changes_the_spool,),
    **PLANTED_EXAMS,
}
