"""One run of a `carrete` command in a process that can be traced and killed.

The process is forked from this one, which has imported the program already: that saves a second per trial. The
command runs as in a terminal, `carrete.cli.main` included. The forking process must have no threads.
"""

from __future__ import annotations

import importlib
import os
import re
import runpy
import signal
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from carrete.parent_death import end_with_parent
from carrete_chaos.sweep.tracer import allow_tracing

START_S_MAX = 40.0
GONE_S_MAX = 10.0  # until one that was killed, and does not answer any more, is seen to be gone
_SETTINGS = ("DATABASE_URL", "REDIS_URL", "REDIS_MAX_CONNECTIONS", "GOOGLE_", "CARRETE_")


class DidNotStart(Exception):
    """The message has the command's output."""


def load() -> list[ModuleType]:
    """Imports once what the commands import, for every process that is forked."""
    import httptools
    import httpx
    import uvicorn.lifespan.on
    import uvicorn.loops.uvloop
    import uvicorn.protocols.http.httptools_impl
    import uvloop

    from carrete import services
    from carrete.api import app
    from carrete.api.server import serving
    from carrete.sheets import command
    from carrete.workbook import importing
    from sheets_emulator import server
    from sheets_emulator.accounts import Accounts

    Accounts()  # its key is made once for each process: seconds of work
    cli = importlib.import_module("carrete.cli")
    return [httptools, httpx, uvicorn, uvloop, cli, services, app, serving, command, server, importing]


class TracedProcess:
    def __init__(self, arguments: Sequence[str], settings: Mapping[str, str], log: Path) -> None:
        self._arguments = list(arguments)
        self._settings = dict(settings)
        self._log = log
        self._gate = -1
        self._ours = False  # whether the sweep itself killed it
        self.pid = 0
        self.status: int | None = None  # the status from waitpid, once the process has ended

    def start(self, *, held: bool = False) -> None:
        """With `held` the process does nothing before `go`."""
        self._log.unlink(missing_ok=True)  # the output of an earlier process with this log
        sys.stdout.flush()
        sys.stderr.flush()
        ours, theirs = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(theirs)
            self._be_carrete(ours)
        os.close(ours)
        self._gate = theirs
        if not held:
            self.go()

    def go(self) -> None:
        os.write(self._gate, b"!")
        os.close(self._gate)
        self._gate = -1

    def _be_carrete(self, gate: int) -> NoReturn:
        """Runs in the child; never returns into the sweep."""
        code = 70
        try:
            end_with_parent()
            allow_tracing()
            os.read(gate, 1)
            os.close(gate)
            self._dress()
            code = _main(["carrete", *self._arguments])
        except BaseException:  # noqa: BLE001 - it goes into the log, as in a terminal
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _dress(self) -> None:
        log = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for number, file in enumerate((nothing, log, log)):
            os.dup2(file, number)
        for name in [name for name in os.environ if name.startswith(_SETTINGS)]:
            del os.environ[name]
        os.environ.update(self._settings)
        os.chdir(self._log.parent)  # a file `.env` of this machine's Carrete is not for it

    @property
    def output(self) -> str:
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def gone(self, wait_s: float) -> bool:
        until = time.monotonic() + wait_s
        while self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
            elif time.monotonic() > until:
                return False
            else:
                time.sleep(0.005)
        return True

    @property
    def was_killed(self) -> bool:
        """Whether something other than the sweep's own `end` killed it."""
        killed = self.status is not None and os.WIFSIGNALED(self.status) and os.WTERMSIG(self.status) == signal.SIGKILL
        return killed and not self._ours

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative when a signal ended it."""
        return None if self.status is None else os.waitstatus_to_exitcode(self.status)

    def listening(self, announced: str = "Carrete listens on") -> int:
        """The port, once the server has printed it."""
        pattern = re.compile(rf"{announced} http://[^\s:]+:(\d+)")
        until = time.monotonic() + START_S_MAX
        while time.monotonic() < until and not self.gone(0.01):
            if found := pattern.search(self.output):
                return int(found[1])
        raise DidNotStart(f"carrete {' '.join(self._arguments)} did not start: {self.output[-1500:].strip()}")

    def end(self, how: signal.Signals = signal.SIGKILL, wait_s: float = START_S_MAX) -> None:
        if self.pid and self.status is None and not self.gone(0):
            self._ours = True
            os.kill(self.pid, how)
            self.gone(wait_s)


def _main(arguments: list[str]) -> int:
    """Runs as `python -m carrete` does."""
    sys.argv = arguments
    try:
        runpy.run_module("carrete", run_name="__main__")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1 if end.code else 0
    return 0
