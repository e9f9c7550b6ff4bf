"""One emulator for each test, with a small workbook of the shop and a client of the API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.emulator import Api, Control, RunningEmulator, running_emulator

DATE_TIME = {"type": "DATE_TIME", "pattern": "dd-mm-yyyy hh:mm:ss"}
SPOOLS: list[list[Any]] = [
    ["TAG_SPOOL", "OT", "Ocupado_Por", "Fecha_Ocupacion", "Pulgadas_ARM"],
    ["MK-01", "OT-1", "MR(93)", 46078.5, 1.5],
    ["MK-02", "OT-1", None, None, 2],
    ["MK-03", "OT-2", None, None, 0.5],
    ["MK-04", "OT-2", None, None, None],
]
OPERACIONES = 0
METADATA = 70


@pytest.fixture
def emulator() -> Iterator[RunningEmulator]:
    with running_emulator(clock_runs=False) as running:
        running.control.make(
            [
                {"title": "Operaciones", "rows": SPOOLS, "formats": {"3": DATE_TIME}, "row_count": 20},
                {"title": "Metadata", "rows": [["ID", "Evento_Tipo"]], "row_count": 3, "sheet_id": METADATA},
            ],
            title="Taller",
        )
        yield running


@pytest.fixture
def control(emulator: RunningEmulator) -> Control:
    return emulator.control


@pytest.fixture
def api(emulator: RunningEmulator) -> Iterator[Api]:
    with emulator.api() as client:
        yield client
