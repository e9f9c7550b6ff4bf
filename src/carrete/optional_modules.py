"""Libraries that another library would load because they happen to be installed, though we never use them there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def without_modules(*names: str) -> Iterator[None]:
    """An import of these fails inside the block, as if they were not installed. Those that are loaded already stay."""
    modules: dict[str, Any] = sys.modules
    hidden = [name for name in names if name not in modules]
    modules.update(dict.fromkeys(hidden))  # None in `sys.modules` is Python's own sign for it
    try:
        yield
    finally:
        for name in hidden:
            del modules[name]
