"""Other pages and names: what a page of another site can make an administrator's browser send."""

from __future__ import annotations

import pytest

from carrete.api.access_table import TABLE
from tests.support.answers import refused
from tests.support.people import MR
from tests.system.security.target import Target, cookie_field, paths, request_line

CHANGES = [(verb, path) for verb in ("POST", "DELETE") for path in paths(verb)]
SIMPLE_TYPES = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
FOREIGN = {
    "another site": {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
    "no origin, as the browser says of a sandbox": {"Origin": "null"},
    "another port of this machine": {"Origin": "http://localhost:1", "Sec-Fetch-Site": "same-site"},
    "only the browser's word": {"Sec-Fetch-Site": "cross-site"},
    "a name that ends like ours": {"Origin": "http://evil-localhost"},
}


@pytest.mark.parametrize("where", FOREIGN)
def test_no_page_of_another_site_changes_anything(shop: Target, where: str) -> None:
    """Every route that changes something, with an administrator's cookies and a fresh PIN, from a foreign page → 403
    `ORIGEN_NO_PERMITIDO`, each."""
    admin = shop.tablet(1)
    with shop.unchanged():
        for verb, path in CHANGES:
            answer = admin.send(
                verb, path, headers={"Content-Type": "application/json", **FOREIGN[where]}, content="{}"
            )
            refused(answer, 403, "ORIGEN_NO_PERMITIDO")


@pytest.mark.parametrize("kind", SIMPLE_TYPES)
def test_no_form_changes_anything(shop: Target, kind: str) -> None:
    """Every POST with a type that a form of a foreign page can send without asking (no `Origin`, as old browsers) →
    never 2xx, and nothing changes."""
    admin = shop.tablet(1)
    with shop.unchanged():
        for path in paths("POST"):
            if path == "/api/planilla/cargas":
                path += "?nombre=x.xlsx"
            answer = admin.send("POST", path, headers={"Content-Type": kind} if kind else {}, content='{"id":7}')
            assert answer.status_code in (403, 404, 415, 422), (path, answer.status_code, answer.text)


def test_no_preflight_is_answered_with_leave(shop: Target) -> None:
    """The question a browser asks first (OPTIONS) for every address → no `Access-Control-…` header, never 2xx for the
    API."""
    asks = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    for path in {path for _, path in TABLE}:
        answer = shop.http.request("OPTIONS", path.replace("{", "").replace("}", ""), headers=asks)
        assert not [name for name in answer.headers if name.startswith("access-control-")]
        assert answer.status_code in (403, 404, 405), path


def test_signing_in_or_out_by_a_foreign_page_is_refused(shop: Target) -> None:
    """Login and logout CSRF: `POST` and `DELETE /api/sesion` with the tablet's cookies from a foreign page → 403; the
    person is still signed in."""
    tablet = shop.tablet(MR.id)
    foreign = {"Origin": "https://evil.example", "Content-Type": "application/json"}
    sign_in = tablet.send("POST", "/api/sesion", headers=foreign, json={"worker_id": 7, "pin": "482915"})
    refused(sign_in, 403, "ORIGEN_NO_PERMITIDO")
    refused(tablet.send("DELETE", "/api/sesion", headers=foreign), 403, "ORIGEN_NO_PERMITIDO")
    assert tablet.see("/api/sesion")["worker"]["id"] == MR.id


@pytest.mark.parametrize(
    "name", ["evil.example", "127.0.0.1.nip.io", "localhost.evil.example", "carrete.local.evil.cl"]
)
def test_a_name_that_was_turned_to_our_address_is_refused_for_known_people_too(shop: Target, name: str) -> None:
    """DNS rebinding with an administrator's cookies, a token, a health check or a file of the app → 421
    `HOST_DESCONOCIDO`."""
    admin = shop.tablet(1)
    for path in ("/api/tokens", "/api/health", "/", "/metrics"):
        refused(admin.send("GET", path, headers={"Host": name}), 421, "HOST_DESCONOCIDO")


def test_no_header_replaces_the_method_or_the_address(shop: Target) -> None:
    """`X-HTTP-Method-Override`, `_method`, `X-Original-URL`, `X-Rewrite-URL` on a harmless request → it stays the
    harmless request."""
    tablet = shop.tablet(MR.id)
    lies = {"X-HTTP-Method-Override": "DELETE", "X-HTTP-Method": "DELETE", "X-Method-Override": "DELETE"}
    answer = tablet.send("GET", "/api/sesion?_method=DELETE", headers=lies)
    assert answer.status_code == 200
    assert tablet.get("/api/mi-dia").status_code == 200, "nobody was signed out"
    elsewhere = {"X-Original-URL": "/api/tokens", "X-Rewrite-URL": "/api/tokens", "X-Forwarded-Prefix": "/api/tokens"}
    assert shop.http.get("/api/health", headers=elsewhere).json()["status"]
    refused(shop.http.get("/api/tokens", headers={"X-Original-URL": "/api/health"}), 401, "DISPOSITIVO_NO_INSCRITO")


def test_a_stranger_s_forwarded_headers_make_no_friend(shop: Target) -> None:
    """`X-Forwarded-Host`, `-Proto` and `-For` from somebody who is no named proxy → the foreign `Origin` stays foreign,
    403."""
    tablet, tag = shop.tablet(MR.id), shop.spool()
    body = b'{"tag_spool":"%b","operacion":"ARM"}' % tag.encode()
    lies = ["Origin: https://evil.example", "X-Forwarded-Host: evil.example", "X-Forwarded-For: 127.0.0.1"]
    sent = request_line(
        "POST", "/api/occupation/tomar", cookie_field(tablet), "Content-Type: application/json", *lies, body=body
    )
    (answer,) = shop.raw(sent)
    assert (answer.status, answer.code) == (403, "ORIGEN_NO_PERMITIDO")
    assert shop.events(tag) == []


def test_no_address_of_ours_leads_elsewhere(shop: Target) -> None:
    """Open redirects: `//evil.example`, `/\\evil.example`, `/%2fevil.example/..` → no answer of the server has a
    `Location`."""
    for target in ("//evil.example", "/\\evil.example", "/%2f%2fevil.example/..", "/%5cevil.example", "/api/spools/"):
        (answer,) = shop.raw(request_line("GET", target))
        assert "location" not in answer.headers
        assert answer.status < 300 or answer.status >= 400
