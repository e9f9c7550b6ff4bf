"""Several tablets in one shop: each sees what the others do, within a moment and without a touch."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Request, expect

from carrete.ledger.database import Database
from tests.support.browser import Screen, Tablets
from tests.support.builders import a_finished_spool, a_joint, a_spool, put
from tests.support.floor_access import FloorServers
from tests.support.people import AY, CREW, LP, MI, MR, SV
from tests.support.server import RunningServer, stop
from tests.support.tablet import Tablet

pytestmark = pytest.mark.access("open", "pin")
ONE, TWO, THREE = (f"MK-1335-CW-25238-{n:03}" for n in (1, 2, 3))


def test_two_tablets_see_each_others_moves(tablets: Tablets, server: RunningServer, ledger: Database) -> None:
    put(ledger, [a_spool(ONE), a_spool(TWO)], CREW)
    with tablets.one(server.url, worker=LP) as mine, tablets.one(server.url, worker=MR) as other:
        mine.open("/trabajo/ARM")
        other.open("/trabajo/ARM")
        mine.is_live()
        other.is_live()
        mine.pick(ONE)
        mine.tap("TOMAR")
        mine.says(f"LP(7) tiene el spool {ONE} para ARM.")
        expect(other.row(ONE)).to_contain_text("Lo tiene LP(7)")
        expect(other.row(TWO)).not_to_contain_text("Lo tiene")
        mine.is_back_at_the_list()
        mine.pick(ONE)
        mine.tap("COMPLETAR")
        expect(other.row(ONE)).to_have_count(0)
        expect(other.row(TWO)).to_be_visible()


def test_on_two_shared_tablets_each_tap_is_recorded_for_the_person_who_tapped(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    put(ledger, [a_spool(ONE), a_spool(TWO)], CREW)
    with tablets.one(server.url, worker=LP) as first, tablets.one(server.url, worker=AY) as second:
        for screen, tag, label in ((first, ONE, LP.label), (second, TWO, AY.label)):
            screen.open("/trabajo/ARM")
            screen.pick(tag)
            screen.tap("TOMAR")
            screen.says(f"{label} tiene el spool {tag} para ARM.")
            screen.is_back_at_the_list()
            screen.tap("Salir")
        first.choose(AY)
        second.choose(LP)
        for screen, tag, other in ((first, TWO, ONE), (second, ONE, TWO)):
            screen.open("/trabajo/ARM")
            expect(screen.mine()).to_have_count(1)  # each finds what is theirs, on the other tablet
            expect(screen.mine()).to_have_attribute("data-tag", tag)
            screen.pick(tag)
            screen.tap("COMPLETAR")
            screen.says(f"ARM completada en el spool {tag}.")
            expect(screen.row(other)).to_have_count(0)
    for tag, label in ((ONE, LP.label), (TWO, AY.label)):
        done = [(event["evento_tipo"], event["worker"]) for event in api.see_history(tag)["events"]]
        assert done == [("TOMAR_SPOOL", label), ("COMPLETAR_ARM", label)]


def test_a_spool_that_becomes_free_comes_into_the_list(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    put(ledger, [a_spool(ONE), a_spool(TWO), a_spool(THREE)], CREW)
    assert api.tap("tomar", TWO, LP.id).status_code == 200
    with tablets.one(server.url, worker=MR) as screen:
        screen.open("/trabajo/ARM")
        screen.is_live()
        screen.row(THREE).wait_for()
        expect(screen.row(TWO)).to_have_count(0)
        assert api.tap("pausar", TWO, LP.id).status_code == 200
        expect(screen.page.locator("[data-tag]")).to_have_count(3)
        assert [row.get_attribute("data-tag") for row in screen.page.locator("[data-tag]").all()] == [ONE, TWO, THREE]


def test_a_spool_taken_between_list_and_tap_is_refused_in_the_servers_words(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    put(ledger, [a_spool(ONE, total_uniones=1)], CREW, [a_joint(1, ONE)])
    with tablets.one(server.url, worker=LP, allow=["/api/sse/stream", "409"]) as screen:
        screen.page.route("**/api/sse/stream", lambda route: route.abort())  # this tablet gets no event
        screen.open("/trabajo/ARM")
        screen.pick(ONE)
        screen.joint(1).wait_for()
        body = {"tag_spool": ONE, "worker_id": MR.id, "operacion": "ARM"}
        assert api.post("/api/v4/occupation/iniciar", body).status_code == 200
        screen.tap("INICIAR")
        screen.says(f"El spool {ONE} lo tiene MR(93) para ARM.", tone="bad")
        expect(screen.page.locator("[data-connection=polled]")).to_be_visible()
        screen.tap("Volver")
        expect(screen.row(ONE)).to_contain_text("Lo tiene MR(93)")
        screen.pick(ONE)  # anyway
        expect(screen.page.get_by_role("region", name="Mauricio Rodríguez")).to_be_visible()
        expect(screen.page.get_by_role("button", name="INICIAR", exact=True)).to_have_count(0)


def test_a_worker_whose_spool_the_supervisor_freed_is_told(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    put(ledger, [a_spool(ONE), a_spool(TWO)], CREW)
    for tag in (ONE, TWO):
        assert api.tap("tomar", tag, LP.id).status_code == 200
    with tablets.one(server.url, worker=LP) as screen:
        screen.open("/trabajo/ARM")
        screen.is_live()
        expect(screen.mine()).to_have_count(2)
        liberar(api, ONE, "fin de turno")
        expect(screen.page.get_by_text(f"SV(21) liberó su spool {ONE}: fin de turno")).to_be_visible()
        expect(screen.mine()).to_have_count(1)
        screen.tap("Salir")
        liberar(api, TWO, "se necesita en otra mesa")  # while nobody is at the tablet
        screen.choose(LP)
        expect(screen.page.get_by_text(f"SV(21) liberó su spool {TWO}: se necesita en otra mesa")).to_be_visible()


def liberar(api: Tablet, tag: str, motivo: str) -> None:
    body = {"tag_spool": tag, "supervisor_id": SV.id, "motivo": motivo}
    assert api.post("/api/occupation/liberar", body).status_code == 200


def test_a_worker_who_loses_a_role_or_the_job_is_told_and_no_longer_offered_it(
    tablets: Tablets, server: RunningServer, ledger: Database
) -> None:
    put(ledger, [a_spool(ONE)], CREW)
    with tablets.one(server.url, worker=MR, allow=["403"]) as screen:
        screen.open("/trabajo/ARM")
        screen.pick(ONE)
        expect(screen.page.get_by_role("button", name="TOMAR", exact=True)).to_be_visible()  # offered before
        with ledger.writing() as tx:
            tx.run("role_upsert", worker_id=MR.id, rol="Armador", activo=0)
        screen.tap("TOMAR")
        screen.says("MR(93) no tiene el rol para ARM: se necesita Armador o Ayudante.", tone="bad")
        screen.tap("Volver")
        expect(screen.page.get_by_role("link", name="Armado")).to_have_count(0)
        expect(screen.page.get_by_role("link", name="Soldadura")).to_be_visible()
        expect(screen.page.get_by_text("Usted no tiene el rol para Armado.")).to_be_visible()
        with ledger.writing() as tx:
            tx.run("worker_upsert", id=MR.id, nombre=MR.nombre, apellido=MR.apellido, activo=0)
        screen.open(f"/trabajo/SOLD/{ONE}")
        screen.page.get_by_role("heading", name="¿Quién es usted?").wait_for()
        expect(screen.page.get_by_text("MR(93) ya no está activo. Hable con su supervisor.")).to_be_visible()


def test_a_shop_without_spools_says_where_they_come_from_and_shows_the_first_by_itself(
    tablets: Tablets, server: RunningServer, ledger: Database
) -> None:
    put(ledger, [], CREW)
    with tablets.one(server.url, worker=LP) as screen:
        screen.page.clock.install()
        screen.open("/trabajo/ARM")
        expect(screen.page.get_by_text("Todavía no hay spools en el taller.")).to_be_visible()
        put(ledger, [a_finished_spool(TWO)])
        screen.page.clock.fast_forward(11_000)
        expect(screen.page.get_by_text("No hay spools para esta operación en este momento.")).to_be_visible()
        put(ledger, [a_spool(ONE)])
        screen.page.clock.fast_forward(11_000)
        expect(screen.row(ONE)).to_be_visible()


def test_inspection_and_repair_from_the_queue_to_approval(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    put(ledger, [a_finished_spool(ONE)], CREW)
    with tablets.one(server.url, worker=MI) as inspector, tablets.one(server.url, worker=LP) as fitter:
        fitter.open("/trabajo/REPARACION")
        fitter.is_live()
        inspector.open()  # one role: straight to the queue
        inspector.pick(ONE)
        inspector.tap("RECHAZADO")
        inspector.tap("No, volver")
        inspector.tap("RECHAZADO")
        inspector.tap("RECHAZADO")
        inspector.says(f"Spool {ONE} rechazado (ciclo 1/3): pasa a reparación.")
        fitter.pick(ONE)  # it came by itself
        fitter.tap("TOMAR")
        fitter.says(f"LP(7) tiene el spool {ONE} para REPARACION.")
        fitter.is_back_at_the_list()
        fitter.pick(ONE)
        fitter.tap("COMPLETAR")
        fitter.says(f"REPARACION completada en el spool {ONE}.")
        inspector.is_back_at_the_list()
        inspector.pick(ONE)
        inspector.tap("APROBADO")
        inspector.says(f"Spool {ONE} aprobado por metrología.")
    assert api.see_events(ONE) == [
        *("METROLOGIA_RECHAZADO", "TOMAR_REPARACION", "COMPLETAR_REPARACION", "METROLOGIA_APROBADO"),
    ]


def test_a_stream_that_broke_resumes_where_it_was(
    tablets: Tablets, servers: FloorServers, ledger_url: str, ledger: Database, tmp_path: Path, api: Tablet
) -> None:
    put(ledger, [a_spool(ONE), a_spool(TWO)], CREW)
    first = servers.start(ledger_url, tmp_path)
    last_event_ids: list[str | None] = []
    try:
        with tablets.one(first.url, worker=MR, allow=["ERR_", "/api/"]) as screen:
            screen.page.on("request", lambda request: note_resume(request, last_event_ids))
            screen.open("/trabajo/ARM")
            screen.is_live()
            screen.row(ONE).wait_for()
            first.kill()
            expect(screen.page.locator("[data-connection=offline]")).to_be_visible()
            assert api.tap("tomar", ONE, LP.id).status_code == 200  # the shop goes on through another process
            again = servers.start(ledger_url, tmp_path, "--port", first.url.rpartition(":")[2])
            try:
                screen.is_live()
                is_not_offered(screen, ONE)
                resumed = last_event_ids[1:]  # when the second one ends, the page asks for what came after
            finally:
                stop(again)
    finally:
        stop(first)
    assert last_event_ids[0] is None
    assert set(resumed) == {"0"}, last_event_ids  # from where the first one was


def is_not_offered(screen: Screen, tag: str) -> None:
    """Greyed where it stands, or gone when the list was read anew meanwhile."""
    expect(screen.row(tag).filter(has_not_text="Lo tiene LP(7)")).to_have_count(0)


def note_resume(request: Request, last_event_ids: list[str | None]) -> None:
    if "/api/sse/stream" in request.url:
        last_event_ids.append(request.headers.get("last-event-id"))
