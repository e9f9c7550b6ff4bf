"""Runs `carrete` with a bug that only a kill at the right moment shows: `python planted_commits.py BUG chaos sweep …`.

The product has no switch for them. Undisturbed, each of these programs does everything right.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from carrete.actions import group
from carrete.api import photos
from carrete.identity import tokens
from carrete.ledger import migrate, store
from carrete.ledger.notes import save_photo
from carrete.ledger.rows import spool_from
from carrete.ledger.tokens import fresh_token
from carrete.trail import seals
from carrete.webhooks.address_turn import AddressTurn


def the_key_follows_in_a_commit_of_its_own() -> None:
    """Killed in between, the same key is decided once more."""

    def recorded(tx: Any, keys: Any, now: Any) -> None:
        commit(tx)
        store.insert_keys(tx, keys, now)

    vars(group).update(insert_keys=recorded)


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
    apply = migrate._apply
    migrate._apply = lambda tx, *what: apply(hasty(tx, "schema_record"), *what)


def the_record_of_a_new_token_follows_in_a_commit_of_its_own() -> None:
    """Killed in between, there is a token that nobody is known to have made."""
    make = tokens.make
    vars(tokens).update(make=lambda tx, *what, **more: make(hasty(tx, "access_event_insert"), *what, **more))


def the_bytes_of_a_photo_follow_in_a_commit_of_their_own() -> None:
    """Killed in between, there is a photo without a picture until it is sent again."""
    vars(photos).update(save_photo=lambda tx, *what: save_photo(hasty(tx, "photo_bytes_insert"), *what))


def the_message_of_a_seal_follows_in_a_commit_of_its_own() -> None:
    """Killed in between, the address that asked for seals never gets this one."""
    seal = seals.seal_if_due
    vars(seals).update(seal_if_due=lambda tx, **what: seal(hasty(tx, "webhook_message_add"), **what))


def an_event_counts_as_delivered_before_it_is_sent() -> None:
    """Killed in between, the address never gets it."""
    send = AddressTurn._try_event

    async def stored_first(turn: Any, message: Any, *what: Any) -> None:
        turn._progress.succeed(turn._tools.now())
        turn._progress.seq = message.seq
        await turn._save()
        await send(turn, message, *what)

    AddressTurn._try_event = stored_first  # type: ignore[assignment, method-assign]


def hasty(tx: Any, before: str) -> Any:
    """The transaction, which commits what it has before this statement."""

    class Hasty:
        def __getattr__(self, name: str) -> Any:
            return getattr(tx, name)

        def run(self, name: str, /, **params: Any) -> Any:
            if name == before:
                commit(tx)
            return tx.run(name, **params)

    return Hasty()


BUGS: Mapping[str, Callable[[], None]] = {
    bug.__name__: bug
    for bug in (
        the_key_follows_in_a_commit_of_its_own,
        a_hand_over_frees_the_spool_in_a_commit_of_its_own,
        the_number_of_a_migration_follows_in_a_commit_of_its_own,
        the_record_of_a_new_token_follows_in_a_commit_of_its_own,
        the_bytes_of_a_photo_follow_in_a_commit_of_their_own,
        the_message_of_a_seal_follows_in_a_commit_of_its_own,
        an_event_counts_as_delivered_before_it_is_sent,
    )
}


def main(arguments: Sequence[str]) -> None:
    BUGS[arguments[0]]()
    from carrete.cli import main as carrete

    sys.argv = ["carrete", *arguments[1:]]
    carrete()


if __name__ == "__main__":
    main(sys.argv[1:])
