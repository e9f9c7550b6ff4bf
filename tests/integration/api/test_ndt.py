"""Examinations over HTTP: asked for, recorded, repaired; the work list and the repair rates."""

from __future__ import annotations

from typing import Any

import pytest

from carrete.api.ndt import WelderNames, list_json, owed_json
from carrete.domain.ndt.policy import NdtPolicy, NdtRule
from carrete.domain.ndt.sampling import GroupKey, SampleGroup
from carrete.domain.shop import Shop
from carrete.domain.spool import Estado
from carrete.ledger.database import Database
from carrete.ledger.ndt import ExamPage
from carrete.ledger.rows import joint_row
from tests.support.answers import done, invalid, refused, replayed
from tests.support.builders import EARLIER, TAG, a_finished_spool, a_joint, a_spool, put
from tests.support.ndt import exams
from tests.support.people import JS, LP, MI, MR, SV
from tests.support.photos import FOTOS, JPEG, numbered_photo
from tests.support.tablet import Tablet

WELDED: dict[str, Any] = {"arm_fin": EARLIER, "arm_worker": LP.label, "sol_fin": EARLIER, "sol_worker": JS.label}
PERIOD = {"desde": "2026-01-01", "hasta": "2027-01-01"}


@pytest.fixture(autouse=True)
def welded(ledger: Database) -> None:
    spool = a_spool(total_uniones=3, arm=Estado.COMPLETADO, sold=Estado.COMPLETADO)
    put(ledger, [spool], joints=[a_joint(n, **WELDED) for n in (1, 2, 3)])


def ask(tablet: Tablet, *unions: int, metodo: str = "RT", tag: str = TAG, **more: Any) -> Any:
    body = {"tag_spool": tag, "supervisor_id": SV.id, "metodo": metodo, "unions": list(unions)}
    return tablet.post("/api/ndt/solicitar", {**body, **more})


def record(tablet: Tablet, exam: str, resultado: str = "APROBADO", **more: Any) -> Any:
    key = more.pop("key", None)
    body = {"tag_spool": TAG, "worker_id": MI.id, "examen": exam, "resultado": resultado, "informe": "RT-1"}
    rejected = {"defectos": ["POROSIDAD"]} if resultado == "RECHAZADO" else {}
    return tablet.post("/api/ndt/resultado", {**body, **rejected, **more}, key=key)


def work_list(tablet: Tablet, **query: Any) -> Any:
    return tablet.see("/api/ndt", **query)


def test_an_examination_is_asked_for_recorded_and_in_the_history(tablet: Tablet) -> None:
    requested = done(ask(tablet, 1, 2, motivo=" El  cliente "))
    assert requested["message"] == f"Ensayo RT solicitado para las uniones 1, 2 del spool {TAG}."
    assert (requested["action_taken"], requested["operacion"], len(requested["ensayos"])) == ("SOLICITAR", None, 2)
    photo = str(done(tablet.send("POST", FOTOS, content=numbered_photo(0), headers={"Content-Type": JPEG}))["id"])
    first, second = requested["ensayos"]
    answer = done(record(tablet, first, "RECHAZADO", fotos=[photo], informe=" RT - 7 "))
    assert answer["message"] == f"RT rechazado en la unión 1 del spool {TAG}: hay que reparar."
    assert answer["version"] == requested["version"]
    assert done(tablet.post("/api/ndt/reparar", {"tag_spool": TAG, "worker_id": JS.id, "n_union": 1}))["message"] == (
        f"Reparación R1 registrada en la unión 1 del spool {TAG}: falta el reexamen RT."
    )
    kinds = [event["evento_tipo"] for event in tablet.see(f"/api/history/{TAG}")["events"]]
    assert kinds == ["NDT_SOLICITADO", "NDT_SOLICITADO", "NDT_RECHAZADO", "REPARACION_UNION", "NDT_SOLICITADO"]
    (rejected,) = work_list(tablet, estado="RECHAZADO")["ensayos"]
    assert (rejected["informe"], rejected["defectos"], rejected["fotos"]) == ("RT - 7", ["POROSIDAD"], [photo])
    assert (rejected["examinador"], rejected["reparado_por"]) == (MI.label, JS.label)
    card = tablet.see(f"/api/spools/{TAG}")
    assert card["ndt"] == "PENDIENTE"
    assert [joint["ndt_status"] for joint in card["uniones"]] == ["REPARADO", "PENDIENTE", None]
    assert second in [each["id"] for each in work_list(tablet)["ensayos"]]


def test_the_work_list_shows_what_waits_first_and_can_be_filtered_and_paged(tablet: Tablet) -> None:
    (first, _, _) = done(ask(tablet, 1, 2, 3))["ensayos"]
    done(ask(tablet, 1, metodo="PT"))
    done(record(tablet, first))
    found = work_list(tablet)
    assert found["pendientes"] == 3
    assert [(each["n_union"], each["metodo"], each["estado"]) for each in found["ensayos"]] == [
        (2, "RT", "PENDIENTE"),
        (3, "RT", "PENDIENTE"),
        (1, "PT", "PENDIENTE"),
        (1, "RT", "APROBADO"),
    ]
    assert found["metodos"] == ["VT", "PT", "MT", "RT", "UT", "PMI"]
    assert [each["metodo"] for each in work_list(tablet, metodo="pt")["ensayos"]] == ["PT"]
    assert work_list(tablet, ot="OT-otra")["ensayos"] == work_list(tablet, tag="OTRO")["ensayos"] == []
    assert [each["estado"] for each in work_list(tablet, estado="APROBADO")["ensayos"]] == ["APROBADO"]
    paged, cursor = [], ""
    while cursor is not None:
        page = work_list(tablet, limit=1, cursor=cursor)
        paged += page["ensayos"]
        cursor = page["next_cursor"]
    assert paged == found["ensayos"]


def test_what_waits_for_a_repair_is_a_welders_list(tablet: Tablet) -> None:
    (exam,) = done(ask(tablet, 1))["ensayos"]
    assert work_list(tablet, estado="POR_REPARAR")["ensayos"] == []
    done(record(tablet, exam, "RECHAZADO"))
    assert [each["id"] for each in work_list(tablet, estado="POR_REPARAR")["ensayos"]] == [exam]
    assert work_list(tablet, estado="POR_REPARAR", metodo="PT")["ensayos"] == []
    done(tablet.post("/api/ndt/reparar", {"tag_spool": TAG, "worker_id": JS.id, "n_union": 1}))
    assert work_list(tablet, estado="POR_REPARAR")["ensayos"] == []


def test_the_list_of_repairs_is_filtered_before_it_is_cut_and_has_pages(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_finished_spool(tag) for tag in ("COLA-1", "COLA-2")])
    joints = [(TAG, exam) for exam in done(ask(tablet, 1, 2, 3))["ensayos"]]
    spools = [(tag, done(ask(tablet, tag=tag, metodo="PT"))["ensayos"][0]) for tag in ("COLA-1", "COLA-2")]
    for tag, exam in (*joints, *spools):
        done(record(tablet, exam, "RECHAZADO", tag_spool=tag))
    found = [exam for _, exam in (*joints, *spools)]

    def to_repair(**query: Any) -> tuple[list[str], str | None]:
        page = work_list(tablet, estado="POR_REPARAR", **query)
        return [each["id"] for each in page["ensayos"]], page["next_cursor"]

    assert to_repair() == (found, None)
    assert to_repair(metodo="pt", limit=2) == (found[3:], None)
    assert to_repair(tag="COLA-2", limit=1) == (found[4:], None)
    pages: list[list[str]] = []
    cursor: str | None = ""
    while cursor is not None:
        page, cursor = to_repair(limit=2, cursor=cursor)
        pages.append(page)
    assert pages == [found[:2], found[2:4], found[4:]]


def test_the_same_key_gives_the_same_answer(tablet: Tablet, ledger: Database) -> None:
    (exam,) = done(ask(tablet, 1))["ensayos"]
    first = record(tablet, exam, key="k")
    again = record(tablet, exam, key="k")
    assert replayed(again)
    assert again.json() == done(first)
    assert len(exams(ledger)) == 1


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"informe": " "}, "informe"),
        ({"informe": "x" * 61}, "informe"),
        ({"fecha": "2999-01-01"}, "fecha"),
        ({"fecha": "0001-01-01"}, "fecha"),
        ({"fecha": "1949-12-31"}, "fecha"),
        ({"defectos": ["A"] * 2}, "defectos"),
        ({"defectos": [str(n) for n in range(11)]}, "defectos"),
        ({"fotos": ["nada"]}, "fotos.0"),
        ({"examen": "\0"}, "examen"),
        ({"sobra": 1}, "sobra"),
    ],
)
def test_a_result_that_is_not_valid_names_its_field(tablet: Tablet, more: dict[str, Any], field: str) -> None:
    (exam,) = done(ask(tablet, 1))["ensayos"]
    assert invalid(record(tablet, exam, "RECHAZADO", **more), field)


@pytest.mark.parametrize("text", ["\0", "a\0b", "\x1f"])
def test_no_text_of_these_routes_makes_the_server_fail(tablet: Tablet, text: str) -> None:
    (exam,) = done(ask(tablet, 1))["ensayos"]
    answers = [
        ask(tablet, 2, metodo=text),
        ask(tablet, 2, motivo=text),
        ask(tablet, 2, version=text),
        record(tablet, exam, informe=text),
        record(tablet, exam, "RECHAZADO", defectos=[text]),
        record(tablet, exam, version=text),
        tablet.post("/api/ndt/reparar", {"tag_spool": TAG, "worker_id": JS.id, "n_union": 1, "version": text}),
        tablet.post("/api/soldadura/wps", {"wps": text, "procesos": text, "revision": text}),
        tablet.post(f"/api/spools/{TAG}/plano", {"plano": text, "version": 0}),
        *(tablet.get("/api/ndt", **{name: text}) for name in ("estado", "metodo", "ot", "tag", "cursor")),
        tablet.get("/api/ndt/tasas", **PERIOD, por="soldador", metodo=text),
        tablet.get("/api/dossier", ot=text),
        tablet.get("/api/dossier", tag=text),
    ]
    assert [each.status_code for each in answers if each.status_code >= 500] == []


def test_refusals_have_their_status_and_sentence(tablet: Tablet, ledger: Database) -> None:
    (exam,) = done(ask(tablet, 1))["ensayos"]
    refused(ask(tablet, 1), 400, "OPERACION_NO_DISPONIBLE")
    refused(ask(tablet, 9), 404, "UNION_NO_ENCONTRADA")
    refused(record(tablet, "otro"), 404, "ENSAYO_NO_ENCONTRADO")
    refused(record(tablet, exam, worker_id=MR.id), 403, "ROL_NO_AUTORIZADO")
    refused(
        tablet.post("/api/ndt/reparar", {"tag_spool": TAG, "worker_id": JS.id, "n_union": 1}),
        400,
        "OPERACION_NO_DISPONIBLE",
    )
    done(record(tablet, exam))
    refused(record(tablet, exam), 400, "ENSAYO_CERRADO")
    put(ledger, [a_finished_spool("COLA")])
    done(ask(tablet, tag="COLA"))
    approve = {"tag_spool": "COLA", "worker_id": MI.id, "resultado": "APROBADO"}
    refused(tablet.post("/api/metrologia/completar", approve), 400, "NDT_PENDIENTE")
    card = tablet.see("/api/spools/COLA", worker_id=MI.id)
    assert [reason["code"] for reason in card["motivos"] if reason["operacion"] == "METROLOGIA"] == ["NDT_PENDIENTE"]
    assert {"accion": "INSPECCIONAR", "operacion": "METROLOGIA"} in card["acciones"], "it can still be rejected"
    done(tablet.post("/api/metrologia/completar", {**approve, "resultado": "RECHAZADO"}))


@pytest.mark.parametrize("por", ["soldador", "proceso", "metodo", "diametro", "semana"])
def test_repair_rates_show_counts_and_a_rate_only_from_five_on(tablet: Tablet, ledger: Database, por: str) -> None:
    put(ledger, [a_spool("MK-2", total_uniones=5, sold=Estado.COMPLETADO)])
    with ledger.writing() as tx:
        tx.many("joint_insert", [joint_row(a_joint(n, "MK-2", **WELDED)) for n in range(1, 6)])
    rejected, *others = done(ask(tablet, 1, 2, 3))["ensayos"]
    done(record(tablet, rejected, "RECHAZADO"))
    for exam in others:
        done(record(tablet, exam))
    rates = tablet.see("/api/ndt/tasas", **PERIOD, por=por)
    assert (rates["taller"]["examinadas"], rates["taller"]["rechazadas"], rates["taller"]["tasa"]) == (3, 1, None)
    for exam in done(ask(tablet, 1, 2, tag="MK-2"))["ensayos"]:
        done(record(tablet, exam, tag_spool="MK-2"))
    rates = tablet.see("/api/ndt/tasas", **PERIOD, por=por)
    (row,) = rates["filas"]
    assert row["tasa"] == pytest.approx(0.2)
    assert row["desde_95"] < 0.2 < row["hasta_95"]
    assert {name: row[name] for name in rates["taller"]} == rates["taller"]
    expected = {"soldador": JS.label, "proceso": "sin proceso", "metodo": "RT", "diametro": "2 a 4"}
    assert row["clave"] == expected.get(por, row["clave"])
    assert tablet.see("/api/ndt/tasas", **PERIOD, por=por, metodo="PT")["filas"] == []


@pytest.mark.parametrize("por", ["soldador", "proceso", "metodo", "diametro", "semana"])
def test_a_joint_counts_once_in_the_rates_however_often_it_is_examined(
    tablet: Tablet, ledger: Database, por: str
) -> None:
    def counted() -> tuple[int, int, int]:
        (row,) = tablet.see("/api/ndt/tasas", **PERIOD, por=por)["filas"]
        return row["examinadas"], row["rechazadas"], row["reparaciones"]

    for exam in done(ask(tablet, 1, 2))["ensayos"]:
        done(record(tablet, exam))
    assert counted() == (2, 0, 0)
    (again,) = done(ask(tablet, 1))["ensayos"]
    done(record(tablet, again))
    assert counted() == (2, 0, 0)
    (again,) = done(ask(tablet, 1))["ensayos"]
    done(record(tablet, again, "RECHAZADO"))
    assert counted() == (2, 0, 1), "the rejection is a repair, and none of a first examination"
    (third,) = done(ask(tablet, 3))["ensayos"]
    done(record(tablet, third, "RECHAZADO"))
    assert counted() == (3, 1, 2)


def test_what_a_group_owes_is_shown() -> None:
    policy = NdtPolicy(rules=(NdtRule("r1", "RT", 50, "5eed"),), additional=2)
    groups = [
        SampleGroup(GroupKey("r1", "OT-1", "MR(93)", "RT"), welded=4, selected=1),
        SampleGroup(GroupKey("r1", "OT-1", "JS(8)", "RT"), welded=4, selected=2),
        SampleGroup(GroupKey("", "OT-1", "JS(8)", "PT"), owed=2),
    ]
    assert [(row["soldador"], row["metodo"], row["faltan"]) for row in owed_json(groups, policy)] == [
        ("MR(93)", "RT", 1),
        ("JS(8)", "PT", 2),
    ]


def test_what_a_welder_owes_is_shown_to_those_who_see_the_name() -> None:
    shop = Shop(ndt=NdtPolicy(rules=(NdtRule("r1", "RT", 50, "5eed"),)))
    groups = [SampleGroup(GroupKey("r1", "OT-1", who.label, "RT"), welded=4) for who in (JS, MR)]
    for names, expected in [
        (WelderNames(everybody=True), [JS.label, MR.label]),
        (WelderNames(everybody=False, own_id=MR.id), [MR.label]),
        (WelderNames(everybody=False), []),
    ]:
        found = list_json(ExamPage([], None), 0, groups, shop, names)["debidos"]
        assert [row["soldador"] for row in found] == expected
