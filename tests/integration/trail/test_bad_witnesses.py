"""A file that is no witness is named, and hides nothing of what the trail or the other witnesses show."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from carrete.domain.trail.findings import TAG, TIPO, WORKER, Kind
from carrete.ledger.database import Database
from carrete.trail.seals import seal_if_due
from carrete.verification.export import export_trail
from carrete.verification.sources import FILES_MAX
from tests.integration.cli.conftest import Carrete, CommandResult
from tests.support.sealed_shop import SealedShop
from tests.support.trails import edit, head_of, rechained

CHECKER = Path(__file__).parents[3] / "docs" / "verify.py"
WHOLE, NOT_WHOLE, WRONG_CALL, WITNESSES_UNUSABLE = 0, 1, 2, 3
JUNK: dict[str, str | bytes] = {
    "another file": "{}",
    "no JSON": "not JSON",
    "no object": "[1]",
    "no list": '{"carrete-recibos": 7}',
    "too deep": "[" * 100_000,
    "no text": b"\xff\xfe\x00",
}


@pytest.fixture
def shop(database: Database, database_url: str, tmp_path: Path) -> SealedShop:
    made = SealedShop(database, database_url, tmp_path / "data").staffed()
    made.work(2)
    return made


@pytest.fixture
def exported(shop: SealedShop, tmp_path: Path) -> Path:
    file = tmp_path / "trail.jsonl"
    export_trail(shop.database, file, shop.key)
    return file


def junk_file(folder: Path, kind: str) -> Path:
    content = JUNK[kind]
    file = folder / "junk.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def audited(*arguments: object) -> tuple[int, str]:
    """The auditor's file: its exit status, and all that it says."""
    command = [sys.executable, "-I", "-S", str(CHECKER), *map(str, arguments)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in ran.stderr, ran.stderr
    return ran.returncode, ran.stdout + ran.stderr


def verified(carrete: Carrete, shop: SealedShop, *options: object) -> CommandResult:
    here = {"DATABASE_URL": shop.settings.database_url, "CARRETE_DATA": str(shop.settings.data)}
    return carrete("verify", *options, **here)


def change_one_event(trail: Path) -> None:
    lines = trail.read_text("utf-8").splitlines()
    event = json.loads(lines[5])
    event[6] = "XX(1)"
    trail.write_text("\n".join([*lines[:5], json.dumps(event), *lines[6:]]) + "\n", "utf-8")


def rewrite(shop: SealedShop) -> None:
    anew = rechained(edit(shop.rows(), 5, Random(2)), 5)
    shop.replace(anew, head_of(anew))


@pytest.mark.parametrize("kind", JUNK)
def test_an_auditor_is_told_of_the_changed_event_and_of_the_bad_file(exported: Path, tmp_path: Path, kind: str) -> None:
    junk = junk_file(tmp_path, kind)
    status, words = audited(exported, junk)
    named, fitting = "junk.json cannot be used" in words, "The events fit together" in words
    assert (status, named, fitting) == (WITNESSES_UNUSABLE, True, True), words
    change_one_event(exported)
    status, words = audited(exported, junk)
    assert (status, "junk.json cannot be used" in words) == (NOT_WHOLE, True), words
    assert "Event 5 was changed" in words


@pytest.mark.parametrize("kind", JUNK)
def test_a_bad_file_does_not_stop_the_command_or_hide_a_rewrite(
    carrete: Carrete, shop: SealedShop, tmp_path: Path, kind: str
) -> None:
    junk, good = junk_file(tmp_path, kind), tmp_path / "tablet.json"
    good.write_text(shop.receipts_text(), "utf-8")
    found = verified(carrete, shop, "--receipts", junk)
    assert (found.exit_code, "junk.json cannot be used" in found.out) == (WITNESSES_UNUSABLE, True), found
    rewrite(shop)
    found = verified(carrete, shop, "--receipts", junk, "--receipts", good)
    assert (found.exit_code, "The trail was rewritten" in found.out) == (NOT_WHOLE, True), found
    assert "junk.json cannot be used" in found.out


def test_an_auditor_is_told_of_a_folder_without_receipts(exported: Path, tmp_path: Path) -> None:
    (empty := tmp_path / "recibos").mkdir()
    status, words = audited(exported, empty)
    assert (status, "recibos cannot be used: no .json file in it" in words) == (WITNESSES_UNUSABLE, True), words


def test_a_file_that_does_not_exist_is_a_wrong_call(exported: Path, tmp_path: Path) -> None:
    for arguments in ((tmp_path / "no.json",), ("--copy", tmp_path / "no.jsonl")):
        status, words = audited(exported, *arguments)
        assert (status, "does not exist" in words) == (WRONG_CALL, True), words


def test_a_damaged_earlier_export_is_named_and_what_stands_before_the_damage_counts(
    exported: Path, tmp_path: Path
) -> None:
    lines = exported.read_text("utf-8").splitlines()
    (earlier := tmp_path / "earlier.jsonl").write_text("\n".join([*lines[:10], "[" * 100_000]), "utf-8")
    (junk := tmp_path / "junk.jsonl").write_text("[" * 100_000, "utf-8")
    status, words = audited(exported, "--copy", earlier, "--copy", junk)
    assert status == WITNESSES_UNUSABLE, words
    assert "earlier.jsonl cannot be used to its end" in words
    assert "junk.jsonl cannot be used" in words
    change_one_event(exported)
    status, words = audited(exported, "--copy", earlier, "--copy", junk)
    assert (status, "Shown by earlier.jsonl" in words) == (NOT_WHOLE, True), words


@pytest.mark.parametrize("events", [0, 10])
def test_an_earlier_export_that_ends_too_early_is_named_also_where_no_line_is_damaged(
    exported: Path, tmp_path: Path, events: int
) -> None:
    """A download may be cut off at the end of a line. What stands after it was not compared."""
    lines = exported.read_text("utf-8").splitlines()
    (earlier := tmp_path / "earlier.jsonl").write_text("\n".join(lines[: 1 + events]) + "\n", "utf-8")
    status, words = audited(exported, "--copy", earlier)
    told = f"earlier.jsonl cannot be used to its end: it has events up to {events}, and its first line names 16"
    assert (status, told in words, "with 1 copy" in words) == (WITNESSES_UNUSABLE, True, events > 0), words
    assert audited(exported, "--copy", exported)[0] == WHOLE


@pytest.mark.parametrize("line", ["[" * 100_000, "[]", '["x", 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6]'])
def test_a_trail_that_is_none_cannot_be_checked(exported: Path, line: str) -> None:
    exported.write_text(exported.read_text("utf-8") + line + "\n", "utf-8")
    status, words = audited(exported)
    assert (status, "not an event" in words) == (WRONG_CALL, True), words


BAD_ENTRIES = [
    {"seq": 3},
    {"seq": "x" * 5_000, "hash": "00" * 32},
    {"seq": 4, "hash": "zz", "firma": 7},
    {"seq": 5, "hash": "00" * 32, "firma": "\ud800"},
    "text",
    None,
    [],
]


@pytest.mark.parametrize("bad", BAD_ENTRIES, ids=range(len(BAD_ENTRIES)))
def test_an_entry_that_is_no_receipt_does_not_discard_those_beside_it(
    shop: SealedShop, exported: Path, tmp_path: Path, bad: object
) -> None:
    text = json.dumps({"carrete-recibos": [bad, *shop.receipts, bad], "dispositivo": "Tablet 3"})
    told = shop.verify(text)
    assert (told.is_whole, told.report.agreeing, len(told.unusable)) == (True, len(shop.receipts), 1)
    assert len(told.unusable[0].en) < 300, "one word of each"
    rewrite(shop)
    told = shop.verify(text)
    assert [found.kind for found in told.report.findings] == [Kind.REWRITTEN]
    (receipts := tmp_path / "tablet.json").write_text(text, "utf-8")
    assert audited(exported, receipts)[0] == WITNESSES_UNUSABLE
    export_trail(shop.database, exported, shop.key)
    assert audited(exported, receipts)[0] == NOT_WHOLE


def test_what_a_receipt_says_about_itself_cannot_spoil_the_terminal(
    carrete: Carrete, shop: SealedShop, exported: Path, tmp_path: Path
) -> None:
    """A lone surrogate cannot be printed at all, and ESC moves the cursor."""
    entries = [{**each, "accion": "\ud800\x1b[2J"} for each in shop.receipts]
    text = json.dumps({"carrete-recibos": entries, "dispositivo": "\ud800\x1b[2J"})
    (receipts := tmp_path / "tablet.json").write_text(text, "utf-8")
    shop.replace(shop.rows()[:4], head_of(shop.rows()[:4]))
    export_trail(shop.database, exported, shop.key)
    status, words = audited(exported, receipts)
    assert (status, "\x1b" in words, "Acknowledged and not in the trail" in words) == (NOT_WHOLE, False, True)
    found = verified(carrete, shop, "--receipts", receipts)
    assert (found.exit_code, "\x1b" in found.out) == (NOT_WHOLE, False)


ESCAPES = "\x1b[2J\x9b2J"  # both clear a terminal


@pytest.mark.parametrize("column", [TIPO, TAG, WORKER])
def test_what_a_changed_event_says_cannot_spoil_the_auditors_terminal(
    carrete: Carrete, shop: SealedShop, exported: Path, tmp_path: Path, column: int
) -> None:
    """Whoever changes the event could otherwise clear the screen that says so."""
    (earlier := tmp_path / "earlier.jsonl").write_bytes(exported.read_bytes())
    rows = shop.rows()
    shop.replace([*rows[:4], (*rows[4][:column], f"MK-{ESCAPES}", *rows[4][column + 1 :]), *rows[5:]])
    found = verified(carrete, shop)
    assert (found.exit_code, "Event 5 was changed" in found.out) == (NOT_WHOLE, True), found
    assert set("\x1b\x9b").isdisjoint(found.out)
    export_trail(shop.database, exported, shop.key)
    status, words = audited(exported, "--copy", earlier)
    assert (status, "Event 5 was changed" in words) == (NOT_WHOLE, True), words
    assert set("\x1b\x9b").isdisjoint(words)


def test_what_stands_beside_the_trail_cannot_spoil_the_terminal_either(
    carrete: Carrete, shop: SealedShop, exported: Path
) -> None:
    """The key that a seal names, a key's fingerprint, the service of a time stamp, the time of an export."""
    with shop.database.writing() as tx:
        seal = seal_if_due(tx, shop.key, shop.now)
        assert seal
        tx.execute(f"UPDATE trail_seal SET key = '{ESCAPES}'")
        tx.execute(f"INSERT INTO trail_key VALUES ('{ESCAPES}', '', '2026')")
        tx.run("trail_timestamp_put", seq=seal.seq, service=ESCAPES, at="", token=b"")
    found = verified(carrete, shop)
    assert (found.exit_code, found.out.count("�[2J�2J")) == (NOT_WHOLE, 3), found
    assert set("\x1b\x9b").isdisjoint(found.out)
    export_trail(shop.database, exported, shop.key)
    header, *events = exported.read_text("utf-8").splitlines()
    changed = json.loads(header)
    changed["carrete-trail"]["exported_at"] = ESCAPES
    exported.write_text("\n".join([json.dumps(changed), *events]) + "\n", "utf-8")
    change_one_event(exported)
    status, words = audited(exported)
    assert (status, words.count("�[2J�2J")) == (NOT_WHOLE, 2), words
    assert set("\x1b\x9b").isdisjoint(words)


def test_files_beyond_the_limit_are_said(carrete: Carrete, shop: SealedShop, tmp_path: Path) -> None:
    (folder := tmp_path / "recibos").mkdir()
    for n in range(FILES_MAX + 1):
        (folder / f"{n:05}.json").write_text('{"carrete-recibos": []}', "utf-8")
    found = verified(carrete, shop, "--receipts", folder)
    assert (found.exit_code, f"only the first {FILES_MAX} are read" in found.out) == (WITNESSES_UNUSABLE, True), found
