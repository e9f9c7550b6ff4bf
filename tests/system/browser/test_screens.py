"""Every screen, in both themes and at four sizes: axe finds nothing, nothing overflows, everything can be hit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

import httpx
import pytest
from playwright.sync_api import Route, expect

from carrete.domain.spool import Estado
from carrete.ledger import open_database
from tests.conftest import migrated
from tests.support.browser import SIZES, Screen, Tablets, Theme, look, overflow_px, small_targets, violations
from tests.support.builders import (
    EARLIER,
    a_blocked_spool,
    a_finished_spool,
    a_joint,
    a_rejected_spool,
    a_spool,
    held,
    put,
)
from tests.support.local import LOCAL
from tests.support.people import CREW, JS, LP, MI, MR, SV
from tests.support.server import RunningServer, running_server
from tests.support.tablet import Tablet
from tests.support.wedge import ENTER, read_code

THEMES: tuple[Theme, ...] = ("light", "dark")
EVERY_LOOK = list(product(THEMES, SIZES))
FREED = "MK-1335-CW-25238-004"
FREE, MINE, THEIRS = "MK-1335-CW-25238-001", "MK-1335-CW-25238-002", "MK-1335-CW-25238-003"
JOINTS, MY_JOINTS = "MK-1335-CW-25238-010", "MK-1335-CW-25238-011"
EXAMINED = "MK-1335-CW-25238-012"
QUEUED, REJECTED = "MK-1335-CW-25238-020", "MK-1335-CW-25238-021"
WITHOUT, BLOCKED = "MK-1335-CW-25238-030", "MK-1335-CW-25238-031"
LONG = "TAG-" + "WWWW" * 24  # a hundred characters without a place to break
EVERYBODY = replace(MR, roles=MR.roles | MI.roles)
WHEN = "2026-11-16T10:30:00-03:00"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One of each that a screen shows in its own way."""
    folder = tmp_path_factory.mktemp("shop")
    url = f"sqlite:///{folder / 'carrete.db'}"
    migrated(url)
    ledger = open_database(url)
    done = {"arm_fin": EARLIER, "arm_worker": "LP(7)"}
    joints = [a_joint(n, JOINTS) for n in range(1, 4)]
    joints += [a_joint(n, MY_JOINTS, **(done if n < 5 else {})) for n in range(1, 13)]
    by_joint = a_spool(MY_JOINTS, total_uniones=12, arm=Estado.PAUSADO)
    spools = [a_spool(FREE), held(a_spool(MINE), EVERYBODY), held(a_spool(THEIRS), JS), a_spool(LONG), a_spool(FREED)]
    spools += [a_spool(JOINTS, total_uniones=3), held(by_joint, EVERYBODY)]
    spools += [a_finished_spool(QUEUED), a_rejected_spool(REJECTED, ciclo=2)]
    spools += [a_spool(WITHOUT, fecha_materiales=None), a_blocked_spool(BLOCKED)]
    examined = {**done, "sol_fin": EARLIER, "sol_worker": JS.label}
    spools.append(a_spool(EXAMINED, total_uniones=7, arm=Estado.COMPLETADO, sold=Estado.COMPLETADO))
    joints += [a_joint(n, EXAMINED, **examined) for n in range(1, 8)]
    put(ledger, spools, [EVERYBODY, *(worker for worker in CREW if worker.id != EVERYBODY.id)], joints)
    ledger.close()
    with running_server(url, folder) as running, running.tablet() as api:
        assert api.tap("tomar", FREED, EVERYBODY.id).status_code == 200
        examine(api)
        yield running


def examine(api: Tablet) -> None:
    """One joint waits for its examination, the other for its repair."""
    body = {"tag_spool": EXAMINED, "supervisor_id": SV.id, "metodo": "RT", "unions": [1, 2, 3, 4, 5, 6]}
    _, second, *others = api.post("/api/ndt/solicitar", body).json()["ensayos"]
    result = {"tag_spool": EXAMINED, "worker_id": MI.id, "examen": second, "resultado": "RECHAZADO"}
    found = {"informe": "RT-2026-118", "defectos": ["POROSIDAD", "FALTA_PENETRACION"]}
    assert api.post("/api/ndt/resultado", {**result, **found}).status_code == 200
    for exam in others:
        approved = {**result, "examen": exam, "resultado": "APROBADO", "informe": "RT-2026-119"}
        assert api.post("/api/ndt/resultado", approved).status_code == 200


def examinations(screen: Screen) -> None:
    screen.open("/ensayos")
    screen.page.locator("[data-exam]").first.wait_for()


def repairs(screen: Screen) -> None:
    screen.open("/ensayos")
    screen.page.get_by_text("Por reparar", exact=True).click()
    screen.page.get_by_role("button", name="Reparada").wait_for()


def rates(screen: Screen) -> None:
    screen.open("/ensayos")
    screen.page.get_by_text("Tasas", exact=True).click()
    screen.page.get_by_role("table").wait_for()


def a_result(screen: Screen) -> None:
    examinations(screen)
    screen.tap("Resultado")
    screen.page.get_by_role("dialog").get_by_text("Rechazado", exact=True).click()
    screen.page.get_by_text("FALTA_PENETRACION").wait_for()


def the_list(screen: Screen) -> None:
    screen.open("/trabajo/ARM")
    screen.row(FREE).wait_for()


def a_question(screen: Screen) -> None:
    screen.open(f"/trabajo/ARM/{MINE}")
    screen.tap("PAUSAR")


def ticked_joints(screen: Screen) -> None:
    screen.open(f"/trabajo/ARM/{MY_JOINTS}")
    screen.joint(5).click()
    expect(screen.page.get_by_text("Seleccionadas: 1/8 | Pulgadas: 4")).to_be_visible()


def several_chosen(screen: Screen) -> None:
    the_list(screen)
    screen.tap("Elegir varios")
    screen.row(FREE).click()


def unsent(screen: Screen) -> None:
    screen.page.route("**/api/occupation/*", lambda route: route.abort())
    screen.open(f"/trabajo/ARM/{FREE}")
    screen.tap("TOMAR")
    expect(screen.page.get_by_text(f"Sin enviar: TOMAR {FREE}")).to_be_visible()


def refused(screen: Screen) -> None:
    refusal = {"status": 409, "code": "SPOOL_OCCUPIED", "detail": f"El spool {FREE} lo tiene JS(8) para ARM."}
    screen.page.route("**/api/occupation/tomar", lambda route: route.fulfill(status=409, json=refusal))
    screen.open(f"/trabajo/ARM/{FREE}")
    screen.tap("TOMAR")
    expect(screen.page.locator("[data-outcome=bad]")).to_be_visible()


def held_by_another(screen: Screen) -> None:
    screen.open(f"/trabajo/ARM/{THEIRS}")
    screen.page.get_by_role("region", name="Juana Soto").wait_for()


def awaited(screen: Screen) -> None:
    held_by_another(screen)
    screen.tap("Avísame cuando quede libre")
    expect(screen.page.get_by_text("Le avisaremos en este tablet.")).to_be_visible()


def all_that_is_awaited(screen: Screen) -> None:
    awaited(screen)
    screen.tap("Volver")
    screen.tap("Avisos pedidos: 1")


def the_awaited_is_free(screen: Screen) -> None:
    """The spool was free all along: the tablet believes so at its next look."""
    kept = json.dumps([{"tag": JOINTS, "operacion": "ARM"}])
    screen.page.add_init_script(f"localStorage.setItem('carrete.awaited.{EVERYBODY.id}', {json.dumps(kept)})")
    screen.open(f"/trabajo/ARM/{FREE}")
    expect(screen.page.get_by_text(f"{JOINTS} quedó libre")).to_be_visible()


def another_workflow(screen: Screen) -> None:
    """Engineering counts the joints of a spool whose screen is open."""

    def by_joint_now(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "version_workflow": "v4.0", "total_uniones": 3})

    screen.open(f"/trabajo/ARM/{MINE}")
    screen.page.get_by_role("button", name="COMPLETAR", exact=True).wait_for()
    screen.page.route(f"**/api/spools/{MINE}?*", by_joint_now)
    screen.page.evaluate("dispatchEvent(new Event('visibilitychange'))")
    expect(screen.page.get_by_role("button", name="Ver uniones")).to_be_visible()


def moved_to_the_joints(screen: Screen) -> None:
    refusal = {"status": 409, "code": "WRONG_VERSION", "detail": "…", "version_workflow": "v4.0"}
    screen.page.route("**/api/occupation/completar", lambda route: route.fulfill(status=409, json=refusal))
    screen.open(f"/trabajo/ARM/{MINE}")
    screen.tap("COMPLETAR")
    expect(screen.page.get_by_text("No se registró nada.")).to_be_visible()


def a_notice(screen: Screen) -> None:
    """A spool that the supervisor frees while its holder has another one open."""
    screen.open(f"/trabajo/ARM/{MY_JOINTS}")
    screen.is_live()
    screen.row(FREED).wait_for(state="attached")
    body = {"tag_spool": FREED, "supervisor_id": SV.id, "motivo": "fin de turno"}
    httpx.post(f"{screen.url}/api/occupation/liberar", json=body, **LOCAL).raise_for_status()
    expect(screen.page.get_by_text(f"SV(21) liberó su spool {FREED}")).to_be_visible()


def settings(screen: Screen) -> None:
    the_list(screen)
    screen.tap("Idioma y pantalla")


def opened(path: str, button: str) -> Callable[[Screen], None]:
    def prepare(screen: Screen) -> None:
        screen.open(path)
        screen.page.get_by_role("button", name=button, exact=True).wait_for()

    return prepare


def why_not(path: str) -> Callable[[Screen], None]:
    def prepare(screen: Screen) -> None:
        screen.open(path).locator("[data-why]").wait_for()

    return prepare


def an_unknown_code(screen: Screen) -> None:
    the_list(screen)
    read_code(screen.page, "MK-1335-CW-25238-0O4" + ENTER)
    screen.page.locator("[data-near]").first.wait_for()


def no_camera(screen: Screen) -> None:
    the_list(screen)
    missing = "navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', 'NotFoundError'); }"
    screen.page.evaluate(f"() => {{ {missing} }}")
    screen.tap("Escanear")
    screen.page.get_by_text("Este equipo no tiene cámara.").wait_for()


def handing_over(screen: Screen) -> None:
    screen.open(f"/trabajo/ARM/{MY_JOINTS}")
    screen.tap("Entregar a…")
    screen.page.locator("[data-receiver]").first.wait_for()


def offers(screen: Screen) -> None:
    """One by this worker, and two to this worker."""
    offer = {"id": "1", "tag_spool": MINE, "operacion": "ARM", "de": EVERYBODY.label, "de_id": EVERYBODY.id}
    offer |= {"receptor": LP.label, "receptor_id": LP.id, "ofrecido_en": WHEN, "vence": WHEN}
    mine = {**offer, "tag_spool": LONG, "de": LP.label, "receptor": EVERYBODY.label, "receptor_id": EVERYBODY.id}
    lists = {"recibidos": [mine, {**mine, "id": "2"}], "ofrecidos": [offer]}
    screen.page.route("**/api/relevos?*", lambda route: route.fulfill(json=lists))
    screen.open(f"/trabajo/ARM/{MINE}")
    screen.page.get_by_text("Ofrecido a LP(7).").wait_for()
    screen.page.locator("[data-relevo]").wait_for()


OF_A_WORKER: dict[str, Callable[[Screen], None]] = {
    "operations": opened("/operacion", "Salir"),
    "list": the_list,
    "several chosen": several_chosen,
    "whole, free": opened(f"/trabajo/ARM/{FREE}", "TOMAR"),
    "whole, mine": opened(f"/trabajo/ARM/{MINE}", "COMPLETAR"),
    "a long tag": opened(f"/trabajo/ARM/{LONG}", "TOMAR"),
    "question": a_question,
    "handing over": handing_over,
    "offers": offers,
    "refused": refused,
    "held by another": held_by_another,
    "awaited": awaited,
    "all that is awaited": all_that_is_awaited,
    "the awaited is free": the_awaited_is_free,
    "mine for another operation": opened(f"/trabajo/SOLD/{MINE}", "Ir a Armado"),
    "another workflow": another_workflow,
    "moved to the joints": moved_to_the_joints,
    "no materials": why_not(f"/trabajo/ARM/{WITHOUT}"),
    "blocked": why_not(f"/trabajo/REPARACION/{BLOCKED}"),
    "joints, free": opened(f"/trabajo/ARM/{JOINTS}", "INICIAR"),
    "joints, ticked": ticked_joints,
    "inspection": opened(f"/trabajo/METROLOGIA/{QUEUED}", "APROBADO"),
    "repair": opened(f"/trabajo/REPARACION/{REJECTED}", "TOMAR"),
    "an unknown code": an_unknown_code,
    "no camera": no_camera,
    "settings": settings,
    "my day": opened("/mi-dia", "Volver"),
    "examinations": examinations,
    "a result": a_result,
    "repairs of joints": repairs,
    "repair rates": rates,
    "examined spool": opened(f"/trabajo/SOLD/{EXAMINED}", "Reparada"),
    "not found": opened("/nada", "Ir al inicio"),
    "unsent": unsent,
    "a notice": a_notice,
}


@pytest.mark.parametrize("name", OF_A_WORKER)
def test_a_workers_screen_is_accessible(tablets: Tablets, shop: RunningServer, name: str) -> None:
    provoked = ["409", "ERR_FAILED"]
    with tablets.one(shop.url, for_axe=True, worker=EVERYBODY, allow=provoked) as screen:
        OF_A_WORKER[name](screen)
        assert complaints(screen) == []


def test_the_first_screen_is_accessible(tablets: Tablets, shop: RunningServer) -> None:
    with tablets.one(shop.url, for_axe=True) as screen:
        screen.open().get_by_role("button", name=LP.nombre).first.wait_for()
        assert complaints(screen) == []


def test_the_first_screen_of_a_tablet_that_keeps_nothing_is_accessible(tablets: Tablets, shop: RunningServer) -> None:
    forbidden = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('denied'); }});"
    with tablets.one(shop.url, for_axe=True, script=forbidden) as screen:
        screen.open().get_by_text("Este tablet no puede guardar nada.").wait_for()
        screen.page.get_by_role("button", name=LP.nombre).first.wait_for()
        assert complaints(screen) == []


def complaints(screen: Screen) -> list[str]:
    """Of every look of the screen that is open."""
    return [f"{theme} {size}: {what}" for theme, size in EVERY_LOOK for what in _complaints(screen, theme, size)]


def _complaints(screen: Screen, theme: Theme, size: tuple[int, int]) -> list[str]:
    page = screen.page
    look(page, theme, size)
    wider = [f"{overflow_px(page)} px too wide"] if overflow_px(page) > 0 else []
    return [*violations(page), *wider, *small_targets(page)]
