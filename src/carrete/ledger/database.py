"""The interface that both engines implement: a database that opens transactions, which run named statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from carrete.domain.trail.canonical import ChainHead

Row = tuple[Any, ...]
NamedQuery = tuple[str, Mapping[str, Any]]  # the name of a statement and its parameters
NamedRows = tuple[str, Sequence[Mapping[str, Any]]]  # the name of a statement and the parameters of each row


class Numbering(NamedTuple):
    """Seqs for new events, and the head of the chain that the first of them is chained to. Without events, no head."""

    seqs: Sequence[int]
    head: ChainHead | None


NOT_NUMBERED = Numbering((), None)


class Tx(Protocol):
    """One transaction. Statements are named; their text is in the .sql files of this folder."""

    def all(self, name: str, /, **params: Any) -> list[Row]: ...

    def one(self, name: str, /, **params: Any) -> Row | None: ...

    def count(self, name: str, /, **params: Any) -> int:
        """The one figure of a counting statement. A reader caches it until the next commit."""
        ...

    def run(self, name: str, /, **params: Any) -> int:
        """Returns the number of rows changed."""
        ...

    def many(self, name: str, rows: Sequence[Mapping[str, Any]], /) -> int:
        """Runs the statement for each row; returns the number of rows changed in all."""
        ...

    def all_of(self, *queries: NamedQuery) -> list[list[Row]]:
        """Runs several queries in their order, each seeing all commits until then. PostgreSQL gets them in one round
        trip."""
        ...

    def all_of_and_lock_numbering(self, *queries: NamedQuery) -> list[list[Row]]:
        """Like `all_of`, for a transaction that decides quickly, writes a few rows and numbers events once. On
        PostgreSQL, unless another writer is numbering now, others that allocate seqs wait from here on, and everything
        that this transaction writes goes out with its commit: a round trip less."""
        ...

    def many_of(self, *parts: NamedRows) -> list[int]:
        """Runs `many` for each, in one round trip to PostgreSQL. There, statements that take all rows at once may run
        first, and none of them sees the effects of another."""
        ...

    def write_and_allocate_seqs(self, n: int, *parts: NamedRows) -> tuple[list[int], Numbering]:
        """Runs `many_of`, then allocates seqs for n events and reads the head of the chain. Seqs rise in the order of
        commit: a reader who sees a seq also sees every lower one. On PostgreSQL other writers that allocate wait until
        this transaction ends. After `all_of_and_lock_numbering` nothing may be waited for: each update must change its
        row, or the commit fails with RaceLost."""
        ...

    def write_last(self, *parts: NamedRows) -> None:
        """Like `many_of`, when the caller does not need to know how many rows were changed. PostgreSQL may get them
        only with the next statements or with the commit, which saves a round trip; an error is raised then."""
        ...

    def begin_writing(self, *parts: NamedRows) -> None:
        """Like `write_last`, but PostgreSQL gets them at once, and executes them while the caller goes on."""
        ...

    def execute(self, sql: str) -> None:
        """Bare SQL, for migrations only."""
        ...


class Database(Protocol):
    """An engine. Its transactions raise LedgerUnavailable for every failure that is not a programming error."""

    engine: str
    schema: int | None
    """Set by `migrate`. A transaction refuses to write once a newer program has migrated further: this program does not
    know what else belongs into a commit."""

    def writing(self) -> AbstractContextManager[Tx]:
        """A transaction on the one writing connection. It commits at the end, or rolls back on an exception. Threads
        take turns."""
        ...

    def reading(self) -> AbstractContextManager[Tx]:
        """A read-only transaction on a consistent snapshot. Any thread may use it, and it never blocks writers."""
        ...

    def close(self) -> None: ...


def stay_connected(tx: Tx, engine: str) -> None:
    """For a reader that computes for seconds between two of its statements: PostgreSQL ends one that is idle."""
    if engine == "postgres":
        tx.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
