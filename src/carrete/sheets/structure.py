"""The sheets of the workbook: which tab is which sheet, and where its columns are, by tab id and by header."""

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
    WELDING,
    Column,
    Header,
    Owner,
    SheetPlan,
    comparable_name,
    find_header,
)

if TYPE_CHECKING:
    from carrete.sheets.google.client import WorkbookTab

SELLO = "Carrete_Sello"  # the column with the stamp of the last write of each row


def _stamped(plan: SheetPlan) -> SheetPlan:
    return replace(plan, columns=(*plan.columns, Column(SELLO, cells.text, Owner.OURS)))


SPOOLS = _stamped(OPERACIONES)
JOINTS = _stamped(UNIONES)
STAMPED = (SPOOLS, JOINTS)
PEOPLE = (TRABAJADORES, ROLES)
EVENTS = METADATA
EXPECTED_PLANS = (SPOOLS, JOINTS, *PEOPLE, EVENTS)
LANE_PLANS = (*EXPECTED_PLANS, *WELDING)
REQUIRED = (SPOOLS,)  # a workbook without these sheets is not connected
PLAN = {plan.name: plan for plan in LANE_PLANS}
SEARCHED_ROWS = HEADER_SEARCHED_ROWS


@dataclass(frozen=True, slots=True)
class Located:
    """A sheet's tab, and the columns that it has had since it was connected."""

    plan: SheetPlan
    tab_id: int
    columns: frozenset[str]


def tabs_by_name(tabs: Iterable[WorkbookTab]) -> dict[str, list[WorkbookTab]]:
    """By sheet, the tabs that have its name; there may be two of them."""
    names = {comparable_name(plan.name): plan.name for plan in LANE_PLANS}
    found: dict[str, list[WorkbookTab]] = {}
    for tab in tabs:
        if name := names.get(comparable_name(tab.title)):
            found.setdefault(name, []).append(tab)
    return found


def header_of(plan: SheetPlan, rows: Sequence[RawRow]) -> Header:
    return find_header(plan, rows)


def wrong_columns(plan: SheetPlan, header: Header, seen: Collection[str]) -> str:
    """Why this sheet cannot be written now: a column that it had is missing, or is there twice. Empty if it can."""
    if header.twice:
        return f"la columna {' y '.join(header.twice)} está repetida"
    needed = {*plan.key, *seen}
    missing = [column.name for column in plan.columns if column.name in needed and column.name not in header.indexes]
    return f"falta la columna {' y '.join(missing)}" if missing else ""


def missing_app_columns(plan: SheetPlan, header: Header) -> list[str]:
    """The missing columns that Carrete fills. A missing column that people fill, or an optional one, is not used."""
    present = {*header.indexes, *header.twice}
    ours = [c.name for c in plan.columns if plan is EVENTS or (c.owner is not Owner.PEOPLE and not c.optional)]
    return [name for name in ours if name not in present]


def column_letters(index: int) -> str:
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
