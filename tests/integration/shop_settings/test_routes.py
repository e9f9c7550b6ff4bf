"""The routes of the shop's settings, and of the first start in the browser."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from carrete.identity.records import DeviceKind, TokenScope
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.migrate import _apply as apply
from carrete.ledger.migrate import migrate
from carrete.ledger.statements import in_dialect, migrations
from carrete.shop_settings import first_start, read
from tests.integration.api.test_metrics_and_webhook import Listener, listener
from tests.integration.identity.conftest import ADA
from tests.integration.ledger.conftest import empty_url
from tests.integration.ledger.test_migrations import OLD_SPOOL
from tests.integration.shop_settings.conftest import OpenShop, signed_in
from tests.support.builders import NOW, a_joint, a_spool, an_armed_spool, put
from tests.support.people import MR
from tests.support.signed_in import EnrolledTablet, IdentityShop, enrol

__all__ = ["empty_url", "listener"]
PATH = "/api/ajustes"
DEFAULTS: dict[str, Any] = {
    "nombre_taller": "",
    "zona_horaria": "America/Santiago",
    "tipos_solo_arm": ["FW"],
    "turnos": [],
    "webhook_conflictos": "",
    "foto_en_rechazo": False,
    "google_sheet": "",
    "limites_atraso": {
        "ocupado": {"ARM": 12, "SOLD": 12, "REPARACION": 12},
        "pausado": {"ARM": 72, "SOLD": 72, "REPARACION": 72},
        "inspeccion": 48,
    },
    "calificacion": "",
    "ndt_metodos": ["VT", "PT", "MT", "RT", "UT", "PMI"],
    "ndt_defectos": [*("POROSIDAD", "ESCORIA", "FALTA_FUSION", "FALTA_PENETRACION", "SOCAVADO", "GRIETA", "OTRO")],
    "ndt_reglas": [],
    "ndt_adicionales": 0,
    "ndt_en_ciclo": False,
    "ndt_bloquea": True,
}
MORNING = {"nombre": "Mañana", "dias": [1, 2, 3, 4, 5], "desde": "07:00", "hasta": "15:30"}
HOOK = "https://mensajes.example/s/0123456789abcdef"


def refused(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def saved(tablet: EnrolledTablet, body: dict[str, Any]) -> dict[str, Any]:
    answer = tablet.post(PATH, body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


# ─── settings ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_administrator_changes_some_settings_and_the_answer_shows_all_in_force(admin: EnrolledTablet) -> None:
    assert admin.see(PATH) == {"ajustes": DEFAULTS, "fijados": [], "cambiado_en": None, "cambiado_por": None}
    changes = {"nombre_taller": "Taller Ñuñoa", "zona_horaria": "Europe/Madrid", "turnos": [MORNING]}
    answer = saved(admin, changes)
    assert answer["ajustes"] == {**DEFAULTS, **changes}
    assert (answer["cambiado_por"], admin.see(PATH)) == (ADA.label, answer)
    changed_at = datetime.fromisoformat(answer["cambiado_en"])
    assert answer["cambiado_en"].endswith(("+01:00", "+02:00")), "times are those of the new zone at once"
    assert abs((datetime.now(UTC) - changed_at).total_seconds()) < 3_600
    assert saved(admin, {"zona_horaria": None})["ajustes"] == answer["ajustes"], "null leaves it as it is"


def test_an_enrolled_device_shows_the_shops_name_and_a_stranger_does_not(
    shop: IdentityShop, admin: EnrolledTablet
) -> None:
    saved(admin, {"nombre_taller": "Taller Ñuñoa"})
    assert shop.tablet().see("/api/acceso")["taller"] == "Taller Ñuñoa"
    assert shop.stranger().see("/api/acceso")["taller"] == ""


def test_every_page_of_the_shop_follows_the_new_time_zone(shop: IdentityShop, admin: EnrolledTablet) -> None:
    put(shop.database, [a_spool("MK-1")])
    assert signed_in(shop, MR.id).tap("TOMAR", "MK-1", MR.id).status_code == 200
    saved(admin, {"zona_horaria": "Asia/Tokyo"})
    times = [
        admin.see("/api/health")["now"],
        admin.see("/api/dashboard/occupied")["occupied"][0]["since"],
        admin.see("/api/dashboard/stages")["now"],
        admin.see("/api/spools/MK-1")["fecha_ocupacion"],
        admin.see("/api/spools")["spools"][0]["fecha_ocupacion"],
        admin.see("/api/history/MK-1")["events"][0]["at"],
        admin.see("/api/dispositivos")["dispositivos"][0]["ultimo_uso"],
        admin.see("/api/ajustes/historial")["cambios"][0]["at"],
    ]
    assert [time[-6:] for time in times] == ["+09:00"] * len(times)


def test_other_arm_only_types_change_which_joints_can_be_welded(shop: IdentityShop, admin: EnrolledTablet) -> None:
    armed = {"arm_fin": NOW, "arm_worker": "LP(7)"}
    joints = [a_joint(1, "MK-1", tipo="BR", **armed), a_joint(2, "MK-1", **armed)]
    put(shop.database, [an_armed_spool("MK-1", total_uniones=2)], joints=joints)
    path = "/api/v4/uniones/MK-1/disponibles"
    assert [union["n_union"] for union in admin.see(path, operacion="SOLD")["unions"]] == [1, 2]
    assert saved(admin, {"tipos_solo_arm": ["fw", "br"]})["ajustes"]["tipos_solo_arm"] == ["BR", "FW"]
    assert [union["n_union"] for union in admin.see(path, operacion="SOLD")["unions"]] == [2]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"zona_horaria": "Marte/Olympus"}, "zona_horaria"),
        ({"turnos": [{**MORNING, "hasta": "07:00"}]}, "turnos"),
        ({"turnos": [{**MORNING, "hasta": "24:00"}]}, "turnos.0.hasta"),
        ({"tipos_solo_arm": "FW"}, "tipos_solo_arm"),
        ({"limites_atraso": {**DEFAULTS["limites_atraso"], "inspeccion": -1}}, "limites_atraso.inspeccion"),
        ({"webhook_conflictos": "ftp://x"}, "webhook_conflictos"),
        ({"nombre_taller": 7}, "nombre_taller"),
        ({"google_sheet": "1AbC"}, "google_sheet"),
        ({"color": "rojo"}, "color"),
    ],
)
def test_a_wrong_setting_is_refused_by_name_and_nothing_changes(
    admin: EnrolledTablet, body: dict[str, Any], field: str
) -> None:
    answer = admin.post(PATH, {"nombre_taller": "Otro", **body})
    assert refused(answer) == (422, "DATOS_INVALIDOS")
    assert [error["campo"] for error in answer.json()["errors"]] == [field]
    assert admin.see(PATH)["ajustes"] == DEFAULTS


def test_a_supervisor_sees_the_settings_but_not_the_webhooks_secret_and_changes_nothing(
    shop: IdentityShop, admin: EnrolledTablet, supervisor: EnrolledTablet
) -> None:
    assert saved(admin, {"webhook_conflictos": HOOK})["ajustes"]["webhook_conflictos"] == HOOK
    assert supervisor.see(PATH)["ajustes"]["webhook_conflictos"] == "https://mensajes.example"
    assert refused(supervisor.post(PATH, {"nombre_taller": "Mío"})) == (403, "PERMISO_INSUFICIENTE")
    assert refused(supervisor.get("/api/ajustes/historial")) == (403, "PERMISO_INSUFICIENTE")
    assert refused(signed_in(shop, MR.id).get(PATH)) == (403, "PERMISO_INSUFICIENTE")
    assert refused(shop.token(*TokenScope).get(PATH)) == (403, "PERMISO_INSUFICIENTE")


def test_what_the_machine_fixes_is_shown_and_cannot_be_changed(open_shop: OpenShop) -> None:
    shop = open_shop(timezone="Europe/Lisbon", conflict_webhook=HOOK)
    admin = signed_in(shop, ADA.id)
    seen = admin.see(PATH)
    assert seen["fijados"] == ["zona_horaria", "webhook_conflictos"]
    assert seen["ajustes"]["zona_horaria"] == "Europe/Lisbon"
    assert seen["ajustes"]["webhook_conflictos"] == "https://mensajes.example", "its secret stays on the machine"
    answer = admin.post(PATH, {"nombre_taller": "Taller", "zona_horaria": "Europe/Madrid"})
    assert refused(answer) == (409, "AJUSTE_FIJADO")
    assert (answer.json()["ajuste"], answer.json()["variable"]) == ("zona_horaria", "CARRETE_TIMEZONE")
    with shop.database.reading() as tx:
        assert read(tx).name == ""
    assert saved(admin, {"nombre_taller": "Taller"})["ajustes"]["nombre_taller"] == "Taller"


def test_the_history_says_who_changed_what_from_what_to_what(admin: EnrolledTablet) -> None:
    saved(admin, {"nombre_taller": "Uno", "tipos_solo_arm": []})
    saved(admin, {"nombre_taller": "Dos", "webhook_conflictos": HOOK})
    page = admin.see("/api/ajustes/historial", limit=3)
    changes = [(each["ajuste"], each["antes"], each["despues"]) for each in page["cambios"]]
    assert changes == [
        ("webhook_conflictos", "", "https://mensajes.example"),
        ("nombre_taller", "Uno", "Dos"),
        ("tipos_solo_arm", ["FW"], []),
    ]
    assert {(each["por"], each["por_label"]) for each in page["cambios"]} == {(ADA.id, ADA.label)}
    rest = admin.see("/api/ajustes/historial", cursor=page["next_cursor"])
    assert ([each["despues"] for each in rest["cambios"]], rest["next_cursor"]) == (["Uno"], None)


def test_the_webhook_can_be_tried(admin: EnrolledTablet, listener: Listener) -> None:
    path = "/api/ajustes/webhook/probar"
    assert refused(admin.post(path, {})) == (422, "DATOS_INVALIDOS")
    saved(admin, {"webhook_conflictos": f"http://127.0.0.1:{listener.server_port}/x"})
    first, second = admin.post(path, {}).json(), admin.post(path, {}).json()
    assert (first["estado"], first["ok"]) == (500, False)
    assert second == {"estado": 204, "ok": True, "mensaje": "Respondió 204."}
    assert listener.received.get_nowait()["code"] == "PRUEBA"
    saved(admin, {"webhook_conflictos": "http://127.0.0.1:1/s3cr3t-path"})
    nobody = admin.post(path, {}).json()
    assert (nobody["estado"], nobody["ok"]) == (None, False)
    assert nobody["mensaje"] == "No se pudo entregar: no se pudo conectar con esa dirección."


# ─── the first start ──────────────────────────────────────────────────────────────────────────────────────────


def done(tablet: EnrolledTablet) -> dict[str, bool]:
    answer = tablet.see("/api/configuracion/pasos")
    found = {step["paso"]: step["listo"] for step in answer["pasos"]}
    assert answer["terminado"] == all(found.values())
    return found


def mark(tablet: EnrolledTablet, step: str, *, done: bool = True) -> httpx.Response:
    return tablet.post("/api/configuracion/pasos", {"paso": step, "listo": done})


def test_the_first_start_begins_with_the_administrator_and_can_be_taken_up_again_anywhere(
    shop: IdentityShop, admin: EnrolledTablet, supervisor: EnrolledTablet
) -> None:
    assert done(admin) == {"administrador": True, "taller": False, "spools": False, "tablet": False}
    assert mark(admin, "taller").status_code == 200
    elsewhere = signed_in(shop, ADA.id)
    assert done(elsewhere)["taller"]
    assert mark(elsewhere, "taller", done=False).json()["pasos"][1] == {"paso": "taller", "listo": False}
    assert refused(mark(admin, "café")) == (422, "DATOS_INVALIDOS")
    assert refused(supervisor.get("/api/configuracion/pasos")) == (403, "PERMISO_INSUFICIENTE")


def test_spools_and_a_tablet_make_their_steps_done_by_themselves(shop: IdentityShop, admin: EnrolledTablet) -> None:
    enrol(shop.database, DeviceKind.TABLERO)
    assert not done(admin)["tablet"]
    enrol(shop.database, DeviceKind.TABLET)
    put(shop.database, [a_spool("MK-1")])
    assert done(admin) == {"administrador": True, "taller": False, "spools": True, "tablet": True}
    mark(admin, "taller")
    assert admin.see("/api/configuracion/pasos")["terminado"] is True


def test_a_shop_that_worked_before_this_version_has_had_its_first_start(empty_url: str) -> None:
    database = open_database(empty_url)
    steps_before = [(number, sql) for number, sql in migrations() if number < 10]
    with database.writing() as tx:
        tx.execute("CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)")
        for number, sql in steps_before:
            apply(tx, number, in_dialect(sql, database.engine), database.engine)
        tx.execute(OLD_SPOOL)
    migrate(database)
    with database.reading() as tx:
        assert all(first_start.steps(tx).values())
    database.close()


def test_a_new_ledger_has_its_first_start_before_it(database: Database) -> None:
    with database.reading() as tx:
        assert [step.value for step, is_done in first_start.steps(tx).items() if not is_done] == [
            "taller",
            "spools",
            "tablet",
        ]
