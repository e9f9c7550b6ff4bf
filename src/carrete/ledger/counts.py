"""Counts that one reading connection remembers for as long as the ledger is the one they were counted in.

To count a list costs as much as the shop has spools, and tablets ask far more often than anybody taps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from carrete.ledger.database import Tx

KEPT_MAX = 256


def count(tx: Tx, kept: Counts | None, name: str, params: Mapping[str, Any]) -> int:
    """Counted anew, or as `kept` remembers it of this very moment."""

    def anew() -> int:
        (figure,) = tx.one(name, **params) or (0,)
        return int(figure)

    return kept.at(tx.one("moment"), name, params, anew) if kept else anew()


class Counts:
    """`moment` is the engine's own word for what a transaction sees: the same moment, the same rows. Words of two
    connections are never compared, so a server that was replaced by an older copy is another ledger."""

    def __init__(self) -> None:
        self._moment: object = None
        self._known: dict[str, int] = {}

    def at(self, moment: object, name: str, params: Mapping[str, Any], counted: Callable[[], int]) -> int:
        if moment != self._moment or len(self._known) >= KEPT_MAX:
            self._moment, self._known = moment, {}
        what = f"{name} {sorted(params.items())}"
        if what not in self._known:
            self._known[what] = counted()
        return self._known[what]
