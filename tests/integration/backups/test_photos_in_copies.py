"""Photos in backups: each is stored once over all copies, comes back, and is deleted with the last copy of it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from carrete.backups.copying import back_up_to, make_backup
from carrete.backups.folder import backups_in
from carrete.backups.photo_files import delete_unnamed_photos, list_path, listed_photos
from carrete.backups.retention import delete_superseded
from carrete.domain.commands import Anotar
from carrete.ledger import open_database
from carrete.ledger.notes import NewPhoto, save_photo
from tests.integration.backups.conftest import TAGS, everything, rows_of, run_sql
from tests.integration.cli.conftest import Carrete, CommandResult
from tests.support.acting import a_floor
from tests.support.people import MR

AT = datetime(2026, 11, 16, 6, 30, tzinfo=UTC)
DAY = timedelta(days=1)
SIZE = 300_000


def add_notes(url: str, numbers: Sequence[int]) -> list[str]:
    """A note with one photo each; photos do not compress."""
    ids = []
    with closing(open_database(url)) as database:
        for number in numbers:
            content = hashlib.shake_128(str(number).encode()).digest(SIZE)
            ids.append(hashlib.sha256(content).hexdigest())
            with database.writing() as tx:
                save_photo(tx, NewPhoto(ids[-1], content, 1600, 1200), MR.id, AT)
            with a_floor(database) as floor:
                floor.do(Anotar(TAGS[0], MR.id, "Poro", None, (ids[-1],)))
    return ids


def files_in(folder: Path) -> dict[str, float]:
    return {file.stem: file.stat().st_mtime_ns for file in (folder / "fotos").glob("*")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "backups"


def restored(carrete: Carrete, file: Path, url: str, data: Path, tools: str) -> CommandResult:
    result = carrete("restore", file, "--yes", CARRETE_DATA=str(data), DATABASE_URL=url, PATH=tools)
    assert result.exit_code == 0, result.err
    return result


def test_each_photo_is_stored_once_over_all_copies(shop_url: str, folder: Path) -> None:
    first = add_notes(shop_url, range(3))
    without = make_backup(shop_url, folder, AT)
    written = files_in(folder)
    assert set(written) == set(first)
    assert without.bytes < SIZE, "the pictures are not in the copy"
    more = add_notes(shop_url, range(3, 5))
    again = make_backup(shop_url, folder, AT + DAY)
    assert set(files_in(folder)) == {*first, *more}
    assert {id_: files_in(folder)[id_] for id_ in first} == written, "none was written again"
    assert sum(file.stat().st_size for file in (folder / "fotos").iterdir()) == 5 * SIZE
    assert again.bytes < SIZE
    assert all(os.stat(file).st_mode & 0o077 == 0 for file in (folder / "fotos").iterdir())


def test_a_restore_puts_the_photos_back(
    shop_url: str, elsewhere: str, folder: Path, tmp_path: Path, carrete: Carrete, tools: str
) -> None:
    add_notes(shop_url, range(3))
    made = make_backup(shop_url, folder, AT)
    result = restored(carrete, made.file, elsewhere, tmp_path / "new", tools)
    assert "Photos put back: 3." in result.out
    assert everything(elsewhere) == everything(shop_url)


def test_a_restore_says_how_many_photos_are_missing_and_the_next_backup_still_works(
    shop_url: str, elsewhere: str, folder: Path, tmp_path: Path, carrete: Carrete, tools: str
) -> None:
    ids = add_notes(shop_url, range(3))
    made = make_backup(shop_url, folder, AT)
    (folder / "fotos" / f"{ids[0]}.jpg").unlink()
    (folder / "fotos" / f"{ids[1]}.jpg").write_bytes(b"rot")
    result = restored(carrete, made.file, elsewhere, tmp_path / "new", tools)
    assert "Photos put back: 1." in result.out
    assert "2 photos of notes are missing" in result.out
    assert rows_of(elsewhere, "event") == rows_of(shop_url, "event")
    assert make_backup(elsewhere, tmp_path / "others", AT).events == made.events
    assert set(files_in(tmp_path / "others")) == {ids[2]}


def test_a_photo_without_a_note_is_in_no_copy(
    shop_url: str, elsewhere: str, folder: Path, tmp_path: Path, carrete: Carrete, tools: str
) -> None:
    with closing(open_database(shop_url)) as database, database.writing() as tx:
        save_photo(tx, NewPhoto("0" * 64, b"x", 1, 1), None, AT)
    made = make_backup(shop_url, folder, AT)
    assert files_in(folder) == {}
    result = restored(carrete, made.file, elsewhere, tmp_path / "new", tools)
    assert "missing" not in result.out
    assert rows_of(elsewhere, "photo") == rows_of(elsewhere, "photo_bytes") == []


def test_a_photo_is_deleted_with_the_last_copy_that_names_it(shop_url: str, folder: Path) -> None:
    gone, stays = add_notes(shop_url, [1]), add_notes(shop_url, [2])
    make_backup(shop_url, folder, AT)
    for table in ("photo", "photo_bytes"):
        run_sql(shop_url, f"DELETE FROM {table} WHERE id = '{gone[0]}'")
    later = AT + 400 * DAY
    for day in range(14):
        make_backup(shop_url, folder, later + day * DAY)
    for month in range(1, 13):
        make_backup(shop_url, folder, AT + month * timedelta(days=31))
    for file in (folder / "fotos").iterdir():
        os.utime(file, (AT.timestamp(), AT.timestamp()))
    now = later + 13 * DAY
    assert delete_unnamed_photos(folder, backups_in(folder), now) == 0
    assert delete_superseded(backups_in(folder), now, ZoneInfo("UTC"))
    assert delete_unnamed_photos(folder, backups_in(folder), now) == 1
    assert set(files_in(folder)) == set(stays)


def test_while_one_list_cannot_be_read_no_photo_is_deleted(shop_url: str, folder: Path) -> None:
    add_notes(shop_url, [1])
    made = make_backup(shop_url, folder, AT)
    stray = folder / "fotos" / f"{'a' * 64}.jpg"
    stray.write_bytes(b"x")
    os.utime(stray, (0, 0))
    listed = list_path(made.file)
    text = listed.read_text()
    listed.unlink()
    assert delete_unnamed_photos(folder, backups_in(folder), AT) == 0
    listed.write_text(text)
    assert delete_unnamed_photos(folder, backups_in(folder), AT) == 1


def test_a_copy_to_a_file_of_ones_own_has_the_photos_in_it(
    shop_url: str, elsewhere: str, tmp_path: Path, carrete: Carrete, tools: str
) -> None:
    add_notes(shop_url, range(2))
    file = tmp_path / "alone"
    assert back_up_to(shop_url, file, AT) > 2 * SIZE
    result = restored(carrete, file, elsewhere, tmp_path / "new", tools)
    assert "missing" not in result.out
    assert everything(elsewhere) == everything(shop_url)


def test_a_photo_that_is_damaged_in_the_ledger_costs_no_copy_and_is_in_none(shop_url: str, folder: Path) -> None:
    id_, whole = add_notes(shop_url, [1, 2])
    rotten = "X'78'" if shop_url.startswith("sqlite") else "'x'"
    run_sql(shop_url, f"UPDATE photo_bytes SET content = {rotten} WHERE id = '{id_}'")
    made = make_backup(shop_url, folder, AT)
    assert listed_photos(made.file) == {whole}
