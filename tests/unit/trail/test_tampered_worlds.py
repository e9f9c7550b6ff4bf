"""Random tampering in small worlds: nothing false is ever said, and what a witness covers is found at its place.

`python -m tests.support.tampering_truth 100000` tries many more."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from carrete.domain.trail.sentences import report_sentences
from tests.support.tampered_worlds import NOW, World, a_world
from tests.support.tampering_truth import wrong_in

WORLDS, WORLDS_OF_BOTH = 2_000, 300
CHECKER = Path(__file__).parents[3] / "docs" / "verify.py"


def test_nothing_false_is_said_and_whatever_a_witness_covers_is_found_at_its_place() -> None:
    for seed in range(WORLDS):
        world = a_world(seed)
        assert wrong_in(world) == [], (seed, world.deeds)


@pytest.fixture(scope="module")
def checker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verify_of_tampered_worlds", CHECKER)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_auditors_file_says_the_same(checker: ModuleType) -> None:
    for seed in range(WORLDS_OF_BOTH):
        world = a_world(seed)
        ours = [sentence.en for sentence in report_sentences(*world.examined())]
        assert said_by(checker, world) == ours, (seed, world.deeds)


def said_by(checker: ModuleType, world: World) -> list[str]:
    witnesses = [checker.Witness(*w) for w in (*world.witnesses, *world.later)]
    report = checker.examine(lambda: world.now, checker.ChainHead(*world.head), witnesses, now=NOW)
    found = []
    if world.copy is not None:
        found = checker.compare_with_copy(world.now, world.copy, "respaldo", world.copied_at, report.written_at)
    return [sentence.en for sentence in checker.report_sentences(report, found)]
