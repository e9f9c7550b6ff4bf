"""`GET /api/spools/{tag}`: the card, and tags of every alphabet."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest

from carrete.domain.spool import Estado, Metrologia
from carrete.ledger.database import Database
from tests.support.answers import done, invalid, refused
from tests.support.builders import (
    EARLIER,
    NOW,
    TAG,
    a_blocked_spool,
    a_finished_spool,
    a_joint,
    a_rejected_spool,
    a_spool,
    held,
    put,
)
from tests.support.people import IN, JS, LP, MI, MR, UNKNOWN_ID
from tests.support.tablet import Tablet, in_path

ODD_TAGS = [
    *("A/B", "/A", "A/", "A//B", "A/../B", "100%", "%2F", "A%20B", "A?B=C", "A#B", "A+B", "A B", "A&B;C"),
    *("A/notas", "A/plano", "A/notas/plano", "notas", "/notas"),
    *("'; DROP TABLE spool; --", '"<b>', "A\\B", "=1+1", "{tag}", "x" * 100),
    *("ÑANDÚ-Ø", "MK-😀-👩🏽‍🏭-🇨🇱", "😀" * 100, "שלום-12", "\u202eabc\u202c", "شبكة-١٢", "管-一号", "\ue000"),
]


def test_the_card_says_everything_about_a_spool(tablet: Tablet, ledger: Database) -> None:
    done_joint: dict[str, Any] = {"arm_fin": EARLIER, "arm_worker": "LP(7)", "sol_fin": NOW, "sol_worker": "JS(8)"}
    joints = [a_joint(1, dn_milli=2_500, **done_joint), a_joint(2, dn_milli=4_000), a_joint(3, retired=True)]
    put(ledger, [a_spool(total_uniones=2, arm=Estado.PAUSADO)], joints=joints)
    card = tablet.see_spool()
    (listed,) = tablet.see("/api/spools")["spools"]
    assert {name: card[name] for name in listed} == listed
    assert set(card) - set(listed) == {
        *("uniones", "pulgadas_arm", "pulgadas_sold", "retirado", "inconsistencias", "acciones", "motivos"),
        *("notas", "mas_notas"),
    }
    weld_record = ("ndt_union", "ndt_status", "wps", "espesor", "material", "posicion", "colada_1", "colada_2")
    nothing_of_the_weld_record = dict.fromkeys(weld_record)
    assert card["uniones"] == [
        {
            "n_union": 1,
            "dn_union": 2.5,
            "tipo_union": "BW",
            "datos_incompletos": None,
            "arm_worker": "LP(7)",
            "arm_fecha_fin": "2026-11-16T08:00:00-03:00",
            "sol_worker": "JS(8)",
            "sol_fecha_fin": "2026-11-16T10:30:00-03:00",
            **nothing_of_the_weld_record,
        },
        {
            "n_union": 2,
            "dn_union": 4.0,
            "tipo_union": "BW",
            "datos_incompletos": None,
            "arm_worker": None,
            "arm_fecha_fin": None,
            "sol_worker": None,
            "sol_fecha_fin": None,
            **nothing_of_the_weld_record,
        },
    ]
    assert (card["uniones_arm_completadas"], card["uniones_sold_completadas"]) == (1, 1)
    assert (card["pulgadas_arm"], card["pulgadas_sold"]) == (2.5, 2.5)
    assert (card["retirado"], card["inconsistencias"], card["acciones"], card["motivos"]) == (False, [], [], [])


def test_the_card_says_what_this_worker_may_do(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), MR), a_spool("FREE", armador="LP(7)", arm=Estado.PAUSADO)])

    def offered(tag: str, worker_id: int) -> set[tuple[str, str]]:
        acciones = tablet.see_spool(tag, worker_id=worker_id)["acciones"]
        return {(offer["accion"], offer["operacion"]) for offer in acciones}

    assert offered(TAG, MR.id) == {("PAUSAR", "ARM"), ("COMPLETAR", "ARM"), ("CANCELAR", "ARM")}
    assert offered(TAG, LP.id) == set()
    assert offered("FREE", MR.id) == {("TOMAR", "ARM"), ("TOMAR", "SOLD")}
    assert offered("FREE", JS.id) == {("TOMAR", "SOLD")}
    assert offered("FREE", IN.id) == set()


def test_the_card_says_why_this_worker_cannot_do_the_rest(tablet: Tablet, ledger: Database) -> None:
    by_joint = a_spool("JOINTS", total_uniones=1)
    spools = [held(a_spool(), MR), a_spool("NO-MATERIALS", fecha_materiales=None), by_joint, a_blocked_spool("BLOCKED")]
    put(ledger, [*spools, a_rejected_spool("REJECTED"), a_spool("GONE", retired=True)], joints=[a_joint(1, "JOINTS")])

    def reasons(tag: str, worker_id: int) -> dict[str, tuple[str, str | None]]:
        motivos = tablet.see_spool(tag, worker_id=worker_id)["motivos"]
        assert all(one["detail"].endswith(".") for one in motivos)
        return {one["operacion"]: (one["code"], one["falta"]) for one in motivos}

    def missing(what: str) -> tuple[str, str]:
        return "DEPENDENCIAS_NO_SATISFECHAS", what

    occupied, no_role = ("SPOOL_OCCUPIED", None), ("ROL_NO_AUTORIZADO", None)
    assert "ARM" not in reasons(TAG, MR.id), "it is in these hands"
    assert reasons(TAG, MR.id)["SOLD"] == occupied, "held for another operation"
    assert reasons(TAG, LP.id) == {"ARM": occupied, "SOLD": no_role, "METROLOGIA": no_role, "REPARACION": occupied}
    assert reasons("NO-MATERIALS", LP.id)["ARM"] == missing("Fecha_Materiales")
    assert "ARM" not in reasons("JOINTS", LP.id)
    assert reasons("JOINTS", JS.id)["SOLD"] == missing("ARM")
    assert reasons("JOINTS", MI.id)["METROLOGIA"] == missing("SOLD")
    assert reasons("REJECTED", LP.id)["ARM"] == ("OPERACION_YA_COMPLETADA", None)
    assert reasons("REJECTED", MI.id)["METROLOGIA"] == ("OPERACION_NO_DISPONIBLE", None)
    assert reasons("BLOCKED", LP.id)["REPARACION"] == ("SPOOL_BLOQUEADO", None)
    assert set(reasons("GONE", LP.id).values()) == {("SPOOL_NO_ENCONTRADO", None)}
    assert set(reasons("JOINTS", IN.id).values()) == {("WORKER_INACTIVO", None)}


def test_a_holder_who_lost_the_role_is_told_so(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool(), JS)])
    (why,) = [one for one in tablet.see_spool(worker_id=JS.id)["motivos"] if one["operacion"] == "ARM"]
    assert why["code"] == "ROL_NO_AUTORIZADO"


def test_numbers_that_contradict_each_other_are_reported(tablet: Tablet, ledger: Database) -> None:
    approved = a_finished_spool("APPROVED", total_uniones=2, metrologia=Metrologia.APROBADO)
    put(ledger, [a_spool(total_uniones=3), a_spool("TEXT", total_uniones_text="tres"), approved], joints=[a_joint(1)])
    assert tablet.see_spool()["inconsistencias"] == ["Total_Uniones dice 3 y hay 1 filas en Uniones."]
    (sentence,) = tablet.see_spool("TEXT")["inconsistencias"]
    assert "«tres»" in sentence
    assert tablet.see_spool("TEXT")["version_workflow"] == "v3.0"
    assert len(tablet.see_spool("APPROVED")["inconsistencias"]) == 3


def test_a_retired_spool_keeps_its_card_and_history(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(retired=True)])
    assert tablet.see_spool()["retirado"] is True
    assert tablet.see_history()["events"] == []


def test_an_unknown_spool_or_worker_is_not_found(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    refused(tablet.get("/api/spools/NO-HAY"), 404, "SPOOL_NO_ENCONTRADO", tag_spool="NO-HAY")
    refused(tablet.get(f"/api/spools/{TAG}", worker_id=UNKNOWN_ID), 404, "WORKER_NO_ENCONTRADO")
    refused(tablet.get("/api/history/NO-HAY"), 404, "SPOOL_NO_ENCONTRADO", tag_spool="NO-HAY")


def test_tags_of_every_alphabet_survive_unchanged(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(tag) for tag in ODD_TAGS])
    for tag in ODD_TAGS:
        assert done(tablet.tap("TOMAR", tag))["tag_spool"] == tag
        card = tablet.see_spool(tag)
        assert (card["tag_spool"], card["ocupado_por"]) == (tag, "MR(93)"), tag
        assert tablet.see_history(tag)["tag_spool"] == tag
    assert tablet.see_list(worker_id=93, limit=5) == sorted(ODD_TAGS, key=str.encode)
    assert {row["tag_spool"] for row in tablet.see("/api/dashboard/occupied")["occupied"]} == set(ODD_TAGS)
    body = done(tablet.batch("PAUSAR", ODD_TAGS))
    assert [(d["tag_spool"], d["success"]) for d in body["details"]] == [(tag, True) for tag in ODD_TAGS]


@pytest.mark.parametrize("part", ["notas", "plano"])
def test_the_card_of_a_tag_that_ends_like_a_path_is_not_the_part_of_another_spool(
    tablet: Tablet, ledger: Database, part: str
) -> None:
    put(ledger, [a_spool("A"), a_spool(longer := f"A/{part}")])
    assert tablet.see(f"/api/spools/A/{part}")["tag_spool"] == "A"
    assert "uniones" in tablet.see(f"/api/spools/A%2F{part}", worker_id=93)
    assert tablet.see(f"/api/spools/A%2f{part}")["tag_spool"] == longer
    assert tablet.see(f"/api/spools/A%2F{part}/{part}")["tag_spool"] == longer
    assert "uniones" not in tablet.see(f"/api/spools/A/%{ord(part[0]):X}{part[1:]}"), "an escaped letter is that letter"
    nothing_to_post = tablet.post(f"/api/spools/A%2F{part}", {"worker_id": 93, "texto": "Ojo"})
    assert nothing_to_post.status_code in (403, 405), "a card takes none; who may not change a drawing hears that first"


def test_an_emoji_younger_than_the_interpreter_is_a_tag_too(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(tag := "MK-\U0001fae8-\U0001fae9")])
    assert done(tablet.tap("TOMAR", tag))["tag_spool"] == tag
    assert tablet.see_spool(tag)["tag_spool"] == tag


def test_tags_are_trimmed_and_composed_and_otherwise_exact(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("Ñandú")])
    decomposed = unicodedata.normalize("NFD", "Ñandú")
    assert done(tablet.tap("TOMAR", f"  {decomposed}\t"))["tag_spool"] == "Ñandú"
    assert tablet.see_spool(f" {decomposed} ")["tag_spool"] == "Ñandú"
    refused(tablet.get(f"/api/spools/{in_path('ñandú')}"), 404, "SPOOL_NO_ENCONTRADO")


def test_what_cannot_be_a_tag_is_refused_in_the_path_too(tablet: Tablet) -> None:
    for where in ("spools", "history"):
        for tag in ("A\0B", "A\x07", "x" * 101, "x" * 5_000, " ", "A\u2028B", "A\x7f"):
            invalid(tablet.get(f"/api/{where}/{in_path(tag)}"), "tag")


def test_a_path_without_a_tag_names_the_tag(tablet: Tablet) -> None:
    invalid(tablet.get("/api/spools/"), "tag")
    invalid(tablet.get("/api/history/"), "tag")
