"""Starts `carrete` in a process forked from one that has imported it already: a start costs a third of the processor
time. What a start itself costs, and the command as a shop types it, have tests that start it without this."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from multiprocessing import process
from pathlib import Path

from carrete import cli
from carrete.api.server import serving as _serving  # noqa: F401 - forked processes must have it loaded already

_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload([__name__])


class PreloadedProcess:
    """What the tests need of `subprocess.Popen`, for a forked `carrete`."""

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str], cwd: Path, output: Path, log: Path):
        what = (list(arguments), dict(environment), str(cwd), str(output), str(log))
        self._fork = _forks.Process(target=_run, args=what)
        self._fork.start()

    @property
    def pid(self) -> int:
        assert self._fork.pid is not None
        return self._fork.pid

    def poll(self) -> int | None:
        return self._fork.exitcode

    def wait(self, timeout_s: float | None = None) -> int:
        self._fork.join(timeout_s)
        if self._fork.exitcode is None:
            raise subprocess.TimeoutExpired("carrete", timeout_s or 0.0)
        return self._fork.exitcode

    def kill(self) -> None:
        self._fork.kill()

    def send_signal(self, number: signal.Signals) -> None:
        if self._fork.exitcode is None:
            os.kill(self.pid, number)


def _run(arguments: list[str], environment: dict[str, str], cwd: str, output: str, log: str) -> None:
    for number, path in ((0, os.devnull), (1, output), (2, log)):
        opened = os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", buffering=1, closefd=False) for number in (1, 2))
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    process._parent_process = None  # type: ignore[attr-defined]  # it is nobody's worker process
    sys.argv = ["carrete", *arguments]
    cli.main()
