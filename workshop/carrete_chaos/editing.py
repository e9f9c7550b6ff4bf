"""Matches each EDICION_EXTERNA event with an edit that a person really made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from carrete.domain.workers import labelled_id
from carrete_chaos.history import RecordedEvent, SheetEdit, TypedCell

EDICION = "EDICION_EXTERNA"
HOLDER = "Ocupado_Por"


@dataclass(frozen=True, slots=True)
class Explained:
    """For each event the earliest moment of its edit, and the events without any edit."""

    made_at: dict[int, float] = field(default_factory=dict)  # by seq: not before this
    made_up: list[RecordedEvent] = field(default_factory=list)


def explained(facts: Iterable[RecordedEvent], edits: Iterable[SheetEdit]) -> Explained:
    """The same cell may get the same text again: the nth such event has at least n edits before it, so it cannot be
    earlier than the nth edit."""
    made: dict[tuple[str, TypedCell], list[float]] = defaultdict(list)
    for edit in sorted(edits, key=lambda e: e.at):
        made[edit.tag, edit.typed].append(edit.at)
    found = Explained()
    for fact in sorted((f for f in facts if f.tipo == EDICION), key=lambda f: f.seq):
        waiting = made.get((fact.tag, fact.typed)) if fact.typed else None
        if waiting:
            found.made_at[fact.seq] = waiting.pop(0)
        else:
            found.made_up.append(fact)
    return found


def changes_holder(fact: RecordedEvent) -> bool:
    return fact.typed is not None and fact.typed.column == HOLDER and fact.accepted


def holder_typed(fact: RecordedEvent) -> int | None:
    return labelled_id(fact.typed.value) if fact.typed else None


def holder_seen(fact: RecordedEvent) -> int | None:
    return labelled_id(fact.was)
