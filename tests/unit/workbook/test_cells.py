"""The normal form of a cell, for every way in which people and programs write it."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carrete.workbook import cells
from carrete.workbook.cells import Raw, Reader, Unreadable

SANTIAGO = ZoneInfo("America/Santiago")
THIRD = datetime.fromisoformat("2026-11-03")


@pytest.mark.parametrize(
    "written",
    [
        "03-11-2026",
        "3/11/2026",
        "03/11/2026 00:00",
        "03-11-2026 15:45:10",
        "2026-11-03",
        "2026-11-03T10:00:00-03:00",
        "2026-11-04T01:30:00Z",  # still the third in Santiago
        " 03-11-2026 ",
        46329.0,
        46329,
        46329.99999,
        "46329",
        "46329.5",
        "46329,5",
        date(2026, 11, 3),
        THIRD,
    ],
)
def test_a_date_is_understood_in_each_of_its_forms(written: Raw) -> None:
    assert cells.day(written, SANTIAGO) == "2026-11-03"


@pytest.mark.parametrize(
    "written",
    [
        "03-11-2026 10:20:30",
        "03/11/2026 10:20:30",
        "2026-11-03 10:20:30",
        "2026-11-03T10:20:30.2",
        "2026-11-03T13:20:30+00:00",
        46329 + (10 * 3600 + 20 * 60 + 30) / 86400,
        datetime.fromisoformat("2026-11-03T10:20:29.999800"),
    ],
)
def test_a_time_is_the_wall_clock_to_the_second(written: Raw) -> None:
    assert cells.date_time(written, SANTIAGO) == "2026-11-03T10:20:30"


def test_the_hour_that_happens_twice_is_one_wall_clock_time() -> None:
    before = cells.date_time("2026-04-04T23:30:00-03:00", SANTIAGO)
    after = cells.date_time("2026-04-04T23:30:00-04:00", SANTIAGO)
    assert before == after == cells.date_time("04-04-2026 23:30:00", SANTIAGO)


@pytest.mark.parametrize(
    "written",
    [
        "ayer",
        "31-02-2026",
        "03-11-26",
        "2026",
        0.5,
        -1.0,
        1e9,
        True,
        time(10),
        "01-01-1900",
        "18263",
        "109572",
        "999999",
    ],
)
def test_what_is_no_date_is_reported_as_such(written: Raw) -> None:
    with pytest.raises(Unreadable):
        cells.day(written, SANTIAGO)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (12345.0, "12345"),
        ("12345", "12345"),
        (" OT-7 ", "OT-7"),
        ("\u00a0OT-7\u00a0", "OT-7"),
        ("Metrologi\u0301a", "Metrología"),
        ("00123", "00123"),
        ("=1+1", "=1+1"),
        (1.5, "1.5"),
        (True, "TRUE"),
        (date(2026, 2, 1), "01-02-2026"),
        ("a\r\nb", "a\nb"),
        (None, ""),
        ("   ", ""),
    ],
)
def test_text_is_what_a_person_reads_in_the_cell(written: Raw, read: str) -> None:
    assert cells.text(written, SANTIAGO) == read


@pytest.mark.parametrize("written", ["a\x00b", "a\ud800b", "a\uffff", "x" * 1001])
def test_text_that_no_ledger_can_keep_is_refused(written: str) -> None:
    with pytest.raises(Unreadable):
        cells.text(written, SANTIAGO)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("1,5", "1.5"),
        ("1.50", "1.5"),
        (1.5, "1.5"),
        (10.0, "10"),
        (0.1 + 0.2, "0.3"),
        ('2"', "2"),
        ("-0", "0"),
        ("", ""),
        ("por definir", "por definir"),
        ("1 1/2", "1 1/2"),
    ],
)
def test_numbers_may_have_a_comma_and_what_is_none_stays_as_written(written: Raw, read: str) -> None:
    assert cells.number(written, SANTIAGO) == read


@pytest.mark.parametrize("written", ["uno", 1.5, 0.0, -3.0, "1234567890", "²"])
def test_a_joint_number_counts_from_one(written: Raw) -> None:
    with pytest.raises(Unreadable):
        cells.whole_number(written, SANTIAGO)


@pytest.mark.parametrize("written", [True, "TRUE", "verdadero", "Sí", "SI", 1.0, "x", "X"])
def test_yes_in_each_of_its_forms(written: Raw) -> None:
    assert cells.yes_or_no(written, SANTIAGO) == "1"


@pytest.mark.parametrize("written", [False, "FALSO", "no", 0.0, "Inactivo"])
def test_no_in_each_of_its_forms(written: Raw) -> None:
    assert cells.yes_or_no(written, SANTIAGO) == "0"


@pytest.mark.parametrize(
    ("written", "read"), [("DISPONIBLE", ""), ("disponible ", ""), ("mr (93)", "MR(93)"), ("Pedro", "Pedro")]
)
def test_a_holder_is_a_label_and_disponible_is_nobody(written: Raw, read: str) -> None:
    assert cells.holder(written, SANTIAGO) == read


def test_a_tag_may_be_a_number_an_emoji_or_right_to_left() -> None:
    assert cells.tag(12345.0, SANTIAGO) == "12345"
    assert cells.tag("👩\u200d🔧-1", SANTIAGO) == "👩\u200d🔧-1"
    assert cells.tag("\u202eאבג\u202c", SANTIAGO) == "\u202eאבג\u202c"


READERS: list[Reader] = [
    cells.text,
    cells.day,
    cells.date_time,
    cells.date_time_or_text,
    cells.number,
    cells.yes_or_no,
    cells.holder,
]
ANYTHING = st.one_of(
    st.none(), st.text(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.dates(), st.datetimes(),
    st.times(), st.timedeltas(min_value=timedelta(), max_value=timedelta(days=9)),
)  # fmt: skip


@given(st.sampled_from(READERS), ANYTHING)
def test_a_value_that_was_read_is_read_as_itself(read: Reader, written: Raw) -> None:
    try:
        value = read(written, SANTIAGO)
    except Unreadable:
        return
    assert read(value, SANTIAGO) == value
