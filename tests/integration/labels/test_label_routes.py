"""The supervisor's labels over HTTP on both engines: choosing, looking, the PDF, and what the ledger remembers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import pytest

from carrete.domain.workers import Rol
from carrete.identity.people import ChangeAuthor, set_badge
from carrete.identity.records import DeviceKind
from carrete.labels.drawing import LABELS_MAX
from carrete.ledger import open_database
from carrete.settings import Settings
from tests.integration.backups.conftest import rows_of
from tests.support.answers import done, invalid, refused
from tests.support.builders import a_spool, a_worker, put
from tests.support.labels import codes_of, page_sizes_mm
from tests.support.people import CREW, IN, LP, MR, SV
from tests.support.signed_in import EnrolledTablet, IdentityShop, identity_shop

ADA = a_worker(1, "Ada", "Araya", roles=(Rol.ADMINISTRADOR,))
SPOOLS = [
    *(a_spool(f"MK-{n:02}", ot="4711", total_uniones=n) for n in range(5)),
    *(a_spool(f"PT-{n:02}", ot="4712") for n in range(3)),
    a_spool("SIN-OT", ot=None),
    a_spool("RETIRADO", ot="4711", retired=True),
]


@pytest.fixture
def shop(database_url: str, tmp_path: Any) -> Iterator[IdentityShop]:
    settings = Settings(access="pin", database_url=database_url, data=tmp_path, redis_url="off")
    with closing(open_database(database_url)) as database, identity_shop(settings, database) as opened:
        put(database, SPOOLS, [*CREW, ADA])
        yield opened


def signed_in(shop: IdentityShop, worker_id: int) -> EnrolledTablet:
    tablet = shop.tablet(DeviceKind.OFICINA)
    tablet.begin(worker_id)
    return tablet


@pytest.fixture
def supervisor(shop: IdentityShop) -> EnrolledTablet:
    return signed_in(shop, SV.id)


def tags(answer: dict[str, Any]) -> list[str]:
    return [label["tag_spool"] for label in answer["etiquetas"]]


def mark(tablet: EnrolledTablet, *wanted: str) -> dict[str, Any]:
    return done(tablet.post("/api/etiquetas/impresas", {"tags": list(wanted)}))


def test_labels_are_chosen_by_work_order_by_text_or_all_of_them(supervisor: EnrolledTablet) -> None:
    found = supervisor.see("/api/etiquetas")
    assert tags(found) == sorted(spool.tag for spool in SPOOLS if not spool.retired)
    assert found["total"] == 9
    assert found["ots"] == [
        {"ot": "4711", "spools": 5, "sin_imprimir": 5},
        {"ot": "4712", "spools": 3, "sin_imprimir": 3},
    ]
    assert tags(supervisor.see("/api/etiquetas?ot=4712")) == ["PT-00", "PT-01", "PT-02"]
    assert tags(supervisor.see("/api/etiquetas?q=pt-01")) == ["PT-01"]
    assert tags(supervisor.see("/api/etiquetas?q=%00")) == []
    assert found["etiquetas"][3] == {"tag_spool": "MK-03", "ot": "4711", "uniones": 3, "impresa_en": None}


def test_a_label_is_printed_when_a_person_says_so(supervisor: EnrolledTablet, database_url: str) -> None:
    supervisor.post("/api/etiquetas/pdf", {"tags": ["MK-01", "MK-02"]})
    assert supervisor.see("/api/etiquetas?ot=4711")["ots"][0]["sin_imprimir"] == 5
    marked = mark(supervisor, "MK-01", "MK-02", "MK-01")
    assert marked == {"success": True, "impresas": 2}
    assert marked["success"] is True  # 1 is equal to it here, and not for a typed client
    left = supervisor.see("/api/etiquetas?ot=4711&sin_imprimir=true")
    assert (tags(left), left["total"]) == (["MK-00", "MK-03", "MK-04"], 3)
    assert left["ots"][0] == {"ot": "4711", "spools": 5, "sin_imprimir": 3}
    (printed,) = supervisor.see("/api/etiquetas?q=mk-01")["etiquetas"]
    age = datetime.now(UTC) - datetime.fromisoformat(printed["impresa_en"])
    assert abs(age.total_seconds()) < 60
    mark(supervisor, "MK-01")
    assert remembered(database_url) == [("MK-01", SV.id, 2), ("MK-02", SV.id, 1)]


def remembered(database_url: str) -> list[tuple[str, int | None, int]]:
    return rows_of(database_url, "label_print", "tag, by_id, times")


def test_of_a_list_with_an_unknown_tag_nothing_is_marked_and_no_pdf_is_made(
    supervisor: EnrolledTablet, database_url: str
) -> None:
    for path in ("/api/etiquetas/impresas", "/api/etiquetas/pdf"):
        for unknown in ("NADIE", "RETIRADO"):
            answer = supervisor.post(path, {"tags": ["MK-01", unknown]})
            refused(answer, 404, "SPOOL_NO_ENCONTRADO", tag_spool=unknown)
    assert remembered(database_url) == []


@pytest.mark.parametrize(
    ("formato", "pages", "size"),
    [("a4-3x8", 1, (210, 297)), ("rollo-62", 3, (62, 29)), ("rollo-100x50", 3, (100, 50)), ("a4-libre", 1, (210, 297))],
)
def test_the_pdf_has_the_labels_in_the_order_asked_for(
    supervisor: EnrolledTablet, formato: str, pages: int, size: tuple[int, int]
) -> None:
    wanted = ["PT-02", "MK-01", "SIN-OT"]
    answer = supervisor.post("/api/etiquetas/pdf", {"tags": [*wanted, "MK-01"], "formato": formato})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
    assert answer.headers["content-disposition"] == 'attachment; filename="etiquetas.pdf"'
    assert answer.headers["cache-control"] == "no-store"
    assert [code.text for code in codes_of(answer.content)] == wanted
    assert page_sizes_mm(answer.content) == [size] * pages


def test_the_code_can_be_the_address_of_the_card(supervisor: EnrolledTablet) -> None:
    answer = supervisor.post("/api/etiquetas/pdf", {"tags": ["MK-01"], "codigo": "direccion"})
    (code,) = codes_of(answer.content)
    assert code.text.startswith("http")
    assert code.text.endswith("/s/MK-01")


def test_the_sheets_to_look_at_are_those_of_the_pdf(supervisor: EnrolledTablet) -> None:
    grid = {"columnas": 2, "filas": 3, "margen_superior_mm": 5, "separacion_horizontal_mm": 2.5}
    body = {"tags": ["MK-01", "NADIE", "MK-02"], "formato": "a4-libre", "cuadricula": grid, "saltar": 5}
    found = done(supervisor.post("/api/etiquetas/hojas", body))
    facts = ("ancho_mm", "alto_mm", "total_hojas", "por_hoja", "etiquetas")
    assert [found[name] for name in facts] == [210.0, 297.0, 2, 6, 2]
    assert (found["desconocidos"], found["avisos"]) == (["NADIE"], [])
    first, second = found["hojas"]
    assert "".join(text["texto"] for text in first["textos"] if text["negrita"]) == "MK-01"
    assert "".join(text["texto"] for text in second["textos"] if text["negrita"]) == "MK-02"
    (code,) = first["codigos"]
    assert code["lado"] == 21
    assert code["modulo"] * code["lado"] >= 20
    assert code["trazo"].startswith("M0 0h7v1h-7z")
    only = done(supervisor.post("/api/etiquetas/hojas", {**body, "solo_primera": True}))
    assert (only["hojas"], only["total_hojas"], only["etiquetas"]) == ([first], 2, 2)


def test_sheets_of_unknown_tags_only_are_none(supervisor: EnrolledTablet) -> None:
    found = done(supervisor.post("/api/etiquetas/hojas", {"tags": ["NADIE"]}))
    assert (found["hojas"], found["total_hojas"], found["desconocidos"]) == ([], 0, ["NADIE"])


def test_what_cannot_be_printed_is_refused_with_the_field(supervisor: EnrolledTablet) -> None:
    def answer(**body: Any) -> Any:
        return supervisor.post("/api/etiquetas/pdf", {"tags": ["MK-01"], **body})

    invalid(answer(tags=[]), "tags")
    invalid(answer(tags=[f"T-{n}" for n in range(LABELS_MAX + 1)]), "tags")
    invalid(answer(formato="a3"), "formato")
    invalid(answer(saltar=-1), "saltar")
    assert "24 etiquetas" in invalid(answer(saltar=24), "saltar")["detail"]
    assert answer(saltar=23).status_code == answer(saltar=23, formato="rollo-62").status_code == 200
    invalid(answer(formato="a4-libre", cuadricula={"columnas": 7, "filas": 8}), "cuadricula")
    invalid(answer(formato="a4-libre", cuadricula={"columnas": 0, "filas": 8}), "cuadricula.columnas")
    invalid(answer(formato="a4-libre", cuadricula={"columnas": 2, "filas": 2, "color": 1}), "cuadricula.color")


def test_labels_are_the_supervisors_and_the_administrators(shop: IdentityShop, supervisor: EnrolledTablet) -> None:
    worker, administrator = signed_in(shop, MR.id), signed_in(shop, ADA.id)
    refused(worker.get("/api/etiquetas"), 403, "PERMISO_INSUFICIENTE")
    for path in ("pdf", "hojas", "impresas", "credenciales"):
        refused(worker.post(f"/api/etiquetas/{path}", {"tags": ["MK-01"]}), 403, "PERMISO_INSUFICIENTE")
    assert administrator.see("/api/etiquetas")["total"] == 9


def test_only_an_administrator_prints_badges(shop: IdentityShop, supervisor: EnrolledTablet) -> None:
    """In the mode `device` a badge is all that a floor worker needs to sign in."""
    refused(supervisor.post("/api/etiquetas/credenciales", {}), 403, "PERMISO_INSUFICIENTE")
    refused(supervisor.post("/api/personas/badges", {}), 403, "PERMISO_INSUFICIENTE")


def test_badge_cards_are_of_active_people_with_a_badge(shop: IdentityShop) -> None:
    administrator = signed_in(shop, ADA.id)
    refused(administrator.post("/api/etiquetas/credenciales", {}), 404, "SIN_CREDENCIALES")
    with shop.database.writing() as tx:
        for person, code in ((MR, "B-93"), (LP, "B-7")):
            set_badge(tx, person.id, code, ChangeAuthor(datetime.now(UTC)))
    everybody = administrator.post("/api/etiquetas/credenciales", {})
    assert sorted(code.text for code in codes_of(everybody.content)) == ["B-7", "B-93"]
    one = administrator.post("/api/etiquetas/credenciales", {"personas": [MR.id, SV.id]})
    assert [code.text for code in codes_of(one.content)] == ["B-93"]
    refused(administrator.post("/api/etiquetas/credenciales", {"personas": [SV.id]}), 404, "SIN_CREDENCIALES")


def test_people_without_a_badge_get_one_that_nobody_can_guess(shop: IdentityShop) -> None:
    administrator = signed_in(shop, ADA.id)
    with shop.database.writing() as tx:
        set_badge(tx, MR.id, "B-93", ChangeAuthor(datetime.now(UTC)))
    active = [person for person in (*CREW, ADA) if person.activo]
    assert done(administrator.post("/api/personas/badges", {})) == {"dadas": len(active) - 1}
    assert done(administrator.post("/api/personas/badges", {})) == {"dadas": 0}
    badges = {each["id"]: each["badge"] for each in administrator.see("/api/personas")["personas"]}
    assert badges[MR.id] == "B-93"
    assert badges[IN.id] is None, "somebody who left"
    given = [badge for badge in badges.values() if badge not in (None, "B-93")]
    assert len({*given}) == len(active) - 1
    assert all(len(badge) == 10 for badge in given)
    cards = administrator.post("/api/etiquetas/credenciales", {})
    assert sorted(code.text for code in codes_of(cards.content)) == sorted([*given, "B-93"])
