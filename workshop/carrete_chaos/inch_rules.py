"""The rules of inches: they are those of the joints done, each counted once, for the person whose event has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from carrete.domain.joints import Joint
from carrete.domain.workers import labelled_id
from carrete_chaos.history import RecordedEvent
from carrete_chaos.offline_log import OfflineEvidence

TWICE = "work counts once"
INCHES = "inches are joints"
_REGISTERS = ("UNION_ARM_REGISTRADA", "UNION_SOLD_REGISTRADA", "REGISTRO_TARDIO")
_COMPLETES = ("COMPLETAR_ARM", "COMPLETAR_SOLD")

Finding = tuple[str, str, str]  # rule, tag, sentence
WorkDone = tuple[str, int, str]  # tag, joint (0: the whole spool), operation


def findings(facts: Iterable[RecordedEvent], offline: OfflineEvidence) -> Iterator[Finding]:
    done: dict[WorkDone, int | None] = {}
    for fact in sorted(facts, key=lambda f: f.seq):
        work = (fact.tag, fact.n_union or 0, fact.operacion or "")
        if fact.tipo in _REGISTERS and fact.operacion != "REPARACION":
            if work in done:
                yield TWICE, fact.tag, f"{fact}, and {done[work]} had done it"
            done[work] = fact.worker_id
        elif fact.tipo in _COMPLETES:  # also of an operation that was accepted while somebody held the spool for it
            done[work] = fact.worker_id
        elif fact.tipo == "CORRECCION":
            for undone in _undone(fact):
                done.pop(undone, None)
    joints = {work: worker_id for work, worker_id in done.items() if work[1]}
    yield from _as_the_rows_say(joints, offline)
    yield from _as_the_sums_say(offline)


def _undone(fact: RecordedEvent) -> Iterator[WorkDone]:
    """A joint that is no longer armed is not welded either."""
    yield fact.tag, 0, fact.operacion or ""
    if fact.operacion == "ARM":
        yield fact.tag, 0, "SOLD"
    for n_union, was_armed in fact.undone:
        yield fact.tag, n_union, "SOLD"
        if was_armed:
            yield fact.tag, n_union, "ARM"


def _as_the_rows_say(done: dict[WorkDone, int | None], offline: OfflineEvidence) -> Iterator[Finding]:
    rows = {(joint.tag, joint.n_union, operacion): labelled_id(who or "") for joint, operacion, who in _work(offline)}
    for work in sorted(done.keys() ^ rows.keys()):
        where = "the events alone" if work in done else "the joints alone"
        yield INCHES, work[0], f"{work} is done in {where}"
    for work in sorted(done.keys() & rows.keys()):
        if done[work] != rows[work]:
            yield INCHES, work[0], f"{work} is of {done[work]} by its event, of {rows[work]} by its row"


def _as_the_sums_say(offline: OfflineEvidence) -> Iterator[Finding]:
    by_spool: Counter[tuple[str, str]] = Counter()
    by_worker: Counter[str] = Counter()
    for joint, operacion, who in _work(offline):
        by_spool[joint.tag, operacion] += joint.dn_milli or 0
        by_worker[who or ""] += joint.dn_milli or 0
    for tag, counts in (offline.counts or {}).items():
        summed = (by_spool[tag, "ARM"], by_spool[tag, "SOLD"])
        if (counts.milli_armed, counts.milli_welded) != summed:
            yield INCHES, tag, f"its row says {counts}, its joints {summed}"
    if offline.reported is not None and dict(by_worker) != offline.reported:
        wrong = sorted(set(by_worker.items()) ^ set(offline.reported.items()))
        yield INCHES, "", f"the report and the joints differ: {wrong[:6]}"


def _work(offline: OfflineEvidence) -> Iterator[tuple[Joint, str, str | None]]:
    for joint in offline.joints:
        if joint.armed:
            yield joint, "ARM", joint.arm_worker
        if joint.welded:
            yield joint, "SOLD", joint.sol_worker
