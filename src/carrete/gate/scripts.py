"""The Lua scripts, by name, with the SHA that Redis knows them by."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

from carrete.redis.pipeline import Script


@cache
def script(name: str) -> Script:
    text = files("carrete.gate").joinpath("lua", f"{name}.lua").read_bytes()
    return Script(name, text, hashlib.sha1(text, usedforsecurity=False).hexdigest().encode())
