"""The error that ends a measurement."""

from __future__ import annotations


class BenchFailed(Exception):
    """Its text is one sentence for the user: what did not start, or which response was wrong."""
