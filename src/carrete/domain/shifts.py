"""When the shop's shifts begin and end, as instants: also over midnight and over the change of hour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from carrete.domain.shop_time import from_wall, today, whole_second

# A shift of one day a week comes again within 7 days; twice that, because the change of hour may leave one out.
_DAYS_AHEAD_MAX = 15
_DAY = timedelta(days=1)
OFFER_WITHOUT_SHIFTS = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Shift:
    """Hours of the shop's wall clock. A shift whose end is not after its beginning ends on the next day."""

    name: str
    days: tuple[int, ...]  # on which it begins; ISO: Monday is 1
    begins: str  # 07:00
    ends: str


@dataclass(frozen=True, slots=True)
class ShiftOccurrence:
    """One shift on one day. The instant at which it ends is no longer part of it."""

    shift: Shift
    begins: datetime
    ends: datetime

    def includes(self, instant: datetime) -> bool:
        return self.begins <= instant < self.ends


def current_shift(shifts: Sequence[Shift], now: datetime, zone: ZoneInfo) -> ShiftOccurrence | None:
    """Where shifts overlap, the one that began last."""
    running = [occurrence for occurrence in _occurrences(shifts, now, zone, days=1) if occurrence.includes(now)]
    return max(running, key=lambda occurrence: occurrence.begins, default=None)


def shift_ends(shifts: Sequence[Shift], after: datetime, zone: ZoneInfo) -> Iterator[datetime]:
    """The ends after that instant, each once, in order, about two weeks of them."""
    ends = {occurrence.ends for occurrence in _occurrences(shifts, after, zone)}
    return iter(sorted(end for end in ends if end > after))


def next_end_after(shifts: Sequence[Shift], after: datetime, zone: ZoneInfo) -> datetime | None:
    """None: the shop has no shifts."""
    return next(shift_ends(shifts, after, zone), None)


def last_ended_by(shifts: Sequence[Shift], until: datetime, zone: ZoneInfo) -> ShiftOccurrence | None:
    """The one that ended last, at that instant or before. None: the shop has no shifts."""
    first = until - _DAY * _DAYS_AHEAD_MAX
    recent = _occurrences(shifts, first, zone, _DAYS_AHEAD_MAX + 1)
    return max(
        (occurrence for occurrence in recent if occurrence.ends <= until),
        key=lambda occurrence: (occurrence.ends, occurrence.begins),
        default=None,
    )


def next_shift(shifts: Sequence[Shift], after: datetime, zone: ZoneInfo) -> ShiftOccurrence | None:
    """The first that begins after that instant. None: the shop has no shifts."""
    coming = [occurrence for occurrence in _occurrences(shifts, after, zone) if occurrence.begins > after]
    return min(coming, key=lambda occurrence: occurrence.begins, default=None)


def offer_expires(shifts: Sequence[Shift], offered_at: datetime, zone: ZoneInfo) -> datetime:
    """An offer is good until the giver's next shift ends: the shift in which it was made, the next time that it comes.
    Made outside every shift, it is good until the end of the shift that begins next."""
    running = current_shift(shifts, offered_at, zone)
    coming = next_shift([running.shift] if running else shifts, offered_at, zone)
    return coming.ends if coming else whole_second(offered_at) + OFFER_WITHOUT_SHIFTS


def _occurrences(
    shifts: Sequence[Shift], around: datetime, zone: ZoneInfo, days: int = _DAYS_AHEAD_MAX
) -> Iterator[ShiftOccurrence]:
    """Those that begin from the day before that instant on, in no order: one of yesterday may still run."""
    first = today(around, zone) - _DAY
    for day in (first + _DAY * number for number in range(days + 1)):
        for shift in shifts:
            occurrence = _on(shift, day, zone)
            # The skipped hour may leave nothing of a short shift.
            if day.isoweekday() in shift.days and occurrence.begins < occurrence.ends:
                yield occurrence


def _on(shift: Shift, day: date, zone: ZoneInfo) -> ShiftOccurrence:
    last_day = day if shift.ends > shift.begins else day + _DAY
    return ShiftOccurrence(shift, _instant(day, shift.begins, zone), _instant(last_day, shift.ends, zone))


def _instant(day: date, hour: str, zone: ZoneInfo) -> datetime:
    return from_wall(datetime.combine(day, time.fromisoformat(hour)), zone)
