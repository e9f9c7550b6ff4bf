"""One attacked shop for all probes of a process: no probe depends on what another one left."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.system.security.target import Target, opened_target


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with opened_target(tmp_path_factory.mktemp("attacked")) as opened:
        yield opened
