"""A few seeds of `carrete chaos sheets`; the command runs hundreds."""

from __future__ import annotations

import pytest

from carrete_chaos.sheets.campaign import SeedProfile, run


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_happens_every_promise_holds_at_rest(seed: int) -> None:
    tally = run(seed, SeedProfile(spools=24, steps=80))
    assert tally.wrong == ()
    assert tally.events > 300
    assert tally.faults > 5


@pytest.mark.parametrize("seed", [3, 4])
def test_nothing_of_peoples_own_is_lost_while_columns_and_rows_move_in_the_window(seed: int) -> None:
    tally = run(seed, SeedProfile(spools=15, joints_each=3, steps=120, taps_per_step=8, restructured=0.8, unsaved=0.0))
    assert tally.wrong == ()
    assert tally.astray > 20
