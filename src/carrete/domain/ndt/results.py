"""The result of an examination, and the additional examinations that a rejection calls for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from carrete.domain import sentences
from carrete.domain.change import Change
from carrete.domain.commands import Resultado, ResultadoNdt
from carrete.domain.events import Event, EventoTipo
from carrete.domain.inspection import rejected_by_ndt
from carrete.domain.joints import Joint
from carrete.domain.ndt.case import NdtCase, Neighbour, ndt_change
from carrete.domain.ndt.examination import Examination, ExamStatus, Origin, is_first, last_of_each_method, of_joint
from carrete.domain.ndt.refusals import ExamClosed, ExamUnknown
from carrete.domain.ndt.weld_changes import exam_event, new_exam, requested, standing, weld_of
from carrete.domain.refusals import NotValid, PhotoUnknown
from carrete.domain.shop import Shop
from carrete.domain.shop_time import today
from carrete.domain.spool import Spool
from carrete.domain.workers import Worker


def record_result(
    command: ResultadoNdt,
    spool: Spool,
    joints: Mapping[int, Joint],
    examiner: Worker,
    ndt: NdtCase,
    photos: Collection[str],
    now: datetime,
    shop: Shop,
) -> Change:
    exam = next((each for each in ndt.exams if each.id == command.examen), None)
    if exam is None:
        raise ExamUnknown(command.examen)
    if exam.status is not ExamStatus.PENDIENTE:
        raise ExamClosed(spool.tag, exam.status.value, exam.examiner)
    _require_result(command, photos, now, shop)
    done = exam.but(
        status=ExamStatus(command.resultado.value),
        report=command.informe,
        examiner_id=examiner.id,
        examiner=examiner.label,
        defects=command.defectos,
        photos=command.photos,
        result_day=command.dia or today(now, shop.zone),
        result_at=now,
    )
    rejected = command.resultado is Resultado.RECHAZADO
    others = _additional(done, ndt, shop, now) if rejected else ()
    after = rejected_by_ndt(spool) if rejected and shop.ndt.counts_in_cycle else spool
    event = _result_event(done, ndt.exams, others, spool, after, shop, now)
    accion = command.resultado.value
    message = sentences.ndt_result(spool.tag, exam.n_union, exam.method, rejected, len(others), exam.welder)
    return ndt_change(spool, joints, ndt.exams, [done], [event], accion, message, after, others)


def _require_result(command: ResultadoNdt, photos: Collection[str], now: datetime, shop: Shop) -> None:
    wrong: list[dict[str, str]] = []
    if command.dia is not None and command.dia > today(now, shop.zone):
        wrong.append({"campo": "fecha", "motivo": "no puede ser futura."})
    if unknown := [code for code in command.defectos if code not in shop.ndt.defects]:
        wrong.append({"campo": "defectos", "motivo": f"«{unknown[0]}» no está en la lista del taller."})
    if command.resultado is Resultado.RECHAZADO and not command.defectos:
        wrong.append({"campo": "defectos", "motivo": "un rechazo dice al menos un defecto."})
    if command.resultado is Resultado.APROBADO and command.defectos:
        wrong.append({"campo": "defectos", "motivo": "un ensayo aprobado no tiene defectos."})
    if wrong:
        raise NotValid(wrong)
    if missing := [photo for photo in command.photos if photo not in photos]:
        raise PhotoUnknown(missing)


def _result_event(
    done: Examination,
    exams: Sequence[Examination],
    others: Sequence[Change],
    spool: Spool,
    after: Spool,
    shop: Shop,
    now: datetime,
) -> Event:
    facts: dict[str, Any] = {"informe": done.report}
    if done.defects:
        facts["defectos"] = list(done.defects)
    if done.photos:
        facts["fotos"] = list(done.photos)
    if done.status is ExamStatus.RECHAZADO and shop.ndt.additional and _calls_for_more(done, exams):
        additional = [{"tag_spool": exam.tag, "n_union": exam.n_union} for other in others for exam in other.exams]
        facts["adicionales"] = additional
        facts["debidos"] = shop.ndt.additional - len(additional)
    if after.ciclo != spool.ciclo:
        facts["ciclo"] = after.ciclo
    by = (done.examiner_id or 0, done.examiner or "")
    return exam_event(EventoTipo(f"NDT_{done.status}"), done.status.value, done, now, facts, by)


def _additional(exam: Examination, ndt: NdtCase, shop: Shop, now: datetime) -> tuple[Change, ...]:
    """Progressive sampling: so many more welds of the same welder, in the same OT, by the same method. Each is a change
    of its own spool, or of this one."""
    if not _calls_for_more(exam, ndt.exams):
        return ()
    found: list[Change] = []
    for neighbour in ndt.neighbours:
        if len(found) == shop.ndt.additional:
            break
        if _examinable(neighbour, exam):
            found.append(_additional_change(neighbour, exam, ndt.new_id(), now))
    return tuple(found)


def _calls_for_more(exam: Examination, exams: Sequence[Examination]) -> bool:
    """Whether the rejection calls for more joints of the same welder. Only the first examination of a joint by its
    method does: none after a repair, and none of a joint that an earlier one approved."""
    return bool(exam.welder) and is_first(exams, exam)


def _examinable(neighbour: Neighbour, exam: Examination) -> bool:
    spool, n_union = neighbour.spool, neighbour.n_union
    if (spool.tag, n_union) == exam.joint or n_union not in standing(spool, neighbour.joints.values()):
        return False
    weld = weld_of(spool, neighbour.joints.get(n_union), n_union)
    examined = exam.method in last_of_each_method(of_joint(neighbour.exams, n_union))
    return (weld.ot, weld.welder) == (exam.ot, exam.welder) and not examined


def _additional_change(neighbour: Neighbour, exam: Examination, id_: str, now: datetime) -> Change:
    spool, n_union = neighbour.spool, neighbour.n_union
    joint = neighbour.joints.get(n_union)
    made = new_exam(
        id_,
        weld_of(spool, joint, n_union),
        exam.method,
        Origin.ADICIONAL,
        now,
        dn_milli=joint.dn_milli if joint else None,
    ).but(rule=exam.rule, seed=exam.seed)
    why = {"por": {"tag_spool": exam.tag, "n_union": exam.n_union, "informe": exam.report}}
    return Change(spool, (requested(made, now, why),), "SOLICITAR", "", keeps_version=True, exams=(made,))
