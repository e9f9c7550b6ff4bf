"""One lane per workbook: a lease in the ledger. Each commit of the lane renews it: a process that lost it commits
nothing.

A process that freezes right before it sends a batch, and wakes later, sends it after the next holder of the lease has
sent or called off the same batch. Both carry the same guard, so Google applies only one of them.
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
from carrete.sheets.timings import DEFAULT_TIMINGS
from carrete.workbook.bases import utc_text
from carrete.workbook.commits import commit_with_retries

T = TypeVar("T")


class Lease:
    def __init__(
        self, database: Database, workbook: str, clock: Clock, lease_s: float = DEFAULT_TIMINGS.lease_s
    ) -> None:
        self._database = database
        self._workbook = workbook
        self._clock = clock
        self._lease_s = lease_s
        self._sure_until = 0.0
        self.holder = f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"

    def take(self) -> bool:
        """Whether the lease is ours now. The ledger is asked only a few times in the life of a lease."""
        if self._clock.monotonic() < self._sure_until:
            return True
        now = self._clock.now()
        params = {"workbook": self._workbook, "holder": self.holder, "until": self._until(now), "now": utc_text(now)}
        ours = commit_with_retries(self._database, lambda tx: tx.run("lease_take", **params)) == 1
        self._sure_until = self._clock.monotonic() + self._lease_s / 3 if ours else 0.0
        return ours

    def hold(self, tx: Tx) -> None:
        """Renews the lease in this transaction, or raises LeaseLost."""
        until = self._until(self._clock.now())
        if tx.run("lease_hold", workbook=self._workbook, holder=self.holder, until=until) != 1:
            self._sure_until = 0.0
            raise LeaseLost(f"{self._workbook}: another process runs the lane now")

    def commit(self, work: Callable[[Tx], T]) -> T:
        """The lane's only way to write into the ledger."""

        def renew_and_work(tx: Tx) -> T:
            self.hold(tx)
            return work(tx)

        return commit_with_retries(self._database, renew_and_work)

    def free(self) -> None:
        self._sure_until = 0.0
        params = {"workbook": self._workbook, "holder": self.holder}
        commit_with_retries(self._database, lambda tx: tx.run("lease_free", **params))

    def publish(self, tx: Tx, stats: str) -> None:
        tx.run("lease_tell", workbook=self._workbook, holder=self.holder, status=stats)

    def _until(self, now: datetime) -> str:
        return utc_text(now + timedelta(seconds=self._lease_s))
