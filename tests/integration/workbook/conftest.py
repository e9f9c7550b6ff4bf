"""A person who imports and exports files, on each database engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from carrete.ledger.database import Database
from tests.integration.workbook.files import RowEditor


@pytest.fixture
def desk(database: Database, tmp_path: Path) -> RowEditor:
    folder = tmp_path / "files"
    folder.mkdir()
    return RowEditor(database, folder)
