"""The lane signs the heads that it writes: without a usable signing key it waits for one."""

from __future__ import annotations

from pathlib import Path

import pytest

from carrete.settings import Settings
from carrete.sheets.listeners import Listeners
from carrete.sheets.running import LaneThread
from carrete.trail.signing_key import KEY_FILE
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
