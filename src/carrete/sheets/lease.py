"""One lane per workbook: a lease in the ledger. Each commit of the lane holds it: whoever lost it commits nothing.

A process that froze right before a send and wakes later sends a batch whose guard the next holder already settles:
to Google that is the same late twin as any other, and only one of the two can be applied.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import uuid4

from carrete.ledger.database import Database, Tx
from carrete.sheets.clock import Clock
from carrete.sheets.google.errors import LeaseLost
from carrete.workbook.bases import utc_text
from carrete.workbook.commits import commit_with_retries

T = TypeVar("T")
LEASE_S = 30.0


class Lease:
    def __init__(self, database: Database, workbook: str, clock: Clock) -> None:
        self._database = database
        self._workbook = workbook
        self._clock = clock
        self._sure_until = 0.0
        self.holder = f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"

    def take(self) -> bool:
        """True when it is ours now, whether or not it was before. Asked of the ledger a few times in its life only."""
        if self._clock.monotonic() < self._sure_until:
            return True
        now = self._clock.now()
        params = {"workbook": self._workbook, "holder": self.holder, "until": _until(now), "now": utc_text(now)}
        ours = commit_with_retries(self._database, lambda tx: tx.run("lease_take", **params)) == 1
        self._sure_until = self._clock.monotonic() + LEASE_S / 3 if ours else 0.0
        return ours

    def hold(self, tx: Tx) -> None:
        until = _until(self._clock.now())
        if tx.run("lease_hold", workbook=self._workbook, holder=self.holder, until=until) != 1:
            self._sure_until = 0.0
            raise LeaseLost(f"{self._workbook}: another process runs the lane now")

    def commit(self, work: Callable[[Tx], T]) -> T:
        """The lane's only way to write into the ledger."""

        def held(tx: Tx) -> T:
            self.hold(tx)
            return work(tx)

        return commit_with_retries(self._database, held)

    def free(self) -> None:
        self._sure_until = 0.0
        params = {"workbook": self._workbook, "holder": self.holder}
        commit_with_retries(self._database, lambda tx: tx.run("lease_free", **params))

    def tell(self, tx: Tx, status: str) -> None:
        tx.run("lease_tell", workbook=self._workbook, holder=self.holder, status=status)


def _until(now: datetime) -> str:
    return utc_text(now + timedelta(seconds=LEASE_S))


class DryRun:
    """In the place of a lease: everything is done and then undone. Shows what would happen, and changes nothing."""

    def __init__(self, database: Database, first: Callable[[Tx], None] = lambda _tx: None) -> None:
        self._database = database
        self._first = first

    def commit(self, work: Callable[[Tx], T]) -> T:
        results: list[T] = []
        try:
            with self._database.writing() as tx:
                self._first(tx)
                results.append(work(tx))
                raise _Undone
        except _Undone:
            return results[0]


class _Undone(Exception):
    pass
