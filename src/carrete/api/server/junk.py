"""Counts input that is no HTTP request or breaks a bound, for /metrics and for one log line a minute."""

from __future__ import annotations

import logging

from carrete.api.server.minute_count import MinuteCount

junk = MinuteCount("junk instead of requests")  # one for the process

_UVICORN_LINE = "Invalid HTTP request received."  # uvicorn logs it for each one


def silence_uvicorn_lines() -> None:
    logging.getLogger("uvicorn.error").addFilter(_is_no_junk)


def _is_no_junk(record: logging.LogRecord) -> bool:
    return record.msg != _UVICORN_LINE
