"""Signed taps. A tablet signs each tap when it is tapped, so that it is its author's whenever it arrives.

    Carrete-Tap: session, number, time, signature

The signature is HMAC-SHA256, in hexadecimal digits, with the session's tap key over path, idempotency key, number, time
and body. Which person is signed in when the tap arrives does not matter, and neither does the tablet's clock."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from hmac import compare_digest
from typing import NamedTuple

from carrete.identity.records import Session
from carrete.identity.refusals import TapRefused

JUST_NOW = timedelta(seconds=10)
ACCEPTED_AFTER_SESSION = timedelta(hours=24)
_NUMBER_MAX = 2**53
_DIGITS_MAX = 15  # of a number that is surely not above that
_MAC_DIGITS = 64
_TIME_CHARS_MAX = 40
_BLOCK = 64  # bytes, of SHA-256
_TEN_SECONDS = len("2026-11-16T13:30:0")  # what all times within the same ten seconds begin with
_HEADER = re.compile(
    r"([a-z0-9-]{1,40}), ?([0-9]{1,16}), ?([!-+\--~]{1,40}), ?([0-9a-f]{64})"  # session, number, any time, signature
)


class TapKey:
    """The key of a session's taps. HMAC is put together from two hashes as RFC 2104 says: the module `hmac` takes more
    than twice the time, and its `digest` lets go of the interpreter, so that the event loop would wait for it."""

    __slots__ = ("_inner", "_outer")

    def __init__(self, key: bytes) -> None:
        assert len(key) <= _BLOCK
        padded = key.ljust(_BLOCK, b"\0")
        self._inner = sha256(bytes(byte ^ 0x36 for byte in padded))
        self._outer = sha256(bytes(byte ^ 0x5C for byte in padded))

    def signature(self, path: str, key: str, number: int | str, time: str, body: bytes) -> str:
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(f"{path}\n{key}\n{number}\n{time}\n".encode() + body)
        outer.update(inner.digest())
        return outer.hexdigest()


class SignedTap(NamedTuple):
    """The header `Carrete-Tap` of a request. A named tuple, because every tap makes one."""

    session_id: str
    digits: str  # of its number, which begins with no zero
    time: str
    mac: str

    @classmethod
    def parse(cls, header: bytes) -> SignedTap:
        found = _HEADER.fullmatch(header.decode("latin-1").strip())
        if found is not None:
            session, digits, time, mac = found.groups()
            if 1 <= int(digits) <= _NUMBER_MAX:
                return cls(session, str(int(digits)), time, mac)
        raise TapRefused("la cabecera Carrete-Tap no tiene la forma debida.")

    @classmethod
    def parse_quickly(cls, header: bytes) -> SignedTap | None:
        """A header as the web app writes it, in half the time; None for any other, also for some that `parse` takes."""
        try:
            session, digits, time, mac = str(header, "ascii").split(", ")
        except ValueError:
            return None
        if len(mac) != _MAC_DIGITS or not digits.isdecimal() or digits[0] == "0" or len(digits) > _DIGITS_MAX:
            return None
        if not time or len(time) > _TIME_CHARS_MAX or not time.isprintable() or " " in time:
            return None  # the session is as signed, or the signature does not hold
        return tuple.__new__(cls, (session, digits, time, mac))

    @property
    def number(self) -> int:
        return int(self.digits)

    def require_session(self, session: Session | None, now: datetime) -> None:
        """Refuses the tap when its session is unknown, too long ago, or ended before this tap."""
        if session is None:
            raise TapRefused("no existe su sesión.")
        if session.device_revoked:
            raise TapRefused("su dispositivo fue revocado.")
        if session.last_tap is not None and self.number > session.last_tap:
            raise TapRefused("la sesión había terminado antes.")
        if now > session.over_at() + ACCEPTED_AFTER_SESSION:
            raise TapRefused("su sesión terminó hace más de 24 horas.")

    def require_signature(self, tap_key: TapKey, path: str, key: str | None, body: bytes) -> None:
        if not key:
            raise TapRefused("falta Idempotency-Key.")
        if not compare_digest(self.mac, tap_key.signature(path, key, self.digits, self.time, body)):
            raise TapRefused("la firma no corresponde.")

    def is_awaited(self, session: Session) -> bool:
        """Whether it may still be done, once its signature holds. When a tablet reports the end of a session it sends
        the signatures of the taps that it has not seen answered. After that no other tap of the session is accepted,
        not even one with the session's key and a number that was used."""
        return session.unsent is None or self.mac in session.unsent

    def tapped_at(self, now: float) -> str | None:
        """Its own time, if that was not just now; `now` in seconds since 1970. Most taps need not be parsed for
        that."""
        if self.time[:_TEN_SECONDS] == _ten_seconds(now // 10) and self.time[-1] == "Z":
            return None
        return time_of_tap(self.time, datetime.fromtimestamp(now, UTC))


def time_of_tap(text: str, now: datetime) -> str | None:
    """The tablet's own time of a tap, if that was not just now. It only informs: what is no time is left out."""
    try:
        at = datetime.fromisoformat(text)
        if at.tzinfo is None or abs(now - at) < JUST_NOW:
            return None
        return at.astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):  # no time, or one before the year 1 in UTC
        return None


@lru_cache(maxsize=2)
def _ten_seconds(number: float) -> str:
    """What all times in UTC within these ten seconds begin with."""
    return datetime.fromtimestamp(number * 10, UTC).strftime("%Y-%m-%dT%H:%M:%S")[:_TEN_SECONDS]
