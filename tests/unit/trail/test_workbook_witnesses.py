"""A workbook as a witness of the trail: whatever somebody wrote into its cells, the rest of it counts."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import xlsxwriter

from carrete.verification.sources import Witnesses, add_workbooks

SANTIAGO = ZoneInfo("America/Santiago")
HEADERS = ("ID", "Timestamp", "Evento_Tipo", "TAG_SPOOL", "Worker_Nombre", "Hash")


def workbook(path: Path, *timestamps: object) -> Path:
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("Metadata")
        sheet.write_row(0, 0, HEADERS)
        for seq, timestamp in enumerate(timestamps, 1):
            sheet.write_row(seq, 0, (f"id-{seq}", timestamp, "TOMAR_SPOOL", "MK-1", "MR(93)", f"{seq}.{'a' * 64}"))
    return path


def found_in(path: Path) -> Witnesses:
    witnesses = Witnesses()
    add_workbooks(witnesses, [path], [], SANTIAGO)
    return witnesses


def test_a_row_tells_when_its_event_was_written_in_the_zone_of_the_shop(tmp_path: Path) -> None:
    (witness,) = found_in(workbook(tmp_path / "book.xlsx", "17-11-2026 10:30:00")).found
    assert datetime.fromisoformat(witness.made_at) == datetime(2026, 11, 17, 10, 30, tzinfo=SANTIAGO)
    assert (witness.event_id, witness.event) == ("id-1", "TOMAR_SPOOL MK-1 MR(93)")


@pytest.mark.parametrize(
    "odd",
    ["2026-01-01T00:00:00+99:99", "9999-12-31T23:59:59-14:00", 2958465.999999, "ayer", -1, 1e300, True, "0001-01-01"],
)
def test_a_time_that_is_none_does_not_hide_the_other_rows(tmp_path: Path, odd: object) -> None:
    witnesses = found_in(workbook(tmp_path / "book.xlsx", odd, "17-11-2026 10:30:00"))
    assert [each.seq for each in witnesses.found] == [1, 2]
    assert witnesses.found[1].made_at


def test_two_workbooks_of_one_name_are_two_witnesses(tmp_path: Path) -> None:
    for folder in ("lunes", "martes"):
        (tmp_path / folder).mkdir()
    paths = [workbook(tmp_path / folder / "book.xlsx", "17-11-2026 10:30:00") for folder in ("lunes", "martes")]
    witnesses = Witnesses()
    add_workbooks(witnesses, paths, [], SANTIAGO)
    assert [each.source for each in witnesses.found] == [f"{path}, Metadata" for path in paths]
