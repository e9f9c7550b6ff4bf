"""The plain port: one page in two languages that leads to HTTPS, the authority's certificate, and nothing else."""

from __future__ import annotations

import asyncio
import ssl
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from httpx import ASGITransport, AsyncClient, Response

from carrete.api.server.hosts import OwnHosts
from carrete.api.server.trust_page.app import PlainPortApp
from carrete.api.server.trust_page.words import words
from carrete.tls.authority import Authority, fingerprint, load_or_make
from carrete.tls.names import certificate_names


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return load_or_make(tmp_path, certificate_names("127.0.0.2"), datetime.now(UTC))


@pytest.fixture
def page(authority: Authority) -> PlainPortApp:
    return PlainPortApp(OwnHosts("127.0.0.2"), 8443, authority.certificate)


def ask(
    app: PlainPortApp, path: str = "/", method: str = "GET", host: str = "carrete.local:8080", **more: Any
) -> Response:
    async def scenario() -> Response:
        async with AsyncClient(transport=ASGITransport(app), base_url=f"http://{host}") as client:
            return await client.request(method, path, **more)

    return asyncio.run(scenario())


@pytest.mark.parametrize("language", ["es", "en"])
def test_the_page_says_why_how_and_where(language: Any, page: PlainPortApp, authority: Authority) -> None:
    answer = ask(page, headers={"Accept-Language": f"{language}-CL,de;q=0.5"})
    assert answer.status_code == 200
    assert f'<html lang="{language}">' in answer.text
    text = words(language)
    assert all(escape(sentence) in answer.text for sentence in text.why)
    shown = answer.text.replace("</span> <span>", ":")
    assert authority.fingerprint in shown, "it is compared with the one in the terminal"
    assert 'href="https://carrete.local:8443/"' in answer.text
    for guide in text.guides:
        assert f'href="/{guide.file}"' in answer.text
    assert answer.text.count("<svg") == 16
    assert "<script" not in answer.text
    assert "script-src 'self'" in answer.headers["content-security-policy"]


def test_both_languages_have_the_same_devices_and_files() -> None:
    spanish, english = words("es").guides, words("en").guides
    assert [(g.name, g.file) for g in spanish] == [(g.name, g.file) for g in english]
    assert [g.name for g in spanish] == ["Android", "iPad", "Windows", "Linux"]
    for guide in (*spanish, *english):
        assert len(guide.steps) == 4
        assert all(0 <= step.touched < len(step.shown) for step in guide.steps)


def test_the_language_can_be_chosen_on_the_page(page: PlainPortApp) -> None:
    assert '<html lang="en">' in ask(page, "/?idioma=en", headers={"Accept-Language": "es"}).text
    assert '<html lang="es">' in ask(page, "/?idioma=%3Cscript%3E").text


def test_the_certificate_is_there_in_the_forms_that_devices_read(page: PlainPortApp, authority: Authority) -> None:
    binary, text = ask(page, "/carrete.crt"), ask(page, "/carrete.pem")
    assert binary.headers["content-type"] == "application/x-x509-ca-cert"
    assert fingerprint(x509.load_der_x509_certificate(binary.content)) == authority.fingerprint
    assert ssl.PEM_cert_to_DER_cert(text.text) == binary.content
    assert "PRIVATE KEY" not in text.text


def test_nothing_else_of_carrete_is_on_the_plain_port(page: PlainPortApp) -> None:
    for path in ("/api/health", "/api/spools", "/metrics", "/index.html", "/authority.key", "/../authority.key"):
        assert ask(page, path).status_code == 404, path
    assert ask(page, "/api/sesion", "POST", json={"worker_id": 1, "pin": "1234"}).status_code == 405


def test_a_foreign_name_gets_no_page_and_no_link(page: PlainPortApp) -> None:
    answer = ask(page, host="evil.example")
    assert answer.status_code == 421
    assert "https://evil.example" not in answer.text


@pytest.mark.parametrize(
    ("host", "link"), [("127.0.0.2:80", "https://127.0.0.2:8443/"), ("[::1]:80", "https://[::1]:8443/")]
)
def test_the_link_has_the_address_that_was_asked_for(host: str, link: str, page: PlainPortApp) -> None:
    assert f'href="{link}"' in ask(page, host=host).text


def test_with_a_certificate_of_ones_own_every_page_leads_to_https() -> None:
    app = PlainPortApp(OwnHosts("0.0.0.0", ["carrete.empresa.cl"]), 443, None)
    answer = ask(app, "/tablero", host="carrete.empresa.cl")
    assert (answer.status_code, answer.headers["location"]) == (308, "https://carrete.empresa.cl/tablero")
    assert ask(app, "/", "POST", host="carrete.empresa.cl").status_code == 405


@pytest.mark.parametrize("path", ["/api", "/api/spools", "/api/openapi.json", "/metrics"])
def test_a_program_that_forgets_https_is_told_so_instead_of_led_there(path: str) -> None:
    """Its token has been on the network by then: a redirect would hide the mistake."""
    answer = ask(PlainPortApp(OwnHosts("0.0.0.0", ["carrete.empresa.cl"]), 443, None), path, host="carrete.empresa.cl")
    assert answer.status_code == 404
    assert "location" not in answer.headers
