"""Dossiers over HTTP on both engines: who may have one, in which form, and what is refused."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from python_calamine import CalamineWorkbook

from carrete.domain.workers import Rol
from carrete.identity.records import DeviceKind
from carrete.ledger import open_database
from carrete.settings import Settings
from tests.support.answers import invalid, refused
from tests.support.builders import NOW, TAG, a_joint, a_spool, a_worker, put
from tests.support.drawings import PLANOS, PNG, a_png
from tests.support.pdf_text import pages_of
from tests.support.people import CREW, LP, MI, MR, SV
from tests.support.signed_in import EnrolledTablet, IdentityShop, identity_shop
from tests.support.tablet import in_path

DOSSIER = "/api/dossier"
ADA = a_worker(1, "Ada", "Araya", roles=(Rol.ADMINISTRADOR,))
NINA = a_worker(70, "Nina", "Vega", roles=(Rol.NDT,))
JOINTS = [
    a_joint(n, dn_milli=4_000, tipo="BW", arm_fin=NOW, arm_worker=MR.label, sol_fin=NOW, sol_worker=LP.label)
    for n in (1, 2)
]


@pytest.fixture
def shop(database_url: str, tmp_path: Any) -> Iterator[IdentityShop]:
    settings = Settings(access="pin", database_url=database_url, data=tmp_path, redis_url="off")
    with closing(open_database(database_url)) as database, identity_shop(settings, database) as opened:
        put(
            database, [a_spool(TAG, ot="4711", total_uniones=2), a_spool("OTRO", ot="4711")], [*CREW, ADA, NINA], JOINTS
        )
        yield opened


def signed_in(shop: IdentityShop, worker_id: int) -> EnrolledTablet:
    tablet = shop.tablet(DeviceKind.OFICINA)
    tablet.begin(worker_id)
    return tablet


@pytest.fixture
def supervisor(shop: IdentityShop) -> EnrolledTablet:
    return signed_in(shop, SV.id)


def test_a_supervisor_gets_the_pdf_of_a_spool_twice_the_same(supervisor: EnrolledTablet) -> None:
    answer = supervisor.get(DOSSIER, tag=TAG)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
    assert 'filename="dossier-D-' in answer.headers["content-disposition"]
    assert answer.headers["cache-control"] == "no-store"
    pages = pages_of(answer.content)
    assert TAG in pages[0]
    assert LP.label in "".join(pages)
    assert supervisor.get(DOSSIER, tag=TAG).content == answer.content


def test_a_work_order_has_all_its_spools(supervisor: EnrolledTablet) -> None:
    text = "".join(pages_of(supervisor.get(DOSSIER, ot="4711", idioma="en").content))
    assert "Work order" in text
    assert TAG in text
    assert "OTRO" in text


def test_the_workbook_has_the_same_number(supervisor: EnrolledTablet) -> None:
    answer = supervisor.get(DOSSIER, tag=TAG, formato="xlsx")
    book = CalamineWorkbook.from_filelike(io.BytesIO(answer.content))
    cover: dict[Any, Any] = {row[0]: row[1] for row in book.get_sheet_by_index(0).to_python()}
    assert cover["Número"] in pages_of(supervisor.get(DOSSIER, tag=TAG).content)[0]
    assert ".xlsx" in answer.headers["content-disposition"]


def test_the_drawing_of_a_spool_is_in_its_dossier(supervisor: EnrolledTablet) -> None:
    before = supervisor.get(DOSSIER, tag=TAG).content
    stored = supervisor.send("POST", PLANOS, content=a_png(), headers={"Content-Type": PNG}).json()
    marks = [{"n_union": 1, "x": 500, "y": 500}]
    path = f"/api/spools/{in_path(TAG)}/plano"
    assert supervisor.post(path, {"plano": stored["id"], "version": 0, "marcas": marks}).status_code == 200
    after = supervisor.get(DOSSIER, tag=TAG).content
    assert after != before
    assert "1 de 2 uniones ubicadas" in "".join(pages_of(after))


@pytest.mark.parametrize("worker", [SV, ADA, MI, NINA], ids=lambda worker: worker.label)
def test_quality_and_office_may_have_dossiers(shop: IdentityShop, worker: Any) -> None:
    assert signed_in(shop, worker.id).get("/api/dossier/ots").status_code == 200


def test_a_worker_of_the_floor_and_a_tablet_without_a_person_may_not(shop: IdentityShop) -> None:
    refused(signed_in(shop, MR.id).get(DOSSIER, tag=TAG), 403, "PERMISO_INSUFICIENTE")
    refused(shop.tablet(DeviceKind.OFICINA).get(DOSSIER, tag=TAG), 401, "SESION_REQUERIDA")


def test_only_a_supervisor_or_administrator_changes_a_drawing(shop: IdentityShop) -> None:
    path, body = f"/api/spools/{in_path(TAG)}/plano", {"plano": None, "version": 0}
    for worker in (MR, MI, NINA):
        tablet = signed_in(shop, worker.id)
        refused(tablet.post(path, body), 403, "PERMISO_INSUFICIENTE")
        assert tablet.get(path).status_code == 200
    assert signed_in(shop, ADA.id).post(path, body).status_code == 200


def test_the_work_orders_are_listed_with_how_far_they_are(supervisor: EnrolledTablet) -> None:
    assert supervisor.get("/api/dossier/ots").json() == {
        "ots": [{"ot": "4711", "spools": 2, "aprobados": 0, "uniones": 2}]
    }


def test_what_there_is_not_is_refused(supervisor: EnrolledTablet) -> None:
    refused(supervisor.get(DOSSIER, tag="NADA"), 404, "SPOOL_NO_ENCONTRADO")
    refused(supervisor.get(DOSSIER, ot="NADA"), 404, "OT_NO_ENCONTRADA")
    invalid(supervisor.get(DOSSIER), "ot")
    invalid(supervisor.get(DOSSIER, tag=TAG, ot="4711"), "ot")
    invalid(supervisor.get(DOSSIER, tag=TAG, formato="doc"), "formato")
    invalid(supervisor.get(DOSSIER, tag=TAG, idioma="fr"), "idioma")
