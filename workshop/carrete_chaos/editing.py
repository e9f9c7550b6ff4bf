"""Whose word an EDICION_EXTERNA is: each belongs to one edit that a person really made, and none is made up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from carrete.domain.workers import labelled_id
from carrete_chaos.history import Edit, Fact, Typed

EDICION = "EDICION_EXTERNA"
HOLDER = "Ocupado_Por"


@dataclass(frozen=True, slots=True)
class Explained:
    """When the edit behind each event was made; the events that nobody's edit explains."""

    made_at: dict[int, float] = field(default_factory=dict)  # by seq: not before this
    made_up: list[Fact] = field(default_factory=list)


def explained(facts: Iterable[Fact], edits: Iterable[Edit]) -> Explained:
    """The same cell may be typed the same way again: the nth event has at least n edits before it, so it cannot have
    come before the nth of them."""
    made: dict[tuple[str, Typed], list[float]] = defaultdict(list)
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


def changes_holder(fact: Fact) -> bool:
    return fact.typed is not None and fact.typed.column == HOLDER and fact.accepted


def holder_typed(fact: Fact) -> int | None:
    return labelled_id(fact.typed.value) if fact.typed else None


def holder_seen(fact: Fact) -> int | None:
    return labelled_id(fact.was)
