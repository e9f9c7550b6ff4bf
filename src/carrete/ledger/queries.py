"""Reads for the pages: lists, cards, people and histories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from carrete.domain.joints import Joint
from carrete.domain.spool import Operacion, Spool
from carrete.domain.workers import Rol, Worker, folded
from carrete.ledger.database import Tx
from carrete.ledger.rows import TrailEvent, joint_from, spool_from, trail_event_from
from carrete.ledger.store import workers_known


@dataclass(frozen=True, slots=True)
class Scope:
    """The condition of a list: one of the named scopes of `statements.sql`, with its parameters."""

    name: str
    params: Mapping[str, Any]


EVERYTHING = Scope("listed", {})
NOTHING = Scope("none", {})


@dataclass(frozen=True, slots=True)
class SpoolPage:
    spools: list[Spool]
    total: int
    next_after: str | None


def spool_page(tx: Tx, scope: Scope, q: str, after: str, limit: int) -> SpoolPage:
    """Sorted by tag. `after` is the last tag of the page before, so new spools never shift a page."""
    q = folded(q.strip().replace("\0", "\uffff"))  # PostgreSQL accepts no NUL; no tag has either of them
    params = {**scope.params, **({"q": q} if q else {})}
    page, count = ("search_spools", "count_found") if q else ("list_spools", "count_spools")
    rows = tx.all(f"{page}:{scope.name}", **params, after=after, limit=limit + 1)
    spools = [spool_from(row) for row in rows[:limit]]
    if not after and len(rows) <= limit:  # the first page has them all, so they need not be counted
        return SpoolPage(spools, len(rows), None)
    total = tx.count(f"{count}:{scope.name}", **params)
    return SpoolPage(spools, total, spools[-1].tag if len(rows) > limit else None)


def tags_in(tx: Tx, scope: Scope) -> list[str]:
    """The tags of all spools of the list, in no order."""
    return [tag for (tag,) in tx.all(f"list_tags:{scope.name}", **scope.params)]


def spool(tx: Tx, tag: str) -> Spool | None:
    row = tx.one("spool", tag=tag)
    return spool_from(row) if row else None


def tags_of_length(tx: Tx, shortest: int, longest: int) -> list[str]:
    """The tags of this many signs that are not retired."""
    return [tag for (tag,) in tx.all("tags_of_length", shortest=shortest, longest=longest)]


def joints_of(tx: Tx, tag: str) -> list[Joint]:
    return [joint_from(row) for row in tx.all("joints_of", tag=tag)]


def worker(tx: Tx, worker_id: int, confirmed_roles_only: bool = True) -> Worker | None:
    return workers_known(tx, [worker_id], confirmed_roles_only).get(worker_id)


def workers(tx: Tx, operacion: Operacion | None = None, confirmed_roles_only: bool = True) -> list[Worker]:
    """Active workers with their active roles, sorted by id."""
    roles: dict[int, set[Rol]] = {}
    for worker_id, rol, activo, confirmed in tx.all("roles"):
        if activo and (confirmed == 1 or not confirmed_roles_only):
            roles.setdefault(worker_id, set()).add(Rol(rol))
    people = [
        Worker(id_, nombre, apellido, True, frozenset(roles.get(id_, ())))
        for id_, nombre, apellido, activo in tx.all("workers")
        if activo
    ]
    return [person for person in people if operacion is None or person.may(operacion)]


def active_worker_ids(tx: Tx, operacion: Operacion) -> list[int]:
    """The ids of the active workers who may do the operation."""
    return [person.id for person in workers(tx, operacion)]


def occupied(tx: Tx) -> list[Spool]:
    """All held spools; the longest occupation first."""
    return [spool_from(row) for row in tx.all("occupied")]


def locks(tx: Tx, tags: Sequence[str] | None = None) -> dict[str, tuple[str, datetime]]:
    """The lock value and start of each occupation; of these spools, or of all."""
    rows = tx.all("locks_all") if tags is None else tx.all("locks_of", tags=list(tags))
    return {tag: (value, datetime.fromisoformat(since)) for tag, value, since in rows}


def trail_page(tx: Tx, tag: str, after: int, upto: int, limit: int) -> list[TrailEvent]:
    """The events of a spool with a seq above `after` and at most `upto`, oldest first."""
    rows = tx.all("trail_page", tag=tag, after=after, upto=upto, limit=limit)
    return [trail_event_from(row) for row in rows]


def trail_end(tx: Tx, tag: str) -> int:
    """The seq of the spool's last event, 0 when it has none."""
    row = tx.one("trail_end", tag=tag)
    return int(row[0]) if row else 0
