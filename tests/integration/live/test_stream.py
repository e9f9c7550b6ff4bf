"""The events that a viewer gets, from now or from a given seq, over a real connection and without Redis."""

from __future__ import annotations

from datetime import datetime

import httpx
import pytest

from tests.integration.live.conftest import TAGS, WatchedShop
from tests.support.answers import refused
from tests.support.builders import events_in
from tests.support.local import LOCAL
from tests.support.people import JS, LP, MR
from tests.support.watching import STREAM, watching

HEADERS = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    "x-content-type-options": "nosniff",
}


def test_viewers_get_a_take_with_the_state_that_it_left(shop: WatchedShop) -> None:
    with watching(shop.server.url) as viewer:
        seq = shop.take("MK-01")
        event = viewer.next()
        spool = shop.tablet.see_spool("MK-01")
        shop.pause("MK-01")
        assert viewer.next().data["event_type"] == "PAUSAR_SPOOL"
    assert HEADERS.items() <= viewer.headers.items()
    assert (event.seq, event.event) == (seq, "spool_update")
    assert list(event.data) == [
        *("event_type", "tag_spool", "operacion", "worker", "ocupado_por"),
        *("estado_detalle", "version", "version_workflow", "at"),
    ]
    assert (event.data["event_type"], event.data["tag_spool"], event.data["operacion"]) == (
        "TOMAR_SPOOL",
        "MK-01",
        "ARM",
    )
    assert event.data["worker"] == event.data["ocupado_por"] == MR.label
    for field in ("estado_detalle", "version", "version_workflow"):
        assert event.data[field] == spool[field]
    assert event.data["at"] == spool["fecha_ocupacion"]
    assert datetime.fromisoformat(event.data["at"]).utcoffset() is not None


def test_an_old_event_carries_the_state_that_it_left_not_the_one_of_today(shop: WatchedShop) -> None:
    taken = shop.take("MK-02")
    shop.pause("MK-02")
    with watching(shop.server.url, taken - 1) as viewer:
        event = viewer.next()
    assert (event.seq, event.data["ocupado_por"]) == (taken, MR.label)
    assert event.data["version"] != shop.tablet.see_spool("MK-02")["version"]


@pytest.mark.parametrize("header", [True, False])
def test_a_viewer_that_comes_back_gets_all_missed_events_once_and_then_live_ones(
    shop: WatchedShop, header: bool
) -> None:
    """The viewer missed more events than one page has."""
    since = shop.take("MK-03")
    for _ in range(3):
        assert shop.tablet.batch("tomar", TAGS[10:], LP.id).json()["succeeded"] == 40
        assert shop.tablet.batch("pausar", TAGS[10:], LP.id).json()["succeeded"] == 40
    with watching(shop.server.url, since, header=header) as viewer:
        missed = viewer.seqs_until(since + 240)
        live = [shop.pause("MK-03"), shop.take("MK-03"), shop.pause("MK-03")]
        assert viewer.seqs_until(live[-1]) == live
    assert missed == [event.seq for event in events_in(shop.database) if since < event.seq <= since + 240]
    assert len(missed) == 240


def test_what_the_browser_adds_by_itself_counts_more_than_the_address(shop: WatchedShop) -> None:
    first, second = shop.take("MK-04"), shop.pause("MK-04")
    with httpx.stream(
        "GET", f"{shop.server.url}{STREAM}?since={first - 1}", headers={"Last-Event-ID": str(first)}, **LOCAL
    ) as stream:
        ids = (line for line in stream.iter_lines() if line.startswith("id:"))
        assert next(ids) == f"id: {second}"


def test_a_viewer_without_any_event_has_a_seq_to_come_back_to(shop: WatchedShop) -> None:
    with watching(shop.server.url) as viewer:
        assert "retry: 2000" in viewer.lines[0]
        place = viewer.place()
    seq = shop.take("MK-05")
    assert place < seq
    with watching(shop.server.url, place) as viewer:
        assert viewer.next().seq == seq
    shop.pause("MK-05")


def test_a_stream_from_now_on_has_no_old_event(shop: WatchedShop) -> None:
    shop.take("MK-06")
    with watching(shop.server.url) as first, watching(shop.server.url, 2**62) as never_given:
        seq = shop.pause("MK-06")
        assert first.seqs_until(seq)[-1] == never_given.seqs_until(seq)[-1] == seq
        assert first.last_id == never_given.last_id == seq


def test_a_refusal_and_a_double_tap_send_no_event(shop: WatchedShop) -> None:
    with watching(shop.server.url) as viewer:
        seq = shop.take("MK-07")
        shop.take("MK-07")
        assert shop.tablet.tap("tomar", "MK-07", LP.id).status_code == 409
        assert shop.tablet.tap("tomar", "MK-08", JS.id).status_code == 403
        last = shop.pause("MK-07")
        assert viewer.seqs_until(last) == [seq, last]


@pytest.mark.parametrize("bad", ["x", "-1", "1.5", "", "١", str(2**63), "9" * 400])
def test_a_since_that_is_no_seq_is_refused(shop: WatchedShop, bad: str) -> None:
    with shop.server.client() as client:
        refused(client.get(STREAM, params={"since": bad}), 422, "DATOS_INVALIDOS")
        refused(client.get(STREAM, headers=[(b"last-event-id", bad.encode())]), 422, "DATOS_INVALIDOS")


def test_the_metrics_count_the_viewers(shop: WatchedShop) -> None:
    with watching(shop.server.url), watching(shop.server.url):
        figures = shop.tablet.get("/metrics").text
    assert "carrete_live_viewers 2.0" in figures
    assert "carrete_live_viewers_dropped_total 0.0" in figures
    assert "carrete_live_lag_seconds" in figures
