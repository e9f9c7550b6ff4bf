"""Makes a child process end with its parent, also when the parent is killed with -9. Only Linux can do this."""

from __future__ import annotations

import ctypes
import signal
import sys

_PR_SET_PDEATHSIG = 1


def end_with_parent(how: signal.Signals = signal.SIGKILL) -> None:
    """To be called in the child's main thread. Does nothing on other systems."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, how)
