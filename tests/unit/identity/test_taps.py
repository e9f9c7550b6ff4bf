"""Signed taps: what the header must look like, what the signature covers, and that the tablet's clock only informs."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import replace
from datetime import timedelta

import pytest

from carrete.domain.authorship import Proof
from carrete.identity.records import Session
from carrete.identity.refusals import TapRefused
from carrete.identity.taps import SignedTap, TapKey
from tests.support.builders import NOW
from tests.support.people import MR

MAC = "0f" * 32
TIME = "2026-11-16T13:30:00.000Z"
KEY = b"k" * 32
SESSION = Session("s-1", "d-1", MR, Proof.PIN, NOW, NOW + timedelta(hours=12), NOW, NOW)


def header(session: str = "s-1", number: object = 7, time: str = TIME, mac: str = MAC) -> bytes:
    return f"{session}, {number}, {time}, {mac}".encode()


def a_tap(number: int = 7, time: str = TIME, mac: str = MAC) -> SignedTap:
    return SignedTap("s-1", str(number), time, mac)


def test_the_parts_of_the_header() -> None:
    assert SignedTap.parse(header()) == a_tap()
    assert SignedTap.parse(header().replace(b", ", b",")) == a_tap()


@pytest.mark.parametrize(
    "bad",
    [
        b"",
        b" ",
        b",,,",
        b"s-1",
        header()[:-1],
        header() + b"0",
        header(mac=MAC.upper()),
        header(mac="g" * 64),
        header(number=0),
        header(number=-1),
        header(number="1.0"),
        header(number="٣"),
        header(number=2**53 + 1),
        header(number="1" * 17),
        header(number=""),
        header(session=""),
        header(session="S-1"),
        header(session="s 1"),
        header(session="s" * 41),
        header(session="s-1'; DROP TABLE session"),
        header(time=""),
        header(time="2" * 41),
        header() + b", " + MAC.encode(),
        header() + b"\n" + header(),
        header().replace(b", ", b";"),
        header().replace(b"s-1", b"\xff\xfe"),
        b"x" * 10_000,
    ],
)
def test_a_header_of_another_form_is_refused(bad: bytes) -> None:
    with pytest.raises(TapRefused):
        SignedTap.parse(bad)


def test_the_usual_header_is_parsed_quickly_and_means_the_same() -> None:
    assert SignedTap.parse_quickly(header()) == SignedTap.parse(header())
    assert SignedTap.parse_quickly(header(number=10**15 - 1)) == SignedTap.parse(header(number=10**15 - 1))


@pytest.mark.parametrize(
    "unusual",
    [
        b"",
        header().replace(b", ", b","),
        b" " + header() + b" ",
        header() + b", x",
        header()[:-1],
        header(number=0),
        header(number="07"),
        header(number=""),
        header(number="-7"),
        header(number="1_0"),
        header(number="٣"),
        header(number=10**15),
        header(time=""),
        header(time="9" * 41),
        header(time="mediod\ta"),
        header(time="a las 7"),
        header().replace(b"s-1", b"\xff"),
    ],
)
def test_any_other_header_is_left_to_the_slower_parser(unusual: bytes) -> None:
    assert SignedTap.parse_quickly(unusual) is None


@pytest.mark.parametrize("time", ["ayer", "~", "25:61", "9" * 40])
def test_a_time_that_is_none_only_informs_so_both_parsers_take_it(time: str) -> None:
    assert SignedTap.parse_quickly(header(time=time)) == SignedTap.parse(header(time=time)) == a_tap(time=time)


def test_the_signature_is_hmac_sha256_over_path_key_number_time_and_body() -> None:
    text = f"/api/occupation/tomar\nclave\n7\n{TIME}\n".encode() + b'{"a":1}'
    assert (
        TapKey(KEY).signature("/api/occupation/tomar", "clave", 7, TIME, b'{"a":1}')
        == hmac.new(KEY, text, hashlib.sha256).hexdigest()
    )


def test_a_signature_holds_for_exactly_what_was_signed() -> None:
    mac = TapKey(KEY).signature("/p", "k", 7, TIME, b"body")
    a_tap(mac=mac).require_signature(TapKey(KEY), "/p", "k", b"body")
    for tap, key, path, name, body in (
        (a_tap(8, mac=mac), KEY, "/p", "k", b"body"),
        (a_tap(time="2026-11-16T13:30:01.000Z", mac=mac), KEY, "/p", "k", b"body"),
        (a_tap(mac=mac), b"j" * 32, "/p", "k", b"body"),
        (a_tap(mac=mac), KEY, "/q", "k", b"body"),
        (a_tap(mac=mac), KEY, "/p", "l", b"body"),
        (a_tap(mac=mac), KEY, "/p", "k", b"body "),
        (a_tap(mac=mac), KEY, "/p", "k", b""),
        (a_tap(mac=MAC), KEY, "/p", "k", b"body"),
    ):
        with pytest.raises(TapRefused):
            tap.require_signature(TapKey(key), path, name, body)


@pytest.mark.parametrize("key", [None, ""])
def test_a_tap_without_an_idempotency_key_is_refused(key: str | None) -> None:
    """Without one the same bytes could be sent twice."""
    mac = TapKey(KEY).signature("/p", "", 7, TIME, b"body")
    with pytest.raises(TapRefused):
        a_tap(mac=mac).require_signature(TapKey(KEY), "/p", key, b"body")


def test_a_session_accepts_its_taps_until_24_hours_after_its_end() -> None:
    day = timedelta(hours=24)
    a_tap().require_session(SESSION, NOW)
    a_tap().require_session(SESSION, SESSION.ends_at + day)
    ended = replace(SESSION, ended_at=NOW + timedelta(hours=1))
    a_tap().require_session(ended, NOW + timedelta(hours=25))
    for session, now in (
        (None, NOW),
        (SESSION, SESSION.ends_at + day + timedelta(seconds=1)),
        (ended, NOW + timedelta(hours=25, seconds=1)),
        (replace(SESSION, ended_at=SESSION.ends_at + day), SESSION.ends_at + day + timedelta(seconds=1)),
        (replace(SESSION, device_revoked=True), NOW),
        (replace(ended, last_tap=6), NOW + timedelta(hours=1)),
        (replace(ended, last_tap=0), NOW + timedelta(hours=1)),
    ):
        with pytest.raises(TapRefused):
            a_tap().require_session(session, now)
    a_tap().require_session(replace(ended, last_tap=7), NOW + timedelta(hours=1))


def test_of_a_session_with_a_list_of_unsent_taps_only_those_are_awaited() -> None:
    session = replace(SESSION, ended_at=NOW, last_tap=7, unsent=frozenset({MAC}))
    assert a_tap().is_awaited(session)
    assert not a_tap(mac="0e" * 32).is_awaited(session)
    assert not a_tap().is_awaited(replace(session, unsent=frozenset()))


def test_of_a_session_that_is_open_or_ended_without_a_list_every_tap_is_awaited() -> None:
    assert a_tap().is_awaited(SESSION)
    assert a_tap().is_awaited(replace(SESSION, ended_at=NOW, last_tap=7))


@pytest.mark.parametrize(
    ("time", "recorded"),
    [
        (TIME, None),
        ("2026-11-16T13:29:51Z", None),
        ("2026-11-16T13:29:50Z", "2026-11-16T13:29:50+00:00"),
        ("2026-11-16T10:00:00.123-03:00", "2026-11-16T13:00:00+00:00"),
        ("2026-11-16T13:30:01+05:00", "2026-11-16T08:30:01+00:00"),
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00+00:00"),
        ("2099-12-31T23:59:59Z", "2099-12-31T23:59:59+00:00"),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-14:00", None),
        ("2026-11-16T13:00:00", None),
        ("2026-13-45T99:00:00Z", None),
        ("---", None),
    ],
)
def test_the_tablets_time_is_recorded_when_it_says_something(time: str, recorded: str | None) -> None:
    assert a_tap(time=time).tapped_at(NOW.timestamp()) == recorded
