"""Connects a ledger with a workbook: finds its tabs, adds the columns that Carrete fills, and stores both in the
ledger.

The batch that adds columns has a guard computed from its requests, so that a lost answer never adds a column twice.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from carrete.ledger.database import Database, Tx
from carrete.sheets.clock import Clock
from carrete.sheets.freeze import limits
from carrete.sheets.google.cell_requests import guard_request, row_requests
from carrete.sheets.google.client import GUARD_KEY, SheetsClient, Workbook, WorkbookTab
from carrete.sheets.google.errors import Denied, GuardTaken
from carrete.sheets.google.ranges import TabRange
from carrete.sheets.rows import storage
from carrete.sheets.structure import (
    EVENTS,
    EXPECTED_PLANS,
    PEOPLE,
    PLAN,
    REQUIRED,
    Located,
    column_letters,
    header_of,
    missing_app_columns,
    tabs_by_name,
)
from carrete.workbook.cells import RawRow
from carrete.workbook.columns import WELDING, Header, SheetPlan
from carrete.workbook.commits import Committer


@dataclass(slots=True)
class SurveyedSheet:
    """One sheet of a workbook, as a survey found it."""

    plan: SheetPlan
    tab: WorkbookTab
    header: Header
    rows: list[RawRow]
    to_add: list[str] = field(default_factory=list)
    first_free: int = 0  # index of the first free column at the right edge

    @property
    def blank(self) -> bool:
        return not self.header.indexes and not any(str(cell).strip() for row in self.rows for cell in row)

    @property
    def usable(self) -> bool:
        """Whether it has every column of the key once. A shop may have a tab of its own that is called WPS."""
        return not self.blank and not self.header.twice and all(name in self.header.indexes for name in self.plan.key)

    def summary(self) -> str:
        """One line for the person who connects the workbook."""
        rows = sum(1 for row in self.rows[self.header.row + 1 :] if any(str(cell).strip() for cell in row))
        line = (
            f"{self.plan.name}: pestaña «{self.tab.title}», {rows} filas, {len(self.header.indexes)} columnas conocidas"
        )
        if not self.to_add:
            return f"{line}."
        return f"{line}; se agregan desde la columna {column_letters(self.first_free)}: {', '.join(self.to_add)}."


@dataclass(slots=True)
class Survey:
    workbook: Workbook
    sheets: dict[str, SurveyedSheet]
    absent: list[str]  # sheets that the workbook does not have
    wrong: list[str]  # what people must repair before the workbook can be connected

    def require_right(self) -> None:
        if self.wrong:
            raise Denied(f"La planilla no se puede conectar así: {'; '.join(self.wrong)}.")

    def grids(self) -> dict[str, list[RawRow]]:
        return {name: found.rows for name, found in self.sheets.items() if not found.blank}

    def located(self) -> dict[str, Located]:
        """Where the sheets will be, with the columns and the tab that connecting adds."""
        found_sheets = {
            name: Located(found.plan, found.tab.id, frozenset((*found.header.indexes, *found.to_add)))
            for name, found in self.sheets.items()
        }
        if EVENTS.name in found_sheets:
            return found_sheets
        return {
            **found_sheets,
            EVENTS.name: Located(EVENTS, _free_id(self.workbook), frozenset(c.name for c in EVENTS.columns)),
        }


class Connector:
    def __init__(self, database: Database, lease: Committer, client: SheetsClient, workbook: str, clock: Clock) -> None:
        self._database = database
        self._lease = lease
        self._client = client
        self._workbook = workbook
        self._clock = clock

    def located(self) -> dict[str, Located]:
        """Where the sheets are now. A ledger that was never connected is connected first."""
        with self._database.reading() as tx:
            connected = storage.setting(tx, storage.CONNECTED)
            known = storage.located_sheets(tx)
            frozen = storage.freezes(tx)
        if not connected:
            return self.connect(self.survey())
        if connected != self._workbook:
            raise Denied(
                "El registro está conectado con otra planilla: para cambiarla, revise con `carrete sync --init` y "
                "luego `carrete sync --init --apply`."
            )
        return self._by_tab_id(known, frozen, self._client.workbook())

    def _by_tab_id(
        self, known: Mapping[str, Located], frozen: Mapping[str, storage.Freeze], workbook: Workbook
    ) -> dict[str, Located]:
        """A tab that is gone freezes its sheet. Another tab of the same name is used only when a supervisor confirms
        it."""
        ids = {tab.id for tab in workbook.tabs}
        named = tabs_by_name(workbook.tabs)
        found: dict[str, Located] = {}
        for name, located in known.items():
            if located.tab_id in ids:
                found[name] = located
            elif name in frozen and frozen[name].decision == limits.CONFIRM and len(named.get(name, [])) == 1:
                found[name] = self._use_tab(located, named[name][0])
            else:
                self._freeze_without_tab(name, named.get(name, []))
        return found

    def _use_tab(self, located: Located, tab: WorkbookTab) -> Located:
        moved = Located(located.plan, tab.id, located.columns)

        def work(tx: Tx) -> None:
            storage.locate(tx, moved)
            tx.run("freeze_end", sheet=located.plan.name)

        self._lease.commit(work)
        return moved

    def _freeze_without_tab(self, name: str, tabs: list[WorkbookTab]) -> None:
        reason = "la pestaña fue borrada" + ("; hay otra con su nombre" if len(tabs) == 1 else "")
        now = self._clock.now()
        self._lease.commit(lambda tx: storage.freeze(tx, name, limits.TAB, reason, now))

    # ─── the first time ───────────────────────────────────────────────────────────────────────────────────────

    def survey(self) -> Survey:
        """Reads the workbook, and changes nothing."""
        workbook = self._client.workbook()
        named = tabs_by_name(workbook.tabs)
        named = {name: tabs for name, tabs in named.items() if len(tabs) == 1 or PLAN[name] not in WELDING}
        wrong = [f"hay {len(tabs)} pestañas {name}" for name, tabs in named.items() if len(tabs) > 1]
        tabs = {name: tabs[0] for name, tabs in named.items()}
        grids = self._client.values([TabRange(tab.id) for tab in tabs.values()]) if tabs else []
        found = {name: _surveyed(PLAN[name], tab, rows) for (name, tab), rows in zip(tabs.items(), grids, strict=True)}
        found = {name: one for name, one in found.items() if one.plan not in WELDING or one.usable}
        for one in found.values():
            if lost := [name for name in one.plan.key if name not in one.header.indexes and not one.blank]:
                wrong.append(f"en {one.plan.name} falta la columna {' y '.join(lost)}, o está repetida")
            elif one.header.twice:
                wrong.append(f"en {one.plan.name} está repetida la columna {' y '.join(one.header.twice)}")
        absent = [plan.name for plan in EXPECTED_PLANS if plan.name not in found]
        wrong += [f"falta la pestaña {plan.name}" for plan in REQUIRED if plan.name not in found]
        return Survey(workbook, found, absent, wrong)

    def connect(self, survey: Survey) -> dict[str, Located]:
        survey.require_right()
        requests = [request for one in survey.sheets.values() for request in _additions(one)]
        if EVENTS.name in survey.absent:
            requests += _new_tab(EVENTS, _free_id(survey.workbook))
        if requests:
            guard = 1 + zlib.crc32(repr(requests).encode()) % (2**31 - 1)
            with suppress(GuardTaken):  # an earlier attempt was applied, and its answer was lost
                self._client.write([guard_request(guard, GUARD_KEY, "columnas"), *requests])
        located = survey.located()
        self._lease.commit(lambda tx: self._store(tx, located))
        return located

    def _store(self, tx: Tx, located: Mapping[str, Located]) -> None:
        if storage.setting(tx, storage.CONNECTED) != self._workbook:
            storage.forget_everything(tx)
        tx.run("setting_put", name=storage.CONNECTED, value=self._workbook)
        for one in located.values():
            storage.locate(tx, one)


def _surveyed(plan: SheetPlan, tab: WorkbookTab, rows: list[RawRow]) -> SurveyedSheet:
    found = SurveyedSheet(plan, tab, header_of(plan, rows), rows)
    if found.blank:
        found.to_add = [column.name for column in plan.columns]
    elif plan not in (*PEOPLE, *WELDING):
        found.to_add = missing_app_columns(plan, found.header)
    found.first_free = max((len(row) for row in rows), default=0)
    return found


def _additions(found: SurveyedSheet) -> list[dict[str, Any]]:
    if not found.to_add:
        return []
    wider = found.first_free + len(found.to_add) - found.tab.columns
    grow = {"appendDimension": {"sheetId": found.tab.id, "dimension": "COLUMNS", "length": wider}}
    names = {found.first_free + n: {"userEnteredValue": {"stringValue": name}} for n, name in enumerate(found.to_add)}
    return [*([grow] if wider > 0 else []), *row_requests(found.tab.id, found.header.row, names)]


def _new_tab(plan: SheetPlan, tab_id: int) -> list[dict[str, Any]]:
    names = {n: {"userEnteredValue": {"stringValue": column.name}} for n, column in enumerate(plan.columns)}
    return [
        {"addSheet": {"properties": {"sheetId": tab_id, "title": plan.name}}},
        *row_requests(tab_id, 0, names),
    ]


def _free_id(workbook: Workbook) -> int:
    taken = {tab.id for tab in workbook.tabs}
    return next(id_ for id_ in range(1_000_001, 1_000_001 + len(taken) + 1) if id_ not in taken)
