"""Follows the examinations of a campaign through its events, in order, and reports what is impossible."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from carrete_chaos.editing import changes_holder
from carrete_chaos.history import RecordedEvent

EXAMINED = "an examination has one result"
REQUESTED = "an examination is asked for once"
REPAIRED = "a repair follows a rejection"
APPROVED = "approved without open examinations"
SOLICITADO, ANULADO, REPARACION = "NDT_SOLICITADO", "NDT_ANULADO", "REPARACION_UNION"
RESULTS = {"NDT_APROBADO": "APROBADO", "NDT_RECHAZADO": "RECHAZADO"}
NDT_EVENTS = (SOLICITADO, ANULADO, REPARACION, *RESULTS)
WHOLE = 0  # a v3.0 spool, which is examined as a whole

Finding = tuple[str, str, str]  # rule, tag, sentence
Weld = tuple[str, int]  # tag, joint


@dataclass(slots=True)
class TrailExam:
    id: str
    weld: Weld
    method: str
    round: int
    origin: str
    is_first: bool = True  # of its weld, by its method
    status: str = "PENDIENTE"
    current: bool = True  # whether its weld still exists

    @property
    def is_open(self) -> bool:
        return self.current and self.status != "APROBADO"


def weld_of(fact: RecordedEvent) -> Weld:
    return fact.tag, fact.n_union or WHOLE


def welds_undone(fact: RecordedEvent) -> list[Weld]:
    """The welds that a correction reopens."""
    if fact.tipo != "CORRECCION" or fact.operacion not in ("ARM", "SOLD"):
        return []
    return [(fact.tag, n_union) for n_union, _ in fact.undone] or [(fact.tag, WHOLE)]


def ndt_of(fact: RecordedEvent) -> Mapping[str, object]:
    return fact.ndt or {}


@dataclass(slots=True)
class ExamTrail:
    """`found` has what is wrong in the events alone, `exams` the examinations as the events leave them."""

    exams: dict[str, TrailExam] = field(default_factory=dict)
    found: list[Finding] = field(default_factory=list)
    _of_weld: dict[Weld, list[TrailExam]] = field(default_factory=lambda: defaultdict(list))
    _repairs: dict[Weld, int] = field(default_factory=lambda: defaultdict(int))
    _voided: set[str] = field(default_factory=set)  # whose NDT_ANULADO must still come
    _unsure: set[Weld] = field(default_factory=set)  # whole spools whose weld an edit in the workbook may have reopened
    _again: set[tuple[Weld, str, int]] = field(default_factory=set)  # re-examinations that must still come

    def follow(self, facts: Iterable[RecordedEvent]) -> ExamTrail:
        for fact in sorted(facts, key=lambda f: f.seq):
            match fact.tipo:
                case "NDT_SOLICITADO":
                    self._requested(fact)
                case "NDT_APROBADO" | "NDT_RECHAZADO":
                    self._result(fact)
                case "NDT_ANULADO":
                    self._void(fact)
                case "REPARACION_UNION":
                    self._repaired(fact)
                case "METROLOGIA_APROBADO":
                    self._approved(fact)
                case "CORRECCION":
                    for weld in welds_undone(fact):
                        self._lost(weld)
                case "EDICION_EXTERNA" if changes_holder(fact) and self._of_weld[fact.tag, WHOLE]:
                    self._unsure.add((fact.tag, WHOLE))
        for exam_id in sorted(self._voided):
            exam = self.exams[exam_id]
            self.found.append((EXAMINED, exam.weld[0], f"{exam} has lost its weld and was not voided"))
        for weld, method, number in sorted(self._again):
            self.found.append((REPAIRED, weld[0], f"R{number} of {weld} asked for no re-examination by {method}"))
        return self

    def is_sure(self, weld: Weld) -> bool:
        return weld not in self._unsure

    def current(self, weld: Weld) -> dict[str, TrailExam]:
        """The last examination of the weld by each method."""
        return {exam.method: exam for exam in self._of_weld[weld] if exam.current}

    def _requested(self, fact: RecordedEvent) -> None:
        facts, weld = ndt_of(fact), weld_of(fact)
        method = str(facts["metodo"])
        before = self.current(weld).get(method)
        exam = TrailExam(
            *(str(facts["examen"]), weld, method, int(str(facts["ronda"])), str(facts["origen"])),
            is_first=before is None,
        )
        again = (weld, exam.method, exam.round)
        if exam.id in self.exams:
            self.found.append((REQUESTED, fact.tag, f"{fact} is the second request of {exam.id}"))
        elif again in self._again:
            self._again.remove(again)
        elif before is not None and before.is_open and weld not in self._unsure:
            self.found.append((REQUESTED, fact.tag, f"{fact}, and {before} is open"))
        elif exam.origin == "reexamen" and exam.round and weld not in self._unsure:
            self.found.append((REPAIRED, fact.tag, f"{fact}, and nobody repaired {weld}"))
        self.exams[exam.id] = exam
        self._of_weld[weld].append(exam)

    def _result(self, fact: RecordedEvent) -> None:
        exam = self.exams.get(str(ndt_of(fact)["examen"]))
        if exam is None or exam.weld != weld_of(fact) or exam.method != ndt_of(fact)["metodo"]:
            self.found.append((REQUESTED, fact.tag, f"{fact}, and nobody asked for it: {exam}"))
        elif exam.status != "PENDIENTE" or not exam.current:
            self.found.append((EXAMINED, fact.tag, f"{fact}, and it was {exam}"))
        if exam is not None:
            exam.status = RESULTS[fact.tipo]

    def _void(self, fact: RecordedEvent) -> None:
        exam = self.exams.get(str(ndt_of(fact)["examen"]))
        if exam is None or exam.status != "PENDIENTE" or (exam.current and exam.weld not in self._unsure):
            self.found.append((EXAMINED, fact.tag, f"{fact}, and it was {exam}"))
        if exam is not None:
            exam.status, exam.current = "ANULADO", False
            self._voided.discard(exam.id)

    def _repaired(self, fact: RecordedEvent) -> None:
        weld, methods = weld_of(fact), _methods(fact)
        number = self._repairs[weld] = self._repairs[weld] + 1
        if weld in self._unsure:
            self._again = {again for again in self._again if again[0] != weld}
            return
        if ndt_of(fact)["reparacion"] != f"R{number}":
            self.found.append((REPAIRED, fact.tag, f"{fact} is number {number} of this weld"))
        rejected = {method for method, exam in self.current(weld).items() if exam.status == "RECHAZADO"}
        if set(methods) != rejected or not rejected:
            self.found.append((REPAIRED, fact.tag, f"{fact}, and {sorted(rejected)} had rejected it"))
        self._again |= {(weld, method, number) for method in methods}

    def _approved(self, fact: RecordedEvent) -> None:
        welds = [weld for weld in self._of_weld if weld[0] == fact.tag and weld not in self._unsure]
        still_open = [exam for weld in welds for exam in self.current(weld).values() if exam.is_open]
        if still_open:
            self.found.append((APPROVED, fact.tag, f"{fact}, and {still_open[0]} is open"))

    def _lost(self, weld: Weld) -> None:
        for exam in self._of_weld[weld]:
            if exam.current and exam.status == "PENDIENTE":
                self._voided.add(exam.id)
            exam.current = False
        self._repairs[weld] = 0


def _methods(fact: RecordedEvent) -> Sequence[str]:
    methods = ndt_of(fact)["metodos"]
    return [str(method) for method in methods] if isinstance(methods, list | tuple) else []


def of_kind(facts: Iterable[RecordedEvent], *kinds: str) -> Iterator[RecordedEvent]:
    return (fact for fact in facts if fact.tipo in kinds)
