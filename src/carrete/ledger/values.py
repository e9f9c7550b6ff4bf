"""Instants and dates as the ledger stores them: ISO 8601 text that sorts in the order of time."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import lru_cache


@lru_cache(maxsize=1024)
def instant_text(instant: datetime) -> str:
    """Always in UTC and of the same width, so that text order is time order."""
    return instant.astimezone(UTC).isoformat(timespec="seconds")


@lru_cache(maxsize=1024)
def instant_or_none_text(instant: datetime | None) -> str | None:
    return instant_text(instant) if instant is not None else None


def instant_or_none_from(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def date_text(value: date | None) -> str | None:
    return value.isoformat() if value is not None else None


@lru_cache(maxsize=4096)
def date_from(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
