"""The weld record of a dossier: what joints were welded with, how they were examined, procedures and qualifications."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from carrete.domain.joints import Joint
from carrete.domain.ndt.examination import Examination
from carrete.domain.shop import Shop
from carrete.domain.shop_time import iso, wall
from carrete.domain.workers import labelled_id
from carrete.dossier.facts import (
    ExaminationFacts,
    PhotoFacts,
    ProcedureFacts,
    QualificationFacts,
    RepairFacts,
    SpoolFacts,
)
from carrete.ledger.database import Tx
from carrete.ledger.ndt import exams_of

_SEPARATOR = ", "  # of the lists in procedures and qualifications


class SpoolExaminations:
    """The examinations of one spool, by joint; joint 0 is a spool that is worked as a whole."""

    def __init__(self, exams: Iterable[Examination], shop: Shop) -> None:
        self._shop = shop
        self._by_joint: dict[int, list[Examination]] = {}
        for exam in exams:
            self._by_joint.setdefault(exam.n_union, []).append(exam)

    def examinations(self, n_union: int) -> tuple[ExaminationFacts, ...]:
        return tuple(map(_examination, self._by_joint.get(n_union, ())))

    def repairs(self, n_union: int) -> tuple[RepairFacts, ...]:
        """Each once: two methods may have rejected the same weld."""
        exams = [exam for exam in self._by_joint.get(n_union, ()) if not exam.superseded]
        found: dict[int, RepairFacts] = {}
        for at, exam in enumerate(exams):
            if exam.repaired_at is not None:  # the next examination by its method is the one that the repair opened
                number = next((later.round for later in exams[at + 1 :] if later.method == exam.method), exam.round + 1)
                found[number] = RepairFacts(number, exam.repaired_by or "", self._day(exam))
        return tuple(found[number] for number in sorted(found))

    def photos(self) -> list[PhotoFacts]:
        return [
            PhotoFacts(photo, iso(exam.result_at, self._shop.zone), exam.examiner or "", exam.n_union, _about(exam))
            for _, exams in sorted(self._by_joint.items())
            for exam in exams
            if exam.result_at
            for photo in exam.photos
        ]

    def _day(self, exam: Examination) -> str:
        assert exam.repaired_at is not None
        return wall(exam.repaired_at, self._shop.zone).date().isoformat()


def _about(exam: Examination) -> str:
    return f"{exam.method} {exam.report or ''}".strip()


def _examination(exam: Examination) -> ExaminationFacts:
    return ExaminationFacts(
        method=exam.method,
        round=exam.round,
        result=exam.status.value,
        report=exam.report or "",
        examiner=exam.examiner or "",
        on=exam.result_day.isoformat() if exam.result_day else "",
        defects=exam.defects,
        origin=exam.origin.value,
        superseded=exam.superseded,
    )


def typed_examinations(joint: Joint) -> tuple[ExaminationFacts, ...]:
    """What people typed in the sheet's columns, in a shop that records no examinations here."""
    if not (joint.ndt_union or joint.r_ndt_union or joint.ndt_status):
        return ()
    method, result = joint.ndt_union or "", joint.ndt_status or ""
    return (ExaminationFacts(method, 0, result, joint.r_ndt_union or "", "", joint.ndt_fecha or ""),)


def welded_with(joint: Joint) -> dict[str, Any]:
    """The fields of WeldFacts that say what a joint is welded with."""
    return {
        "thickness": milli_text(joint.espesor_milli) or joint.espesor_text or "",
        "material": joint.material or "",
        "position": joint.posicion or "",
        "wps": joint.wps or "",
        "heats": tuple(heat for heat in (joint.colada_1, joint.colada_2) if heat),
    }


class DossierWeldRecord:
    """Reads all examinations of the spools at once, and procedures and qualifications as they are needed."""

    def __init__(self, tx: Tx, tags: Sequence[str], shop: Shop) -> None:
        self._tx = tx
        self._shop = shop
        self._exams = exams_of(tx, tags)

    def of_spool(self, tag: str) -> SpoolExaminations:
        return SpoolExaminations(self._exams.get(tag, ()), self._shop)

    def procedures(self, spools: Sequence[SpoolFacts]) -> tuple[ProcedureFacts, ...]:
        """Those that the joints name, by number; one that the shop's list does not have is said to be unknown."""
        named = sorted({weld.wps for spool in spools for weld in spool.welds if weld.wps})
        if not named:
            return ()
        known = {row[0]: _procedure(*row) for row in self._tx.all("dossier_procedures")}
        return tuple(known.get(wps, ProcedureFacts(wps, known=False)) for wps in named)

    def qualifications(
        self, spools: Sequence[SpoolFacts], procedures: Sequence[ProcedureFacts]
    ) -> tuple[QualificationFacts, ...]:
        """Those of the welders named here, for the processes of their procedures, in force while they welded."""
        processes = {each.wps: each.processes for each in procedures}
        periods = _periods(spools, processes)
        found = []
        for row in self._tx.all("dossier_qualifications"):
            qualification = _Qualification(*row)
            for label, period in periods.get(qualification.worker_id, {}).items():
                if qualification.used_in(period):
                    found.append(qualification.facts(label))
        return tuple(sorted(found, key=lambda each: (each.label, each.process, each.document)))


class _Period(NamedTuple):
    """The first and last day on which somebody welded, and the processes of the procedures; empty: any."""

    first: str
    last: str
    processes: frozenset[str]


def _periods(spools: Sequence[SpoolFacts], processes: dict[str, str]) -> dict[int, dict[str, _Period]]:
    """By id and label of the welder."""
    welded = [(weld.welder, weld.welded_on, weld.wps) for spool in spools for weld in spool.welds]
    welded += [(spool.welder, spool.welded_on, "") for spool in spools if not spool.welds]
    welded += [(repair.welder, repair.on, weld.wps) for s in spools for weld in s.welds for repair in weld.repairs]
    found: dict[int, dict[str, _Period]] = {}
    for label, day, wps in welded:
        worker_id = labelled_id(label) if label else None
        if worker_id is None or not day:
            continue
        used = frozenset(filter(None, processes.get(wps, "").split(_SEPARATOR)))
        before = found.setdefault(worker_id, {}).get(label, _Period(day, day, used))
        found[worker_id][label] = _Period(min(before.first, day), max(before.last, day), before.processes | used)
    return found


class _Qualification(NamedTuple):
    worker_id: int
    process: str
    document: str
    p_numbers: str
    f_numbers: str
    thickness_min: int | None
    thickness_max: int | None
    dn_min: int | None
    dn_max: int | None
    positions: str
    since: str
    expires: str | None

    def used_in(self, period: _Period) -> bool:
        in_force = self.since <= period.last and (not self.expires or self.expires >= period.first)
        return in_force and (not period.processes or self.process in period.processes)

    def facts(self, label: str) -> QualificationFacts:
        return QualificationFacts(
            label=label,
            process=self.process,
            document=self.document,
            p_numbers=self.p_numbers,
            f_numbers=self.f_numbers,
            thickness=range_text(self.thickness_min, self.thickness_max),
            diameter=range_text(self.dn_min, self.dn_max),
            positions=self.positions,
            since=self.since,
            expires=self.expires or "",
        )


def _procedure(
    wps: str,
    revision: str,
    processes: str,
    p_numbers: str,
    f_numbers: str,
    thickness_min: int | None,
    thickness_max: int | None,
    dn_min: int | None,
    dn_max: int | None,
    positions: str,
    valid_from: str | None,
    valid_to: str | None,
) -> ProcedureFacts:
    thickness, diameter = range_text(thickness_min, thickness_max), range_text(dn_min, dn_max)
    about = (wps, revision, processes, p_numbers, f_numbers, thickness, diameter, positions)
    return ProcedureFacts(*about, valid_from or "", valid_to or "")


def milli_text(milli: int | None) -> str:
    """Thousandths as the number that people write: 6020 is 6.02."""
    return "" if milli is None else f"{(Decimal(milli) / 1000).normalize():f}"


def range_text(low: int | None, high: int | None) -> str:
    """`1.5 – 11`, `≥ 1.5`, `≤ 11`, or nothing where there is no limit."""
    if low is not None and high is not None:
        return f"{milli_text(low)} – {milli_text(high)}"
    return f"≥ {milli_text(low)}" if low is not None else f"≤ {milli_text(high)}" if high is not None else ""
