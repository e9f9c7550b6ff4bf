"""The value of a lock. The ledger stores it beside the occupation; the key in Redis has the same value."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from carrete.domain.shop_time import lock_time
from carrete.ledger.tokens import fresh_token


def lock_value(worker_id: int, now: datetime, zone: ZoneInfo) -> str:
    """`93:uuid4:DD-MM-YYYY HH:MM:SS`. The time has colons too: split the text at most twice."""
    return f"{worker_id}:{fresh_token()}:{lock_time(now, zone)}"
