"""A child process that ends with its parent, also when that is killed with -9. Linux only; elsewhere a no-op."""

from __future__ import annotations

import ctypes
import signal
import sys

_PR_SET_PDEATHSIG = 1


def end_with_parent(how: signal.Signals = signal.SIGKILL) -> None:
    """Called in the child, by its first thread."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, how)
