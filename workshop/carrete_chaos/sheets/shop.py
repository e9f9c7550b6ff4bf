"""The shop of one seed: a ledger, a workbook full of spools, fifty workers, and the lane between ledger and
workbook."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import httpx

from carrete.actions import Outcome, Performer, Request, Success
from carrete.actions.answer import Answer
from carrete.domain.commands import Command
from carrete.domain.shop import Shop
from carrete.gate import OpenGate
from carrete.ledger import open_database
from carrete.ledger.migrate import migrate
from carrete.sheets.google.client import SheetsClient
from carrete.sheets.google.ranges import TabRange
from carrete.sheets.lane import Lane
from carrete.sheets.structure import SELLO
from carrete.workbook.cells import RawRow
from carrete.workbook.columns import METADATA, OPERACIONES, ROLES, TRABAJADORES, UNIONES, SheetPlan
from carrete_chaos.sheets.link import ROOT, EmulatedGoogle, StandingClock, emulated_key
from carrete_chaos.sheets.unsteady_ledger import UnsteadyLedger
from sheets_emulator.emulator import Emulator
from sheets_emulator.journal import Journal
from sheets_emulator.workbooks import Tab, make_book

BOOK = "planilla"
START = datetime(2026, 11, 16, 11, 0, tzinfo=UTC)
MATERIALES = 46_328  # 02-11-2026
WORKERS = 50
NAMES = ("Ana", "Beto", "Ciro", "Dora", "Elsa")
SURNAMES = ("Rojas", "Soto", "Toro", "Urra", "Vega")


class Killed(BaseException):
    """The process is killed in the middle of its work."""


class Taps:
    """The actions of a shop's tablets, through the one path."""

    def __init__(self, performer: Performer) -> None:
        self._performer = performer
        self._loop = asyncio.Runner()
        self.done = 0

    def all_at_once(self, commands: Sequence[Command]) -> None:
        async def together() -> None:
            requests = [Request([command], self._answer) for command in commands]
            await asyncio.gather(*(self._performer.perform(request) for request in requests))

        if commands:
            self._loop.run(together())

    def _answer(self, _commands: Sequence[Command], outcomes: Sequence[Outcome]) -> Answer:
        self.done += sum(isinstance(outcome, Success) for outcome in outcomes)
        return Answer(200, "{}")

    def close(self) -> None:
        self._performer.stop()
        self._loop.close()


class JournaledClient(SheetsClient):
    """Marks in the emulator's journal which requests are one read: the formulas are not used without the values."""

    def __init__(self, journal: Journal, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._journal = journal

    def values(self, wanted: Sequence[TabRange], *, keep: bool = False) -> list[list[RawRow]]:
        with self._journal.whole_read():
            return super().values(wanted, keep=keep)

    def marked(self, wanted: TabRange, marks: Mapping[str, str]) -> tuple[list[RawRow], dict[str, int]]:
        with self._journal.whole_read():
            return super().marked(wanted, marks)


class ChaosShop:
    def __init__(self, folder: Path, seed: int, spools: int, joints_each: int) -> None:
        self.rng = Random(seed)
        self.shop = Shop()
        self.clock = StandingClock(START)
        self.emulator = Emulator(seed * 31 + 17, self.clock.google)  # its random ids are not the lane's
        self.clock.emulator = self.emulator
        self.tags = [f"MK-{1000 + n}" for n in range(spools)]
        self.by_joint = set(self.tags[: spools // 3])
        self.joints_each = joints_each
        make_book(self.emulator, "Taller", self._tabs(), id_=BOOK)
        self.google = EmulatedGoogle(self.emulator)
        url = f"sqlite:///{folder / 'chaos.db'}"
        self.database, self.lane_ledger = open_database(url), UnsteadyLedger(open_database(url))
        migrate(self.database)
        self.taps = Taps(Performer(self.database, OpenGate(), self.shop, self.clock.now))
        self.lane = self.new_lane()

    def new_lane(self) -> Lane:
        key = emulated_key(self.emulator)
        client = JournaledClient(self.emulator.journal, BOOK, key, self.clock, root=ROOT, transport=self.google)
        return Lane(self.lane_ledger, client, BOOK, self.shop, self.clock)

    def _tabs(self) -> list[Tab]:
        people = range(1, WORKERS + 1)
        names = [[i, NAMES[i % 5], SURNAMES[i % 5], True] for i in people]
        roles = [[i, rol, True] for i in people for rol in ("Armador", "Soldador", "Metrologia", "Supervisor")]
        spools = [self._spool(tag) for tag in self.tags]
        joints = [self._joint(tag, n) for tag in sorted(self.by_joint) for n in range(1, self.joints_each + 1)]
        return [
            Tab("Operaciones", [_header(OPERACIONES, SELLO), *(_row(OPERACIONES, row) for row in spools)]),
            Tab("Uniones", [_header(UNIONES, SELLO), *(_row(UNIONES, row) for row in joints)]),
            Tab("Trabajadores", [_header(TRABAJADORES), *names]),
            Tab("Roles", [_header(ROLES), *roles]),
            Tab("Metadata", [_header(METADATA)]),
        ]

    def _spool(self, tag: str) -> dict[str, Any]:
        total = self.joints_each if tag in self.by_joint else ""
        return {"TAG_SPOOL": tag, "OT": "25238", "NV": "1335", "Fecha_Materiales": MATERIALES, "Total_Uniones": total}

    def _joint(self, tag: str, n_union: int) -> dict[str, Any]:
        return {"TAG_SPOOL": tag, "N_UNION": n_union, "DN_UNION": 2 + n_union % 4, "TIPO_UNION": "BW", "OT": "25238"}

    def close(self) -> None:
        self.taps.close()
        self.lane_ledger.close()
        self.database.close()


def _header(plan: SheetPlan, *extra: str) -> list[str]:
    return [*(column.name for column in plan.columns), *extra]


def _row(plan: SheetPlan, values: dict[str, Any]) -> list[Any]:
    return [values.get(column.name, "") for column in plan.columns]


def killed_before(_request: httpx.Request) -> None:
    raise Killed
