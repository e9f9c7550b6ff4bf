"""Standard error for the log of a server: a reader that has stopped reading loses lines, and nobody waits for it.

A pipe holds 64 kB. When its reader stalls (a terminal that was paused, a collector that hangs) an ordinary write would
wait, on the event loop, and with it every tap. Here such a line is dropped and counted, and the loss is said as soon as
there is room again.
"""

from __future__ import annotations

import os
import socket
import stat
import sys
from collections.abc import Callable
from typing import TextIO

LOST = "log lines were lost, because whoever reads this log did not keep up"


class LogStream:
    """What structlog and logging write to. Each line is one write."""

    def __init__(self, stderr: TextIO) -> None:
        self._send = _without_waiting(stderr)
        self._lost = 0
        self._torn = False
        self.write_above_a_bar: Callable[[str], object] | None = None

    def write(self, text: str) -> int:
        if self.write_above_a_bar is not None:
            self.write_above_a_bar(text)
        elif self._send is None:
            print(text, end="", file=sys.stderr, flush=True)
        else:
            self._offer(self._send, text.encode("utf-8", "backslashreplace"))
        return len(text)

    def flush(self) -> None:
        """Nothing is kept back."""

    def _offer(self, send: Callable[[bytes], int], line: bytes) -> None:
        try:
            if self._lost or self._torn:
                send(b"%s%d %s\n" % (b"\n" if self._torn else b"", self._lost, LOST.encode()))
                self._lost, self._torn = 0, False
            self._torn = send(line) < len(line)
        except BlockingIOError:
            self._lost += 1
        except OSError:  # nobody reads it any more, or the disk is full: there is no place left to say so
            self._lost += 1


def _without_waiting(stderr: TextIO) -> Callable[[bytes], int] | None:
    """How to write there without ever waiting; None where standard error is no file of the system, as in some tests."""
    try:
        number = stderr.fileno()
        mode = os.fstat(number).st_mode
    except (OSError, ValueError):
        return None
    if stat.S_ISSOCK(mode):  # systemd's journal
        journal = socket.socket(fileno=os.dup(number))
        return lambda data: journal.send(data, socket.MSG_DONTWAIT)
    if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode):
        number = _opened_anew(number)
    return lambda data: os.write(number, data)


def _opened_anew(number: int) -> int:
    """O_NONBLOCK on the descriptor that we were given would hold for everybody who shares it, our shell included."""
    how = os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        return os.open(f"/proc/self/fd/{number}", how)
    except OSError:
        return number
