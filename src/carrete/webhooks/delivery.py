"""The background work of a process: looks for what there is to deliver, and lets one process of several do it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import structlog

from carrete.background import cancel_and_wait
from carrete.domain.shop import Shop
from carrete.ledger.database import Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.webhooks import deliveries, notices, registry
from carrete.webhooks.address_turn import AddressState, AddressTurn, DeliveryCounts, DeliveryTools
from carrete.webhooks.deliveries import WaitingFigures
from carrete.webhooks.kinds import WebhookKind
from carrete.webhooks.lease import WebhookLease, WebhookLeaseLost
from carrete.webhooks.message import WebhookMessage
from carrete.webhooks.overdue_notices import notify_overdue
from carrete.webhooks.qualification_notices import notify_qualifications
from carrete.webhooks.registry import RegisteredAddress
from carrete.webhooks.sender import WebhookSender
from carrete.webhooks.timings import DEFAULT_WEBHOOK_TIMINGS, WebhookTimings

log = structlog.get_logger()

NOTICES_WAITING_MAX = 1_000


@dataclass(frozen=True, slots=True)
class LedgerLook:
    """What one read of the ledger showed."""

    addresses: list[RegisteredAddress]
    waiting: dict[str, WaitingFigures]
    newest_seq: int
    holder: str
    until: str


def _utc_now() -> datetime:
    return datetime.now(UTC)


class WebhookDelivery:
    """`read` and `write` run a function in a transaction, off the event loop. Without identity (`serves` is False)
    there is no key to sign with, and no administrator who could register an address."""

    def __init__(
        self,
        sender: WebhookSender,
        read: Callable[[Callable[[Tx], Any]], Awaitable[Any]],
        write: Callable[[Callable[[Tx], Any]], Awaitable[Any]],
        timings: WebhookTimings = DEFAULT_WEBHOOK_TIMINGS,
        now: Callable[[], datetime] = _utc_now,
        *,
        shop: Callable[[], Shop] = Shop,
        serves: bool = True,
    ) -> None:
        self.sender = sender
        self._serves = serves
        self._shop = shop
        self._overdue_at: datetime | None = None  # when to look for overdue spools again
        self._qualifications_at: datetime | None = None
        self.timings = timings
        self.counts = DeliveryCounts()
        self.dropped = 0
        self.wanted: frozenset[WebhookKind] = frozenset()  # by some enabled address, at the last look
        self._lease = WebhookLease(write, now, timings.lease_s)
        self._tools = DeliveryTools(sender, read, self._lease, timings, now, self.counts)
        self._write = write
        self._states: dict[str, AddressState] = {}
        self._turns: dict[str, asyncio.Task[None]] = {}
        self._notices: list[WebhookMessage] = []

    @property
    def is_leading(self) -> bool:
        return self._lease.is_ours

    def background(self) -> list[Coroutine[Any, Any, None]]:
        """What runs as long as the process serves."""
        return [self.run(), self.flush_regularly()] if self._serves else []

    def notify_soon(self, message: WebhookMessage) -> None:
        """For messages without a transaction of their own: they are written a moment later, so that no request
        waits."""
        if message.kind not in self.wanted:
            return
        if len(self._notices) < NOTICES_WAITING_MAX:
            self._notices.append(message)
        else:
            self.dropped += 1

    async def run(self) -> None:
        """Goes on after any failure."""
        while True:
            try:
                await self.look()
            except (LedgerUnavailable, RaceLost) as error:
                log.debug("webhooks wait for the ledger", reason=str(error))
            except Exception as error:
                log.error("the delivery of webhooks failed", exc_info=error)
            busy = self.is_leading and bool(self.wanted)
            await asyncio.sleep(self.timings.look_every_s if busy else self.timings.idle_every_s)

    async def flush_regularly(self) -> None:
        while True:
            await asyncio.sleep(self.timings.flush_every_s)
            await self.flush()

    async def flush(self) -> None:
        """Writes the messages that `notify_soon` got."""
        found, self._notices = self._notices, []
        if not found:
            return
        try:
            await self._write(partial(_write_notices, found=found, timings=self.timings))
        except (LedgerUnavailable, RaceLost) as error:
            log.warning("notices for webhooks not written", reason=str(error))
            self._notices = [*found, *self._notices][:NOTICES_WAITING_MAX]

    async def look(self) -> None:
        """Begins a turn of each address that there is something to do for and that has none under way."""
        seen: LedgerLook = await self._tools.read(_look)
        self.wanted = registry.wanted_kinds(seen.addresses)
        if not seen.addresses:
            await self._lease.free()
            return
        if not await self._lease.take(seen.holder, seen.until):
            self._states.clear()
            return
        await self._tell_overdue()
        await self._tell_qualifications()
        for address in seen.addresses:
            state = self._state_of(address, seen.newest_seq)
            waiting = seen.waiting.get(address.id)
            is_idle = seen.newest_seq <= state.seq and waiting is None
            if not is_idle and (address.id not in self._turns or self._turns[address.id].done()):
                self._turns[address.id] = asyncio.create_task(self._turn(address, state, waiting))

    async def _tell_overdue(self) -> None:
        """Regularly, if some address wants to hear of it."""
        now, shop = self._tools.now(), self._shop()
        if WebhookKind.ATRASADO not in self.wanted or (self._overdue_at and now < self._overdue_at):
            return
        self._overdue_at = now + timedelta(seconds=self.timings.overdue_every_s)
        with suppress(WebhookLeaseLost, LedgerUnavailable, RaceLost):  # another process sends it, or this one later
            await self._lease.commit(partial(notify_overdue, shop=shop, now=now, timings=self.timings))

    async def _tell_qualifications(self) -> None:
        """As `_tell_overdue`, but rarely: days are all that matters."""
        now, shop = self._tools.now(), self._shop()
        wanted = WebhookKind.CALIFICACION_POR_VENCER in self.wanted
        if not wanted or (self._qualifications_at and now < self._qualifications_at):
            return
        self._qualifications_at = now + timedelta(seconds=self.timings.qualifications_every_s)
        with suppress(WebhookLeaseLost, LedgerUnavailable, RaceLost):
            await self._lease.commit(partial(notify_qualifications, shop=shop, now=now, timings=self.timings))

    async def finish_turns(self) -> None:
        """Waits for the turns that are under way."""
        await asyncio.gather(*self._turns.values())

    async def stop(self) -> None:
        """A message that is being sent is sent again by the next process."""
        await cancel_and_wait(self._turns.values())
        await self.flush()
        await self._lease.free()
        await self.sender.close()

    def _state_of(self, address: RegisteredAddress, newest_seq: int) -> AddressState:
        state = self._states.get(address.id)
        if state is None or state.seq > newest_seq:  # a ledger from a copy has fewer events
            state = self._states[address.id] = AddressState(address.event_seq, time.monotonic())
        state.seq = max(state.seq, address.event_seq)
        return state

    async def _turn(self, address: RegisteredAddress, state: AddressState, waiting: WaitingFigures | None) -> None:
        turn = AddressTurn(address, state, self._tools)
        try:
            if waiting is not None and waiting.give_up_at <= self._tools.now():
                await turn.park_old()
            await turn.run()
        except WebhookLeaseLost:
            log.info("another process delivers webhooks now")
        except (LedgerUnavailable, RaceLost) as error:
            log.warning("webhooks wait for the ledger", reason=str(error))
        except Exception as error:  # other addresses must go on
            log.error("a webhook's turn failed", address=address.name, exc_info=error)


def _look(tx: Tx) -> LedgerLook:
    found = registry.enabled(tx)
    holder, until = tx.one("webhook_lease") or ("", "")
    if not found:
        return LedgerLook([], {}, 0, holder, until)
    return LedgerLook(found, deliveries.figures(tx), registry.newest_seq(tx), holder, until)


def _write_notices(tx: Tx, found: list[WebhookMessage], timings: WebhookTimings) -> None:
    for message in found:
        notices.notify(tx, message, timings)
