"""A command without root's right to read and change everything: for tests of what a user is not allowed."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

_PR_CAPBSET_DROP = 24
_DAC_OVERRIDE, _DAC_READ_SEARCH, _FOWNER = 1, 2, 3


def run_unprivileged(command: list[str], environment: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Still root, so that it finds its Python; but the modes of files hold for it, and only an owner changes them."""
    return subprocess.run(
        command, env=environment, cwd=folder, preexec_fn=_give_up, capture_output=True, text=True, timeout=60
    )


def _give_up() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (_DAC_OVERRIDE, _DAC_READ_SEARCH, _FOWNER):
        if libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
