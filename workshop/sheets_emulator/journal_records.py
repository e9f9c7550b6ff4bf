"""The records of the journal: reads, writes, and the findings of the oracle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sheets_emulator.a1 import Area
from sheets_emulator.model import Mark, Sheet


@dataclass(frozen=True, slots=True)
class Basis:
    """What the author of a request could know when it arrived: the revision, and each sheet as it last read it."""

    revision: int
    seen: Mapping[int, Sheet]
    reads: int = 0  # how many reads had been answered


@dataclass(slots=True)
class Overwritten:
    """A person's cell that an API write replaced."""

    request: int
    sheet: str
    key: list[Any]
    column: str
    cell: str
    person: Any
    api: Any
    sheet_id: int
    column_id: int  # its identity: a header can be renamed, a column moved
    edited_at_revision: int
    arrived_at_revision: int  # when the request that overwrote it came in
    applied_at_revision: int
    read_since: bool  # before that, some read was answered with the person's value
    known: bool  # and it was answered before the request came in, so its author could know
    stood_before: list[Any]  # the cell in the last read before the edit, and what requests put since
    stood_anyway: bool  # the person's value is one of these


@dataclass(frozen=True, slots=True)
class Shown:
    """A read that was answered: what it covered, and the sheet as it was."""

    number: int
    revision: int
    area: Area
    sheet: Sheet


@dataclass(frozen=True, slots=True)
class Put:
    """What a request wrote into one cell, by the keys of the row that it hit: before the request, and after it."""

    revision: int
    keys: tuple[list[Any], list[Any]]
    column_id: int
    value: Any


@dataclass(slots=True)
class Misdirected:
    """An API write that landed on another row than the one its author had last read there."""

    request: int
    sheet: str
    row: int  # counted from 1
    meant: list[Any]
    hit: list[Any]
    columns: list[str]
    values: list[Any]
    revision: int
    mark: Mark
