"""Pydantic types of another package that are built when they are first used, not when they are imported."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import BaseModel, ConfigDict


@contextmanager
def deferred_models() -> Iterator[None]:
    """For types that the block defines: each takes the configuration of `BaseModel` when it is defined."""
    before = BaseModel.model_config
    BaseModel.model_config = ConfigDict(defer_build=True)
    try:
        yield
    finally:
        BaseModel.model_config = before
