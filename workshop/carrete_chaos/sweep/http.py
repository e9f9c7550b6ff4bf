"""One request, one connection, in a process without an event loop."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

ANSWER_S_MAX = 20.0
NO_HEADERS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    status: int
    body: bytes
    replayed: bool = False
    cookies: tuple[str, ...] = ()  # that it sets, each as NAME=VALUE


def get(port: int, path: str) -> dict[str, Any]:
    """The body, empty when there was no answer."""
    answer = get_with(port, path)
    found: dict[str, Any] = json.loads(answer.body) if answer else {}
    return found


def get_with(port: int, path: str, headers: Mapping[str, str] = NO_HEADERS) -> HttpAnswer | None:
    """The answer, None when there was none."""
    return _ask(port, "GET", path, None, headers)


def upload(port: int, path: str, content: bytes, media_type: str) -> HttpAnswer | None:
    return _ask(port, "POST", path, content, {"Content-Type": media_type})


def post(port: int, path: str, body: Mapping[str, Any], key: str) -> HttpAnswer | None:
    """The answer, None when there was none."""
    return post_with(port, path, body, {"Idempotency-Key": key})


def post_with(port: int, path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> HttpAnswer | None:
    return _ask(port, "POST", path, json.dumps(body), {"Content-Type": "application/json", **headers})


def _ask(port: int, method: str, path: str, body: str | bytes | None, headers: Mapping[str, str]) -> HttpAnswer | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_S_MAX)
    try:
        connection.request(method, path, body, {"Connection": "close", **headers})
        answer = connection.getresponse()
        replayed, cookies = answer.getheader("Idempotency-Replayed") == "true", answer.headers.get_all("Set-Cookie")
        return HttpAnswer(answer.status, answer.read(), replayed, tuple(each.split(";")[0] for each in cookies or ()))
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
