"""Examinations in a group commit: what commands about them depend on, what a weld leads to, and what is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from carrete.domain.change import Change
from carrete.domain.commands import Command, NdtCommand, Resultado, ResultadoNdt
from carrete.domain.edits.cells import Edited
from carrete.domain.events import Event
from carrete.domain.joints import Joint
from carrete.domain.ndt.case import NdtCase, Neighbour
from carrete.domain.ndt.examination import Examination, ExamStatus, Origin, is_first
from carrete.domain.ndt.sampling import Draw, SampleGroup, Sampling, in_drawn_order
from carrete.domain.ndt.weld_changes import (
    WeldChange,
    follow_welds,
    in_the_sheet,
    merged,
    naming_what_it_replaces,
    typed_cells,
)
from carrete.domain.shop import Shop
from carrete.domain.spool import Ensayos, Spool
from carrete.domain.workers import labelled_id
from carrete.ledger.database import Tx
from carrete.ledger.ndt import (
    candidates,
    draws_of,
    exams_by_id,
    exams_of,
    groups_of,
    lock_counters,
    process_text,
    save_exams,
    save_sampling,
    weld_process,
)
from carrete.ledger.tokens import fresh_token

SEARCHED_MAX = 20  # welds that are considered for additional examinations; the others could be changed meanwhile
_VIA = ("via", "hecho_en")  # how an event came about

Drawn = Mapping[str, Sequence[tuple[str, int]]]


def draw_neighbours(tx: Tx, shop: Shop, commands: Iterable[Command]) -> Drawn:
    """For each examination that is rejected in this commit, the other welds of its welder in the order in which they
    are taken. It runs before the spools are locked: all of them are then locked together, in the order of their
    tags."""
    rejected = [
        command.examen
        for command in commands
        if isinstance(command, ResultadoNdt) and command.resultado is Resultado.RECHAZADO
    ]
    if not rejected or not shop.ndt.additional:
        return {}
    return {
        exam.id: in_drawn_order(candidates(tx, exam), exam.seed or exam.id, exam.rule)[:SEARCHED_MAX]
        for exam in exams_by_id(tx, rejected).values()
    }


class ChangedExams:
    """The examinations of the spools that a transaction changes, and what it writes of them."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._of: dict[str, list[Examination]] = {}
        self._stored: set[str] = set()
        self._changed: dict[str, Examination] = {}
        self._locked = False

    def load(self, tags: Iterable[str]) -> None:
        """Reads the examinations of these spools with one statement, unless they have been read."""
        wanted = {tag for tag in tags if tag not in self._of}
        if wanted:
            found = exams_of(self._tx, wanted)
            self._of.update({tag: found.get(tag, []) for tag in wanted})
            self._stored.update(exam.id for each in found.values() for exam in each)

    def of(self, spool: Spool) -> list[Examination]:
        """No statement for a spool that has none."""
        if spool.ndt is Ensayos.NINGUNO:
            return self._of.get(spool.tag, [])
        self.load((spool.tag,))
        return self._of[spool.tag]

    def put(self, spool: Spool, exams: Iterable[Examination]) -> list[Examination]:
        """Returns all examinations of the spool with these in them."""
        exams = [self._with_process(exam) for exam in exams]
        self._of[spool.tag] = merged(self.of(spool), exams)
        self._changed.update({exam.id: exam for exam in exams})
        return self._of[spool.tag]

    def _with_process(self, exam: Examination) -> Examination:
        """An examination of a weld that was registered before this commit takes the process from the record."""
        if exam.id in self._stored or exam.process or not exam.n_union or exam.origin is Origin.REGLA:
            return exam
        return exam.but(process=weld_process(self._tx, exam.tag, exam.n_union))

    def sampling(self, shop: Shop) -> Sampling:
        """Its counters are locked when they are first read, which is after the spools and before the seqs."""
        return Sampling(shop.ndt.rules, self._groups, self._draws)

    def _groups(self, ot: str, welder: str) -> list[SampleGroup]:
        self._lock()
        return groups_of(self._tx, ot, welder)

    def _draws(self, tag: str) -> list[Draw]:
        self._lock()
        return draws_of(self._tx, tag)

    def _lock(self) -> None:
        if not self._locked:
            lock_counters(self._tx)
            self._locked = True

    def save(self, sampling: Sampling | None) -> None:
        if self._changed:
            new = [exam for exam in self._changed.values() if exam.id not in self._stored]
            save_exams(self._tx, new, [exam for exam in self._changed.values() if exam.id in self._stored])
        if sampling and (sampling.changed_groups or sampling.changed_draws):
            save_sampling(self._tx, sampling.changed_groups.values(), sampling.changed_draws.values())


class GroupNdt:
    """Without examinations, rules or commands about them no statement is run."""

    def __init__(self, tx: Tx, shop: Shop, commands: Sequence[Command], drawn: Drawn) -> None:
        self._shop = shop
        self._drawn = drawn
        self._exams = ChangedExams(tx)
        self._sampling = self._exams.sampling(shop)
        tags = [command.tag for command in commands if isinstance(command, NdtCommand)]
        self._exams.load([*tags, *(tag for each in drawn.values() for tag, _ in each)])

    def case_of(
        self, command: NdtCommand, spools: Mapping[str, Spool], joints: Mapping[str, Mapping[int, Joint]]
    ) -> NdtCase:
        spool = spools.get(command.tag)
        drawn = self._drawn.get(command.examen, ()) if isinstance(command, ResultadoNdt) else ()
        neighbours = [
            Neighbour(spools[tag], joints.get(tag, {}), n_union, self._exams.of(spools[tag]))
            for tag, n_union in drawn
            if tag in spools
        ]
        return NdtCase(self._exams.of(spool) if spool else (), fresh_token, neighbours)

    def with_examinations(
        self, change: Change, before: Spool, joints: Mapping[int, Joint], context: Mapping[str, Any] | None
    ) -> Change:
        """Adds to the change what it does to examinations. `before` and `joints` are the state after the group's
        earlier decisions; a step of a chain was decided on a copy that may differ. Without `context`, events that
        follow from a weld copy `via` from the change's first event."""
        if change.exams:
            return self._with_exams(change, before if change.keeps_version else change.spool, joints)
        if change.spool.ndt is not before.ndt:
            change = change.with_spool(change.spool.but(ndt=before.ndt))
        if change.keeps_version or not (self._shop.ndt.follows_welds or before.ndt):
            return change
        via = {} if context else {k: v for k, v in change.events[0].metadata.items() if k in _VIA}
        return self._after_welds(change, before, joints, via)

    def _after_welds(
        self, change: Change, before: Spool, joints: Mapping[int, Joint], via: Mapping[str, Any]
    ) -> Change:
        after = {**joints, **{joint.n_union: joint for joint in change.joints}}
        welds = WeldChange(
            before,
            change.spool,
            joints,
            after,
            self._exams.of(before),
            change.events[0].at,
            fresh_token,
            _processes(change.events),
        )
        if not welds.lost() and not welds.made() and not welds.made_out_of_the_sheet():
            return change
        effect = follow_welds(welds, self._sampling, sample=True)
        if not effect.exams:
            return change
        events = [event.with_metadata({**event.metadata, **via}) for event in effect.events]
        followed = change._replace(events=(*change.events, *events), exams=effect.exams)
        return self._written(followed, change.spool, after)

    def _with_exams(self, change: Change, spool: Spool, joints: Mapping[int, Joint]) -> Change:
        for exam in change.exams:
            if exam.origin is Origin.MANUAL and exam.status is ExamStatus.PENDIENTE and self._shop.ndt.rules:
                self._sampling.gain(exam)
            rejected = exam.status is ExamStatus.RECHAZADO and not exam.repaired_at
            if rejected and exam.welder and is_first(self._exams.of(spool), exam):
                missing = self._shop.ndt.additional - len(change.others)
                if missing > 0:
                    self._sampling.owe(exam, missing)
        return self._written(change, spool, joints)

    def _written(self, change: Change, spool: Spool, joints: Mapping[int, Joint]) -> Change:
        """The spool and the joints of the change say what the examinations make of them. What engineering had typed for
        a joint that had none here is replaced: the event that asks for the first one says what it was."""
        examined = {exam.n_union for exam in self._exams.of(spool)}
        exams = self._exams.put(spool, change.exams)
        shown, columns = in_the_sheet(spool, exams, joints.values())
        changed = {joint.n_union: joint for joint in (*change.joints, *columns)}
        typed = {joint.n_union: typed_cells(joints[joint.n_union], joint) for joint in columns}
        replaced = {n: cells for n, cells in typed.items() if cells and n not in examined}
        return change._replace(
            spool=shown, joints=tuple(changed.values()), events=naming_what_it_replaces(change.events, replaced)
        )

    def save(self) -> None:
        self._exams.save(self._sampling)


class EditedNdt:
    """What people's edits in the workbook do to examinations. Only spools that have some cost a statement."""

    def __init__(self, tx: Tx, spools: Iterable[Spool]) -> None:
        self._exams = ChangedExams(tx)
        self._sampling = self._exams.sampling(Shop())
        self._exams.load(spool.tag for spool in spools if spool.ndt)

    def follow(self, before: Spool, joints: Sequence[Joint], edited: Edited, now: datetime) -> Edited:
        """A weld that an edit reopens takes its examinations along, and what a person typed into the columns of a joint
        that has examinations here is replaced by what they say. An edit never asks for an examination that the joint
        did not have."""
        if not before.ndt or not edited.events:
            return edited
        known = {joint.n_union: joint for joint in joints}
        after = {**known, **{joint.n_union: joint for joint in edited.joints}}
        welds = WeldChange(before, edited.spool, known, after, self._exams.of(before), now, fresh_token, {})
        if edited.spool.ot != before.ot:  # its welds leave the samples of that OT
            for exam in welds.exams:
                self._sampling.leave(exam)
        effect = follow_welds(welds, self._sampling, sample=False)
        renamed = [self._reassigned(exam, label) for exam, label in _examinations_of_renamed_welders(welds)]
        exams = self._exams.put(before, [*renamed, *effect.exams])
        shown, columns = in_the_sheet(edited.spool, exams, after.values())
        changed = {joint.n_union: joint for joint in (*edited.joints, *columns)}
        return replace(edited, spool=shown, joints=tuple(changed.values()), events=(*edited.events, *effect.events))

    def _reassigned(self, exam: Examination, label: str) -> Examination:
        """It leaves the sample of the first welder, whose next weld is taken instead."""
        if labelled_id(label) != labelled_id(exam.welder):
            self._sampling.lose(exam)
        return exam.but(welder=label)

    def save(self) -> None:
        self._exams.save(self._sampling)


def _processes(events: Iterable[Event]) -> dict[int, str]:
    return {
        event.n_union: process_text(event.metadata["proceso"])
        for event in events
        if event.n_union is not None and event.metadata.get("proceso")
    }


def _examinations_of_renamed_welders(change: WeldChange) -> list[tuple[Examination, str]]:
    """Current examinations of welds for which a person typed another welder, each with the new welder's label."""
    found = []
    for exam in change.exams:
        was, joint = change.joints_before.get(exam.n_union), change.joints_after.get(exam.n_union)
        if exam.current and was and joint and joint.welded and was.sol_worker != joint.sol_worker:
            found.append((exam, joint.sol_worker or ""))
    return found
