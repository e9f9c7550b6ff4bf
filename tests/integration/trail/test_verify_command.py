"""`carrete verify` as a person types it: with receipts, workbooks and backups, in plain words."""

from __future__ import annotations

import json
import re
import shutil
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

import pytest

from carrete.backups.copying import make_backup
from carrete.domain.shop import Shop
from carrete.ledger.database import Database
from carrete.shop_settings import change
from carrete.trail.seals import seal_if_due
from carrete.trail.signing_key import SigningKey
from carrete.verification.child import task_for
from carrete.workbook.exporting import export_workbook
from tests.integration.cli.conftest import Carrete, CommandResult
from tests.support.builders import SHOP
from tests.support.sealed_shop import SealedShop
from tests.support.server import clean_environment
from tests.support.trails import delete_and_close_up, edit, head_of, insert, rechained

BACKUP_AT = datetime(2026, 11, 17, 12, 0, tzinfo=UTC)
CHANCE = Random(2)
ROOT = Path(__file__).parents[3]


@pytest.fixture
def shop(database: Database, database_url: str, tmp_path: Path, tools: str) -> SealedShop:
    made = SealedShop(database, database_url, tmp_path).staffed()
    made.work(2)
    return made


class Verify:
    def __init__(self, carrete: Carrete, shop: SealedShop, path: str) -> None:
        self._carrete = carrete
        self._settings = {"DATABASE_URL": shop.settings.database_url, "CARRETE_DATA": str(shop.settings.data)}
        self._settings["PATH"] = path

    def __call__(self, *options: object) -> CommandResult:
        return self._carrete("verify", *options, **self._settings)


@pytest.fixture
def verify(carrete: Carrete, shop: SealedShop, tools: str) -> Verify:
    return Verify(carrete, shop, tools)


def rewrite(shop: SealedShop, at: int = 5) -> None:
    """By the owner, who computes everything anew."""
    anew = rechained(edit(shop.rows(), at, Random(2)), at)
    shop.replace(anew, head_of(anew))


def test_a_whole_trail_is_exit_0_and_a_rewritten_one_exit_1(shop: SealedShop, verify: Verify, tmp_path: Path) -> None:
    folder = tmp_path / "recibos"
    folder.mkdir()
    (folder / "tablet.json").write_text(shop.receipts_text(), "utf-8")
    whole = verify("--receipts", folder)
    assert (whole.exit_code, whole.out) == (0, "ok    The trail is whole: 16 events up to 16, 8 of 8 witnesses agree.")
    rewrite(shop)
    assert verify().exit_code == 0, "without a witness nobody would know"
    found = verify("--receipts", folder)
    assert found.exit_code == 1
    last = shop.now.isoformat(timespec="seconds")
    assert re.search(
        rf"BAD   The trail was rewritten from one of the events 6 to 8 on.*, after {re.escape(last)}, at the latest "
        r"20\d\d-.*Shown by a receipt of Tablet 3\.",
        found.out,
    ), found.out
    assert "El registro fue reescrito" in verify("--receipts", folder, "--es").out


def test_a_chain_that_was_computed_anew_is_not_called_whole_where_nothing_from_outside_was_compared(
    shop: SealedShop, verify: Verify, tmp_path: Path
) -> None:
    """The seals were deleted. The export signs the head that it finds, which is that of the false trail."""
    with shop.database.writing() as tx:
        assert seal_if_due(tx, shop.key, shop.now)
    rewrite(shop)
    with shop.database.writing() as tx:
        tx.execute("DELETE FROM trail_seal")
    fitting = "The events fit together: 16 events up to 16, no witness to compare with. "
    alone = "Nothing from outside was compared, neither receipts nor a workbook, a backup or a seal: "
    alone += "a trail that somebody computed anew as a whole would not be seen."
    found = verify()
    assert (found.exit_code, found.out) == (0, f"note  {fitting}{alone}")
    calzan = "Los eventos calzan entre sí: 16 eventos hasta el 16, ningún testigo con que comparar. "
    assert verify("--es").out.startswith(f"note  {calzan}No se comparó con nada de fuera")
    exported = tmp_path / "trail.jsonl"
    assert verify("--export", exported).exit_code == 0
    command = [sys.executable, str(ROOT / "docs" / "verify.py"), str(exported), "--key", shop.key.fingerprint]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"{fitting}{alone}\n", "")


def test_a_backup_tells_exactly_what_was_changed_in_a_chain_that_was_computed_anew(
    shop: SealedShop, verify: Verify, tmp_path: Path
) -> None:
    copy = make_backup(shop.settings.ledger_url, tmp_path / "elsewhere", BACKUP_AT, shop.key.sign).file
    assert verify("--backup", copy).exit_code == 0
    rows = shop.rows()
    deeds = {edit: "Event 6 was changed: ", delete_and_close_up: "Event 6 is missing", insert: "Event 6 was added"}
    for deed, words in deeds.items():
        anew = rechained(deed(rows, 5, Random(2)), 5)
        shop.replace(anew, head_of(anew))
        found = verify("--backup", copy)
        assert found.exit_code == 1
        assert words in found.out, found.out
        assert "after 2026-11-17T12:00:00+00:00, at the latest 20" in found.out
        assert f"Shown by the backup {copy.name}" in found.out


def test_a_trail_that_a_copy_alone_confirms_is_not_said_to_be_compared_with_nothing(
    shop: SealedShop, verify: Verify, tmp_path: Path
) -> None:
    copy = make_backup(shop.settings.ledger_url, tmp_path / "elsewhere", BACKUP_AT).file
    whole = "The trail is whole: 16 events up to 16, compared event by event with 1 copy."
    found = verify("--backup", copy)
    assert (found.exit_code, whole in found.out) == (0, True), found.out
    for kept in ("trail", "earlier"):
        assert verify("--export", tmp_path / f"{kept}.jsonl").exit_code == 0
    command = [sys.executable, str(ROOT / "docs" / "verify.py"), "trail.jsonl", "--copy", "earlier.jsonl"]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"{whole}\n", "")


def test_a_copy_under_another_name_and_without_its_notes_is_as_old_as_its_last_event(
    shop: SealedShop, verify: Verify, tmp_path: Path
) -> None:
    """The file's own time is that of copying it, which may be later than the deed."""
    copy = make_backup(shop.settings.ledger_url, tmp_path / "elsewhere", BACKUP_AT, shop.key.sign).file
    brought = copy.rename(tmp_path / f"auditor{''.join(copy.suffixes[-2:])}")
    last = shop.rows()[-1][2]
    rewrite(shop)
    found = verify("--backup", brought)
    assert (found.exit_code, f"after {last}, at the latest 20" in found.out) == (1, True), found.out


def test_the_signed_head_beside_the_copies_of_this_machine_is_a_witness_by_itself(
    shop: SealedShop, verify: Verify
) -> None:
    make_backup(shop.settings.ledger_url, shop.settings.backup_folder, BACKUP_AT, shop.key.sign)
    rewrite(shop)
    found = verify()
    assert found.exit_code == 1
    assert "after 2026-11-17T12:00:00+00:00" in found.out


def test_a_copy_to_a_file_of_ones_own_has_its_signed_head_beside_it(
    shop: SealedShop, verify: Verify, carrete: Carrete, tools: str, tmp_path: Path
) -> None:
    """Also if its events were changed with those of the ledger: the copy is not signed, its head is."""
    file = tmp_path / "mine.copy"
    here = {"DATABASE_URL": shop.settings.database_url, "CARRETE_DATA": str(shop.settings.data), "PATH": tools}
    assert carrete("backup", file, **here).exit_code == 0
    beside = tmp_path / "mine.copy.json"
    assert stat.S_IMODE(beside.stat().st_mode) == 0o600
    assert verify("--backup", file).out.endswith("1 of 1 witnesses agree, compared event by event with 1 copy.")
    rewrite(shop)
    file.unlink()
    assert carrete("backup", file.with_name("later.copy"), **here).exit_code == 0
    shutil.copy(tmp_path / "later.copy", file)
    found = verify("--backup", file)
    assert (found.exit_code, "Shown by the backup mine.copy" in found.out) == (1, True), found


def test_the_head_beside_a_copy_replaces_an_older_one_and_nothing_else(
    shop: SealedShop, carrete: Carrete, tools: str, tmp_path: Path
) -> None:
    file, beside = tmp_path / "mine.copy", tmp_path / "mine.copy.json"
    here = {"DATABASE_URL": shop.settings.database_url, "CARRETE_DATA": str(shop.settings.data), "PATH": tools}
    beside.write_text('{"mine": "precious"}', "utf-8")
    refused = carrete("backup", file, **here)
    assert (refused.exit_code, "mine.copy.json exists already" in refused.sentence) == (1, True)
    assert (file.exists(), beside.read_text("utf-8")) == (False, '{"mine": "precious"}')
    beside.unlink()
    assert carrete("backup", file, **here).exit_code == 0
    shop.work(1)
    file.unlink()
    assert carrete("backup", file, **here).exit_code == 0, "a script deletes the copy and makes it anew"
    assert json.loads(beside.read_text("utf-8"))["head"]["seq"] == 24


def test_without_a_usable_key_the_copy_is_made_and_the_missing_head_is_said(
    shop: SealedShop, carrete: Carrete, tools: str, tmp_path: Path
) -> None:
    (shop.settings.data / "signing.key").write_bytes(b"damaged")
    here = {"DATABASE_URL": shop.settings.database_url, "CARRETE_DATA": str(shop.settings.data), "PATH": tools}
    made = carrete("backup", tmp_path / "mine.copy", **here)
    assert (made.exit_code, "the copy has no signed head" in made.sentence) == (0, True), made
    assert not (tmp_path / "mine.copy.json").exists()


def test_the_sheet_of_events_in_a_workbook_is_a_witness_of_every_event(
    shop: SealedShop, verify: Verify, tmp_path: Path
) -> None:
    book = tmp_path / "planilla.xlsx"
    export_workbook(shop.database, book, SHOP, shop.now)
    whole = verify("--workbook", book)
    assert (whole.exit_code, "16 of 16 witnesses agree" in whole.out) == (0, True)
    rewrite(shop)
    found = verify("--workbook", book)
    assert found.exit_code == 1
    assert "Event 6 was changed" in found.out


def test_a_workbook_alone_tells_which_event_and_since_when(shop: SealedShop, verify: Verify, tmp_path: Path) -> None:
    """Each row has the time of its event, in the shop's own zone: the newest row that the trail denies was written
    before the deed."""
    book = tmp_path / "planilla.xlsx"
    export_workbook(shop.database, book, SHOP, shop.now)
    rows = shop.rows()
    newest, shown = rows[-1][2], "Shown by planilla.xlsx, Metadata."
    told = {
        edit: "Event 6 was changed (PAUSAR_SPOOL MK-2 ZZ(1))",
        delete_and_close_up: "Event 6 is missing (PAUSAR_SPOOL MK-2 MR(93))",
        insert: "Event 6 was added, not by Carrete (TOMAR_SPOOL MK-0 XX(1))",
    }
    for deed, words in told.items():
        tampered = (
            [*rows[:5], (*rows[5][:6], "ZZ(1)", *rows[5][7:]), *rows[6:]] if deed is edit else deed(rows, 5, CHANCE)
        )
        anew = rechained(tampered, 5)
        shop.replace(anew, head_of(anew))
        found = verify("--workbook", book).out.splitlines()[1:]
        assert len([line for line in found if line.startswith(f"BAD   {words}, after {newest}, ")]) == 1, found
        assert shown in found[0]
    shop.replace(rows[:5], head_of(rows[:5]))
    (line,) = verify("--workbook", book).out.splitlines()[1:]
    words = "Events 6 to 16 are missing (PAUSAR_SPOOL MK-2 MR(93))"
    assert line.startswith(f"BAD   {words}, after {newest}, at the latest "), line


def test_the_times_of_a_workbook_are_in_the_zone_that_the_shop_has_set(
    shop: SealedShop, verify: Verify, tmp_path: Path
) -> None:
    with shop.database.writing() as tx:
        change(tx, {"zona_horaria": "Asia/Tokyo"}, None, shop.now)
    book = tmp_path / "planilla.xlsx"
    export_workbook(shop.database, book, Shop(ZoneInfo("Asia/Tokyo")), shop.now)
    rows = shop.rows()
    shop.replace(rows[:5], head_of(rows[:5]))
    (line,) = verify("--workbook", book).out.splitlines()[1:]
    assert f", after {rows[-1][2]}, at the latest " in line


def test_an_hourly_seal_in_the_ledger_cannot_be_made_by_whoever_has_the_database_alone(
    shop: SealedShop, verify: Verify
) -> None:
    with shop.database.writing() as tx:
        made = seal_if_due(tx, shop.key, shop.now)
        assert seal_if_due(tx, shop.key, shop.now + timedelta(hours=2)) is None, "no new event, no new seal"
    assert made
    assert verify().out.endswith("1 of 1 witnesses agree.")
    rewrite(shop)
    assert verify().exit_code == 1
    with shop.database.writing() as tx:
        tx.execute(f"UPDATE trail_seal SET hash = '{shop.rows()[-1][16]}'")
    forged = verify()
    assert forged.exit_code == 3
    assert "not signed by this shop's key" in forged.out


def test_a_file_that_is_no_witness_is_said(shop: SealedShop, verify: Verify, tmp_path: Path) -> None:
    nothing = tmp_path / "nada.json"
    nothing.write_text("{}", "utf-8")
    assert verify("--receipts", nothing).exit_code == 3
    assert verify("--backup", nothing).exit_code == 3
    assert verify("--workbook", nothing).exit_code == 3
    assert "does not exist" in verify("--receipts", tmp_path / "no").sentence


def test_what_could_not_be_checked_is_exit_2_not_that_of_a_changed_trail(
    shop: SealedShop, verify: Verify, carrete: Carrete, tmp_path: Path
) -> None:
    missing = verify("--receipts", tmp_path / "no")
    assert (missing.exit_code, "does not exist" in missing.sentence) == (2, True)
    nowhere = carrete("verify", DATABASE_URL="postgresql://nobody@127.0.0.1:9/none", CARRETE_DATA=str(tmp_path))
    assert (nowhere.exit_code, "the ledger is not available" in nowhere.sentence) == (2, True)
    (shop.settings.data / "signing.key").write_bytes(b"damaged")
    damaged = verify()
    assert (damaged.exit_code, "signing.key has 7 bytes" in damaged.sentence) == (2, True)


def test_the_page_is_told_why_it_cannot_be_checked(shop: SealedShop) -> None:
    (shop.settings.data / "signing.key").write_bytes(b"damaged")
    task = json.dumps(task_for(shop.settings, "", "es")).encode()
    command = [sys.executable, "-m", "carrete.verification.child"]
    ended = subprocess.run(command, input=task, capture_output=True, env=clean_environment(), check=True)
    assert "signing.key has 7 bytes" in json.loads(ended.stdout)["failed"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("INSERT INTO trail_key VALUES ('a', '', '2026')", "trail_key a cannot be used"),
        ("UPDATE trail_seal SET hash = 'zz'", "not signed by this shop's key"),
        ("UPDATE trail_seal SET at = '0001-01-01T00:00:00+14:00'", "not signed by this shop's key"),
    ],
)
def test_garbage_beside_the_trail_is_said_and_stops_nothing(
    shop: SealedShop, verify: Verify, change: str, words: str
) -> None:
    with shop.database.writing() as tx:
        assert seal_if_due(tx, shop.key, shop.now)
        tx.execute(change)
    said = verify()
    assert (said.exit_code, words in said.out) == (3, True), said


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_damaged_packed_copy_is_of_no_use(shop: SealedShop, verify: Verify, tmp_path: Path) -> None:
    copy = make_backup(shop.settings.ledger_url, tmp_path / "elsewhere", BACKUP_AT, shop.key.sign).file
    packed = bytearray(copy.read_bytes())
    packed[15:40] = b"\xff" * 25
    copy.write_bytes(packed)
    assert verify("--backup", copy).exit_code == 3


def test_the_doctor_compares_the_trail_with_the_newest_backup(
    shop: SealedShop, carrete: Carrete, tools: str, database_url: str
) -> None:
    here = {"DATABASE_URL": database_url, "CARRETE_DATA": str(shop.settings.data), "PATH": tools, "REDIS_URL": "off"}
    assert "ok    trail: 16 is its last event, no seal or backup to compare with yet" in carrete("doctor", **here).out
    make_backup(shop.settings.ledger_url, shop.settings.backup_folder, datetime.now(UTC), shop.key.sign)
    assert "ok    trail: 16 is its last event, 1 witness agrees" in carrete("doctor", **here).out
    make_backup(shop.settings.ledger_url, shop.settings.backup_folder, datetime.now(UTC), shop.key.sign)
    assert "ok    trail: 16 is its last event, 2 witnesses agree" in carrete("doctor", **here).out
    rewrite(shop)
    assert "BAD   trail: it is not the one that was there before (respaldo " in carrete("doctor", **here).out


def test_a_deleted_key_is_somebodys_deed_and_exit_1(shop: SealedShop, verify: Verify, tmp_path: Path) -> None:
    """A seal names the key; so does nobody need the file of receipts."""
    with shop.database.writing() as tx:
        assert seal_if_due(tx, shop.key, shop.now)
        tx.execute("DELETE FROM trail_key")
    found = verify()
    assert found.exit_code == 1
    assert "BAD   A KEY WAS DELETED" in found.out
    sentence = (
        f"The public key {shop.key.fingerprint} is missing from the ledger: somebody deleted it. It signed a seal"
    )
    assert sentence in found.out, found.out
    assert f"Falta en el registro la clave pública {shop.key.fingerprint}: alguien la borró" in verify("--es").out


def test_a_deleted_key_of_another_machine_is_told_by_its_seals(shop: SealedShop, verify: Verify) -> None:
    """Its receipts and seals prove nothing any more, which is why somebody would delete it."""
    with shop.database.writing() as tx:
        assert seal_if_due(tx, shop.key, shop.now)
        SigningKey.load(shop.settings.data / "other").register(tx)
    (shop.settings.data / "signing.key").unlink()
    assert verify().exit_code == 0
    with shop.database.writing() as tx:
        tx.execute(f"DELETE FROM trail_key WHERE fingerprint = '{shop.key.fingerprint}'")
    found = verify()
    assert (found.exit_code, shop.key.fingerprint in found.out) == (1, True), found.out


@pytest.mark.parametrize("instead", ["x", "A" * 43 + "="])
def test_a_key_that_was_overwritten_is_a_deleted_one(
    shop: SealedShop, verify: Verify, tmp_path: Path, instead: str
) -> None:
    """Also where something else with its fingerprint stands in its place. `verify.py` says the same."""
    with shop.database.writing() as tx:
        assert seal_if_due(tx, shop.key, shop.now)
        tx.execute(f"UPDATE trail_key SET public_key = '{instead}'")
    found = verify()
    assert (found.exit_code, f"The public key {shop.key.fingerprint} is missing" in found.out) == (1, True), found
    assert "its public key is damaged" in found.out
    exported = tmp_path / "trail.jsonl"
    assert verify("--export", exported).exit_code == 0
    command = [sys.executable, str(ROOT / "docs" / "verify.py"), str(exported)]
    assert subprocess.run(command, capture_output=True).returncode == 1


def test_a_receipt_that_this_machine_signed_tells_that_its_key_was_deleted(
    shop: SealedShop, verify: Verify, tmp_path: Path
) -> None:
    receipts = tmp_path / "tablet.json"
    receipts.write_text(shop.receipts_text(), "utf-8")
    with shop.database.writing() as tx:
        tx.execute("DELETE FROM trail_key")
    assert verify().exit_code == 0, "a machine whose server has not run yet has a key that the ledger does not have"
    found = verify("--receipts", receipts)
    assert (found.exit_code, "somebody deleted it. It signed tablet.json, event" in found.out) == (1, True), found.out


def test_receipts_of_a_key_that_nothing_else_tells_of_are_of_no_use(
    shop: SealedShop, verify: Verify, tmp_path: Path
) -> None:
    """Anybody can make such a file: it does not show that the ledger ever had that key."""
    receipts = tmp_path / "tablet.json"
    receipts.write_text(shop.receipts_text(), "utf-8")
    (shop.settings.data / "signing.key").unlink()
    with shop.database.writing() as tx:
        tx.execute("DELETE FROM trail_key")
    assert verify("--receipts", receipts).exit_code == 3


def test_an_auditor_is_told_of_a_deleted_key_by_an_earlier_export_and_by_seals(
    shop: SealedShop, verify: Verify, tmp_path: Path
) -> None:
    with shop.database.writing() as tx:
        assert seal_if_due(tx, shop.key, shop.now)
    earlier, later = tmp_path / "earlier.jsonl", tmp_path / "later.jsonl"
    assert verify("--export", earlier).exit_code == 0
    (shop.settings.data / "signing.key").unlink()
    with shop.database.writing() as tx:
        tx.execute("DELETE FROM trail_key")
    assert verify("--export", later).exit_code == 0, "with a new key of this machine"
    command = [sys.executable, str(ROOT / "docs" / "verify.py")]
    by_seal = subprocess.run([*command, str(later)], capture_output=True, text=True)
    assert (by_seal.returncode, shop.key.fingerprint in by_seal.stdout) == (1, True), by_seal
    with shop.database.writing() as tx:
        tx.execute("DELETE FROM trail_seal")
    assert verify("--export", later).exit_code == 0
    assert subprocess.run([*command, str(later)], capture_output=True).returncode == 0
    by_copy = subprocess.run([*command, str(later), "--copy", str(earlier)], capture_output=True, text=True)
    assert (by_copy.returncode, "It signed earlier.jsonl, event 16" in by_copy.stdout) == (1, True), by_copy
