"""Which key signs the head of a copy's trail. A copy never makes a key: its signatures could not be checked."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from carrete.ledger import open_database
from carrete.trail.signing_key import SigningKey, known_key


def key_for_copy(data: Path, ledger_url: str) -> tuple[SigningKey | None, str]:
    """The server's key, or why the copy cannot be signed. Opening a SQLite ledger that is not there would make one."""
    if ledger_url.startswith("sqlite:///") and not Path(ledger_url.removeprefix("sqlite:///")).is_file():
        return None, ""
    with closing(open_database(ledger_url)) as database:
        return known_key(data, database)
