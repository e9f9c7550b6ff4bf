"""docs/sheets-emulator.md names every act, fault, option, control path and kind of request that there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sheets_emulator.batch import HANDLERS
from sheets_emulator.control import Control
from sheets_emulator.emulator import Options
from sheets_emulator.faults import KINDS, POINTS
from sheets_emulator.people import ACTS

TEXT = (Path(__file__).parents[3] / "docs" / "sheets-emulator.md").read_text("utf-8")
PATHS = {name.split("_", 1)[1].replace("_", "-") for name in dir(Control) if re.match(r"(get|post|delete)_", name)}


@pytest.mark.parametrize("name", sorted({*ACTS, *KINDS, *POINTS, *Options.__slots__, *HANDLERS}))
def test_every_name_is_in_the_document(name: str) -> None:
    assert re.search(rf"`{re.escape(name)}[`:]", TEXT), f"{name} is not in docs/sheets-emulator.md"


@pytest.mark.parametrize("path", sorted(PATHS))
def test_every_control_path_is_in_the_document(path: str) -> None:
    assert f"/_control/{path}" in TEXT
