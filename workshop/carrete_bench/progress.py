"""Progress messages while a measurement runs."""

from __future__ import annotations

from collections.abc import Callable

ShowProgress = Callable[[str], None]
