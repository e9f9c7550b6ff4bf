"""Runs pieces of work, a few at a time, each in a process of its own: what one starts ends with its process."""

from __future__ import annotations

import os
import pickle
import selectors
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from carrete.parent_death import end_with_parent

T = TypeVar("T")
WORK_S_MAX = 240.0


class Failed(Exception):
    """The work raised, hung or died; the message is its trace. It proves nothing."""


@dataclass(slots=True)
class _Running:
    number: int
    pid: int
    pipe: int
    until: float
    output: bytes = b""


def apart(
    work: Sequence[Callable[[], T]], jobs: int = 1, s_max: float = WORK_S_MAX
) -> Iterator[tuple[int, T | Failed]]:
    """Yields the number of each piece of work and its result, in the order in which they end."""
    waiting = list(enumerate(work))
    with selectors.DefaultSelector() as selector:
        running: set[int] = set()
        while waiting or running:
            while waiting and len(running) < jobs:
                begun = _begin(*waiting.pop(0), s_max)
                running.add(begun.pid)
                selector.register(begun.pipe, selectors.EVENT_READ, begun)
            for one in _ended(selector):
                running.discard(one.pid)
                yield one.number, _result(one)


def alone(work: Callable[[], T]) -> T:
    ((_, result),) = apart([work])
    if isinstance(result, Failed):
        raise result
    return result


def _begin(number: int, work: Callable[[], object], s_max: float) -> _Running:
    sys.stdout.flush()
    sys.stderr.flush()
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ours)
        _work(work, theirs)
    os.close(theirs)
    return _Running(number, pid, ours, time.monotonic() + s_max)


def _work(work: Callable[[], object], pipe: int) -> NoReturn:
    try:
        end_with_parent()
        result: object
        try:
            result = work()
        except Exception:  # noqa: BLE001 - the caller gets it
            result = Failed(traceback.format_exc())
        with os.fdopen(pipe, "wb") as pipe_file:
            pickle.dump(result, pipe_file)
    finally:
        os._exit(0)


def _ended(selector: selectors.BaseSelector) -> Iterator[_Running]:
    for key, _ in selector.select(timeout=1.0):
        if output := os.read(key.fd, 65536):
            key.data.output += output
        else:
            yield _over(selector, key.data)
    for key in list(selector.get_map().values()):
        if time.monotonic() > key.data.until:
            os.kill(key.data.pid, signal.SIGKILL)
            yield _over(selector, key.data)


def _over(selector: selectors.BaseSelector, one: _Running) -> _Running:
    selector.unregister(one.pipe)
    os.close(one.pipe)
    os.waitpid(one.pid, 0)
    return one


def _result(one: _Running) -> Any:
    try:
        return pickle.loads(one.output)
    except (EOFError, pickle.UnpicklingError):
        return Failed("it did not end in time, or died")
