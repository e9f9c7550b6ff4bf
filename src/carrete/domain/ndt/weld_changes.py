"""What a change of welds does to examinations: a new weld may be selected, a reopened one takes its own along."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from carrete.domain.events import Event, EventoTipo
from carrete.domain.joints import Joint
from carrete.domain.ndt.examination import (
    WHOLE_SPOOL,
    Examination,
    ExamStatus,
    Origin,
    joint_columns,
    last_of_each_method,
    of_joint,
    spool_ndt,
)
from carrete.domain.ndt.sampling import Sampling, Selection, Weld
from carrete.domain.spool import Estado, Spool
from carrete.domain.version import Workflow, workflow
from carrete.domain.workers import labelled_id


@dataclass(frozen=True, slots=True)
class NdtEffect:
    """Examinations that are new or changed, and their events."""

    exams: tuple[Examination, ...] = ()
    events: tuple[Event, ...] = ()


def standing(spool: Spool, joints: Iterable[Joint]) -> set[int]:
    """The welds that exist and whose rows are in the sheet."""
    return set() if spool.retired else welds_of(spool, joints)


def welds_of(spool: Spool, joints: Iterable[Joint]) -> set[int]:
    """Joints by their number, and a v3.0 spool whose SOLD is complete as a whole."""
    welded = {joint.n_union for joint in joints if joint.welded and not joint.retired}
    if workflow(spool) is Workflow.V3 and spool.sold is Estado.COMPLETADO:
        welded.add(WHOLE_SPOOL)
    return welded


@dataclass(frozen=True, slots=True)
class WeldChange:
    """A spool and its joints before and after a change, with the examinations that it had."""

    before: Spool
    after: Spool
    joints_before: Mapping[int, Joint]
    joints_after: Mapping[int, Joint]
    exams: Sequence[Examination]
    now: datetime
    new_id: Callable[[], str]
    processes: Mapping[int, str]  # of the welds that the change registers

    def lost(self) -> set[int]:
        return self._before() - self._after()

    def made(self) -> set[int]:
        return self._after() - self._before()

    def made_out_of_the_sheet(self) -> set[int]:
        """What the holder of a spool welded after its row was removed from the sheet."""
        if not (self.before.retired and self.after.retired):
            return set()
        earlier = welds_of(self.before, self.joints_before.values())
        return welds_of(self.after, self.joints_after.values()) - earlier

    def is_back(self, n_union: int) -> bool:
        """Of a weld that the sheet has now and did not have before: whether only its row was removed meanwhile. With
        another welder or another end of welding it is another weld."""
        was, joint = self.joints_before.get(n_union), self.joints_after.get(n_union)
        welded = was.welded if was else n_union in welds_of(self.before, ())
        return welded and _welder_and_end(self.before, was) == _welder_and_end(self.after, joint)

    def _before(self) -> set[int]:
        return standing(self.before, self.joints_before.values())

    def _after(self) -> set[int]:
        return standing(self.after, self.joints_after.values())


def follow_welds(change: WeldChange, sampling: Sampling, *, sample: bool) -> NdtEffect:
    """`sample`: whether the new welds were registered on the floor. A weld that a person typed into the workbook is not
    sampled; but a joint that had examinations is examined again, however its weld came back."""
    lost, made = change.lost(), sorted(change.made())
    exams: list[Examination] = []
    events: list[Event] = []
    for exam in [exam for exam in change.exams if exam.n_union in lost and exam.current]:
        gone = _without_its_weld(exam)
        exams.append(gone)
        sampling.lose(exam)
        if gone.status is ExamStatus.ANULADO:
            events.append(exam_event(EventoTipo.NDT_ANULADO, "ANULAR", gone, change.now))
    for n_union in made:
        for exam, facts in _asked_for(change, n_union, sampling, sample):
            exams.append(exam)
            events.append(requested(exam, change.now, facts))
    if sample:
        for exam, exam_events in _counted_out_of_the_sheet(change, sampling):
            exams.append(exam)
            events += exam_events
    return NdtEffect(tuple(exams), tuple(events))


def _counted_out_of_the_sheet(
    change: WeldChange, sampling: Sampling
) -> Iterable[tuple[Examination, tuple[Event, Event]]]:
    """Such a weld is drawn like any other, so that nobody avoids the sample by removing a row. Nobody can examine a
    spool that is out of the sheet: what is asked for is voided at once, as when the row goes after the weld. The
    group's next weld is taken in its place, and the joint is examined when its row is back."""
    for n_union in sorted(change.made_out_of_the_sheet()):
        for exam, facts in _asked_for(change, n_union, sampling, sample=True, pays_debts=False):
            gone = _without_its_weld(exam)
            sampling.lose(exam)
            voided = exam_event(EventoTipo.NDT_ANULADO, "ANULAR", gone, change.now)
            yield gone, (requested(exam, change.now, facts), voided)


def _without_its_weld(exam: Examination) -> Examination:
    """A result stays a fact about its welder, but says nothing about the weld that will be made."""
    return exam.but(status=ExamStatus.ANULADO) if exam.status is ExamStatus.PENDIENTE else exam.but(superseded=True)


def _asked_for(
    change: WeldChange, n_union: int, sampling: Sampling, sample: bool, *, pays_debts: bool = True
) -> Iterable[tuple[Examination, Mapping[str, Any]]]:
    """What the old weld was examined by, and should have been, the new one is examined by too; and so is a weld whose
    row is back."""
    weld = weld_of(change.after, change.joints_after.get(n_union), n_union)
    earlier = last_of_each_method(exam for exam in change.exams if exam.n_union == n_union)
    selections = sampling.weld(weld, earlier, pays_debts=pays_debts) if sample else []
    facts = {"process": change.processes.get(n_union, ""), "dn_milli": _dn(change.joints_after.get(n_union))}
    why = Origin.REGRESO if change.is_back(n_union) else Origin.REEXAMEN
    for exam in earlier.values():
        again = new_exam(change.new_id(), weld, exam.method, why, change.now, **facts)
        yield again.but(rule=exam.rule, seed=exam.seed), {}
    for chosen in selections:
        made = new_exam(change.new_id(), weld, chosen.method, chosen.origin, change.now, **facts)
        yield made.but(rule=chosen.rule, seed=chosen.seed), _sample_facts(chosen)


def _sample_facts(chosen: Selection) -> dict[str, Any]:
    return {"soldadas": chosen.welded, "seleccionadas": chosen.selected}


def _dn(joint: Joint | None) -> int | None:
    return joint.dn_milli if joint else None


def _welder_and_end(spool: Spool, joint: Joint | None) -> tuple[int | str, date | None]:
    """Initials follow the welder's name, so that a label is compared by its id."""
    welder, end = (joint.sol_worker, joint.sol_fin) if joint else (spool.soldador, spool.fecha_soldadura)
    return labelled_id(welder or "") or welder or "", end


def weld_of(spool: Spool, joint: Joint | None, n_union: int) -> Weld:
    if joint is None:
        return Weld(spool.tag, n_union, None, spool.ot or "", spool.soldador or "")
    return Weld(spool.tag, n_union, joint.tipo, spool.ot or "", joint.sol_worker or "")


def new_exam(id_: str, weld: Weld, method: str, origin: Origin, now: datetime, **facts: Any) -> Examination:
    return Examination(
        id_,
        weld.tag,
        weld.n_union,
        method,
        origin,
        now,
        ot=weld.ot,
        welder=weld.welder,
        tipo=weld.tipo or "",
        **facts,
    )


def requested(exam: Examination, now: datetime, facts: Mapping[str, Any] | None = None) -> Event:
    named = {"regla": exam.rule, "semilla": exam.seed} if exam.rule else {}
    return exam_event(EventoTipo.NDT_SOLICITADO, "SOLICITAR", exam, now, {**named, **(facts or {})})


def exam_event(
    tipo: EventoTipo,
    accion: str,
    exam: Examination,
    now: datetime,
    facts: Mapping[str, Any] | None = None,
    by: tuple[int, str] | None = None,
) -> Event:
    """`by` is the person who asked for it; None for what a rule selects."""
    worker_id, worker = by or (None, None)
    shown = {"examen": exam.id, "metodo": exam.method, "ronda": exam.round, "origen": exam.origin.value}
    welder = {"soldador": exam.welder} if exam.welder else {}
    return Event(
        tipo,
        now,
        accion,
        worker_id=worker_id,
        worker=worker,
        fecha_operacion=exam.result_day,
        n_union=exam.n_union or None,
        metadata={**shown, **welder, **(facts or {})},
    )


def merged(before: Sequence[Examination], changed: Iterable[Examination]) -> list[Examination]:
    """All examinations of a spool after some of them changed and others came."""
    found = {exam.id: exam for exam in before}
    found.update({exam.id: exam for exam in changed})
    return list(found.values())


def in_the_sheet(spool: Spool, exams: Sequence[Examination], joints: Iterable[Joint]) -> tuple[Spool, list[Joint]]:
    """The spool with its `ndt`, and those of the joints whose columns are other ones now. Only joints that have, or
    had, examinations here: what people typed for the others stays."""
    with_exams = {exam.n_union for exam in exams}
    changed = []
    for joint in joints:
        if joint.n_union in with_exams:
            columns = joint_columns(of_joint(exams, joint.n_union))
            if any(getattr(joint, name) != value for name, value in columns.items()):
                changed.append(joint.but(**columns))
    ndt = spool_ndt(exams)
    return (spool if ndt is spool.ndt else spool.but(ndt=ndt)), changed


def typed_cells(typed: Joint, shown: Joint) -> dict[str, str]:
    """What the columns of a joint had in the sheet where its examinations now say something else."""
    names = joint_columns(()).keys()
    cells = {name.upper(): getattr(typed, name) for name in names if getattr(typed, name) != getattr(shown, name)}
    return {column: value for column, value in cells.items() if value}


def naming_what_it_replaces(events: Sequence[Event], replaced: Mapping[int, Mapping[str, str]]) -> tuple[Event, ...]:
    """`replaced` has the cells by joint. The first request of each of these joints names them."""
    left, named = dict(replaced), []
    for event in events:
        if event.tipo is EventoTipo.NDT_SOLICITADO and (cells := left.pop(event.n_union or WHOLE_SPOOL, None)):
            event = event.with_metadata({**event.metadata, "reemplaza": dict(cells)})
        named.append(event)
    return tuple(named)
