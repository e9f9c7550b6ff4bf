"""Waits and bounds of the delivery of webhooks."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import timedelta

ADDRESSES_MAX = 20
WAITING_MAX = 10_000  # messages of one address; beyond it its cursor over the events stops
PARKED_MAX = 1_000  # of one address; the newest are kept
EVENTS_READ_MAX = 100  # at once for one address
SEQS_SCANNED_MAX = 20_000  # of the trail in one read
DUE_MAX = 20  # messages that are tried again, read at once
SAVE_AFTER_N = 20  # after so many messages the progress is committed, or …
OVERDUE_AT_ONCE_MAX = WAITING_MAX  # messages about spools of one stage in one look: an address takes no more
RETRY_AFTER_S_MAX = 3_600.0  # a receiver's `Retry-After` is followed up to this


@dataclass(frozen=True, slots=True)
class WebhookTimings:
    look_every_s: float = 1.0  # the process that delivers, for new events
    idle_every_s: float = 5.0  # other processes, and all of them while no address is registered
    flush_every_s: float = 0.5  # for conflicts, which are held in memory until then
    lease_s: float = 15.0
    save_every_s: float = 1.0  # … when so long has passed: what a crash makes us send again
    skipped_save_every_s: float = 60.0  # for a cursor that only passed events which no address wanted
    turn_s_max: float = 10.0  # of one address; then its progress is saved and the next turn begins
    retry_s_min: float = 5.0
    retry_s_max: float = 600.0
    give_up_s: float = 24 * 3600.0
    overdue_every_s: float = 60.0  # for spools that became overdue
    qualifications_every_s: float = 600.0  # for qualifications that end soon
    rest_after_failures: int = 3  # in a row: then the address itself rests

    def give_up(self) -> timedelta:
        return timedelta(seconds=self.give_up_s)

    def wait_s(self, failures: int) -> float:
        """Doubles with each failure, up to a bound. Between a half and the whole of it at random, so that a receiver
        that comes back does not get everything in the same second."""
        whole = min(self.retry_s_max, self.retry_s_min * 2.0 ** min(failures - 1, 30))
        return whole * random.uniform(0.5, 1.0)


DEFAULT_WEBHOOK_TIMINGS = WebhookTimings()
