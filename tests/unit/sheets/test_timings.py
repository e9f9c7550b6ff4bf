"""Timings of the sheet lane: a campaign runs with shorter ones, and their order stays."""

from __future__ import annotations

from dataclasses import asdict

from carrete.sheets.timings import DEFAULT_TIMINGS
from carrete_chaos.hurried import hurried_timings


def test_every_timing_shrinks_by_the_same_factor() -> None:
    usual, tenth = asdict(DEFAULT_TIMINGS), asdict(DEFAULT_TIMINGS.scaled(0.1))
    assert tenth == {name: seconds * 0.1 for name, seconds in usual.items()}


def test_in_a_campaign_google_gets_a_quarter_of_that_to_answer() -> None:
    tenth, hurried = DEFAULT_TIMINGS.scaled(0.1), hurried_timings(0.1)
    assert (hurried.read_timeout_s, hurried.write_timeout_s) == (tenth.read_timeout_s / 4, tenth.write_timeout_s / 4)
    assert (hurried.lease_s, hurried.look_s) == (tenth.lease_s, tenth.look_s)
