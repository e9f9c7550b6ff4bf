"""The lane's ledger, which can be made to refuse commits, as on a full disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from carrete.ledger.database import Database, Tx
from carrete.ledger.errors import LedgerUnavailable


class UnsteadyLedger:
    """Reading always works."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.engine = database.engine
        self.schema = database.schema
        self.refused = 0
        self._left: int | None = None  # commits until it refuses; None: it refuses none
        self._first_is_made = False

    def refuse_after(self, commits: int, *, first_is_made: bool) -> None:
        """After so many commits, refuses every one. `first_is_made`: the first of them is made and then reported as
        failed, as when the answer of a database server is lost."""
        self._left, self._first_is_made = commits, first_is_made

    def recover(self) -> None:
        self._left = None

    @contextmanager
    def writing(self) -> Iterator[Tx]:
        if self._left == 0 and not self._first_is_made:
            self._refuse()
        with self._database.writing() as tx:
            yield tx
        if self._left == 0:
            self._first_is_made = False
            self._refuse()
        elif self._left is not None:
            self._left -= 1

    def _refuse(self) -> None:
        self.refused += 1
        raise LedgerUnavailable("database or disk is full")

    def reading(self) -> AbstractContextManager[Tx]:
        return self._database.reading()

    def close(self) -> None:
        self._database.close()
