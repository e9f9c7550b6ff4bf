"""What a workbook was last known to say about a row, remembered under the version token it said it with.

A file that was exported on Monday is compared with what was said on Monday, whatever happened since.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, TypeAlias

from carrete.ledger.database import Tx
from carrete.workbook.rows import Cells

KEPT = timedelta(days=90)
REFRESHED_AFTER = timedelta(days=30)
_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
RowId: TypeAlias = tuple[str, int]  # tag and n_union, 0 for the spool's own row


@dataclass(slots=True)
class Bases:
    """Of one row, as text: most are never looked at."""

    by_token: dict[str, tuple[str, str]] = field(default_factory=dict)  # cells and when they were said
    latest: str | None = None

    def base_for(self, token: str, names: Iterable[str]) -> Cells | None:
        """Under its own token, else what was said last; of a column that came later, what was last said in it."""
        own = self.by_token.get(token)
        found = own[0] if own else self.latest
        if found is None:
            return None
        base: Cells = json.loads(found)
        return base if base.keys() >= set(names) else {**self._last_said(), **base}

    def after(self, token: str, said: Cells) -> Cells:
        """What the workbook is known to say under this token once `said` was read. A cell that it does not say,
        absent or unreadable, stays as it was said last: whoever corrects it is then seen to have changed it."""
        own = self.by_token.get(token)
        before = json.loads(own[0]) if own else self._last_said()
        return {**before, **said}

    def _last_said(self) -> Cells:
        """Of each cell that was ever said; the bases come oldest first."""
        said: Cells = {}
        for cells, _when in self.by_token.values():
            said |= json.loads(cells)
        return said

    def fresh(self, token: str, cells: Cells, since: str) -> bool:
        """Nothing new, and far from being forgotten: there is nothing to write."""
        own = self.by_token.get(token)
        return own is not None and own[1] > since and json.loads(own[0]) == cells


NONE = Bases()


def bases_known(tx: Tx, sheet: str, tags: Iterable[str]) -> dict[RowId, Bases]:
    found: dict[RowId, Bases] = {}
    for n_union, tag, token, cells, when in tx.all("bases_of", sheet=sheet, tags=sorted(tags)):
        bases = found.setdefault((tag, n_union), Bases())
        bases.by_token[token] = (cells, when)
        bases.latest = cells  # they come oldest first
    return found


def base_row(sheet: str, row: RowId, token: str, cells: Cells, when: str) -> dict[str, Any]:
    tag, n_union = row
    return {"sheet": sheet, "tag": tag, "n_union": n_union, "version": token, "cells": _json(cells), "said_at": when}


class BaseStore(Protocol):
    """Where it is remembered what a workbook said: files by their tokens, the live sheet by what was read last."""

    def known(self, tx: Tx, sheet: str, tags: Iterable[str]) -> Mapping[RowId, Bases]: ...

    def keep(self, tx: Tx, rows: Sequence[Mapping[str, Any]]) -> None:
        """Rows as `base_row` makes them."""
        ...


class FileBaseStore:
    def known(self, tx: Tx, sheet: str, tags: Iterable[str]) -> Mapping[RowId, Bases]:
        return bases_known(tx, sheet, tags)

    def keep(self, tx: Tx, rows: Sequence[Mapping[str, Any]]) -> None:
        tx.many("base_put", rows)


FILES = FileBaseStore()


def forget_old(tx: Tx, now: datetime) -> None:
    """A workbook older than this is read like one from elsewhere."""
    tx.run("bases_forget", before=said_at(now - KEPT))


def said_at(instant: datetime) -> str:
    """Finer than a second: an export and an import soon after it must not tie."""
    return instant.astimezone(UTC).isoformat(timespec="microseconds")
