"""Checks that all answers have in common."""

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
    problem: dict[str, Any] = answer.json()
    assert (problem["status"], problem["code"]) == (status, code), problem
    assert problem["type"].endswith(code)
    assert problem["title"]
    assert problem["detail"].endswith((".", "%")), f"not a sentence: {problem['detail']}"
    assert {name: problem.get(name) for name in context} == context
    return problem


def invalid(answer: httpx.Response, campo: str) -> dict[str, Any]:
    """422, and the field that is wrong is named with a reason."""
    problem = refused(answer, 422, "DATOS_INVALIDOS")
    assert campo in [error["campo"] for error in problem["errors"]], problem["errors"]
    assert all(error["motivo"] for error in problem["errors"])
    return problem


def done(answer: httpx.Response) -> dict[str, Any]:
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json"), answer.text
    body: dict[str, Any] = answer.json()
    return body


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
