"""A request that another site's page makes a browser send, or that was sent to a name that is not ours, changes
nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from structlog.testing import capture_logs

from carrete.api.server.refusal_log import refusal_log
from carrete.ledger.database import Database
from tests.support.answers import done, refused
from tests.support.builders import a_spool, held, put
from tests.support.every_post import BODIES, ONLY_READ, everything_in, posts_of, prepare
from tests.support.people import JS, LP, MR
from tests.support.tablet import Tablet

STREAM = "/api/sse/stream?since=x"  # a request that reaches the stream is refused because this is no number
ORIGIN = "http://localhost"  # of the tablet's own page
NOT_JSON_TYPES = [
    *(None, "", "text/plain", "text/plain;charset=UTF-8", "text/plain; application/json", "application/jsonx"),
    *("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/octet-stream", "text/json"),
]
FOREIGN_ORIGINS = [
    *(
        "null",
        "",
        "http://evil.example",
        "https://evil.example",
        "http://localhost:8001",
        "http://localhost.evil.example",
    ),
    *(
        "http://127.0.0.1",
        "http://evil.example@localhost",
        "http://localhost/",
        "file://",
        "localhost",
        "ftp://localhost",
    ),
]
UNKNOWN_HOSTS = [
    *("evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "203.0.113.9", "", ":80"),
    *("[2001:db8::9]", "localhost:80:80", "user@localhost", "localhost,evil.example", "127.0.0.1:999999", "0x7f.1"),
    *("[::1", "::1", "localhost..", "0.0.0.0", "2130706433", "ñ.localhost\u00e9"),
]
OWN_HOSTS = [
    *("localhost", "LOCALHOST:9999", "localhost.", "carrete.localhost", "127.0.0.1", "127.0.0.2:81", "127.255.255.254"),
    *("[::1]", "[::1]:8000", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]:80"),
]


@pytest.fixture
def ready(ledger: Database) -> Database:
    prepare(ledger)
    return ledger


@pytest.fixture
def posts(tablet: Tablet) -> list[str]:
    return posts_of(tablet.see("/api/openapi.json"))


@pytest.fixture
def unchanged(ready: Database, database_url: str) -> Iterator[None]:
    """Whatever the test sends, the ledger stays as it was."""
    before = everything_in(database_url)
    yield
    assert everything_in(database_url) == before


def post(tablet: Tablet, path: str, content_type: str | None = "application/json", **headers: str) -> httpx.Response:
    typed = {} if content_type is None else {"Content-Type": content_type}
    return tablet.send("POST", path, content=json.dumps(BODIES[path]), headers={**typed, **named(headers)})


def named(headers: dict[str, str]) -> dict[Any, Any]:
    """`sec_fetch_site=` as `Sec-Fetch-Site`; values as the bytes that a browser would send."""
    return {name.replace("_", "-").encode(): value.encode("latin-1") for name, value in headers.items()}


def test_every_post_would_succeed_if_our_own_page_sent_it(tablet: Tablet, ready: Database, posts: list[str]) -> None:
    for path in posts:
        sent = post(tablet, path, "application/json; charset=utf-8", origin=ORIGIN, sec_fetch_site="same-origin")
        if path in ONLY_READ:
            assert sent.status_code == 200, path
            continue
        answer = done(sent)
        assert answer.get("success", answer.get("succeeded")) == 1, path


@pytest.mark.usefixtures("unchanged")
def test_a_post_must_say_that_it_is_json(tablet: Tablet, posts: list[str]) -> None:
    for path in posts:
        for content_type in NOT_JSON_TYPES:
            refused(post(tablet, path, content_type), 415, "NO_ES_JSON")


@pytest.mark.usefixtures("unchanged")
def test_a_post_of_another_origin_is_refused(tablet: Tablet, posts: list[str]) -> None:
    for path in posts:
        for origin in FOREIGN_ORIGINS:
            refused(post(tablet, path, origin=origin), 403, "ORIGEN_NO_PERMITIDO")


@pytest.mark.usefixtures("unchanged")
def test_a_post_that_the_browser_says_is_of_another_site_is_refused(tablet: Tablet, posts: list[str]) -> None:
    for path in posts:
        for site in ("cross-site", "same-site", "nobody-knows"):
            refused(post(tablet, path, sec_fetch_site=site), 403, "ORIGEN_NO_PERMITIDO")
            refused(post(tablet, path, sec_fetch_site=site, origin=ORIGIN), 403, "ORIGEN_NO_PERMITIDO")


@pytest.mark.usefixtures("unchanged")
def test_a_request_with_two_origin_headers_is_refused(tablet: Tablet) -> None:
    for path in BODIES:
        headers = [("Content-Type", "application/json"), ("Origin", ORIGIN), ("Origin", ORIGIN)]
        answer = tablet.send("POST", path, content=json.dumps(BODIES[path]), headers=headers)
        refused(answer, 403, "ORIGEN_NO_PERMITIDO")


def test_a_foreign_write_is_refused_before_its_route_is_looked_up(tablet: Tablet) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        for path in ("/", "/api/nothing", "/api/spools"):
            answer = tablet.send(method, path, headers={"Origin": "http://evil.example"})
            refused(answer, 403, "ORIGEN_NO_PERMITIDO", origin="http://evil.example")


def test_a_stream_is_for_our_own_pages_only(tablet: Tablet) -> None:
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:8001"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},  # without an origin: an image of another port of this machine
    ):
        refused(tablet.send("GET", STREAM, headers=headers), 403, "ORIGEN_NO_PERMITIDO")
    own = {"Origin": ORIGIN, "Sec-Fetch-Site": "same-origin"}
    refused(tablet.send("GET", STREAM, headers=own), 422, "DATOS_INVALIDOS")


def test_reading_is_no_secret_of_the_origin_but_no_other_page_may_see_the_answer(tablet: Tablet) -> None:
    answer = tablet.send(
        "GET", "/api/health", headers={"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}
    )
    assert answer.status_code == 200
    assert not [name for name in answer.headers if name.startswith("access-control-")]
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    preflight = tablet.send("OPTIONS", "/api/occupation/tomar", headers={"Origin": "http://evil.example"})
    assert preflight.status_code == 405
    assert not [name for name in preflight.headers if name.startswith("access-control-")]


@pytest.mark.parametrize("host", UNKNOWN_HOSTS)
def test_a_name_that_is_not_ours_is_421_everywhere(tablet: Tablet, host: str) -> None:
    for method, path in [("GET", "/"), ("GET", "/api/health"), ("GET", "/metrics"), ("GET", STREAM), ("OPTIONS", "/")]:
        problem = refused(tablet.send(method, path, headers=named({"host": host})), 421, "HOST_DESCONOCIDO")
        assert "CARRETE_HOSTS" in problem["detail"]


@pytest.mark.usefixtures("unchanged")
def test_under_a_name_that_is_not_ours_nothing_changes(tablet: Tablet, posts: list[str]) -> None:
    """A page after DNS rebinding: for the browser, its own name and our server are one origin."""
    for path in posts:
        answer = post(tablet, path, host="evil.example", origin="http://evil.example", sec_fetch_site="same-origin")
        refused(answer, 421, "HOST_DESCONOCIDO", host="evil.example")


@pytest.mark.parametrize("host", OWN_HOSTS)
def test_a_name_of_ours_is_served_under_any_port(tablet: Tablet, host: str) -> None:
    assert tablet.send("GET", "/api/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost", "http://localhost"),
        ("localhost", "https://localhost"),  # a proxy in front serves HTTPS
        ("localhost:80", "http://localhost"),
        ("localhost:443", "https://localhost"),
        ("LocalHost:8000", "http://localhost:8000"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("127.0.0.2:8000", "http://127.0.0.2:8000"),
    ],
)
def test_our_own_origin_is_the_host_that_was_asked(tablet: Tablet, ready: Database, host: str, origin: str) -> None:
    done(post(tablet, "/api/occupation/tomar", host=host, origin=origin))


def test_no_answer_of_the_api_is_kept_by_anybody(tablet: Tablet, ready: Database) -> None:
    answers = [
        tablet.get(path) for path in ("/api/health", "/api/spools", "/metrics", "/api/nothing", "/api/openapi.json")
    ]
    answers += [tablet.send("GET", STREAM), tablet.get("/api/spools/NO-HAY"), tablet.get("/api/occupation/tomar")]
    answers += [tablet.tap("TOMAR", "TOMAR"), tablet.tap("TOMAR", "TOMAR", LP.id), tablet.tap("TOMAR", "NO-HAY")]
    answers += [tablet.send("GET", "/", headers={"Host": "evil.example"})]
    assert [answer.headers.get_list("cache-control") for answer in answers] == [["no-store"]] * len(answers)


@pytest.fixture
def every_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Earlier tests may have used up the log lines of this minute."""
    monkeypatch.setattr(refusal_log, "lines_per_minute_max", 10**9)


def lines(logged: list[Any]) -> list[dict[str, Any]]:
    return [dict(line) for line in logged if line["event"] == "refused"]


@pytest.mark.usefixtures("every_line")
def test_a_refused_403_and_a_reused_key_leave_one_line_each(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [held(a_spool("DE-OTRO"), LP), a_spool("LIBRE"), a_spool("OTRO")])
    done(tablet.tap("TOMAR", "LIBRE", MR.id, key="clave"))
    with capture_logs() as logged:
        refused(tablet.tap("PAUSAR", "DE-OTRO", MR.id), 403, "NO_AUTORIZADO")
        refused(tablet.tap("TOMAR", "OTRO", JS.id), 403, "ROL_NO_AUTORIZADO")
        refused(tablet.tap("TOMAR", "OTRO", MR.id, key="clave"), 422, "IDEMPOTENCY_KEY_REUSED")
        refused(tablet.post("/api/sync/retry", {"supervisor_id": MR.id}), 403, "ROL_NO_AUTORIZADO")
        done(tablet.tap("TOMAR", "OTRO", MR.id))
    about = [
        (line["code"], line["worker_id"], line["path"], line["client"], line.get("tag_spool")) for line in lines(logged)
    ]
    assert about == [
        ("NO_AUTORIZADO", MR.id, "/api/occupation/pausar", "127.0.0.1", "DE-OTRO"),
        ("ROL_NO_AUTORIZADO", JS.id, "/api/occupation/tomar", "127.0.0.1", "OTRO"),
        ("IDEMPOTENCY_KEY_REUSED", MR.id, "/api/occupation/tomar", "127.0.0.1", "OTRO"),
        ("ROL_NO_AUTORIZADO", MR.id, "/api/sync/retry", "127.0.0.1", None),
    ]


@pytest.mark.usefixtures("every_line")
def test_a_foreign_request_leaves_one_log_line_without_control_characters(tablet: Tablet) -> None:
    with capture_logs() as logged:
        refused(post(tablet, "/api/sync/retry", origin="http://evil.example"), 403, "ORIGEN_NO_PERMITIDO")
        refused(post(tablet, "/api/sync/retry", host="\x9b31m" + "e" * 9_000), 421, "HOST_DESCONOCIDO")
    first, second = lines(logged)
    assert (first["code"], first["origin"], first["client"]) == (
        "ORIGEN_NO_PERMITIDO",
        "http://evil.example",
        "127.0.0.1",
    )
    assert (first["method"], first["path"]) == ("POST", "/api/sync/retry")
    assert second["code"] == "HOST_DESCONOCIDO"
    assert len(second["host"]) < 200
    assert second["host"].isprintable()
