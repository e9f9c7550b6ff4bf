"""The server's clock is compared with every other source of the time."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from carrete.doctor import clock
from carrete.findings import Finding, Severity
from carrete.settings import Settings

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(("ahead_s", "is_wrong"), [(-3600, False), (0, False), (10, False), (11, True), (90_061, True)])
def test_an_event_from_the_future_means_that_the_clock_is_wrong(ahead_s: int, is_wrong: bool) -> None:
    finding = clock.behind_newest_event(NOW + timedelta(seconds=ahead_s), NOW)
    assert (finding is not None) == is_wrong
    if finding:
        assert finding.severity is Severity.BAD
        assert clock.duration(ahead_s) in finding.what.en
        assert clock.duration(ahead_s) in finding.what.es
        assert "timedatectl" in finding.to_do.es


@pytest.mark.parametrize(
    ("there_s", "words"), [(0, "agrees"), (5, "agrees"), (-5, "agrees"), (3600, "1 h behind"), (-120, "2 min ahead of")]
)
def test_another_server_with_another_time_is_named(there_s: int, words: str) -> None:
    finding = clock.compared("PostgreSQL", lambda: datetime.now(UTC) + timedelta(seconds=there_s))
    assert words in finding.what.en
    assert finding.severity is (Severity.GOOD if words == "agrees" else Severity.BAD)


def test_the_way_to_the_other_server_is_not_taken_for_a_difference() -> None:
    """An answer that took 22 s gives the time of some moment in between: half of that is no proof of a difference."""
    begun = datetime.now(UTC)

    class SlowClock:
        def __init__(self) -> None:
            self.calls = iter((begun, begun + timedelta(seconds=22)))

        def now(self, zone: object) -> datetime:
            return next(self.calls)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(clock, "datetime", SlowClock())
        assert clock.compared("Redis", lambda: begun + timedelta(seconds=11)).severity is Severity.GOOD


def test_a_clock_that_stands_before_the_program_was_made_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small PC with an empty battery starts in the year 2000: new certificates would be good for nothing."""
    program = tmp_path / "__init__.py"
    program.touch()
    monkeypatch.setattr("carrete.__file__", str(program))
    assert found(tmp_path).severity is not Severity.BAD
    os.utime(program, (time.time() + 3 * 86_400,) * 2)
    assert found(tmp_path).severity is Severity.BAD
    assert "before this program was made" in found(tmp_path).what.en


@pytest.mark.parametrize(("kept", "severity"), [(True, Severity.GOOD), (None, Severity.GOOD), (False, Severity.NOTE)])
def test_a_clock_that_nobody_keeps_right_is_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: bool | None, severity: Severity
) -> None:
    monkeypatch.setattr(clock, "kept_right", lambda: kept)
    assert found(tmp_path).severity is severity


def test_the_kernel_can_be_asked_without_touching_the_clock() -> None:
    before = time.time()
    assert clock.kept_right() in (True, False, None)
    assert abs(time.time() - before) < 60


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (59.6, "1 min"), (3_700, "1 h 1 min"), (200_000, "2 d 7 h"), (86_401, "1 d 1 s")]
)
def test_a_duration_is_written_with_its_two_largest_units(seconds: float, text: str) -> None:
    assert clock.duration(seconds) == text


def found(data: Path) -> Finding:
    (finding,) = clock.this_machine(Settings(data=data))
    return finding
