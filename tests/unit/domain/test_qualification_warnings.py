"""Which qualifications end soon: by their expiry, or because their process is not used."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from carrete.domain.qualification import Qualification, WeldScope
from carrete.domain.qualification_warnings import LapseReason, ending

TODAY = date(2026, 11, 16)
FRESH = Qualification(93, "GTAW", "Q-1", WeldScope(), date(2026, 11, 1))


def found(*qualifications: Qualification, uses: list[date] | None = None) -> list[tuple[str, LapseReason, int]]:
    ends = ending(qualifications, {(93, "GTAW"): uses or []}, {93}, TODAY)
    return [(end.qualification.document, end.reason, end.days_left(TODAY)) for end in ends]


def test_what_lasts_longer_than_thirty_days_is_no_warning() -> None:
    assert found(FRESH, replace(FRESH, document="Q-2", expires=date(2026, 12, 17))) == []


def test_expiry_and_lack_of_use_are_warned_of_thirty_days_ahead_longest_overdue_first() -> None:
    expires = replace(FRESH, document="Q-2", expires=date(2026, 12, 16))
    unused = replace(FRESH, document="Q-3", day=date(2026, 1, 10), scope=WeldScope(positions=("6G",)))
    assert found(expires, unused) == [("Q-3", LapseReason.CONTINUIDAD, -129), ("Q-2", LapseReason.VENCIMIENTO, 30)]


def test_a_recorded_weld_puts_the_warning_off() -> None:
    assert found(replace(FRESH, day=date(2026, 6, 1)), uses=[date(2026, 11, 10)]) == []


def test_a_weld_whose_day_a_person_typed_into_the_future_puts_nothing_off() -> None:
    ends = replace(FRESH, day=date(2026, 6, 1))
    assert found(ends, uses=[date(2026, 11, 20)]) == [("Q-1", LapseReason.CONTINUIDAD, 15)]


def test_withdrawn_ones_and_those_that_a_later_one_replaces_are_left_out() -> None:
    old = replace(FRESH, document="Q-0", day=date(2025, 1, 1))
    assert found(replace(old, active=False)) == []
    assert found(old, FRESH) == []
