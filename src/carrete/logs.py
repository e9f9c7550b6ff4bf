"""Sets up the log on standard error: readable lines in a terminal, JSON otherwise.

A line costs a few microseconds and never waits for the reader of the log: see `log_stream`.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from carrete.log_stream import LogStream
from carrete.optional_modules import without_modules

with without_modules("rich", "greenlet"):  # structlog would load them, for tracebacks that we print ourselves
    import structlog

if TYPE_CHECKING:
    from structlog.types import EventDict, Processor

LEVELS_ABOVE_A_BAR = ("warning", "error", "critical")

_stream: LogStream | None = None


def set_up(level: str = "INFO") -> None:
    """To be called once in each process, as soon as the level is known. Lines below the level cost next to nothing."""
    global _stream
    _stream = LogStream(sys.stderr)
    structlog.configure(
        processors=[_drop_minor_lines_above_a_bar, *_rendering()],
        wrapper_class=_logger_class(logging.getLevelNamesMapping()[level]),
        logger_factory=structlog.WriteLoggerFactory(_stream),  # type: ignore[arg-type]
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s %(message)s", stream=_stream, force=True)


@contextmanager
def above(write: Callable[[str], object]) -> Iterator[None]:
    """While a progress bar is shown, `write` prints warnings and errors above it; other lines are dropped."""
    with nullcontext() if _stream is None else _stream.redirected(write):
        yield


def _drop_minor_lines_above_a_bar(_logger: Any, method: str, event: EventDict) -> EventDict:
    if _stream is not None and _stream.is_redirected and method not in LEVELS_ABOVE_A_BAR:
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


def _logger_class(level: int) -> type[Any]:
    filtering = structlog.make_filtering_bound_logger(level)
    if level > logging.INFO:
        return filtering

    class InfoLogger(filtering):  # type: ignore[misc, valid-type]
        """Every tap writes lines of this level, and structlog's general way costs twice as much."""

        def info(self, event: str, **fields: Any) -> None:
            if self._processors[-1] is _as_json and not self._context and _stream and not _stream.is_redirected:
                _stream.write(_as_json(None, "info", {**fields, "event": event}) + "\n")
            else:
                super().info(event, **fields)

    return InfoLogger


def _as_json(logger: Any, method: str, event: EventDict) -> str:
    """Adds level, time and traceback and encodes in one step: each processor of structlog costs a microsecond."""
    event["level"] = method
    event["timestamp"] = _timestamp(time.time_ns())
    if "exc_info" in event:
        event = structlog.processors.format_exc_info(logger, method, event)
    try:
        return to_json(event, fallback=repr).decode()
    except ValueError:  # bytes or text that is no UTF-8, such as the name of a file
        return json.dumps(event, default=repr)


def _timestamp(ns: int) -> str:
    seconds, rest = divmod(ns, 1_000_000_000)
    return f"{_second(seconds)}.{rest // 1000:06d}Z"


@lru_cache(maxsize=2)
def _second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
