"""What a transaction loads and saves: spools with their joints, events, outbox rows and idempotency keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from carrete.domain.decide import equally_takeable
from carrete.domain.joints import Joint
from carrete.domain.spool import Spool
from carrete.domain.stage import in_its_stage
from carrete.domain.workers import Worker
from carrete.ledger.columns import delivered_joint_values, delivered_values, other_work_values
from carrete.ledger.database import NamedQuery, Numbering, Row, Tx
from carrete.ledger.errors import RaceLost
from carrete.ledger.rows import (
    StoredEvent,
    chained_rows,
    joint_from,
    joint_progress_row,
    joint_row,
    spool_from,
    spool_holder_row,
    spool_row,
    spool_work_row,
    worker_from,
)
from carrete.ledger.values import instant_text

OPERACIONES = "Operaciones"
UNIONES = "Uniones"
RowValues = dict[str, Any]
NO_JOINT = 0  # the n_union of an outbox row that is about a spool


class KnownKey(NamedTuple):
    """An idempotency key that was used: the fingerprint of its request, and the status and body of the answer."""

    fingerprint: str
    status: int
    body: str


@dataclass(slots=True)
class LoadedState:
    """What a group of actions decides from. Its spools are locked until the transaction ends."""

    spools: dict[str, Spool]
    keys: dict[str, KnownKey]
    workers: dict[int, Worker]
    joints: dict[str, list[Joint]]


def load_state(
    tx: Tx,
    tags: Iterable[str],
    keys: Iterable[str],
    workers: Iterable[int],
    by_joint: Iterable[str],
    confirmed_roles_only: bool = True,
    lock_numbering: bool = False,
) -> LoadedState:
    """Spools come first: a transaction that had to wait for a spool must read the keys after the other's commit.
    `by_joint` names the spools whose joints are loaded too."""
    wanted: list[NamedQuery] = [
        ("spools_to_change", {"tags": sorted(set(tags))}),
        ("keys_known", {"keys": sorted(set(keys))}),
        ("workers_known", {"ids": sorted(set(workers)), "unconfirmed": int(not confirmed_roles_only)}),
    ]
    with_joints = sorted(set(by_joint))
    if with_joints:
        wanted.append(("joints_of_many", {"tags": with_joints}))
    read = tx.all_of_and_lock_numbering if lock_numbering else tx.all_of
    spools, known_keys, people, *joints = read(*wanted)
    return LoadedState(_spools(spools), _keys(known_keys), _workers(people), _joints(joints[0]) if joints else {})


def spools_to_change(tx: Tx, tags: Iterable[str]) -> dict[str, Spool]:
    """The spools, locked until this transaction ends."""
    return _spools(tx.all("spools_to_change", tags=sorted(set(tags))))


def workers_known(tx: Tx, ids: Iterable[int], confirmed_roles_only: bool = True) -> dict[int, Worker]:
    return _workers(tx.all("workers_known", ids=sorted(set(ids)), unconfirmed=int(not confirmed_roles_only)))


def joints_of_many(tx: Tx, tags: Iterable[str]) -> dict[str, list[Joint]]:
    return _joints(tx.all("joints_of_many", tags=sorted(set(tags))))


def keys_known(tx: Tx, keys: Iterable[str]) -> dict[str, KnownKey]:
    return _keys(tx.all("keys_known", keys=sorted(set(keys))))


def last_seqs(tx: Tx, tags: Iterable[str]) -> dict[str, int]:
    """The seq of the last event of each spool, 0 where there is none."""
    wanted = sorted(set(tags))
    return {tag: int(seq) for tag, seq in tx.all("last_seqs", tags=wanted)} if wanted else {}


def _spools(rows: Iterable[Row]) -> dict[str, Spool]:
    return {spool.tag: spool for spool in map(spool_from, rows)}


def _workers(rows: Iterable[Row]) -> dict[int, Worker]:
    return {worker.id: worker for worker in map(worker_from, rows)}


def _joints(rows: Iterable[Row]) -> dict[str, list[Joint]]:
    found: dict[str, list[Joint]] = {}
    for joint in map(joint_from, rows):
        found.setdefault(joint.tag, []).append(joint)
    return found


def _keys(rows: Iterable[Row]) -> dict[str, KnownKey]:
    return {key: KnownKey(*answered) for key, *answered in rows}


class SpoolWrite(NamedTuple):
    """A spool to write. `read_version` is the version token it was read with, None for a new spool. `only_holder`: it
    was only taken or let go since it was read. `staged`: `with_stage` has put it into its stage."""

    spool: Spool
    read_version: str | None = None
    only_holder: bool = False
    staged: bool = False

    def staged_at(self, at: datetime) -> Spool:
        return self.spool if self.staged else in_its_stage(self.spool, at)


class JointWrite(NamedTuple):
    """A changed joint to write, with the version token it was read with."""

    joint: Joint
    read_version: str


@dataclass(slots=True)
class Changes:
    """The spools and joints that a commit writes. `only_work`: the columns that engineering fills in the workbook
    are as they were read, so only those that actions change are written."""

    now: datetime
    spools: list[SpoolWrite] = field(default_factory=list)
    new_joints: list[Joint] = field(default_factory=list)
    changed_joints: list[JointWrite] = field(default_factory=list)
    only_work: bool = False


def workbook_columns_equal(spools: Iterable[tuple[Spool, Spool]], joints: Iterable[tuple[Joint, Joint]]) -> bool:
    """Whether the columns that engineering fills in the workbook are the same in both of each pair."""
    return all(delivered_values(one) == delivered_values(other) for one, other in spools) and all(
        delivered_joint_values(one) == delivered_joint_values(other) for one, other in joints
    )


def only_holder_changed(before: Spool, after: Spool) -> bool:
    """Whether an action only took the spool or let it go, after which it is in the same lists of spools that could be
    begun or inspected."""
    return other_work_values(before) == other_work_values(after) and equally_takeable(before, after)


def update_rows(tx: Tx, changes: Changes, events: int) -> Numbering:
    """Writes spools and joints, then allocates seqs for so many events. From the allocation on other writers wait for
    this commit, so it comes last. Raises RaceLost if a version token is no longer the one that was read."""
    spools = _spool_updates(changes)
    row_of = joint_progress_row if changes.only_work else joint_row
    joints = [{**row_of(w.joint), "read_version": w.read_version} for w in changes.changed_joints]
    changed_tags = _spools_with_changed_joints(changes)
    updated, numbering = tx.write_and_allocate_seqs(
        events,
        *spools.items(),
        ("joint_progress_update" if changes.only_work else "joint_update", joints),
        ("spool_insert", [_new_row(w, changes) for w in changes.spools if w.read_version is None]),
        ("joint_insert", [joint_row(joint) for joint in changes.new_joints]),
        ("joint_work_forget", changed_tags),
        ("joint_work_sum", changed_tags),
    )
    if updated[: len(spools)] != [len(rows) for rows in spools.values()]:
        raise RaceLost("a spool changed between reading and writing it")
    if updated[len(spools)] != len(joints):
        raise RaceLost("a joint changed between reading and writing it")
    return numbering


def _spool_updates(changes: Changes) -> dict[str, list[RowValues]]:
    """The rows of changed spools by the statement that updates them: each writes no more columns than it must."""
    rows: dict[str, list[RowValues]] = {}
    for write in changes.spools:
        if write.read_version is not None:
            update, row_of = _update_of(write, changes)
            row = row_of(write.staged_at(changes.now))
            row["read_version"] = write.read_version
            rows.setdefault(update, []).append(row)
    return rows


def _update_of(write: SpoolWrite, changes: Changes) -> tuple[str, Callable[[Spool], RowValues]]:
    if not changes.only_work:
        return "spool_update", spool_row
    return ("spool_holder_update", spool_holder_row) if write.only_holder else ("spool_work_update", spool_work_row)


def _new_row(write: SpoolWrite, changes: Changes) -> RowValues:
    return spool_row(write.staged_at(changes.now))


def insert_events(tx: Tx, changes: Changes, events: Sequence[RowValues]) -> None:
    """Inserts the events (`chained_rows`), the new head of the chain and the outbox rows for the workbook. The lock
    order is spool, seq, outbox: outbox rows are written after the seqs are allocated, so no two writers deadlock."""
    tx.begin_writing(
        ("event_insert", events),
        ("trail_head_put", [{"id": 1, "seq": row["seq"], "hash": row["hash"]} for row in events[-1:]]),
        ("outbox_put", _outbox_rows(changes)),
    )


def insert_keys(tx: Tx, keys: Mapping[str, KnownKey], now: datetime) -> None:
    """Inserts the answers under their idempotency keys."""
    tx.write_last(("key_insert", _key_rows(keys, now)))


def save(
    tx: Tx, changes: Changes, events: Sequence[StoredEvent] = (), keys: Mapping[str, KnownKey] = MappingProxyType({})
) -> None:
    """All steps, for callers whose events have their seqs already, or that have none."""
    head = update_rows(tx, changes, len(events)).head
    insert_events(tx, changes, chained_rows(head, events) if head else ())
    insert_keys(tx, keys, changes.now)


def _spools_with_changed_joints(changes: Changes) -> list[RowValues]:
    """The spools whose sums of finished joints (table `joint_work`, for the reports) must be computed again."""
    joints = [*changes.new_joints, *(w.joint for w in changes.changed_joints)]
    return [{"tag": tag} for tag in dict.fromkeys(joint.tag for joint in joints)]


def _outbox_rows(changes: Changes) -> list[RowValues]:
    at = instant_text(changes.now)
    spools = [w.spool for w in changes.spools if w.spool.version != w.read_version]  # else nothing that the sheet shows
    rows = [(OPERACIONES, spool.tag, NO_JOINT, spool.version) for spool in spools]
    joints = [*changes.new_joints, *(w.joint for w in changes.changed_joints)]
    rows += [(UNIONES, joint.tag, joint.n_union, joint.version) for joint in joints]
    return [{"sheet": s, "tag": t, "n_union": n, "change": v, "queued_at": at} for s, t, n, v in sorted(rows)]


def _key_rows(keys: Mapping[str, KnownKey], now: datetime) -> list[RowValues]:
    at = instant_text(now)
    return [
        {
            "key": key,
            "fingerprint": known.fingerprint,
            "status": known.status,
            "answer": known.body,
            "created_at": at,
        }
        for key, known in keys.items()
    ]
