"""The disk's room, on every disk that Carrete writes to."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from carrete.doctor import machine
from carrete.findings import Severity
from carrete.settings import Settings


def disk_with(monkeypatch: pytest.MonkeyPatch, megabytes: int) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=megabytes * machine.MEGABYTE))


@pytest.mark.parametrize(
    ("megabytes", "severity"),
    [(150, Severity.BAD), (800, Severity.NOTE), (1024, Severity.GOOD), (50_000, Severity.GOOD)],
)
def test_a_disk_is_reported_as_full_before_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, megabytes: int, severity: Severity
) -> None:
    disk_with(monkeypatch, megabytes)
    (finding,) = machine.data_folder(Settings(data=tmp_path))
    assert finding.severity is severity
    assert f"{megabytes} MB libres" in finding.what.es
    assert bool(finding.to_do.es) == (severity is not Severity.GOOD)


def test_a_large_ledger_needs_room_for_its_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "carrete.db").open("wb") as ledger:
        ledger.truncate(2_000 * machine.MEGABYTE)  # a sparse file: it takes no room itself
    disk_with(monkeypatch, 5_000)
    (finding,) = machine.data_folder(Settings(data=tmp_path))
    assert finding.severity is Severity.NOTE


def test_the_same_disk_is_not_looked_at_twice(tmp_path: Path) -> None:
    assert list(machine.other_disks(Settings(data=tmp_path))) == []
    assert list(machine.other_disks(Settings(data=tmp_path, database_url=f"sqlite:///{tmp_path}/x/carrete.db"))) == []
