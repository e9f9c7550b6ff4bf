"""Who did what, who works here, and who has which spool right now."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from carrete.domain.spool import Operacion
from carrete.ledger.database import Database
from tests.support.answers import done, invalid, is_uuid4, just_now
from tests.support.builders import a_rejected_spool, a_spool, an_armed_spool, held, put
from tests.support.people import AY, IN, JS, LP, MI, MR, NN, SV
from tests.support.tablet import Tablet
from tests.support.tampering import tampering


def test_the_history_tells_sessions_and_events_oldest_first(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    done(tablet.tap("TOMAR"))
    done(tablet.tap("PAUSAR"))
    done(tablet.tap("TOMAR", worker_id=LP.id))
    done(tablet.tap("COMPLETAR", worker_id=LP.id))
    done(tablet.tap("TOMAR", worker_id=JS.id, operacion="SOLD"))
    history = tablet.see_history()
    assert set(history) == {"tag_spool", "sessions", "events"}
    assert [(s["worker"], s["worker_id"], s["operacion"], s["resultado"]) for s in history["sessions"]] == [
        ("MR(93)", 93, "ARM", "PAUSADO"),
        ("LP(7)", 7, "ARM", "COMPLETADO"),
        ("JS(8)", 8, "SOLD", "EN_PROGRESO"),
    ]
    first, _, running = history["sessions"]
    assert set(first) == {
        *("worker", "worker_id", "operacion", "inicio", "fin", "duracion", "resultado", "pulgadas"),
    }
    assert just_now(first["inicio"])
    assert just_now(first["fin"])
    assert (first["duracion"], first["pulgadas"], running["fin"]) == ("0h 0m", 0, None)
    seqs = [event["seq"] for event in history["events"]]
    assert seqs == sorted(set(seqs))
    assert len({event["id"] for event in history["events"]}) == 5
    event = history["events"][0]
    assert set(event) == {
        *("seq", "id", "evento_tipo", "worker", "worker_id", "operacion", "accion", "n_union", "at", "metadata"),
    }
    assert is_uuid4(event["id"])
    assert just_now(event["at"])
    assert (event["evento_tipo"], event["accion"], event["operacion"]) == ("TOMAR_SPOOL", "TOMAR", "ARM")
    assert (event["worker"], event["worker_id"], event["n_union"], event["metadata"]) == ("MR(93)", 93, None, {})


def test_the_history_shows_all_events_however_many(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    for _ in range(120):
        done(tablet.tap("TOMAR"))
        done(tablet.tap("PAUSAR"))
    history = tablet.see_history()
    assert (len(history["events"]), len(history["sessions"])) == (240, 120)


@pytest.mark.parametrize("engine", ["sqlite"])
def test_bytes_that_are_no_text_are_shown_as_a_sign_and_stop_no_list(tablet: Tablet, ledger: Database) -> None:
    """A person with access to the file can put such bytes there. `carrete verify` names the event; pages go on showing
    the others."""
    put(ledger, [a_spool(), a_spool("MK-2")])
    done(tablet.tap("TOMAR"))
    with tampering(ledger) as tx:
        tx.execute("UPDATE event SET worker = CAST(x'ff' AS TEXT)")
        tx.execute("UPDATE spool SET ot = CAST(x'ff' AS TEXT) WHERE tag = 'MK-2'")
    assert [event["worker"] for event in tablet.see_history()["events"]] == ["\N{REPLACEMENT CHARACTER}"]
    assert "\N{REPLACEMENT CHARACTER}" in [spool["ot"] for spool in tablet.see("/api/spools")["spools"]]


def test_active_people_are_listed_with_label_and_roles(tablet: Tablet) -> None:
    body = tablet.see("/api/workers")
    assert body["total"] == len(body["workers"]) == 7
    assert [worker["id"] for worker in body["workers"]] == [5, 7, 8, 12, 21, 44, 93]
    assert body["workers"][0] == {
        "id": 5,
        "nombre": "Ángela",
        "apellido": "Yáñez",
        "label": "ÁY(5)",
        "roles": ["Ayudante"],
    }
    assert body["workers"][-1]["roles"] == ["Armador", "Soldador"]


@pytest.mark.parametrize(
    ("operacion", "people"),
    [
        ("ARM", {MR, LP, AY}),
        ("SOLD", {MR, JS, AY}),
        ("METROLOGIA", {MI}),
        ("REPARACION", {MR, LP, JS, AY, MI, SV, NN}),
    ],
)
def test_people_are_listed_by_what_they_may_do(tablet: Tablet, operacion: str, people: set[object]) -> None:
    listed = {worker["id"] for worker in tablet.see("/api/workers", operacion=operacion)["workers"]}
    assert listed == {worker.id for worker in people}  # type: ignore[attr-defined]


def test_an_operation_that_does_not_exist_is_named(tablet: Tablet) -> None:
    invalid(tablet.get("/api/workers", operacion="PINTAR"), "operacion")


def test_a_role_taken_away_is_not_shown_and_not_enough(tablet: Tablet, ledger: Database) -> None:
    with ledger.writing() as tx:
        tx.run("role_upsert", worker_id=LP.id, rol="Armador", activo=0)
    assert LP.id not in {worker["id"] for worker in tablet.see("/api/workers", operacion="ARM")["workers"]}
    put(ledger, [a_spool()])
    assert tablet.tap("TOMAR", worker_id=LP.id).status_code == 403


def test_the_board_shows_who_has_what_longest_first(tablet: Tablet, ledger: Database) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    put(
        ledger,
        [
            held(a_spool("B"), MR, since=now - timedelta(minutes=5, seconds=20)),
            held(an_armed_spool("A"), JS, Operacion.SOLD, now - timedelta(hours=7)),
            held(a_spool("C"), IN, since=now - timedelta(days=2)),
            held(a_rejected_spool("D"), AY, Operacion.REPARACION, now),
            a_spool("FREE"),
        ],
    )
    board = tablet.see("/api/dashboard/occupied")
    assert set(board) == {"occupied", "total"}
    assert board["total"] == 4
    assert [(row["tag_spool"], row["minutos"]) for row in board["occupied"]] == [
        *(("C", 2880), ("A", 420), ("B", 5), ("D", 0)),
    ]
    welding = board["occupied"][1]
    assert set(welding) == {
        *("tag_spool", "ocupado_por", "ocupado_por_id", "operacion", "since", "minutos", "estado_detalle", "atraso"),
    }
    assert (welding["ocupado_por"], welding["ocupado_por_id"], welding["operacion"]) == ("JS(8)", 8, "SOLD")
    assert datetime.fromisoformat(welding["since"]) == now - timedelta(hours=7)
    assert welding["estado_detalle"] == "JS(8) trabajando SOLD (ARM completado, SOLD en progreso)"


def test_what_is_taken_appears_on_the_board_and_what_is_ended_leaves_it(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("A"), a_spool("B")])
    for tag in "AB":
        done(tablet.tap("TOMAR", tag))
    assert {row["tag_spool"] for row in tablet.see("/api/dashboard/occupied")["occupied"]} == {"A", "B"}
    done(tablet.tap("PAUSAR", "A"))
    assert [row["tag_spool"] for row in tablet.see("/api/dashboard/occupied")["occupied"]] == ["B"]
