"""A cache of list lengths for one reading connection, valid until the next commit.

Counting a list reads every spool of the shop, and tablets ask far more often than workers tap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from carrete.ledger.database import Tx

COUNTS_MAX = 256


def count(tx: Tx, cache: CountCache | None, name: str, params: Mapping[str, Any]) -> int:
    """The figure of a counting statement, from the cache when nothing was committed since."""

    def counted() -> int:
        (figure,) = tx.one(name, **params) or (0,)
        return int(figure)

    return cache.get(tx.one("moment"), name, params, counted) if cache else counted()


class CountCache:
    """`moment` identifies the engine's snapshot: the same moment, the same rows. Each connection has its own cache, so
    moments of two servers are never compared."""

    def __init__(self) -> None:
        self._moment: object = None
        self._known: dict[str, int] = {}

    def get(self, moment: object, name: str, params: Mapping[str, Any], counted: Callable[[], int]) -> int:
        if moment != self._moment or len(self._known) >= COUNTS_MAX:
            self._moment, self._known = moment, {}
        key = f"{name} {sorted(params.items())}"
        if key not in self._known:
            self._known[key] = counted()
        return self._known[key]
