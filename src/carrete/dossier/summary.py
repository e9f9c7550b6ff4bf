"""Counts made from a dossier's facts: joints, inches, examinations and the percentages reached."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from carrete.dossier.facts import DossierFacts, ExaminationFacts, SpoolFacts

APPROVED, REJECTED, PENDING, CANCELLED = "APROBADO", "RECHAZADO", "PENDIENTE", "ANULADO"


@dataclass(frozen=True, slots=True)
class MethodSummary:
    """One examination method over all spools of the dossier. A spool worked as a whole counts as one weld."""

    method: str
    welds: int  # welded so far: what the percentage is of
    requested: int
    examined: int  # with a result of any round
    approved: int  # whose last result is APROBADO
    rejected: int  # rejected at least once
    repaired: int  # rejected once, and approved afterwards
    pending: int

    @property
    def percent(self) -> str:
        """Of the welds, examined; cut, never rounded up: 99.96 % is not 100 %."""
        if not self.welds:
            return "–"
        tenths = self.examined * 1000 // self.welds
        return f"{tenths // 10}.{tenths % 10} %"


@dataclass(frozen=True, slots=True)
class Totals:
    spools: int
    joints: int
    welded: int
    inches: str
    examinations: int
    repairs: int
    approved_spools: int


def counts(each: ExaminationFacts) -> bool:
    """Whether it says something about the weld that exists now."""
    return not each.superseded and each.result != CANCELLED


def totals_of(facts: DossierFacts) -> Totals:
    welds = [weld for spool in facts.spools for weld in spool.welds]
    done = [weld for weld in welds if weld.welded_on and weld.needs_welding]
    inches = sum((_inches(weld.dn) for weld in done), Decimal(0))
    examined = [each for spool in facts.spools for each in _all_examinations(spool) if counts(each)]
    return Totals(
        spools=len(facts.spools),
        joints=len(welds),
        welded=len(done),
        inches=f"{inches.normalize():f}",
        examinations=sum(each.result in (APPROVED, REJECTED) for each in examined),
        repairs=sum(len(weld.repairs) for weld in welds) + sum(len(spool.repairs) for spool in facts.spools),
        approved_spools=sum(spool.metrologia == APPROVED for spool in facts.spools),
    )


def by_method(facts: DossierFacts) -> list[MethodSummary]:
    """Sorted by method; only examinations of which Carrete has the results, not what people typed in cells."""
    units = [unit for spool in facts.spools for unit in _units(spool)]
    methods = sorted({each.method for _, examinations in units for each in examinations if each.origin})
    return [_of_method(method, units) for method in methods]


_Unit = tuple[bool, tuple[ExaminationFacts, ...]]  # whether it is welded, and its examinations


def _units(spool: SpoolFacts) -> Iterable[_Unit]:
    for weld in spool.welds:
        if weld.needs_welding:
            yield bool(weld.welded_on), weld.examinations
    if not spool.welds:
        yield bool(spool.welded_on), spool.examinations


def _of_method(method: str, units: Iterable[_Unit]) -> MethodSummary:
    welds = requested = examined = approved = rejected = repaired = pending = 0
    for welded, examinations in units:
        welds += welded
        mine = [each for each in examinations if each.method == method and each.origin and counts(each)]
        if not mine:
            continue
        results = [each.result for each in mine]
        requested += 1
        examined += any(result in (APPROVED, REJECTED) for result in results)
        approved += results[-1] == APPROVED
        rejected += REJECTED in results
        repaired += REJECTED in results and results[-1] == APPROVED
        pending += PENDING in results
    return MethodSummary(method, welds, requested, examined, approved, rejected, repaired, pending)


def _all_examinations(spool: SpoolFacts) -> Iterable[ExaminationFacts]:
    yield from spool.examinations
    for weld in spool.welds:
        yield from weld.examinations


def _inches(dn: str) -> Decimal:
    try:
        found = Decimal(dn)
    except InvalidOperation:
        return Decimal(0)
    return found if found.is_finite() else Decimal(0)
