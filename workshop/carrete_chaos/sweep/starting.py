"""A start of `carrete serve` that creates or migrates the schema: killed before it is ready."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from carrete.ledger import migrate, open_database
from carrete.ledger.statements import migrations
from carrete_chaos.sweep.acting import WELDING, fill
from carrete_chaos.sweep.http import get
from carrete_chaos.sweep.scenario import OnFile, ReferenceRun, ScenarioOutcome, TrialResult
from carrete_chaos.sweep.snapshot import Snapshot, difference
from carrete_chaos.sweep.traced_process import GONE_S_MAX, DidNotStart, TracedProcess
from carrete_chaos.sweep.tracer import Tracer

_TABLES = "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT IN ('schema_version')"


class FirstStart(OnFile):
    name = "first-start"
    what = "the first start, in an empty folder"

    def prepare(self) -> None:
        """Nothing to prepare: the folder stays empty."""

    def snapshot(self) -> Snapshot:
        return self.file.snapshot_of_copy() if self.file.path.exists() else Snapshot({})

    def run(self, tracer: Tracer) -> bool:
        server = self.carrete("serve", "--port", "0", held=True)
        tracer.attach(server.pid)
        server.go()
        ready = self._until_ready(server)
        if not ready:
            server.gone(GONE_S_MAX)
        server.end()
        if not ready and not server.was_killed:
            raise DidNotStart(server.output[-500:].strip())
        return server.was_killed

    def _until_ready(self, server: TracedProcess) -> bool:
        """The port is open first: a request to it waits for the rest of the start."""
        try:
            return get(server.listening(), "/api/health/ready").get("status") == "ready"
        except DidNotStart:
            return False

    def judge(self, reference: ReferenceRun) -> TrialResult:
        """The migration is one commit; values derived from settings are another."""
        left = self.snapshot()
        whole = self.outcome(left, reference)
        half = len(left.raw.get("schema_version", [])) not in (
            len(reference.before.raw.get("schema_version", [])),
            len(reference.after.raw["schema_version"]),
        )
        wrong = ["the ledger was left between two schemas"] if half else []
        server = self.carrete("serve", "--port", "0")
        if not self._until_ready(server):
            wrong.append(f"it does not start again: {server.output[-300:].strip()}")
        else:
            wrong += self._as_it_should_be(reference)
        return TrialResult(
            ScenarioOutcome.PART if whole.outcome is ScenarioOutcome.NEITHER else whole.outcome, tuple(wrong)
        )

    def _as_it_should_be(self, reference: ReferenceRun) -> list[str]:
        now = self.ledger.snapshot()
        found = self.ledger.damage()
        if not now.same_as(reference.after):
            found.append(f"after the next start: {difference(now, reference.after)}")
        return found


class Migration(FirstStart):
    name = "migration"
    what = "the start of a newer program on a ledger of the first schema"

    def prepare(self) -> None:
        """A shop at work, with its data in the first schema."""
        with tempfile.TemporaryDirectory(prefix="carrete-sweep-") as name:
            today = Path(name) / "today.db"
            fill(f"sqlite:///{today}", spools=30, done=WELDING)
            self._first_schema()
            with closing(sqlite3.connect(self.file.path)) as connection:
                connection.execute("ATTACH ? AS today", (str(today),))
                for (table,) in connection.execute(_TABLES).fetchall():
                    columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA main.table_info({table})"))
                    connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM today.{table}")
                connection.commit()

    def _first_schema(self) -> None:
        first = migrations()[:1]
        vars(migrate).update(migrations=lambda: first)
        database = open_database(self.ledger.url)
        try:
            migrate.migrate(database)
        finally:
            database.close()
            vars(migrate).update(migrations=migrations)
