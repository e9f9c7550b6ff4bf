"""Bugs of hand-overs, notes, sign-outs and joints that are planted in a running `carrete` from outside."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from carrete.actions import group
from carrete.domain import decide
from carrete.domain.notes import add_note
from carrete.domain.relevo import RelevoOffer
from carrete.identity.pins import PinHasher
from carrete.identity.records import Session
from carrete.identity.refusals import TapRefused
from carrete.identity.taps import SignedTap
from carrete.ledger import store
from carrete.ledger.rows import spool_from
from carrete.ledger.tokens import fresh_token

BETWEEN_S = 0.15  # between the two commits of a hand-over
RARELY = 0.1


def hand_over_in_two_commits() -> None:
    """The giver's occupation ends in a commit of its own. A kill in between leaves the spool without a holder."""

    def halved(tx: Any, changes: Any, events: int) -> Any:
        for n, write in enumerate(changes.spools):
            now = spool_from(tx.one("spool", tag=write.spool.tag))
            if now.occupation and write.spool.occupation and now.occupation.lock != write.spool.occupation.lock:
                free = now.but(occupation=None, version=fresh_token())
                store.update_rows(tx, store.Changes(changes.now, [store.SpoolWrite(free, now.version)]), 0)
                tx.execute("COMMIT")
                time.sleep(BETWEEN_S)
                tx.execute("BEGIN IMMEDIATE")
                changes.spools[n] = store.SpoolWrite(write.spool, free.version)
        return store.update_rows(tx, changes, events)

    vars(group).update(update_rows=halved)


def an_offer_is_good_for_anybody() -> None:
    """Anybody may accept an offer, whoever it was made for."""
    RelevoOffer.is_for = lambda self, worker_id: worker_id != self.giver_id  # type: ignore[method-assign]


def a_note_is_written_twice() -> None:
    def twice(*given: Any) -> Any:
        change = add_note(*given)
        return change._replace(events=(*change.events, *change.events))

    vars(decide).update(add_note=twice)


def a_note_changes_the_spool() -> None:
    vars(decide).update(add_note=lambda *given: add_note(*given)._replace(keeps_version=False))


def taps_after_the_last_are_served() -> None:
    """The last number that the sign-out reported is forgotten."""
    right = SignedTap.require_session

    def forgiving(self: Any, session: Any, now: Any) -> None:
        right(self, replace(session, last_tap=None) if session else None, now)

    SignedTap.require_session = forgiving  # type: ignore[method-assign]
    Session.accepts_every_tap = lambda self, now: False  # type: ignore[method-assign]


def late_taps_are_refused() -> None:
    """The taps of a person who has left the tablet are refused."""
    right = SignedTap.require_session

    def strict(self: Any, session: Any, now: Any) -> None:
        right(self, session, now)
        if session.is_over(now):
            raise TapRefused("su sesión terminó.")

    SignedTap.require_session = strict  # type: ignore[method-assign]


def a_wrong_pin_is_right() -> None:
    PinHasher.verify_blocking = lambda self, stored, pin: True  # type: ignore[method-assign]


def a_joint_is_not_written() -> None:
    """Its event is there, its row sometimes is not."""

    def some(tx: Any, changes: Any, events: int) -> Any:
        lost = random.random() < RARELY
        return store.update_rows(tx, replace(changes, changed_joints=[] if lost else changes.changed_joints), events)

    vars(group).update(update_rows=some)


SHIFT_BUGS: Mapping[str, Callable[[], None]] = {
    bug.__name__: bug
    for bug in (
        hand_over_in_two_commits,
        an_offer_is_good_for_anybody,
        a_note_is_written_twice,
        a_note_changes_the_spool,
        taps_after_the_last_are_served,
        late_taps_are_refused,
        a_wrong_pin_is_right,
        a_joint_is_not_written,
    )
}
