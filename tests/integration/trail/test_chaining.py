"""Every event is chained where it is numbered: by actions and migrations, by one process or several at once."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from carrete.actions import Performer, Request
from carrete.actions.answer import Answer
from carrete.actions.group import decide_group
from carrete.actions.requests import QueuedRequest
from carrete.actions.stored_answers import answer_under_key
from carrete.api.occupation import batch_answer
from carrete.domain.commands import Pausar, Tomar
from carrete.domain.spool import Operacion
from carrete.domain.trail.canonical import FIELDS, GENESIS, event_hash
from carrete.gate import LockAttempt, OpenGate
from carrete.ledger import open_database, postgres_tx
from carrete.ledger.append_only import allow_changes
from carrete.ledger.database import Database, Numbering, Row, Tx
from carrete.ledger.errors import LedgerUnavailable, RaceLost
from carrete.ledger.migrate import _apply as apply
from carrete.ledger.migrate import migrate
from carrete.ledger.statements import in_dialect, migrations
from carrete.ledger.trail import stored_head, trail_rows
from tests.support.acting import a_request
from tests.support.builders import NOW, SHOP, a_spool, a_worker, put
from tests.support.postgres import PostgresServer
from tests.support.sealed_shop import SealedShop

PROCESSES, TAPS = 2, 150
CHAIN_STEP = 23


def tap_in_a_process(url: str, number: int) -> int:
    """Takes and pauses spools of its own as fast as it can, ten at a time."""
    database = open_database(url)
    migrate(database)
    performer = Performer(database, OpenGate(), SHOP)

    async def hand(tag: str) -> None:
        for n in range(TAPS // 10):
            kind = Pausar if n % 2 else Tomar
            await performer.perform(a_request(kind(tag, 93, Operacion.ARM)))

    async def all_hands() -> None:
        await asyncio.gather(*(hand(f"MK-{number}-{n}") for n in range(10)))

    asyncio.run(all_hands())
    performer.stop()
    database.close()
    return TAPS


def assert_one_chain(database: Database, events: int) -> None:
    with database.reading() as tx:
        rows, head = list(trail_rows(tx)), stored_head(tx)
    previous = GENESIS
    for place, row in enumerate(rows, 1):
        previous = event_hash(previous, row[:16])
        assert (row[0], row[16]) == (place, previous), f"the chain forks at {place}"
    assert (len(rows), head) == (events, (events, previous))


def test_two_processes_that_write_at_once_make_one_chain(database: Database, database_url: str) -> None:
    """The head must be read in a statement after the one that waits for the numbering lock: the snapshot of that one is
    from before the other process's commit, and the chain would fork."""
    put(database, [a_spool(f"MK-{p}-{n}") for p in range(PROCESSES) for n in range(10)], [a_worker()])
    with ProcessPoolExecutor(PROCESSES, multiprocessing.get_context("spawn")) as pool:
        done = list(pool.map(tap_in_a_process, [database_url] * PROCESSES, range(PROCESSES)))
    assert_one_chain(database, sum(done))


@pytest.mark.parametrize("engine", ["postgres"])
def test_who_waited_for_the_turn_to_number_sees_the_head_of_the_commit_that_it_waited_for(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    """A head from the snapshot of the statement that waited would be the one of before. The seqs counted from it are
    taken, so that the chain cannot fork; but every commit that had to wait would fail and be repeated."""
    shop = SealedShop(database, database_url, tmp_path).staffed()
    shop.work(1)
    other = open_database(database_url)
    with ThreadPoolExecutor(1) as pool:
        with database.writing() as tx:
            first = tx.write_and_allocate_seqs(1)[1]
            waiting = pool.submit(numbering_of, other)
            with pytest.raises(TimeoutError):
                waiting.result(0.5)
            tx.many("trail_head_put", [{"id": 1, "seq": first.seqs[0], "hash": "ab" * 32}])
        second = waiting.result(10)
    other.close()
    assert second.head == (first.seqs[0], "ab" * 32)
    assert second.seqs[0] == first.seqs[0] + 1


@pytest.mark.parametrize("planted", [False, True])
@pytest.mark.parametrize("engine", ["postgres"])
def test_a_program_that_reads_the_head_in_the_statement_of_the_lock_is_refused_by_the_primary_key(
    database: Database, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, planted: bool
) -> None:
    """The planted bug. Two write at once; the second has waited, and chains its event to the head of before."""
    shop = SealedShop(database, database_url, tmp_path).staffed()
    shop.work(1)
    if planted:
        monkeypatch.setattr(postgres_tx.PostgresTx, "_lock_numbering", the_head_in_the_statement_of_the_lock)
    other, row = open_database(database_url), shop.rows()[-1]
    with ThreadPoolExecutor(1) as pool:
        with database.writing() as tx:
            first = tx.write_and_allocate_seqs(1)[1]
            waiting = pool.submit(write_an_event, other, row)
            with pytest.raises(TimeoutError):
                waiting.result(0.5)
            insert_chained(tx, first, row)
        refused = waiting.exception(10)
    other.close()
    assert isinstance(refused, RaceLost) is planted, refused
    assert_one_chain(database, 9 if planted else 10)


def the_head_in_the_statement_of_the_lock(tx: Any, _lock: str = "") -> list[tuple[str, dict[str, Any]]]:
    both = f"SELECT head.* FROM ({tx._sql['numbering_lock']}) held, LATERAL ({tx._sql['trail_head']}) head"
    return [("SELECT true", {}), (both, {})]


def write_an_event(database: Database, row: Row) -> None:
    with database.writing() as tx:
        insert_chained(tx, tx.write_and_allocate_seqs(1)[1], row)


def insert_chained(tx: Tx, numbering: Numbering, row: Row) -> None:
    """One more event like this one."""
    assert numbering.head
    (seq,) = numbering.seqs
    values = (seq, f"like-{row[0]}-{id(tx)}", *row[2:16])
    hash_ = event_hash(numbering.head.hash, values)
    others = {"hash": hash_, "stage_ended": None, "stage_s": None}
    tx.many("event_insert", [{**dict(zip(FIELDS, values, strict=True)), **others}])
    tx.many("trail_head_put", [{"id": 1, "seq": seq, "hash": hash_}])


def numbering_of(database: Database) -> Numbering:
    with database.writing() as tx:
        return tx.write_and_allocate_seqs(1)[1]


def test_a_commit_that_fails_leaves_no_gap(database: Database, database_url: str, tmp_path: Path) -> None:
    shop = SealedShop(database, database_url, tmp_path).staffed()
    shop.work(1)
    with pytest.raises(ZeroDivisionError), database.writing() as tx:
        len(tx.write_and_allocate_seqs(3)) / 0
    shop.work(1)
    assert_one_chain(database, 16)


def test_a_double_tap_gets_a_receipt_of_the_head_too(database: Database, database_url: str, tmp_path: Path) -> None:
    shop = SealedShop(database, database_url, tmp_path).staffed()
    with shop.at_work():
        first, second = shop.act(Tomar("MK-1", 93, Operacion.ARM)), shop.act(Tomar("MK-1", 93, Operacion.ARM))
    assert first["recibo"] == second["recibo"]
    assert first["recibo"]["seq"] == first["event_seq"] == 1


@pytest.mark.parametrize("beside", [(), ("MK-2",)], ids=["alone", "beside a success"])
def test_a_batch_in_which_every_spool_is_refused_has_no_receipt(
    database: Database, database_url: str, tmp_path: Path, beside: tuple[str, ...]
) -> None:
    """Whoever shares its commit; the batch is answered 200 all the same."""
    shop = SealedShop(database, database_url, tmp_path).staffed()
    refused = Request([Pausar("MK-1", 93, Operacion.ARM), Tomar("NADA", 93, Operacion.ARM)], batch_answer, "k1", "1")
    half = Request([Tomar("MK-3", 93, Operacion.ARM), Tomar("NADA", 93, Operacion.ARM)], batch_answer, "k2", "2")
    others = [Request([Tomar(tag, 93, Operacion.ARM)], batch_answer) for tag in beside]
    queue = [
        QueuedRequest(each, [LockAttempt(tag, "93:lock", takes=True) for tag in each.tags], NOW)
        for each in (refused, *others, *([half] if beside else []))
    ]
    with database.writing() as tx:
        answers = [decided.answer for decided in decide_group(tx, SHOP, queue, shop.key.sign)]
    assert [isinstance(each, Answer) and "recibo" in json.loads(each.body) for each in answers] == [
        False,
        *(True for _ in queue[1:]),
    ]
    with database.reading() as tx:
        kept = answer_under_key(tx, refused)
    assert isinstance(kept, Answer)
    assert "recibo" not in json.loads(kept.body), "nor when it is given again"


def test_events_from_before_are_chained_by_the_migration(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Also more than a page of them, with the gaps that PostgreSQL left then."""
    url = f"sqlite:///{tmp_path / 'old.db'}"
    if engine == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        url = server.url(server.create())
    database = open_database(url)
    with database.writing() as tx:
        tx.execute("CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)")
        for number, sql in migrations():
            if number < CHAIN_STEP:
                apply(tx, number, in_dialect(sql, database.engine), database.engine)
        tx.execute(
            "WITH RECURSIVE many(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM many WHERE i < 12000) INSERT INTO event "
            "(seq, id, at, evento_tipo, tag, worker, accion, metadata, estado_detalle, version, workflow) "
            "SELECT i + i / 100, 'e' || i, '2026-11-02T08:00:00+00:00', 'TOMAR_SPOOL', 'MK-1', 'ÑÜ(1)', 'TOMAR', "
            "'{\"motivo\": \"ñandú\"}', 'x', 'v', 'v3.0' FROM many"
        )
    assert CHAIN_STEP in migrate(database)
    previous = GENESIS
    with database.reading() as tx:
        for row in trail_rows(tx):
            previous = event_hash(previous, row[:16])
            assert row[16] == previous
        assert stored_head(tx) == (12_120, previous)
    put(database, [a_spool("MK-9")], [a_worker()])
    shop = SealedShop(database, url, tmp_path)
    with shop.at_work():
        shop.act(Tomar("MK-9", 93, Operacion.ARM))
    verified = shop.verify(shop.receipts_text())
    assert (verified.is_whole, verified.report.events, verified.report.head.seq) == (True, 12_001, 12_121)
    database.close()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE event SET worker = 'XX(1)'",
        "DELETE FROM event",
        "INSERT OR REPLACE INTO event "
        "(seq, id, at, evento_tipo, tag, accion, workflow, version, worker, estado_detalle, hash) "
        "SELECT seq, id, at, evento_tipo, tag, accion, workflow, version, worker, 'x', hash FROM event WHERE seq = 3",
    ],
)
@pytest.mark.parametrize("engine", ["sqlite"])
def test_sqlite_refuses_to_change_or_delete_an_event(
    database: Database, database_url: str, tmp_path: Path, change: str
) -> None:
    shop = SealedShop(database, database_url, tmp_path).staffed()
    shop.work(1)
    with pytest.raises(Exception, match="a correction is a new event"), database.writing() as tx:
        tx.execute(change)
    assert shop.verify(shop.receipts_text()).is_whole
    with database.writing() as tx:  # whoever wants to can, which is why there are witnesses
        allow_changes(tx, "sqlite")
        tx.execute(change)
    assert not shop.verify().is_whole


@pytest.mark.parametrize("engine", ["sqlite"])
def test_without_its_head_nothing_is_written(database: Database, database_url: str, tmp_path: Path) -> None:
    shop = SealedShop(database, database_url, tmp_path).staffed()
    with database.writing() as tx:
        tx.execute("DELETE FROM trail_head")
    with pytest.raises(LedgerUnavailable, match="trail_head"):
        shop.work(1)


def test_the_hash_of_a_known_event_is_the_documented_one() -> None:
    """The example of docs/trail.md, so that anybody can try their own program on it."""
    values = (
        *(
            1,
            "7d0a3c1e-5d5b-4f0e-8a63-0c8f5d0f2a11",
            "2026-11-17T11:02:11+00:00",
            "TOMAR_SPOOL",
            "MK-1335-CW-25238-011",
        ),
        *(93, "MR(93)", "ARM", "TOMAR", None, None, '{"motivo": "ñandú"}', "MR(93)"),
        *("MR(93) trabajando ARM (ARM en progreso, SOLD pendiente)", "1f0c6a52-6f0e-4b7e-9d6d-3a1c2f9a7b10", "v3.0"),
    )
    assert event_hash(GENESIS, values) == EXAMPLE_HASH


EXAMPLE_HASH = "04f714cc7d7443cd168a178229dffacdaa9e6d6ff06c0a2185a631a3219408fb"
