"""`carrete restore`: asks, keeps what was there, and changes nothing when the copy or the moment is wrong."""

from __future__ import annotations

import gzip
import os
import re
import shutil
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from carrete.backups.copying import back_up_to, make_backup
from carrete.backups.keys import encrypted
from carrete.identity.server_keys import KEY_FILE
from carrete.ledger import open_database
from tests.integration.backups.conftest import TAGS, everything, rows_of, run_sql
from tests.integration.cli.conftest import Carrete, CommandResult
from tests.support.builders import a_spool, put
from tests.support.server import running_server
from tests.support.signed_in import put_server_key

PHRASE = "cuatro palabras tomadas al azar"
AT = datetime(2026, 11, 16, 6, 30, tzinfo=UTC)


class Restores:
    """Types `carrete restore` on one ledger."""

    def __init__(self, carrete: Carrete, url: str, data: Path, tools: str) -> None:
        self._carrete = carrete
        self._settings = {"DATABASE_URL": url, "CARRETE_DATA": str(data), "PATH": tools}

    def __call__(self, file: Path, *options: str, **settings: str) -> CommandResult:
        return self._carrete("restore", file, *options, **{**self._settings, **settings})


@pytest.fixture
def restore(carrete: Carrete, shop_url: str, tmp_path: Path, tools: str) -> Restores:
    return Restores(carrete, shop_url, tmp_path, tools)


@pytest.fixture
def copy(shop_url: str, tmp_path: Path) -> Path:
    """A copy, and changes of the ledger after it."""
    made = make_backup(shop_url, tmp_path / "backups", AT).file
    with closing(open_database(shop_url)) as database:
        put(database, [a_spool("LATER")])
    return made


def tags_in(url: str, table: str = "spool") -> set[str]:
    return {tag for (tag,) in rows_of(url, table, "tag")}


def refused(result: CommandResult, url: str, words: str) -> None:
    """The command fails with one sentence that has these words, and the ledger is unchanged."""
    assert result.exit_code == 1, result
    assert words in result.sentence
    assert "LATER" in tags_in(url)


def test_the_ledger_is_that_of_the_copy_and_the_one_of_before_is_kept(
    restore: Restores, copy: Path, shop_url: str, engine: str
) -> None:
    before = everything(shop_url)
    result = restore(copy, "--yes")
    assert result.exit_code == 0, result.err
    assert tags_in(shop_url) == set(TAGS)
    if engine == "sqlite":
        found = re.search(r"kept: (\S+)\.$", result.out, re.MULTILINE)
        assert found
        assert everything(f"sqlite:///{found[1]}") == before
        assert os.stat(found[1]).st_mode & 0o077 == 0
        return
    found = re.search(r"kept: the schema (\S+) of", result.out)
    assert found
    assert tags_in(shop_url, f"{found[1]}.spool") == {*TAGS, "LATER"}
    again = make_backup(shop_url, copy.parent, AT.replace(hour=7))
    assert again.bytes < 2 * copy.stat().st_size, "the ledger of before is in no later copy"
    assert restore(again.file, "--yes").exit_code == 0, "and the next restore keeps both"


def test_it_asks_first_and_no_means_no(
    restore: Restores, copy: Path, shop_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions: list[str] = []

    def answer(question: str, *, abort: bool) -> None:
        questions.append(question)
        raise SystemExit(1)

    monkeypatch.setattr("typer.confirm", answer)
    assert restore(copy).exit_code == 1
    assert len(questions) == 1
    assert "LATER" in tags_in(shop_url)


def test_while_a_server_runs_on_it_nothing_is_restored(
    restore: Restores, copy: Path, shop_url: str, tmp_path: Path
) -> None:
    with running_server(shop_url, tmp_path) as server, server.tablet() as tablet:
        refused(restore(copy, "--yes"), shop_url, "stop every process first")
        assert tablet.tap("TOMAR", "LATER").status_code == 200, "and the server noticed nothing"
    assert restore(copy, "--yes").exit_code == 0


def test_while_a_server_runs_no_keys_are_restored_either(
    restore: Restores, shop_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_server_key(tmp_path)
    before = (tmp_path / KEY_FILE).read_bytes()
    file = tmp_path / "carrete-keys.enc"
    file.write_bytes(encrypted({KEY_FILE: bytes(32)}, PHRASE, AT))
    monkeypatch.setattr("carrete.cli.passphrase.known_passphrase", lambda: PHRASE)
    with running_server(shop_url, tmp_path) as server, server.tablet() as tablet:
        result = restore(file, "--yes")
        assert result.exit_code == 1, result
        assert "stop every process first" in result.sentence
        assert (tmp_path / KEY_FILE).read_bytes() == before
        assert tablet.get("/api/health").status_code == 200
    assert restore(file, "--yes").exit_code == 0
    assert (tmp_path / KEY_FILE).read_bytes() == bytes(32)


def test_a_damaged_copy_is_refused(restore: Restores, copy: Path, shop_url: str, tmp_path: Path) -> None:
    """A damaged copy is recognised by the hash in its notes, or, without notes, by its content."""
    good = copy.read_bytes()
    for content in (good[: len(good) // 2], good[:-40] + b"\0" * 40, b"\x1f\x8b" + b"no copy" * 9, b"PGDMP", b""):
        copy.write_bytes(content)
        refused(restore(copy, "--yes"), shop_url, "damaged")
        (alone := tmp_path / "alone").write_bytes(content)
        result = restore(alone, "--yes")
        assert result.exit_code == 1, content[:20]
        assert "LATER" in tags_in(shop_url)
        assert result.sentence
    copy.unlink()
    refused(restore(copy, "--yes"), shop_url, "cannot be read")


def test_a_copy_of_a_newer_program_is_refused(restore: Restores, shop_url: str, tmp_path: Path) -> None:
    run_sql(shop_url, "INSERT INTO schema_version (version, applied_at) VALUES (9999, '')")
    newer = make_backup(shop_url, tmp_path / "newer", AT).file
    run_sql(shop_url, "DELETE FROM schema_version WHERE version = 9999")
    with closing(open_database(shop_url)) as database:
        put(database, [a_spool("LATER")])
    refused(restore(newer, "--yes"), shop_url, "schema 9999")


def test_a_copy_of_the_other_engine_is_refused(
    restore: Restores, copy: Path, shop_url: str, engine: str, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    if engine == "postgres":
        with gzip.open(other, "wb") as file:
            file.write(b"SQLite format 3\0")
    else:
        other.write_bytes(b"PGDMP and so on")
    refused(restore(other, "--yes"), shop_url, "This is a copy of a")


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_damaged_ledger_is_replaced_and_kept_as_it_is(
    restore: Restores, copy: Path, shop_url: str, engine: str, tmp_path: Path
) -> None:
    ledger = tmp_path / "carrete.db"
    ledger.write_bytes(b"the disk was dying" * 100)
    (tmp_path / "carrete.db-wal").write_bytes(b"its log too" * 100)
    assert restore(copy, "--yes").exit_code == 0
    assert tags_in(shop_url) == set(TAGS)
    (kept,) = (path for path in tmp_path.glob("carrete.db.before-*") if not path.name.endswith(("-wal", "-shm")))
    assert kept.read_bytes() == b"the disk was dying" * 100
    assert kept.with_name(kept.name + "-wal").read_bytes() == b"its log too" * 100


@pytest.mark.parametrize("engine", ["sqlite"])
def test_the_log_of_the_old_ledger_is_never_read_with_the_new_one(
    restore: Restores, copy: Path, shop_url: str, engine: str, tmp_path: Path
) -> None:
    """A machine that lost power leaves commits in the write-ahead log: they are in the kept ledger."""
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    with closing(open_database(shop_url)) as database:
        put(database, [a_spool("IN-THE-LOG")])
        for file in tmp_path.glob("carrete.db*"):
            shutil.copy(file, crashed)
    for file in crashed.iterdir():
        shutil.move(file, tmp_path / file.name)
    result = restore(copy, "--yes")
    assert result.exit_code == 0, result.err
    assert tags_in(shop_url) == set(TAGS)
    (kept,) = tmp_path.glob("carrete.db.before-*Z")
    assert tags_in(f"sqlite:///{kept}") == {*TAGS, "LATER", "IN-THE-LOG"}


@pytest.mark.parametrize("engine", ["postgres"])
def test_a_restore_that_fails_half_way_changes_nothing(
    restore: Restores, copy: Path, shop_url: str, engine: str, tmp_path: Path, tools: str
) -> None:
    """pg_restore ends after it has made the tables and before it has filled them: psql must not commit that."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (program := programs / "pg_restore").write_text(
        f"#!/bin/sh\nexport PATH={tools}\n"
        'case "$*" in *--data-only*|*--list*) exec pg_restore "$@";; esac\n'
        "pg_restore \"$@\" | sed '/^COPY /,$d'\nexit 1\n"
    )
    program.chmod(0o755)
    before = everything(shop_url)
    refused(restore(copy, "--yes", PATH=f"{programs}:{tools}"), shop_url, "failed")
    assert everything(shop_url) == before
    with psycopg.connect(shop_url) as connection:
        schemas = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname LIKE '%before%'").fetchall()
    assert schemas == []


@pytest.mark.parametrize("engine", ["postgres"])
def test_a_dump_of_the_whole_database_made_by_hand_is_restored_too(
    restore: Restores, copy: Path, shop_url: str, engine: str, tmp_path: Path, tools: str
) -> None:
    command = f'pg_dump --format=custom --file={tmp_path}/by-hand.dump "{shop_url}"'
    assert os.system(f"PATH={tools}; {command}") == 0
    run_sql(shop_url, "DELETE FROM spool WHERE tag = 'LATER'")
    result = restore(tmp_path / "by-hand.dump", "--yes")
    assert result.exit_code == 0, result.err
    assert "LATER" in tags_in(shop_url)


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_the_ledger_of_a_dead_machines_disk_is_restored_with_the_log_beside_it(
    restore: Restores, shop_url: str, tmp_path: Path
) -> None:
    """A power cut leaves the last commits in the log only."""
    (disk := tmp_path / "disk").mkdir()
    with closing(open_database(shop_url)) as database:
        put(database, [a_spool("LAST")])
        ledger = Path(shop_url.removeprefix("sqlite:///"))
        for file in ledger.parent.glob(f"{ledger.name}*"):
            shutil.copy(file, disk)
    assert (disk / f"{ledger.name}-wal").stat().st_size
    run_sql(shop_url, "DELETE FROM spool WHERE tag = 'LAST'")
    assert restore(disk / ledger.name, "--yes").exit_code == 0
    assert "LAST" in tags_in(shop_url)


@pytest.mark.parametrize("engine", ["postgres"], indirect=True)
def test_programs_of_a_newer_postgresql_than_the_server_restore_too(
    restore: Restores, copy: Path, shop_url: str, tmp_path: Path, tools: str
) -> None:
    """pg_restore 17 sets transaction_timeout, which PostgreSQL 16 does not know."""
    (newer := tmp_path / "newer").mkdir()
    (newer / "pg_restore").write_text(
        f"""#!/bin/sh
"{shutil.which("pg_restore", path=tools)}" "$@" | sed 's/^SET lock_timeout = 0;/&\\nSET later_timeout = 0;/'
"""
    )
    (newer / "pg_restore").chmod(0o755)
    result = restore(copy, "--yes", PATH=f"{newer}:{tools}")
    assert result.exit_code == 0, result.err
    assert tags_in(shop_url) == set(TAGS)


def test_a_copy_to_a_file_of_ones_own_is_restored_packed_or_not(
    restore: Restores, copy: Path, shop_url: str, tmp_path: Path, engine: str
) -> None:
    for name in ("mine.db", "mine.db.gz") if engine == "sqlite" else ("mine.dump",):
        back_up_to(shop_url, tmp_path / name, AT)
        run_sql(shop_url, "DELETE FROM spool WHERE tag = 'LATER'")
        assert restore(tmp_path / name, "--yes").exit_code == 0
        assert "LATER" in tags_in(shop_url)


def test_a_restore_without_the_keys_says_what_is_lost_and_how_to_go_on(
    carrete: Carrete, shop_url: str, elsewhere: str, tmp_path: Path, tools: str
) -> None:
    """With the file of keys nothing is lost."""
    put_server_key(old := tmp_path)
    settings = {"DATABASE_URL": shop_url, "CARRETE_DATA": str(old), "CARRETE_ACCESS": "pin"}
    with running_server(shop_url, old, settings={"CARRETE_ACCESS": "pin"}):
        pass  # the first start with identity: the ledger knows its key from now on
    copy = make_backup(shop_url, tmp_path / "backups", AT).file
    new = tmp_path / "new"
    there = {**settings, "DATABASE_URL": elsewhere, "CARRETE_DATA": str(new), "PATH": tools}
    result = carrete("restore", copy, "--yes", **there)
    assert result.exit_code == 0, result.err
    output = " ".join(result.out.split())
    for words in ("identity.key is missing", "carrete restore carrete-keys", "carrete admin new-key", "All PINs end"):
        assert words in output
    refused_start = carrete("serve", "--port", "0", **there)
    assert "identity.key is missing" in refused_start.sentence
    new.mkdir(exist_ok=True)
    (new / "identity.key").touch(0o600)
    shutil.copy(old / "identity.key", new / "identity.key")
    assert "identity.key" not in carrete("restore", copy, "--yes", **there).out
