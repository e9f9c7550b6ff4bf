"""A ledger with registered addresses, and processes that deliver to them by a clock that the test moves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from carrete.actions.record import save_changes
from carrete.domain.change import Change
from carrete.domain.commands import Resultado
from carrete.domain.inspection import inspect
from carrete.domain.spool import Metrologia
from carrete.ledger.database import Database, Tx
from carrete.ledger.store import Changes
from carrete.webhooks import deliveries, notices, registry
from carrete.webhooks.delivery import WebhookDelivery
from carrete.webhooks.formats import WebhookFormat
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.message import WebhookMessage
from carrete.webhooks.registry import AddressFields, RegisteredAddress
from carrete.webhooks.sender import WebhookSender
from carrete.webhooks.timings import DEFAULT_WEBHOOK_TIMINGS, WebhookTimings
from tests.support.builders import NOW, SHOP, a_finished_spool
from tests.support.people import MI

T = TypeVar("T")
KEY = bytes(range(32))
ZONE = ZoneInfo("America/Santiago")
EVERY_KIND = frozenset(WebhookKind) - {WebhookKind.SELLO}  # seals come by the clock, beside what a test does


class DeliveringProcess:
    """The delivery of one process, run step by step. `before_commit` may raise: the process dies there."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], datetime],
        timings: WebhookTimings = DEFAULT_WEBHOOK_TIMINGS,
        post_s_max: float = 5.0,
    ) -> None:
        self._database = database
        self.before_commit: Callable[[], None] = lambda: None
        self.commits = 0
        self._runner = asyncio.Runner()
        sender = WebhookSender(lambda _: KEY, lambda: ZONE, post_s_max)
        self.delivery = WebhookDelivery(sender, self._read, self._write, timings, clock)

    async def _read(self, query: Callable[[Tx], T]) -> T:
        with self._database.reading() as tx:
            return query(tx)

    async def _write(self, work: Callable[[Tx], T]) -> T:
        self.before_commit()
        self.commits += 1
        with self._database.writing() as tx:
            return work(tx)

    def look(self) -> None:
        """One read of the ledger, and all deliveries that follow from it."""

        async def turns() -> None:
            await self.delivery.look()
            await self.delivery.finish_turns()

        self._runner.run(turns())

    def run(self, work: Any) -> Any:
        return self._runner.run(work)

    def close(self) -> None:
        self._runner.run(self.delivery.stop())
        self._runner.close()


class WebhookShop:
    def __init__(self, database: Database) -> None:
        self.database = database
        self.now = NOW

    def clock(self) -> datetime:
        return self.now

    def later(self, **span: float) -> None:
        self.now += timedelta(**span)

    def register(
        self,
        url: str,
        kinds: Collection[WebhookKind] = EVERY_KIND,
        *,
        private: bool = True,
        form: WebhookFormat = WebhookFormat.JSON,
    ) -> RegisteredAddress:
        fields = AddressFields("Receptor", url, form, frozenset(kinds), private)
        with self.database.writing() as tx:
            return registry.add(tx, fields, self.now, None)

    def reject(self, tag: str, times: int = 1) -> int:
        """A real rejection by the inspector, the `times`-th in a row; returns its seq."""
        spool = a_finished_spool(tag, metrologia=Metrologia.EN_COLA, ciclo=times - 1)
        return self.commit(inspect(spool, MI, Resultado.RECHAZADO, self.now, SHOP))

    def commit(self, change: Change) -> int:
        with self.database.writing() as tx:
            save_changes(tx, Changes(self.now), [change])
            return registry.newest_seq(tx)

    def notify(self, message: WebhookMessage) -> None:
        with self.database.writing() as tx:
            notices.notify(tx, message)

    def address(self, id_: str) -> RegisteredAddress:
        with self.database.reading() as tx:
            found = registry.find(tx, id_)
        assert found is not None
        return found

    def waiting(self, id_: str) -> int:
        with self.database.reading() as tx:
            found = deliveries.figures(tx).get(id_)
        return found.count if found else 0

    def parked(self, id_: str) -> list[deliveries.ParkedMessage]:
        with self.database.reading() as tx:
            return deliveries.parked(tx, id_)
