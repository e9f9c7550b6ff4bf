"""What a campaign did with devices, sessions and PINs, for the rules of identity."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

PROPAGATION_S = 5.0  # in which every process knows that a device was revoked or a session ended
CHANGED_HANDS = "a tablet changed hands with unsent taps"
LATE = "a late tap was served beside the cookie of somebody else"
EXPIRED = "a session expired"
ENROLLED_ANEW = "a device was revoked and enrolled anew"
AFTER_REVOCATION = "a tap of a revoked device was refused"
AFTER_SIGN_OUT = "a tap above the last number of its session was refused"
USED_NUMBER = "a tap that its tablet had not named as unsent was refused"
OTHER_NAME = "a tap in the name of somebody else was refused"
OTHERS_KEY = "the key of somebody else was refused"
HELD_OFF = "a guess of a PIN was held off"
MISTYPED = "a mistyped PIN was refused"
SIGNED_IN = "signed in"
WITH_PIN = "an action that needs a fresh PIN was served"
WITHOUT_PIN = "an action that needs a fresh PIN was refused after its session"
NEED_PIN = ("liberar", "desbloquear", "corregir", "resolver")  # a supervisor's actions, which are never done later
HAPPENINGS = (
    *(CHANGED_HANDS, LATE, EXPIRED, ENROLLED_ANEW, AFTER_REVOCATION, AFTER_SIGN_OUT, USED_NUMBER),
    *(OTHER_NAME, OTHERS_KEY, HELD_OFF, MISTYPED, SIGNED_IN, WITH_PIN, WITHOUT_PIN),
)


@dataclass(frozen=True, slots=True)
class TapOrigin:
    """Where a tap was signed, and the worker that its body names (None: the field was left out)."""

    device: str
    session: str
    number: int
    named: int | None = None


@dataclass(frozen=True, slots=True)
class DeviceRevoked:
    device: str
    answered: float


@dataclass(frozen=True, slots=True)
class SessionClosed:
    """A sign-out that was answered: no tap of the session has a higher number, and none is done any more but those with
    the keys `unsent` (None: the tablet named none)."""

    session: str
    last_tap: int
    answered: float
    unsent: frozenset[str] | None = None

    def covers(self, key: str, number: int) -> bool:
        return number <= self.last_tap and (self.unsent is None or key in self.unsent)


@dataclass(frozen=True, slots=True)
class OthersKey:
    """A request with the idempotency key of another person's tap, and its answer."""

    key: str
    tag: str
    worker_id: int
    owner_id: int
    status: int
    code: str


@dataclass(frozen=True, slots=True)
class PinGuess:
    """A wrong PIN for one person on one device, and its answer."""

    began: float
    ended: float
    status: int
    code: str


@dataclass(slots=True)
class IdentityLog:
    revoked: list[DeviceRevoked] = field(default_factory=list)
    closed: list[SessionClosed] = field(default_factory=list)
    others_keys: list[OthersKey] = field(default_factory=list)
    guesses: list[PinGuess] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)  # sign-ins that were answered in a wrong way
    happened: Counter[str] = field(default_factory=Counter)
