"""GET /api/sistema: what the administrator's page *Sistema* shows of the server."""

from __future__ import annotations

import shutil
from datetime import datetime
from importlib.metadata import version

import pytest

from carrete.action_metrics import ActionMetrics
from carrete.api import latest_examination
from carrete.api.system_figures import most_within_s
from carrete.identity.records import DeviceKind, TokenScope
from carrete.ledger.migrate import known_schema
from carrete.tls.keeper import CertificateKeeper
from carrete.tls.served import Served
from tests.integration.identity.conftest import ADA
from tests.support.builders import TAG, a_spool, put
from tests.support.people import MR
from tests.support.signed_in import EnrolledTablet, IdentityShop


@pytest.fixture
def admin(pin_shop: IdentityShop, monkeypatch: pytest.MonkeyPatch) -> EnrolledTablet:
    """Ada at the office computer; every page sees a new examination."""
    monkeypatch.setattr(latest_examination, "KEPT_S", -1)
    office = pin_shop.tablet(DeviceKind.OFICINA)
    office.begin(ADA.id)
    return office


def test_the_page_says_what_the_doctor_says_in_the_reader_s_language(admin: EnrolledTablet, engine: str) -> None:
    seen = admin.see("/api/sistema")
    assert seen["revision_completa"] is True
    levels = {check["que"].partition(":")[0]: check["nivel"] for check in seen["revision"]}
    assert levels[f"Registro ({engine})"] == "bien"
    assert levels["Redis (off)"] == "bien"  # a note that asks for nothing
    (without_pin,) = [check for check in seen["revision"] if "sin PIN" in check["que"]] or [None]
    assert without_pin is None or without_pin["nivel"] == "aviso"
    english = admin.see("/api/sistema?idioma=en")
    assert f"Ledger ({engine})" in {check["que"].partition(":")[0] for check in english["revision"]}
    assert len(english["revision"]) == len(seen["revision"])
    assert "`" not in str(seen["revision"]) + str(english["revision"])  # as the terminal quotes commands


def test_versions_sizes_and_figures_are_those_of_this_server(admin: EnrolledTablet, pin_shop: IdentityShop) -> None:
    put(pin_shop.database, [a_spool(TAG)])
    tablet = pin_shop.tablet()
    tablet.begin(MR.id)
    assert tablet.tap("tomar", worker_id=MR.id).status_code == 200
    seen = admin.see("/api/sistema")
    assert seen["version"] == version("carrete")
    assert seen["esquema"] == known_schema()
    assert seen["motor"].split()[0] == {"sqlite": "SQLite", "postgres": "PostgreSQL"}[pin_shop.database.engine]
    assert datetime.fromisoformat(seen["iniciado_en"]).utcoffset() is not None
    sizes = {size["que"]: size["bytes"] for size in seen["tamanos"]}
    assert sizes["Registro"] > 0
    assert 0 < sizes["Libre en el disco"] <= sizes["Disco completo"]
    figures = {figure["que"]: figure["valor"] for figure in seen["metricas"]}
    assert figures["Spools ocupados ahora"] == "1"
    assert figures["Último movimiento"].startswith("n.º ")
    assert figures["Redis (este proceso)"] == "apagado: decide el registro solo"


def test_only_administrators_and_their_programs_see_the_server(pin_shop: IdentityShop, admin: EnrolledTablet) -> None:
    assert pin_shop.stranger().get("/api/sistema").status_code == 401
    assert pin_shop.token(TokenScope.ADMINISTRAR).get("/api/sistema").status_code == 200
    assert pin_shop.token(TokenScope.LEER).get("/api/sistema").status_code == 403
    assert admin.get("/api/sistema?idioma=fr").status_code == 422


def test_a_check_that_takes_long_leaves_the_others_on_the_page(
    pin_shop: IdentityShop, admin: EnrolledTablet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Google may not answer for half a minute; the page says what is known by then, and that there is more to come."""
    monkeypatch.setattr(latest_examination, "WAIT_S_MAX", 0.0)
    assert admin.see("/api/sistema")["revision_completa"] is False
    monkeypatch.setattr(latest_examination, "WAIT_S_MAX", 30.0)
    assert admin.see("/api/sistema")["revision_completa"] is True


def test_without_https_of_its_own_the_address_is_the_one_that_was_asked(admin: EnrolledTablet) -> None:
    seen = admin.see("/api/sistema")
    assert (seen["certificado"], seen["direcciones"]) == (None, ["http://localhost"])


def test_the_certificate_and_the_addresses_for_tablets_are_shown(admin: EnrolledTablet, pin_shop: IdentityShop) -> None:
    """As `carrete serve --lan` leaves it in the data folder."""
    settings = pin_shop.services.settings
    try:
        CertificateKeeper(settings, Served("", "", own=False, host="127.0.0.2", port=8443), announcer=None)
        seen = admin.see("/api/sistema")
        assert "https://127.0.0.2:8443" in seen["direcciones"]
        assert not any("localhost" in address for address in seen["direcciones"])
        certificate = seen["certificado"]
        assert "127.0.0.2" in certificate["nombres"]
        assert certificate["huella"] != certificate["autoridad_huella"]
        assert certificate["vence"] < certificate["autoridad_vence"]
    finally:
        shutil.rmtree(settings.data / "tls")


def test_the_speed_of_actions_is_shown_in_words() -> None:
    metrics = ActionMetrics()
    assert most_within_s(metrics) == ""
    for path, seconds in [("/api/occupation/tomar", 0.004)] * 18 + [("/api/occupation/pausar", 0.02)] * 2:
        metrics.latency(path).observe(seconds)
    assert most_within_s(metrics) == "25 ms"
    for _ in range(400):
        metrics.latency("/api/occupation/tomar").observe(0.9)
    assert most_within_s(metrics) == "1 s"
    for _ in range(40_000):
        metrics.latency("/api/occupation/tomar").observe(9.0)
    assert most_within_s(metrics) == "> 5 s"
