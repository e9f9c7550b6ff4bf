"""A spool's screen offers what this worker can do now; else it says who has the spool, or what is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from carrete.domain.spool import Operacion
from carrete.domain.workers import Worker
from carrete.ledger.database import Database
from tests.support.browser import Screen, Tablets
from tests.support.builders import a_blocked_spool, a_joint, a_rejected_spool, a_spool, an_armed_spool, held, put
from tests.support.people import CREW, JS, LP, MI, MR, SV
from tests.support.server import RunningServer
from tests.support.tablet import Tablet

pytestmark = pytest.mark.access("open", "pin")
ONE, TWO = (f"MK-1335-CW-25238-{n:03}" for n in (1, 2))
NOTIFY = "Avísame cuando quede libre"
FORGET = "Ya no me avise"
CHIEF = replace(SV, roles=SV.roles | LP.roles)
# What a tablet without room does: everything else is kept, only this cannot be.
NO_ROOM = """const set = Storage.prototype.setItem;
Storage.prototype.setItem = function (name, value) {
    if (name.startsWith("carrete.awaited")) throw new DOMException("full", "QuotaExceededError");
    return set.call(this, name, value);
};"""


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def open_spool(screen: Screen, tag: str = ONE, operacion: str = "ARM") -> Page:
    page = screen.open(f"/trabajo/{operacion}/{tag}")
    screen.is_live()
    page.get_by_role("article").get_by_text("OT-25238").wait_for()  # its card was read
    return page


def is_notified(screen: Screen, label: str = "MR(93)", tag: str = ONE) -> None:
    expect(screen.page.get_by_text(f"{label}: {tag} quedó libre.")).to_be_visible()


@pytest.mark.parametrize("joints", [0, 2])
def test_a_spool_that_somebody_else_has_says_who_and_offers_no_take(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet, joints: int
) -> None:
    put(ledger, [a_spool(ONE, total_uniones=joints)], CREW, [a_joint(n, ONE) for n in range(1, joints + 1)])
    take(api, ONE, LP, by_joint=joints > 0)
    with tablets.one(server.url, worker=MR) as screen:
        page = open_spool(screen)
        panel = page.get_by_role("region", name="Luis Pérez")
        expect(panel).to_contain_text("LP(7)")
        expect(panel).to_contain_text("Armado")
        expect(panel).to_contain_text("desde")
        expect(button(page, NOTIFY)).to_be_visible()
        for name in ("TOMAR", "INICIAR", "LIBERAR"):
            expect(button(page, name)).to_have_count(0)


def take(api: Tablet, tag: str, worker: Worker, *, by_joint: bool = False) -> None:
    body = {"tag_spool": tag, "worker_id": worker.id, "operacion": "ARM"}
    path = "/api/v4/occupation/iniciar" if by_joint else "/api/occupation/tomar"
    assert api.post(path, body).status_code == 200


def test_a_worker_who_asked_is_notified_on_any_screen_when_the_spool_becomes_free(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    put(ledger, [a_spool(ONE), a_spool(TWO)], CREW)
    take(api, ONE, LP)
    with tablets.one(server.url, worker=MR) as screen, tablets.one(server.url, worker=JS) as other:
        other.open("/trabajo/SOLD")
        page = open_spool(screen)
        screen.tap(NOTIFY)
        expect(button(page, FORGET)).to_be_visible()
        screen.open("/operacion")  # also after the page was loaded anew
        screen.is_live()
        assert api.tap("pausar", ONE, LP.id).status_code == 200
        is_notified(screen)
        expect(page.get_by_text("Disponible - ARM pausado, SOLD pendiente")).to_be_visible()
        expect(other.page.get_by_text("quedó libre")).to_have_count(0)
        screen.tap("Ver spool")
        expect(button(page, "TOMAR")).to_be_visible()
        expect(page.get_by_text("quedó libre")).to_have_count(0)
        take(api, ONE, LP)
        assert api.tap("pausar", ONE, LP.id).status_code == 200
        expect(button(page, "TOMAR")).to_be_visible()
        expect(page.get_by_text("quedó libre")).to_have_count(0)  # told once


def test_what_is_asked_for_is_listed_and_can_be_taken_back(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    put(ledger, [a_spool(ONE), a_spool(TWO)], CREW)
    take(api, ONE, LP)
    take(api, TWO, LP)
    with tablets.one(server.url, worker=MR) as screen:
        page = open_spool(screen)
        screen.tap(NOTIFY)
        screen.tap(FORGET)
        expect(button(page, NOTIFY)).to_be_visible()
        screen.tap(NOTIFY)
        open_spool(screen, TWO)
        screen.tap(NOTIFY)
        screen.tap("Volver")
        screen.tap("Avisos pedidos: 2")
        wishes = page.get_by_role("dialog").get_by_role("listitem")
        expect(wishes.filter(has_text=ONE)).to_contain_text("Lo tiene LP(7)")
        wishes.filter(has_text=ONE).get_by_role("button", name=FORGET).click()
        expect(wishes).to_have_count(1)
        wishes.get_by_role("button", name="Ver spool").click()
        expect(page.get_by_role("heading", name=TWO)).to_be_visible()
        assert api.tap("pausar", ONE, LP.id).status_code == 200
        assert api.tap("pausar", TWO, LP.id).status_code == 200
        is_notified(screen, tag=TWO)
        expect(page.get_by_text(f"{ONE} quedó libre")).to_have_count(0)


def test_a_worker_who_comes_back_to_the_tablet_is_notified_then(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    put(ledger, [a_spool(ONE)], CREW)
    take(api, ONE, LP)
    with tablets.one(server.url, worker=MR) as screen:
        page = open_spool(screen)
        screen.tap(NOTIFY)
        screen.tap("Salir")
        screen.choose(JS)  # somebody else meanwhile
        screen.is_live()
        assert api.tap("pausar", ONE, LP.id).status_code == 200
        expect(page.get_by_role("searchbox")).to_be_visible()
        screen.tap("Salir")
        expect(page.get_by_text("quedó libre")).to_have_count(0)
        screen.choose(MR)
        is_notified(screen)


def test_a_tablet_that_can_store_nothing_notifies_all_the_same(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    put(ledger, [a_spool(ONE)], CREW)
    take(api, ONE, LP)
    with tablets.one(server.url, worker=MR) as screen:
        screen.page.add_init_script(NO_ROOM)
        open_spool(screen)
        screen.tap(NOTIFY)
        screen.tap("Volver")
        assert api.tap("pausar", ONE, LP.id).status_code == 200
        is_notified(screen)


def test_a_worker_who_gets_the_spool_meanwhile_is_not_notified(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    put(ledger, [a_spool(ONE)], CREW)
    take(api, ONE, LP)
    with tablets.one(server.url, worker=MR) as screen:
        page = open_spool(screen)
        screen.tap(NOTIFY)
        assert api.tap("pausar", ONE, LP.id).status_code == 200
        is_notified(screen)  # on the spool's own screen too
        screen.tap("TOMAR")
        screen.says(f"MR(93) tiene el spool {ONE} para ARM.")
        screen.is_back_at_the_list()
        expect(page.get_by_role("button", name="Avisos pedidos")).to_have_count(0)


def test_a_supervisor_releases_the_spool_from_its_screen(
    tablets: Tablets, server: RunningServer, ledger: Database, api: Tablet
) -> None:
    put(ledger, [a_spool(ONE)], [*CREW, CHIEF])
    take(api, ONE, LP)
    with tablets.one(server.url, worker=CHIEF) as screen:
        page = open_spool(screen)
        screen.tap("LIBERAR")
        page.get_by_role("dialog").get_by_role("button", name="Trabajador ausente").click()
        screen.tap("LIBERAR")
        expect(button(page, "TOMAR")).to_be_visible()
    assert api.see_events(ONE)[-1] == "LIBERAR_SPOOL"


def test_a_supervisor_finds_the_way_to_unblock(tablets: Tablets, server: RunningServer, ledger: Database) -> None:
    put(ledger, [a_blocked_spool(ONE)], CREW)
    with tablets.one(server.url, worker=SV) as screen:
        page = open_spool(screen, operacion="REPARACION")
        screen.tap("Abrir en Supervisión")
        expect(button(page, "DESBLOQUEAR")).to_be_visible()


def test_a_spool_in_my_hands_for_another_operation_leads_there(
    tablets: Tablets, server: RunningServer, ledger: Database
) -> None:
    put(ledger, [held(a_spool(ONE), MR)], CREW)
    with tablets.one(server.url, worker=MR) as screen:
        page = open_spool(screen, operacion="SOLD")
        expect(button(page, "TOMAR")).to_have_count(0)
        expect(button(page, NOTIFY)).to_have_count(0)
        screen.tap("Ir a Armado")
        expect(button(page, "COMPLETAR")).to_be_visible()


SITUATIONS: dict[str, tuple[Any, str, Worker, str]] = {
    "no materials": (a_spool(ONE, fecha_materiales=None), "ARM", LP, "Aún no llegan los materiales"),
    "not fitted": (a_spool(ONE), "SOLD", JS, "El armado todavía no empieza"),
    "nothing to weld": (a_spool(ONE, total_uniones=2), "SOLD", JS, "No hay uniones armadas por soldar"),
    "done already": (an_armed_spool(ONE), "ARM", LP, "Armado: ya está terminado en este spool."),
    "not finished": (an_armed_spool(ONE), "METROLOGIA", MI, "Falta terminar el armado o la soldadura"),
    "to be repaired": (a_rejected_spool(ONE), "METROLOGIA", MI, "Se inspecciona cuando esté reparado"),
    "not rejected": (an_armed_spool(ONE), "REPARACION", LP, "no hay nada que reparar"),
    "blocked": (a_blocked_spool(ONE), "REPARACION", LP, "Bloqueado tras 3 rechazos. Hable con su supervisor."),
    "no role": (an_armed_spool(ONE), "SOLD", LP, "Usted no tiene el rol para Soldadura"),
    "role lost": (held(an_armed_spool(ONE), LP, Operacion.SOLD), "SOLD", LP, "Usted no tiene el rol para Soldadura"),
}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_what_cannot_be_done_says_why(
    tablets: Tablets, server: RunningServer, ledger: Database, situation: str
) -> None:
    spool, operacion, worker, sentence = SITUATIONS[situation]
    put(ledger, [spool], CREW, [a_joint(n, ONE) for n in range(1, (spool.total_uniones or 0) + 1)])
    with tablets.one(server.url, worker=worker) as screen:
        page = open_spool(screen, operacion=operacion)
        expect(page.locator("[data-why]")).to_contain_text(sentence)
        for name in ("TOMAR", "INICIAR", "COMPLETAR", "FINALIZAR", "APROBADO", NOTIFY):
            expect(button(page, name)).to_have_count(0)


def test_joints_cannot_be_ticked_before_iniciar_and_do_not_look_so(
    tablets: Tablets, server: RunningServer, ledger: Database
) -> None:
    put(ledger, [a_spool(ONE, total_uniones=2)], CREW, [a_joint(n, ONE) for n in (1, 2)])
    with tablets.one(server.url, worker=LP) as screen:
        page = open_spool(screen)
        expect(screen.joint(1)).to_contain_text("Por armar")
        expect(page.get_by_role("checkbox")).to_have_count(0)
        expect(page.get_by_text("Toque INICIAR para marcar las uniones que haga.")).to_be_visible()
        screen.tap("INICIAR")
        screen.go_back()
        screen.pick(ONE)
        expect(page.get_by_role("checkbox")).to_have_count(2)


def test_iniciar_does_not_wait_for_the_joints_that_can_be_ticked(
    tablets: Tablets, server: RunningServer, ledger: Database
) -> None:
    put(ledger, [a_spool(ONE, total_uniones=2)], CREW, [a_joint(n, ONE) for n in (1, 2)])
    with tablets.one(server.url, worker=LP) as screen:
        screen.page.route("**/api/v4/uniones/**", lambda route: None)
        page = screen.open(f"/trabajo/ARM/{ONE}")
        expect(button(page, "INICIAR")).to_be_visible(timeout=5_000)
        expect(screen.joint(2)).to_contain_text("Por armar")
