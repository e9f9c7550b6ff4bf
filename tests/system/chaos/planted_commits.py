"""Runs `carrete` with a bug that only a kill at the right moment shows: `python planted_commits.py BUG chaos sweep …`.

The product has no switch for them. Undisturbed, each of these programs does everything right.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from carrete.actions import group
from carrete.ledger import migrate, store
from carrete.ledger.rows import spool_from
from carrete.ledger.tokens import fresh_token


def the_key_follows_in_a_commit_of_its_own() -> None:
    """Killed in between, the same key is decided once more."""

    def recorded(tx: Any, changes: Any, events: Any, keys: Any) -> None:
        store.insert_events(tx, changes, events, {})
        commit(tx)
        store.insert_events(tx, store.Changes(changes.now), [], keys)

    vars(group).update(insert_events=recorded)


def a_hand_over_frees_the_spool_in_a_commit_of_its_own() -> None:
    """Killed in between, the giver has lost the spool and the receiver has not got it; alive, anybody may take it."""

    def halved(tx: Any, changes: Any, events: int) -> Any:
        for n, write in enumerate(changes.spools):
            now = spool_from(tx.one("spool", tag=write.spool.tag))
            if now.occupation and write.spool.occupation and now.occupation.lock != write.spool.occupation.lock:
                free = now.but(occupation=None, version=fresh_token())
                store.update_rows(tx, store.Changes(changes.now, [store.SpoolWrite(free, now.version)]), 0)
                commit(tx)
                changes.spools[n] = store.SpoolWrite(write.spool, free.version)
        return store.update_rows(tx, changes, events)

    vars(group).update(update_rows=halved)


def commit(tx: Any) -> None:
    tx.execute("COMMIT")
    tx.execute("BEGIN IMMEDIATE")


def the_number_of_a_migration_follows_in_a_commit_of_its_own() -> None:
    """Killed in between, the next start makes tables that are there already."""

    class Hasty:
        def __init__(self, tx: Any) -> None:
            self._tx = tx

        def __getattr__(self, name: str) -> Any:
            return getattr(self._tx, name)

        def run(self, name: str, **params: Any) -> None:
            if name == "schema_record":
                commit(self._tx)
            self._tx.run(name, **params)

    apply = migrate._apply
    migrate._apply = lambda tx, *what: apply(Hasty(tx), *what)  # type: ignore[arg-type]


BUGS: Mapping[str, Callable[[], None]] = {
    bug.__name__: bug
    for bug in (
        the_key_follows_in_a_commit_of_its_own,
        a_hand_over_frees_the_spool_in_a_commit_of_its_own,
        the_number_of_a_migration_follows_in_a_commit_of_its_own,
    )
}


def main(arguments: Sequence[str]) -> None:
    BUGS[arguments[0]]()
    from carrete.cli import main as carrete

    sys.argv = ["carrete", *arguments[1:]]
    carrete()


if __name__ == "__main__":
    main(sys.argv[1:])
