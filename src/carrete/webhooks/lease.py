"""One process of several delivers: a lease in the ledger. Each commit of the delivery renews it, and a process that
lost it commits nothing; at worst a message that it was sending arrives twice, under the same `webhook-id`."""

from __future__ import annotations

import os
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from carrete.ledger.database import Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.ledger.values import instant_text


class WebhookLeaseLost(Exception):
    """Another process delivers now."""


class WebhookLease:
    def __init__(
        self,
        write: Callable[[Callable[[Tx], Any]], Awaitable[Any]],
        now: Callable[[], datetime],
        lease_s: float,
    ) -> None:
        self._write = write
        self._now = now
        self._lease_s = lease_s
        self._renew_at: datetime | None = None  # None while it is not ours
        self.holder = f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"

    @property
    def is_ours(self) -> bool:
        return self._renew_at is not None

    async def take(self, holder: str, until: str) -> bool:
        """Whether it is ours now. `holder` and `until` are what a reader of the ledger just saw: nothing is written
        while another process has the lease, and rarely while it is ours."""
        now = self._now()
        if holder == self.holder and self._renew_at is not None and now < self._renew_at:
            return True
        if holder != self.holder and until >= instant_text(now):
            self._renew_at = None
            return False
        params = {"holder": self.holder, "until": self._until(), "now": instant_text(now)}
        ours = await self._write(lambda tx: tx.run("webhook_lease_take", **params)) == 1
        self._renew_at = now + timedelta(seconds=self._lease_s / 3) if ours else None
        return bool(ours)

    async def commit(self, work: Callable[[Tx], object]) -> None:
        """Raises WebhookLeaseLost."""

        def renew_and_work(tx: Tx) -> None:
            if tx.run("webhook_lease_hold", holder=self.holder, until=self._until()) != 1:
                raise WebhookLeaseLost
            work(tx)

        try:
            await self._write(renew_and_work)
        except WebhookLeaseLost:
            self._renew_at = None
            raise

    async def free(self) -> None:
        if self.is_ours:
            self._renew_at = None
            with suppress(LedgerUnavailable, RaceLost):  # then it expires
                await self._write(lambda tx: tx.run("webhook_lease_free", holder=self.holder))

    def _until(self) -> str:
        return instant_text(self._now() + timedelta(seconds=self._lease_s))
