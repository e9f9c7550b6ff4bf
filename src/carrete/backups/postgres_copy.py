"""Copies a PostgreSQL ledger with pg_dump while others write, and reads a dump to see what it holds."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import psycopg

from carrete.addresses import redact
from carrete.backups.contents import EVENTS, HEAD, LAST_HASH, SCHEMA, LedgerContents
from carrete.backups.errors import BackupFailed
from carrete.backups.photo_files import NOTED, PHOTO_BYTES, PhotoFiles
from carrete.backups.postgres_tools import CONNECT_S_MAX, address_arguments, running, tool, tool_failed
from carrete.findings import Words

DUMP_S_MAX = 3_600
Connection = psycopg.Connection[tuple[object, ...]]

_COPY = re.compile(rb'COPY (?:[^ ."]+|"[^"]+")\.(?P<table>[^ ."]+|"[^"]+") \((?P<columns>[^)]*)\) FROM stdin;\n')
_END_OF_ROWS = b"\\.\n"


def copy_postgres(url: str, dump: Path, photos: PhotoFiles | None = None) -> LedgerContents:
    """Returns what the ledger held in the snapshot that was dumped. With `photos`, pictures become files of their own,
    and neither the dump nor what is returned has their table's rows."""
    program = tool("pg_dump")
    try:
        with psycopg.connect(url, connect_timeout=CONNECT_S_MAX, application_name="carrete backup") as connection:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            held = contents_of(connection)
            snapshot = _text(connection, "SELECT pg_export_snapshot()")
            schema = _text(connection, "SELECT current_schema()")
            apart = photos is not None and PHOTO_BYTES in held.rows
            if photos is not None and apart:
                _store_photos(connection, photos)
                held = held.without(PHOTO_BYTES)
            _dump(program, url, schema, snapshot, dump, [PHOTO_BYTES] if apart else [])
    except psycopg.Error as error:
        reason = redact(" ".join(str(error).split()), url)
        raise BackupFailed(
            Words(
                f"the ledger could not be copied: {reason}. Nothing was copied.",
                f"No se pudo copiar el registro ({reason}). No se copió nada.",
            )
        ) from None
    return held


def _store_photos(connection: Connection, photos: PhotoFiles) -> None:
    def content_of(id_: str) -> bytes | None:
        row = connection.execute("SELECT content FROM photo_bytes WHERE id = %s", (id_,)).fetchone()
        return bytes(row[0]) if row and isinstance(row[0], bytes | memoryview) else None

    photos.store(connection.execute(NOTED).fetchall(), content_of)


def _dump(program: str, url: str, schema: str, snapshot: str, dump: Path, without_rows: Sequence[str]) -> None:
    address, environment = address_arguments(url)
    command = [program, "--format=custom", "--no-owner", "--no-privileges", "--no-password", f"--snapshot={snapshot}"]
    command += [f'--schema="{schema}"', f"--file={dump}", f"--dbname={address}"]
    command += [f'--exclude-table-data="{schema}"."{table}"' for table in without_rows]
    with running(command, environment, stdout=subprocess.DEVNULL) as process:
        try:
            _, complaint = process.communicate(timeout=DUMP_S_MAX)
        except subprocess.TimeoutExpired:
            complaint = b"it took longer than an hour"
    if process.returncode:
        raise tool_failed("pg_dump", complaint, url)


def contents_of(connection: Connection) -> LedgerContents:
    """Of the schema that the ledger's tables are in; one without tables has nothing."""
    tables = [
        str(name)
        for (name,) in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
    ]
    rows = {name: int(_text(connection, f'SELECT count(*) FROM "{name}"')) for name in tables}
    schema = int(_text(connection, f"SELECT coalesce(max(version), 0) FROM {SCHEMA}")) if SCHEMA in rows else 0
    last = None
    if EVENTS in rows:
        last = connection.execute(f"SELECT seq, id FROM {EVENTS} ORDER BY seq DESC LIMIT 1").fetchone()
    seq, event_id = last or (0, "")
    last_hash = connection.execute(LAST_HASH).fetchone() if HEAD in rows else None
    return LedgerContents(rows, int(str(seq)), str(event_id), schema, str(last_hash[0]) if last_hash else "")


def _text(connection: Connection, sql: str) -> str:
    row = connection.execute(sql.encode()).fetchone()
    assert row is not None
    return str(row[0])


def dump_contents(dump: Path) -> LedgerContents:
    """Lets pg_restore unpack the whole dump, and counts the rows in it. No database is needed for that."""
    command = [tool("pg_restore"), "--data-only", "--file=-", str(dump)]
    with tempfile.TemporaryFile() as complaint, running(command, stderr=complaint) as process:
        assert process.stdout is not None
        found = _counted(process.stdout)
        if process.wait():
            complaint.seek(0)
            raise tool_failed("pg_restore", complaint.read())
    return found


def _counted(lines: Iterable[bytes]) -> LedgerContents:
    """Rows stand between `COPY schema.table (columns) FROM stdin;` and `\\.`, one on each line."""
    rows: dict[str, int] = {}
    schema, last = 0, (0, "")
    stream = iter(lines)
    for line in stream:
        if not (begun := _COPY.fullmatch(line)):
            continue
        table = begun["table"].decode().strip('"')
        columns = [name.strip(b' "') for name in begun["columns"].split(b",")]
        rows[table] = 0
        for row in iter(stream.__next__, _END_OF_ROWS):
            rows[table] += 1
            if table == EVENTS:
                cells = row.rstrip(b"\n").split(b"\t")
                last = max(last, (int(cells[columns.index(b"seq")]), cells[columns.index(b"id")].decode()))
            elif table == SCHEMA:
                schema = max(schema, int(row.split(b"\t")[columns.index(b"version")]))
    return LedgerContents(rows, *last, schema)
