"""Version tokens, event ids and lock tokens: random UUID4 text, made at a sixth of the standard library's cost.

Asking the system for random bytes lets another thread have the interpreter, and under load getting it back takes longer
than the whole token. So they are asked for by the hundred.
"""

from __future__ import annotations

import os

_AT_ONCE = 256
_ready: list[str] = []  # thirty-two digits each; popping and extending a list need no lock
os.register_at_fork(after_in_child=_ready.clear)  # a child must not hand out its parent's


def fresh_token() -> str:
    digits = _next()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def _next() -> str:
    try:
        return _ready.pop()
    except IndexError:
        digits = os.urandom(16 * _AT_ONCE).hex()
        _ready.extend([digits[place : place + 32] for place in range(32, len(digits), 32)])
        return digits[:32]
