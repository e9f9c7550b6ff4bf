"""The table of rules: each has a planted bug of its own, which it catches, and none raises an alarm without a bug."""

from __future__ import annotations

from typing import Any

import pytest

from carrete_chaos.checker import check
from carrete_chaos.ndt_trail import NDT_EVENTS
from carrete_chaos.right_histories import RightShop
from carrete_chaos.rules import RULES
from tests.unit.chaos.planted_histories import PLANTED, Planted, history

SEEDS = range(5)
EVERY_ONE = [(rule, planted) for rule, bugs in PLANTED.items() for planted in bugs]
HISTORIES = {seed: history(seed) for seed in SEEDS}


def named(value: Any) -> str:
    return getattr(value, "__name__", str(value)).replace(" ", "-")


def test_every_rule_of_the_checker_has_a_planted_bug_of_its_own() -> None:
    assert PLANTED.keys() == RULES
    assert len(EVERY_ONE) >= 25


@pytest.mark.parametrize(("rule", "planted"), EVERY_ONE, ids=named)
def test_a_rule_catches_its_planted_bug(rule: str, planted: Planted) -> None:
    for seed, evidence in HISTORIES.items():
        found = {violation.rule for violation in check(planted(evidence))}
        assert rule in found, f"seed {seed}: {found}"


@pytest.mark.parametrize("seeds", [range(100), pytest.param(range(100, 500), marks=pytest.mark.long)], ids=str)
def test_right_histories_raise_no_alarm(seeds: range) -> None:
    for seed in seeds:
        assert check(RightShop(seed).run(60)) == [], f"seed {seed}"


def test_right_histories_have_everything_that_the_rules_are_about() -> None:
    kinds = {fact.tipo for evidence in HISTORIES.values() for fact in evidence.facts}
    assert kinds >= {"RELEVO", "NOTA", "SIGUE_TURNO", "REGISTRO_TARDIO", "EDICION_EXTERNA", "UNION_ARM_REGISTRADA"}
    assert kinds >= {*NDT_EVENTS, "UNION_SOLD_REGISTRADA", "METROLOGIA_APROBADO"}
    done_by = {call.accion for evidence in HISTORIES.values() for call in evidence.calls}
    assert done_by >= {"tomar", "finalizar", "cadena", "reclamar", "resolver", "relevo/retirar", "nota", "sigo"}
