"""A ledger gets its schema at the start: once, whole, and never by a program older than it."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from carrete.domain.stage import stage_of
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.errors import LedgerUnavailable, SchemaTooNew
from carrete.ledger.migrate import _apply as apply
from carrete.ledger.migrate import _lock_migrations as lock_migrations
from carrete.ledger.migrate import _wait_for_writers as wait_for_writers
from carrete.ledger.migrate import migrate
from carrete.ledger.statements import in_dialect, migrations
from tests.support.builders import a_spool, put, spool_in
from tests.support.processes import at_once

WAIT_S_MAX = 20.0
ALL_STEPS = [number for number, _ in migrations()]

# Rows as an older program writes them: without the columns that a later step adds.
OLD_SPOOL = """
INSERT INTO spool (tag, version, total_uniones, arm, sold, metrologia, reparacion, ciclo, joint_rows, arm_only, armed,
    welded, weldable, milli_armed, milli_welded, retired, workflow, take_arm, take_sold, take_rep, inspectable, search,
    last_seq)
VALUES ('MK-1', 'token', 2, 'PENDIENTE', 'PENDIENTE', 'PENDIENTE', 'NO_REQUERIDA', 0, 2, 0, 2,
    0, 2, 3000, 0, 0, 'v4.0', 0, 0, 0, 0, 'mk-1',
    0)
"""
OLD_JOINTS = """
INSERT INTO joint (tag, n_union, dn_milli, arm_fin, arm_worker, version, retired)
VALUES ('MK-1', 1, 1000, '2026-11-16T13:30:00+00:00', 'LP(7)', 'token', 0),
       ('MK-1', 2, 2000, '2026-11-16T13:30:00+00:00', 'LP(7)', 'token', 0)
"""
STAGES_STEP = 17
_WORKING = "{} trabajando ARM (ARM en progreso, SOLD pendiente)"
OLD_TRAIL = [
    ("10T08:00", "TOMAR_SPOOL", "'MR(93)'", _WORKING.format("MR(93)")),
    ("10T16:00", "PAUSAR_SPOOL", "NULL", "Disponible - ARM pausado, SOLD pendiente"),
    ("11T10:00", "EDICION_EXTERNA", "NULL", "Disponible - ARM pausado, SOLD pendiente"),
    ("11T12:00", "TOMAR_SPOOL", "'MR(93)'", _WORKING.format("MR(93)")),
    ("11T14:00", "EDICION_EXTERNA", "'LP(7)'", _WORKING.format("LP(7)")),
    ("11T18:00", "PAUSAR_SPOOL", "NULL", "Disponible - ARM pausado, SOLD pendiente"),
]


def test_a_new_ledger_gets_every_step(empty_url: str) -> None:
    database = open_database(empty_url)
    assert migrate(database) == ALL_STEPS
    put(database, [a_spool("MK-1")])
    assert spool_in(database, "MK-1").tag == "MK-1"
    database.close()


def test_steps_are_numbered_without_gaps() -> None:
    assert list(range(1, len(ALL_STEPS) + 1)) == ALL_STEPS


def test_a_second_start_changes_nothing(database: Database) -> None:
    spool = a_spool()
    put(database, [spool])
    assert migrate(database) == []
    assert spool_in(database) == spool


def test_several_processes_starting_at_once_on_a_new_ledger_is_fine(empty_url: str) -> None:
    done = at_once(
        5,
        "from carrete.ledger import open_database\nfrom carrete.ledger.migrate import migrate\nurl = sys.argv[2]",
        "migrate(open_database(url))",
        empty_url,
    )
    assert sorted(done) == [[], [], [], [], ALL_STEPS], "one of them did it, the others waited"


def test_a_ledger_made_by_a_newer_program_is_refused_and_left_alone(database: Database) -> None:
    with database.writing() as tx:
        tx.run("schema_record", version=ALL_STEPS[-1] + 1, applied_at="2030-01-01T00:00:00+00:00")
    with pytest.raises(SchemaTooNew, match=str(ALL_STEPS[-1] + 1)):
        migrate(database)
    with database.reading() as tx:
        assert tx.one("schema_version") == (ALL_STEPS[-1] + 1,)


def test_a_program_that_runs_on_when_a_newer_one_has_changed_the_ledger_writes_nothing_more(
    database: Database, database_url: str
) -> None:
    """The older program does not know what else belongs to a commit by now."""
    migrate(database)
    put(database, [a_spool("MK-1")])
    newer = open_database(database_url)
    with newer.writing() as tx:
        tx.run("schema_record", version=ALL_STEPS[-1] + 1, applied_at="2030-01-01T00:00:00+00:00")
    for _ in range(3):  # also when the connection has already prepared its statement
        with pytest.raises(LedgerUnavailable, match=f"has schema {ALL_STEPS[-1] + 1}, this program knows"):
            put(database, [a_spool("MK-2")])
    with newer.writing() as tx:
        tx.execute(f"DELETE FROM schema_version WHERE version = {ALL_STEPS[-1] + 1}")
    newer.close()
    put(database, [a_spool("MK-3")])
    with database.reading() as tx:
        there = [tag for tag in ("MK-1", "MK-2", "MK-3") if tx.one("spool", tag=tag)]
    assert there == ["MK-1", "MK-3"]


@pytest.mark.parametrize("engine", ["postgres"])
def test_a_process_that_waits_for_another_ones_migration_does_not_block_it(empty_url: str) -> None:
    """Both read the version first. With the lock of that reading the one that waits would hold up the one that
    migrates, which needs the table for itself: a deadlock."""
    first, second = open_database(empty_url), open_database(empty_url)
    with first.writing() as tx:
        tx.execute("CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)")
        for number, sql in migrations()[:-1]:
            apply(tx, number, in_dialect(sql, first.engine), first.engine)
    with ThreadPoolExecutor(1) as other:
        with first.writing() as tx:
            lock_migrations(tx, "postgres")
            waiting = other.submit(migrate, second)
            time.sleep(0.5)
            assert not waiting.done()
            tx.execute("SET LOCAL lock_timeout = 1000")
            wait_for_writers(tx, "postgres")
        assert waiting.result(10) == ALL_STEPS[-1:]
    first.close()
    second.close()


def test_a_newer_program_waits_for_running_writes_before_it_changes_the_ledger(empty_url: str) -> None:
    older, newer = open_database(empty_url), open_database(empty_url)
    with older.writing() as tx:
        tx.execute("CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)")
        for number, sql in migrations()[:-1]:
            apply(tx, number, in_dialect(sql, older.engine), older.engine)
    older.schema = ALL_STEPS[-2]
    with ThreadPoolExecutor(1) as other:
        with older.writing() as tx:
            tx.one("schema_version")
            upgrade = other.submit(migrate, newer)
            time.sleep(0.5)
            assert not upgrade.done(), "it changed the ledger under a writer"
            tx.execute(OLD_SPOOL)
        assert upgrade.result(WAIT_S_MAX) == ALL_STEPS[-1:]
    with pytest.raises(LedgerUnavailable), older.writing() as tx:
        tx.one("schema_version")
    assert spool_in(newer, "MK-1").tag == "MK-1"
    older.close()
    newer.close()


def test_the_stages_of_spools_and_events_from_before_are_read_from_the_trail(empty_url: str) -> None:
    database = open_database(empty_url)
    with database.writing() as tx:
        tx.execute("CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)")
        for number, sql in migrations():
            if number < STAGES_STEP:
                apply(tx, number, in_dialect(sql, database.engine), database.engine)
        tx.execute(OLD_SPOOL.replace("0, 2, 3000, 0, 0, 'v4.0', 0, 0, 0", "0, 2, 3000, 0, 0, 'v4.0', 1, 1, 0"))
        tx.execute("UPDATE spool SET arm = 'PAUSADO', fecha_materiales = '2026-11-02'")
        for seq, (at, tipo, holder, estado) in enumerate(OLD_TRAIL, 1):
            tx.execute(
                "INSERT INTO event (seq, id, at, evento_tipo, tag, accion, ocupado_por, estado_detalle, version, "
                f"workflow) VALUES ({seq}, 'e{seq}', '2026-11-{at}:00+00:00', '{tipo}', 'MK-1', '', {holder}, "
                f"'{estado}', 'v', 'v4.0')"
            )
    migrate(database)
    spool = spool_in(database, "MK-1")
    assert spool.stage == stage_of(spool) == "pausa:ARM espera:SOLD"
    assert spool.stage_since == datetime(2026, 11, 11, 18, tzinfo=UTC)
    assert spool.begun_at == datetime(2026, 11, 10, 8, tzinfo=UTC)
    with database.reading() as tx:
        found = tx.all("stages_ended", since="2026", until="2027")
    assert sorted((stage, total_s) for stage, _, _, total_s in found) == [
        ("pausa:ARM espera:SOLD", 20 * 3_600),
        ("trabajo:ARM", 2 * 3_600),
        ("trabajo:ARM", 4 * 3_600),
        ("trabajo:ARM", 8 * 3_600),
    ]
    database.close()


def test_joints_finished_before_their_sums_were_kept_are_summed_by_the_step(empty_url: str) -> None:
    database = open_database(empty_url)
    with database.writing() as tx:
        tx.execute("CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)")
        for number, sql in migrations()[:4]:
            apply(tx, number, in_dialect(sql, database.engine), database.engine)
        tx.execute(OLD_SPOOL)
        tx.execute(OLD_JOINTS)
    assert migrate(database) == ALL_STEPS[4:]
    with database.reading() as tx:
        year = {"since": "2026", "until": "2027", "desde": "2026", "hasta": "2027"}
        assert tx.all("work_by_worker", arm=1, sold=1, **year) == [("LP(7)", 3_000, 2, 1)]
    database.close()


def test_a_step_that_fails_half_way_leaves_nothing_behind(empty_url: str) -> None:
    """The last table of the step exists already, so the step fails: the tables that it made before must not stay."""
    database = open_database(empty_url)
    with database.writing() as tx:
        tx.execute("CREATE TABLE workbook_base (somebody TEXT)")
    with pytest.raises(Exception, match="workbook_base"):
        migrate(database)
    with database.writing() as tx:
        tx.execute("DROP TABLE workbook_base")
    assert migrate(database) == ALL_STEPS
    database.close()
