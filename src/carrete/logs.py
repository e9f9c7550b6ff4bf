"""Sets up the log on standard error: readable lines in a terminal, JSON otherwise.

A line costs a few microseconds and never waits for the reader of the log: see `log_stream`.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

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
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
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


_encode = json.JSONEncoder(ensure_ascii=False, default=repr).encode  # json.dumps would make a new encoder for each line


def _as_json(logger: Any, method: str, event: EventDict) -> str:
    """Adds level, time and traceback and encodes in one step: taps wait for it, and each processor of structlog costs a
    microsecond."""
    event["level"] = method
    event["timestamp"] = datetime.now(UTC).isoformat().removesuffix("+00:00") + "Z"
    if "exc_info" in event:
        event = structlog.processors.format_exc_info(logger, method, event)
    return _encode(event)
