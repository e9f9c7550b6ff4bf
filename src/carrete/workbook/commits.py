"""One commit of an import, an export or the sheet lane, beside a busy server: it is retried a few times.

SQLite does not queue its writers, so beside many others one may not get its turn within one wait. Every commit here may
be repeated even if its outcome is unknown: it reads the current state and finds its own work done.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Protocol, TypeVar

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


class Committer(Protocol):
    """How a merge commits: for good, for good while a lease is held, or not at all."""

    def commit(self, work: Callable[[Tx], T]) -> T: ...


class RealCommits:
    """Each commit is for good, and is retried beside a busy server."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def commit(self, work: Callable[[Tx], T]) -> T:
        return commit_with_retries(self._database, work)


class DryRun:
    """Each commit is rolled back, so that it shows what would happen and changes nothing."""

    def __init__(self, database: Database, first: Callable[[Tx], object] = lambda _tx: None) -> None:
        """`first` runs at the start of each transaction."""
        self._database = database
        self._first = first

    def commit(self, work: Callable[[Tx], T]) -> T:
        results: list[T] = []

        def roll_back(tx: Tx) -> None:
            self._first(tx)
            results.append(work(tx))
            raise _RolledBack

        try:
            commit_with_retries(self._database, roll_back)
        except _RolledBack:
            return results[-1]
        raise AssertionError("a dry run never commits")


class _RolledBack(Exception):
    pass
