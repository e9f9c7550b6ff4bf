"""What the two engines have in common: a transaction that runs named statements, and who opens one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
Row = tuple[Any, ...]
Asked = tuple[str, Mapping[str, Any]]  # the name of a statement, and what it is about
Part = tuple[str, Sequence[Mapping[str, Any]]]  # and for which rows


class Tx(Protocol):
    """One transaction. Statements are named; their text lives in `statements.sql`."""

    def all(self, name: str, /, **params: Any) -> list[Row]: ...

    def one(self, name: str, /, **params: Any) -> Row | None: ...

    def count(self, name: str, /, **params: Any) -> int:
        """The one figure of the statement. A reader counts again only when anything was committed since."""
        ...

    def run(self, name: str, /, **params: Any) -> int:
        """The number of rows it changed."""
        ...

    def many(self, name: str, rows: Sequence[Mapping[str, Any]], /) -> int:
        """The same statement for each row; the number of rows changed in all."""
        ...

    def all_of(self, *asked: Asked) -> list[list[Row]]:
        """Several questions in their order, each seeing what was committed by then; where the way to the database is
        long, they make it together."""
        ...

    def many_of(self, *parts: Part) -> list[int]:
        """`many` for each, on their way together likewise. Those that take all their rows at once may be done first,
        and none of these sees what another did."""
        ...

    def write_and_allocate_seqs(self, n: int, *parts: Part) -> tuple[list[int], Sequence[int]]:
        """`many_of`, and then numbers for n events, rising in the order of commit: nobody ever sees one before every
        lower one there will be. On PostgreSQL others that want numbers wait until this transaction ends."""
        ...

    def execute(self, sql: str) -> None:
        """Bare SQL, for migrations only."""
        ...


class Database(Protocol):
    """An engine. Both methods raise LedgerUnavailable for anything that is not a mistake of ours."""

    engine: str
    schema: int | None
    """Set by `migrate`. From then on nothing is written once a newer program has changed it: an older one does not
    know what else belongs into a commit."""

    def writing(self) -> AbstractContextManager[Tx]:
        """A transaction on the one writing connection; commits at the end, or leaves nothing behind.
        Must only be used by one thread at a time."""
        ...

    def reading(self) -> AbstractContextManager[Tx]:
        """A consistent snapshot; any thread, never blocks writers."""
        ...

    def backup(self, target: str) -> None: ...

    def close(self) -> None: ...


Work = Callable[[Tx], T]
