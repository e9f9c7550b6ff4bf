"""Security headers of every answer: no foreign scripts, no guessed types, no display inside another site's frame."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from starlette.types import Message, Scope, Send

# Charts set their styles through the CSSOM, which `style-src 'self'` allows; a script in the page itself never runs.
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
# The worker that reads codes in the camera's pictures compiles WebAssembly. A worker has the policy of its own file: no
# page may compile anything.
DECODER = "/assets/decoder.worker-"
DECODER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"
HEADERS = [
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"same-origin"),  # stops a foreign page from reading a stream
]
# Only with a certificate of one's own: behind a local authority a new machine could not be reached for a year.
STRICT_TRANSPORT_SECURITY = (b"strict-transport-security", b"max-age=31536000")
API_HEADERS = [*HEADERS, (b"cache-control", b"no-store")]
# An ASGI extension and the type of its one message, with `status`, `lines` (its headers) and `body`: `response_cycle`.
WHOLE_RESPONSE = "carrete.response"
_BY_NAME = "carrete.headers"


def headers_of(scope: Scope) -> dict[bytes, bytes]:
    """The headers of a request, of each name the last. Made once: several pieces look at each request."""
    found: dict[bytes, bytes] | None = scope.get(_BY_NAME)
    if found is None:
        found = scope[_BY_NAME] = dict(scope["headers"])
    return found


def header_lines(headers: Collection[tuple[bytes, bytes]]) -> bytes:
    return b"".join([b"%b: %b\r\n" % header for header in headers]) if headers else b""


def headers_of_file(path: str, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers of one file of the web app."""
    if not path.startswith(DECODER):
        return headers
    return [(name, DECODER_POLICY.encode() if name == b"content-security-policy" else value) for name, value in headers]


def with_headers(send: Send, headers: Sequence[tuple[bytes, bytes]], lines: bytes = b"") -> Send:
    """A `send` that adds these headers to every response. `lines` are the same headers as bytes, for a response that
    leaves as one message."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == WHOLE_RESPONSE:
            message["lines"] += lines
        elif message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *headers]
        await send(message)

    return send_with_headers


def with_missing_headers(send: Send, headers: list[tuple[bytes, bytes]]) -> Send:
    """Headers that the answer has of its own win: a photo may be cached, nothing else of the API."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = message.get("headers", ())
            named = {name.lower() for name, _ in own}
            message["headers"] = [*own, *(each for each in headers if each[0] not in named)]
        await send(message)

    return send_with_headers
