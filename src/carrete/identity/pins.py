"""PINs: given at random, obvious ones refused, kept as Argon2id with a pepper that is not in the ledger.

Hashing takes tens of milliseconds of a core, so it runs in one thread of its own with the lowest claim on the CPU.
"""

from __future__ import annotations

import asyncio
import base64
import hmac
import os
import secrets
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import date
from itertools import pairwise
from typing import TypeVar

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION

from carrete.identity.refusals import TooManyAttempts

T = TypeVar("T")

PIN_DIGITS = 6
WAITING_MAX = 64
BUSY_RETRY_AFTER_S = 3
_MEMORY_KIB = 19_456
_PASSES = 2
_HASH_BYTES = 32
_SALT_BYTES = 16
_NICE = 10
_YEARS = range(1940, 2040)
_LINES = ("123", "456", "789", "147", "258", "369", "159", "357", "258", "580")
_PAD_LINES = frozenset((*_LINES, *(line[::-1] for line in _LINES)))  # rows, columns and diagonals of the pad


def random_pin() -> str:
    while True:
        pin = f"{secrets.randbelow(10**PIN_DIGITS):0{PIN_DIGITS}d}"
        if not is_obvious(pin):
            return pin


def is_pin(value: object) -> bool:
    return isinstance(value, str) and len(value) == PIN_DIGITS and value.isascii() and value.isdigit()


def is_obvious(pin: str) -> bool:
    """Whether the PIN is among the first that a colleague would try: repetitions, runs, lines of the pad, dates."""
    steps = {(int(after) - int(before)) % 10 for before, after in pairwise(pin)}
    return (
        len(set(pin)) <= 2  # 110110, 474747
        or len(steps) == 1  # 123456, 987654, 246802
        or any(digit * 3 in pin for digit in pin)  # 000931
        or pin[:3] in (pin[3:], pin[:2:-1])  # 293293, 293392
        or (pin[0], pin[2], pin[4]) == (pin[1], pin[3], pin[5])  # 113355
        or int(pin[:4]) in _YEARS
        or int(pin[2:]) in _YEARS
        or (pin[:3] in _PAD_LINES and pin[3:] in _PAD_LINES)  # 147258, 159753
        or _is_day_of_year(pin[:2], pin[2:4])  # 160585, a day of birth
        or _is_day_of_year(pin[4:], pin[2:4])  # 850516
    )


def _is_day_of_year(day: str, month: str) -> bool:
    with suppress(ValueError):
        date(2000, int(month), int(day))  # a year that has a 29th of February
        return True
    return False


class PinHasher:
    """Makes and checks the hashes of PINs. At most `WAITING_MAX` callers wait; further ones are refused for now."""

    def __init__(self, pepper: bytes) -> None:
        self._pepper = pepper
        self._argon2 = PasswordHasher(_PASSES, _MEMORY_KIB, 1, _HASH_BYTES, _SALT_BYTES, type=Type.ID)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="pin-hasher", initializer=_be_nice)
        self._waiting = 0
        self._dummy = hash_of_no_pin()

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place in the queue. It is taken before an attempt is counted, so that no refused caller is counted."""
        if self._waiting >= WAITING_MAX:
            raise TooManyAttempts(BUSY_RETRY_AFTER_S)
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1

    async def hash(self, pin: str) -> str:
        return await self._in_pool(lambda: self.hash_blocking(pin))

    async def verify(self, stored: str | None, pin: str) -> bool:
        """Without a stored hash a dummy is checked: the answer takes as long, and is always no."""
        return await self._in_pool(lambda: self.verify_blocking(stored, pin))

    def hash_blocking(self, pin: str) -> str:
        """For commands. A server uses `hash`: this would stop its event loop."""
        return self._argon2.hash(self._peppered(pin))

    def verify_blocking(self, stored: str | None, pin: str) -> bool:
        """As `verify`, in the calling thread."""
        try:
            return self._argon2.verify(stored or self._dummy, self._peppered(pin)) and stored is not None
        except (VerificationError, InvalidHashError):
            return False

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _in_pool(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def _peppered(self, pin: str) -> bytes:
        return hmac.digest(self._pepper, pin.encode(), "sha256")


def hash_of_no_pin() -> str:
    """Random bytes in the form of a hash: to check a PIN against it takes as long as against a person's, and to make it
    takes no time at the start."""
    salt, digest = (base64.b64encode(secrets.token_bytes(n)).decode().rstrip("=") for n in (_SALT_BYTES, _HASH_BYTES))
    return f"$argon2id$v={ARGON2_VERSION}$m={_MEMORY_KIB},t={_PASSES},p=1${salt}${digest}"


def _be_nice() -> None:
    """Actions go first. On Linux a thread has a priority of its own; elsewhere the whole process would change."""
    if sys.platform == "linux":
        with suppress(OSError):
            thread = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + _NICE)
