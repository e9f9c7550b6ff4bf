"""The demo shop's workbook for the Sheets emulator: the five tabs as `carrete export` writes them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from python_calamine import CalamineWorkbook

from carrete.demo.fill import fill
from carrete.domain.shop import Shop
from carrete.ledger import open_database
from carrete.ledger.migrate import migrate
from carrete.workbook import cells
from carrete.workbook.columns import PLANS, SheetPlan
from carrete.workbook.exporting import export_workbook
from sheets_emulator.locales import serial
from sheets_emulator.workbooks import Tab

TITLE = "Taller de demostración"
_DAY = {"type": "DATE", "pattern": "dd-mm-yyyy"}
_MOMENT = {"type": "DATE_TIME", "pattern": "dd-mm-yyyy hh:mm:ss"}
_FORMATS = {cells.day: _DAY, cells.date_time: _MOMENT, cells.date_time_or_text: _MOMENT}


def demo_tabs(shop: Shop, now: datetime) -> list[Tab]:
    """The tabs of the demo shop, exported through a ledger and a file that are removed afterwards."""
    with TemporaryDirectory(prefix="carrete-demo-") as folder:
        path = Path(folder) / "demo.xlsx"
        database = open_database(f"sqlite:///{Path(folder) / 'demo.db'}")
        try:
            migrate(database)
            fill(database, shop, now)
            export_workbook(database, path, shop, now)
        finally:
            database.close()
        return list(_tabs(path))


def _tabs(path: Path) -> Iterator[Tab]:
    with CalamineWorkbook.from_path(str(path)) as book:
        for plan in PLANS:
            rows = [[_scalar(value) for value in row] for row in book.get_sheet_by_name(plan.name).to_python()]
            yield Tab(plan.name, rows, _formats(plan))


def _formats(plan: SheetPlan) -> dict[int, dict[str, str]]:
    return {place: _FORMATS[column.read] for place, column in enumerate(plan.columns) if column.read in _FORMATS}


def _scalar(value: Any) -> Any:
    """A value as a sheet stores it: a date is a serial number, a whole number has no decimals."""
    if isinstance(value, datetime):
        return serial(value)
    if isinstance(value, date):
        return serial(datetime.combine(value, time()))
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
