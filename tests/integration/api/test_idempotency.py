"""`Idempotency-Key`: the first outcome decided under a key is final for it, whatever happens afterwards."""

from __future__ import annotations

import json

from carrete.ledger.database import Database
from carrete.settings import Settings
from tests.support.answers import done, invalid, refused, replayed
from tests.support.builders import a_spool, events_in, held, put, spool_in
from tests.support.people import LP, MR
from tests.support.tablet import Tablet, tablet_in_process


def test_the_same_key_and_request_gives_the_same_answer_and_does_nothing_more(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    first = tablet.tap("TOMAR", key="tap-1")
    again = tablet.tap("TOMAR", key="tap-1")
    assert (replayed(first), replayed(again)) == (False, True)
    assert again.content == first.content
    assert done(again)["event_seq"] == done(first)["event_seq"]
    assert tablet.see_events() == ["TOMAR_SPOOL"]


def test_a_repeated_success_stays_a_success_after_the_spool_went_on(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    first = tablet.tap("TOMAR", key="tap-1")
    done(tablet.tap("PAUSAR", key="tap-2"))
    again = tablet.tap("TOMAR", key="tap-1")
    assert again.content == first.content
    assert spool_in(ledger).occupation is None
    assert tablet.see_events() == ["TOMAR_SPOOL", "PAUSAR_SPOOL"]


def test_a_request_that_was_refused_cannot_act_later(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), MR)])
    first = tablet.tap("TOMAR", worker_id=LP.id, key="late")
    refused(first, 409, "SPOOL_OCCUPIED")
    done(tablet.tap("PAUSAR"))
    again = tablet.tap("TOMAR", worker_id=LP.id, key="late")
    refused(again, 409, "SPOOL_OCCUPIED", owner="MR(93)")
    assert (replayed(first), replayed(again)) == (False, True)
    assert again.content == first.content
    assert spool_in(ledger).occupation is None
    assert tablet.see_events() == ["PAUSAR_SPOOL"]


def test_a_key_is_kept_also_when_nothing_was_changed(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    done(tablet.tap("TOMAR"))
    done(tablet.tap("TOMAR", key="double-tap"))
    done(tablet.tap("PAUSAR"))
    assert replayed(tablet.tap("TOMAR", key="double-tap"))
    assert spool_in(ledger).occupation is None


def test_refusals_of_every_status_are_kept(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("A", fecha_materiales=None), held(a_spool("H"), MR)])
    for status, tap in {
        404: ("TOMAR", "NO-HAY", 93),
        403: ("PAUSAR", "H", LP.id),
        400: ("TOMAR", "A", 93),
        409: ("TOMAR", "H", LP.id),
    }.items():
        first, again = (tablet.tap(*tap, key=f"k-{status}") for _ in range(2))
        assert (first.status_code, again.status_code) == (status, status)
        assert first.content == again.content
        assert (replayed(first), replayed(again)) == (False, True)


def test_a_spool_that_appears_after_its_refusal_is_not_taken_by_the_old_key(tablet: Tablet, ledger: Database) -> None:
    refused(tablet.tap("TOMAR", "NEW", key="k"), 404, "SPOOL_NO_ENCONTRADO")
    put(ledger, [a_spool("NEW")])
    refused(tablet.tap("TOMAR", "NEW", key="k"), 404, "SPOOL_NO_ENCONTRADO")
    assert events_in(ledger) == []


def test_an_old_tokens_conflict_is_replayed_with_its_retry_after(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    tablet.tap("TOMAR", version="old", key="k")
    again = tablet.tap("TOMAR", version="old", key="k")
    refused(again, 409, "VERSION_CONFLICT")
    assert replayed(again)
    assert "retry-after" in again.headers


def test_another_body_or_path_under_a_used_key_is_refused_and_changes_nothing(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("A"), a_spool("B")])
    first = tablet.tap("TOMAR", "A", key="k")
    for other in (
        tablet.tap("TOMAR", "B", key="k"),
        tablet.tap("TOMAR", "A", LP.id, key="k"),
        tablet.tap("TOMAR", "A", operacion="SOLD", key="k"),
        tablet.tap("TOMAR", "A", version="x", key="k"),
        tablet.tap("PAUSAR", "A", key="k"),
        tablet.batch("TOMAR", ["A"], key="k"),
    ):
        problem = refused(other, 422, "IDEMPOTENCY_KEY_REUSED")
        assert not replayed(other)
        assert "Idempotency-Key" in problem["detail"]
    assert tablet.see_list(worker_id=93) == ["A"]
    assert len(events_in(ledger)) == 1
    assert tablet.tap("TOMAR", "A", key="k").content == first.content


def test_the_date_is_part_of_what_was_asked(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), MR)])
    done(tablet.tap("COMPLETAR", fecha_operacion="2026-11-10", key="k"))
    refused(tablet.tap("COMPLETAR", fecha_operacion="2026-11-11", key="k"), 422, "IDEMPOTENCY_KEY_REUSED")
    refused(tablet.tap("COMPLETAR", key="k"), 422, "IDEMPOTENCY_KEY_REUSED")


def test_how_the_same_request_is_spelled_does_not_matter(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("A")])
    done(tablet.tap("TOMAR", "A", key="k"))
    spelled = json.dumps({"operacion": "ARM", "worker_nombre": "M", "worker_id": 93, "tag_spool": " A "}, indent=4)
    again = tablet.post("/api/occupation/tomar", content=spelled.encode(), key="k")
    assert replayed(again)


def test_what_was_not_valid_uses_no_key_up(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    invalid(tablet.tap("TOMAR", operacion="PINTAR", key="k"), "operacion")
    refused(tablet.post("/api/occupation/tomar", content=b"{", key="k"), 415, "NO_ES_JSON")
    answer = tablet.tap("TOMAR", key="k")
    assert done(answer)
    assert not replayed(answer)


def test_a_batch_under_a_key_happens_once(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("A"), a_spool("B"), held(a_spool("H"), LP)])
    first = tablet.batch("TOMAR", ["B", "H", "A"], key="k")
    done(tablet.tap("PAUSAR", "A"))
    again = tablet.batch("TOMAR", ["B", "H", "A"], key="k")
    assert again.content == first.content
    assert (replayed(first), replayed(again)) == (False, True)
    assert spool_in(ledger, "A").occupation is None
    assert [stored.event.accion for stored in events_in(ledger)] == ["TOMAR", "TOMAR", "PAUSAR"]
    refused(tablet.batch("TOMAR", ["A", "H", "B"], key="k"), 422, "IDEMPOTENCY_KEY_REUSED")


def test_keys_outlive_the_server(configured: Settings, ledger: Database) -> None:
    put(ledger, [a_spool()])
    with tablet_in_process(configured) as tablet:
        first = tablet.tap("TOMAR", key="k")
    with tablet_in_process(configured) as tablet:
        again = tablet.tap("TOMAR", key="k")
        assert replayed(again)
        assert again.content == first.content
        assert tablet.see_events() == ["TOMAR_SPOOL"]


def test_any_string_up_to_128_characters_is_a_key(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    body = {"tag_spool": a_spool().tag, "worker_id": 93, "operacion": "ARM"}
    for key in ("k" * 128, "con espacios y ñ", "'; DROP TABLE spool"):
        headers = {"Idempotency-Key": key.encode("latin-1")}
        first, again = (tablet.post("/api/occupation/tomar", headers=headers, json=body) for _ in range(2))
        assert (replayed(first), replayed(again)) == (False, True)


def test_a_key_of_129_characters_is_refused(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    invalid(tablet.tap("TOMAR", key="k" * 129), "Idempotency-Key")
    assert events_in(ledger) == []
