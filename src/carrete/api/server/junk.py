"""Counts input that is no HTTP request or breaks a bound, for /metrics and for one log line a minute."""

from __future__ import annotations

import logging

from carrete.api.server.minute_count import MinuteCount

junk = MinuteCount("junk instead of requests")  # one for the process

_NO_HTTP = "Invalid HTTP request received."  # uvicorn logs it for each one
# A tablet that sleeps does not answer the end of its HTTPS connection, so that a stop does not wait for it.
_NOTHING_CANCELLED = "Cancel %s running task(s), timeout graceful shutdown exceeded"


def silence_uvicorn_lines() -> None:
    logging.getLogger("uvicorn.error").addFilter(_is_worth_a_line)


def _is_worth_a_line(record: logging.LogRecord) -> bool:
    return record.msg != _NO_HTTP and (record.msg, record.args) != (_NOTHING_CANCELLED, (0,))
