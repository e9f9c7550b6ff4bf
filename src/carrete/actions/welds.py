"""Welds in a group commit: what their check depends on is read once, and the use of each process is recorded.

Without a chosen joint that names a procedure no statement is run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

from carrete.actions.reclamos import GroupReclamos
from carrete.domain.change import Change
from carrete.domain.commands import Chain, Command, Corregir, Finalizar, Ofrecer, RepararUnion, Resolver
from carrete.domain.events import Event
from carrete.domain.joints import Joint
from carrete.domain.qualification import NO_WELD_RECORD, WeldRecord
from carrete.domain.shop import Shop
from carrete.domain.shop_time import today
from carrete.domain.spool import Operacion
from carrete.domain.workers import labelled_id
from carrete.ledger.database import Tx
from carrete.ledger.welding import (
    ProcessUse,
    WeldUse,
    forget_uses,
    forget_weld_uses,
    move_uses,
    save_uses,
    weld_record,
)

Joints = Mapping[str, Mapping[int, Joint]]


class GroupWelds:
    """`record` is what the ledger knows about the procedures and welders of this group."""

    def __init__(self, tx: Tx, commands: Sequence[Command], joints: Joints, reclamos: GroupReclamos | None) -> None:
        self._tx = tx
        self._uses: list[ProcessUse] = []
        self._reopened: list[tuple[str, int]] = []
        named: set[str] = set()
        welders: set[int] = set()
        for command in commands:
            numbers = {number for number in _procedures_named(command, joints, reclamos) if number}
            if numbers:
                named |= numbers
                welders.add(_welder(command))
        self.record: WeldRecord = weld_record(tx, named, welders) if named else NO_WELD_RECORD

    def note(self, command: Command, change: Change, shop: Shop) -> None:
        """The command succeeded: its welds are uses of their processes; what it reopens is none any more."""
        tag = change.spool.tag
        for event in change.events:
            self._uses += _uses_in(event, tag, shop)
        if isinstance(command, Corregir):
            self._reopen(tag, [joint.n_union for joint in change.joints if not joint.welded])

    def _reopen(self, tag: str, unions: Sequence[int]) -> None:
        """A weld may be registered and reopened in one group: its use is then never written."""
        opened = {(tag, n_union) for n_union in unions}
        self._uses = [use for use in self._uses if (use.tag, use.n_union) not in opened]
        self._reopened += sorted(opened)

    def save(self) -> None:
        if self._reopened:
            forget_uses(self._tx, self._reopened)
        if self._uses:
            save_uses(self._tx, self._uses)


class EditedWelds:
    """What people's edits in the workbook do to the use of processes. A weld that a person reopens proves no use any
    more, nor does one that another welder is now named for; with another day it proves the use of that day. The repairs
    of a weld that stands keep their uses. A weld that is typed into the workbook proves none. Only an edit of a weld
    costs a statement."""

    def __init__(self, tx: Tx, shop: Shop) -> None:
        self._tx = tx
        self._zone = shop.zone
        self._reopened: list[tuple[str, int]] = []
        self._not_theirs: list[WeldUse] = []
        self._moved: list[tuple[WeldUse, date]] = []

    def follow(self, before: Iterable[Joint], edited: Iterable[Joint]) -> None:
        welded = {joint.n_union: joint for joint in before if joint.welded}
        for joint in edited:
            was = welded.get(joint.n_union)
            if was is None or was.sol_fin is None:
                continue
            if joint.sol_fin is None:
                self._reopened.append((joint.tag, joint.n_union))
            elif (welder := labelled_id(was.sol_worker or "")) is not None:
                weld = WeldUse(joint.tag, joint.n_union, welder, today(was.sol_fin, self._zone))
                self._follow_standing(weld, joint.sol_worker or "", today(joint.sol_fin, self._zone))

    def _follow_standing(self, weld: WeldUse, label: str, day: date) -> None:
        """A label in another spelling names the same welder."""
        if labelled_id(label) != weld.worker_id:
            self._not_theirs.append(weld)
        elif day != weld.was:
            self._moved.append((weld, day))

    def save(self) -> None:
        if self._reopened:
            forget_uses(self._tx, self._reopened)
        if self._not_theirs:
            forget_weld_uses(self._tx, self._not_theirs)
        if self._moved:
            move_uses(self._tx, self._moved)


def _procedures_named(command: Command, joints: Joints, reclamos: GroupReclamos | None) -> Iterator[str | None]:
    match command:
        case Finalizar(operacion=Operacion.SOLD, unions=chosen, soldadura=typed):
            yield from (weld.wps for weld in typed)
            yield from _planned(command.tag, chosen, joints)
        case Ofrecer(operacion=Operacion.SOLD, unions=chosen):
            yield from _planned(command.tag, chosen, joints)
        case RepararUnion(n_union=int(repaired)):
            yield from _planned(command.tag, (repaired,), joints)
        case Chain(steps=steps):
            for step in steps:
                yield from _procedures_named(step.command, joints, reclamos)
        case Resolver(accepted=accepted, reclamo_id=reclamo_id):
            welded = [item.n_union for item in accepted if item.operacion is Operacion.SOLD and item.n_union]
            if welded and reclamos is not None:
                yield from (weld.wps for weld in reclamos.welds_of(reclamo_id))
            yield from _planned(command.tag, welded, joints)


def _planned(tag: str, chosen: Iterable[int], joints: Joints) -> Iterator[str | None]:
    of_spool = joints.get(tag, {})
    return (of_spool[n].wps for n in chosen if n in of_spool)


def _welder(command: Command) -> int:
    return command.claimant_id if isinstance(command, Resolver) else command.worker_id


def _uses_in(event: Event, tag: str, shop: Shop) -> Iterator[ProcessUse]:
    """A weld's event names the processes of its procedure."""
    processes = event.metadata.get("proceso")
    if not processes or event.n_union is None or event.worker_id is None:
        return
    day: date = event.fecha_operacion or today(event.at, shop.zone)
    for process in processes:
        yield ProcessUse(event.worker_id, process, day, tag, event.n_union)
