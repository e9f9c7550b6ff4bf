"""How a measurement says that it cannot."""

from __future__ import annotations


class BenchFailed(Exception):
    """One sentence: what did not start, or what answered otherwise than it must."""
