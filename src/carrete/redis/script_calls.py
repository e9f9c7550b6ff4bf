"""Calls of Lua scripts as they go to Redis, each with the futures of those who wait for its answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import hiredis

Arg = bytes | str | int

# hiredis declares the parameter as a tuple of one element.
pack: Callable[[tuple[Arg, ...]], bytes] = hiredis.pack_command  # type: ignore[assignment]


class RedisCallFailed(Exception):
    """The call was not sent, or there was no answer: it is unknown whether Redis ran the script."""


@dataclass(frozen=True, slots=True)
class Script:
    """A Lua script, with the SHA that Redis knows it by."""

    name: str
    text: bytes
    sha: bytes


class ScriptCall:
    """One run of a script."""

    __slots__ = ("_args", "_keys", "_script", "futures")

    def __init__(self, script: Script, keys: Sequence[str], args: Sequence[Arg], *futures: asyncio.Future[Any]) -> None:
        self._script = script
        self._keys = [*keys]
        self._args = [*args]
        self.futures = [*futures]

    def by_sha(self) -> bytes:
        return self._packed(b"EVALSHA", self._script.sha)

    def by_text(self) -> bytes:
        return self._packed(b"EVAL", self._script.text)

    def _packed(self, command: bytes, script: bytes) -> bytes:
        return pack((command, script, len(self._keys), *self._keys, *self._args))

    def succeed(self, answer: Any) -> None:
        (future,) = self.futures
        if not future.done():
            future.set_result(answer)

    def fail(self, reason: str) -> None:
        for future in self.futures:
            if not future.done():
                future.set_exception(RedisCallFailed(reason))


class SharedScriptCall(ScriptCall):
    """One run of a script for the locks of many callers: each caller gets the element of the answer for its lock."""

    __slots__ = ()

    def add(self, key: str, arg: Arg, future: asyncio.Future[Any]) -> None:
        self._keys.append(key)
        self._args.append(arg)
        self.futures.append(future)

    def succeed(self, answer: Any) -> None:
        for future, element in zip(self.futures, answer, strict=True):
            if not future.done():
                future.set_result(element)


def ignore_result(future: asyncio.Future[Any]) -> None:
    """A done callback for a call that is not awaited: asyncio then does not warn about its exception."""
    if not future.cancelled():
        future.exception()
