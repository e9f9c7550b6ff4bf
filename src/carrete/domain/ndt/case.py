"""What a command about examinations depends on, and the change that it makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from carrete.domain.change import Change
from carrete.domain.events import Event
from carrete.domain.joints import Joint
from carrete.domain.ndt.examination import Examination
from carrete.domain.ndt.weld_changes import in_the_sheet, merged
from carrete.domain.spool import Spool


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another weld of the same welder, in the order in which additional examinations are drawn."""

    spool: Spool
    joints: Mapping[int, Joint]
    n_union: int
    exams: Sequence[Examination]


@dataclass(frozen=True, slots=True)
class NdtCase:
    """What a command about examinations depends on besides the spool."""

    exams: Sequence[Examination] = ()
    new_id: Callable[[], str] = str
    neighbours: Sequence[Neighbour] = ()


NO_NDT = NdtCase()


def ndt_change(
    spool: Spool,
    joints: Mapping[int, Joint],
    before: Sequence[Examination],
    changed: Sequence[Examination],
    events: Sequence[Event],
    accion: str,
    message: str,
    after: Spool | None = None,
    others: tuple[Change, ...] = (),
) -> Change:
    """The version token stays, as with a note: an offer to hand the spool over is still in force. Only a rejection that
    counts in the spool's cycle changes it."""
    final = spool if after is None else after
    shown, columns = in_the_sheet(final, merged(before, changed), joints.values())
    kept = final is spool
    return Change(
        shown,
        tuple(events),
        accion,
        message,
        tuple(columns),
        keeps_version=kept,
        exams=tuple(changed),
        others=others,
    )
