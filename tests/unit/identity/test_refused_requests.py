"""Refused taps are noted within bounds: anybody who reaches the server can send one."""

from __future__ import annotations

from carrete.domain.authorship import Proof, Via
from carrete.identity.access_events import DETAIL_CHARS_MAX
from carrete.identity.author import Author
from carrete.identity.refused_requests import TAPS_PER_MINUTE_MAX, RefusedRequests


class Minutes:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def note(refused: RefusedRequests, address: str, reason: str = "la firma no corresponde.") -> None:
    refused.note_tap(reason, "/api/occupation/tomar", address, "s-1", None)


def test_an_address_is_noted_once_a_minute_for_each_reason() -> None:
    clock = Minutes()
    refused = RefusedRequests(clock)
    for _ in range(3):
        note(refused, "10.0.0.1")
        note(refused, "10.0.0.1", "no existe su sesión.")
        note(refused, "10.0.0.2")
    assert len(refused.take()) == 3
    note(refused, "10.0.0.1")
    assert refused.take() == [], "taken is not forgotten"
    clock.seconds = 60.0
    note(refused, "10.0.0.1")
    assert len(refused.take()) == 1


def test_many_addresses_together_fill_no_ledger() -> None:
    clock = Minutes()
    refused = RefusedRequests(clock)
    for number in range(1_000):
        note(refused, f"2001:db8::{number:x}")
    assert len(refused.take()) == TAPS_PER_MINUTE_MAX
    clock.seconds = 61.0
    note(refused, "10.0.0.1")
    assert len(refused.take()) == 1


def test_what_could_not_be_written_is_written_first() -> None:
    refused = RefusedRequests(Minutes())
    note(refused, "10.0.0.1")
    taken = refused.take()
    note(refused, "10.0.0.2")
    refused.put_back(taken)
    assert [each.address for each in refused.take()] == ["10.0.0.1", "10.0.0.2"]


def test_the_named_worker_is_recorded_however_long_the_path_is() -> None:
    refused = RefusedRequests(Minutes())
    author = Author(93, Via(Proof.PIN, "d-1", "s-1"))
    refused.note_other_person(author, 7, "/api/spools/" + "A" * 188, "10.0.0.1")
    (noted,) = refused.take()
    assert "nombra al trabajador 7:" in noted.detail[:DETAIL_CHARS_MAX]
