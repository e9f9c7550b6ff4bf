"""Restores a dump into PostgreSQL in one transaction. The ledger of before stays in a schema of its own."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import chain, count, islice
from pathlib import Path
from typing import IO

import psycopg

from carrete.addresses import redact
from carrete.backups.contents import LedgerContents, Restored, require_same
from carrete.backups.errors import BackupFailed
from carrete.backups.folder import stamp
from carrete.backups.photo_files import FORGET_WITHOUT_BYTES, PHOTO_BYTES, WITHOUT_BYTES, photo_in
from carrete.backups.postgres_copy import Connection, contents_of, dump_contents
from carrete.backups.postgres_tools import CONNECT_S_MAX, address_arguments, running, tool, tool_failed
from carrete.backups.sqlite_restore import in_use
from carrete.findings import Words

RESTORE_S_MAX = 3_600
BLOCK_BYTES = 1024 * 1024
HEAD_LINES_MAX = 60  # pg_restore begins with some twenty lines that set up the session
_SESSION_SETTING = re.compile(rb"SET (\w+) = ")
_END_OF_HEAD = b"SELECT pg_catalog.set_config("
_USERS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'carrete'"


def restore_postgres(
    url: str, dump: Path, at: datetime, agree: Callable[[LedgerContents], None], photo_folders: Sequence[Path] = ()
) -> Restored:
    held = dump_contents(dump)
    agree(held)
    schema, kept = _target(url, stamp(at).lower())
    _run(url, dump, _session_settings(url), _preparation(schema, kept, makes_schema=_makes_schema(dump, schema)))
    with _connected(url) as connection:
        found = contents_of(connection)
        require_same(held, found if PHOTO_BYTES in held.rows else found.without(PHOTO_BYTES))
        photos = _put_photos_back(connection, photo_folders) if PHOTO_BYTES in found.rows else (0, 0)
    return Restored(held, f"the schema {kept} of the same database" if kept else None, *photos)


def _put_photos_back(connection: Connection, folders: Sequence[Path]) -> tuple[int, int]:
    """How many photos came back from their files, and how many are in none."""
    back = missing = 0
    for (photo,) in connection.execute(WITHOUT_BYTES).fetchall():
        content = photo_in(folders, str(photo))
        if content is None:
            missing += 1
            continue
        connection.execute("INSERT INTO photo_bytes (id, content) VALUES (%s, %s)", (photo, content))
        back += 1
    connection.execute(FORGET_WITHOUT_BYTES)
    return back, missing


def _target(url: str, when: str) -> tuple[str, str | None]:
    """The schema that the ledger's tables go into, and a free name for it if any are there already. Nobody may be using
    them."""
    with _connected(url) as connection:
        _require_unused(connection)
        (found,) = connection.execute("SELECT current_schema()").fetchone() or (None,)
        schema = str(found or "public")
        taken = {str(name) for (name,) in connection.execute("SELECT nspname FROM pg_namespace")}
        names = chain([f"{schema}_before_{when}"], (f"{schema}_before_{when}_{number}" for number in count(2)))
        free = next(name for name in names if name not in taken)
        return schema, free if contents_of(connection).rows else None


def require_unused_database(url: str) -> None:
    """Raises if anybody is connected. To be called before the keys are replaced: a running server would go on with
    those that it has read."""
    with _connected(url) as connection:
        _require_unused(connection)


def _require_unused(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    (users,) = connection.execute(_USERS).fetchone() or (0,)
    if users:
        raise in_use()


def _session_settings(url: str) -> set[bytes]:
    with _connected(url) as connection:
        return {str(name).encode() for (name,) in connection.execute("SELECT name FROM pg_settings")}


def _connected(url: str) -> psycopg.Connection[tuple[object, ...]]:
    try:
        return psycopg.connect(url, connect_timeout=CONNECT_S_MAX, application_name="carrete restore")
    except psycopg.Error as error:
        reason = redact(" ".join(str(error).split()), url)
        raise BackupFailed(
            Words(
                f"the database cannot be reached: {reason}. Nothing was changed.",
                f"No se puede llegar a la base de datos ({reason}). No se cambió nada.",
            )
        ) from None


def _makes_schema(dump: Path, schema: str) -> bool:
    """Whether the dump makes the schema itself; one of the whole database leaves `public` to the database."""
    with running([tool("pg_restore"), "--list", str(dump)]) as process:
        listed, complaint = process.communicate(timeout=RESTORE_S_MAX)
    if process.returncode:
        raise tool_failed("pg_restore", complaint)
    return any(f" SCHEMA - {schema} " in line for line in listed.decode("utf-8", "replace").splitlines())


def _preparation(schema: str, kept: str | None, *, makes_schema: bool) -> str:
    begin = "BEGIN;\n"
    if kept:
        begin += f'ALTER SCHEMA "{schema}" RENAME TO "{kept}";\n'
    elif makes_schema:
        begin += f'DROP SCHEMA IF EXISTS "{schema}";\n'
    return begin if makes_schema else f'{begin}CREATE SCHEMA IF NOT EXISTS "{schema}";\n'


def _run(url: str, dump: Path, settings: Collection[bytes], preparation: str) -> None:
    """pg_restore writes SQL, psql runs it. COMMIT is sent only after pg_restore has written everything: if one of them
    or we die before, PostgreSQL rolls all of it back."""
    address, environment = address_arguments(url)
    reads = [tool("pg_restore"), "--no-owner", "--no-privileges", "--file=-", str(dump)]
    runs = [tool("psql"), "--no-psqlrc", "--quiet", "--no-password", "--set=ON_ERROR_STOP=1", "--file=-"]
    with (
        tempfile.TemporaryFile() as read_errors,
        tempfile.TemporaryFile() as run_errors,
        running(
            [*runs, f"--dbname={address}"],
            environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=run_errors,
        ) as psql,
        running(reads, stderr=read_errors) as source,
    ):
        assert psql.stdin is not None
        assert source.stdout is not None
        with suppress(BrokenPipeError):  # psql ended: its exit code says why
            psql.stdin.write(preparation.encode())
            _send(source.stdout, psql.stdin, settings)
            if source.wait(RESTORE_S_MAX) == 0:
                psql.stdin.write(b"COMMIT;\n")
            psql.stdin.close()
        if psql.wait(RESTORE_S_MAX):
            raise tool_failed("psql", _complaint(run_errors), url)
        if source.wait(RESTORE_S_MAX):
            raise tool_failed("pg_restore", _complaint(read_errors))


def _send(source: IO[bytes], target: IO[bytes], settings: Collection[bytes]) -> None:
    """Without session settings that this server does not know: pg_restore writes those of its own, newer version."""
    for line in islice(source, HEAD_LINES_MAX):
        setting = _SESSION_SETTING.match(line)
        if setting is None or setting[1] in settings:
            target.write(line)
        if line.startswith(_END_OF_HEAD):
            break
    shutil.copyfileobj(source, target, BLOCK_BYTES)


def _complaint(errors: IO[bytes]) -> bytes:
    errors.seek(0)
    return errors.read()
