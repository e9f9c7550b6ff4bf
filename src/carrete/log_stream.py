"""Writes log lines to standard error without ever waiting: when its reader stops reading, lines are dropped.

A pipe holds 64 kB. When its reader stalls (a paused terminal, a log collector that hangs) an ordinary write would block
the event loop, and with it every tap. Here such a line is dropped and counted, and the number of dropped lines is
written as soon as there is room again.
"""

from __future__ import annotations

import os
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

LOST = "log lines were lost, because whoever reads this log did not keep up"


class LogStream:
    """The stream that structlog and logging write to, one line with each write."""

    def __init__(self, stderr: TextIO) -> None:
        self._send = _without_waiting(stderr)
        self._lost = 0
        self._torn = False  # only a part of the last line was written
        self._redirect: Callable[[str], object] | None = None

    @property
    def is_redirected(self) -> bool:
        return self._redirect is not None

    @contextmanager
    def redirected(self, write: Callable[[str], object]) -> Iterator[None]:
        """During the block lines go to `write` instead of standard error."""
        self._redirect = write
        try:
            yield
        finally:
            self._redirect = None

    def write(self, text: str) -> int:
        if self._redirect is not None:
            self._redirect(text)
        elif self._send is None:
            print(text, end="", file=sys.stderr, flush=True)
        else:
            self._send_or_drop(self._send, text.encode("utf-8", "backslashreplace"))
        return len(text)

    def flush(self) -> None:
        """Required of a stream; there is no buffer."""

    def _send_or_drop(self, send: Callable[[bytes], int], line: bytes) -> None:
        try:
            if self._lost or self._torn:
                send(b"%s%d %s\n" % (b"\n" if self._torn else b"", self._lost, LOST.encode()))
                self._lost, self._torn = 0, False
            self._torn = send(line) < len(line)
        except BlockingIOError:
            self._lost += 1
        except OSError:  # the reader is gone or the disk is full: the error cannot be logged anywhere
            self._lost += 1


def _without_waiting(stderr: TextIO) -> Callable[[bytes], int] | None:
    """A function that writes without waiting; None when standard error has no file descriptor, as in some tests."""
    try:
        number = stderr.fileno()
        mode = os.fstat(number).st_mode
    except (OSError, ValueError):
        return None
    if stat.S_ISSOCK(mode):  # systemd's journal
        journal = socket.socket(fileno=os.dup(number))
        return lambda data: journal.send(data, socket.MSG_DONTWAIT)
    if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode):
        number = _reopened(number)
    return lambda data: os.write(number, data)


def _reopened(number: int) -> int:
    """Our own descriptor for the same file: O_NONBLOCK on the given one would also affect the shell that shares it."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        return os.open(f"/proc/self/fd/{number}", flags)
    except OSError:
        return number
