"""What came in and was no HTTP request, or broke a bound: counted for /metrics, logged once a minute."""

from __future__ import annotations

import logging

from carrete.api.server.minute_count import MinuteCount

junk = MinuteCount("junk instead of requests")  # of this process

_UVICORNS_LINE = "Invalid HTTP request received."  # it would write one for each


def silence_uvicorns_lines() -> None:
    logging.getLogger("uvicorn.error").addFilter(_is_no_junk)


def _is_no_junk(record: logging.LogRecord) -> bool:
    return record.msg != _UVICORNS_LINE
