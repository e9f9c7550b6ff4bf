"""What every answer has in common, checked the same way everywhere."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import httpx

SANTIAGO = ZoneInfo("America/Santiago")
PROBLEM = "application/problem+json"


def refused(answer: httpx.Response, status: int, code: str, **context: Any) -> dict[str, Any]:
    """An RFC 9457 problem with exactly this status and code, and at least this context."""
    assert (answer.status_code, answer.headers["content-type"]) == (status, PROBLEM), answer.text
    said: dict[str, Any] = answer.json()
    assert (said["status"], said["code"]) == (status, code), said
    assert said["type"].endswith(code)
    assert said["title"]
    assert said["detail"].endswith((".", "%")), f"not a sentence: {said['detail']}"
    assert {name: said.get(name) for name in context} == context
    return said


def invalid(answer: httpx.Response, campo: str) -> dict[str, Any]:
    """422, and the field that is wrong is named with a reason."""
    said = refused(answer, 422, "DATOS_INVALIDOS")
    assert campo in [error["campo"] for error in said["errors"]], said["errors"]
    assert all(error["motivo"] for error in said["errors"])
    return said


def done(answer: httpx.Response) -> dict[str, Any]:
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json"), answer.text
    said: dict[str, Any] = answer.json()
    return said


def replayed(answer: httpx.Response) -> bool:
    return bool(answer.headers.get("idempotency-replayed") == "true")


def is_uuid4(text: str) -> bool:
    return UUID(text).version == 4 and str(UUID(text)) == text


def just_now(text: str) -> bool:
    """ISO 8601 with the shop's offset, whole seconds, not longer ago than a slow test lasts."""
    instant = datetime.fromisoformat(text)
    now = datetime.now(SANTIAGO)
    assert instant.utcoffset() == now.utcoffset(), f"{text} is not in the shop's time"
    assert instant.microsecond == 0
    return timedelta(seconds=-2) < now - instant < timedelta(seconds=60)
