"""Right histories with one thing in them that is wrong about examinations of welds: at least one for each rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from carrete.domain.ndt.examination import Examination, ExamStatus
from carrete_chaos import ndt_rules, ndt_sample, ndt_trail
from carrete_chaos.history import ActionDone, CampaignEvidence, RecordedEvent
from carrete_chaos.ndt_evidence import NdtEvidence
from carrete_chaos.ndt_log import REPAIR, REQUEST, RESULT

LATER = 10_000  # a seq above every other


def events(evidence: CampaignEvidence, tipo: str, **fields: object) -> list[RecordedEvent]:
    return [
        fact
        for fact in evidence.facts
        if fact.tipo == tipo and all((fact.ndt or {}).get(name) == value for name, value in fields.items())
    ]


def without(evidence: CampaignEvidence, gone: Sequence[RecordedEvent]) -> CampaignEvidence:
    return replace(evidence, facts=[fact for fact in evidence.facts if fact not in gone])


def with_fact(evidence: CampaignEvidence, *facts: RecordedEvent) -> CampaignEvidence:
    return replace(evidence, facts=[*evidence.facts, *facts])


def changed(evidence: CampaignEvidence, fact: RecordedEvent, **wrong: Any) -> CampaignEvidence:
    another = replace(fact, **wrong)
    return replace(evidence, facts=[another if each is fact else each for each in evidence.facts])


def saying(fact: RecordedEvent, **fields: object) -> dict[str, object]:
    return {**(fact.ndt or {}), **fields}


def at_rest(evidence: CampaignEvidence, **wrong: Any) -> CampaignEvidence:
    return replace(evidence, ndt=replace(rested(evidence), **wrong))


def rested(evidence: CampaignEvidence) -> NdtEvidence:
    assert evidence.ndt is not None
    return evidence.ndt


def with_row(evidence: CampaignEvidence, row: Examination, **wrong: Any) -> CampaignEvidence:
    exams = [row.but(**wrong) if each is row else each for each in rested(evidence).exams]
    return at_rest(evidence, exams=exams)


# ─── results and requests ─────────────────────────────────────────────────────────────────────────────────────


def an_examination_has_two_results(evidence: CampaignEvidence) -> CampaignEvidence:
    first = events(evidence, "NDT_APROBADO")[0]
    return with_fact(evidence, replace(first, seq=LATER, ndt=saying(first, informe="second")))


def a_result_is_not_in_its_row(evidence: CampaignEvidence) -> CampaignEvidence:
    row = next(exam for exam in rested(evidence).exams if exam.status is ExamStatus.RECHAZADO)
    return with_row(evidence, row, status=ExamStatus.PENDIENTE, report=None, examiner_id=None)


def a_reopened_weld_keeps_its_examination(evidence: CampaignEvidence) -> CampaignEvidence:
    return without(evidence, events(evidence, "NDT_ANULADO")[:1])


def a_result_is_lost(evidence: CampaignEvidence) -> CampaignEvidence:
    done = next(call for call in evidence.calls if call.accion == RESULT and isinstance(call.outcome, ActionDone))
    return without(
        evidence, [fact for fact in evidence.facts if (fact.ndt or {}).get("informe") == done.more["informe"]]
    )


def a_result_has_another_name(evidence: CampaignEvidence) -> CampaignEvidence:
    return changed(evidence, events(evidence, "NDT_APROBADO")[0], worker_id=77)


def a_result_comes_from_nowhere(evidence: CampaignEvidence) -> CampaignEvidence:
    unasked = saying(events(evidence, "NDT_APROBADO")[0], examen="nobody's", informe="nobody's")
    return with_fact(evidence, replace(events(evidence, "NDT_APROBADO")[0], seq=LATER, ndt=unasked))


def a_request_makes_two_examinations(evidence: CampaignEvidence) -> CampaignEvidence:
    request = events(evidence, "NDT_SOLICITADO", origen="manual")[0]
    return with_fact(evidence, replace(request, seq=LATER, ndt=saying(request, examen="second")))


def a_request_is_forgotten(evidence: CampaignEvidence) -> CampaignEvidence:
    done = next(call for call in evidence.calls if call.accion == REQUEST and isinstance(call.outcome, ActionDone))
    return without(evidence, events(evidence, "NDT_SOLICITADO", motivo=done.more["motivo"]))


# ─── repairs ──────────────────────────────────────────────────────────────────────────────────────────────────


def an_r_number_is_given_twice(evidence: CampaignEvidence) -> CampaignEvidence:
    second = events(evidence, "REPARACION_UNION", reparacion="R2")[0]
    return changed(evidence, second, ndt=saying(second, reparacion="R1"))


def a_repair_asks_for_no_examination(evidence: CampaignEvidence) -> CampaignEvidence:
    repair = events(evidence, "REPARACION_UNION")[-1]
    return without(evidence, [fact for fact in evidence.facts if fact.seq == repair.seq + 1])


def a_repair_is_examined_by_another_method(evidence: CampaignEvidence) -> CampaignEvidence:
    repair = events(evidence, "REPARACION_UNION")[0]
    again = next(fact for fact in evidence.facts if fact.seq == repair.seq + 1)
    return changed(evidence, again, ndt=saying(again, metodo="PMI"))


def nothing_was_rejected(evidence: CampaignEvidence) -> CampaignEvidence:
    repair = events(evidence, "REPARACION_UNION", reparacion="R1")[0]
    before = [fact for fact in events(evidence, "NDT_RECHAZADO") if fact.seq < repair.seq and fact.tag == repair.tag]
    rejected = [fact for fact in before if fact.n_union == repair.n_union][-1]
    return changed(evidence, rejected, tipo="NDT_APROBADO")


def a_repair_is_of_nobodys_tap(evidence: CampaignEvidence) -> CampaignEvidence:
    """Undisturbed calls only: a repair whose answer was lost has none in either case."""
    done = [call for call in evidence.calls if call.accion == REPAIR and isinstance(call.outcome, ActionDone)]
    keys = {key: kept for key, kept in evidence.keys.items() if key != done[0].key}
    return replace(evidence, calls=[call for call in evidence.calls if call is not done[0]], keys=keys)


# ─── samples, additional joints, approvals ────────────────────────────────────────────────────────────────────


def a_weld_that_must_be_selected_is_not(evidence: CampaignEvidence) -> CampaignEvidence:
    """The first weld of a group always is."""
    return without(evidence, events(evidence, "NDT_SOLICITADO", origen="regla", soldadas=1)[:1])


def a_counter_lost_a_weld(evidence: CampaignEvidence) -> CampaignEvidence:
    """As when two servers had counted at once."""
    first, *others = (group for group in rested(evidence).groups if group.welded)
    return at_rest(evidence, groups=[replace(first, welded=first.welded - 1), *others])


def a_rejection_calls_for_one_joint_less(evidence: CampaignEvidence) -> CampaignEvidence:
    more = next(fact for fact in events(evidence, "NDT_SOLICITADO") if "por" in (fact.ndt or {}))
    return without(evidence, [more])


def a_later_rejection_calls_for_more_joints(evidence: CampaignEvidence) -> CampaignEvidence:
    """The joint had been approved by that method before the examination that calls for more was asked for."""
    rejected = next(fact for fact in events(evidence, "NDT_RECHAZADO") if (fact.ndt or {}).get("adicionales"))
    request = events(evidence, "NDT_SOLICITADO", examen=saying(rejected)["examen"])[0]
    earlier = replace(request, ndt=saying(request, examen="earlier"))
    approved = replace(earlier, tipo="NDT_APROBADO", ndt=saying(rejected, examen="earlier", informe="earlier"))
    return replace(evidence, facts=[earlier, approved, *evidence.facts])


def what_is_owed_is_forgotten(evidence: CampaignEvidence) -> CampaignEvidence:
    groups = rested(evidence).groups
    return at_rest(evidence, groups=[replace(group, owed=group.owed + 1) for group in groups])


def a_spool_with_an_open_examination_is_approved(evidence: CampaignEvidence) -> CampaignEvidence:
    """Right after the first was asked for."""
    request = events(evidence, "NDT_SOLICITADO")[0]
    return with_fact(
        evidence, RecordedEvent(request.seq, request.tag, "METROLOGIA_APROBADO", 8, "METROLOGIA", "early", None)
    )


# ─── what an examination must not change, and where it is shown ───────────────────────────────────────────────


def a_result_changes_the_spool(evidence: CampaignEvidence) -> CampaignEvidence:
    return changed(evidence, events(evidence, "NDT_RECHAZADO")[0], version="another")


def a_repair_gives_the_spool_to_somebody(evidence: CampaignEvidence) -> CampaignEvidence:
    return changed(evidence, events(evidence, "REPARACION_UNION")[0], holder="AS(1)")


def a_joint_shows_an_older_state(evidence: CampaignEvidence) -> CampaignEvidence:
    joints = [joint.but(ndt_status="PENDIENTE E") if joint.ndt_status else joint for joint in rested(evidence).joints]
    return at_rest(evidence, joints=joints)


def a_spool_forgets_its_examinations(evidence: CampaignEvidence) -> CampaignEvidence:
    return at_rest(evidence, spools=dict.fromkeys(rested(evidence).spools, ""))


PLANTED_EXAMS: Mapping[str, tuple[Callable[[CampaignEvidence], CampaignEvidence], ...]] = {
    ndt_trail.EXAMINED: (
        *(an_examination_has_two_results, a_result_is_not_in_its_row, a_reopened_weld_keeps_its_examination),
    ),
    ndt_trail.REQUESTED: (a_result_comes_from_nowhere, a_request_makes_two_examinations, a_request_is_forgotten),
    ndt_trail.REPAIRED: (
        *(an_r_number_is_given_twice, a_repair_asks_for_no_examination, a_repair_is_examined_by_another_method),
        *(nothing_was_rejected, a_repair_is_of_nobodys_tap),
    ),
    ndt_trail.APPROVED: (a_spool_with_an_open_examination_is_approved,),
    ndt_sample.SAMPLED: (a_weld_that_must_be_selected_is_not, a_counter_lost_a_weld),
    ndt_rules.RECORDED: (a_result_is_lost, a_result_has_another_name),
    ndt_rules.ADDITIONAL: (
        *(a_rejection_calls_for_one_joint_less, a_later_rejection_calls_for_more_joints, what_is_owed_is_forgotten),
    ),
    ndt_rules.KEEPS: (a_result_changes_the_spool, a_repair_gives_the_spool_to_somebody),
    ndt_rules.SHOWN: (a_joint_shows_an_older_state, a_spool_forgets_its_examinations),
}
