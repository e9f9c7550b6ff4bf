"""Runs pg_dump, pg_restore and psql from the PATH. The password goes by the environment, never on the command line."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO

from carrete.addresses import redact
from carrete.backups.errors import BackupFailed
from carrete.findings import Words
from carrete.parent_death import end_with_parent

CONNECT_S_MAX = 10
REASON_CHARS_MAX = 300
END_S_MAX = 10.0


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise BackupFailed(
            Words(
                f"{name} is not on the PATH: install PostgreSQL's client programs (Debian: apt install "
                "postgresql-client), of the server's version or newer.",
                f"Falta el programa {name} en el servidor: instale postgresql-client, de la versión de la base de "
                "datos o más nueva.",
            )
        )
    return found


def address_arguments(url: str) -> tuple[str, dict[str, str]]:
    """The address without its password, and the environment that has it."""
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    parts = {name: value for name, value in conninfo_to_dict(url).items() if value is not None}
    environment = {**os.environ, "PGCONNECT_TIMEOUT": str(CONNECT_S_MAX), "PGAPPNAME": "carrete backup"}
    if password := parts.pop("password", None):
        environment["PGPASSWORD"] = str(password)
    return make_conninfo("", **parts), environment


@contextmanager
def running(
    command: Sequence[str],
    environment: dict[str, str] | None = None,
    *,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int = subprocess.PIPE,
    stderr: int | IO[bytes] = subprocess.PIPE,
) -> Iterator[subprocess.Popen[bytes]]:
    """The process, ended at the end of the block or with us."""
    process = subprocess.Popen(
        list(command), stdin=stdin, stdout=stdout, stderr=stderr, env=environment, preexec_fn=end_with_parent
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(END_S_MAX)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None and not stream.closed:
                with suppress(OSError):  # a pipe that broke has nothing more to flush
                    stream.close()


def tool_failed(name: str, complaint: bytes, url: str = "") -> BackupFailed:
    lines = [line for line in complaint.decode("utf-8", "replace").splitlines() if line.strip()]
    reason = redact(" ".join(" ".join(lines[:3]).split()), url)[:REASON_CHARS_MAX] or "it gave no reason"
    return BackupFailed(
        Words(f"{name} failed: {reason}. Nothing was changed.", f"{name} falló: {reason}. No se cambió nada.")
    )
