"""The repair of a rejected joint (R1, R2 …). It never changes who welded the joint, nor its inches."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from carrete.domain import sentences
from carrete.domain.change import Change
from carrete.domain.commands import RepararUnion
from carrete.domain.events import Event, EventoTipo
from carrete.domain.joint_work import checked_welds
from carrete.domain.joints import Joint
from carrete.domain.ndt.case import NdtCase, ndt_change
from carrete.domain.ndt.examination import WHOLE_SPOOL, Examination, ExamStatus, Origin, last_of_each_method, of_joint
from carrete.domain.ndt.weld_changes import requested
from carrete.domain.qualification import NO_WELD_RECORD, WeldRecord
from carrete.domain.refusals import JointUnknown, NotAvailable
from carrete.domain.shop import Shop
from carrete.domain.spool import Operacion, Spool
from carrete.domain.workers import Worker


def repair(
    command: RepararUnion,
    spool: Spool,
    joints: Mapping[int, Joint],
    welder: Worker,
    ndt: NdtCase,
    now: datetime,
    shop: Shop,
    record: WeldRecord = NO_WELD_RECORD,
) -> Change:
    """The weld stays its welder's, with its inches: a repair only opens the re-examination by the same method. The
    repairer must be qualified for the joint's procedure, as its welder must."""
    n_union = command.n_union or WHOLE_SPOOL
    if n_union and (n_union not in joints or joints[n_union].retired):
        raise JointUnknown(spool.tag, n_union)
    current = of_joint(ndt.exams, n_union)
    last = last_of_each_method(current).values()
    rejected = [exam for exam in last if exam.status is ExamStatus.RECHAZADO]
    if not rejected:
        where = f"la unión {n_union} del spool {spool.tag}" if n_union else f"el spool {spool.tag}"
        raise NotAvailable(f"No hay ensayo rechazado que reparar en {where}.")
    repaired_joints = [joints[n_union]] if n_union in joints else []
    checked = checked_welds(spool.tag, repaired_joints, welder, Operacion.SOLD, now, shop, record)
    number = max(exam.round for exam in current) + 1
    repaired = [exam.but(repaired_by_id=welder.id, repaired_by=welder.label, repaired_at=now) for exam in rejected]
    again = [_again(exam, ndt.new_id(), number, now) for exam in rejected]
    facts: dict[str, Any] = {
        "reparacion": f"R{number}",
        "metodos": [exam.method for exam in rejected],
        "soldador": rejected[0].welder,
    }
    facts |= checked.facts.get(n_union, {})
    event = Event(
        EventoTipo.REPARACION_UNION,
        now,
        "REPARAR",
        worker_id=welder.id,
        worker=welder.label,
        n_union=n_union or None,
        metadata=facts,
    )
    message = sentences.joint_repaired(spool.tag, n_union, number, [exam.method for exam in rejected])
    events = [event, *(requested(exam, now) for exam in again)]
    change = ndt_change(spool, joints, ndt.exams, [*repaired, *again], events, "REPARAR", message)
    return change._replace(warnings=checked.warnings)


def _again(exam: Examination, id_: str, number: int, now: datetime) -> Examination:
    return Examination(
        id_,
        exam.tag,
        exam.n_union,
        exam.method,
        Origin.REEXAMEN,
        now,
        round=number,
        rule=exam.rule,
        seed=exam.seed,
        ot=exam.ot,
        welder=exam.welder,
        process=exam.process,
        dn_milli=exam.dn_milli,
        tipo=exam.tipo,
    )
