"""Runs a command for so many minutes at most, and ends every process that it leaves behind.

`bounded.py MINUTES COMMAND…` exits as the command does, or with 124 when its time is up. A test process that crashes
leaves servers behind; they would keep the output of a CI run open for ever."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

BECOME_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: orphans of our children become our children
TIME_IS_UP = 124


def main() -> int:
    minutes_max, command = float(sys.argv[1]), sys.argv[2:]
    _adopt_orphans()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # ends what it started, too
    process = subprocess.Popen(command)
    try:
        status = process.wait(minutes_max * 60)
        return status if status >= 0 else 128 - status
    except subprocess.TimeoutExpired:
        print(f"not done after {minutes_max:g} minutes: ended", file=sys.stderr)
        return TIME_IS_UP
    finally:
        while children := _children():
            _end(children)


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(BECOME_SUBREAPER, 1, 0, 0, 0)


def _children() -> list[int]:
    lists = (tasks.read_text() for tasks in Path("/proc/self/task").glob("*/children"))
    return [int(pid) for pids in lists for pid in pids.split()]


def _end(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    for pid in pids:
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)


if __name__ == "__main__":
    sys.exit(main())
