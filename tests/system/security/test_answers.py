"""What answers give away: headers, caches, errors, and the difference between two refusals."""

from __future__ import annotations

import re
from importlib.metadata import version

import pytest

from carrete.api.access_table import TABLE
from carrete.identity.records import TokenScope
from tests.support.answers import done
from tests.support.people import MR, SV
from tests.support.signed_in import DEVICE_COOKIE, SESSION_COOKIE
from tests.support.signing_in import PIN, WRONG_PIN
from tests.system.security.target import Target, leaks_nothing, paths

OWN_VERSION = version("carrete")
STREAM = "/api/sse/stream"
PROTECTION = {
    "content-security-policy": "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}


def test_every_answer_is_protected_whoever_asks(shop: Target) -> None:
    """Every reading by an administrator and by a stranger, and answers to no HTTP → policy, no frames, no guessed
    types, each header once; `no-store` on everything of the API."""
    for caller in (shop.tablet(1), shop.stranger()):
        for path in [*paths("GET"), "/", "/no-such-page", "/api/nothing", "/assets/nothing.js"]:
            if path == STREAM:
                continue
            answer = caller.get(path)
            for name, words in PROTECTION.items():
                assert words in answer.headers.get(name, ""), (path, name)
                assert len(answer.headers.get_list(name)) == 1, (path, name)
            if path.startswith("/api") or path == "/metrics":
                assert answer.headers["cache-control"] == "no-store", path
    (junk,) = shop.raw(b"\x16\x03\x01 no http\r\n\r\n")
    assert all(words in junk.headers[name] for name, words in PROTECTION.items())


def test_no_answer_says_what_the_server_is_made_of(shop: Target) -> None:
    """`Server`, `X-Powered-By`, versions of what it is made of, in what a stranger may read → none. (`/api/health` has
    Carrete's own version.)"""
    for path in ("/", "/api/health", "/api/acceso", "/api/health/ready", "/api/spools", "/nothing.js"):
        answer = shop.http.get(path)
        assert not {"server", "x-powered-by", "via", "x-aspnet-version"} & set(answer.headers), path
        if not answer.headers["content-type"].startswith("text/html"):
            assert not re.search(
                r"\b\d+\.\d+\.\d+\b|uvicorn|[Ss]tarlette|[Ff]ast[Aa]pi|[Pp]ython", answer.text.replace(OWN_VERSION, "")
            ), path


def test_no_script_in_an_answer_is_ever_a_page(shop: Target) -> None:
    """A script in a path, a query and a body → the answer that repeats it is JSON that is not guessed to be a page."""
    script = "<script>alert(1)</script>"
    tablet = shop.tablet(MR.id)
    answers = [
        tablet.get(f"/api/spools/{script}"),
        tablet.get("/api/spools", q=script),
        tablet.get("/api/spools", cursor=script),
        tablet.tap("TOMAR", script),
        tablet.post("/api/codigos", {"textos": [script]}),
        tablet.get(f"/api/history/{script}"),
    ]
    for answer in answers:
        assert answer.headers["content-type"] in ("application/json", "application/problem+json")
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_stranger_cannot_tell_what_exists(shop: Target) -> None:
    """Things that exist and things that do not (spools, people, devices, tokens, backups, photos), asked for by a
    stranger, a worker and a token → word for word the same refusal."""
    admin, tag = shop.tablet(1), shop.spool()
    token = done(admin.post("/api/tokens", {"nombre": "Existe", "alcances": ["leer"]}))
    pairs = {
        "GET /api/spools/{}": (tag, "SEC-NO-HAY"),
        "GET /api/history/{}": (tag, "SEC-NO-HAY"),
        "POST /api/personas/{}/pin": ("93", "99999"),
        "POST /api/personas/{}/desactivar": ("93", "99999"),
        "POST /api/dispositivos/{}/renombrar": (admin.device.id, "d-0-0"),
        "POST /api/tokens/{}/revocar": (token["id"], "t-0000000000000000"),
        "GET /api/respaldos/{}": ("carrete-20261116-030000.sqlite.gz", "carrete-20261116-030001.sqlite.gz"),
    }
    for route, (there, not_there) in pairs.items():
        verb, path = route.split()
        callers = [shop.stranger()] if "spools" in path or "history" in path else [shop.stranger(), shop.tablet(MR.id)]
        for caller in callers:
            one, other = (
                caller.send(verb, path.format(id_), headers={"Content-Type": "application/json"}, content="{}")
                for id_ in (there, not_there)
            )
            assert one.status_code in (401, 403), route
            assert (one.status_code, one.text) == (other.status_code, other.text), route


def test_a_condition_is_no_way_to_ask(shop: Target) -> None:
    """`If-None-Match`, `If-Modified-Since` and `Range` on what is private, by a stranger → 401, never 304 or 206."""
    tablet = shop.tablet(MR.id)
    known = tablet.send("GET", "/api/offline/spools")
    tags = {"If-None-Match": known.headers.get("etag", "*"), "Range": "bytes=0-10"}
    for more in (tags, {"If-None-Match": "*"}, {"If-Modified-Since": "Mon, 01 Jan 2035 00:00:00 GMT"}):
        assert shop.http.get("/api/offline/spools", headers=more).status_code == 401


def test_no_error_tells_how_the_server_is_built(shop: Target) -> None:
    """Wrong types and lengths in every parameter of every reading, by an administrator → 4xx or 200 without a path, a
    statement or a class of the server."""
    admin = shop.tablet(1)
    queries = [
        "?limit=x",
        "?cursor='%22--",
        "?desde=x&hasta=%00",
        "?worker_id=-1",
        "?operacion[]=ARM",
        "?q=" + "a" * 5_000,
    ]
    for path in paths("GET"):
        for query in queries if path != STREAM else ["?since=x"]:
            answer = admin.send("GET", path + query)
            assert answer.status_code < 500, (path, query)
            if path not in ("/api/sistema", "/api/openapi.json", "/api/respaldos"):
                assert leaks_nothing(answer.content), (path, query)


def test_no_reading_changes_anything(shop: Target) -> None:
    """Every GET by an administrator, as a picture in a foreign page would make them → the ledger has the same rows."""
    admin = shop.tablet(1)
    with shop.unchanged():
        for path in paths("GET"):
            if path != STREAM:
                admin.send("GET", path, headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"})


def test_what_is_downloaded_is_never_shown(shop: Target) -> None:
    """Workbooks, CSV and copies of the ledger → `attachment`, a type of their own and `nosniff`: no browser shows them
    as a page of ours."""
    admin = shop.tablet(1)
    for path in ("/api/planilla/exportar", "/api/planilla/plantilla", "/api/accesos?formato=csv"):
        answer = admin.send("GET", path)
        assert answer.status_code == 200, path
        assert answer.headers["content-disposition"].startswith("attachment"), path
        assert "html" not in answer.headers["content-type"]


def test_cookies_are_for_this_host_this_site_and_no_script(shop: Target) -> None:
    """Every `Set-Cookie` of sign-in, sign-out and enrolment → `__Host-`, `Secure`, `HttpOnly`, `SameSite=strict`, path
    `/`, no domain."""
    admin, tablet, new = shop.tablet(1), shop.tablet(), shop.stranger()
    made = done(admin.post("/api/dispositivos/inscripciones", {"nombre": "Tablet 10", "tipo": "tablet"}))
    answers = [
        tablet.sign_in(shop.worker()),
        tablet.send("DELETE", "/api/sesion"),
        new.post("/api/dispositivos/inscripciones/usar", {"codigo": made["codigo"]}),
    ]
    found = [cookie for answer in answers for cookie in answer.headers.get_list("set-cookie")]
    assert len(found) >= 3
    for cookie in found:
        assert cookie.startswith((DEVICE_COOKIE, SESSION_COOKIE))
        attributes = {part.strip().lower() for part in cookie.split(";")[1:]}
        assert {"secure", "httponly", "samesite=strict", "path=/"} <= attributes
        assert not any(part.startswith("domain") for part in attributes)


def test_nothing_secret_is_ever_in_the_log(shop: Target) -> None:
    """PINs right and wrong, cookies, tokens, codes and signatures, sent in right and in wrong places → no line of the
    server's log has one, and no line has a control character."""
    admin, tablet = shop.tablet(1), shop.tablet()
    person = shop.worker()
    done(tablet.sign_in(person))
    tablet.sign_in(person, WRONG_PIN)
    made = done(admin.post("/api/tokens", {"nombre": "Secreto", "alcances": ["leer"]}))
    secrets = [PIN, WRONG_PIN, made["token"], *tablet.cookies.values(), *admin.cookies.values()]
    for secret in secrets:
        shop.http.get(f"/api/spools?token={secret}")
        shop.http.get("/api/spools", headers={"Authorization": f"Bearer {secret}", "Carrete-Tap": secret})
        tablet.post("/api/occupation/tomar", {"tag_spool": "SEC-0", "worker_id": SV.id, "operacion": secret})
        tablet.post("/api/sesion", {"worker_id": 7, "pin": secret, secret: secret})
    shop.http.get("/api/%0d%0a%1b[2J", headers={"Origin": "http://x\x1b[31m", "User-Agent": "\x1b]0;title\x07"})
    said = shop.server.complaints
    assert "refused" in said
    assert [secret for secret in secrets if secret in said] == []
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", said)


@pytest.mark.parametrize("scope", list(TokenScope))
def test_no_program_sees_what_only_people_may(shop: Target, scope: TokenScope) -> None:
    """Every route that no scope opens, with a token of each scope → 403 `PERMISO_INSUFICIENTE`, each."""
    program = shop.program(scope)
    for (verb, path), need in TABLE.items():
        if need.scope is None and need.level.value != "nothing":
            address = path.replace("{tag}", "SEC-0").replace("{archivo}", "x").replace("{id}", "7")
            answer = program.send(verb, address, headers={"Content-Type": "application/json"})
            assert (answer.status_code, answer.json()["code"]) == (403, "PERMISO_INSUFICIENTE"), path
