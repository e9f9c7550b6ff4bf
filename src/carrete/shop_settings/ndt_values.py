"""The shop's settings about examinations of welds: methods, defect codes, sampling rules with their seeds."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import Any

from carrete.domain.ndt.policy import NdtRule
from carrete.shop_settings.texts import text_value

METHODS_MAX = 20
METHOD_LENGTH_MAX = 12
DEFECTS_MAX = 40
DEFECT_LENGTH_MAX = 30
RULES_MAX = 20
RULE_TYPES_MAX = 20
OT_LENGTH_MAX = 100
ADDITIONAL_MAX = 5
SEED_BYTES = 12
RULES = "ndt_reglas"
_WORD = re.compile(r"[^\s,]+")


def methods(value: Any) -> tuple[str, ...]:
    found = _words(value, METHODS_MAX, METHOD_LENGTH_MAX, "métodos")
    if not found:
        raise ValueError("debe tener al menos un método, como RT.")
    return found


def defects(value: Any) -> tuple[str, ...]:
    return _words(value, DEFECTS_MAX, DEFECT_LENGTH_MAX, "códigos de defecto")


def _words(value: Any, count_max: int, length_max: int, what: str) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > count_max:
        raise ValueError(f"debe ser una lista de a lo más {count_max} {what}.")
    words = [text_value(each, length_max).upper() for each in value]
    if not all(map(_WORD.fullmatch, words)):
        raise ValueError("cada uno es una palabra, sin comas.")
    return tuple(dict.fromkeys(words))


def additional(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= ADDITIONAL_MAX:
        raise ValueError(f"un número entero de 0 (ninguno) a {ADDITIONAL_MAX}.")
    return value


def rules(value: Any) -> tuple[NdtRule, ...]:
    if not isinstance(value, list) or len(value) > RULES_MAX:
        raise ValueError(f"debe ser una lista de a lo más {RULES_MAX} reglas.")
    found = tuple(map(_rule, value))
    if len({rule.id for rule in found}) < len(found):
        raise ValueError("dos reglas tienen el mismo id.")
    return found


def _rule(value: Any) -> NdtRule:
    if not isinstance(value, dict) or not {"metodo", "porcentaje"} <= set(value) <= _RULE_FIELDS:
        raise ValueError("cada regla tiene metodo y porcentaje, y si se quiere ot y tipos.")
    method = text_value(value["metodo"], METHOD_LENGTH_MAX).upper()
    percent = value["porcentaje"]
    if not _WORD.fullmatch(method):
        raise ValueError("cada regla nombra un método, como RT.")
    if type(percent) is not int or not 1 <= percent <= 100:
        raise ValueError(f"{method}: el porcentaje es un número entero de 1 a 100.")
    types = _words(value.get("tipos") or [], RULE_TYPES_MAX, METHOD_LENGTH_MAX, "tipos de unión")
    ot = text_value(value.get("ot") or "", OT_LENGTH_MAX)
    return NdtRule(str(value.get("id") or ""), method, percent, str(value.get("semilla") or ""), ot, frozenset(types))


_RULE_FIELDS = {"id", "semilla", "metodo", "porcentaje", "ot", "tipos"}


def rules_json(found: tuple[NdtRule, ...]) -> list[dict[str, Any]]:
    return [
        {
            "id": rule.id,
            "semilla": rule.seed,
            "metodo": rule.method,
            "porcentaje": rule.percent,
            "ot": rule.ot,
            "tipos": sorted(rule.types),
        }
        for rule in found
    ]


def with_seeds(before: tuple[NdtRule, ...], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The changes with an id and a seed for each sampling rule. A rule that is known by its id keeps its seed, and so
    its counters; any other is new and gets a random one. No person chooses a seed."""
    if not isinstance(changes.get(RULES), list):
        return dict(changes)
    seeds = {rule.id: rule.seed for rule in before}
    seeded = [_seeded(each, seeds) if isinstance(each, dict) else each for each in changes[RULES]]
    return {**changes, RULES: seeded}


def _seeded(rule: dict[str, Any], seeds: Mapping[str, str]) -> dict[str, Any]:
    known = rule.get("id")
    if isinstance(known, str) and known in seeds:
        return {**rule, "semilla": seeds[known]}
    return {**rule, "id": secrets.token_hex(4), "semilla": secrets.token_hex(SEED_BYTES)}
