"""`carrete labels`: which labels are written, on which paper, and what is remembered."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from carrete.identity.people import ChangeAuthor, set_badge
from carrete.ledger import open_database
from tests.conftest import migrated
from tests.integration.backups.conftest import rows_of
from tests.integration.cli.conftest import Carrete
from tests.support.builders import a_spool, put
from tests.support.labels import codes_of, page_sizes_mm
from tests.support.people import CREW, MR


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'carrete.db'}"
    migrated(url)
    spools = [a_spool(f"MK-{n}", ot="4711" if n < 3 else "4712", total_uniones=n) for n in range(5)]
    database = open_database(url)
    put(database, spools, CREW)
    database.close()
    return url


def mode_of(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def test_labels_of_a_work_order_are_written_and_on_request_marked_as_printed(
    carrete: Carrete, url: str, tmp_path: Path
) -> None:
    file = tmp_path / "etiquetas.pdf"
    done = carrete("labels", str(file), "--ot", "4711", DATABASE_URL=url)
    assert "3 labels on 1 pages." in done.out
    assert [code.text for code in codes_of(file.read_bytes())] == ["MK-0", "MK-1", "MK-2"]
    assert rows_of(url, "label_print") == []
    carrete("labels", str(file), "--ot", "4711", "--mark-printed", DATABASE_URL=url)
    assert rows_of(url, "label_print", "tag, by_id, times") == [(f"MK-{n}", None, 1) for n in range(3)]
    carrete("labels", str(file), "--not-printed", "--format", "rollo-62", DATABASE_URL=url)
    assert [code.text for code in codes_of(file.read_bytes())] == ["MK-3", "MK-4"]
    assert page_sizes_mm(file.read_bytes()) == [(62, 29)] * 2


def test_a_list_is_printed_in_its_order(carrete: Carrete, url: str, tmp_path: Path) -> None:
    (wanted := tmp_path / "tags.txt").write_text("\ufeffMK-4\n\n MK-1 \nMK-4\n", "utf-8")
    file = tmp_path / "etiquetas.pdf"
    carrete("labels", str(file), "--list", str(wanted), "--format", "a4-libre", "--grid", "2x6", DATABASE_URL=url)
    assert [code.text for code in codes_of(file.read_bytes())] == ["MK-4", "MK-1"]


def test_cards_with_badges(carrete: Carrete, url: str, tmp_path: Path) -> None:
    file = tmp_path / "credenciales.pdf"
    assert "Nobody has a badge" in carrete("labels", str(file), "--badges", DATABASE_URL=url).sentence
    database = open_database(url)
    with database.writing() as tx:
        set_badge(tx, MR.id, "B-93", ChangeAuthor(datetime.now(UTC)))
    database.close()
    assert "1 cards." in carrete("labels", str(file), "--badges", DATABASE_URL=url).out
    assert [code.text for code in codes_of(file.read_bytes())] == ["B-93"]
    assert mode_of(file) == 0o600, "in the mode `device` a badge signs in"


def test_badges_close_a_file_that_others_could_read(carrete: Carrete, url: str, tmp_path: Path) -> None:
    database = open_database(url)
    with database.writing() as tx:
        set_badge(tx, MR.id, "B-93", ChangeAuthor(datetime.now(UTC)))
    database.close()
    file = tmp_path / "impreso.pdf"
    file.write_bytes(b"%" * 1_000_000)
    file.chmod(0o644)
    carrete("labels", str(file), "--badges", DATABASE_URL=url)
    assert mode_of(file) == 0o600
    assert [code.text for code in codes_of(file.read_bytes())] == ["B-93"]
    assert file.read_bytes().rstrip().endswith(b"%%EOF"), "nothing of the longer file is left"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--format", "a3"), "--format a3: choose"),
        (("--format", "a4-libre"), "belong together"),
        (("--grid", "2x6"), "belong together"),
        (("--format", "a4-libre", "--grid", "0x6"), "columns and rows, such as 2x6"),
        (("--format", "a4-libre", "--grid", "7x10"), "too small"),
        (("--skip", "24"), "--skip 24: a sheet has 24 labels"),
        (("--ot", "nobody's"), "nothing to print"),
        (("--badges", "--ot", "1"), "people, not spools"),
        (("--list", "/nowhere/tags.txt"), "cannot be read"),
    ],
)
def test_what_cannot_be_printed_is_one_sentence_and_no_file(
    carrete: Carrete, url: str, tmp_path: Path, options: tuple[str, ...], reason: str
) -> None:
    file = tmp_path / "etiquetas.pdf"
    failed = carrete("labels", str(file), *options, DATABASE_URL=url)
    assert reason in failed.sentence
    assert not file.exists()


def test_a_list_with_an_unknown_tag_prints_nothing(carrete: Carrete, url: str, tmp_path: Path) -> None:
    (wanted := tmp_path / "tags.txt").write_text("MK-1\nNADIE\n", "utf-8")
    file = tmp_path / "etiquetas.pdf"
    failed = carrete("labels", str(file), "--list", str(wanted), "--mark-printed", DATABASE_URL=url)
    assert "there is no spool NADIE" in failed.sentence
    assert not file.exists()
    assert rows_of(url, "label_print") == []
