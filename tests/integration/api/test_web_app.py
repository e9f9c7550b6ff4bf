"""The web app as the build leaves it: pages, hashed assets, compressed siblings; and what protects every answer."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from carrete.api.server.headers import CONTENT_SECURITY_POLICY, DECODER_POLICY
from carrete.api.server.web import ENCODINGS, LARGE, TYPES, web_dist
from carrete.settings import Settings
from tests.support.answers import refused
from tests.support.tablet import Tablet, tablet_in_process

INDEX = b"<!doctype html><script type=module src=/assets/app-1a2b.js></script>"
SCRIPT = b"console.log('spool')\n" * 50
READER = random.Random(1).randbytes(2 * LARGE)  # no smaller when it is compressed
FOR_EVER = "public, max-age=31536000, immutable"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `vite build` leaves, as far as we are concerned."""
    folder: Path = tmp_path_factory.mktemp("web_dist")
    (folder / "assets").mkdir()
    (folder / "index.html").write_bytes(INDEX)
    (folder / "favicon.svg").write_bytes(b"<svg/>")
    (folder / "assets" / "app-1a2b.js").write_bytes(SCRIPT)
    (folder / "assets" / "app-1a2b.js.gz").write_bytes(gzip.compress(SCRIPT))
    (folder / "assets" / "app-1a2b.js.br").write_bytes(b"as brotli has it")
    (folder / "assets" / "decoder.worker-5e6f.js").write_bytes(SCRIPT)
    for name in ("reader-7a8b.wasm", "reader-9c0d.wasm"):
        (folder / "assets" / name).write_bytes(READER)
        (folder / "assets" / f"{name}.gz").write_bytes(gzip.compress(READER))
        (folder / "assets" / f"{name}.br").write_bytes(READER[: LARGE + 1])
    (folder / "assets" / "plain-3c4d.css").write_bytes(b"a{}")
    return folder


@pytest.fixture(scope="module")
def browser(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tablet]:
    with tablet_in_process(settings_in(tmp_path_factory.mktemp("data")), web_folder=built) as tablet:
        yield tablet


def settings_in(folder: Path) -> Settings:
    return Settings(access="open", database_url=f"sqlite:///{folder / 'carrete.db'}", data=folder, redis_url="off")


def ask(browser: Tablet, path: str, encoding: str = "identity", method: str = "GET", **headers: str) -> httpx.Response:
    return browser.send(method, path, headers={"Accept-Encoding": encoding, **headers})


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/index.html",
        "/tablero",
        "/supervision",
        "/trabajo/ARM/MK-1335",
        "/trabajo/ARM/MK-1.5",
        "/trabajo/ARM/A%2FB.2",
        "/a/b/c",
    ],
)
def test_every_page_is_the_app_and_is_asked_for_anew(browser: Tablet, path: str) -> None:
    answer = ask(browser, path)
    assert (answer.status_code, answer.content) == (200, INDEX)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"


def test_an_asset_has_its_hash_in_its_name_and_is_kept_for_ever(browser: Tablet) -> None:
    answer = ask(browser, "/assets/app-1a2b.js")
    assert answer.content == SCRIPT
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers["cache-control"] == FOR_EVER
    assert answer.headers["vary"] == "Accept-Encoding"
    assert ask(browser, "/favicon.svg").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("br, gzip", "br"),
        ("gzip, deflate, br;q=1.0", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip;q=0.5", "gzip"),
        ("", None),
    ],
)
def test_what_the_build_compressed_is_sent_as_it_is_to_clients_that_accept_it(
    browser: Tablet, built: Path, accepted: str, encoding: str | None
) -> None:
    answer = raw(browser, "/assets/app-1a2b.js", accepted)
    assert answer.headers.get("content-encoding") == encoding
    file = built / "assets" / f"app-1a2b.js{({'br': '.br', 'gzip': '.gz'}).get(encoding or '', '')}"
    assert answer.headers["content-length"] == str(file.stat().st_size)


def raw(browser: Tablet, path: str, accepted: str) -> httpx.Response:
    """Its head alone: what is inside is not unpacked."""
    return ask(browser, path, accepted, "HEAD")


@pytest.mark.parametrize(("accepted", "encoding"), [("br, gzip", "br"), ("gzip", "gzip"), ("identity", None)])
def test_a_large_file_is_sent_whole(browser: Tablet, built: Path, accepted: str, encoding: str | None) -> None:
    head = raw(browser, "/assets/reader-7a8b.wasm", accepted)
    assert head.headers.get("content-encoding") == encoding
    assert head.headers["content-type"] == "application/wasm"
    assert head.headers["cache-control"] == FOR_EVER
    file = built / "assets" / f"reader-7a8b.wasm{({'br': '.br', 'gzip': '.gz'}).get(encoding or '', '')}"
    assert head.headers["content-length"] == str(file.stat().st_size)
    if encoding != "br":  # which httpx does not unpack here
        assert ask(browser, "/assets/reader-7a8b.wasm", accepted).content == READER
    seen = {"If-None-Match": head.headers["etag"]}
    assert ask(browser, "/assets/reader-7a8b.wasm", accepted, **seen).status_code == 304


def test_a_large_file_is_read_for_each_request_and_stays_when_an_upgrade_replaces_it(
    browser: Tablet, built: Path
) -> None:
    file = built / "assets" / "reader-9c0d.wasm.gz"
    assert ask(browser, "/assets/reader-9c0d.wasm", "gzip").content == READER
    changed = bytes(reversed(READER))
    file.write_bytes(gzip.compress(changed))  # in place: what is in memory would not change
    assert ask(browser, "/assets/reader-9c0d.wasm", "gzip").content == changed
    file.unlink()
    assert ask(browser, "/assets/reader-9c0d.wasm", "gzip").content == changed


def test_what_was_not_compressed_is_sent_plain(browser: Tablet) -> None:
    answer = ask(browser, "/assets/plain-3c4d.css", "br, gzip")
    assert answer.content == b"a{}"
    assert "content-encoding" not in answer.headers
    assert "vary" not in answer.headers


def test_what_a_browser_has_already_is_not_sent_again(browser: Tablet) -> None:
    etag = ask(browser, "/").headers["etag"]
    for seen in (etag, f'"other", W/{etag}'):
        again = ask(browser, "/", **{"If-None-Match": seen})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
    assert ask(browser, "/", **{"If-None-Match": '"other"'}).status_code == 200
    assert (
        raw(browser, "/assets/app-1a2b.js", "gzip").headers["etag"]
        != ask(browser, "/assets/app-1a2b.js").headers["etag"]
    )


@pytest.mark.parametrize(
    "path",
    ["/assets/gone-0000.js", "/assets/gone", "/robots.txt", "/api/nothing", "/api", "/api/", "/../pyproject.toml"],
)
def test_what_is_not_there_is_404_and_never_the_app(browser: Tablet, path: str) -> None:
    refused(ask(browser, path), 404, "NO_EXISTE")


def test_a_wrong_method_is_405_and_an_unknown_path_404(browser: Tablet) -> None:
    refused(ask(browser, "/api/occupation/tomar"), 405, "METODO_NO_PERMITIDO")
    refused(browser.post("/api/nothing", {}), 404, "NO_EXISTE")
    refused(browser.post("/tablero", {}), 404, "NO_EXISTE")


def test_without_a_build_one_sentence_says_what_to_do(tmp_path: Path) -> None:
    with tablet_in_process(settings_in(tmp_path), web_folder=tmp_path / "nothing") as browser:
        answer = ask(browser, "/tablero")
        assert answer.status_code == 503
        assert "make setup" in answer.text
        assert ask(browser, "/api/health").status_code == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/assets/app-1a2b.js"),
        ("GET", "/assets/gone.js"),
        ("GET", "/api/health"),
        ("GET", "/api/nothing"),
        ("GET", "/api/sse/stream?since=x"),
        ("GET", "/metrics"),
        ("POST", "/api/occupation/tomar"),
        ("POST", "/api/nothing"),
    ],
)
def test_every_answer_is_protected_once(browser: Tablet, method: str, path: str) -> None:
    headers = ask(browser, path, method=method).headers
    assert headers.get_list("content-security-policy") == [CONTENT_SECURITY_POLICY]
    assert headers.get_list("x-content-type-options") == ["nosniff"]
    assert headers.get_list("referrer-policy") == ["no-referrer"]
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert "frame-ancestors 'none'" in CONTENT_SECURITY_POLICY


def test_only_the_file_that_reads_codes_may_compile_webassembly(browser: Tablet) -> None:
    headers = ask(browser, "/assets/decoder.worker-5e6f.js").headers
    assert headers.get_list("content-security-policy") == [DECODER_POLICY]
    assert "'wasm-unsafe-eval'" in DECODER_POLICY
    assert "'unsafe-eval'" not in DECODER_POLICY
    assert headers.get_list("x-content-type-options") == ["nosniff"]


def test_every_file_of_the_build_is_of_a_type_that_we_name() -> None:
    suffixes = {path.suffix for path in web_dist().rglob("*") if path.is_file() and not path.name.startswith(".")}
    assert suffixes - {*ENCODINGS.values()} <= TYPES.keys()
