"""Ledgers that have no schema yet, for the tests of how they get one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.postgres import PostgresServer


@pytest.fixture
def empty_url(engine: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if engine == "sqlite":
        yield f"sqlite:///{tmp_path / 'new' / 'carrete.db'}"
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    name = server.create()
    try:
        yield server.url(name)
    finally:
        server.drop(name)
