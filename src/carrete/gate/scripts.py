"""Loads the Lua scripts of the gate by name."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

from carrete.redis.script_calls import Script


@cache
def script(name: str) -> Script:
    text = files("carrete.gate").joinpath("lua", f"{name}.lua").read_bytes()
    return Script(name, text, hashlib.sha1(text, usedforsecurity=False).hexdigest().encode())
