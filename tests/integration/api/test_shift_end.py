"""The end of a shift over HTTP: who is asked about what, and "Sigo yo". The hours of the shifts are made around now."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from carrete.api.shift_end import shift_end_json
from carrete.domain.shifts import Shift
from carrete.domain.workers import Worker
from carrete.ledger.database import Database
from tests.support.answers import SANTIAGO, done, invalid, refused, replayed
from tests.support.builders import SHOP, TAG, a_spool, events_in, held, put, spool_in
from tests.support.people import LP, MR, UNKNOWN_ID
from tests.support.tablet import Tablet

OTHER, THIRD = "MK-1335-CW-25238-012", "MK-1335-CW-25238-013"
SIGO = "/api/occupation/sigo"


def sigo(tablet: Tablet, tag: str = TAG, worker_id: int = MR.id, **more: Any) -> httpx.Response:
    key = more.pop("key", None)
    return tablet.post(SIGO, {"tag_spool": tag, "worker_id": worker_id, "operacion": "ARM", **more}, key=key)


def minutes_ago(minutes: float) -> datetime:
    return datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=minutes)


def ending_in(minutes: int, name: str = "Mañana") -> Shift:
    """A shift of every day that ends so many minutes from now, to the minute."""
    end = datetime.now(SANTIAGO) + timedelta(minutes=minutes)
    return Shift(name, (1, 2, 3, 4, 5, 6, 7), f"{end - timedelta(hours=8):%H:%M}", f"{end:%H:%M}")


def turno(ledger: Database, *shifts: Shift, worker: Worker = MR, in_minutes: float = 0) -> dict[str, Any]:
    """What the person is asked by the clock that is passed in."""
    now = datetime.now(UTC).replace(microsecond=0) + timedelta(minutes=in_minutes)
    with ledger.reading() as tx:
        return shift_end_json(tx, worker, now, replace(SHOP, shifts=shifts))


def unanswered(answer: dict[str, Any]) -> list[str]:
    return [spool["tag_spool"] for spool in answer["spools"] if not spool["respondido"]]


def test_fifteen_minutes_before_the_end_a_holder_is_asked_about_their_own_spools(ledger: Database) -> None:
    old = held(a_spool(), MR, since=minutes_ago(300))
    by_joint = held(a_spool(OTHER, total_uniones=2), MR, since=minutes_ago(30))
    put(ledger, [old, by_joint, held(a_spool(THIRD), LP)])
    answer = turno(ledger, ending_in(10))
    assert (answer["preguntar"], answer["motivo"]) == (True, "fin_de_turno")
    assert answer["turno"]["nombre"] == answer["pregunta"]["nombre"] == "Mañana"
    assert answer["turno"]["termina"] == answer["pregunta"]["termina"] > answer["ahora"]
    assert {(spool["tag_spool"], spool["version_workflow"]) for spool in answer["spools"]} == {
        (TAG, "v3.0"),
        (OTHER, "v4.0"),
    }


def test_before_that_nobody_is_asked(ledger: Database) -> None:
    put(ledger, [held(a_spool(), MR, since=minutes_ago(60))])
    answer = turno(ledger, ending_in(20))
    assert (answer["preguntar"], answer["motivo"], answer["spools"]) == (False, None, [])
    assert answer["turno"]["nombre"] == "Mañana"


def test_what_was_forgotten_yesterday_is_asked_about_in_the_morning(ledger: Database) -> None:
    put(ledger, [held(a_spool(), MR, since=minutes_ago(26 * 60))])
    answer = turno(ledger, ending_in(-120, "Noche"))
    assert (answer["preguntar"], answer["motivo"], answer["turno"]) == (True, "olvidados", None)
    assert unanswered(answer) == [TAG]


def test_sigo_yo_answers_that_question_and_not_the_next(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), MR, since=minutes_ago(300)), held(a_spool(OTHER), MR, since=minutes_ago(200))])
    shift = ending_in(10)
    before = spool_in(ledger)
    answer = done(sigo(tablet))
    assert (answer["action_taken"], answer["ocupado_por"]) == ("SEGUIR", "MR(93)")
    shift_end = turno(ledger, shift)
    assert unanswered(shift_end) == [OTHER]
    assert [spool["tag_spool"] for spool in shift_end["spools"] if spool["respondido"]] == [TAG]
    done(sigo(tablet, OTHER))
    assert (turno(ledger, shift)["preguntar"], turno(ledger, shift)["motivo"]) == (False, None)
    assert (
        turno(ledger, shift, in_minutes=11 * 60)["preguntar"] is False
    )  # the shift ended long ago: answered is answered
    assert unanswered(turno(ledger, shift, in_minutes=24 * 60)) == [TAG, OTHER]
    after = spool_in(ledger)
    assert replace(after, version=before.version) == before


def test_an_answer_of_before_the_question_does_not_count(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), MR, since=minutes_ago(300))])
    done(sigo(tablet))
    assert unanswered(turno(ledger, ending_in(30), in_minutes=20)) == [TAG]


def test_another_persons_answer_does_not_count(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), LP, since=minutes_ago(300))])
    refused(sigo(tablet), 403, "NO_AUTORIZADO", owner="LP(7)")
    assert unanswered(turno(ledger, ending_in(10), worker=LP)) == [TAG]
    assert events_in(ledger) == []


def offer(tablet: Tablet, accion: str = "ofrecer") -> httpx.Response:
    body: dict[str, Any] = {"tag_spool": TAG, "worker_id": MR.id, "operacion": "ARM"}
    return tablet.post(f"/api/occupation/relevo/{accion}", body)


def test_an_open_offer_is_an_answer_until_it_is_withdrawn_or_nobody_came_for_it(
    tablet: Tablet, ledger: Database
) -> None:
    put(ledger, [held(a_spool(), MR, since=minutes_ago(300))])
    shift = ending_in(10)
    done(offer(tablet))
    assert unanswered(turno(ledger, shift)) == []
    assert unanswered(turno(ledger, shift, in_minutes=48 * 60)) == [TAG]
    done(offer(tablet, "retirar"))
    assert unanswered(turno(ledger, shift)) == [TAG]


def test_ending_the_work_ends_the_question_and_a_new_take_is_not_asked_about(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), MR, since=minutes_ago(300))])
    shift = ending_in(10)
    done(tablet.tap("pausar"))
    assert turno(ledger, shift)["spools"] == []
    done(tablet.tap("tomar"))
    assert turno(ledger, shift, in_minutes=1)["spools"] == []


def test_a_repeated_key_says_sigo_once(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), MR)])
    done(sigo(tablet, key="k"))
    assert replayed(sigo(tablet, key="k"))
    assert [stored.event.tipo for stored in events_in(ledger)] == ["SIGUE_TURNO"]


def test_the_history_has_it_in_the_middle_of_one_session(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    done(tablet.tap("tomar"))
    done(sigo(tablet))
    done(tablet.tap("pausar"))
    history = tablet.see_history()
    assert [event["evento_tipo"] for event in history["events"]] == ["TOMAR_SPOOL", "SIGUE_TURNO", "PAUSAR_SPOOL"]
    assert [session["resultado"] for session in history["sessions"]] == ["PAUSADO"]


def test_a_shop_without_shifts_never_asks(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), MR, since=minutes_ago(3_000))])
    answer = tablet.see("/api/turno", worker_id=MR.id)
    empty: dict[str, Any] = {
        "turno": None,
        "preguntar": False,
        "motivo": None,
        "pregunta": None,
        "proxima": None,
        "spools": [],
    }
    assert {name: answer[name] for name in empty} == empty


def test_without_identity_the_request_says_who_is_asked(tablet: Tablet) -> None:
    invalid(tablet.get("/api/turno"), "worker_id")
    refused(tablet.get("/api/turno", worker_id=UNKNOWN_ID), 404, "WORKER_NO_ENCONTRADO")
