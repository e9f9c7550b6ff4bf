"""Which tab is which sheet, and where its columns are: found anew at each read, by id and by header."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from carrete.workbook import cells
from carrete.workbook.cells import RawRow
from carrete.workbook.columns import (
    HEADER_SEARCHED_ROWS,
    METADATA,
    OPERACIONES,
    ROLES,
    TRABAJADORES,
    UNIONES,
    Column,
    Header,
    Owner,
    SheetPlan,
    comparable_name,
    find_header,
)

if TYPE_CHECKING:
    from carrete.sheets.google.client import Tab

SELLO = "Carrete_Sello"  # each row that we write carries the stamp of that write


def _stamped(plan: SheetPlan) -> SheetPlan:
    return replace(plan, columns=(*plan.columns, Column(SELLO, cells.text, Owner.OURS)))


SPOOLS = _stamped(OPERACIONES)
JOINTS = _stamped(UNIONES)
STAMPED = (SPOOLS, JOINTS)
PEOPLE = (TRABAJADORES, ROLES)
EVENTS = METADATA
LANE_PLANS = (SPOOLS, JOINTS, *PEOPLE, EVENTS)
REQUIRED = (SPOOLS,)  # without this one there is nothing to connect
PLAN = {plan.name: plan for plan in LANE_PLANS}
SEARCHED_ROWS = HEADER_SEARCHED_ROWS


@dataclass(frozen=True, slots=True)
class Located:
    """A sheet's tab, and the columns that it was seen with when it was connected or later."""

    plan: SheetPlan
    tab_id: int
    columns: frozenset[str]


def tabs_by_name(tabs: Iterable[Tab]) -> dict[str, list[Tab]]:
    """Our sheets that have a tab of that name; two of them are told as two."""
    names = {comparable_name(plan.name): plan.name for plan in LANE_PLANS}
    found: dict[str, list[Tab]] = {}
    for tab in tabs:
        if name := names.get(comparable_name(tab.title)):
            found.setdefault(name, []).append(tab)
    return found


def header_of(plan: SheetPlan, rows: Sequence[RawRow]) -> Header:
    return find_header(plan, rows)


def wrong_columns(plan: SheetPlan, header: Header, seen: Collection[str]) -> str:
    """Why this sheet cannot be written as it is: a column that it had is gone, or is there twice."""
    if header.twice:
        return f"la columna {' y '.join(header.twice)} está repetida"
    needed = {*plan.key, *seen}
    missing = [column.name for column in plan.columns if column.name in needed and column.name not in header.indexes]
    return f"falta la columna {' y '.join(missing)}" if missing else ""


def missing_app_columns(plan: SheetPlan, header: Header) -> list[str]:
    """Those that the floor or Carrete fill; a column of engineering's that is not there is simply not used."""
    there = {*header.indexes, *header.twice}
    ours = {column.name for column in plan.columns if plan is EVENTS or column.owner is not Owner.PEOPLE}
    return [column.name for column in plan.columns if column.name in ours and column.name not in there]


def column_letters(index: int) -> str:
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
