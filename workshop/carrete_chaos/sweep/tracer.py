"""strace: lists the calls of a process, or kills it right before one of them."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from carrete.parent_death import end_with_parent
from carrete_chaos.sweep.points import CALLS, Point, points_in

ATTACH_S_MAX = 20.0
END_S_MAX = 20.0
_PR_SET_PTRACER = 0x59616D61
_ANYBODY = ctypes.c_ulong(-1)


class CannotTrace(Exception):
    """This machine does not allow tracing: the sweep proves nothing about the product."""


def strace() -> str:
    found = shutil.which("strace")
    if found is None:
        raise CannotTrace("the crash sweep needs strace, which is not on PATH.")
    return found


def allow_tracing() -> None:
    """Called in the child: some machines let only ancestors trace a process by default."""
    ctypes.CDLL(None).prctl(_PR_SET_PTRACER, _ANYBODY)


def require() -> None:
    """Raises CannotTrace where strace is missing or not allowed."""
    strace()
    child = os.fork()
    if child == 0:
        end_with_parent()
        allow_tracing()
        time.sleep(2 * ATTACH_S_MAX)
        os._exit(0)
    tracer = Tracer(Path(os.devnull))
    try:
        tracer.attach(child)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        tracer.end()


class Tracer:
    def __init__(self, log: Path, point: Point | None = None) -> None:
        """Without a point it only lists the calls."""
        self._log = log
        self._point = point
        self._process: subprocess.Popen[bytes] | None = None

    def attach(self, pid: int) -> None:
        """Attaches to all present and future threads. Calls before that are not counted."""
        command = [strace(), "-f", "-o", str(self._log), "-p", str(pid), *self._what()]
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=end_with_parent
        )
        until = time.monotonic() + ATTACH_S_MAX
        while not _all_traced(pid):
            if self._process.poll() is not None or time.monotonic() > until:
                raise CannotTrace(f"strace cannot trace a process of ours: {self._complaint()}")
            time.sleep(0.005)

    def _what(self) -> list[str]:
        if self._point is None:
            return ["-e", "trace=" + ",".join(f"?{call}" for call in CALLS)]
        call, nth = self._point.call, self._point.nth
        return ["-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={nth}"]

    def _complaint(self) -> str:
        assert self._process is not None
        self._process.kill()
        output = self._process.communicate()[1]
        return output.decode(errors="replace").strip() or f"not within {ATTACH_S_MAX:.0f} s"

    def points(self) -> list[Point]:
        return points_in(self._log.read_text(errors="replace").splitlines())

    def calls(self) -> int:
        return sum(1 for line in self._log.read_text(errors="replace").splitlines() if " resumed>" not in line)

    def end(self) -> None:
        """strace ends by itself when the traced process ends."""
        if self._process is not None:
            try:
                self._process.communicate(timeout=END_S_MAX)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.communicate()


def _all_traced(pid: int) -> bool:
    try:
        statuses = [(task / "status").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return False
    return bool(statuses) and not any("TracerPid:\t0\n" in status for status in statuses)
