"""PINs: what is too easy to guess, and how they are kept and checked."""

from __future__ import annotations

import asyncio
import os
import sys
import threading

import pytest
from argon2 import extract_parameters
from argon2.exceptions import VerifyMismatchError

from carrete.identity import pins
from carrete.identity.pins import WAITING_MAX, PinHasher, is_obvious, is_pin, random_pin
from carrete.identity.refusals import TooManyAttempts

PEPPER = b"p" * 32


@pytest.mark.parametrize(
    "pin",
    [
        *("000000", "777777", "121212", "110110", "474747"),  # two digits
        *("123456", "654321", "012345", "789012", "321098", "246802", "135791"),  # runs
        *("000931", "199930", "512444"),  # three in a row
        *("293293", "293392", "113355"),  # halves, mirrored, pairs
        *("147258", "159753", "123654"),  # two lines of the pad
        *("198537", "371985", "202648"),  # years
        *("160585", "310799", "850516", "290203"),  # days of birth
    ],
)
def test_a_pin_that_a_colleague_would_try_is_obvious(pin: str) -> None:
    assert is_obvious(pin)


@pytest.mark.parametrize("pin", ["482915", "739264", "918273", "604937", "573802"])
def test_an_ordinary_pin_is_not_obvious(pin: str) -> None:
    assert not is_obvious(pin)


def test_most_pins_may_be_chosen() -> None:
    sample = [f"{n:06d}" for n in range(0, 1_000_000, 37)]
    assert sum(map(is_obvious, sample)) / len(sample) < 0.12


def test_a_random_pin_has_six_digits_and_is_never_obvious(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter([111111, 123456, 7, 482915])
    monkeypatch.setattr("carrete.identity.pins.secrets.randbelow", lambda _: next(drawn))
    assert random_pin() == "482915"
    monkeypatch.undo()
    given = {random_pin() for _ in range(200)}
    assert all(is_pin(pin) and not is_obvious(pin) for pin in given)
    assert len(given) > 190, "they are random"


@pytest.mark.parametrize("value", ["12345", "1234567", "12345a", "١٢٣٤٥٦", 482915, None, ""])
def test_anything_but_six_digits_is_no_pin(value: object) -> None:
    assert not is_pin(value)


@pytest.fixture(scope="module")
def hasher() -> PinHasher:
    return PinHasher(PEPPER)


def test_only_the_right_pin_is_right(hasher: PinHasher) -> None:
    stored = hasher.hash_blocking("482915")
    assert hasher.verify_blocking(stored, "482915")
    assert not hasher.verify_blocking(stored, "482916")
    assert "482915" not in stored


def test_the_same_pin_has_another_hash_each_time(hasher: PinHasher) -> None:
    assert hasher.hash_blocking("482915") != hasher.hash_blocking("482915")


def test_without_the_pepper_a_stolen_ledger_tells_no_pin(hasher: PinHasher) -> None:
    assert not PinHasher(b"q" * 32).verify_blocking(hasher.hash_blocking("482915"), "482915")


def test_the_hash_costs_what_it_should(hasher: PinHasher) -> None:
    found = extract_parameters(hasher.hash_blocking("482915"))
    assert (found.type.name, found.memory_cost, found.time_cost, found.parallelism) == ("ID", 19_456, 2, 1)


def test_without_a_pin_a_hash_is_computed_all_the_same(hasher: PinHasher, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []
    argon2, stored = hasher._argon2, hasher.hash_blocking("482915")
    monkeypatch.setattr(hasher, "_argon2", _Spy(argon2, checked))
    assert not hasher.verify_blocking(None, "482915")
    (dummy,) = checked
    assert extract_parameters(dummy) == extract_parameters(stored), "it takes as long"
    with pytest.raises(VerifyMismatchError):  # and not InvalidHashError, which takes no time
        argon2.verify(dummy, b"482915")


class _Spy:
    def __init__(self, argon2: object, checked: list[str]) -> None:
        self._argon2, self._checked = argon2, checked

    def verify(self, stored: str, secret: bytes) -> bool:
        self._checked.append(stored)
        return bool(self._argon2.verify(stored, secret))  # type: ignore[attr-defined]


def test_the_dummy_is_right_for_nobody(hasher: PinHasher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hasher, "_dummy", hasher.hash_blocking("482915"))
    assert not hasher.verify_blocking(None, "482915")


def test_a_damaged_hash_lets_nobody_in(hasher: PinHasher) -> None:
    assert not hasher.verify_blocking("not a hash", "482915")
    assert not hasher.verify_blocking("", "482915")


def test_hashing_runs_in_one_thread_that_lets_actions_go_first(hasher: PinHasher) -> None:
    async def where() -> list[tuple[int, int]]:
        def here() -> tuple[int, int]:
            return threading.get_native_id(), os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

        return list(await asyncio.gather(*(hasher._in_pool(here) for _ in range(4))))

    found = asyncio.run(where())
    assert len({thread for thread, _ in found}) == 1
    assert found[0][0] != threading.get_native_id()
    if sys.platform == "linux":
        assert {nice for _, nice in found} == {min(19, os.getpriority(os.PRIO_PROCESS, 0) + 10)}


def test_the_queue_has_an_end(hasher: PinHasher) -> None:
    with hasher.place():
        places = [hasher.place() for _ in range(WAITING_MAX - 1)]
        for place in places:
            place.__enter__()
        with pytest.raises(TooManyAttempts) as refused, hasher.place():
            pass
        assert refused.value.context["retry_after_s"] == pins.BUSY_RETRY_AFTER_S
        for place in places:
            place.__exit__(None, None, None)
    with hasher.place():
        pass
