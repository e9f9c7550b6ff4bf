"""In a campaign a supervisor confirms a sheet that stopped because people typed a lot; other stops are left."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from carrete.domain.workers import Rol
from carrete.ledger.database import Database
from carrete.sheets.freeze import limits
from carrete.sheets.rows import storage
from carrete_chaos.shop import SUPERVISOR
from carrete_chaos.stopped_sheets import confirm_stopped_sheets
from tests.support.builders import a_worker, put


@pytest.mark.parametrize(("kind", "confirmed"), [(limits.CHANGED, 1), (limits.VANISHED, 0), (limits.COLUMNS, 0)])
def test_only_a_stop_for_many_changes_is_confirmed_and_once(
    database: Database, database_url: str, kind: str, confirmed: int
) -> None:
    put(database, workers=[a_worker(SUPERVISOR, roles=[Rol.SUPERVISOR])])
    with database.writing() as tx:
        storage.freeze(tx, "Operaciones", kind, "93 celdas de NV cambiaron a la vez", datetime.now(UTC))
    assert confirm_stopped_sheets(database_url) == confirmed
    with database.reading() as tx:
        assert storage.freezes(tx)["Operaciones"].decision == (limits.CONFIRM if confirmed else "")
    assert confirm_stopped_sheets(database_url) == 0
