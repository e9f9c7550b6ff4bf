"""Paths and files: addresses that try to leave their folder or to go round the gatekeeper."""

from __future__ import annotations

from pathlib import Path

import pytest

from carrete.api.server.web import web_dist
from carrete.identity.records import TokenScope
from tests.support.people import MR
from tests.system.security.target import Target, cookie_field, leaks_nothing, request_line

AROUND = [
    "//api/tokens",
    "/api//tokens",
    "/API/tokens",
    "/api/tokens/",
    "/api/./tokens",
    "/api/health/../tokens",
    "/api/health/%2e%2e/tokens",
    "/api/health%2f..%2ftokens",
    "/api%2ftokens",
    "/api/tokens;a=b",
    "/api/tokens%00",
    "/api/tokens%20",
    "/api/tokens%3f",
    "/api/tokens.json",
    "/assets/../api/tokens",
    "/assets/..%2f..%2fapi/tokens",
    "/%61pi/tokens",
    "/api/%74okens",
    "/api\\tokens",
    "/api/spools/../tokens",
    "/api/sse/../tokens",
]
FILES = [
    "/../identity.key",
    "/assets/../../../../identity.key",
    "/assets/..%5c..%5cidentity.key",
    "/..%2f..%2fcarrete.db",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/....//....//etc/passwd",
    "/.env",
    "/.git/config",
    "/carrete.db",
    "/carrete.toml",
    "/identity.key",
    "/pyproject.toml",
    "/assets/",
    "/assets",
    "/index.html.br",
    "/sw.js.gz",
    "/sw.js%00.html",
    "/assets/%c0%ae%c0%ae/settings.py",
    "file:///etc/passwd",
]


@pytest.mark.parametrize("target", AROUND)
def test_no_spelling_goes_round_the_gatekeeper(shop: Target, target: str) -> None:
    """The administrator's list of tokens in 21 spellings of its address, by a worker's tablet → the page of the app,
    401, 403, 404 or 405, never the list."""
    (answer,) = shop.raw(request_line("GET", target, cookie_field(shop.tablet(MR.id))))
    assert answer.status in (200, 400, 401, 403, 404, 405)
    assert b'"tokens"' not in answer.body
    assert answer.status != 200 or answer.headers["content-type"].startswith("text/html"), answer.body[:200]


@pytest.mark.parametrize("target", FILES)
def test_no_address_leaves_the_folder_of_the_app(shop: Target, target: str) -> None:
    """Plain, encoded, doubled and reversed dots and slashes, and names that servers forget (`.git`, `.env`, the ledger)
    → 400, 404 or the page of the app."""
    (answer,) = shop.raw(request_line("GET", target))
    assert answer.status in (200, 400, 404, 421)
    assert leaks_nothing(answer.body)
    assert answer.status != 200 or b"<title>Carrete</title>" in answer.body


@pytest.mark.parametrize("folder", ["/api/respaldos/", "/api/respaldos/claves/"])
def test_no_name_of_a_backup_leads_out_of_its_folder(shop: Target, folder: str) -> None:
    """A download of `../identity.key`, of the ledger or of `/etc/passwd` as a backup, by an administrator → 404 or
    422."""
    admin = cookie_field(shop.tablet(1))
    for name in (
        "..%2Fidentity.key",
        "%2e%2e%2fcarrete.db",
        "..%5Cidentity.key",
        "%2Fetc%2Fpasswd",
        "..",
        "identity.key",
    ):
        (answer,) = shop.raw(request_line("GET", folder + name, admin))
        assert answer.status in (404, 405, 422), (name, answer.status)
        assert leaks_nothing(answer.body.replace(b"identity.key", b""))


def test_a_link_in_the_folder_of_backups_is_not_followed(shop: Target) -> None:
    """A symbolic link to `identity.key` under a backup's name → it is no backup: 404."""
    folder = shop.folder / "backups"
    folder.mkdir(exist_ok=True)
    link = folder / "carrete-20261116-030000.sqlite.gz"
    link.symlink_to(shop.folder / "identity.key")
    try:
        answer = shop.tablet(1).get(f"/api/respaldos/{link.name}")
        assert answer.status_code in (404, 422)
        assert bytes(32) not in answer.content
    finally:
        link.unlink()


@pytest.mark.parametrize("id_", ["..%2F..%2Fidentity.key", "..", "%00", "a" * 300, "..%5c..%5cx", "7%0d%0aX-Evil:%20y"])
def test_no_id_of_an_upload_leads_out_of_its_folder(shop: Target, id_: str) -> None:
    """Uploads, photos, devices and tokens by ids that are paths, NULs or line breaks → 404, 405 or 422, no header
    more."""
    admin = cookie_field(shop.tablet(1))
    for before, after in (
        ("planilla/cargas/", ""),
        ("planilla/cargas/", "/informe"),
        ("fotos/", ""),
        ("webhooks/", ""),
    ):
        (answer,) = shop.raw(request_line("GET", f"/api/{before}{id_}{after}", admin))
        assert answer.status in (404, 405, 422), (before, answer.status)
        assert "x-evil" not in answer.headers
        assert leaks_nothing(answer.body.replace(b"identity.key", b""))


def test_the_app_ships_no_sources(shop: Target) -> None:
    """Source maps and TypeScript of the web app → none is in the folder that is served."""
    shipped = {path.suffix for path in Path(web_dist()).rglob("*") if path.is_file()}
    assert not shipped & {".map", ".ts", ".tsx", ".py", ".env", ".key"}


def test_many_ranges_of_a_file_are_cheap(shop: Target) -> None:
    """A `Range` with thousands of pieces on a backup and on a file of the app → answered at once, in no more than a few
    times the file."""
    admin = shop.tablet(1)
    assert admin.post("/api/respaldos", {}).status_code == 200
    (name, *_) = [each["archivo"] for each in admin.see("/api/respaldos")["respaldos"]]
    ranges = {"Range": "bytes=" + ",".join(f"{n}-" for n in range(4_000))}
    size = len(admin.get(f"/api/respaldos/{name}").content)
    for path in (f"/api/respaldos/{name}", "/sw.js"):
        answer = admin.send("GET", path, headers=ranges)
        assert answer.status_code in (200, 206, 400, 416)
        assert len(answer.content) <= 4 * max(size, 1_000_000)


def test_what_a_stranger_sees_of_the_documents(shop: Target) -> None:
    """Pages that frameworks bring along (`/docs`, `/redoc`, `/api/docs`, `/openapi.json`, `/debug`) → 404 or the page
    of the app, never a document of the API."""
    for path in (
        "/docs",
        "/redoc",
        "/api/docs",
        "/api/redoc",
        "/openapi.json",
        "/debug",
        "/server-status",
        "/actuator",
    ):
        answer = shop.http.get(path)
        assert answer.status_code in (200, 401, 404)
        assert b"openapi" not in answer.content.lower().replace(b"/openapi.json", b""), path


def test_the_document_and_the_figures_need_a_token_with_its_scope(shop: Target) -> None:
    """`/metrics` and the OpenAPI document with a token that may only act → 403; an enrolled device behind another
    address is looked at in `test_figures_and_the_document_are_for_this_machine_or_a_token`."""
    program = shop.program(TokenScope.ACTUAR)
    for path in ("/metrics", "/api/openapi.json"):
        assert program.get(path).status_code == 403
