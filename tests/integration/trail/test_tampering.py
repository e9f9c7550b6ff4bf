"""The owner of the database tampers with the trail: `carrete verify` and docs/verify.py name what, where and when."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from carrete.backups.copying import make_backup
from carrete.domain.commands import Tomar
from carrete.domain.spool import Operacion
from carrete.domain.trail.compare import HEAD
from carrete.domain.trail.findings import Kind
from carrete.ledger.database import Database, Row, Tx
from carrete.ledger.trail import trail_rows
from carrete.trail.seals import HeadWithoutEvent, seal_if_due
from carrete.verification.export import export_trail
from carrete.verification.ledger import Verified
from carrete.verification.sources import add_receipt_text
from tests.support.sealed_shop import MINUTE, SealedShop
from tests.support.trails import (
    Deed,
    Rows,
    cut_off,
    delete,
    delete_and_close_up,
    edit,
    head_of,
    insert,
    move,
    rechained,
    swap,
)

CHECKER = Path(__file__).parents[3] / "docs" / "verify.py"
ROUNDS, CASES = 4, 12
NAMES: dict[Deed, Kind] = {
    edit: Kind.CHANGED,
    delete: Kind.MISSING,
    delete_and_close_up: Kind.MISSING,
    insert: Kind.ADDED,
    swap: Kind.MOVED,
    move: Kind.MOVED,
    cut_off: Kind.MISSING,
}


@pytest.fixture(scope="module")
def checker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verify_of_the_auditor", CHECKER)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def shop(database: Database, database_url: str, tmp_path: Path) -> SealedShop:
    made = SealedShop(database, database_url, tmp_path).staffed()
    made.work(ROUNDS)
    return made


def said(verified: Verified) -> list[str]:
    return [finding.what.en for finding in verified.findings()]


def said_by_the_auditors_file(
    checker: ModuleType, shop: SealedShop, capsys: pytest.CaptureFixture[str]
) -> tuple[int, list[str]]:
    trail, receipts = shop.settings.data / "trail.jsonl", shop.settings.data / "recibos.json"
    export_trail(shop.database, trail, shop.key)
    receipts.write_text(shop.receipts_text(), "utf-8")
    capsys.readouterr()
    status = checker.main([str(trail), str(receipts), "--key", shop.key.fingerprint])
    return status, capsys.readouterr().out.splitlines()


def without_times(lines: list[str]) -> list[str]:
    """Both examine at their own moment."""
    return [line.partition(", at the latest")[0] for line in lines]


def test_a_trail_that_nobody_touched_is_whole(
    shop: SealedShop, checker: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    verified = shop.verify(shop.receipts_text())
    assert verified.is_whole
    assert said(verified) == [f"The trail is whole: {ROUNDS * 8} events up to {ROUNDS * 8}, 16 of 16 witnesses agree."]
    status, lines = said_by_the_auditors_file(checker, shop, capsys)
    assert (status, lines[0].startswith("The trail is whole: 32 events up to 32, 16 of 16")) == (0, True)


@pytest.mark.parametrize("deed", list(NAMES), ids=lambda deed: deed.__name__)
def test_rows_that_were_changed_are_named_by_both(
    shop: SealedShop, deed: Deed, checker: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, head = shop.rows(), head_of(shop.rows())
    for case in range(CASES):
        chance = Random(f"{deed.__name__} {case}")
        tampered = deed(rows, chance.randrange(len(rows)), chance)
        if tampered == rows:
            continue
        shop.replace(tampered)
        verified = shop.verify(shop.receipts_text())
        assert not verified.is_whole
        assert {found.kind for found in verified.report.findings} == {NAMES[deed]}, (case, said(verified))
        assert all(found.until for found in verified.report.findings)
        status, lines = said_by_the_auditors_file(checker, shop, capsys)
        assert status == 1
        assert without_times(lines) == without_times(said(verified))
        shop.replace(rows, head)


@pytest.mark.parametrize("deed", [deed for deed in NAMES if deed is not cut_off], ids=lambda deed: deed.__name__)
def test_a_chain_that_was_computed_anew_is_found_and_placed_by_the_receipts(
    shop: SealedShop, deed: Deed, checker: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """The owner computes every hash after the place anew, and the head. The commits of the receipts are of one or three
    events, so that is how exactly the place is told; and it was after the last of these receipts."""
    rows, head = shop.rows(), head_of(shop.rows())
    for case in range(CASES):
        chance = Random(f"{deed.__name__} {case}")
        tampered = deed(rows, chance.randrange(len(rows) - 3), chance)
        if tampered == rows:
            continue
        first = first_difference(rows, tampered)
        anew = rechained(tampered, first)
        shop.replace(anew, head_of(anew))
        assert_placed(shop, shop.verify(shop.receipts_text()), first)
        status, _ = said_by_the_auditors_file(checker, shop, capsys)
        assert status == 1
        assert shop.verify().is_whole is (deed is not delete), "without a witness nobody would know, but for a gap"
        shop.replace(rows, head)


def first_difference(rows: Rows, tampered: Rows) -> int:
    """The index of the first row that is another one."""
    return next(n for n, (one, other) in enumerate(zip(rows, tampered, strict=False)) if one != other)


def assert_placed(shop: SealedShop, verified: Verified, first: int) -> None:
    (found,) = [each for each in verified.report.findings if each.kind is Kind.REWRITTEN]
    assert found.first <= first + 1 <= found.last, found
    assert found.last - found.first < 3
    assert found.since == shop.now.isoformat(timespec="seconds"), "the last receipt still had the trail of before"


def test_the_end_that_was_cut_off_is_told_exactly(shop: SealedShop) -> None:
    rows = shop.rows()
    shop.replace(rows[:20], head_of(rows[:20]))
    verified = shop.verify(shop.receipts_text())
    (found,) = verified.report.findings
    assert (found.kind, found.first, found.last) == (Kind.MISSING, 21, 32)
    last_of_one_spool = shop.now - MINUTE
    assert found.since == last_of_one_spool.isoformat(timespec="seconds"), "a receipt for several names no event"


def test_a_head_that_was_left_when_its_event_was_cut_off_is_not_sealed(shop: SealedShop) -> None:
    """A seal would say that the event stood when it was made, which is later than the deed."""
    rows = shop.rows()
    shop.replace(rows[:20])
    deed = shop.now
    with pytest.raises(HeadWithoutEvent, match="event 32 "), shop.database.writing() as tx:
        seal_if_due(tx, shop.key, deed + MINUTE)
    for receipts, witness in (([], HEAD), (shop.receipts, "recibo de Tablet 3")):
        (found,) = shop.verify(shop.receipts_text(receipts)).report.findings
        assert (found.kind, found.first, found.last, found.witness) == (Kind.MISSING, 21, 32, witness)
        assert found.since <= deed.isoformat(timespec="seconds")


def test_a_head_with_another_number_is_named_when_it_keeps_the_trail_from_being_sealed(
    shop: SealedShop, checker: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    with shop.database.writing() as tx:
        tx.execute("UPDATE trail_head SET seq = seq + 5")
        with pytest.raises(HeadWithoutEvent):
            seal_if_due(tx, shop.key, shop.now)
    verified = shop.verify(shop.receipts_text())
    assert "it names event 37, with the hash of event 32" in said(verified)[1]
    status, lines = said_by_the_auditors_file(checker, shop, capsys)
    assert (status, without_times(lines)) == (1, without_times(said(verified)))


def test_an_event_that_was_changed_in_place_was_not_changed_after_a_later_seal_backup_or_tap(
    shop: SealedShop, tools: str
) -> None:
    """All of them have the stored hash, which the deed left."""
    with shop.at_work():
        shop.act(Tomar("MK-1", 93, Operacion.ARM))
        rows, deed = shop.rows(), shop.now
        shop.replace([*rows[:-1], (*rows[-1][:6], "ZZ(1)", *rows[-1][7:])])
        assert shop.act(Tomar("MK-1", 93, Operacion.ARM))["event_seq"] == 33, "a second tap"
    shop.now += MINUTE
    with shop.database.writing() as tx:
        assert seal_if_due(tx, shop.key, shop.now)
    make_backup(shop.settings.ledger_url, shop.settings.backup_folder, shop.now, shop.key.sign)
    verified = shop.verify(shop.receipts_text())
    (found,) = verified.report.findings
    assert (found.kind, found.first, found.since) == (Kind.CHANGED, 33, rows[-2][2])
    assert found.since <= deed.isoformat(timespec="seconds")


def test_the_window_without_a_witness_is_one_acknowledgement(shop: SealedShop) -> None:
    """With every receipt but the last, only what the last action wrote can be rewritten in silence."""
    rows = shop.rows()
    earlier = shop.receipts_text(shop.receipts[:-1])
    last_covered = shop.receipts[-2]["seq"]
    for at in (last_covered - 1, last_covered):
        anew = rechained(edit(rows, at, Random(1)), at)
        shop.replace(anew, head_of(anew))
        assert shop.verify(earlier).is_whole is (at == last_covered)


def test_after_a_restore_the_acknowledged_events_that_are_missing_are_named(shop: SealedShop) -> None:
    """An older copy is put back and the shop goes on. The tablets know what the ledger has forgotten."""
    rows, before = shop.rows(), list(shop.receipts)
    shop.replace(rows[:16], head_of(rows[:16]))
    with shop.database.writing() as tx:
        tx.execute(
            "UPDATE spool SET ocupado_por_id = NULL, ocupado_por = NULL, operacion_actual = NULL, "
            "fecha_ocupacion = NULL, lock_value = NULL"
        )
    shop.receipts = []
    shop.work(1)
    report = shop.verify(shop.receipts_text(before)).report
    acknowledged = [each for each in before if each["seq"] > 16 and "version" in each]
    lost = [(w.event_seq, w.what.split()[-1]) for w in report.lost if w.version]
    assert lost == [(each["event_seq"], each["tag_spool"]) for each in acknowledged]
    assert {found.last for found in report.findings} >= {32}
    assert not any(found.first <= 16 for found in report.findings), "what the copy has is whole"


def test_a_receipt_that_the_shops_key_did_not_sign_proves_nothing(shop: SealedShop) -> None:
    forged = {**shop.receipts[0], "hash": "ab" * 32}
    verified = shop.verify(shop.receipts_text([forged]), "not JSON")
    assert verified.is_whole
    assert len(verified.unusable) == 2


def test_the_auditors_file_needs_nothing_of_ours(shop: SealedShop) -> None:
    """Python without site packages, in another folder."""
    trail, receipts = shop.settings.data / "trail.jsonl", shop.settings.data / "recibos.json"
    export_trail(shop.database, trail, shop.key)
    receipts.write_text(shop.receipts_text(), "utf-8")
    command = [sys.executable, "-I", "-S", str(CHECKER), str(trail), str(receipts), "--es"]
    ran = subprocess.run(command, capture_output=True, text=True, cwd="/", timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("El registro está íntegro: 32 eventos hasta el 32, 16 de 16 testigos")
    lines = trail.read_text("utf-8").splitlines()
    event = json.loads(lines[5])
    event[6] = "XX(1)"
    trail.write_text("\n".join([*lines[:5], json.dumps(event, ensure_ascii=False), *lines[6:]]) + "\n", "utf-8")
    ran = subprocess.run([*command[:-1]], capture_output=True, text=True, cwd="/", timeout=60)
    assert ran.returncode == 1
    assert f"Event 5 was changed ({event[3]} {event[4]} XX(1))" in ran.stdout


def test_events_that_are_written_while_the_witnesses_are_read_are_no_false_alarm(
    shop: SealedShop, monkeypatch: pytest.MonkeyPatch, tools: str
) -> None:
    """Somebody works on, and the nightly copy with its signed head is made just then."""

    def read_slowly(*arguments: Any) -> None:
        add_receipt_text(*arguments)
        shop.work(1)
        make_backup(shop.settings.ledger_url, shop.settings.backup_folder, shop.now, shop.key.sign)

    monkeypatch.setattr("carrete.verification.ledger.add_receipt_text", read_slowly)
    verified = shop.verify(shop.receipts_text())
    assert verified.is_whole, said(verified)


@pytest.mark.parametrize("engine", ["postgres"])
def test_a_reader_that_is_idle_between_two_pages_keeps_its_connection(
    shop: SealedShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while a large copy is unpacked; five seconds are the usual limit."""

    def reading(tx: Tx) -> Iterator[Row]:
        tx.execute(
            "DO $$ BEGIN ASSERT current_setting('idle_in_transaction_session_timeout') = '0', 'it is limited'; END $$"
        )
        return trail_rows(tx)

    monkeypatch.setattr("carrete.verification.ledger.trail_rows", reading)
    assert shop.verify().is_whole


@pytest.mark.parametrize("seq", [0, -7, -(2**63)])
def test_a_forged_event_with_a_number_below_one_is_found(shop: SealedShop, seq: int) -> None:
    rows = shop.rows()
    shop.replace([(seq, "forged", *rows[2][2:]), *rows])
    verified = shop.verify(shop.receipts_text())
    assert verified.report.events == len(rows) + 1
    assert {found.first for found in verified.report.findings} == {seq}, said(verified)
