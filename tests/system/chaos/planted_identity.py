"""Bugs of identity that are planted in a running `carrete` from outside."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from carrete.api import actions, authored
from carrete.api.server import gatekeeper
from carrete.identity import lookups, taps, throttle
from carrete.identity.refusals import IdentityDiffers
from carrete.identity.throttle import PinAttempt


def actor_from_the_body() -> None:
    """The person named in the body acts, whoever is signed in."""

    def obeyed(right: Any) -> Any:
        def body_of(body_type: Any, raw: bytes, author: Any) -> Any:
            try:
                return right(body_type, raw, author)
            except IdentityDiffers:
                return body_type.model_validate_json(raw)

        return body_of

    authored.authored = obeyed(authored.authored)


def late_tap_given_to_the_new_session() -> None:
    """The cookie wins over `Carrete-Tap`."""
    right = gatekeeper._given
    gatekeeper._given = lambda scope: right(scope)._replace(tap=None)
    gatekeeper.Gatekeeper.admits_at_once = lambda self, scope, method, path: False  # type: ignore[method-assign]


def revocation_unheard() -> None:
    """A look-up that was made once is used for ever."""
    lookups.KEPT_S_MAX = lookups.RENEWED_AFTER_S = lookups.MADE_OF_KEPT_S_MAX = math.inf
    lookups.Lookups.drop = lambda self: None  # type: ignore[method-assign]
    lookups.Lookups.drop_sessions = lambda self, device_id, worker_id: None  # type: ignore[method-assign]


def key_shared_between_people() -> None:
    """The author is no part of the fingerprint: anybody who has the key gets the answer."""

    def fingerprint(path: str, key: str, body: Any) -> str:
        content = body.model_dump_json(exclude={body.author_field})
        return hashlib.blake2b(f"{path}\n{content}".encode(), digest_size=16).hexdigest()

    actions.fingerprint = fingerprint


def unsent_taps_not_asked_for() -> None:
    """After a sign-out any tap with a used number is done, whoever signed it."""
    taps.SignedTap.is_awaited = lambda self, session: True  # type: ignore[method-assign]


def named_taps_refused() -> None:
    """After a sign-out none of the taps that the tablet named is done."""
    taps.SignedTap.is_awaited = lambda self, session: session.unsent is None  # type: ignore[method-assign]


def throttle_forgotten_at_restart() -> None:
    """Wrong PINs are counted in memory only."""
    failures: dict[tuple[str, str], list[datetime]] = {}

    def count_attempt(tx: Any, who: str, device_id: str, now: datetime) -> PinAttempt:
        counted = failures.setdefault((who, device_id), [])
        last_at = counted[-1] if counted else None
        throttle._require_wait(len(counted) - throttle.FREE_FAILURES, throttle.WAITS_S, last_at, now)
        counted.append(now)
        return PinAttempt(who, device_id, now, ())

    def clear(tx: Any, attempt: PinAttempt) -> None:
        failures.pop((attempt.who, attempt.device_id), None)

    throttle.count_attempt, throttle.clear = count_attempt, clear


IDENTITY_BUGS: Mapping[str, Callable[[], None]] = {
    bug.__name__: bug
    for bug in (
        actor_from_the_body,
        late_tap_given_to_the_new_session,
        revocation_unheard,
        key_shared_between_people,
        unsent_taps_not_asked_for,
        named_taps_refused,
        throttle_forgotten_at_restart,
    )
}
