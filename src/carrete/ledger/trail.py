"""Reads the trail for its examination: rows with their hashes, the head, the keys and the seals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from carrete.domain.trail.canonical import EMPTY, ChainHead
from carrete.domain.trail.witness import key_fingerprint, public_key_of
from carrete.ledger.database import Row, Tx

ROWS_PER_PAGE = 5_000
SEALS_PER_PAGE = 1_000


class Seal(NamedTuple):
    """A signed head with its time, as the ledger has it."""

    seq: int
    hash: str
    at: str
    key: str
    signature: str


def trail_rows(tx: Tx) -> Iterator[Row]:
    """All events with their hashes, in the order of their seqs, also where somebody took the primary key away and gave
    two events one seq: the last seq of a full page is read again with the next one."""
    after, limit = None, ROWS_PER_PAGE
    while True:
        page = _trail_page(tx, after, limit)
        if len(page) < limit:
            yield from page
            return
        whole = [row for row in page if row[0] != page[-1][0]]
        yield from whole
        after, limit = (whole[-1][0], ROWS_PER_PAGE) if whole else (after, 2 * limit)


def _trail_page(tx: Tx, after: int | None, limit: int) -> list[Row]:
    """The first page has no lower bound: a forged event may have any negative seq."""
    return tx.all("trail_rows_first", limit=limit) if after is None else tx.all("trail_rows", after=after, limit=limit)


def stored_head(tx: Tx) -> ChainHead:
    row = tx.one("trail_head")
    return ChainHead(_number(row[0]), str(row[1])) if row else EMPTY


def _number(value: object) -> int:
    """SQLite keeps any kind of value in any column."""
    return value if type(value) is int else 0


def has_head(tx: Tx, head: ChainHead) -> bool:
    """Whether the event of that number has that hash."""
    row = tx.one("trail_rows", after=head.seq - 1, limit=1)
    return row is not None and (row[0], row[-1]) == head


def gapless_after(tx: Tx) -> int:
    row = tx.one("trail_gapless_after")
    return _number(row[0]) if row else 0


def public_keys(tx: Tx) -> list[bytes]:
    """Those that are valid keys: a person who has the database can write anything there."""
    found = (public_key_of(text) for _, text, _ in tx.all("trail_keys"))
    return [key for key in found if key is not None]


def damaged_keys(tx: Tx) -> list[str]:
    """The fingerprints of rows whose public key is none, or another one."""
    rows = [(str(fingerprint), public_key_of(text)) for fingerprint, text, _ in tx.all("trail_keys")]
    return [fingerprint for fingerprint, key in rows if key is None or key_fingerprint(key) != fingerprint]


def seals(tx: Tx) -> Iterator[Seal]:
    after = -1
    while page := tx.all("trail_seals", after=after, limit=SEALS_PER_PAGE):
        yield from (Seal(*row) for row in page)
        after = page[-1][0]


def last_seal(tx: Tx) -> Seal | None:
    row = tx.one("trail_seal_last")
    return Seal(*row) if row else None
