"""Which qualifications end soon, or ended: by their expiry, or because their process is not used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from carrete.domain.qualification import Qualification

WARNED_DAYS = 30  # ahead


class LapseReason(StrEnum):
    VENCIMIENTO = "vencimiento"
    CONTINUIDAD = "continuidad"


@dataclass(frozen=True, slots=True)
class EndingQualification:
    qualification: Qualification
    reason: LapseReason
    last_day: date  # on which it covers

    def days_left(self, today: date) -> int:
        """Negative once it has ended."""
        return (self.last_day - today).days


def ending(
    qualifications: Iterable[Qualification],
    uses: Mapping[tuple[int, str], Sequence[date]],
    workers: set[int],
    today: date,
) -> list[EndingQualification]:
    """Those that end within 30 days or have ended, longest overdue first. Withdrawn ones, those of people who left and
    those that a later one of the same welder and process replaces are left out."""
    lasting: dict[tuple[int, str], list[EndingQualification]] = {}
    for one in qualifications:
        if one.active and one.worker_id in workers:
            key = (one.worker_id, one.process)
            lasting.setdefault(key, []).append(_end(one, uses.get(key, ()), today))
    soon = today + timedelta(days=WARNED_DAYS)
    found = [end for ends in lasting.values() for end in ends if end.last_day <= soon and not _replaced(end, ends)]
    return sorted(found, key=lambda end: (end.last_day, end.qualification.worker_id, end.qualification.document))


def _replaced(end: EndingQualification, others: Sequence[EndingQualification]) -> bool:
    """A later qualification of the same scope lasts longer."""
    own = end.qualification
    return any(
        other.last_day > end.last_day and other.qualification.scope == own.scope and other.qualification.day > own.day
        for other in others
    )


def _end(one: Qualification, uses: Sequence[date], today: date) -> EndingQualification:
    lapses = one.lapses(uses, today)
    if one.expires is not None and one.expires <= lapses:
        return EndingQualification(one, LapseReason.VENCIMIENTO, one.expires)
    return EndingQualification(one, LapseReason.CONTINUIDAD, lapses)
