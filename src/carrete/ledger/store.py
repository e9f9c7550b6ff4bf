"""What a transaction of the ledger can load and keep. A spool, its joints, events and outbox rows go together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any

from carrete.domain.joints import Joint
from carrete.domain.spool import Spool
from carrete.domain.workers import Worker
from carrete.ledger.database import Asked, Row, Tx
from carrete.ledger.errors import RaceLost
from carrete.ledger.rows import (
    StoredEvent,
    event_row,
    joint_from,
    joint_row,
    spool_from,
    spool_row,
    worker_from,
)
from carrete.ledger.values import instant_text

OPERACIONES = "Operaciones"
UNIONES = "Uniones"
Rowed = dict[str, Any]
NO_JOINT = 0  # the n_union of a row that is a spool's


@dataclass(frozen=True, slots=True)
class KnownKey:
    """An idempotency key that was used: the fingerprint of its request, and the status and body of the answer."""

    fingerprint: str
    status: int
    body: str


@dataclass(slots=True)
class LoadedState:
    """What a group of actions may look at: its spools kept from others until the transaction ends."""

    spools: dict[str, Spool]
    keys: dict[str, KnownKey]
    workers: dict[int, Worker]
    joints: dict[str, list[Joint]]


def load_state(
    tx: Tx, tags: Iterable[str], keys: Iterable[str], workers: Iterable[int], by_joint: Iterable[str]
) -> LoadedState:
    """Spools first: whoever had to wait for one reads the keys only after the other's commit. `by_joint`: the spools
    whose joints are wanted too."""
    asked: list[Asked] = [
        ("spools_to_change", {"tags": sorted(set(tags))}),
        ("keys_known", {"keys": sorted(set(keys))}),
        ("workers_known", {"ids": sorted(set(workers))}),
    ]
    wanted = sorted(set(by_joint))
    found = tx.all_of(*asked, *([("joints_of_many", {"tags": wanted})] if wanted else []))
    joints = _joints(found[3]) if wanted else {}
    return LoadedState(_spools(found[0]), _keys(found[1]), _workers(found[2]), joints)


def spools_to_change(tx: Tx, tags: Iterable[str]) -> dict[str, Spool]:
    """The spools as they are, kept from others until this transaction ends."""
    return _spools(tx.all("spools_to_change", tags=sorted(set(tags))))


def workers_known(tx: Tx, ids: Iterable[int]) -> dict[int, Worker]:
    return _workers(tx.all("workers_known", ids=sorted(set(ids))))


def joints_of_many(tx: Tx, tags: Iterable[str]) -> dict[str, list[Joint]]:
    return _joints(tx.all("joints_of_many", tags=sorted(set(tags))))


def key_known(tx: Tx, key: str) -> dict[str, KnownKey]:
    return _keys(tx.all("keys_known", keys=[key]))


def last_seqs(tx: Tx, tags: Iterable[str]) -> dict[str, int]:
    """The number of the last event of each, 0 where there was none."""
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


@dataclass(frozen=True, slots=True)
class SpoolWrite:
    """A spool as it will be; `read_version` is the token it was read with, None for a new one."""

    spool: Spool
    read_version: str | None = None


@dataclass(frozen=True, slots=True)
class JointWrite:
    """A joint as it will be, with the token it was read with."""

    joint: Joint
    read_version: str


@dataclass(slots=True)
class Changes:
    """The floor as a commit leaves it."""

    now: datetime
    spools: list[SpoolWrite] = field(default_factory=list)
    new_joints: list[Joint] = field(default_factory=list)
    changed_joints: list[JointWrite] = field(default_factory=list)


def update_rows(tx: Tx, changes: Changes, events: int) -> Sequence[int]:
    """The spools and joints, and then the numbers of so many events: from there on others wait for this commit, so
    what can be done before is. A token that is no longer the one read means the race was lost."""
    changed = [w for w in changes.spools if w.read_version is not None]
    rows = [{**spool_row(w.spool), "read_version": w.read_version} for w in changed]
    joints = [{**joint_row(w.joint), "read_version": w.read_version} for w in changes.changed_joints]
    resummed = _resummed(changes)
    (spools_there, joints_there, *_), seqs = tx.write_and_allocate_seqs(
        events,
        ("spool_update", rows),
        ("joint_update", joints),
        ("spool_insert", [spool_row(w.spool) for w in changes.spools if w.read_version is None]),
        ("joint_insert", [joint_row(joint) for joint in changes.new_joints]),
        ("joint_work_forget", resummed),
        ("joint_work_sum", resummed),
    )
    if spools_there != len(rows):
        raise RaceLost("a spool changed between reading and writing it")
    if joints_there != len(joints):
        raise RaceLost("a joint changed between reading and writing it")
    return seqs


def record(tx: Tx, changes: Changes, events: Sequence[StoredEvent], keys: Mapping[str, KnownKey]) -> None:
    """What happened, what was told under which key, and that the workbook is to say so too. The lane queues more rows
    when it has the turn to number, so nobody who still waits for the turn has any in the queue."""
    told = _keys_to_remember(keys, changes.now)
    *_, fresh = tx.many_of(
        ("event_insert", [event_row(event) for event in events]),
        ("outbox_put", _to_the_workbook(changes)),
        ("key_insert", told),
    )
    if fresh != len(told):
        # It has had its outcome: this one must not have another.
        raise RaceLost("an idempotency key was decided by another process")


def keep(
    tx: Tx, changes: Changes, events: Sequence[StoredEvent] = (), keys: Mapping[str, KnownKey] = MappingProxyType({})
) -> None:
    """Both, for whoever has no events to number."""
    update_rows(tx, changes, 0)
    record(tx, changes, events, keys)


def _resummed(changes: Changes) -> list[Rowed]:
    """The spools of which it must be summed up anew, for the reports, who finished how much."""
    joints = [*changes.new_joints, *(w.joint for w in changes.changed_joints)]
    return [{"tag": tag} for tag in dict.fromkeys(joint.tag for joint in joints)]


def _to_the_workbook(changes: Changes) -> list[Rowed]:
    at = instant_text(changes.now)
    rows = [(OPERACIONES, w.spool.tag, NO_JOINT, w.spool.version) for w in changes.spools]
    joints = [*changes.new_joints, *(w.joint for w in changes.changed_joints)]
    rows += [(UNIONES, joint.tag, joint.n_union, joint.version) for joint in joints]
    return [{"sheet": s, "tag": t, "n_union": n, "change": v, "queued_at": at} for s, t, n, v in sorted(rows)]


def _keys_to_remember(keys: Mapping[str, KnownKey], now: datetime) -> list[Rowed]:
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
