"""What is sent to one address now: messages that are tried again, then events after its cursor.

After a failure the message is tried again later, and so are later events of its spool; everything else goes on. An
address that fails several times in a row rests: nothing is sent to it until its wait is over, and then one message
decides whether it is back.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog

from carrete.ledger.database import Tx
from carrete.ledger.values import instant_text
from carrete.webhooks import registry
from carrete.webhooks.deliveries import AddressWork, Progress, WaitingMessage, park_old, save, work_for
from carrete.webhooks.lease import WebhookLease
from carrete.webhooks.message import WebhookMessage
from carrete.webhooks.registry import RegisteredAddress
from carrete.webhooks.sender import Outcome, SendResult, WebhookSender
from carrete.webhooks.timings import RETRY_AFTER_S_MAX, SAVE_AFTER_N, WebhookTimings

log = structlog.get_logger()


@dataclass(slots=True)
class AddressState:
    """What the process that delivers remembers of an address. All of it may be lost."""

    seq: int  # like the cursor in the ledger, or further on over events that the address does not want
    saved_at: float  # monotonic
    failures: int = 0  # in a row
    rests_until: datetime | None = None

    def is_resting(self, now: datetime) -> bool:
        return self.rests_until is not None and now < self.rests_until


@dataclass(slots=True)
class DeliveryCounts:
    sent: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class DeliveryTools:
    """What all turns share. `read` runs a function in a transaction, off the event loop."""

    sender: WebhookSender
    read: Callable[[Callable[[Tx], Any]], Awaitable[Any]]
    lease: WebhookLease
    timings: WebhookTimings
    now: Callable[[], datetime]
    counts: DeliveryCounts


class AddressTurn:
    def __init__(self, address: RegisteredAddress, state: AddressState, tools: DeliveryTools) -> None:
        self._address, self._state, self._tools = address, state, tools
        self._progress = Progress(address.id, state.seq)
        self._ends = time.monotonic() + tools.timings.turn_s_max
        self._gone = ""  # the sentence, once the receiver has answered 410
        self._recovered = False

    async def run(self) -> None:
        """Raises LedgerUnavailable, RaceLost or WebhookLeaseLost; what was not committed is sent again."""
        while await self._work():
            pass

    async def park_old(self) -> None:
        now = self._tools.now()
        await self._tools.lease.commit(lambda tx: self._park_old(tx, now))

    def _park_old(self, tx: Tx, now: datetime) -> None:
        if count := park_old(tx, self._address.id, now):
            log.warning("webhooks parked", address=self._address.name, messages=count)

    async def _work(self) -> bool:
        """Whether there may be more to do at once."""
        now, after = self._tools.now(), self._state.seq
        work: AddressWork = await self._tools.read(lambda tx: work_for(tx, self._address, after, now))
        delivered = await self._try_rows(work.due)
        await self._take_events(work)
        await self._save()
        return not self._is_over() and (delivered > 0 or work.more_events)

    def _is_over(self) -> bool:
        return bool(self._gone) or time.monotonic() > self._ends

    async def _try_rows(self, rows: Sequence[WaitingMessage]) -> int:
        """Returns how many were delivered."""
        delivered = 0
        for row in rows:
            if self._is_over() or self._state.is_resting(self._tools.now()):
                break
            result = await self._attempt(row.message)
            now = self._tools.now()
            if result.outcome is Outcome.DELIVERED:
                delivered += 1
                self._progress.succeed(now, row)
            else:
                park = bool(self._gone) or now >= row.give_up_at
                self._progress.fail_row(row, self._next_at(row.tries + 1, result), now, result.reason, park=park)
            await self._save_now_and_then()
        return delivered

    async def _take_events(self, work: AddressWork) -> None:
        """An event waits when an earlier one of its spool does, or while the address rests."""
        waiting = set(work.tags_waiting)
        for message in work.events:
            if self._is_over():
                return
            now = self._tools.now()
            give_up_at = now + self._tools.timings.give_up()
            if message.tag in waiting or self._state.is_resting(now):
                self._progress.add_event(message, now, give_up_at)
                if message.tag is not None:
                    waiting.add(message.tag)  # also when the rest ends before the spool's next event
            else:
                await self._try_event(message, give_up_at, waiting)
            assert message.seq is not None
            self._progress.seq = message.seq
            await self._save_now_and_then()
        if not self._gone:
            self._progress.seq = work.upto

    async def _try_event(self, message: WebhookMessage, give_up_at: datetime, waiting: set[str]) -> None:
        result = await self._attempt(message)
        now = self._tools.now()
        if result.outcome is Outcome.DELIVERED:
            self._progress.succeed(now)
            return
        next_at = self._next_at(1, result)
        self._progress.fail_event(message, next_at, give_up_at, now, result.reason, park=bool(self._gone))
        if message.tag is not None:
            waiting.add(message.tag)

    async def _attempt(self, message: WebhookMessage) -> SendResult:
        result = await self._tools.sender.send(self._address, message)
        state, timings = self._state, self._tools.timings
        if result.outcome is Outcome.DELIVERED:
            self._tools.counts.sent += 1
            self._recovered = self._recovered or state.failures >= timings.rest_after_failures
            state.failures, state.rests_until = 0, None
            return result
        self._tools.counts.failed += 1
        state.failures += 1
        if state.failures == 1:
            log.warning("webhook not delivered", address=self._address.name, reason=result.reason)
        if (rests := state.failures - timings.rest_after_failures) >= 0:
            state.rests_until = self._tools.now() + timedelta(seconds=timings.wait_s(rests + 1))
        if result.outcome is Outcome.GONE:
            self._gone = f"{result.reason}. Carrete desactivó esta integración."
        return result

    def _next_at(self, failures: int, result: SendResult) -> datetime:
        wait_s = max(self._tools.timings.wait_s(failures), min(result.retry_after_s, RETRY_AFTER_S_MAX))
        return self._tools.now() + timedelta(seconds=wait_s)

    async def _save_now_and_then(self) -> None:
        """What is not saved is sent again after a crash."""
        late = time.monotonic() - self._state.saved_at > self._tools.timings.save_every_s
        if self._progress.size >= SAVE_AFTER_N or (self._progress.is_news and late):
            await self._save()

    async def _save(self) -> None:
        """A cursor that only passed events which the address does not want is saved once a minute."""
        progress, now, timings = self._progress, self._tools.now(), self._tools.timings
        moved = progress.seq > self._address.event_seq
        late = time.monotonic() - self._state.saved_at > timings.skipped_save_every_s
        if progress.is_news or (moved and late):
            await self._tools.lease.commit(lambda tx: self._write(tx, progress, now))
            self._state.saved_at = time.monotonic()
            self._recovered = False
        self._state.seq = progress.seq
        self._progress = Progress(self._address.id, progress.seq)

    def _write(self, tx: Tx, progress: Progress, now: datetime) -> None:
        save(tx, progress)
        if self._recovered:
            tx.run("webhook_try_all_now", webhook_id=self._address.id, now=instant_text(now))
        if self._gone:
            log.warning("webhook disabled", address=self._address.name, reason=self._gone)
            registry.disable(tx, self._address.id, now, stopped=self._gone)
