"""One line per fact, on standard error: for people in a terminal, as JSON otherwise.

A line costs a few microseconds and never waits for whoever reads it: see `log_stream`.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import structlog
from structlog.types import EventDict, Processor

from carrete.log_stream import LogStream

WRITTEN_ABOVE_A_BAR = ("warning", "error", "critical")

_stream: LogStream | None = None


def set_up(level: str = "INFO") -> None:
    """Once in each process, as soon as the level is known. Lines below it cost a call of an empty function."""
    global _stream
    _stream = LogStream(sys.stderr)
    structlog.configure(
        processors=[_only_what_matters_beside_a_bar, *_rendering()],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        logger_factory=structlog.WriteLoggerFactory(_stream),  # type: ignore[arg-type]
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s %(message)s", stream=_stream, force=True)


@contextmanager
def above(write: Callable[[str], object]) -> Iterator[None]:
    """While a progress bar is drawn: warnings are written by it, above it, and lines of less weight are left out."""
    if _stream is None:
        yield
        return
    _stream.write_above_a_bar = write
    try:
        yield
    finally:
        _stream.write_above_a_bar = None


def _only_what_matters_beside_a_bar(_logger: Any, method: str, event: EventDict) -> EventDict:
    if _stream is not None and _stream.write_above_a_bar is not None and method not in WRITTEN_ABOVE_A_BAR:
        raise structlog.DropEvent
    return event


def _rendering() -> list[Processor]:
    if not sys.stderr.isatty():
        return [_as_json]
    return [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso"),
        structlog.processors.format_exc_info,
        structlog.dev.ConsoleRenderer(),
    ]


_encode = json.JSONEncoder(ensure_ascii=False, default=repr).encode  # made once: json.dumps makes one for each line


def _as_json(logger: Any, method: str, event: EventDict) -> str:
    """Level, time, trace and JSON in one step: taps wait for it, and each step of structlog's costs a microsecond."""
    event["level"] = method
    event["timestamp"] = datetime.now(UTC).isoformat().removesuffix("+00:00") + "Z"
    if "exc_info" in event:
        event = structlog.processors.format_exc_info(logger, method, event)
    return _encode(event)
