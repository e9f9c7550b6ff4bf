"""The events that a backup holds, in the order of their seqs: a SQLite copy, packed or not, or a PostgreSQL dump."""

from __future__ import annotations

import re
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from carrete.backups.copying import unpacked
from carrete.backups.errors import BackupFailed
from carrete.backups.folder import BACKUP_NAME, instant_in, notes_of
from carrete.backups.postgres_tools import running, tool
from carrete.domain.trail.canonical import FIELDS
from carrete.domain.trail.files import utc_text
from carrete.domain.trail.findings import SEQ, TrailRow
from carrete.domain.trail.printable import printable
from carrete.findings import Words
from carrete.ledger.sqlite_tx import keep_bad_bytes

_GZIP, _SQLITE, _DUMP = b"\x1f\x8b", b"SQLite format 3\x00", b"PGDMP"
_COPY = re.compile(rb'COPY (?:[^ ."]+|"[^"]+")\."?event"? \((?P<columns>[^)]*)\) FROM stdin;\n')
_END_OF_ROWS = b"\\.\n"
_ESCAPED = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}
_INTEGERS = ("seq", "worker_id", "n_union")
_INSERTED_AT_ONCE = 5_000
ReadCopy = Callable[[], Iterator[TrailRow]]


@contextmanager
def events_of_copy(file: Path) -> Iterator[ReadCopy]:
    """A function that reads the copy's events, as often as it is called. Raises BackupFailed for no such copy."""
    begins = file.open("rb").read(16) if file.is_file() else b""
    with tempfile.TemporaryDirectory(prefix="carrete-verify-") as folder:
        database = file
        if begins.startswith(_GZIP):
            database = unpacked(file, Path(folder))
        elif begins.startswith(_DUMP):
            database = _from_dump(file, Path(folder) / "events.db")
        elif not begins.startswith(_SQLITE):
            raise _no_copy(file, "it is neither a SQLite ledger nor a PostgreSQL dump")
        uri = f"{database.resolve().as_uri()}?mode=ro&immutable=1"
        try:
            with closing(sqlite3.connect(uri, uri=True)) as connection:
                connection.text_factory = keep_bad_bytes
                columns = ", ".join(FIELDS)
                connection.execute(f"SELECT {columns} FROM event LIMIT 1")
                yield lambda: _numbered(connection.execute(f"SELECT {columns} FROM event ORDER BY seq"), file)
        except sqlite3.Error as error:
            raise _no_copy(file, str(error)) from None


def _numbered(rows: Iterable[TrailRow], file: Path) -> Iterator[TrailRow]:
    """Anybody can make a SQLite file with a table `event`, and text in its column `seq`."""
    for row in rows:
        if type(row[SEQ]) is not int:
            raise _no_copy(file, f"{row[SEQ]!r} is no number of an event")
        yield row


def made_at_of(file: Path) -> str:
    """When the copy was made, by its notes or its name. "" when neither tells: the file's time is that of the file, and
    whoever copies the copy makes another one."""
    if noted := utc_text(str(notes_of(file).get("made_at", ""))):
        return noted
    match = BACKUP_NAME.fullmatch(file.name)
    named = instant_in(match) if match else None
    return named.isoformat(timespec="seconds") if named else ""


def _from_dump(dump: Path, database: Path) -> Path:
    """A dump has its rows in any order: they are sorted on the disk. Raises BackupFailed for one whose rows are not
    those of a ledger."""
    try:
        return _sorted_events(dump, database)
    except (sqlite3.Error, ValueError, IndexError) as error:
        raise _no_copy(dump, str(error)) from None


def _sorted_events(dump: Path, database: Path) -> Path:
    command = [tool("pg_restore"), "--data-only", "--table=event", "--file=-", str(dump)]
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        typed = ", ".join(f"{name} {'INTEGER' if name in _INTEGERS else 'TEXT'}" for name in FIELDS)
        connection.execute(f"CREATE TABLE event ({typed}, PRIMARY KEY (seq))")
        connection.execute("BEGIN")
        places = ", ".join("?" * len(FIELDS))
        with running(command) as process:
            assert process.stdout is not None
            connection.executemany(f"INSERT INTO event VALUES ({places})", _rows_of(process.stdout))
            if process.wait():
                raise _no_copy(dump, "pg_restore cannot read it")
        connection.execute("COMMIT")
    return database


def _rows_of(lines: Iterable[bytes]) -> Iterator[list[Any]]:
    stream = iter(lines)
    for line in stream:
        if begun := _COPY.fullmatch(line):
            columns = [name.strip(b' "').decode() for name in begun["columns"].split(b",")]
            at = [columns.index(name) for name in FIELDS]
            for row in iter(stream.__next__, _END_OF_ROWS):
                cells = row.decode().rstrip("\n").split("\t")
                yield [_value(cells[index]) for index in at]


def _value(cell: str) -> str | None:
    if cell == "\\N":
        return None
    return _ESCAPED.sub(lambda found: _ESCAPES.get(found[1], found[1]), cell) if "\\" in cell else cell


def _no_copy(file: Path, reason: str) -> BackupFailed:
    reason = printable(reason)  # SQLite's messages quote names out of the file
    return BackupFailed(
        Words(f"{file} is no copy of a ledger: {reason}.", f"{file.name} no es un respaldo del registro ({reason}).")
    )
