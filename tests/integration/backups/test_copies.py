"""A copy is the ledger of one moment, whole and checked, or there is none: under load, killed, on a full disk."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from carrete.backups import copying, postgres_copy, sqlite_copy
from carrete.backups.copying import make_backup
from carrete.backups.errors import BackupFailed
from carrete.backups.folder import backups_in
from carrete.backups.sqlite_copy import copy_sqlite
from carrete.backups.working_folder import working_folder
from carrete.ledger import open_database
from carrete_chaos.disk import small_disk
from tests.integration.backups.conftest import TAGS, everything, rows_of, run_sql
from tests.integration.cli.conftest import Carrete
from tests.support.builders import a_spool, put
from tests.support.machines import wait_for
from tests.support.server import RunningServer, clean_environment, descendants_of, is_alive, running_server

AT = datetime(2026, 11, 16, 6, 30, tzinfo=UTC)
TAPPING = 4


@contextmanager
def people_tapping(server: RunningServer) -> Iterator[None]:
    """Each takes and pauses spools of their own until the block ends."""
    stop = threading.Event()

    def tap(mine: list[str]) -> None:
        with server.tablet() as tablet:
            while not stop.is_set():
                for tag in mine:
                    assert tablet.tap("TOMAR", tag, key=os.urandom(8).hex()).status_code == 200
                    assert tablet.tap("PAUSAR", tag, key=os.urandom(8).hex()).status_code == 200

    threads = [threading.Thread(target=tap, args=(TAGS[n::TAPPING],)) for n in range(TAPPING)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_copy_made_under_load_and_restored_elsewhere_is_the_ledger_of_its_moment(
    shop_url: str, elsewhere: str, tmp_path: Path, carrete: Carrete, tools: str
) -> None:
    """Every action is one event, one key and one new state of its spool, in one commit: a copy that had caught a commit
    half-way would have one without the others."""
    with running_server(shop_url, tmp_path) as server, people_tapping(server):
        wait_for(lambda: len(rows_of(shop_url, "event")) > 100)
        made = make_backup(shop_url, tmp_path / "backups", AT)
        at_the_end_of_the_copy = len(rows_of(shop_url, "event"))
        wait_for(lambda: len(rows_of(shop_url, "event")) > at_the_end_of_the_copy + 20)
    restored = carrete("restore", made.file, "--yes", CARRETE_DATA=str(tmp_path), DATABASE_URL=elsewhere, PATH=tools)
    assert restored.exit_code == 0, restored.err
    copied = rows_of(elsewhere, "event")
    assert (len(copied), copied[-1][0]) == (made.events, made.last_seq)
    assert 100 < len(copied) <= at_the_end_of_the_copy
    assert copied == rows_of(shop_url, "event")[: len(copied)], "the trail until that moment, and nothing after it"
    assert len(rows_of(elsewhere, "idempotency", "1")) == len(copied)
    columns = "tag, version, ocupado_por"
    spools = {tag: state for tag, *state in rows_of(elsewhere, "spool", columns)}
    after_its_last_event = {tag: state for tag, *state in rows_of(elsewhere, "event", columns, "seq")}
    assert set(spools) == set(TAGS)
    assert {tag: spools[tag] for tag in after_its_last_event} == after_its_last_event


def test_what_nobody_changes_is_the_same_in_every_table(
    shop_url: str, elsewhere: str, tmp_path: Path, carrete: Carrete, tools: str
) -> None:
    made = make_backup(shop_url, tmp_path / "backups", AT)
    result = carrete("restore", made.file, "--yes", CARRETE_DATA=str(tmp_path), DATABASE_URL=elsewhere, PATH=tools)
    assert result.exit_code == 0, result.err
    assert everything(elsewhere) == everything(shop_url)


def test_what_is_committed_between_counting_and_copying_is_in_neither(
    shop_url: str, tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, name = (sqlite_copy, "_contents") if engine == "sqlite" else (postgres_copy, "contents_of")
    real = getattr(module, name)

    def counted(connection: object) -> object:
        held = real(connection)
        monkeypatch.setattr(module, name, real)
        with closing(open_database(shop_url)) as database:
            put(database, [a_spool("IN-BETWEEN")])
        return held

    monkeypatch.setattr(module, name, counted)
    made = make_backup(shop_url, tmp_path / "backups", AT)
    assert json.loads(made.file.with_name(made.file.name + ".json").read_text())["rows"]["spool"] == len(TAGS)
    assert len(rows_of(shop_url, "spool")) == len(TAGS) + 1


def test_a_copy_has_its_notes_and_is_for_its_owner_alone(shop_url: str, tmp_path: Path, engine: str) -> None:
    made = make_backup(shop_url, tmp_path / "new" / "backups", AT)
    suffix = {"sqlite": "db.gz", "postgres": "dump"}[engine]
    assert made.file.name == f"carrete-20261116T063000Z.{suffix}"
    notes = made.file.with_name(made.file.name + ".json")
    assert sorted(os.listdir(made.file.parent)) == [made.file.name, notes.name]
    for path in (made.file, notes):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(made.file.parent.stat().st_mode) == 0o700
    assert json.loads(notes.read_text())["rows"]["spool"] == len(TAGS)
    assert backups_in(made.file.parent) == [made]


def test_a_second_copy_in_the_same_second_has_a_name_of_its_own(shop_url: str, tmp_path: Path) -> None:
    first, second = (make_backup(shop_url, tmp_path / "backups", AT) for _ in range(2))
    assert second.made_at - first.made_at == timedelta(seconds=1)
    assert sorted(backups_in(tmp_path / "backups"), key=lambda each: each.made_at) == [first, second]


def test_a_copy_that_lacks_a_row_is_not_kept(
    shop_url: str, tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault between copying and packing, which the check must find."""
    if engine == "sqlite":
        real = copy_sqlite

        def lossy(ledger: Path, copy: Path) -> object:
            held = real(ledger, copy)
            run_sql(f"sqlite:///{copy}", f"DELETE FROM spool WHERE tag = '{TAGS[0]}'")
            return held

        monkeypatch.setattr(copying, "copy_sqlite", lossy)
    else:
        programs = tmp_path / "bin"
        programs.mkdir()
        program = programs / "pg_dump"
        program.write_text(f'#!/bin/sh\nPATH={os.environ["PATH"]} exec pg_dump --exclude-table-data=spool "$@"\n')
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    with pytest.raises(BackupFailed, match="spool: 40 ≠"):
        make_backup(shop_url, tmp_path / "backups", AT)
    assert os.listdir(tmp_path / "backups") == []


# Makes a copy as the nightly child process does, and stops at one of its steps.
STANDS_STILL = """
import importlib, signal, sys
from carrete.backups import child
def stand_still(*_, **__):
    print("there", file=sys.stderr, flush=True)
    signal.pause()
setattr(importlib.import_module("carrete.backups." + sys.argv[1]), sys.argv[2], stand_still)
child.main()
"""


@pytest.mark.parametrize(
    ("engine", "step"),
    [
        ("sqlite", "copying._packed"),
        ("sqlite", "copying.unpacked"),
        ("sqlite", "copying.sqlite_contents"),
        ("sqlite", "copying.move_into_place"),
        ("postgres", "postgres_copy.dump_contents"),
        ("postgres", "copying.move_into_place"),
    ],
)
def test_killed_at_any_step_there_is_no_file_under_a_good_name_and_the_next_copy_cleans_up(
    shop_url: str, tmp_path: Path, engine: str, step: str
) -> None:
    folder = tmp_path / "backups"
    with making(shop_url, folder, "-c", STANDS_STILL, *step.split(".")) as child:
        assert child.stderr is not None
        assert child.stderr.readline() == b"there\n"
        child.kill()
    assert list(folder.glob(".carrete-backup-*/*")), "it was killed in the middle"
    assert backups_in(folder) == []
    assert list(folder.glob("carrete-*.gz")) + list(folder.glob("carrete-*.dump")) == []
    made = make_backup(shop_url, folder, AT)
    assert not list(folder.glob(".carrete-backup-*"))
    assert backups_in(folder) == [made]


@pytest.mark.parametrize("engine", ["postgres"])
def test_killed_while_pg_dump_runs_pg_dump_ends_too(shop_url: str, tmp_path: Path, engine: str) -> None:
    text = "(SELECT string_agg(md5(n::text || '-' || r::text), '') FROM generate_series(1, 6250) r)"
    run_sql(shop_url, f"INSERT INTO setting SELECT 'ballast-' || n, {text} FROM generate_series(1, 150) n")
    folder = tmp_path / "backups"
    with making(shop_url, folder, "-m", "carrete.backups.child") as child:
        wait_for(lambda: bool(descendants_of(child.pid)))
        (dump,) = descendants_of(child.pid)
        child.kill()
    wait_for(lambda: not is_alive(dump))
    assert backups_in(folder) == []


def test_a_child_whose_server_died_before_it_began_makes_no_copy(tmp_path: Path) -> None:
    """The kernel ends a child with its parent (PR_SET_PDEATHSIG) only once the child has asked for it."""
    task = {"parent": 1, "ledger_url": "sqlite:////nowhere", "folder": str(tmp_path / "backups"), "zone": "UTC"}
    command = [sys.executable, "-m", "carrete.backups.child"]
    ended = subprocess.run(command, input=json.dumps(task).encode(), capture_output=True, env=clean_environment())
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
    assert not (tmp_path / "backups").exists()


def test_a_damaged_signing_key_stops_no_copy(shop_url: str, tmp_path: Path, carrete: Carrete, tools: str) -> None:
    (tmp_path / "signing.key").write_bytes(b"damaged")
    made = carrete("backup", DATABASE_URL=shop_url, CARRETE_DATA=str(tmp_path), PATH=tools)
    assert made.exit_code == 0
    assert "the copy has no signed head" in made.sentence
    with making(shop_url, tmp_path / "nightly", "-m", "carrete.backups.child") as child:
        assert child.stdout is not None
        result = json.load(child.stdout)
    assert "signing.key has 7 bytes" in result["unsigned"]
    assert [each.file.name for each in backups_in(tmp_path / "nightly")] == [result["file"]]


@contextmanager
def making(url: str, folder: Path, *program: str) -> Iterator[subprocess.Popen[bytes]]:
    """A child process that makes a copy; it is killed at the end of the block."""
    here = {"folder": str(folder), "data": str(folder.parent), "zone": "UTC"}
    task = json.dumps({"parent": os.getpid(), "ledger_url": url, **here}).encode()
    pipe = subprocess.PIPE
    environment = clean_environment(PATH=os.environ["PATH"])
    with subprocess.Popen([sys.executable, *program], stdin=pipe, stdout=pipe, stderr=pipe, env=environment) as child:
        assert child.stdin is not None
        child.stdin.write(task)
        child.stdin.close()
        try:
            yield child
        finally:
            child.kill()


def test_a_copy_under_way_is_not_taken_for_an_abandoned_one(shop_url: str, tmp_path: Path) -> None:
    with working_folder(tmp_path) as busy:
        made = make_backup(shop_url, tmp_path, AT)
        assert busy.is_dir()
    assert made.file.is_file()


def test_a_full_disk_is_one_sentence_and_the_copies_of_before_stay(shop_url: str, tmp_path: Path, engine: str) -> None:
    with small_disk(tmp_path / "disk", megabytes=1) as disk:
        assert disk is not None, "the tests mount a small disk, as root"
        made = make_backup(shop_url, disk.folder, AT)
        before = sorted(os.listdir(disk.folder))
        disk.fill()
        with pytest.raises(BackupFailed) as failed:
            make_backup(shop_url, disk.folder, AT + timedelta(days=1))
        assert "No space left" in failed.value.words.en
        assert "No queda espacio" in failed.value.words.es or engine == "postgres"
        disk.empty()
        assert sorted(os.listdir(disk.folder)) == before
        assert backups_in(disk.folder) == [made]


@pytest.mark.parametrize("engine", ["postgres"])
def test_without_pg_dump_the_sentence_says_what_to_install(
    shop_url: str, tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackupFailed, match="postgresql-client"):
        make_backup(shop_url, tmp_path / "backups", AT)
    assert os.listdir(tmp_path / "backups") == []


@pytest.mark.parametrize("engine", ["postgres"])
def test_what_pg_dump_complains_about_is_passed_on_without_the_password(
    shop_url: str, tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For instance one that is older than the server."""
    (programs := tmp_path / "bin").mkdir()
    (program := programs / "pg_dump").write_text(
        "#!/bin/sh\necho 'pg_dump: error: aborting because of server version mismatch: hunter2' >&2\nexit 1\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    with pytest.raises(BackupFailed, match="version mismatch") as failed:
        make_backup(shop_url.replace("postgres@", "postgres:hunter2@"), tmp_path / "backups", AT)
    assert "version mismatch" in failed.value.words.es
    assert "hunter2" not in failed.value.words.en + failed.value.words.es
    assert os.listdir(tmp_path / "backups") == []


@pytest.mark.parametrize("engine", ["postgres"])
def test_the_password_is_not_on_the_command_line_of_pg_dump(
    shop_url: str, tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program in its place writes down what it was called with; the server of the tests asks for no password."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (program := programs / "pg_dump").write_text(
        f'#!/bin/sh\necho "$@" > {tmp_path}/arguments\necho "$PGPASSWORD" > {tmp_path}/password\n'
        f'PATH={os.environ["PATH"]} exec pg_dump "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    make_backup(shop_url.replace("postgres@", "postgres:hunter2@"), tmp_path / "backups", AT)
    assert "hunter2" not in (tmp_path / "arguments").read_text()
    assert (tmp_path / "password").read_text() == "hunter2\n"
