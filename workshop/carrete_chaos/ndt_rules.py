"""The rules of examinations of welds: each is asked for, decided and repaired once, and shown where it should be."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from carrete.domain.ndt.examination import Examination, joint_columns, of_joint, spool_ndt
from carrete.domain.workers import labelled_id
from carrete_chaos import ndt_sample
from carrete_chaos.history import ActionCall, ActionDone, RecordedEvent
from carrete_chaos.ndt_evidence import NdtEvidence
from carrete_chaos.ndt_log import REPAIR, REQUEST, RESULT
from carrete_chaos.ndt_trail import (
    EXAMINED,
    NDT_EVENTS,
    REPAIRED,
    REPARACION,
    REQUESTED,
    RESULTS,
    SOLICITADO,
    ExamTrail,
    Finding,
    ndt_of,
    of_kind,
    weld_of,
)

RECORDED = "a result is of one call"
ADDITIONAL = "a rejection calls for more joints"
KEEPS = "an examination keeps the holder"
SHOWN = "joints show their examinations"


def findings(facts: Sequence[RecordedEvent], calls: Sequence[ActionCall], ndt: NdtEvidence | None) -> Iterator[Finding]:
    """`calls` have the answers that the ledger stored in place of answers that were lost."""
    about = list(of_kind(facts, *NDT_EVENTS))
    yield from _results_are_recorded(about, calls)
    yield from _requests_are_recorded(about, calls)
    yield from _repairs_are_recorded(about, calls)
    yield from _holder_is_kept(facts)
    trail = ExamTrail().follow(facts)
    yield from trail.found
    if ndt is not None:
        yield from _as_the_rows_say(trail, about, ndt)
        yield from _additional(about, trail, ndt)
        yield from _shown(ndt)
        yield from ndt_sample.findings(facts, ndt)


# ─── one call, one event ──────────────────────────────────────────────────────────────────────────────────────


def _results_are_recorded(about: Sequence[RecordedEvent], calls: Sequence[ActionCall]) -> Iterator[Finding]:
    """No two results of a campaign have the same report number, so that an event can be matched with its call."""
    events: dict[object, list[RecordedEvent]] = defaultdict(list)
    for fact in of_kind(about, *RESULTS):
        events[ndt_of(fact)["informe"]].append(fact)
    for call in calls:
        if call.accion != RESULT:
            continue
        found = events.pop(call.more["informe"], [])
        written = [(ndt_of(fact)["examen"], RESULTS[fact.tipo], fact.worker_id) for fact in found]
        is_done = isinstance(call.outcome, ActionDone)
        wanted = [(call.more["examen"], call.more["resultado"], call.worker_id)] if is_done else []
        if written != wanted:
            yield RECORDED, call.tag, f"{call} left {found or 'nothing'}"
    for found in events.values():
        yield RECORDED, found[0].tag, f"nobody recorded {found[0]}"


def _requests_are_recorded(about: Sequence[RecordedEvent], calls: Sequence[ActionCall]) -> Iterator[Finding]:
    """Each request by hand has a reason of its own, and makes one examination for each of its joints."""
    events: dict[object, list[RecordedEvent]] = defaultdict(list)
    for fact in of_kind(about, SOLICITADO):
        if ndt_of(fact)["origen"] == "manual":
            events[ndt_of(fact).get("motivo")].append(fact)
    for call in calls:
        if call.accion != REQUEST:
            continue
        found = events.pop(call.more["motivo"], [])
        written = sorted((fact.tag, fact.n_union or 0, str(ndt_of(fact)["metodo"]), fact.worker_id) for fact in found)
        wanted = []
        if isinstance(call.outcome, ActionDone):
            wanted = [(call.tag, n, call.more["metodo"], call.worker_id) for n in call.more.get("unions", (0,))]
        if written != wanted:
            yield REQUESTED, call.tag, f"{call} left {found or 'nothing'}"
    for found in events.values():
        yield REQUESTED, found[0].tag, f"nobody asked for {found[0]}"


def _repairs_are_recorded(about: Sequence[RecordedEvent], calls: Sequence[ActionCall]) -> Iterator[Finding]:
    """The answer names the last event of the repair: the re-examination that it asks for."""
    repairs = {_last_event(fact): fact for fact in of_kind(about, REPARACION)}
    done = Counter[int]()
    for call in calls:
        if call.accion == REPAIR and isinstance(call.outcome, ActionDone):
            seq = call.outcome.seqs[0]
            done[seq] += 1
            fact = repairs.get(seq)
            if fact is None or (fact.tag, fact.n_union, fact.worker_id) != _repair_asked_for(call) or done[seq] > 1:
                yield REPAIRED, call.tag, f"{call} left {fact or 'nothing'}"
    for seq, fact in repairs.items():
        if not done[seq]:
            yield REPAIRED, fact.tag, f"nobody asked for {fact}"


def _last_event(repair: RecordedEvent) -> int:
    methods = ndt_of(repair)["metodos"]
    return repair.seq + (len(methods) if isinstance(methods, list | tuple) else 0)


def _repair_asked_for(call: ActionCall) -> tuple[str, int | None, int]:
    return call.tag, call.more.get("n_union"), call.worker_id


def _holder_is_kept(facts: Sequence[RecordedEvent]) -> Iterator[Finding]:
    """The spool has the version token and the holder that the event before left it with."""
    before: dict[str, RecordedEvent] = {}
    for fact in sorted(facts, key=lambda f: f.seq):
        last = before.get(fact.tag)
        if fact.tipo in NDT_EVENTS and last and (fact.version, fact.holder) != (last.version, last.holder):
            yield KEEPS, fact.tag, f"{fact} came after {last}"
        before[fact.tag] = fact


# ─── at rest ──────────────────────────────────────────────────────────────────────────────────────────────────


def _as_the_rows_say(trail: ExamTrail, about: Sequence[RecordedEvent], ndt: NdtEvidence) -> Iterator[Finding]:
    rows = {exam.id: exam for exam in ndt.exams}
    for exam_id in sorted(rows.keys() ^ trail.exams.keys()):
        known = rows.get(exam_id) or trail.exams[exam_id]
        yield EXAMINED, "", f"{known} is in {'a row' if exam_id in rows else 'the events'} alone"
    reports = {ndt_of(fact)["examen"]: (ndt_of(fact)["informe"], fact.worker_id) for fact in of_kind(about, *RESULTS)}
    for exam_id in sorted(rows.keys() & trail.exams.keys()):
        row, exam = rows[exam_id], trail.exams[exam_id]
        is_same = row.status == exam.status and (row.current == exam.current or not trail.is_sure(exam.weld))
        if not is_same or (row.report, row.examiner_id) != reports.get(exam_id, (None, None)):
            yield EXAMINED, row.tag, f"its events leave {exam}, its row is {row}"


def _additional(about: Sequence[RecordedEvent], trail: ExamTrail, ndt: NdtEvidence) -> Iterator[Finding]:
    """A rejection at the first examination selects a fixed number of additional joints of its welder. Those that it
    cannot find, and those that are voided without a result, are taken from the next welds."""
    called_for: dict[object, list[tuple[str, int]]] = defaultdict(list)
    owed = Counter[tuple[int, object]]()
    for fact in of_kind(about, SOLICITADO):
        if ndt_of(fact)["origen"] == "adicional":
            cause = ndt_of(fact).get("por")
            if isinstance(cause, Mapping):
                called_for[cause["informe"]].append(weld_of(fact))
            else:
                owed[_welder(fact)] -= 1
    for fact in of_kind(about, "NDT_ANULADO"):
        if ndt_of(fact)["origen"] == "adicional":
            owed[_welder(fact)] += 1
    for fact in of_kind(about, "NDT_RECHAZADO"):
        is_first = bool(ndt_of(fact).get("soldador")) and _is_first(fact, trail)
        found = called_for.pop(ndt_of(fact)["informe"], [])
        if len(found) > (ndt.additional if is_first else 0) or sorted(found) != _named(fact):
            yield ADDITIONAL, fact.tag, f"{fact} asked for {found}"
        if is_first:
            owed[_welder(fact)] += ndt.additional - len(found)
    for welds in called_for.values():
        yield ADDITIONAL, welds[0][0], f"no rejection asked for {welds}"
    for group in ndt.groups:
        owed[labelled_id(group.key.welder) or 0, group.key.method] -= group.owed
    for who, missing in owed.items():
        if missing:
            yield ADDITIONAL, "", f"{who}: {missing} more were called for than were asked for or are owed"


def _is_first(result: RecordedEvent, trail: ExamTrail) -> bool:
    """Whether the result is of the first examination of its weld by its method. If an edit may have reopened the weld,
    only the event itself shows that: it then names the additional joints."""
    exam = trail.exams.get(str(ndt_of(result)["examen"]))
    if exam is not None and not trail.is_sure(exam.weld):
        return "adicionales" in ndt_of(result)
    return not ndt_of(result)["ronda"] and (exam is None or exam.is_first)


def _named(rejection: RecordedEvent) -> list[tuple[str, int]]:
    """The additional joints that the event of the rejection names."""
    named = ndt_of(rejection).get("adicionales")
    return sorted((each["tag_spool"], each["n_union"]) for each in named) if isinstance(named, list | tuple) else []


def _welder(fact: RecordedEvent) -> tuple[int, object]:
    return labelled_id(str(ndt_of(fact).get("soldador", ""))) or 0, ndt_of(fact)["metodo"]


def _shown(ndt: NdtEvidence) -> Iterator[Finding]:
    """The row of a spool, and the columns of its joints in the workbook."""
    of_spool: dict[str, list[Examination]] = defaultdict(list)
    for exam in ndt.exams:
        of_spool[exam.tag].append(exam)
    for tag, exams in of_spool.items():
        if ndt.spools.get(tag) != spool_ndt(exams):
            yield SHOWN, tag, f"its row says {ndt.spools.get(tag)!r}, its examinations {spool_ndt(exams)!r}"
    for joint in ndt.joints:
        exams = of_spool[joint.tag]
        wanted = joint_columns(of_joint(exams, joint.n_union))
        is_examined = any(exam.n_union == joint.n_union for exam in exams)
        if is_examined and any(getattr(joint, name) != value for name, value in wanted.items()):
            yield SHOWN, joint.tag, f"{joint} should have {wanted}"
