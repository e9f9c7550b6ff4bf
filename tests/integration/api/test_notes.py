"""Notes: written about a spool or a joint, once, by whom and when; listed newest first; nothing else changes."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from carrete.domain.workers import Worker
from carrete.ledger.database import Database
from tests.support.answers import done, invalid, just_now, refused, replayed
from tests.support.builders import TAG, a_blocked_spool, a_joint, a_spool, held, put, spool_in
from tests.support.people import IN, LP, MR, UNKNOWN_ID
from tests.support.photos import FOTOS, JPEG, numbered_photo
from tests.support.tablet import Tablet, in_path

ODD_TAGS = ("A/B", "A/notas", "100%", "%2F", "A?B=C", "A#B", "{tag}", "ÑANDÚ-Ø", "../../api")


def note(tablet: Tablet, texto: str = "Ojo", tag: str = TAG, worker: Worker = MR, **more: Any) -> httpx.Response:
    key = more.pop("key", None)
    return tablet.post(f"/api/spools/{in_path(tag)}/notas", {"worker_id": worker.id, "texto": texto, **more}, key=key)


def notes(tablet: Tablet, tag: str = TAG, **query: Any) -> dict[str, Any]:
    return tablet.see(f"/api/spools/{in_path(tag)}/notas", **query)


def a_stored_photo(tablet: Tablet, number: int = 0) -> str:
    sent = tablet.send("POST", FOTOS, content=numbered_photo(number), headers={"Content-Type": JPEG})
    return str(done(sent)["id"])


def outbox(ledger: Database) -> Any:
    with ledger.reading() as tx:
        return tx.all("outbox_length")


def test_a_note_is_in_the_list_on_the_card_and_in_the_history(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(total_uniones=1)], joints=[a_joint(1)])
    photo = a_stored_photo(tablet)
    answer = done(note(tablet, "  Poro en la raíz  \r\nlado norte ", n_union=1, fotos=[photo]))
    assert (answer["action_taken"], answer["operacion"], answer["ocupado_por"]) == ("NOTA", None, None)
    assert answer["message"] == f"Nota guardada en la unión 1 del spool {TAG}, con 1 foto."
    (written,) = notes(tablet)["notas"]
    assert just_now(written.pop("at"))
    assert written == {
        "seq": answer["event_seq"],
        "worker": MR.label,
        "worker_id": MR.id,
        "n_union": 1,
        "texto": "Poro en la raíz\nlado norte",
        "fotos": [photo],
    }
    card = tablet.see_spool()
    assert [each["seq"] for each in card["notas"]] == [answer["event_seq"]]
    (event,) = tablet.see_history()["events"]
    assert (event["evento_tipo"], event["n_union"], event["operacion"]) == ("NOTA", 1, None)
    assert (event["metadata"]["texto"], event["metadata"]["fotos"]) == (written["texto"], [photo])
    assert tablet.see_history()["sessions"] == []


@pytest.mark.parametrize("spool", [a_spool(), held(a_spool(), LP), a_blocked_spool()], ids=["free", "held", "blocked"])
def test_a_note_changes_nothing_of_the_spool_not_even_its_version(tablet: Tablet, ledger: Database, spool: Any) -> None:
    put(ledger, [spool])
    before, queued = spool_in(ledger), outbox(ledger)
    answer = done(note(tablet))
    assert spool_in(ledger) == before
    assert answer["version"] == before.version
    assert outbox(ledger) == queued


def test_a_worker_who_saw_the_spool_before_the_note_can_still_act(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    seen = tablet.see_spool()["version"]
    done(note(tablet, worker=LP))
    assert done(tablet.tap("TOMAR", version=seen))["ocupado_por"] == MR.label
    refused(note(tablet, version=seen), 409, "VERSION_CONFLICT")


def test_the_same_note_under_the_same_key_is_written_once(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(), a_spool("B-2")])
    first = note(tablet, key="k")
    again = note(tablet, key="k")
    assert (replayed(again), done(again)) == (True, done(first))
    assert len(notes(tablet)["notas"]) == 1
    refused(note(tablet, "Otra cosa", key="k"), 422, "IDEMPOTENCY_KEY_REUSED")
    refused(note(tablet, tag="B-2", key="k"), 422, "IDEMPOTENCY_KEY_REUSED")
    assert notes(tablet, "B-2")["notas"] == []


def test_notes_come_newest_first_page_by_page_and_the_card_has_the_last_five(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(), a_spool("B-2")])
    for number in range(7):
        done(note(tablet, f"nota {number}"))
        done(note(tablet, "de otro", "B-2"))
    card = tablet.see_spool()
    assert [each["texto"] for each in card["notas"]] == [f"nota {number}" for number in (6, 5, 4, 3, 2)]
    assert card["mas_notas"] is True
    pages, cursor = [], ""
    while cursor is not None:
        page = notes(tablet, limit=3, cursor=cursor)
        pages.append([each["texto"][-1] for each in page["notas"]])
        cursor = page["next_cursor"]
    assert pages == [["6", "5", "4"], ["3", "2", "1"], ["0"]]


@pytest.mark.parametrize("tag", ODD_TAGS)
def test_a_spool_of_any_tag_has_notes(tablet: Tablet, ledger: Database, tag: str) -> None:
    put(ledger, [a_spool(tag)])
    assert done(note(tablet, tag=tag))["tag_spool"] == tag
    assert [each["texto"] for each in notes(tablet, tag)["notas"]] == ["Ojo"]


@pytest.mark.parametrize(
    ("more", "campo"),
    [
        ({"texto": ""}, "cuerpo"),
        ({"texto": " \n "}, "cuerpo"),
        ({"texto": "x" * 501}, "texto"),
        ({"texto": "a\x00b"}, "texto"),
        ({"n_union": 0}, "n_union"),
        ({"fotos": ["x"]}, "fotos.0"),
        ({"fotos": ["a" * 64] * 2}, "fotos"),
        ({"fotos": [f"{n:064x}" for n in range(5)]}, "fotos"),
        ({"nada": 1}, "nada"),
    ],
)
def test_a_note_that_makes_no_sense_is_refused(
    tablet: Tablet, ledger: Database, more: dict[str, Any], campo: str
) -> None:
    put(ledger, [a_spool()])
    invalid(note(tablet, **{"texto": "Ojo", **more}), campo)
    assert notes(tablet)["notas"] == []


def test_a_person_without_the_right_or_a_missing_spool_is_refused_and_nothing_is_written(
    tablet: Tablet, ledger: Database
) -> None:
    put(ledger, [a_spool(), a_spool("RETIRADO", retired=True)])
    refused(note(tablet, worker=IN), 403, "WORKER_INACTIVO")
    refused(note(tablet, tag="NADA"), 404, "SPOOL_NO_ENCONTRADO")
    refused(note(tablet, tag="RETIRADO"), 404, "SPOOL_NO_ENCONTRADO")
    refused(note(tablet, n_union=3), 404, "UNION_NO_ENCONTRADA", n_union=3)
    refused(note(tablet, fotos=["0" * 64]), 404, "FOTO_NO_ENCONTRADA", fotos=["0" * 64])
    body = {"worker_id": UNKNOWN_ID, "texto": "Ojo"}
    refused(tablet.post(f"/api/spools/{in_path(TAG)}/notas", body), 404, "WORKER_NO_ENCONTRADO")
    refused(tablet.get("/api/spools/NADA/notas"), 404, "SPOOL_NO_ENCONTRADO")
    assert tablet.see_events() == []


def test_two_notes_may_have_the_same_photo(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(), a_spool("B-2")])
    photo = a_stored_photo(tablet)
    done(note(tablet, fotos=[photo]))
    done(note(tablet, tag="B-2", fotos=[photo]))
    assert notes(tablet, "B-2")["notas"][0]["fotos"] == [photo]
