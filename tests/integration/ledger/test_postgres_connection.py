"""Statements that go to PostgreSQL in one round trip: their order, their errors, and connections that are lost."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest

from carrete.ledger import postgres_connection
from carrete.ledger.database import Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.ledger.migrate import known_schema, migrate
from carrete.ledger.postgres import PostgresDatabase
from carrete.ledger.postgres_connection import PostgresConnection, native_sql
from tests.conftest import TEMPLATE
from tests.support.builders import a_spool, put, spool_in
from tests.support.postgres import PostgresServer

KEY = {"key": "k", "fingerprint": "f", "status": 200, "answer": "{}", "created_at": "2026-11-17T12:00:00+00:00"}


@pytest.fixture
def ledger(postgres: PostgresServer) -> Iterator[PostgresDatabase]:
    name = postgres.create(TEMPLATE)
    database = PostgresDatabase(postgres.url(name))
    migrate(database)
    yield database
    database.close()
    postgres.drop(name)


@pytest.fixture
def connection(ledger: PostgresDatabase) -> Iterator[PostgresConnection]:
    with PostgresConnection.connect(ledger.url, autocommit=True) as connected:
        yield connected


def cut_off(ledger: PostgresDatabase) -> None:
    """Ends every connection to this database, as a restart of PostgreSQL does."""
    with psycopg.connect(ledger.url, autocommit=True) as other:
        other.execute(
            b"SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            b"WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def keys_in(ledger: PostgresDatabase) -> list[str]:
    with ledger.reading() as tx:
        return [key for key, _, _ in tx.all("keys_all")]


def add_worker_and_key(tx: Tx) -> None:
    tx.run("worker_upsert", id=1, nombre="A", apellido="B", activo=1)
    tx.write_last(("key_insert", [KEY]))


def test_parameters_are_numbered_and_one_that_comes_twice_has_one_number() -> None:
    native = native_sql("SELECT %(b)s, %(a)s, 10 %% 3 WHERE x = %(b)s")
    assert (native.text, native.names) == (b"SELECT $1, $2, 10 % 3 WHERE x = $1", ("b", "a"))


def test_results_come_in_the_order_of_the_calls(connection: PostgresConnection) -> None:
    one, lists, nothing = connection.run_calls(
        [
            ("SELECT %(n)s::int + 1, %(text)s::text", {"n": 1, "text": "ñandú"}),
            ("SELECT n FROM unnest(%(ns)s::int[]) AS n ORDER BY n", {"ns": [3, 1, 2]}),
            ("SELECT 1 WHERE %(none)s::text IS NOT NULL", {"none": None}),
        ]
    )
    assert (one.first, lists.rows, nothing.rows) == ((2, "ñandú"), [(1,), (2,), (3,)], [])


def test_calls_after_one_that_fails_are_not_executed_and_the_connection_is_of_use_afterwards(
    connection: PostgresConnection,
) -> None:
    connection.run_calls([("CREATE TEMP TABLE t (n int)", {})])
    insert = ("INSERT INTO t VALUES (%(n)s)", {"n": 1})
    results, error = connection.run_calls_until_error([insert, ("SELECT 1 / %(n)s::int", {"n": 0}), insert])
    assert isinstance(error, psycopg.errors.DivisionByZero)
    assert [result.affected for result in results] == [1]
    # Outside a transaction block all calls of a round trip are one transaction: the first one went with the others.
    (count,) = connection.run_calls([("SELECT count(*) FROM t", {})])
    assert count.first == (0,)


def test_a_statement_whose_first_call_failed_can_be_called_again(connection: PostgresConnection) -> None:
    for divisor in (0, 0):
        with pytest.raises(psycopg.errors.DivisionByZero):
            connection.run_calls([("SELECT 10 / %(n)s::int", {"n": divisor})])
    (result,) = connection.run_calls([("SELECT 10 / %(n)s::int", {"n": 5})])
    assert result.first == (2,)


def test_further_statements_than_postgresql_keeps_planned_are_planned_each_time(
    connection: PostgresConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_connection, "PREPARED_MAX", 3)
    for _ in range(2):
        results = connection.run_calls([(f"SELECT %(n)s::int + {more}", {"n": 1}) for more in range(10)])
        assert [result.first for result in results] == [(1 + more,) for more in range(10)]
    (kept,) = connection.run_calls([("SELECT count(*) FROM pg_prepared_statements", {})])
    assert kept.first == (3,)


def test_neither_side_waits_for_the_other_when_both_send_more_than_the_socket_holds(
    connection: PostgresConnection,
) -> None:
    text = "x" * 20_000
    results = connection.run_calls([("SELECT %(text)s::text", {"text": text})] * 500)
    assert all(result.first == (text,) for result in results)


def test_rows_that_are_written_last_are_there_after_the_commit_and_seen_by_later_statements(
    ledger: PostgresDatabase,
) -> None:
    with ledger.writing() as tx:
        tx.write_last(("key_insert", [KEY]))
        assert tx.all("keys_all") == [("k", 200, "{}")]
        tx.write_last(("key_insert", [{**KEY, "key": "l"}]))
    assert sorted(keys_in(ledger)) == ["k", "l"]


def test_a_key_that_exists_makes_the_whole_commit_fail(ledger: PostgresDatabase) -> None:
    with ledger.writing() as tx:
        tx.write_last(("key_insert", [KEY]))
    with pytest.raises(RaceLost), ledger.writing() as tx:
        add_worker_and_key(tx)
    with ledger.reading() as tx:
        assert tx.all("workers") == []


def test_rows_whose_writing_was_begun_are_there_after_the_commit_and_seen_by_later_statements(
    ledger: PostgresDatabase,
) -> None:
    with ledger.writing() as tx:
        tx.begin_writing(("key_insert", []))
        tx.begin_writing(("key_insert", [KEY]))
        assert tx.all("keys_all") == [("k", 200, "{}")]
        tx.write_last(("key_insert", [{**KEY, "key": "l"}]))
        tx.begin_writing(("key_insert", [{**KEY, "key": each} for each in "mno"]))
        tx.execute("SELECT 1")
    assert sorted(keys_in(ledger)) == ["k", "l", "m", "n", "o"]


def test_writing_that_was_begun_and_fails_makes_the_next_statement_or_the_commit_fail(ledger: PostgresDatabase) -> None:
    with ledger.writing() as tx:
        tx.write_last(("key_insert", [KEY]))
    for steps in ((add_worker, begin_key), (begin_key, add_worker)):
        with pytest.raises(RaceLost), ledger.writing() as tx:
            do_all(tx, *steps)
    with ledger.reading() as tx:
        assert tx.all("workers") == []


def add_worker(tx: Tx) -> None:
    tx.run("worker_upsert", id=1, nombre="A", apellido="B", activo=1)


def begin_key(tx: Tx, key: str = "k") -> None:
    tx.begin_writing(("key_insert", [{**KEY, "key": key}]))


def do_all(tx: Tx, *steps: Callable[[Tx], None]) -> None:
    for step in steps:
        step(tx)


class GivenUp(Exception):
    pass


def begin_key_and_give_up(tx: Tx, key: str) -> None:
    begin_key(tx, key)
    raise GivenUp


@pytest.mark.parametrize("key", ["k", "l"])
def test_a_transaction_that_gives_up_leaves_nothing_of_what_it_had_begun_to_write(
    ledger: PostgresDatabase, key: str
) -> None:
    """Whether that failed, because the key exists, or not. The connection is used again."""
    with ledger.writing() as tx:
        tx.write_last(("key_insert", [KEY]))
    writer = ledger._writer
    with pytest.raises(GivenUp), ledger.writing() as tx:
        begin_key_and_give_up(tx, key)
    assert keys_in(ledger) == ["k"]
    with ledger.writing() as tx:
        add_worker(tx)
    assert ledger._writer is writer


def test_few_rows_and_many_are_written_alike(ledger: PostgresDatabase) -> None:
    """Few have a statement each, with texts for all values; many have one statement, which gets them as JSON."""
    put(ledger, [a_spool("MK-1")])
    rows = [
        {**KEY, "key": f"{n}", "status": status, "answer": answer, "fingerprint": "ñ \\ \" '"}
        for n, (status, answer) in enumerate([(200, "{}"), (409, "línea\n✓"), (2**31 - 1, ""), (-1, "%s $1 :a")])
    ]
    with ledger.writing() as tx:
        for row in rows:
            tx.many("key_insert", [row])
        tx.many("key_insert", [{**row, "key": f"many {row['key']}"} for row in rows])
    with ledger.reading() as tx:
        found = tx.all("keys_known", keys=[row["key"] for row in rows])
        together = tx.all("keys_known", keys=[f"many {row['key']}" for row in rows])
    assert sorted(row[1:] for row in found) == sorted(row[1:] for row in together)
    assert len(found) == len(rows)


def test_a_transaction_whose_connection_was_lost_before_it_began_uses_another_one(ledger: PostgresDatabase) -> None:
    put(ledger, [a_spool("MK-1")])
    cut_off(ledger)
    with ledger.writing() as tx:
        tx.run("worker_upsert", id=1, nombre="A", apellido="B", activo=1)
    cut_off(ledger)
    with ledger.writing() as tx:
        tx.write_last(("key_insert", [KEY]))
    assert keys_in(ledger) == ["k"]


def test_a_connection_that_is_lost_in_the_middle_is_not_replaced(ledger: PostgresDatabase) -> None:
    with pytest.raises(LedgerUnavailable), ledger.writing() as tx:
        cut_off_after(ledger, tx, then=tx)
    with pytest.raises(LedgerUnavailable), ledger.writing() as tx:
        cut_off_after(ledger, tx)
    with ledger.reading() as tx:
        assert (tx.all("workers"), tx.all("keys_all")) == ([], [])


def cut_off_after(ledger: PostgresDatabase, tx: Tx, then: Tx | None = None) -> None:
    """A worker is written, the connection is lost, and the transaction goes on or commits."""
    tx.run("worker_upsert", id=1, nombre="A", apellido="B", activo=1)
    cut_off(ledger)
    if then:
        add_worker_and_key(then)


def test_an_older_program_says_that_the_ledger_is_newer_also_where_its_statements_do_not_fit_any_more(
    ledger: PostgresDatabase,
) -> None:
    put(ledger, [a_spool("MK-1")])
    newer = PostgresDatabase(ledger.url)
    with newer.writing() as tx:
        tx.run("schema_record", version=known_schema() + 1, applied_at="2030-01-01T00:00:00+00:00")
        tx.execute("ALTER TABLE spool RENAME COLUMN armador TO armador_1")
    newer.close()
    with pytest.raises(LedgerUnavailable, match=f"has schema {known_schema() + 1}"), ledger.writing() as tx:
        tx.all("spools_to_change", tags=["MK-1"])


def test_statements_stay_prepared_when_a_table_is_altered(ledger: PostgresDatabase) -> None:
    """psycopg would drop all prepared statements of the connection, if it had prepared one itself."""
    put(ledger, [a_spool("MK-1")])
    with ledger.writing() as tx:
        for _ in range(10):
            tx.execute("SELECT 1")
        tx.execute("ALTER TABLE webhook RENAME TO webhook_elsewhere")
        tx.execute("ALTER TABLE webhook_elsewhere RENAME TO webhook")
    put(ledger, [a_spool("MK-2")])
    assert spool_in(ledger, "MK-2").tag == "MK-2"


def test_a_frozen_postgresql_is_waited_for_with_a_bound(
    ledger: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For the kernel of its machine the connection is alive all the time."""
    put(ledger, [a_spool("MK-1")])
    monkeypatch.setattr(postgres_connection, "SILENCE_S_MAX", 0.3)
    with pytest.raises(LedgerUnavailable, match="did not answer"):
        read_while_it_is_frozen(ledger)
    put(ledger, [a_spool("MK-2")])
    assert spool_in(ledger, "MK-1").tag == "MK-1"


def read_while_it_is_frozen(ledger: PostgresDatabase) -> None:
    with ledger.writing() as tx:
        tx.all("workers")
        with frozen(backend_of(ledger)):
            tx.all("workers")


def backend_of(ledger: PostgresDatabase) -> int:
    """The process of PostgreSQL that serves the writer."""
    assert ledger._writer is not None
    return ledger._writer.info.backend_pid


@contextmanager
def frozen(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_transaction_without_statements_asks_nothing_of_postgresql(ledger: PostgresDatabase) -> None:
    put(ledger, [a_spool("MK-1")])
    cut_off(ledger)
    with ledger.writing():
        pass
    assert spool_in(ledger, "MK-1").tag == "MK-1"


@pytest.mark.parametrize(
    "tag", ["MK-1", "", 'a "quoted" one', "back\\slash", "{braces,comma}", "NULL", "tildes áéí ñ", "two\nlines"]
)
def test_a_list_reaches_postgresql_as_it_is(connection: PostgresConnection, tag: str) -> None:
    sql = "SELECT %(tag)s::text = ANY(%(tags)s), %(n)s::int = ANY(%(ns)s), %(n)s = ANY(%(none)s)"
    (found,) = connection.run_calls([(sql, {"tag": tag, "tags": ["x", tag], "n": 7, "ns": [8, 7], "none": []})])
    assert found.first == (True, True, False)


def test_what_cannot_be_converted_is_refused_before_anything_is_sent(ledger: PostgresDatabase) -> None:
    worker = {"id": 1, "nombre": "A", "apellido": "B", "activo": 1}
    for wrong, error in (({**worker, "nombre": "A\0"}, psycopg.DataError), ({"id": 1}, KeyError)):
        with ledger.writing() as tx:
            tx.run("worker_upsert", **worker)
            with pytest.raises(error):
                tx.run("worker_upsert", **wrong)
            tx.run("worker_upsert", **{**worker, "apellido": "C"})
    with ledger.reading() as tx:
        assert [row[2] for row in tx.all("workers")] == ["C"]


@pytest.mark.parametrize("where", ["_send", "_receive", "_answers"])
def test_an_interrupted_commit_is_not_sent_again_and_the_next_one_has_another_connection(
    ledger: PostgresDatabase, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    put(ledger, [a_spool("MK-1")])

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as pressed:
        pressed.setattr(PostgresConnection, where, interrupted)
        with pytest.raises(KeyboardInterrupt), ledger.writing() as tx:
            tx.run("worker_upsert", id=1, nombre="A", apellido="B", activo=1)
    with ledger.writing() as tx:
        tx.write_last(("key_insert", [KEY]))
    assert keys_in(ledger) == ["k"]
    with ledger.reading() as tx:
        assert tx.all("workers") == []


def test_postgresql_compiles_no_statement_of_a_writer(ledger: PostgresDatabase) -> None:
    """Up to version 17 it would compile some of them at each execution, which takes longer than the action."""
    with ledger._connect_writer() as writer:
        assert writer.execute(b"SHOW jit").fetchone() == ("off",)
