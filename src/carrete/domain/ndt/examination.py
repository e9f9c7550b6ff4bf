"""One examination of a joint, or of a whole v3.0 spool, and the state that follows from all of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from itertools import takewhile
from typing import Any

from carrete.domain.spool import Ensayos

WHOLE_SPOOL = 0  # the n_union of an examination of a whole v3.0 spool
REPORT_LENGTH_MAX = 60
DEFECTS_MAX = 10
PHOTOS_MAX = 4


class ExamStatus(StrEnum):
    PENDIENTE = "PENDIENTE"
    APROBADO = "APROBADO"
    RECHAZADO = "RECHAZADO"
    ANULADO = "ANULADO"  # its weld was reopened, or its joint removed, before there was a result


class Origin(StrEnum):
    REGLA = "regla"
    MANUAL = "manual"
    ADICIONAL = "adicional"  # called for by the rejection of another joint of the same welder
    REEXAMEN = "reexamen"  # after a repair, or of a weld that was made anew
    REGRESO = "regreso"  # of the same weld, when its row is in the workbook again


class JointNdt(StrEnum):
    """`NDT_STATUS` of a joint."""

    PENDIENTE = "PENDIENTE"
    APROBADO = "APROBADO"
    RECHAZADO = "RECHAZADO"
    REPARADO = "REPARADO"  # repaired, and waits for its re-examination


@dataclass(frozen=True, slots=True)
class Examination:
    """`round` counts the repairs before it: 0, then R1, R2. `welder`, `ot`, `process`, `dn_milli` and `tipo` are those
    of the weld when it was asked for. `superseded`: the weld that it is about does not exist any more."""

    id: str
    tag: str
    n_union: int
    method: str
    origin: Origin
    requested_at: datetime
    round: int = 0
    rule: str = ""
    seed: str = ""
    ot: str = ""
    welder: str = ""
    process: str = ""
    dn_milli: int | None = None
    tipo: str = ""
    requested_by_id: int | None = None
    requested_by: str | None = None
    status: ExamStatus = ExamStatus.PENDIENTE
    report: str | None = None
    examiner_id: int | None = None
    examiner: str | None = None
    defects: tuple[str, ...] = ()
    photos: tuple[str, ...] = ()
    result_day: date | None = None
    result_at: datetime | None = None
    repaired_by_id: int | None = None
    repaired_by: str | None = None
    repaired_at: datetime | None = None
    superseded: bool = False

    def but(self, **changes: Any) -> Examination:
        return replace(self, **changes)

    @property
    def current(self) -> bool:
        """Whether it says something about the weld that exists now."""
        return not self.superseded and self.status is not ExamStatus.ANULADO

    @property
    def has_result(self) -> bool:
        return self.status in (ExamStatus.APROBADO, ExamStatus.RECHAZADO)

    @property
    def of_a_new_weld(self) -> bool:
        """Whether the joint was made anew before it: examinations before it are of another weld."""
        return self.origin is Origin.REEXAMEN and self.round == 0

    @property
    def joint(self) -> tuple[str, int]:
        return self.tag, self.n_union


def of_joint(exams: Iterable[Examination], n_union: int) -> list[Examination]:
    """The examinations that are about the joint's present weld, oldest first."""
    return [exam for exam in exams if exam.n_union == n_union and exam.current]


def is_first(exams: Iterable[Examination], exam: Examination) -> bool:
    """Whether no earlier examination of its weld by its method has a result; `exams` are all of the spool, oldest
    first. A joint that was approved may be examined again, and so is one whose row was removed and came back: that
    says nothing new about how often welds are rejected. The statement `ndt_repeated` counts by the same rule."""
    if exam.round > 0 or exam.of_a_new_weld:
        return exam.round == 0
    examined = False
    for each in takewhile(lambda each: each.id != exam.id, exams):
        if (each.n_union, each.method) == (exam.n_union, exam.method):
            examined = each.has_result or (examined and not each.of_a_new_weld)
    return not examined


def last_of_each_method(exams: Iterable[Examination]) -> dict[str, Examination]:
    return {exam.method: exam for exam in exams}


def joint_ndt(current: Sequence[Examination]) -> JointNdt | None:
    """None for a joint that nobody asked an examination for. The worst of its methods decides."""
    last = last_of_each_method(current).values()
    if any(exam.status is ExamStatus.RECHAZADO for exam in last):
        return JointNdt.RECHAZADO
    pending = [exam for exam in last if exam.status is ExamStatus.PENDIENTE]
    if any(exam.round > 0 for exam in pending):
        return JointNdt.REPARADO
    if pending:
        return JointNdt.PENDIENTE
    return JointNdt.APROBADO if last else None


def spool_ndt(exams: Sequence[Examination]) -> Ensayos:
    """Whether the spool has examinations, and whether one of its joints still needs something."""
    if not exams:
        return Ensayos.NINGUNO
    last = {(exam.n_union, exam.method): exam for exam in exams if exam.current}
    done = all(exam.status is ExamStatus.APROBADO for exam in last.values())
    return Ensayos.AL_DIA if done else Ensayos.PENDIENTE


def joint_columns(current: Sequence[Examination]) -> dict[str, str | None]:
    """The fields of a `Joint` that stand in the columns NDT_UNION, R_NDT_UNION, NDT_FECHA and NDT_STATUS."""
    days = [exam.result_day for exam in current if exam.result_day]
    state = joint_ndt(current)
    return {
        "ndt_union": _cell(last_of_each_method(current)),
        "r_ndt_union": _cell(dict.fromkeys(exam.report for exam in current if exam.report)),
        "ndt_fecha": max(days).isoformat() if days else None,
        "ndt_status": state.value if state else None,
    }


def _cell(parts: Iterable[str]) -> str | None:
    """As the workbook reads it back, which is NFC: any other text would look like a person's edit, for ever."""
    return unicodedata.normalize("NFC", ", ".join(parts)) or None
