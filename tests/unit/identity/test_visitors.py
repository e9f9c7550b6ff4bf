"""The memory about visitors is bounded: it never holds everybody who ever signed in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from carrete.api.server.visitors import KEPT_MAX, LOOKED_THROUGH_FROM, ValuesWhileValid
from carrete.identity.lookups import Lookups, Validity
from carrete.ledger.database import Tx


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


async def _never(_: Callable[[Tx], Any]) -> Any:
    raise AssertionError("nothing is read here")


def _kept() -> tuple[Clock, Lookups, ValuesWhileValid[str, int]]:
    clock = Clock()
    lookups = Lookups(_never, clock)
    return clock, lookups, ValuesWhileValid(lookups)


def test_people_who_left_are_not_kept_until_there_are_thousands_of_them() -> None:
    clock, _, kept = _kept()
    for number in range(KEPT_MAX - 1):
        kept.put(f"cookie {number}", number, Validity((), 0, clock.now + 1))
        clock.now += 0.5
    assert len(kept) <= LOOKED_THROUGH_FROM


def test_those_who_are_here_stay_and_are_bounded() -> None:
    clock, lookups, kept = _kept()
    for number in range(1_000):
        kept.put(f"cookie {number}", number, Validity((), 0, clock.now + 1))
    assert [kept.get(f"cookie {number}") for number in (0, 999)] == [0, 999]
    for number in range(1_000, 3 * KEPT_MAX):
        kept.put(f"cookie {number}", number, Validity((), 0, clock.now + 1))
        assert len(kept) <= KEPT_MAX
    lookups.drop()
    kept.put("the next one", 1, Validity((), 1, clock.now + 1))
    assert kept.get("cookie 12000") is None
