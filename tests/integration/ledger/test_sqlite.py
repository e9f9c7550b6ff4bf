"""SQLite: the file may go away, be locked by another process or fill the disk. The answer says so, and the ledger
recovers by itself."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from carrete.backups.sqlite_copy import copy_sqlite
from carrete.ledger import sqlite
from carrete.ledger.errors import LedgerUnavailable
from carrete.ledger.migrate import migrate
from carrete.ledger.sqlite import SqliteDatabase
from tests.support.builders import a_spool, put, spool_in


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "carrete.db"


@pytest.fixture
def ledger(path: Path) -> Iterator[SqliteDatabase]:
    database = SqliteDatabase(path)
    migrate(database)
    put(database, [a_spool("MK-1")])
    yield database
    database.close()


def test_every_commit_is_on_the_disk_before_it_is_answered(ledger: SqliteDatabase) -> None:
    """WAL with synchronous FULL (2): a power cut takes back nothing that was acknowledged."""
    with ledger.writing():
        connection = ledger._writer
        assert connection is not None
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)


def test_a_reader_cannot_write(ledger: SqliteDatabase) -> None:
    with pytest.raises(LedgerUnavailable, match="readonly"), ledger.reading() as tx:
        tx.run("worker_upsert", id=1, nombre="N", apellido="A", activo=1)


def test_a_file_that_was_moved_away_is_unavailable_and_back_again_works(
    ledger: SqliteDatabase, path: Path, tmp_path: Path
) -> None:
    away = tmp_path / "away"
    away.mkdir()
    moved = [shutil.move(file, away) for file in sorted(tmp_path.glob("carrete.db*"))]
    with pytest.raises(LedgerUnavailable, match="gone"):
        put(ledger, [a_spool("MK-2")])
    with pytest.raises(LedgerUnavailable, match="gone"):
        spool_in(ledger, "MK-1")
    assert not path.exists(), "nobody made an empty ledger in its place"
    for file in moved:
        shutil.move(file, tmp_path)
    put(ledger, [a_spool("MK-3")])
    assert spool_in(ledger, "MK-1").tag == "MK-1"
    assert spool_in(ledger, "MK-3").tag == "MK-3"


def test_a_file_that_was_replaced_is_read_and_written_anew(ledger: SqliteDatabase, path: Path, tmp_path: Path) -> None:
    """A copy put in its place: going on in the old file would lose every action from now on."""
    copy_sqlite(path, tmp_path / "copy.db")
    put(ledger, [a_spool("MK-LATER")])
    for file in tmp_path.glob("carrete.db*"):
        file.unlink()
    shutil.move(tmp_path / "copy.db", path)
    put(ledger, [a_spool("MK-2")])
    with sqlite3.connect(path) as seen:
        assert seen.execute("SELECT tag FROM spool ORDER BY tag").fetchall() == [("MK-1",), ("MK-2",)]
    seen.close()


def test_a_ledger_that_another_process_keeps_locked_is_unavailable_not_stuck(
    ledger: SqliteDatabase, path: Path
) -> None:
    impatient = SqliteDatabase(path, busy_ms_max=100)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerUnavailable, match="locked"):
        put(impatient, [a_spool("MK-2")])
    assert spool_in(impatient, "MK-1").tag == "MK-1", "reading goes on meanwhile"
    other.execute("ROLLBACK")
    other.close()
    put(impatient, [a_spool("MK-2")])
    impatient.close()


def test_a_file_that_is_no_ledger_is_unavailable(path: Path) -> None:
    path.write_bytes(b"this is not a database, it is a shopping list" * 200)
    with pytest.raises(LedgerUnavailable, match="not a database"):
        migrate(SqliteDatabase(path))


def test_a_folder_where_no_file_can_be_made_is_reported_at_once(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    with pytest.raises(LedgerUnavailable, match="cannot be created"):
        SqliteDatabase(in_the_way / "carrete.db")


FULL_DISK = """
import json, resource, sys
from pathlib import Path
from carrete.ledger import sqlite
from carrete.ledger.errors import LedgerUnavailable
from carrete.ledger.migrate import migrate
from carrete.ledger.sqlite import SqliteDatabase
from tests.support.builders import a_joint, a_spool, put

folder = Path(sys.argv[1])
database = SqliteDatabase(folder / "carrete.db")
migrate(database)
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
used = max(file.stat().st_size for file in folder.iterdir())
resource.setrlimit(resource.RLIMIT_FSIZE, (used + 300_000, hard))
written, reason = 0, ""
while not reason and written < 5000:
    try:
        tag = f"MK-{written}"
        put(database, [a_spool(tag)], joints=[a_joint(n, tag) for n in (1, 2, 3)])
        written += 1
    except LedgerUnavailable as error:
        reason = str(error)

def count(table):
    with database.reading() as tx:
        return len(tx.all(table))

full = [count("spools_all"), count("joints_all")]
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY if hard == -1 else hard, hard))
put(database, [a_spool("MK-AFTER")])
print(json.dumps({"written": written, "reason": reason, "full": full, "after": count("spools_all")}))
"""


def test_a_full_disk_is_unavailable_leaves_nothing_half_written_and_recovers(tmp_path: Path) -> None:
    """In a process of its own whose files may not grow any more: the same for root and for anybody else."""
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == 0, done.stderr
    saw = json.loads(done.stdout)
    assert saw["reason"], "it never became full"
    assert saw["written"] > 0
    assert saw["full"] == [saw["written"], 3 * saw["written"]], "what was acknowledged, whole, and nothing else"
    assert saw["after"] == saw["written"] + 1


def test_reads_that_fail_for_long_leave_nothing_open(tmp_path: Path) -> None:
    path = tmp_path / "carrete.db"
    database = SqliteDatabase(path)
    path.write_bytes(b"no ledger at all" * 1000)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(30):
        with pytest.raises(LedgerUnavailable), database.reading() as tx:
            tx.one("any_spool")
    assert len(os.listdir("/proc/self/fd")) <= before + 1
    database.close()


def test_opening_the_ledger_once_more_in_a_process_takes_no_lock_from_its_connections(
    ledger: SqliteDatabase, path: Path
) -> None:
    """POSIX gives up all locks of a process on a file when it closes any descriptor of it. Another process would then
    believe that nobody uses the ledger, and take its log away under the connections that are still there."""
    put(ledger, [a_spool("MK-2")])
    log = path.with_name(f"{path.name}-wal")
    before = log.stat().st_ino
    SqliteDatabase(path).close()
    program = (
        f"import sqlite3; c = sqlite3.connect({str(path)!r}); c.execute('SELECT * FROM spool').fetchall(); c.close()"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=30)
    assert log.exists()
    assert log.stat().st_ino == before


READ_WHILE_IT_IS_CLOSED = """
import sys, threading, time
from pathlib import Path
from carrete.ledger import sqlite
from carrete.ledger.errors import LedgerUnavailable
from carrete.ledger.sqlite import SqliteDatabase

SLOW = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT count(*) FROM n"

def read(ledger):
    try:
        while True:
            with ledger.reading() as tx:
                tx.execute(SLOW)
    except LedgerUnavailable:
        ended.append(threading.get_ident())

for attempt in range(60):
    ended = []
    ledger = SqliteDatabase(Path(sys.argv[1]))
    threads = [threading.Thread(target=read, args=(ledger,), daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(0.002 + attempt % 7 / 1000)
    ledger.close()
    ledger.path = Path("/nowhere/carrete.db")  # a thread that had not begun to read must end too
    for thread in threads:
        thread.join(10)
    assert len(ended) == 4, "a reader was not ended"
"""


def test_closing_while_threads_read_ends_their_reads_and_not_the_process(ledger: SqliteDatabase, path: Path) -> None:
    """In its own process: the sqlite3 module of Python 3.11 crashes when a connection in use is closed."""
    done = subprocess.run(
        [sys.executable, "-c", READ_WHILE_IT_IS_CLOSED, str(path)], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_closing_waits_once_for_all_threads_that_do_not_leave_their_connections(
    ledger: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "CLOSE_S_MAX", 0.5)
    leave = threading.Event()
    together = threading.Barrier(5)

    def stay() -> None:
        with suppress(LedgerUnavailable), ledger.reading():
            together.wait(10)
            leave.wait(30)

    threads = [threading.Thread(target=stay) for _ in range(4)]
    for thread in threads:
        thread.start()
    together.wait(10)
    began = time.monotonic()
    ledger.close()
    waited_s = time.monotonic() - began
    leave.set()
    for thread in threads:
        thread.join(10)
    assert 0.5 <= waited_s < 1.5, "one after the other it is 2 s"


def test_a_thread_that_does_not_leave_its_connection_keeps_no_other_read_from_being_ended(
    ledger: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time for all of them must not pass with waiting for the first one alone."""
    monkeypatch.setattr(sqlite, "CLOSE_S_MAX", 1.0)
    leave, staying, reading, ended = (threading.Event() for _ in range(4))

    def stay() -> None:
        with ledger.reading():
            staying.set()
            leave.wait(30)

    def count_for_hours() -> None:
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        with suppress(LedgerUnavailable), ledger.reading() as tx:
            reading.set()
            tx.execute(endless)
        ended.set()

    threads = [threading.Thread(target=stay), threading.Thread(target=count_for_hours)]
    threads[0].start()
    assert staying.wait(10)
    threads[1].start()
    assert reading.wait(10)
    connections = list(ledger._open)
    ledger.close()
    was_ended = ended.wait(2)
    leave.set()
    if not was_ended:
        connections[-1].interrupt()  # else the test would never end
    for thread in threads:
        thread.join(10)
    assert was_ended
