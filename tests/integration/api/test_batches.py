"""The four batches: always 200, each spool on its own, answers in the order of the request."""

from __future__ import annotations

import pytest

from carrete.ledger.database import Database
from tests.support.answers import done, invalid, refused
from tests.support.builders import (
    a_blocked_spool,
    a_finished_spool,
    a_joint,
    a_spool,
    an_armed_spool,
    events_in,
    held,
    put,
    spool_in,
)
from tests.support.people import JS, LP, MR, UNKNOWN_ID
from tests.support.tablet import Tablet


def test_each_spool_succeeds_or_fails_on_its_own_in_the_order_asked(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("A"), a_spool("Z"), held(a_spool("H"), LP), a_finished_spool("F"), a_blocked_spool("B")])
    tags = ["Z", "H", "NO-HAY", "A", "F", "B"]
    body = done(tablet.batch("TOMAR", tags))
    assert set(body) == {"total", "succeeded", "failed_count", "details", "recibo"}
    assert (body["total"], body["succeeded"], body["failed_count"]) == (6, 2, 4)
    assert [detail["tag_spool"] for detail in body["details"]] == tags
    assert [detail["success"] for detail in body["details"]] == [True, False, False, True, False, False]
    z, h, unknown, *_ = body["details"]
    assert z == {"tag_spool": "Z", "success": True, "message": "MR(93) tiene el spool Z para ARM."}
    detail = "El spool H lo tiene LP(7) para ARM."
    assert h == {
        "tag_spool": "H",
        "success": False,
        "error": {"status": 409, "code": "SPOOL_OCCUPIED", "detail": detail},
    }
    assert (unknown["error"]["status"], unknown["error"]["code"]) == (404, "SPOOL_NO_ENCONTRADO")
    codes = [detail["error"]["code"] for detail in body["details"][4:]]
    assert codes == ["OPERACION_YA_COMPLETADA", "SPOOL_BLOQUEADO"]
    assert sorted(event.tag for event in events_in(ledger)) == ["A", "Z"]


def test_a_batch_of_nothing_but_refusals_is_still_a_200(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("A"), a_spool("B")])
    body = done(tablet.batch("TOMAR", ["A", "B"], UNKNOWN_ID))
    assert (body["succeeded"], body["failed_count"]) == (0, 2)
    assert {detail["error"]["code"] for detail in body["details"]} == {"WORKER_NO_ENCONTRADO"}


@pytest.mark.parametrize(("accion", "state"), [("PAUSAR", "PAUSADO"), ("COMPLETAR", "COMPLETADO")])
def test_fifty_spools_are_ended_at_once(tablet: Tablet, ledger: Database, accion: str, state: str) -> None:
    tags = [f"S-{n:02}" for n in range(50)]
    put(ledger, [a_spool(tag) for tag in tags])
    assert done(tablet.batch("TOMAR", tags))["succeeded"] == 50
    body = done(tablet.batch(accion, tags))
    assert (body["succeeded"], [d["tag_spool"] for d in body["details"]]) == (50, tags)
    assert {spool_in(ledger, tag).arm for tag in tags} == {state}
    assert len(events_in(ledger)) == 100


def test_a_double_tap_on_a_batch_takes_nothing_twice(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("A"), a_spool("B")])
    first, second = (done(tablet.batch("TOMAR", ["A", "B"])) for _ in range(2))
    assert second == first
    assert len(events_in(ledger)) == 2


def test_completing_the_last_operation_in_a_batch_sends_each_to_inspection(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [an_armed_spool(tag) for tag in "AB"])
    done(tablet.batch("TOMAR", ["A", "B"], JS.id, "SOLD"))
    done(tablet.batch("COMPLETAR", ["A", "B"], JS.id, "SOLD"))
    for tag in "AB":
        assert tablet.see_events(tag) == ["TOMAR_SPOOL", "COMPLETAR_SOLD", "METROLOGIA_AUTO_TRIGGERED"]


def test_fifty_one_none_or_repeated_tags_are_refused_before_anything_happens(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool("A"), MR)])
    for accion in ("TOMAR", "PAUSAR", "COMPLETAR"):
        for tags in ([f"S-{n}" for n in range(51)], [], ["A", "A"], ["A", " A "], ["A\u0301", "Á"]):
            invalid(tablet.batch(accion, tags), "tag_spools")
    assert events_in(ledger) == []


def test_one_bad_tag_is_named_by_its_place(tablet: Tablet) -> None:
    invalid(tablet.batch("TOMAR", ["A", "B\0", "C"]), "tag_spools.1")
    refused(tablet.batch("TOMAR", ["A", 7]), 422, "DATOS_INVALIDOS")  # type: ignore[list-item]


def test_several_spools_are_begun_joint_by_joint_each_on_its_own(tablet: Tablet, ledger: Database) -> None:
    by_joint = [a_spool(tag, total_uniones=2) for tag in ("A", "B", "C")]
    joints = [a_joint(n, tag) for tag in ("A", "B", "C") for n in (1, 2)]
    put(ledger, [*by_joint[:2], held(by_joint[2], LP), a_spool("W")], joints=joints)
    body = done(tablet.batch("INICIAR", ["B", "C", "W", "A"]))
    assert (body["total"], body["succeeded"], body["failed_count"]) == (4, 2, 2)
    assert [detail["tag_spool"] for detail in body["details"]] == ["B", "C", "W", "A"]
    codes = [detail["error"]["code"] for detail in body["details"][1:3]]
    assert codes == ["SPOOL_OCCUPIED", "WRONG_VERSION"]
    assert {spool_in(ledger, tag).occupation.worker_id for tag in "AB"} == {MR.id}  # type: ignore[union-attr]
    assert [(event.tag, event.event.tipo) for event in events_in(ledger)] == [
        ("B", "INICIAR_SPOOL"),
        ("A", "INICIAR_SPOOL"),
    ]


def test_fifty_are_begun_at_once_and_the_same_key_begins_nothing_again(tablet: Tablet, ledger: Database) -> None:
    tags = [f"S-{n:02}" for n in range(50)]
    put(ledger, [a_spool(tag, total_uniones=1) for tag in tags], joints=[a_joint(1, tag) for tag in tags])
    first = tablet.batch("INICIAR", tags, key="tanda")
    assert done(first)["succeeded"] == 50
    again = tablet.batch("INICIAR", tags, key="tanda")
    assert (again.json(), again.headers["Idempotency-Replayed"]) == (first.json(), "true")
    assert len(events_in(ledger)) == 50


def test_a_repair_is_not_begun_joint_by_joint(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("A", total_uniones=1)])
    invalid(tablet.batch("INICIAR", ["A"], operacion="REPARACION"), "operacion")
    invalid(tablet.batch("INICIAR", [f"S-{n}" for n in range(51)]), "tag_spools")


def test_there_is_no_batch_of_cancelling(tablet: Tablet) -> None:
    refused(tablet.batch("CANCELAR", ["A"]), 404, "NO_EXISTE")
