"""What a transaction of the ledger can load and keep. A spool, its joints, events and outbox rows go together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from carrete.domain.joints import Joint
from carrete.domain.spool import Spool
from carrete.domain.workers import Worker
from carrete.ledger.database import Tx
from carrete.ledger.errors import RaceLost
from carrete.ledger.rows import (
    StoredEvent,
    event_row,
    instant_text,
    joint_from,
    joint_row,
    spool_from,
    spool_row,
    worker_from,
)

OPERACIONES = "Operaciones"
UNIONES = "Uniones"
NO_JOINT = 0  # the n_union of a row that is a spool's


@dataclass(frozen=True, slots=True)
class Answer:
    """What was told, or will be told again, under an idempotency key."""

    status: int
    body: str
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class KnownKey:
    fingerprint: str
    answer: Answer


def spools_to_change(tx: Tx, tags: Iterable[str]) -> dict[str, Spool]:
    """The spools as they are, kept from others until this transaction ends."""
    rows = tx.all("spools_to_change", tags=sorted(set(tags)))
    return {row[0]: spool_from(row) for row in rows}


def workers_known(tx: Tx, ids: Iterable[int]) -> dict[int, Worker]:
    return {row[0]: worker_from(row) for row in tx.all("workers_known", ids=sorted(set(ids)))}


def joints_of_many(tx: Tx, tags: Iterable[str]) -> dict[str, list[Joint]]:
    found: dict[str, list[Joint]] = {}
    for row in tx.all("joints_of_many", tags=sorted(set(tags))):
        found.setdefault(row[0], []).append(joint_from(row))
    return found


def keys_known(tx: Tx, keys: Sequence[str]) -> dict[str, KnownKey]:
    if not keys:
        return {}
    rows = tx.all("keys_known", keys=sorted(set(keys)))
    return {row[0]: KnownKey(row[1], Answer(row[2], row[3], replayed=True)) for row in rows}


@dataclass(frozen=True, slots=True)
class SpoolWrite:
    """A spool as it will be; `read_version` is the token it was read with, None for a new one."""

    spool: Spool
    read_version: str | None
    last_seq: int


@dataclass(frozen=True, slots=True)
class JointWrite:
    """A joint as it will be, with the token it was read with."""

    joint: Joint
    read_version: str


@dataclass(slots=True)
class Writes:
    """Everything that one commit puts down."""

    spools: list[SpoolWrite]
    new_joints: list[Joint]
    changed_joints: list[JointWrite]
    events: list[StoredEvent]
    keys: Mapping[str, KnownKey]
    now: datetime


def keep(tx: Tx, writes: Writes) -> None:
    """All of it or, by raising, nothing. A token that is no longer the one read means the race was lost."""
    changed = [w for w in writes.spools if w.read_version is not None]
    rows = [{**spool_row(w.spool, w.last_seq), "read_version": w.read_version} for w in changed]
    if tx.many("spool_update", rows) != len(rows):
        raise RaceLost("a spool changed between reading and writing it")
    tx.many("spool_insert", [spool_row(w.spool, w.last_seq) for w in writes.spools if w.read_version is None])
    tx.many("joint_insert", [joint_row(joint) for joint in writes.new_joints])
    joints = [{**joint_row(w.joint), "read_version": w.read_version} for w in writes.changed_joints]
    if tx.many("joint_update", joints) != len(joints):
        raise RaceLost("a joint changed between reading and writing it")
    _sum_up(tx, {joint["tag"] for joint in joints}.union(joint.tag for joint in writes.new_joints))
    tx.many("event_insert", [event_row(event) for event in writes.events])
    _queue_for_the_workbook(tx, writes)
    _remember_keys(tx, writes)


def _sum_up(tx: Tx, tags: Iterable[str]) -> None:
    """Who finished how much of these spools, for the reports."""
    rows = [{"tag": tag} for tag in tags]
    tx.many("joint_work_forget", rows)
    tx.many("joint_work_sum", rows)


def _queue_for_the_workbook(tx: Tx, writes: Writes) -> None:
    at = instant_text(writes.now)
    rows = [(OPERACIONES, w.spool.tag, NO_JOINT, w.spool.version) for w in writes.spools]
    joints = [*writes.new_joints, *(w.joint for w in writes.changed_joints)]
    rows += [(UNIONES, joint.tag, joint.n_union, joint.version) for joint in joints]
    tx.many(
        "outbox_put",
        [{"sheet": s, "tag": t, "n_union": n, "change": v, "queued_at": at} for s, t, n, v in rows],
    )


def _remember_keys(tx: Tx, writes: Writes) -> None:
    """A key that somebody else stored meanwhile has had its outcome: this one must not have another."""
    at = instant_text(writes.now)
    rows = [
        {
            "key": key,
            "fingerprint": known.fingerprint,
            "status": known.answer.status,
            "answer": known.answer.body,
            "created_at": at,
        }
        for key, known in writes.keys.items()
    ]
    if tx.many("key_insert", rows) != len(rows):
        raise RaceLost("an idempotency key was decided by another process")
