"""How the copies stand: those in the folder, the last one that any machine made, the last failure."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from carrete.backups.folder import Backup, backups_in
from carrete.backups.retention import AHEAD_MAX
from carrete.backups.schedule import LATE_AFTER
from carrete.findings import Words
from carrete.ledger.database import Tx


@dataclass(frozen=True, slots=True)
class BackupFailure:
    words: Words
    at: datetime


@dataclass(frozen=True, slots=True)
class BackupRun:
    """What the ledger has stored: who makes a copy until when, when and where the last one was made, how the last try
    failed."""

    lease_until: str
    last: dict[str, Any]
    failure: BackupFailure | None
    ledger_made_at: datetime | None

    def is_running(self, now: datetime) -> bool:
        return bool(self.lease_until) and datetime.fromisoformat(self.lease_until) > now

    @property
    def made_elsewhere_at(self) -> datetime | None:
        """When another machine made the last one. Of our own machine the files count: one may have been deleted."""
        if not self.last or self.last.get("host") == socket.gethostname():
            return None
        return datetime.fromisoformat(self.last["made_at"])


@dataclass(frozen=True, slots=True)
class BackupStatus:
    folder: Path
    backups: list[Backup]
    run: BackupRun
    at: datetime

    @property
    def last_at(self) -> datetime | None:
        """The time of the newest copy. One from the future was named by a wrong clock and does not count."""
        found = [backup.made_at for backup in self.backups if backup.made_at <= self.at + AHEAD_MAX]
        if elsewhere := self.run.made_elsewhere_at:
            found.append(elsewhere)
        return max(found, default=None)

    @property
    def age_s(self) -> float | None:
        return None if self.last_at is None else max(0.0, (self.at - self.last_at).total_seconds())

    @property
    def unprotected_s(self) -> float:
        """For how long what people do is in no copy: the age of the last one, or of the ledger when there is none."""
        since = self.last_at or self.run.ledger_made_at or self.at
        return max(0.0, (self.at - since).total_seconds())

    @property
    def is_late(self) -> bool:
        return self.unprotected_s > LATE_AFTER.total_seconds()


def read_run(tx: Tx) -> BackupRun:
    until, last, failure = tx.one("backup_run") or ("", "", "")
    (made_at,) = tx.one("ledger_made_at") or (None,)
    return BackupRun(
        until,
        json.loads(last) if last else {},
        _failure(json.loads(failure)) if failure else None,
        datetime.fromisoformat(made_at) if made_at else None,
    )


def _failure(stored: dict[str, str]) -> BackupFailure:
    return BackupFailure(Words(stored["en"], stored["es"]), datetime.fromisoformat(stored["at"]))


def failure_text(words: Words, at: datetime) -> str:
    return json.dumps({"en": words.en, "es": words.es, "at": at.isoformat()}, ensure_ascii=False)


def last_text(made: dict[str, Any], folder: Path) -> str:
    host = {"host": socket.gethostname(), "folder": str(folder)}
    return json.dumps({**host, **{name: made[name] for name in ("file", "made_at", "bytes")}}, ensure_ascii=False)


def backup_status(folder: Path, run: BackupRun) -> BackupStatus:
    return BackupStatus(folder.resolve(), backups_in(folder), run, datetime.now(UTC))
