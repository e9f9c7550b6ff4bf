"""A supervisor asks for the examination of welded joints, or of a v3.0 spool as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from carrete.domain import sentences
from carrete.domain.change import Change
from carrete.domain.commands import SolicitarNdt
from carrete.domain.events import EventoTipo
from carrete.domain.joints import Joint
from carrete.domain.ndt.case import NdtCase, ndt_change
from carrete.domain.ndt.examination import WHOLE_SPOOL, Examination, ExamStatus, Origin, last_of_each_method, of_joint
from carrete.domain.ndt.refusals import JointsNotWelded
from carrete.domain.ndt.weld_changes import exam_event, new_exam, standing, weld_of
from carrete.domain.refusals import JointUnknown, NotAvailable, NotValid
from carrete.domain.shop import Shop
from carrete.domain.spool import Spool
from carrete.domain.version import Workflow, workflow
from carrete.domain.workers import Worker


def request(
    command: SolicitarNdt,
    spool: Spool,
    joints: Mapping[int, Joint],
    supervisor: Worker,
    ndt: NdtCase,
    now: datetime,
    shop: Shop,
) -> Change:
    if command.metodo not in shop.ndt.methods:
        raise NotValid([{"campo": "metodo", "motivo": f"el taller usa {', '.join(shop.ndt.methods)}."}])
    wanted = _wanted(spool, joints, command.unions)
    _require_not_open(spool, wanted, command.metodo, ndt.exams)
    by = {"requested_by_id": supervisor.id, "requested_by": supervisor.label}
    exams = [
        new_exam(
            ndt.new_id(),
            weld_of(spool, joints.get(n), n),
            command.metodo,
            Origin.MANUAL,
            now,
            dn_milli=joints[n].dn_milli if n in joints else None,
            round=_repairs_before(ndt.exams, n, command.metodo),
            **by,
        )
        for n in wanted
    ]
    facts = {"motivo": command.motivo} if command.motivo else {}
    events = [
        exam_event(EventoTipo.NDT_SOLICITADO, "SOLICITAR", exam, now, facts, (supervisor.id, supervisor.label))
        for exam in exams
    ]
    message = sentences.ndt_requested(spool.tag, command.metodo, [n for n in wanted if n])
    return ndt_change(spool, joints, ndt.exams, exams, events, "SOLICITAR", message)


def _wanted(spool: Spool, joints: Mapping[int, Joint], unions: Sequence[int]) -> list[int]:
    """The joints of a v4.0 spool, or a v3.0 spool as a whole; each must be welded."""
    by_joint = workflow(spool) is Workflow.V4
    if by_joint and not unions:
        raise NotValid([{"campo": "unions", "motivo": "el spool se trabaja por uniones: hay que decir cuáles."}])
    wanted = list(dict.fromkeys(unions)) if by_joint else [WHOLE_SPOOL]
    if not by_joint and unions:
        raise JointUnknown(spool.tag, unions[0])
    if unknown := [n for n in wanted if n and (n not in joints or joints[n].retired)]:
        raise JointUnknown(spool.tag, unknown[0])
    if open_ones := [n for n in wanted if n not in standing(spool, joints.values())]:
        raise JointsNotWelded(spool.tag, open_ones)
    return wanted


def _require_not_open(spool: Spool, wanted: Sequence[int], method: str, exams: Sequence[Examination]) -> None:
    for n_union in wanted:
        last = last_of_each_method(of_joint(exams, n_union)).get(method)
        if last is not None and last.status is not ExamStatus.APROBADO:
            where = f"La unión {n_union} del spool {spool.tag}" if n_union else f"El spool {spool.tag}"
            raise NotAvailable(f"{where} ya tiene un ensayo {method} abierto.")


def _repairs_before(exams: Sequence[Examination], n_union: int, method: str) -> int:
    """Of the weld, if this method examined it before; otherwise 0, as for every first examination by a method."""
    current = of_joint(exams, n_union)
    return max((exam.round for exam in current), default=0) if method in last_of_each_method(current) else 0
