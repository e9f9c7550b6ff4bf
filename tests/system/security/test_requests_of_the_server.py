"""Requests that the server makes: addresses that lead it into a private network, or elsewhere."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from carrete.webhooks.kinds import WebhookKind
from tests.support.answers import done, refused
from tests.support.people import SV
from tests.support.signed_in import change_session
from tests.system.security.target import Target

KINDS = sorted(WebhookKind)
INSIDE = [
    "http://127.0.0.1:8000/api/tokens",
    "http://localhost/x",
    "http://127.1/x",
    "http://2130706433/x",
    "http://0x7f000001/x",
    "http://0177.0.0.1/x",
    "http://0/x",
    "http://[::1]/x",
    "http://[::ffff:127.0.0.1]/x",
    "http://[::ffff:7f00:1]/x",
    "http://[64:ff9b::7f00:1]/x",
    "http://[2002:7f00:1::]/x",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/x",
    "http://192.168.1.1/x",
    "http://172.16.0.1/x",
    "http://100.64.0.1/x",
    "http://[fe80::1]/x",
    "http://[fc00::1]/x",
    "http://224.0.0.1/x",
    "http://255.255.255.255/x",
    "http://evil.example@127.0.0.1/x",
    "http://127.0.0.1#@hooks.example.com/x",
]
NO_WEB = [
    "file:///etc/passwd",
    "gopher://127.0.0.1:6379/_FLUSHALL",
    "ftp://127.0.0.1/x",
    "redis://127.0.0.1",
    "unix:///var/run/redis.sock",
    "//127.0.0.1/x",
    "https://",
    "https://exa mple.com/x",
    "https://example.com/\r\nX-Evil: y",
    "javascript:alert(1)",
    "data:text/plain,x",
    "http://example.com:99999/",
    "http://[::1",
]


@pytest.mark.parametrize("url", INSIDE)
def test_no_webhook_leads_into_a_private_network(shop: Target, url: str) -> None:
    """SSRF: 23 ways to write this machine, the metadata of a cloud and private networks (decimal, octal, hexadecimal,
    mapped to IPv6, NAT64, 6to4, with a user in front) → 422, nothing is registered."""
    with_pin = shop.tablet(1)
    with shop.unchanged():
        answer = with_pin.post("/api/webhooks", {"nombre": "Espía", "url": url, "tipos": KINDS})
        refused(answer, 422, "DATOS_INVALIDOS")


@pytest.mark.parametrize("url", NO_WEB)
def test_a_webhook_is_a_web_address(shop: Target, url: str) -> None:
    """`file:`, `gopher:`, `redis:`, a line break in the address, a port that does not exist → 422, also where private
    addresses are allowed and for the notice of conflicts."""
    admin = shop.tablet(1)
    with shop.unchanged():
        body = {"nombre": "Espía", "url": url, "tipos": KINDS, "red_privada": True}
        refused(admin.post("/api/webhooks", body), 422, "DATOS_INVALIDOS")
        refused(admin.post("/api/ajustes", {"webhook_conflictos": url}), 422, "DATOS_INVALIDOS")


def test_no_address_is_set_from_a_screen_that_was_left_open(shop: Target) -> None:
    """An administrator's open session whose PIN is six minutes old: a webhook, its address, and the notice of conflicts
    → 403 `PIN_REQUERIDO`, each; other settings still change."""
    admin = shop.tablet(1)
    made = done(
        admin.post(
            "/api/webhooks", {"nombre": "Local", "url": "http://127.0.0.1:9/x", "tipos": KINDS, "red_privada": True}
        )
    )
    change_session(shop.database, admin.session_id, pin_at=datetime.now(UTC) - timedelta(minutes=6))
    late = shop.tablet()
    late.cookies, late._enrolled = admin.cookies, admin._enrolled
    shop.until(lambda: late.see("/api/sesion")["pin_fresh_s"] == 0)
    with shop.unchanged():
        body = {"nombre": "Espía", "url": "https://hooks.example.com/x", "tipos": KINDS}
        refused(late.post("/api/webhooks", body), 403, "PIN_REQUERIDO")
        refused(
            late.post(f"/api/webhooks/{made['id']}/editar", {"url": "http://127.0.0.1:6379/"}), 403, "PIN_REQUERIDO"
        )
        refused(late.post("/api/ajustes", {"webhook_conflictos": "http://127.0.0.1:6379/"}), 403, "PIN_REQUERIDO")
    done(late.post("/api/ajustes", {"nombre_taller": "Taller"}))
    shop.tablet(1).post(f"/api/webhooks/{made['id']}/borrar", {})


def test_a_test_of_a_webhook_shows_nothing_of_the_answer(shop: Target) -> None:
    """An administrator points a webhook at our own `/api/acceso` and tries it → a status and a sentence, no word of the
    answer."""
    admin = shop.tablet(1)
    body = {"nombre": "Propio", "url": f"{shop.server.url}/api/acceso", "tipos": KINDS, "red_privada": True}
    made = done(admin.post("/api/webhooks", body))
    tried = done(admin.post(f"/api/webhooks/{made['id']}/probar", {}))
    assert set(tried) == {"ok", "estado", "mensaje"}
    assert not tried["ok"]
    assert "modo" not in tried["mensaje"]
    done(admin.post(f"/api/webhooks/{made['id']}/borrar", {}))


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/spreadsheets/d/../../secret",
        "http://127.0.0.1/x",
        "../../v4/other",
        "x/values/A1?alt=media",
        "file:///etc/passwd",
        "abc%2f..%2f..",
        "a b c",
    ],
)
def test_the_address_of_a_workbook_is_an_id_of_google(shop: Target, address: str) -> None:
    """The address of a Google workbook that is another server's, a path or a file → 422 before anything is asked."""
    answer = shop.tablet(1).post("/api/planilla/google/probar", {"direccion": address})
    refused(answer, 422, "DATOS_INVALIDOS")


@pytest.mark.parametrize(
    "token_uri", ["http://127.0.0.1/token", "https://evil.example/token", "https://oauth2.googleapis.com.evil.example/"]
)
def test_a_key_of_google_is_sent_to_google_only(shop: Target, token_uri: str) -> None:
    """A service account's key whose `token_uri` is another server → 409 `GOOGLE_NO_PERMITE`; the key is not stored."""
    key = {"type": "service_account", "client_email": "a@b.iam.gserviceaccount.com", "token_uri": token_uri}
    key |= {"private_key": _private_key(), "private_key_id": "1", "project_id": "p", "client_id": "1"}
    refused(shop.tablet(1).post("/api/planilla/google/clave", key), 409, "GOOGLE_NO_PERMITE")
    assert not (shop.folder / "google-key.json").exists()


@cache
def _private_key() -> str:
    made = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    return made.private_bytes(pem, pkcs8, serialization.NoEncryption()).decode()


def test_a_supervisor_sets_no_address(shop: Target) -> None:
    """A supervisor registers a webhook or sets the notice of conflicts → 403 `PERMISO_INSUFICIENTE`."""
    supervisor = shop.tablet(SV.id)
    body = {"nombre": "Espía", "url": "https://hooks.example.com/x", "tipos": KINDS}
    refused(supervisor.post("/api/webhooks", body), 403, "PERMISO_INSUFICIENTE")
    refused(supervisor.post("/api/ajustes", {"webhook_conflictos": "https://x.example/"}), 403, "PERMISO_INSUFICIENTE")
