"""The weld record of a dossier: what joints were welded with, how they were examined, procedures and qualifications."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
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
)
from carrete.dossier.spool_events import SpoolEvents, WeldedUnder
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


class _WpsRevision(NamedTuple):
    wps: str
    revision: str


class _WeldDay(NamedTuple):
    """When somebody welded or repaired, with which processes (empty: any), and whether an event says that the person
    was not found qualified."""

    day: str
    processes: tuple[str, ...] = ()
    qualified: bool = True


class DossierWeldRecord:
    """Reads all examinations of the spools at once, and procedures and qualifications as they are needed. It notes
    under which procedures people welded and when."""

    def __init__(self, tx: Tx, tags: Sequence[str], shop: Shop) -> None:
        self._tx = tx
        self._shop = shop
        self._exams = exams_of(tx, tags)
        self._listed = {row[0]: _procedure(*row) for row in tx.all("dossier_procedures")}
        self._used: dict[_WpsRevision, tuple[str, ...]] = {}  # with the processes that the events name
        self._days: dict[str, list[_WeldDay]] = {}  # by the welder's label

    def of_spool(self, tag: str) -> SpoolExaminations:
        return SpoolExaminations(self._exams.get(tag, ()), self._shop)

    def welded_under(
        self, joint: Joint, repairs: Sequence[RepairFacts], events: SpoolEvents
    ) -> tuple[WeldedUnder, tuple[RepairFacts, ...]]:
        """What a joint was welded under, and its repairs with what they were made under. A joint that is not welded yet
        names its procedure as the list has it."""
        under = (events.weld(joint) if joint.sol_fin else None) or WeldedUnder()
        welded_on = wall(joint.sol_fin, self._shop.zone).date().isoformat() if joint.sol_fin else ""
        listed = self._listed.get(joint.wps or "")
        revision = under.revision if welded_on or listed is None else listed.revision
        self._note(joint.wps, replace(under, revision=revision), joint.sol_worker, welded_on)
        return under, tuple(self._repaired_under(joint, each, under, events) for each in repairs)

    def _repaired_under(self, joint: Joint, facts: RepairFacts, weld: WeldedUnder, events: SpoolEvents) -> RepairFacts:
        """A repair without an event is taken to be made as its weld was; whether that welder was qualified says nothing
        about the repairer."""
        repair = events.repair(joint, facts)
        self._note(joint.wps, repair or replace(weld, qualified=True), facts.welder, facts.on)
        return replace(facts, wps_revision=repair.revision if repair else "")

    def whole_spool(self, welder: str, day: str) -> None:
        """A spool that is worked as a whole names no procedure."""
        self._note(None, WeldedUnder(), welder, day)

    def _note(self, wps: str | None, under: WeldedUnder, welder: str | None, day: str) -> None:
        if wps:
            self._used.setdefault(_WpsRevision(wps, under.revision), under.processes)
        if welder and day:
            listed = self._listed.get(wps or "")
            processes = under.processes or (tuple(listed.processes.split(_SEPARATOR)) if listed else ())
            self._days.setdefault(welder, []).append(_WeldDay(day, tuple(filter(None, processes)), under.qualified))

    def procedures(self) -> tuple[ProcedureFacts, ...]:
        """Each revision that was noted, by number; one that the shop's list does not have is marked as unknown."""
        return tuple(self._procedure(*used, processes) for used, processes in sorted(self._used.items()))

    def _procedure(self, wps: str, revision: str, processes: tuple[str, ...]) -> ProcedureFacts:
        joined, listed = _SEPARATOR.join(processes), self._listed.get(wps)
        if listed is None:
            return ProcedureFacts(wps, revision, joined, known=False)
        if revision == listed.revision:
            return listed
        if not revision:
            return replace(listed, revision="", listed_revision=listed.revision)
        return ProcedureFacts(wps, revision, joined, listed_revision=listed.revision or "–")

    def qualifications(self) -> tuple[QualificationFacts, ...]:
        """Those of the people who welded, for the processes of their procedures, in force on such a day."""
        by_id: dict[int, list[str]] = {}
        for label in self._days:
            if (worker_id := labelled_id(label)) is not None:
                by_id.setdefault(worker_id, []).append(label)
        found = []
        for row in self._tx.all("dossier_qualifications"):
            qualification = _Qualification(*row)
            labels = by_id.get(qualification.worker_id, ())
            found += [qualification.facts(label) for label in labels if self._used_by(label, qualification)]
        return tuple(sorted(found, key=lambda each: (each.label, each.process, each.document)))

    def _used_by(self, label: str, qualification: _Qualification) -> bool:
        """A weld of which no processes are recorded counts with those of the person's other welds."""
        days = self._days[label]
        known = frozenset(process for weld in days for process in weld.processes)
        return any(qualification.covers(weld, weld.processes or known) for weld in days)


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
    active: int

    def covers(self, weld: _WeldDay, processes: Collection[str]) -> bool:
        """In force on that day, for one of the processes (none: any). The list does not say when a qualification was
        retired: it counts unless the event of the weld says that the welder was not qualified."""
        in_force = self.since <= weld.day and (not self.expires or self.expires >= weld.day)
        stood = bool(self.active) or weld.qualified
        return in_force and stood and (not processes or self.process in processes)

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
            retired=not self.active,
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
