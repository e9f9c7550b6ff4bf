"""Commands of the server's administrator: a setting, a device revoked, a copy of the ledger."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import ClassVar

from carrete_chaos.office import Office
from carrete_chaos.sweep.acting import TAKEN, fill
from carrete_chaos.sweep.scenario import OnFile, ReferenceRun, ScenarioOutcome, TrialResult, ran
from carrete_chaos.sweep.snapshot import Snapshot, difference
from carrete_chaos.sweep.tracer import Tracer

COPY = "copia.db"
DEVICE = "Tableta"
BEGAN, ENDS = "2026-01-01T00:00:00Z", "2099-01-01T00:00:00Z"


class AdminCommand(OnFile):
    """The command may be run again: then the ledger is as after a run without a kill."""

    tables: ClassVar[dict[str, str]]

    def prepare(self) -> None:
        fill(self.file.url, spools=3, done=TAKEN)

    def arguments(self) -> tuple[str, ...]:
        raise NotImplementedError

    def again(self) -> tuple[str, ...]:
        return self.arguments()

    def snapshot(self) -> Snapshot:
        return Snapshot({name: self.file.ask_at_rest(sql) for name, sql in self.tables.items()})

    def run(self, tracer: Tracer) -> bool:
        command = self.carrete(*self.arguments(), held=True)
        tracer.attach(command.pid)
        command.go()
        wrong = ran(command)
        if wrong and not command.was_killed:
            raise AssertionError(wrong)
        return command.was_killed

    def judge(self, reference: ReferenceRun) -> TrialResult:
        found = self.outcome(self.snapshot(), reference)
        wrong = [*found.wrong, *self._left(), *ran(self.carrete(*self.again())), *self.ledger.damage()]
        if not (now := self.snapshot()).same_as(reference.after):
            wrong.append(f"after the command again: {difference(now, reference.after)}")
        return TrialResult(found.outcome, (*wrong, *self._left()))

    def _left(self) -> Iterator[str]:
        """A sentence for each thing that the command must not leave behind, killed or not."""
        yield from ()


class ChangeSetting(AdminCommand):
    """The value and the record of its change."""

    name = "setting"
    what = "carrete setting set"
    tables: ClassVar[dict[str, str]] = {
        "settings": "SELECT version, value FROM shop_settings",
        "changes": "SELECT name, before, after FROM shop_setting_change ORDER BY seq",
    }

    def arguments(self) -> tuple[str, ...]:
        return "setting", "set", "ndt_adicionales", "2"


class RevokeDevice(AdminCommand):
    """The device, its session and the record of accesses."""

    name = "revocation"
    what = "carrete device revoke"
    tables: ClassVar[dict[str, str]] = {
        "device": "SELECT name, revoked_at IS NOT NULL FROM device",
        "session": "SELECT worker_id, ended_at IS NOT NULL, ended_why FROM session",
        "access": "SELECT DISTINCT kind, worker_id, by_id FROM access_event",
    }

    def prepare(self) -> None:
        super().prepare()
        (device,) = Office(self.file.url, self.folder).devices([DEVICE])
        self.file.change(
            "INSERT INTO session (id, secret_hash, device_id, worker_id, proof, began_at, ends_at, used_at) VALUES "
            f"('s-1', 'x', '{device.id}', 1, 'pin', '{BEGAN}', '{ENDS}', '{BEGAN}')"
        )

    def arguments(self) -> tuple[str, ...]:
        ((device_id,),) = self.file.ask_at_rest("SELECT id FROM device")
        return "device", "revoke", str(device_id)


class MakeCopy(AdminCommand):
    """A copy is there whole or not at all, and the ledger is as it was."""

    name = "backup"
    what = "carrete backup"
    tables: ClassVar[dict[str, str]] = {
        "event": "SELECT seq, id FROM event ORDER BY seq",
        "spool": "SELECT tag, version FROM spool ORDER BY tag",
    }

    def arguments(self) -> tuple[str, ...]:
        return "backup", str(self.folder / COPY)

    def again(self) -> tuple[str, ...]:
        """A copy never replaces another."""
        return "backup", str(self.folder / f"otra-{COPY}")

    def outcome(self, found: Snapshot, reference: ReferenceRun) -> TrialResult:
        wrong = () if found.same_as(reference.before) else (f"the ledger: {difference(found, reference.before)}",)
        there = (self.folder / COPY).exists()
        return TrialResult(ScenarioOutcome.HAPPENED if there else ScenarioOutcome.NOTHING, wrong)

    def _left(self) -> Iterator[str]:
        copy = self.folder / COPY
        if not copy.exists():
            return
        with closing(sqlite3.connect(f"{copy.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            if (message := connection.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
                yield f"the copy: {message}"
            for name, sql in self.tables.items():
                if connection.execute(sql).fetchall() != self.file.ask_at_rest(sql):
                    yield f"the copy has another {name}"
