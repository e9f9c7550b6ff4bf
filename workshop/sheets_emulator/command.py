"""The emulator as a process of its own: its settings for `carrete serve`, its snapshot file, and its end."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

from sheets_emulator.emulator import Emulator
from sheets_emulator.people import file_of
from sheets_emulator.server import Server
from sheets_emulator.workbooks import load, save

SAVE_EVERY_S = 2.0


def write_service_account(server: Server, path: Path) -> None:
    """Readable by its owner alone, as a real key should be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(server.emulator.accounts.service_account(server.token_uri), file, indent=2)
    os.replace(partial, path)


def environment(server: Server, service_account: Path) -> dict[str, str]:
    """The settings with which `carrete serve` uses this emulator in place of Google."""
    file_id, _ = file_of(server.emulator, {})
    return {
        "GOOGLE_SHEET_ID": file_id,
        "GOOGLE_APPLICATION_CREDENTIALS": str(service_account.resolve()),
        "CARRETE_SHEETS_URL": server.url,
    }


def load_or_fill(emulator: Emulator, snapshot: Path | None, fill: Callable[[Emulator], object]) -> bool:
    """Returns whether a snapshot existed and was loaded; without one, `fill` makes the first workbook."""
    if snapshot is not None and snapshot.exists() and load(emulator, snapshot):
        return True
    fill(emulator)
    return False


def run(server: Server, snapshot: Path | None) -> None:
    """Runs until SIGTERM or Ctrl-C. Changes are saved to the snapshot file every 2 seconds, and at the end."""
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    kept = _state(server.emulator)
    try:
        while not ended.wait(SAVE_EVERY_S):
            if snapshot is not None and (now := _state(server.emulator)) != kept:
                save(server.emulator, snapshot)
                kept = now
    finally:
        server.stop()
        if snapshot is not None:
            save(server.emulator, snapshot)


def _state(emulator: Emulator) -> list[tuple[str, int, bool]]:
    with emulator.lock:
        return [(file_id, file.book.revision, file.trashed) for file_id, file in emulator.files.items()]
