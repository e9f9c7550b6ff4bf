"""What the plain port answers: the page, its style and the authority's certificate. Nothing else of Carrete is there.

With a certificate of one's own there is nothing to install: every page leads to HTTPS. Addresses for programs do not: a
program that asks for them here has sent its token over plain HTTP, and a redirect would hide that.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from urllib.parse import parse_qs

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from starlette.types import Receive, Scope, Send

from carrete.addresses import browser_url
from carrete.api.problems import response_to
from carrete.api.request_refusals import HostUnknown
from carrete.api.server.headers import API_HEADERS, with_headers
from carrete.api.server.hosts import OwnHosts, split_authority
from carrete.api.server.trust_page.guides import Language
from carrete.api.server.trust_page.page import STYLE_PATH, nothing_here, trust_page
from carrete.api.server.web import is_of_the_app
from carrete.tls.authority import fingerprint

Headers = list[tuple[bytes, bytes]]
Reply = tuple[int, Headers, bytes]


class PlainPortApp:
    """`authority` is the certificate to install; None with a certificate of one's own."""

    def __init__(self, hosts: OwnHosts, https_port: int, authority: x509.Certificate | None) -> None:
        self._hosts = hosts
        self._https_port = https_port
        self._authority = authority
        self._style = files("carrete.api.server.trust_page").joinpath("trust.css").read_bytes()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "http"
        send = with_headers(send, API_HEADERS)
        host = next((value for name, value in scope["headers"] if name == b"host"), b"")
        if not self._hosts.accepts(host):
            await response_to(HostUnknown(host), scope["path"])(scope, receive, send)
            return
        status, headers, body = self._reply(scope, host)
        headers.append((b"content-length", b"%d" % len(body)))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    def _reply(self, scope: Scope, host: bytes) -> Reply:
        if scope["method"] not in ("GET", "HEAD"):
            return 405, [(b"allow", b"GET, HEAD")], b""
        name_and_port = split_authority(host.decode("latin-1"))
        assert name_and_port is not None  # it is one of our names
        url = browser_url("https", name_and_port[0], self._https_port)
        if self._authority is None:
            if not is_of_the_app(scope["path"]):
                return 404, [], b""
            return 308, [(b"location", url.encode() + scope.get("raw_path", b"/").split(b"?")[0])], b""
        return self._page(scope, url, self._authority)

    def _page(self, scope: Scope, url: str, certificate: x509.Certificate) -> Reply:
        path = scope["path"]
        if path == STYLE_PATH:
            return 200, [(b"content-type", b"text/css; charset=utf-8")], self._style
        if path == "/":
            return 200, _HTML[:], trust_page(_language(scope), url, fingerprint(certificate)).encode()
        if path == "/carrete.crt":
            return 200, [(b"content-type", b"application/x-x509-ca-cert")], certificate.public_bytes(Encoding.DER)
        if path == "/carrete.pem":
            named = (b"content-disposition", b'attachment; filename="carrete.pem"')
            return 200, [(b"content-type", b"application/x-pem-file"), named], certificate.public_bytes(Encoding.PEM)
        return 404, _HTML[:], nothing_here(_language(scope)).encode()


_HTML: Headers = [(b"content-type", b"text/html; charset=utf-8")]


def _language(scope: Scope) -> Language:
    """As chosen on the page, else as the browser prefers it; Spanish otherwise."""
    chosen = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("idioma", [""])[0]
    if chosen in ("es", "en"):
        return "en" if chosen == "en" else "es"
    accepted: Sequence[str] = [
        value.decode("latin-1") for name, value in scope["headers"] if name == b"accept-language"
    ]
    first = next((word.strip()[:2].lower() for text in accepted for word in text.split(",")), "es")
    return "en" if first == "en" else "es"
