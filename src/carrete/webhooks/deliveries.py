"""Messages that an address has not got yet: they wait, are tried again, and are parked after a day."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from carrete.ledger.database import Row, Tx
from carrete.ledger.values import instant_or_none_text, instant_text
from carrete.webhooks.kinds import kinds_of_event
from carrete.webhooks.message import WebhookMessage, message_of_event
from carrete.webhooks.registry import RegisteredAddress, newest_seq
from carrete.webhooks.timings import (
    DUE_MAX,
    EVENTS_READ_MAX,
    PARKED_MAX,
    SEQS_SCANNED_MAX,
    WAITING_MAX,
    WebhookTimings,
)

PARKED_SHOWN_MAX = 20


@dataclass(frozen=True, slots=True)
class WaitingMessage:
    """A row of `webhook_delivery` that is tried now."""

    n: int
    message: WebhookMessage
    tries: int
    give_up_at: datetime


@dataclass(frozen=True, slots=True)
class ParkedMessage:
    n: int
    message_id: str
    kind: str
    at: str
    tag: str | None
    seq: int | None
    text: str
    tries: int
    parked_at: str
    failure: str


@dataclass(frozen=True, slots=True)
class WaitingFigures:
    """Of one address: how many messages wait, when the next is due and when the next is given up."""

    count: int
    next_at: datetime
    give_up_at: datetime


@dataclass(frozen=True, slots=True)
class AddressWork:
    """What there is to do for an address. `upto` is the seq up to which `events` has everything that it wants."""

    due: list[WaitingMessage]
    tags_waiting: set[str]
    events: list[WebhookMessage]
    upto: int
    more_events: bool


def work_for(tx: Tx, address: RegisteredAddress, after: int, now: datetime) -> AddressWork:
    due = [
        _waiting_from(row) for row in tx.all("webhook_due", webhook_id=address.id, now=instant_text(now), limit=DUE_MAX)
    ]
    waiting = figures(tx).get(address.id)
    if waiting is not None and waiting.count >= WAITING_MAX:
        return AddressWork(due, set(), [], after, more_events=False)
    tags = {tag for (tag,) in tx.all("webhook_tags_waiting", webhook_id=address.id)} if waiting else set()
    newest = newest_seq(tx)
    upto = min(newest, after + SEQS_SCANNED_MAX)
    rows = tx.all("webhook_events", after=after, upto=upto, limit=EVENTS_READ_MAX)
    if len(rows) == EVENTS_READ_MAX:
        upto = int(rows[-1][0])
    events = [message for row in rows if (message := _wanted(row, address)) is not None]
    return AddressWork(due, tags, events, max(upto, after), more_events=upto < newest)


def _wanted(row: Row, address: RegisteredAddress) -> WebhookMessage | None:
    from_type, metadata = str(row[3]), row[11]
    kind = next((kind for kind in kinds_of_event(from_type, metadata) if kind in address.kinds), None)
    return message_of_event(row, kind) if kind else None


def figures(tx: Tx) -> dict[str, WaitingFigures]:
    """Only for addresses that something waits for."""
    return {
        id_: WaitingFigures(int(count), datetime.fromisoformat(next_at), datetime.fromisoformat(give_up_at))
        for id_, count, next_at, give_up_at in tx.all("webhook_waiting")
    }


def parked_counts(tx: Tx) -> dict[str, int]:
    return {id_: int(count) for id_, count in tx.all("webhook_parked_counts")}


def parked(tx: Tx, webhook_id: str, limit: int = PARKED_SHOWN_MAX) -> list[ParkedMessage]:
    """The newest first."""
    return [ParkedMessage(*row) for row in tx.all("webhook_parked", webhook_id=webhook_id, limit=limit)]


def retry_parked(tx: Tx, webhook_id: str, now: datetime, timings: WebhookTimings) -> int:
    """They get a whole day again. Later events of their spools may have been delivered meanwhile."""
    give_up_at = instant_text(now + timings.give_up())
    return tx.run("webhook_parked_retry", webhook_id=webhook_id, now=instant_text(now), give_up_at=give_up_at)


def drop_parked(tx: Tx, webhook_id: str) -> int:
    return tx.run("webhook_parked_drop", webhook_id=webhook_id)


@dataclass(slots=True)
class Progress:
    """What was done for an address and is not committed yet."""

    webhook_id: str
    seq: int
    delivered: list[int] = field(default_factory=list)  # rows
    failed: list[dict[str, Any]] = field(default_factory=list)  # rows
    added: list[dict[str, Any]] = field(default_factory=list)  # events
    succeeded_at: datetime | None = None
    failed_at: datetime | None = None
    failure: str | None = None
    parks: bool = False

    @property
    def size(self) -> int:
        return len(self.delivered) + len(self.failed) + len(self.added)

    @property
    def is_news(self) -> bool:
        """Whether it is more than a cursor that passed events which the address does not want."""
        return self.size > 0 or self.succeeded_at is not None or self.failed_at is not None

    def succeed(self, now: datetime, row: WaitingMessage | None = None) -> None:
        self.succeeded_at, self.failure = now, ""
        if row is not None:
            self.delivered.append(row.n)

    def fail_row(self, row: WaitingMessage, next_at: datetime, now: datetime, reason: str, *, park: bool) -> None:
        self._fail(now, reason, park=park)
        parked_at = instant_or_none_text(now if park else None)
        self.failed.append(
            {
                "n": row.n,
                "tries": row.tries + 1,
                "next_at": instant_text(next_at),
                "parked_at": parked_at,
                "failure": reason,
            }
        )

    def fail_event(
        self,
        message: WebhookMessage,
        next_at: datetime,
        give_up_at: datetime,
        now: datetime,
        reason: str,
        *,
        park: bool = False,
    ) -> None:
        self._fail(now, reason, park=park)
        self.add_event(message, next_at, give_up_at, tries=1, reason=reason, parked_at=now if park else None)

    def add_event(
        self,
        message: WebhookMessage,
        next_at: datetime,
        give_up_at: datetime,
        *,
        tries: int = 0,
        reason: str = "",
        parked_at: datetime | None = None,
    ) -> None:
        self.added.append(
            {
                "webhook_id": self.webhook_id,
                "message_id": message.id,
                "kind": message.kind,
                "at": instant_text(message.at),
                "tag": message.tag,
                "seq": message.seq,
                "text": message.text,
                "data": json.dumps(message.data, ensure_ascii=False),
                "tries": tries,
                "next_at": instant_text(next_at),
                "give_up_at": instant_text(give_up_at),
                "parked_at": instant_or_none_text(parked_at),
                "failure": reason,
            }
        )

    def _fail(self, now: datetime, reason: str, *, park: bool) -> None:
        self.failed_at, self.failure = now, reason
        self.parks = self.parks or park


def save(tx: Tx, progress: Progress) -> None:
    """One transaction for everything: what was delivered, what waits, and the cursor."""
    for n in progress.delivered:
        tx.run("webhook_delivered", n=n)
    for row in progress.failed:
        tx.run("webhook_failed", **row)
    for event in progress.added:
        tx.run("webhook_event_add", **event)
    tx.run(
        "webhook_progress",
        id=progress.webhook_id,
        event_seq=progress.seq,
        succeeded_at=instant_or_none_text(progress.succeeded_at),
        failed_at=instant_or_none_text(progress.failed_at),
        failure=progress.failure,
    )
    if progress.parks:
        trim_parked(tx, progress.webhook_id)


def park_old(tx: Tx, webhook_id: str, now: datetime) -> int:
    """Gives up what was tried for long enough; returns how many."""
    count = tx.run("webhook_park_old", webhook_id=webhook_id, now=instant_text(now))
    if count:
        trim_parked(tx, webhook_id)
    return count


def trim_parked(tx: Tx, webhook_id: str) -> None:
    tx.run("webhook_parked_trim", webhook_id=webhook_id, kept=PARKED_MAX)


def _waiting_from(row: Row) -> WaitingMessage:
    n, id_, kind, at, tag, seq, text, data, tries, give_up_at = row
    message = WebhookMessage(id_, kind, datetime.fromisoformat(at), text, tag, seq, json.loads(data))
    return WaitingMessage(n, message, tries, datetime.fromisoformat(give_up_at))
