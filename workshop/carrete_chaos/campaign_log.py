"""The record of a campaign of many seeds: a file of JSON lines, one for each seed as it ends, so that a campaign that
was interrupted goes on where it was."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from traceback import format_exception
from typing import Any

from carrete_chaos.campaign import CampaignVerdict
from carrete_chaos.recovery import API, POSTGRES

VIOLATIONS_KEPT = 20  # of a seed
SeedKey = tuple[str, str, int]  # profile, database, seed
Runner = Callable[[str, int], CampaignVerdict]  # of a database and a seed


@dataclass(frozen=True, slots=True)
class SeedResult:
    """What became of one seed. `cause` is written by a person who looked into a red one."""

    profile: str
    db: str
    seed: int
    ended_at: str
    seconds: float
    actions: int = 0
    events: int = 0
    edits: int = 0
    answered: dict[str, int] = field(default_factory=dict)
    bit: dict[str, int] = field(default_factory=dict)
    weather: dict[str, int] = field(default_factory=dict)
    happened: dict[str, int] = field(default_factory=dict)
    violations: list[str] = field(default_factory=list)
    shortcomings: list[str] = field(default_factory=list)
    recovery: dict[str, str] = field(default_factory=dict)
    logs: str = ""  # the folder with them; where the campaign could not be run, the traceback
    cause: str = ""

    @property
    def key(self) -> SeedKey:
        return self.profile, self.db, self.seed

    @property
    def green(self) -> bool:
        return not self.violations and not self.shortcomings

    @property
    def unknown(self) -> int:
        return self.answered.get("ActionUnanswered", 0)

    @property
    def refused(self) -> int:
        return self.actions - self.answered.get("ActionDone", 0) - self.unknown


class CampaignLog:
    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> list[SeedResult]:
        """A line that was cut off, because the machine went down while it was written, is no result."""
        if not self._path.exists():
            return []
        return [result for line in self._path.read_text().splitlines() if (result := _parsed(line))]

    def add(self, result: SeedResult) -> None:
        """On the disk before the next seed begins. It begins a new line, also after one that was cut off."""
        content = self._path.read_bytes() if self._path.exists() else b""
        begin = "\n" if content and not content.endswith(b"\n") else ""
        with self._path.open("a") as file:
            file.write(begin + json.dumps(asdict(result), ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())


def run_missing(
    log: CampaignLog,
    profile: str,
    wanted: Iterable[tuple[str, int]],
    run: Runner,
    on_result: Callable[[SeedResult], None],
    again: bool = False,
) -> None:
    """Runs the seeds that have no result yet; with `again` also those whose latest result is red."""
    latest = {result.key: result for result in log.read()}
    for db, seed in wanted:
        known = latest.get((profile, db, seed))
        if known is None or (again and not known.green):
            result = _result(profile, db, seed, run)
            log.add(result)
            on_result(result)


def _result(profile: str, db: str, seed: int, run: Runner) -> SeedResult:
    began = monotonic()
    try:
        verdict = run(db, seed)
    except Exception as error:  # noqa: BLE001 - it is in the report, and the other seeds go on
        failed = [f"the campaign could not be run: {type(error).__name__}: {error}"]
        where = "".join(format_exception(error))
        return SeedResult(profile, db, seed, _now(), _since(began), shortcomings=failed, logs=where)
    found = [f"{violation.rule}: {violation.tag} {violation.sentence}" for violation in verdict.violations]
    back = {what: verdict.recovery.summary(what) for what in (API, POSTGRES)}
    return SeedResult(
        profile,
        db,
        seed,
        _now(),
        _since(began),
        verdict.actions,
        verdict.events,
        verdict.edits,
        dict(verdict.answered),
        {name: n for name, n in verdict.bit.items() if n},
        dict(verdict.weather),
        {name: n for name, n in verdict.identity.items() if n},
        found[:VIOLATIONS_KEPT],
        list(verdict.shortcomings),
        {**back, "Redis": verdict.recovery.summary_without_redis()},
        str(verdict.logs or ""),
    )


def _parsed(line: str) -> SeedResult | None:
    try:
        values: dict[str, Any] = json.loads(line)
        return SeedResult(**values)
    except (ValueError, TypeError):
        return None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _since(began: float) -> float:
    return round(monotonic() - began, 1)


def total(results: Sequence[SeedResult], of: Callable[[SeedResult], dict[str, int]]) -> Counter[str]:
    return sum((Counter(of(result)) for result in results), Counter())
