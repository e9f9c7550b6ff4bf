"""Welds, examinations and repairs of the right histories: what is selected comes from the product's own sampling, and
the checker counts it again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from carrete.domain.joints import Joint
from carrete.domain.ndt.examination import (
    Examination,
    ExamStatus,
    Origin,
    is_first,
    joint_columns,
    last_of_each_method,
    of_joint,
    spool_ndt,
)
from carrete.domain.ndt.policy import NdtRule
from carrete.domain.ndt.sampling import Sampling, Weld
from carrete_chaos.history import ActionDone, ActionRefused, TypedCell
from carrete_chaos.ndt_evidence import NdtEvidence
from carrete_chaos.ndt_log import REPAIR, REQUEST, RESULT

if TYPE_CHECKING:
    from carrete_chaos.right_histories import ModelSpool, RightShop

WELDED = ("N", "O")  # spools that are only welded and examined here
JOINTS = 12
DN_MILLI = 1500
EXAMINER = 8
ADDITIONAL = 2
AT = datetime(2026, 11, 16, tzinfo=UTC)
RULES = (
    NdtRule("r1", "RT", 25, "semilla", types=frozenset({"BW"})),
    NdtRule("r2", "PT", 10, "otra", types=frozenset({"BW"})),
)


class RightExams:
    def __init__(self, shop: RightShop, spools: Mapping[str, ModelSpool], supervisor: int, people: int) -> None:
        self.shop = shop
        self.spools = spools
        self.exams: dict[str, Examination] = {}
        self.welder: dict[tuple[str, int], int] = {}  # of the joints that are welded now
        self.sampling = Sampling(RULES, lambda _ot, _welder: (), lambda _tag: ())
        self._supervisor, self._people = supervisor, people
        self._repairs: dict[tuple[str, int], int] = {}

    @property
    def acts(self) -> list[tuple[int, Callable[[], None]]]:
        return [
            *((12, self._weld), (5, self._request), (12, self._result), (6, self._repair)),
            *((3, self._reopen), (3, self._approve), (2, self._another_ot)),
        ]

    # ─── what is written ──────────────────────────────────────────────────────────────────────────────────────

    def _any_spool(self) -> ModelSpool:
        return self.spools[self.shop.rng.choice(WELDED)]

    def _of(self, tag: str, n_union: int) -> list[Examination]:
        return of_joint((exam for exam in self.exams.values() if exam.tag == tag), n_union)

    def _put(self, exam: Examination) -> Examination:
        self.exams[exam.id] = exam
        return exam

    def _new(self, weld: tuple[str, int], method: str, origin: Origin, **more: Any) -> Examination:
        tag, n_union = weld
        who = f"AS({self.welder[weld]})"
        ot = self.spools[tag].ot
        id_ = f"x{len(self.exams)}"
        return self._put(Examination(id_, tag, n_union, method, origin, AT, ot=ot, welder=who, tipo="BW", **more))

    def _write(self, tipo: str, exam: Examination, who: int | None, taps: int, **facts: Any) -> None:
        """`taps`: on whose tablet."""
        of_exam = {"examen": exam.id, "metodo": exam.method, "ronda": exam.round, "origen": exam.origin.value}
        self._event(tipo, exam.tag, exam.n_union, who, taps, {**of_exam, "soldador": exam.welder, **facts})

    def _event(self, tipo: str, tag: str, n_union: int, who: int | None, taps: int, ndt: Mapping[str, Any]) -> None:
        via = {"device": f"d{taps}", "session": f"s{taps}"}
        self.shop.event(self.spools[tag], tipo, who, n_union=n_union, ndt=ndt, operacion=None, **via)

    def _answered(self, who: int, accion: str, tag: str, title: str, exams: Iterable[Examination], **more: Any) -> None:
        """`more` is what the body says. The answer names the last event of its own spool."""
        spool = self.spools[tag]
        seq = max(fact.seq for fact in self.shop.facts if fact.tag == tag)
        outcome = ActionDone(spool.version, title, (seq,), None, tuple(exam.id for exam in exams))
        self.shop.tap(who, accion, spool, outcome, more=more)

    # ─── welds ────────────────────────────────────────────────────────────────────────────────────────────────

    def _weld(self) -> None:
        """Taken and finished, one or two joints."""
        spool, who = self._any_spool(), self.shop.rng.randint(1, self._people)
        free = [n for n in range(1, JOINTS + 1) if (spool.tag, n) not in self.welder]
        joints = sorted(self.shop.rng.sample(free, min(len(free), self.shop.rng.randint(1, 2))))
        spool.holder = who
        self.shop.commit(spool, [("INICIAR_SPOOL", None)], who, operacion="SOLD")
        self.shop.tap(who, "iniciar", spool, ActionDone(spool.version, "INICIAR"))
        spool.holder = None
        done = [("UNION_SOLD_REGISTRADA", n) for n in joints]
        self.shop.commit(spool, [*done, ("SPOOL_SOLD_PAUSADO", None)], who, operacion="SOLD")
        for n_union in joints:
            self.welder[spool.tag, n_union] = who
            self._selected(spool, n_union, who)
        self.shop.tap(who, "finalizar", spool, ActionDone(spool.version, "PAUSAR"))

    def _selected(self, spool: ModelSpool, n_union: int, who: int) -> None:
        weld = (spool.tag, n_union)
        earlier = last_of_each_method(exam for exam in self.exams.values() if exam.joint == weld)
        chosen = self.sampling.weld(Weld(*weld, "BW", spool.ot, f"AS({who})"), earlier)
        for method in earlier:
            self._write("NDT_SOLICITADO", self._new(weld, method, Origin.REEXAMEN), None, who)
        for each in chosen:
            exam = self._new(weld, each.method, each.origin, rule=each.rule)
            self._write("NDT_SOLICITADO", exam, None, who, soldadas=each.welded, seleccionadas=each.selected)

    def _reopen(self) -> None:
        spool = self._any_spool()
        welded = [n for tag, n in self.welder if tag == spool.tag]
        lost = sorted(self.shop.rng.sample(welded, min(2, len(welded))))
        if not lost:
            return
        undone = tuple((n, False) for n in lost)
        self.shop.commit(spool, [("CORRECCION", None)], self._supervisor, operacion="SOLD", undone=undone)
        for n_union in lost:
            for exam in self._of(spool.tag, n_union):
                self.sampling.lose(exam)
                if exam.status is ExamStatus.PENDIENTE:
                    self._write("NDT_ANULADO", self._put(exam.but(status=ExamStatus.ANULADO)), None, self._supervisor)
                else:
                    self._put(exam.but(superseded=True))
            del self.welder[spool.tag, n_union]
            self._repairs.pop((spool.tag, n_union), None)
        self.shop.tap(self._supervisor, "corregir", spool, ActionDone(spool.version, "CORREGIR"))

    def _another_ot(self) -> None:
        spool = self._any_spool()
        was, spool.ot = spool.ot, f"E-{len(self.shop.edits)}"
        self.shop.typed(spool, TypedCell("Operaciones", 0, "OT", spool.ot), was, self.shop.now)
        for exam in self.exams.values():
            if exam.tag == spool.tag:
                self.sampling.leave(exam)

    # ─── examinations ─────────────────────────────────────────────────────────────────────────────────────────

    def _request(self) -> None:
        if not self.welder:
            return
        (tag, n_union), method = self.shop.rng.choice(sorted(self.welder)), self.shop.rng.choice(("RT", "UT"))
        body = {"metodo": method, "unions": [n_union], "motivo": f"motivo {len(self.shop.calls)}"}
        current = self._of(tag, n_union)
        last = last_of_each_method(current).get(method)
        if last is not None and last.status is not ExamStatus.APROBADO:
            refused = ActionRefused(400, "OPERACION_NO_DISPONIBLE")
            self.shop.tap(self._supervisor, REQUEST, self.spools[tag], refused, more=body)
            return
        number = max((exam.round for exam in current), default=0) if last else 0
        exam = self._new((tag, n_union), method, Origin.MANUAL, round=number)
        self.sampling.gain(exam)
        self._write("NDT_SOLICITADO", exam, self._supervisor, self._supervisor, motivo=body["motivo"])
        self._answered(self._supervisor, REQUEST, tag, "SOLICITAR", [exam], **body)

    def _result(self) -> None:
        """Now and then of an examination that is closed already."""
        waiting = [exam for exam in self.exams.values() if exam.status is ExamStatus.PENDIENTE]
        known = list(self.exams.values()) if self.shop.rng.random() < 0.1 else waiting
        if not known:
            return
        exam, rejected = self.shop.rng.choice(known), self.shop.rng.random() < 0.5
        status = ExamStatus.RECHAZADO if rejected else ExamStatus.APROBADO
        body = {"examen": exam.id, "resultado": status.value, "informe": f"INF-{len(self.shop.calls)}"}
        if exam.status is not ExamStatus.PENDIENTE:
            self.shop.tap(EXAMINER, RESULT, self.spools[exam.tag], ActionRefused(400, "ENSAYO_CERRADO"), more=body)
            return
        done = self._put(exam.but(status=status, report=body["informe"], examiner_id=EXAMINER))
        calls_for_more = rejected and is_first(self._of(*exam.joint), exam)
        others = self._others(done) if calls_for_more else []
        named = [{"tag_spool": tag, "n_union": n_union} for tag, n_union in others]
        self._write(f"NDT_{status}", done, EXAMINER, EXAMINER, informe=done.report, adicionales=named)
        self._answered(EXAMINER, RESULT, exam.tag, status.value, [done], **body)
        if calls_for_more:
            self._call_for(done, others)

    def _others(self, exam: Examination) -> list[tuple[str, int]]:
        """Welds of the same welder and OT, not examined by the same method."""
        found = [
            weld
            for weld, who in sorted(self.welder.items())
            if (f"AS({who})", self.spools[weld[0]].ot) == (exam.welder, exam.ot)
            and exam.method not in last_of_each_method(self._of(*weld))
        ]
        return found[:ADDITIONAL]

    def _call_for(self, exam: Examination, others: Sequence[tuple[str, int]]) -> None:
        why = {"por": {"tag_spool": exam.tag, "n_union": exam.n_union, "informe": exam.report}}
        for weld in others:
            more = self._new(weld, exam.method, Origin.ADICIONAL, rule=exam.rule)
            self._write("NDT_SOLICITADO", more, None, EXAMINER, **why)
        if len(others) < ADDITIONAL:
            self.sampling.owe(exam, ADDITIONAL - len(others))

    def _repair(self) -> None:
        rejected = [exam for exam in self.exams.values() if exam.status is ExamStatus.RECHAZADO and exam.current]
        welds = [exam.joint for exam in rejected if last_of_each_method(self._of(*exam.joint))[exam.method] is exam]
        if not welds:
            return
        weld, who = self.shop.rng.choice(welds), self.shop.rng.randint(1, self._people)
        number = self._repairs[weld] = self._repairs.get(weld, 0) + 1
        last = last_of_each_method(self._of(*weld)).values()
        methods = [exam.method for exam in last if exam.status is ExamStatus.RECHAZADO]
        facts = {"reparacion": f"R{number}", "metodos": methods}
        self._event("REPARACION_UNION", *weld, who, who, facts)
        again = [self._new(weld, method, Origin.REEXAMEN, round=number) for method in methods]
        for exam in again:
            self._write("NDT_SOLICITADO", exam, None, who)
        self._answered(who, REPAIR, weld[0], "REPARAR", again, n_union=weld[1])

    def _approve(self) -> None:
        spool = self._any_spool()
        exams = [exam for exam in self.exams.values() if exam.tag == spool.tag]
        if spool_ndt(exams) == "PENDIENTE":
            self.shop.tap(EXAMINER, "inspeccionar", spool, ActionRefused(400, "NDT_PENDIENTE"))
            return
        self.shop.commit(spool, [("METROLOGIA_APROBADO", None)], EXAMINER, operacion="METROLOGIA")
        self.shop.tap(EXAMINER, "inspeccionar", spool, ActionDone(spool.version, "APROBADO"))

    # ─── at rest ──────────────────────────────────────────────────────────────────────────────────────────────

    def joints(self) -> list[Joint]:
        return [self._joint(tag, n) for tag in WELDED for n in range(1, JOINTS + 1)]

    def _joint(self, tag: str, n_union: int) -> Joint:
        who = self.welder.get((tag, n_union))
        label, fin = (f"AS({who})", AT) if who else (None, None)
        joint = Joint(tag, n_union, dn_milli=DN_MILLI, sol_fin=fin, sol_worker=label)
        return joint.but(**joint_columns(self._of(tag, n_union)))

    def evidence(self) -> NdtEvidence:
        of_spool = {tag: [exam for exam in self.exams.values() if exam.tag == tag] for tag in WELDED}
        says = {tag: spool_ndt(exams).value for tag, exams in of_spool.items()}
        groups = list(self.sampling.changed_groups.values())
        return NdtEvidence(list(self.exams.values()), groups, RULES, ADDITIONAL, self.joints(), says)
