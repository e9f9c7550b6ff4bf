"""Bases: what a workbook contained about a row, stored under the version token that the row had then.

So a file that was exported on Monday is compared with the values of Monday, whatever happened since.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, TypeAlias

from carrete.ledger.database import Tx
from carrete.workbook.rows import Cells

BASES_KEPT = timedelta(days=90)
REFRESHED_AFTER = timedelta(days=30)
_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
RowId: TypeAlias = tuple[str, int]  # tag and n_union, 0 for the spool's own row


@dataclass(slots=True)
class Bases:
    """The bases of one row, as JSON: most of them are never decoded."""

    by_token: dict[str, tuple[str, str]] = field(default_factory=dict)  # cells, and when they were stored; oldest first
    latest: str | None = None

    def base_for(self, token: str, names: Iterable[str]) -> Cells | None:
        """The base under this token, or else the newest one. A column of `names` that the base lacks, because it was
        added later, gets its newest known value."""
        own = self.by_token.get(token)
        found = own[0] if own else self.latest
        if found is None:
            return None
        base: Cells = json.loads(found)
        return base if base.keys() >= set(names) else {**self._newest_values(), **base}

    def after(self, token: str, cells: Cells) -> Cells:
        """The base under this token after `cells` was read. A cell that was absent or unreadable stays as it was: so
        its correction is recognised as an edit later."""
        own = self.by_token.get(token)
        before = json.loads(own[0]) if own else self._newest_values()
        return {**before, **cells}

    def _newest_values(self) -> Cells:
        """The newest known value of each cell."""
        values: Cells = {}
        for cells, _when in self.by_token.values():
            values |= json.loads(cells)
        return values

    def is_fresh(self, token: str, cells: Cells, since: str) -> bool:
        """Whether the stored base is the same and was stored after `since`: then it need not be stored again."""
        own = self.by_token.get(token)
        return own is not None and own[1] > since and json.loads(own[0]) == cells


NO_BASES = Bases()


def load_bases(tx: Tx, sheet: str, tags: Iterable[str]) -> dict[RowId, Bases]:
    found: dict[RowId, Bases] = {}
    for n_union, tag, token, cells, when in tx.all("bases_of", sheet=sheet, tags=sorted(tags)):
        bases = found.setdefault((tag, n_union), Bases())
        bases.by_token[token] = (cells, when)
        bases.latest = cells  # the statement sorts them oldest first
    return found


def base_row(sheet: str, row: RowId, token: str, cells: Cells, when: str) -> dict[str, Any]:
    tag, n_union = row
    return {"sheet": sheet, "tag": tag, "n_union": n_union, "version": token, "cells": _json(cells), "said_at": when}


class BaseStore(Protocol):
    """Where bases are stored: those of files by version token, that of the live sheet as its last read."""

    def load(self, tx: Tx, sheet: str, tags: Iterable[str]) -> Mapping[RowId, Bases]: ...

    def save(self, tx: Tx, rows: Sequence[Mapping[str, Any]]) -> None:
        """Stores rows that `base_row` has made."""
        ...


class FileBaseStore:
    def load(self, tx: Tx, sheet: str, tags: Iterable[str]) -> Mapping[RowId, Bases]:
        return load_bases(tx, sheet, tags)

    def save(self, tx: Tx, rows: Sequence[Mapping[str, Any]]) -> None:
        tx.many("base_put", rows)


FILE_BASES = FileBaseStore()


def forget_old_bases(tx: Tx, now: datetime) -> None:
    """A workbook that is older than all its bases is imported like an unknown one."""
    tx.run("bases_forget", before=utc_text(now - BASES_KEPT))


def utc_text(instant: datetime) -> str:
    """With microseconds: an export and an import right after it must differ."""
    return instant.astimezone(UTC).isoformat(timespec="microseconds")
