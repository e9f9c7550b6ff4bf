"""The hash of an event is the one that docs/trail.md describes byte by byte, whatever its values are."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from carrete.domain.trail.canonical import _USUAL_MAX, FIELDS, GENESIS, _usual_fields, event_hash

USUAL: tuple[object, ...] = (
    *(7, "0b6f0a2e-5d5b-4f0e-8a63-0c8f5d0f2a11", "2026-11-19T12:00:00+00:00", "TOMAR_SPOOL", "MK-1", 93, "MR(93)"),
    *("ARM", "TOMAR", None, None, '{"via": {}}', "MR(93)", "MR(93) trabajando ARM", "0c8f5d0f", "v3.0"),
)
TEXT = st.text(max_size=12) | st.sampled_from(["x" * 999, "x" * 1_000, "ñ" * 999, "METROLOGIA_APROBADO ✓", "", ","])
VALUE = st.none() | st.integers() | TEXT


def described(previous: str, values: tuple[object, ...]) -> str:
    """Written from the document, with bytes alone."""
    hashed = hashlib.sha256(b"carrete-event-1\n" + previous.encode() + b"\n")
    for value in values:
        text = str(value).encode()
        hashed.update(b"-," if value is None else b"%d:%b," % (len(text), text))
    return hashed.hexdigest()


@given(st.tuples(*[VALUE] * len(FIELDS)))
@example(USUAL)
def test_it_is_the_described_one_for_any_values(values: tuple[object, ...]) -> None:
    assert event_hash(GENESIS, values) == described(GENESIS, values)


@pytest.mark.parametrize("at", range(len(FIELDS)))
@given(value=VALUE)
def test_it_is_the_described_one_when_one_field_is_unusual(at: int, value: object) -> None:
    values = (*USUAL[:at], value, *USUAL[at + 1 :])
    assert event_hash(GENESIS, values) == described(GENESIS, values)


def test_what_is_remembered_of_usual_texts_has_an_end() -> None:
    for n in range(3_000):
        values = (*USUAL[:2], f"{n}", *USUAL[3:])
        assert event_hash(GENESIS, values) == described(GENESIS, values)
        assert len(_usual_fields) <= _USUAL_MAX
    event_hash(GENESIS, (*USUAL[:2], "x" * 500, *USUAL[3:]))
    assert "x" * 500 not in _usual_fields
