"""Serves the built web app from memory: the files of `carrete/web_dist`, read once at the start. What is large even
when compressed, the WebAssembly of the code reader, stays open instead and is read for each request.

Assets have a hash in their name, so browsers may cache them for ever. Every page of the app is `index.html`.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from carrete.api.problems import response_to

HASHED = "/assets/"
FOR_EVER = b"public, max-age=31536000, immutable"
REVALIDATE = b"no-cache"
_GZIP = "gzip"
ENCODINGS = {"br": ".br", _GZIP: ".gz"}  # in the order of preference
LARGE = 256 * 1024  # bytes, compressed
INDEX = "/index.html"
NOT_BUILT = b"<!doctype html><title>Carrete</title><p>The web app is not built yet: run <code>make setup</code>.</p>\n"
# Those of every file that the build makes. Python's own list is that of the machine, a thousand types long.
TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".ico": "image/vnd.microsoft.icon",
    ".js": "text/javascript",
    ".json": "application/json",
    ".mjs": "text/javascript",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
_TEXT = ("text/", "application/json", "application/manifest+json", "image/svg")


class OpenFile:
    """Still there when an upgrade of the package has replaced it: this process goes on with its own version."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._size = os.fstat(self._descriptor).st_size
        weakref.finalize(self, os.close, self._descriptor)

    def read(self) -> bytes:
        return os.pread(self._descriptor, self._size, 0)


@dataclass(frozen=True, slots=True)
class WebFile:
    """The content of one address as the build compressed it, which every browser takes. The plain content is twice as
    large: it is kept only where there is no other, and made anew for the rare client that wants it."""

    media_type: bytes
    cache: bytes
    etag: bytes
    kept_plain: bytes | None
    encoded: dict[str, bytes | OpenFile]

    def content(self, encoding: str) -> bytes:
        """Empty stands for the plain content."""
        if not encoding and self.kept_plain is not None:
            return self.kept_plain
        content = self.encoded[encoding or _GZIP]
        compressed = content.read() if isinstance(content, OpenFile) else content
        return compressed if encoding else gzip.decompress(compressed)


def web_dist() -> Path:
    return Path(str(files("carrete").joinpath("web_dist")))


def is_of_the_app(path: str) -> bool:
    """Whether the address is for people: programs have `/api` and `/metrics`."""
    return path not in ("/api", "/metrics") and not path.startswith("/api/")


class WebApp:
    def __init__(self, folder: Path) -> None:
        self._files = dict(_read(folder)) if (folder / INDEX[1:]).is_file() else {}
        self.built = bool(self._files)

    def serves(self, method: str, path: str) -> bool:
        return method in ("GET", "HEAD") and is_of_the_app(path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        file = self._find(scope["path"])
        if not self.built:
            status, headers, body = 503, [(b"content-type", b"text/html; charset=utf-8")], NOT_BUILT
        elif file is not None:
            status, headers, body = _answer(file, dict(scope["headers"]))
        else:
            await response_to(HTTPException(404), scope["path"])(scope, receive, send)
            return
        if status != 304:
            headers.append((b"content-length", b"%d" % len(body)))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    def _find(self, path: str) -> WebFile | None:
        """A path that does not look like a file is a page of the app: `index.html`, whose script shows that page."""
        if path not in self._files and not _is_file_name(path):
            return self._files.get(INDEX)
        return self._files.get(path)


def _is_file_name(path: str) -> bool:
    """Files are at the top or in the assets folder; in a deeper path a dot is part of a spool's tag."""
    return path.startswith(HASHED) or (path.count("/") == 1 and "." in path)


def _answer(file: WebFile, request_headers: dict[bytes, bytes]) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    encoding = _choose_encoding(file, request_headers.get(b"accept-encoding", b"").decode("latin-1"))
    etag = b'"%b%b"' % (file.etag, f"-{encoding}".encode() if encoding else b"")
    headers = [(b"content-type", file.media_type), (b"cache-control", file.cache), (b"etag", etag)]
    if file.encoded:
        headers.append((b"vary", b"Accept-Encoding"))
    seen = request_headers.get(b"if-none-match", b"")
    if etag in [one.strip().removeprefix(b"W/") for one in seen.split(b",")]:
        return 304, headers, b""
    if encoding:
        headers.append((b"content-encoding", encoding.encode()))
    return 200, headers, file.content(encoding)


def _choose_encoding(file: WebFile, accepted: str) -> str:
    """The first encoding that the client accepts; empty for the plain content."""
    offers = {}
    for offer in accepted.split(","):
        name, _, weight = offer.partition(";")
        offers[name.strip().lower()] = weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return next((name for name in file.encoded if offers.get(name)), "")


def _read(folder: Path) -> Iterator[tuple[str, WebFile]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in ENCODINGS.values():
            yield "/" + path.relative_to(folder).as_posix(), _file(path, "/" + path.relative_to(folder).as_posix())


def _file(path: Path, address: str) -> WebFile:
    siblings = {name: path.with_name(path.name + suffix) for name, suffix in ENCODINGS.items()}
    encoded = {name: _read_or_open(sibling, address) for name, sibling in siblings.items() if sibling.is_file()}
    kind = TYPES.get(path.suffix, "application/octet-stream")
    with path.open("rb") as plain:  # in pieces: the largest is a megabyte, which the process would keep
        etag = hashlib.file_digest(plain, lambda: hashlib.blake2b(digest_size=12)).hexdigest().encode()
    return WebFile(
        (f"{kind}; charset=utf-8" if kind.startswith(_TEXT) else kind).encode(),
        FOR_EVER if address.startswith(HASHED) else REVALIDATE,
        etag,
        None if _GZIP in encoded else path.read_bytes(),
        encoded,
    )


def _read_or_open(compressed: Path, address: str) -> bytes | OpenFile:
    """Only a file with its hash in its name is never changed in place."""
    if address.startswith(HASHED) and compressed.stat().st_size >= LARGE:
        return OpenFile(compressed)
    return compressed.read_bytes()
