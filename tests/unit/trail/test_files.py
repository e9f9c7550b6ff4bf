"""What people bring as witnesses may hold anything: it is used, refused or said, and stops nothing."""

from __future__ import annotations

import pytest

from carrete.domain.trail.files import seal_witnesses, utc_text


@pytest.mark.parametrize("text", ["", "x", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_what_is_no_instant_is_no_time(text: str) -> None:
    assert utc_text(text) == ""


@pytest.mark.parametrize("entry", [{"seq": 7, "hash": "zz"}, {"seq": 7}])
def test_a_seal_that_is_none_is_refused(entry: dict[str, object]) -> None:
    assert seal_witnesses([entry], "sello", []) == ([], [7])
