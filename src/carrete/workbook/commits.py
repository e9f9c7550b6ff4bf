"""One commit of an import, an export or the sheet lane, beside a busy server: it is retried a few times.

SQLite does not queue its writers, so beside many others one may not get its turn within one wait. Every commit here may
be repeated even if its outcome is unknown: it reads the current state and finds its own work done.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost

T = TypeVar("T")
TRIES_MAX = 5


def commit_with_retries(database: Database, work: Callable[[Tx], T]) -> T:
    for attempt in range(1, TRIES_MAX):
        try:
            return _once(database, work)
        except (RaceLost, LedgerUnavailable):
            time.sleep(random.uniform(0.005, 0.02) * 2**attempt)
    return _once(database, work)


def _once(database: Database, work: Callable[[Tx], T]) -> T:
    with database.writing() as tx:
        return work(tx)
