"""The lane signs the heads that it writes into the column `Hash`: without a usable signing key it waits for one."""

from __future__ import annotations

from pathlib import Path

import pytest

from carrete.domain.commands import Tomar
from carrete.domain.spool import Operacion
from carrete.domain.trail.canonical import ChainHead
from carrete.domain.trail.witness import SignedHead
from carrete.ledger.database import Database
from carrete.ledger.trail import trail_rows
from carrete.settings import Settings
from carrete.sheets.listeners import Listeners
from carrete.sheets.running import LaneThread
from carrete.trail.signing_key import KEY_FILE, SigningKey
from carrete.verification.sources import signed_by
from tests.integration.sheets.conftest import SPOOLS, MakeShop
from tests.support.sheet_server import HURRIED, SheetServer
from tests.support.sheets import BOOK


def test_a_lane_that_starts_with_a_damaged_signing_key_begins_when_the_key_is_there_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("carrete.sheets.running.KEY_LOOK_S", 0.1)
    with SheetServer(tmp_path, spools=1) as google:
        settings = Settings(
            access="open",
            data=tmp_path,
            database_url=google.settings["DATABASE_URL"],
            google_sheet_id=BOOK,
            google_credentials=google.settings["GOOGLE_APPLICATION_CREDENTIALS"],
            sheets_url=google.settings["CARRETE_SHEETS_URL"],
        )
        (tmp_path / KEY_FILE).write_bytes(b"damaged")
        running = LaneThread(settings, settings.shop, Listeners(), HURRIED)
        running.start()
        try:
            google.wait_for(lambda: "signing.key" in "".join(capsys.readouterr()))
            assert running.lane is None
            (tmp_path / KEY_FILE).unlink()
            google.wait_for(lambda: running.lane is not None)
        finally:
            running.stop()


def test_each_event_in_the_sheet_has_its_hash_and_the_last_of_a_batch_a_signature(
    make_shop: MakeShop, ledger: Database, tmp_path: Path
) -> None:
    key = SigningKey.of_ledger(tmp_path, ledger)
    shop = make_shop(SPOOLS, sign=key.sign)
    written: list[str] = []
    for tags in ((), ("A-1", "A-2"), ("A-3",)):  # the first batch is that of the import
        shop.do_all(Tomar(tag, 93, Operacion.ARM) for tag in tags)
        shop.settle()
        *others, last = [row["Hash"] for row in shop.rows("Metadata")][len(written) :]
        assert all(len(cell.split(".")) == 2 for cell in others)
        seq, hash_, signature = last.split(".")
        assert signed_by(SignedHead(ChainHead(int(seq), hash_), signature), [key.public_key]) == key.fingerprint
        written += [*others, f"{seq}.{hash_}"]
    with ledger.reading() as tx:
        assert written == [f"{row[0]}.{row[16]}" for row in trail_rows(tx)]
