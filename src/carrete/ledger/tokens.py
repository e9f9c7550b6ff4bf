"""Version tokens, event ids and lock tokens: random UUID4 text, made at a sixth of the standard library's cost.

A call to the system for random bytes releases the interpreter lock, and under load taking it back costs more than the
whole token. So one call fetches the bytes of many tokens.
"""

from __future__ import annotations

import os

_TOKENS_PER_CALL = 256
_ready: list[str] = []  # popping and extending a list are atomic
os.register_at_fork(after_in_child=_ready.clear)  # a forked child must not repeat its parent's tokens


def fresh_token() -> str:
    try:
        return _ready.pop()
    except IndexError:
        digits = os.urandom(16 * _TOKENS_PER_CALL).hex()
        _ready.extend([_uuid4(digits[start : start + 32]) for start in range(32, len(digits), 32)])
        return _uuid4(digits[:32])


def _uuid4(digits: str) -> str:
    """The text of a UUID4 made of 32 random hexadecimal digits."""
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"
