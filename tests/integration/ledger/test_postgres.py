"""PostgreSQL: sessions are cut off and servers are restarted. The answer says so, and the connections recover by
themselves."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import psycopg
import pytest
from psycopg.pq import Trace

from carrete.domain.commands import Finalizar, Iniciar, Pausar, Tomar
from carrete.domain.spool import Estado, Operacion
from carrete.ledger import postgres as postgres_engine
from carrete.ledger.database import Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.ledger.migrate import migrate
from carrete.ledger.postgres import PostgresDatabase
from carrete.ledger.rows import joint_row, spool_row
from carrete.ledger.statements import statements
from carrete.ledger.store import Changes, SpoolWrite, insert_events, update_rows
from carrete.ledger.writer import GroupWriter
from tests.conftest import TEMPLATE
from tests.support.acting import a_floor, code
from tests.support.builders import NOW, a_joint, a_spool, a_worker, put, spool_in
from tests.support.ndt import fill
from tests.support.postgres import PostgresServer, running_postgres
from tests.support.processes import at_once

CUT_OFF = (
    b"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
    b"WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
BACK_S_MAX = 20.0


@pytest.fixture
def ledger(postgres: PostgresServer) -> Iterator[PostgresDatabase]:
    name = postgres.create(TEMPLATE)
    database = PostgresDatabase(postgres.url(name))
    put(database, [a_spool("MK-1")])
    yield database
    database.close()
    postgres.drop(name)


def cut_everybody_off(database: PostgresDatabase) -> int:
    with psycopg.connect(database.url, autocommit=True) as connection:
        row = connection.execute(CUT_OFF).fetchone()
    assert row is not None
    return int(row[0])


def test_after_every_session_was_cut_off_reading_just_works(ledger: PostgresDatabase) -> None:
    spool_in(ledger, "MK-1")
    assert cut_everybody_off(ledger) > 0
    assert spool_in(ledger, "MK-1").tag == "MK-1"


def test_after_every_session_was_cut_off_at_most_one_write_is_unknown(ledger: PostgresDatabase) -> None:
    assert cut_everybody_off(ledger) > 0
    try:
        put(ledger, [a_spool("MK-2")])
    except LedgerUnavailable:
        put(ledger, [a_spool("MK-2")])
    assert spool_in(ledger, "MK-2").tag == "MK-2"


def test_a_session_cut_off_in_the_middle_leaves_nothing(ledger: PostgresDatabase) -> None:
    def decide(tx: Tx, items: Sequence[str]) -> list[str]:
        for item in items:
            tx.run("worker_upsert", id=1, nombre=item, apellido="A", activo=1)
        if items == ["cut off"]:
            cut_everybody_off(ledger)
        return list(items)

    writer: GroupWriter[str, str] = GroupWriter(ledger, decide)
    with pytest.raises(LedgerUnavailable):
        asyncio.run(writer.submit("cut off"))
    with ledger.reading() as tx:
        assert tx.all("workers") == []
    assert asyncio.run(writer.submit("goes on")) == "goes on"
    writer.stop()


def test_text_order_is_byte_order_as_in_sqlite(ledger: PostgresDatabase) -> None:
    put(ledger, [a_spool(tag) for tag in ("mk-1", "MK-10", "MK-2", "ÑK-1", "_K")])
    with ledger.reading() as tx:
        tags = [row[0] for row in tx.all("spools_all")]
    assert tags == sorted(tags)


def test_a_spool_that_another_process_keeps_locked_is_unavailable_not_stuck(
    ledger: PostgresDatabase,
) -> None:
    """Another session froze in the middle of a transaction: the wait for its lock ends after seconds."""
    with psycopg.connect(ledger.url) as frozen:
        frozen.execute(b"SELECT 1 FROM spool FOR UPDATE")
        began = time.monotonic()
        with pytest.raises(LedgerUnavailable), ledger.writing() as tx:
            tx.all("spools_to_change", tags=["MK-1"])
        assert time.monotonic() - began < 10
    with ledger.writing() as tx:
        assert len(tx.all("spools_to_change", tags=["MK-1"])) == 1


def test_pipelined_reads_of_a_locked_spool_are_unavailable_too(ledger: PostgresDatabase) -> None:
    with psycopg.connect(ledger.url) as frozen:
        frozen.execute(b"SELECT 1 FROM spool FOR UPDATE")
        with pytest.raises(LedgerUnavailable, match="lock timeout"), ledger.writing() as tx:
            tx.all_of(("spools_to_change", {"tags": ["MK-1"]}), ("workers_known", {"ids": [1], "unconfirmed": 0}))
    with ledger.writing() as tx:
        spools, workers = tx.all_of(
            ("spools_to_change", {"tags": ["MK-1"]}), ("workers_known", {"ids": [1], "unconfirmed": 0})
        )
    assert ([row[0] for row in spools], workers) == (["MK-1"], [])


def test_of_pipelined_writes_the_first_that_fails_undoes_the_others(ledger: PostgresDatabase) -> None:
    new_worker = [{"id": 1, "nombre": "A", "apellido": "B", "activo": 1}]
    new, again = spool_row(a_spool("MK-2")), {"version": 1, "applied_at": "before"}
    with pytest.raises(RaceLost), ledger.writing() as tx:
        tx.many_of(("spool_insert", [new]), ("worker_upsert", new_worker), ("schema_record", [again]))
    with ledger.reading() as tx:
        assert (tx.all("workers"), [row[0] for row in tx.all("spools_all")]) == ([], ["MK-1"])


WAITS_FOR_ITS_TURN = b"SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
NOT_WRITTEN_YET = (
    b"SELECT tag FROM spool WHERE tag = 'MK-1' FOR UPDATE SKIP LOCKED",
    b"SELECT tag FROM outbox WHERE tag = 'MK-1' FOR UPDATE SKIP LOCKED",
)


def test_a_writer_that_waits_for_the_numbering_lock_has_written_its_spools_and_not_yet_its_outbox_rows(
    ledger: PostgresDatabase,
) -> None:
    """The lock order is spool, numbering, outbox: the holder of the numbering lock may need any outbox row, so a writer
    that waits for it must not have locked one."""
    before = spool_in(ledger, "MK-1")
    after = Changes(NOW, [SpoolWrite(replace(before, ot="OT-2", version="next"), before.version)])
    seqs: list[int] = []

    def commit() -> None:
        with ledger.writing() as tx:
            seqs.extend(update_rows(tx, after, 2).seqs)
            insert_events(tx, after, [])

    with psycopg.connect(ledger.url) as other:
        other.execute(statements("postgres")["numbering_lock"].encode())
        writer = threading.Thread(target=commit)
        writer.start()
        with psycopg.connect(ledger.url, autocommit=True) as looking:
            until = time.monotonic() + BACK_S_MAX
            while not looking.execute(WAITS_FOR_ITS_TURN).fetchone():
                assert time.monotonic() < until
            assert [looking.execute(question).fetchall() for question in NOT_WRITTEN_YET] == [[], [("MK-1",)]]
    writer.join(BACK_S_MAX)
    assert (len(seqs), spool_in(ledger, "MK-1").ot) == (2, "OT-2")


@pytest.mark.parametrize("spools", [20, 50, 300, 500])
def test_a_commit_looks_its_rows_up_and_does_not_read_the_table_for_them(ledger: PostgresDatabase, spools: int) -> None:
    tags = [f"MK-{n}" for n in range(2, spools)]
    put(ledger, [a_spool(tag) for tag in tags], joints=[a_joint(1, tag) for tag in tags])
    rows = {
        "spool": {**spool_row(a_spool("MK-7")), "read_version": "token"},
        "joint": {**joint_row(a_joint(1, "MK-7")), "read_version": "token"},
    }
    with psycopg.connect(ledger.url, autocommit=True, options=postgres_engine._WRITER) as writer:
        for table, row in rows.items():
            writer.execute(f"ANALYZE {table}".encode())
            explain = b"EXPLAIN " + statements("postgres")[f"{table}_update"].encode()
            plan = "\n".join(line for (line,) in writer.execute(explain, {"rows": json.dumps([row] * 50)}))
            assert f"Index Scan using {table}_pkey" in plan, plan


ROUND_TRIPS = 3  # BEGIN with what is read; spools, joints and the turn to number events; the events with COMMIT


def test_a_finalizar_costs_three_round_trips_however_many_joints_were_ticked(
    ledger: PostgresDatabase, tmp_path: Path
) -> None:
    migrate(ledger)  # from here on each transaction asks whether the schema is still the one it knows
    ticked = {"MK-2": (1,), "MK-3": tuple(range(1, 11))}
    joints = [a_joint(n, tag) for tag, unions in ticked.items() for n in unions]
    put(ledger, [a_spool(tag, total_uniones=20) for tag in ticked], [a_worker(7)], joints)
    with a_floor(ledger) as floor:
        for tag, unions in ticked.items():
            assert code(floor.do(Iniciar(tag, 7, Operacion.ARM))) == "OK"
            trace = tmp_path / tag
            with traced(ledger, trace):
                assert code(floor.do(Finalizar(tag, 7, Operacion.ARM, unions=unions), key=tag)) == "OK"
            assert round_trips(trace) == ROUND_TRIPS, trace.read_text()


def test_a_tap_alone_costs_two_round_trips(ledger: PostgresDatabase, tmp_path: Path) -> None:
    """The turn to number events comes with what is read, and everything that is written with COMMIT."""
    migrate(ledger)
    put(ledger, [a_spool("MK-2")], [a_worker(7)])
    with a_floor(ledger) as floor:
        for kind in (Tomar, Pausar):
            trace = tmp_path / kind.__name__
            with traced(ledger, trace):
                assert code(floor.do(kind("MK-2", 7, Operacion.ARM), key=kind.__name__)) == "OK"
            assert round_trips(trace) == 2, trace.read_text()


def test_a_spool_that_changed_although_it_was_locked_makes_a_tap_alone_fail(ledger: PostgresDatabase) -> None:
    """It cannot happen, because the row is locked; the compare-and-set does not rely on that."""
    before = spool_in(ledger, "MK-1")
    after = Changes(NOW, [SpoolWrite(replace(before, version="next"), "an older token")])
    with pytest.raises(RaceLost), ledger.writing() as tx:
        lock_and_update(tx, after)
    assert spool_in(ledger, "MK-1").version == before.version


def lock_and_update(tx: Tx, changes: Changes) -> None:
    tx.all_of_and_lock_numbering(("spools_to_change", {"tags": ["MK-1"]}))
    update_rows(tx, changes, 1)


def test_a_refusal_a_second_tap_and_a_repeated_key_do_not_wait_for_the_turn_to_number_events(
    ledger: PostgresDatabase,
) -> None:
    put(ledger, [], [a_worker(7), a_worker(8)])
    with a_floor(ledger) as floor:
        assert code(floor.do(Tomar("MK-1", 7, Operacion.ARM), key="a")) == "OK"
        with psycopg.connect(ledger.url) as other:
            other.execute(statements("postgres")["numbering_lock"].encode())
            answers = [
                code(floor.do(Tomar("MK-1", worker, Operacion.ARM), key=key))
                for worker, key in ((8, "refused"), (7, "second tap"), (7, "a"))
            ]
    assert answers == ["SPOOL_OCCUPIED", "OK", "OK"]


def test_a_process_that_freezes_during_its_write_blocks_the_others_for_seconds_only(
    ledger: PostgresDatabase,
) -> None:
    frozen, go_on = threading.Event(), threading.Event()

    def freeze() -> None:
        with suppress(LedgerUnavailable), ledger.writing() as tx:
            tx.all_of_and_lock_numbering(("spools_to_change", {"tags": ["MK-1"]}))
            tx.begin_writing(("trail_head_put", [{"id": 1, "seq": 0, "hash": "x"}]))
            frozen.set()
            go_on.wait(BACK_S_MAX)

    freezing = threading.Thread(target=freeze)
    freezing.start()
    other = PostgresDatabase(ledger.url)
    try:
        assert frozen.wait(BACK_S_MAX)
        with other.writing() as tx:  # its own wait for a lock ends after 4 s with LedgerUnavailable
            assert len(tx.write_and_allocate_seqs(1)[1].seqs) == 1
    finally:
        go_on.set()
        freezing.join(BACK_S_MAX)
        other.close()


WELDING = """
from carrete.domain.commands import Completar, Tomar
from carrete.domain.ndt.policy import NdtPolicy, NdtRule
from carrete.domain.spool import Operacion
from carrete.ledger import open_database
from tests.support.acting import Floor, code
from tests.support.ndt import use, weld
number, url, spools = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
floor = Floor(open_database(url))
use(floor, NdtPolicy(rules=(NdtRule("r1", "RT", 30, "5eed"),)))

def weld_all():
    for n in range(spools):
        if number:
            weld(floor, f"V4-{n}", 1)
        else:
            assert code(floor.do(Tomar(f"V3-{n}", 93, Operacion.SOLD))) == "OK"
            assert code(floor.do(Completar(f"V3-{n}", 93, Operacion.SOLD))) == "OK"
    return number
"""


def test_welds_of_two_processes_do_not_wait_for_each_other(ledger: PostgresDatabase) -> None:
    """Both lock the counters of examinations and the numbering, in the same order: whole spools and joints alike."""
    spools = 30
    migrate(ledger)
    fill(ledger, [f"V4-{n}" for n in range(spools)], 3)
    put(ledger, [a_spool(f"V3-{n}", armador="LP(7)", arm=Estado.COMPLETADO) for n in range(spools)])
    assert at_once(2, WELDING, "weld_all()", ledger.url, str(spools)) == [0, 1]
    time.sleep(1)  # counts reach everybody within a second
    with psycopg.connect(ledger.url) as looking:
        found = looking.execute(b"SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").fetchone()
    assert found == (0,)


def test_a_batch_of_second_taps_costs_no_more_round_trips_than_one(ledger: PostgresDatabase, tmp_path: Path) -> None:
    migrate(ledger)
    tags = [f"MK-{n}" for n in range(2, 52)]
    put(ledger, [a_spool(tag) for tag in tags], [a_worker(7)])
    with a_floor(ledger) as floor:
        takes = [Tomar(tag, 7, Operacion.ARM) for tag in tags]
        floor.do(*takes)
        for name, again in (("one", takes[:1]), ("fifty", takes)):
            with traced(ledger, tmp_path / name):
                floor.do(*again, key=name)
    assert round_trips(tmp_path / "fifty") == round_trips(tmp_path / "one") <= ROUND_TRIPS


@contextmanager
def traced(database: PostgresDatabase, into: Path) -> Iterator[None]:
    """Every message between the writer and PostgreSQL, as libpq sees them pass."""
    assert database._writer is not None
    line = database._writer.pgconn
    with into.open("wb") as file:
        line.trace(file.fileno())
        line.set_trace_flags(Trace.SUPPRESS_TIMESTAMPS | Trace.REGRESS_MODE)
        try:
            yield
        finally:
            line.untrace()


def round_trips(trace: Path) -> int:
    """How often messages to PostgreSQL (F) are followed by its answers (B): once for all that is sent together."""
    directions = [row[0] for row in trace.read_text().splitlines() if row[:2] in ("F\t", "B\t")]
    return sum(pair == ("F", "B") for pair in pairwise(directions))


def test_a_server_that_stops_is_unavailable_and_started_again_works() -> None:
    """A server of its own, because the other tests need theirs."""
    with running_postgres() as server:
        database = PostgresDatabase(server.url(server.create()), reader_wait_s_max=1.0)
        migrate(database)
        put(database, [a_spool("MK-1")])
        server.stop()
        with pytest.raises(LedgerUnavailable):
            put(database, [a_spool("MK-2")])
        with pytest.raises(LedgerUnavailable):
            spool_in(database, "MK-1")
        server.start()
        assert seconds_until_both_work(database) < BACK_S_MAX
        database.close()


def seconds_until_both_work(database: PostgresDatabase) -> float:
    """The writer and the readers each reconnect by themselves."""
    began = time.monotonic()
    for work in (lambda: put(database, [a_spool("MK-3")]), lambda: spool_in(database, "MK-1")):
        while time.monotonic() - began < BACK_S_MAX:
            try:
                work()
                break
            except LedgerUnavailable:
                time.sleep(0.05)
    assert spool_in(database, "MK-3").tag == "MK-3"
    return time.monotonic() - began


def test_more_readers_than_sessions_wait_their_turn(ledger: PostgresDatabase) -> None:
    seen: list[str] = []
    readers = [threading.Thread(target=lambda: seen.append(spool_in(ledger, "MK-1").tag)) for _ in range(30)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(20)
    assert seen == ["MK-1"] * 30


def test_a_server_that_only_reads_after_a_failover_is_unavailable(postgres: PostgresServer) -> None:
    name = postgres.create(TEMPLATE)
    postgres.run(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    database = PostgresDatabase(postgres.url(name))
    with pytest.raises(LedgerUnavailable), database.writing() as tx:
        tx.run("keys_forget", before="2000")
    database.close()
    postgres.drop(name)


@pytest.mark.parametrize("default", ["serializable", "repeatable read"])
def test_the_writer_reads_what_is_committed_whatever_the_servers_default_is(
    ledger: PostgresDatabase, default: str
) -> None:
    with psycopg.connect(ledger.url, autocommit=True) as connection:
        name = connection.info.dbname
        connection.execute(f"ALTER DATABASE \"{name}\" SET default_transaction_isolation = '{default}'".encode())
    again = PostgresDatabase(ledger.url)
    try:
        with again.writing() as tx:
            tx.execute("CREATE TABLE seen AS SELECT current_setting('transaction_isolation') AS level")
    finally:
        again.close()
    with psycopg.connect(ledger.url) as connection:
        assert connection.execute("SELECT level FROM seen").fetchone() == ("read committed",)
