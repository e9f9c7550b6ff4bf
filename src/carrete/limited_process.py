"""Runs a module of ours in a process with limits on memory, time and output: native libraries that read or make
documents may crash or never end, and must not take the server with them."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_ENVIRONMENT = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "LANG", "LC_ALL")  # and no secrets
# One arena for all threads: glibc would reserve 64 MB of the address space for each thread.
_FIXED = {"MALLOC_ARENA_MAX": "1", "RAYON_NUM_THREADS": "1"}
_OUT_OF_MEMORY = (b"memory allocation of", b"MemoryError", b"failed to map", b"cannot allocate")
STDERR_BYTES_MAX = 16 * 1024
NICENESS = 5  # the taps come first


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    memory_bytes_max: int  # of address space
    cpu_s_max: int
    wall_s_max: float
    output_bytes_max: int


class ChildFailed(Exception):
    """The process ended without a whole output."""

    def __init__(self, message: str, *, too_slow: bool = False, no_memory: bool = False) -> None:
        super().__init__(message)
        self.too_slow = too_slow
        self.no_memory = no_memory


def run_limited(module: str, arguments: Sequence[str | Path], limits: ProcessLimits) -> bytes:
    """Standard output of `python -m module arguments`. Raises ChildFailed for a process that ends badly."""
    command = [sys.executable, "-P", "-m", module, *map(str, arguments)]
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ} | _FIXED
    with tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, env=environment
        )
        late = threading.Event()

        def end_late() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(limits.wall_s_max, end_late)
        timer.start()
        try:
            assert process.stdout is not None
            with process.stdout:
                output = process.stdout.read(limits.output_bytes_max + 1)
                if len(output) > limits.output_bytes_max:
                    process.kill()
            status = process.wait()
        finally:
            timer.cancel()
            process.kill()
            process.wait()
        if status == 0 and len(output) <= limits.output_bytes_max:
            return output
        stderr.seek(0)
        raise _failure(status, late.is_set(), stderr.read(STDERR_BYTES_MAX))


def _failure(status: int, late: bool, errors: bytes) -> ChildFailed:
    too_slow = late or status == -signal.SIGXCPU
    no_memory = not too_slow and (status == -signal.SIGKILL or any(text in errors for text in _OUT_OF_MEMORY))
    message = f"status {status}: {errors[-500:].decode('utf-8', 'replace')}"
    return ChildFailed(message, too_slow=too_slow, no_memory=no_memory)


def limit_this_process(limits: ProcessLimits) -> None:
    """To be called first in the child."""
    for kind, wanted in ((resource.RLIMIT_AS, limits.memory_bytes_max), (resource.RLIMIT_CPU, limits.cpu_s_max)):
        _, most = resource.getrlimit(kind)
        limit = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        resource.setrlimit(kind, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError):
        os.nice(NICENESS)
