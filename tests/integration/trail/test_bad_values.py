"""Files and ledgers with values of a kind that Carrete never writes: they are named, end nothing, and hide nothing."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import xlsxwriter

from carrete.backups.copying import back_up_to
from carrete.domain.trail.canonical import FIELDS
from carrete.ledger import open_database
from carrete.ledger.database import Tx
from carrete.verification.export import export_trail
from tests.integration.cli.conftest import Carrete, CommandResult
from tests.integration.trail.test_bad_witnesses import (
    NOT_WHOLE,
    WITNESSES_UNUSABLE,
    WRONG_CALL,
    audited,
    change_one_event,
    exported,
    rewrite,
    shop,
    verified,
)
from tests.support.sealed_shop import SealedShop
from tests.support.tampering import tampering
from tests.support.trails import head_of, rechained

__all__ = ["exported", "shop"]


@pytest.mark.parametrize(
    ("column", "value"),
    [("id", []), ("id", {}), ("id", None), ("version", [1]), ("hash", {}), ("hash", 7), ("tag", ["MK-1"]), ("at", 1.5)],
)
def test_an_earlier_export_with_an_event_that_is_none_is_named(
    exported: Path, tmp_path: Path, column: str, value: object
) -> None:
    lines = exported.read_text("utf-8").splitlines()
    event = json.loads(lines[10])
    event[(*FIELDS, "hash").index(column)] = value
    (earlier := tmp_path / "earlier.jsonl").write_text("\n".join([*lines[:10], json.dumps(event)]), "utf-8")
    status, words = audited(exported, "--copy", earlier)
    assert (status, "earlier.jsonl cannot be used to its end: not an event" in words) == (WITNESSES_UNUSABLE, True)
    change_one_event(exported)
    status, words = audited(exported, "--copy", earlier)
    assert (status, "Shown by earlier.jsonl" in words) == (NOT_WHOLE, True), words


@pytest.mark.parametrize("number", ["Infinity", "NaN", "1e400", '"5"', "null"])
def test_an_earlier_export_with_a_number_that_is_none_is_named(exported: Path, tmp_path: Path, number: str) -> None:
    header, *events = exported.read_text("utf-8").splitlines()
    header = re.sub(r'"gapless_after":\d+', f'"gapless_after":{number}', header)
    (earlier := tmp_path / "earlier.jsonl").write_text("\n".join([header, *events]), "utf-8")
    status, words = audited(exported, "--copy", earlier)
    assert (status, "earlier.jsonl cannot be used" in words) == (WITNESSES_UNUSABLE, True), words
    change_one_event(exported)
    status, words = audited(exported, "--copy", earlier)
    assert (status, "Event 5 was changed" in words, "earlier.jsonl cannot be used" in words) == (NOT_WHOLE, True, True)
    assert audited(earlier)[0] == WRONG_CALL, "as the trail itself it cannot be checked"


def test_a_seal_whose_time_cannot_be_encoded_hides_no_changed_event(exported: Path) -> None:
    header, *events = exported.read_text("utf-8").splitlines()
    changed = json.loads(header)
    changed["carrete-trail"]["seals"][0]["en"] = "\ud800"
    exported.write_text("\n".join([json.dumps(changed), *events]) + "\n", "utf-8")
    assert audited(exported)[0] == WITNESSES_UNUSABLE
    change_one_event(exported)
    status, words = audited(exported)
    assert (status, "Event 5 was changed" in words) == (NOT_WHOLE, True), words


def test_a_cell_whose_number_no_event_can_have_is_named_and_hides_nothing(
    carrete: Carrete, shop: SealedShop, tmp_path: Path
) -> None:
    """Python refuses to read a number of 5,000 digits."""
    cells = [(row[1], f"{row[0]}.{row[16]}") for row in shop.rows()]
    books = [tmp_path / "5000.xlsx", tmp_path / "20.xlsx"]
    for book in books:
        with xlsxwriter.Workbook(book) as made:
            sheet = made.add_worksheet("Metadata")
            for at, row in enumerate([("ID", "Hash"), *cells, ("x", f"{'9' * int(book.stem)}.{'0' * 64}")]):
                sheet.write_row(at, 0, row)
        found = verified(carrete, shop, "--workbook", book)
        words = f"{book.name} cannot be used: 1 cells of the column Hash (99999999999999999999…)"
        assert (found.exit_code, words in found.out) == (WITNESSES_UNUSABLE, True), found
    rewrite(shop)
    found = verified(carrete, shop, "--workbook", books[0])
    assert (found.exit_code, "Event 6 was changed" in found.out) == (NOT_WHOLE, True), found


def named_by_both(carrete: Carrete, shop: SealedShop, exported: Path, *witnesses: str | Path) -> CommandResult:
    """The command and the auditor's file both name event 5. Returns what the command said."""
    found = verified(carrete, shop, *witnesses)
    assert (found.exit_code, "Event 5 was changed" in found.out) == (NOT_WHOLE, True), found
    export_trail(shop.database, exported, shop.key)
    status, words = audited(exported)
    assert (status, "Event 5 was changed" in words) == (NOT_WHOLE, True), words
    return found


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize(
    "change",
    [
        *("n_union = 1.5", "worker = x'1b'", "at = x'ff'", "id = x'00'", "version = x'00'"),
        *("worker = CAST(x'1b5b324a6f6bff' AS TEXT)", "at = CAST(x'ff' AS TEXT)"),  # no UTF-8
    ],
)
def test_a_value_of_a_kind_that_carrete_never_writes_is_a_changed_event(
    carrete: Carrete, shop: SealedShop, exported: Path, change: str
) -> None:
    """SQLite keeps any kind of value in any column."""
    with tampering(shop.database) as tx:
        tx.execute(f"UPDATE event SET {change} WHERE seq = 5")
    (receipts := exported.with_name("tablet.json")).write_text(shop.receipts_text(), "utf-8")
    found = named_by_both(carrete, shop, exported, "--receipts", receipts)
    assert "\x1b" not in found.out + found.err


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize("sign", ["\N{REPLACEMENT CHARACTER}", "?"])
def test_bytes_that_are_no_text_are_not_taken_for_the_sign_that_stands_for_them(
    carrete: Carrete, shop: SealedShop, exported: Path, tmp_path: Path, sign: str
) -> None:
    rows = shop.rows()
    rows[4] = (*rows[4][:6], sign, *rows[4][7:])
    anew = rechained(rows, 4)
    shop.replace(anew, head_of(anew))
    back_up_to(shop.settings.ledger_url, copy := tmp_path / "copy.db", shop.now)
    assert "Event 5 was changed" not in verified(carrete, shop, "--backup", copy).out
    with closing(open_database(f"sqlite:///{copy}")) as copied, tampering(copied) as tx:
        tx.execute("UPDATE event SET worker = CAST(x'ff' AS TEXT) WHERE seq = 5")
    assert "Event 5 was changed" in verified(carrete, shop, "--backup", copy).out, "it differs from the copy's"
    with tampering(shop.database) as tx:
        tx.execute("UPDATE event SET worker = CAST(x'ff' AS TEXT) WHERE seq = 5")
    named_by_both(carrete, shop, exported)


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize("change", ["UPDATE trail_head SET hash = CAST(x'ff' AS TEXT)", "DELETE FROM trail_key"])
def test_bytes_that_are_no_text_beside_the_event_do_not_keep_the_command_from_naming_it(
    carrete: Carrete, shop: SealedShop, tmp_path: Path, change: str
) -> None:
    (receipts := tmp_path / "tablet.json").write_text(shop.receipts_text(), "utf-8")
    with tampering(shop.database) as tx:
        tx.execute("UPDATE event SET worker = CAST(x'ff' AS TEXT)")
        tx.execute(change)
    found = verified(carrete, shop, "--receipts", receipts)
    assert (found.exit_code, "Events 1 to 16 were changed" in found.out) == (NOT_WHOLE, True), found


@pytest.mark.parametrize("column", ["id", "at", "worker", "metadata", "version", "hash"])
def test_half_of_a_surrogate_pair_in_an_exported_event_is_a_changed_event(exported: Path, column: str) -> None:
    """JSON can write it, UTF-8 cannot: the checker must not give up there."""
    (earlier := exported.with_name("earlier.jsonl")).write_text(exported.read_text("utf-8"), "utf-8")
    header, *events = exported.read_text("utf-8").splitlines()
    changed = json.loads(events[4])
    changed[(*FIELDS, "hash").index(column)] = "\ud800"
    exported.write_text("\n".join([header, *events[:4], json.dumps(changed), *events[5:]]) + "\n", "utf-8")
    for copy in ([], ["--copy", earlier]):
        status, words = audited(exported, *copy)
        assert (status, "Event 5 was changed" in words) == (NOT_WHOLE, True), words


def test_a_copy_whose_events_have_no_numbers_is_named_and_hides_nothing(
    carrete: Carrete, shop: SealedShop, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(copy := tmp_path / "copy.db")) as made, made:
        made.execute(f"CREATE TABLE event ({', '.join(FIELDS)})")
        made.execute(f"INSERT INTO event VALUES ({', '.join(['?'] * len(FIELDS))})", ["x"] * len(FIELDS))
    found = verified(carrete, shop, "--backup", copy)
    assert (found.exit_code, "copy.db is no copy of a ledger" in found.out) == (WITNESSES_UNUSABLE, True), found
    rewrite(shop)
    (receipts := tmp_path / "tablet.json").write_text(shop.receipts_text(), "utf-8")
    assert verified(carrete, shop, "--backup", copy, "--receipts", receipts).exit_code == NOT_WHOLE


def without_primary_key(tx: Tx, engine: str) -> None:
    """The owner may change the table too: then a number can stand twice."""
    if engine == "postgres":
        tx.execute("ALTER TABLE event DROP CONSTRAINT event_pkey")
        return
    tx.execute("CREATE TABLE other AS SELECT * FROM event")
    tx.execute("DROP TABLE event")
    tx.execute("ALTER TABLE other RENAME TO event")


@pytest.mark.parametrize("rows_per_page", [5_000, 5, 4, 1])
def test_an_event_with_the_number_of_another_is_found_wherever_a_page_of_the_trail_ends(
    shop: SealedShop, engine: str, monkeypatch: pytest.MonkeyPatch, rows_per_page: int
) -> None:
    """Where a page ends between the two, the other one would never be read, though every history shows it."""
    monkeypatch.setattr("carrete.ledger.trail.ROWS_PER_PAGE", rows_per_page)
    assert shop.verify(shop.receipts_text()).is_whole
    with tampering(shop.database) as tx:
        without_primary_key(tx, engine)
        forged = {"id": "'forged'", "worker": "'XX(1)'"}
        copied = ", ".join(forged.get(name, name) for name in (*FIELDS, "hash"))
        tx.execute(f"INSERT INTO event ({', '.join(FIELDS)}, hash) SELECT {copied} FROM event WHERE seq = 5")
    verified = shop.verify(shop.receipts_text())
    assert verified.report.events == 17
    assert not verified.is_whole


def test_numbers_that_do_not_rise_are_named_also_in_a_chain_that_was_computed_anew(exported: Path) -> None:
    """Events 5 and 6 stand twice, and every hash fits the one before."""
    header, *lines = exported.read_text("utf-8").splitlines()
    rows = [tuple(json.loads(line)) for line in lines]
    twice = rechained([*rows[:6], *((n, f"again-{n}", *rows[n - 1][2:]) for n in (5, 6)), *rows[6:]], 6)
    head = {**json.loads(header)["carrete-trail"], "head": head_of(twice)._asdict(), "seals": []}
    exported.write_text("\n".join(map(json.dumps, ({"carrete-trail": head}, *twice))) + "\n", "utf-8")
    status, words = audited(exported)
    assert (status, "Event 5 was added, not by Carrete" in words) == (NOT_WHOLE, True), words


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize(
    "change", ["seq = 'x', hash = 'y'", "seq = CAST(x'1b5b324a' AS TEXT)", "seq = x'00'", "seq = 1.5, hash = x'00'"]
)
def test_a_head_of_a_kind_that_carrete_never_writes_is_a_changed_one_and_hides_nothing(
    carrete: Carrete, shop: SealedShop, exported: Path, change: str
) -> None:
    with tampering(shop.database) as tx:
        tx.execute(f"UPDATE trail_head SET gapless_after = 'x', {change}")
    (receipts := exported.with_name("tablet.json")).write_text(shop.receipts_text(), "utf-8")
    found = verified(carrete, shop, "--receipts", receipts)
    assert (found.exit_code, "The ledger's own head was changed" in found.out) == (NOT_WHOLE, True), found
    assert "\x1b" not in found.out + found.err
    with tampering(shop.database) as tx:
        tx.execute("UPDATE event SET worker = 'XX(1)' WHERE seq = 5")
    named_by_both(carrete, shop, exported, "--receipts", receipts)
