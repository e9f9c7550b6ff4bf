"""How long spools wait for each operation and are worked on, how old the work in progress is, and where it piles up.

Working: somebody holds the spool for that operation. Waiting: the operation could be begun or taken up, and nobody has
the spool. Each wait and each session of work counts once, in the period in which it ended (docs/stage-times.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import NamedTuple

from carrete.domain.spool import Operacion
from carrete.domain.stage import parts

NOT_BEGUN = f"espera:{Operacion.ARM}"
AGES_DAYS = (1, 3, 7, 14, 30, None)  # the upper ends of the groups of ages; None: older
_DAY_S = 86_400
_HOUR_S = 3_600


class EndedStages(NamedTuple):
    """Stages that ended after nearly the same time: how many, and how long they lasted together."""

    stage: str
    times: int
    total_s: int


class StageNow(NamedTuple):
    """Spools that are in a stage since the same instant."""

    stage: str
    since: datetime
    spools: int


@dataclass(slots=True)
class Lengths:
    """Lengths of time, some of them in groups of nearly equal ones."""

    groups: list[tuple[float, int]] = field(default_factory=list)  # seconds each, how many

    def add(self, each_s: float, times: int) -> None:
        self.groups.append((each_s, times))

    @property
    def times(self) -> int:
        return sum(times for _, times in self.groups)

    @property
    def total_s(self) -> float:
        return sum(each_s * times for each_s, times in self.groups)

    @property
    def total_hours(self) -> float:
        return round(self.total_s / _HOUR_S, 1)

    @property
    def median_hours(self) -> float | None:
        """The lower of the two in the middle, where there are two; None where there is nothing."""
        before, middle = 0, (self.times + 1) // 2
        for each_s, times in sorted(self.groups):
            before += times
            if before >= middle:
                return round(each_s / _HOUR_S, 2)
        return None


@dataclass(slots=True)
class StageTimes:
    """Of one operation: waits and sessions that ended in the period; what waits and is worked on now."""

    waits: Lengths = field(default_factory=Lengths)
    sessions: Lengths = field(default_factory=Lengths)
    waiting_now: Lengths = field(default_factory=Lengths)
    in_work_now: int = 0


class Bottleneck(NamedTuple):
    operacion: Operacion
    waiting: int
    median_hours: float


def stage_times(ended: Iterable[EndedStages], now_in: Iterable[StageNow], now: datetime) -> dict[Operacion, StageTimes]:
    found = {operacion: StageTimes() for operacion in Operacion}
    for stage, times, total_s in ended:
        working, waiting, _ = parts(stage)
        if working is not None:
            found[working].sessions.add(total_s / times, times)
        for operacion in waiting:
            found[operacion].waits.add(total_s / times, times)
    for stage, since, spools in now_in:
        working, waiting, _ = parts(stage)
        if working is not None:
            found[working].in_work_now += spools
        for operacion in waiting:
            found[operacion].waiting_now.add(_age_s(since, now), spools)
    return found


def bottleneck(now_in: Iterable[StageNow], now: datetime) -> Bottleneck | None:
    """The operation for which begun spools wait longest, all their waiting added up. What waits for its first ARM does
    not count: that is the work to come. None where nothing waits."""
    waiting = {operacion: Lengths() for operacion in Operacion}
    for stage, since, spools in now_in:
        for operacion in parts(stage).waiting if stage != NOT_BEGUN else ():
            waiting[operacion].add(_age_s(since, now), spools)
    operacion, worst = max(waiting.items(), key=lambda item: (item[1].total_s, item[1].times))
    median = worst.median_hours
    return Bottleneck(operacion, worst.times, median) if median is not None else None


def by_age(begun: Iterable[tuple[datetime, int]], now: datetime) -> list[int]:
    """How many spools are in each group of AGES_DAYS, by when somebody first worked on them."""
    found = [0] * len(AGES_DAYS)
    for since, spools in begun:
        days = _age_s(since, now) / _DAY_S
        found[next(n for n, end in enumerate(AGES_DAYS) if end is None or days < end)] += spools
    return found


def by_week(approved: Mapping[str, int], desde: date, hasta: date) -> Sequence[tuple[date, int]]:
    """Approved spools by week, which begins on Monday; every week of the period, also those with none."""
    first, last = _monday(desde), _monday(hasta)
    weeks = {first + timedelta(weeks=n): 0 for n in range((last - first).days // 7 + 1)}
    for day, spools in approved.items():
        weeks[_monday(date.fromisoformat(day))] += spools
    return list(weeks.items())


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _age_s(since: datetime, now: datetime) -> float:
    return max(0.0, (now - since).total_seconds())
