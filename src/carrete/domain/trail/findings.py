"""What an examination of a trail finds: what was done to which events, after when and before when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from carrete.domain.trail.printable import printable

TrailRow = tuple[Any, ...]  # the values of FIELDS, then the stored hash
SEQ, ID, AT, TIPO, TAG, WORKER, ACCION, VERSION, HASH = 0, 1, 2, 3, 4, 6, 8, 14, 16


class Kind(StrEnum):
    CHANGED = "changed"  # an event is not the one that was written
    MISSING = "missing"
    ADDED = "added"  # an event that Carrete did not write
    MOVED = "moved"  # `first` is where it was, `now_at` where it stands
    REWRITTEN = "rewritten"  # changed, and the chain after it was computed anew: one of `first` to `last`, or several
    HEAD_CHANGED = (
        "head"  # the ledger's own head names `first`, and a witness agrees with what the trail has up to `last`
    )


@dataclass(frozen=True, slots=True)
class TrailFinding:
    """It was done after `since` and before `until` (ISO 8601); "" when nothing tells. `unsure` is for missing events
    from before the chain, whose numbers may have gaps, and for an added one that may be another event of Carrete's that
    was moved there. `witness` is what showed it, "" for the trail itself."""

    kind: Kind
    first: int
    last: int
    now_at: int = 0
    since: str = ""
    until: str = ""
    witness: str = ""
    event: str = ""  # type, spool and person of the first event, as far as the trail or the witness tells
    fields: tuple[str, ...] = ()  # that differ, where a copy tells them
    unsure: bool = False
    or_others: bool = (
        False  # other events may be missing, or what stands before the last of the changed ones was changed
    )
    at_least: int = 0  # how many of `first` to `last` are missing, where nothing tells which; 0: all of them


def event_text(row: TrailRow) -> str:
    return " ".join(printable(part) for part in (row[TIPO], row[TAG], row[WORKER]) if part)


def event_time(row: TrailRow) -> str:
    """When the event was written, "" for something that is no text: whoever has the database can put anything there."""
    return printable(row[AT]) if isinstance(row[AT], str) else ""


def merged(findings: Iterable[TrailFinding]) -> list[TrailFinding]:
    """Neighbours of which the same is to be said become one finding."""
    result: list[TrailFinding] = []
    for found in findings:
        last = result[-1] if result else None
        if last is not None and _continues(last, found):
            result[-1] = replace(last, last=found.last, or_others=last.or_others or found.or_others)
        else:
            result.append(found)
    return result


def _continues(one: TrailFinding, other: TrailFinding) -> bool:
    moves_alike = one.kind is not Kind.MOVED or one.now_at - one.first == other.now_at - other.first
    told_alike = (one.kind, one.witness, one.unsure) == (other.kind, other.witness, other.unsure)
    if other.or_others and one.kind is not Kind.CHANGED:
        return False
    follows = other.first == one.last + 1 and one.kind is not Kind.REWRITTEN
    return told_alike and moves_alike and follows and one.fields == other.fields
