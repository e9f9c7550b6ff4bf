"""The campaign itself, in its short profile; and with a bug planted, it is caught."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from carrete.chaos.campaign import Profile, Verdict, run
from carrete.chaos.command import campaign
from carrete.chaos.proxy import Climate
from carrete.chaos.stage import Stage
from tests.chaos.planted import BUGS

PLANTED = Path(__file__).with_name("planted.py")
HASTE = Profile(
    seconds=1.5,
    tablets=12,
    spools=4,
    fault_every_s=(0.3, 0.6),
    actions_min=1,
    faults=frozenset({"FLUSHALL"}),
    climate=Climate(request_lost=3, answer_lost=6, delayed=4, twice=12),
    rest_s_max=4.0,
)


@pytest.mark.parametrize("db", ["sqlite", "postgres"])
def test_nothing_breaks_in_the_short_profile(db: str) -> None:
    verdict = campaign("S", seed=7, db=db)
    assert not verdict.violations, [*verdict.violations[:5], *verdict.history[:40]]
    assert not verdict.shortcomings


def with_bug(bug: str, folder: Path, seed: int) -> Verdict:
    stage = Stage(folder, f"sqlite:///{folder / 'carrete.db'}", (sys.executable, str(PLANTED), bug))
    try:
        return asyncio.run(run(stage, HASTE, seed, "sqlite"))
    finally:
        stage.stop()


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_caught(bug: str, tmp_path: Path) -> None:
    """A bug that shows only now and then gets three chances."""
    for seed in (1, 2, 3):
        folder = tmp_path / str(seed)
        folder.mkdir()
        if with_bug(bug, folder, seed).violations:
            return
    pytest.fail(f"{bug} was not caught")


def test_a_run_that_did_too_little_is_red(tmp_path: Path) -> None:
    stage = Stage(tmp_path, f"sqlite:///{tmp_path / 'carrete.db'}")
    try:
        lazy = replace(HASTE, seconds=0.2, actions_min=1_000_000)
        verdict = asyncio.run(run(stage, lazy, 1, "sqlite"))
    finally:
        stage.stop()
    assert not verdict.violations
    assert not verdict.green
