"""Writes the trail into a file for an auditor: a first line with the head, keys and seals, then one event on each line.

`docs/verify.py` examines such a file, and needs nothing of ours.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from carrete.domain.trail.canonical import STORED_TYPES
from carrete.domain.trail.files import TRAIL
from carrete.ledger.database import Database, Row, Tx
from carrete.ledger.trail import gapless_after, seals, stored_head, trail_rows
from carrete.trail.seals import current_seal
from carrete.trail.signing_key import SigningKey

PROGRESS_EVERY = 5_000


def export_trail(
    database: Database, path: Path, key: SigningKey, on_progress: Callable[[int, int], None] = lambda *_: None
) -> int:
    """Returns the number of events. The file appears complete or not at all."""
    partial = path.with_name(f".{path.name}.{uuid4().hex[:8]}")
    written = 0
    try:
        # A lone surrogate becomes `\udcff`, which is how JSON writes it.
        with database.reading() as tx, partial.open("w", encoding="utf-8", errors="backslashreplace") as file:
            (total,) = tx.one("events_count") or (0,)
            file.write(_line({TRAIL: _header(tx, key)}))
            for row in trail_rows(tx):
                file.write(_line(_storable(row)))
                written += 1
                if written % PROGRESS_EVERY == 0 or written == total:
                    on_progress(written, total)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
    return written


def _header(tx: Tx, key: SigningKey) -> dict[str, object]:
    now = current_seal(tx, key, datetime.now(UTC))
    head = stored_head(tx)
    return {
        "version": 1,
        "exported_at": now.at,
        "head": {"seq": head.seq, "hash": head.hash},
        "gapless_after": gapless_after(tx),
        "keys": [
            {"fingerprint": fingerprint, "public_key": public_key, "made_at": made_at}
            for fingerprint, public_key, made_at in tx.all("trail_keys")
        ],
        "seals": [
            {"seq": seal.seq, "hash": seal.hash, "en": seal.at, "firma": seal.signature, "clave": seal.key}
            for seal in (*seals(tx), now)
        ],
    }


def _storable(row: Row) -> Sequence[object]:
    """SQLite keeps any kind of value in any column. One that Carrete never writes is exported as the text that it is
    hashed as, so that an auditor is told of a changed event."""
    if STORED_TYPES.issuperset(map(type, row)):
        return row
    return [value if type(value) in STORED_TYPES else str(value) for value in row]


def _line(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"
