"""Messages that are no event of a spool. They are written in the transaction of what they are about, so that neither is
there without the other; only conflicts, which commit nothing of their own, come from memory a moment later."""

from __future__ import annotations

import json

from carrete.ledger.database import Tx
from carrete.ledger.values import instant_text
from carrete.webhooks.message import WebhookMessage
from carrete.webhooks.timings import DEFAULT_WEBHOOK_TIMINGS, WAITING_MAX, WebhookTimings


def notify(tx: Tx, message: WebhookMessage, timings: WebhookTimings = DEFAULT_WEBHOOK_TIMINGS) -> int:
    """Writes the message for each enabled address that wants its kind; returns for how many. An address with too many
    messages that wait gets no more of these."""
    return tx.run(
        "webhook_message_add",
        message_id=message.id,
        kind=message.kind,
        at=instant_text(message.at),
        tag=message.tag,
        text=message.text,
        data=json.dumps(message.data, ensure_ascii=False),
        next_at=instant_text(message.at),
        give_up_at=instant_text(message.at + timings.give_up()),
        wanted=f" {message.kind} ",
        waiting_max=WAITING_MAX,
    )
