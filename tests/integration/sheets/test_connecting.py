"""The first connection: it reports what it finds, adds missing columns at the right edge, touches nobody's cells."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from carrete.cli import app
from carrete.domain.commands import Tomar
from carrete.domain.spool import Operacion
from carrete.ledger.database import Database
from carrete.sheets.structure import SELLO
from carrete.sheets.timings import LaneTimings
from carrete.workbook.columns import OPERACIONES
from tests.integration.sheets.conftest import BY_JOINT, JOINTS, SPOOLS
from tests.support.builders import a_spool, put
from tests.support.sheet_server import SheetServer
from tests.support.sheets import SheetShop, header

ARM = Operacion.ARM
QUICK = LaneTimings(requests_apart_s_min=0.05)  # the pace has its own test
PEOPLES = ["TAG_SPOOL", "OT", "NV", "Fecha_Materiales", "Total_Uniones", "Observaciones"]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SheetServer:
    google = SheetServer(tmp_path, spools=3)
    for name, value in {**google.settings, "REDIS_URL": "off"}.items():
        monkeypatch.setenv(name, value)
    return google


def test_a_sheet_made_by_hand_gets_its_missing_columns_at_the_right_edge(ledger: Database) -> None:
    shop = SheetShop(ledger, SPOOLS, columns=PEOPLES, stamped=False)
    shop.settle()
    names = shop.grid("Operaciones")[0]
    assert names[: len(PEOPLES)] == PEOPLES
    assert set(names[len(PEOPLES) :]) == {SELLO, *header(OPERACIONES)} - set(PEOPLES)
    shop.do(Tomar("A-1", 93, ARM))
    shop.settle()
    assert shop.row("A-1")["Ocupado_Por"] == "MR(93)"
    shop.close()


def test_a_lost_answer_adds_no_column_twice(ledger: Database) -> None:
    shop = SheetShop(ledger, SPOOLS, columns=PEOPLES, stamped=False)
    shop.fault("apply-then-reset")
    shop.settle()
    names = shop.grid("Operaciones")[0]
    assert len(names) == len(set(names))
    shop.close()


def test_an_empty_workbook_gets_its_headers_and_what_the_ledger_has(ledger: Database) -> None:
    put(ledger, [a_spool("L-1"), a_spool("L-2")])
    shop = SheetShop(ledger, [], columns=[" "], stamped=False)
    shop.settle()
    assert [row["TAG_SPOOL"] for row in shop.rows()] == ["L-1", "L-2"]
    assert shop.row("L-1")["Estado_Detalle"] == "Disponible - ARM pendiente, SOLD pendiente"
    shop.close()


def test_a_workbook_without_a_trail_gets_one(ledger: Database) -> None:
    shop = SheetShop(ledger, SPOOLS)
    shop.person("delete_tab", "Metadata")
    shop.settle()
    shop.assert_every_event_once_in_order()
    shop.close()


def test_another_workbook_is_not_taken_without_being_told(ledger: Database) -> None:
    shop = SheetShop(ledger, [*SPOOLS, BY_JOINT], JOINTS)
    shop.settle()
    with ledger.writing() as tx:
        tx.run("setting_put", name="GOOGLE_SHEET_ID", value="otra")
    shop.restart()
    shop.clock.sleep(31)
    before = shop.writes()
    shop.pass_time(60)
    assert "otra planilla" in shop.lane.stats.reason
    assert shop.writes() == before
    shop.close()


def test_events_that_the_sheet_has_already_are_not_sent_again(ledger: Database) -> None:
    """The lane's memory was lost, for instance with a ledger restored from a backup: the trail is counted by id."""
    shop = SheetShop(ledger, SPOOLS)
    shop.settle()
    with ledger.writing() as tx:
        for what in ("tabs", "rows", "flushes", "writes", "events"):
            tx.run(f"lane_forget_{what}")
        for name in ("GOOGLE_SHEET_ID", "sheet_events_through", "sheet_events_recounted_at"):
            tx.run("setting_put", name=name, value="")
    shop.restart()
    shop.clock.sleep(31)
    shop.settle()
    shop.assert_every_event_once_in_order()
    shop.close()


def test_init_shows_what_it_would_do_and_changes_nothing(command: SheetServer) -> None:
    with command as google:
        result = CliRunner().invoke(app, ["sync", "--init"], obj=QUICK)
        assert result.exit_code == 0, result.output
        assert "Operaciones: pestaña «Operaciones», 3 filas" in result.output
        assert "Carrete_Sello" in result.output
        assert "Spools: 3 nuevos" in result.output
        assert "Nada cambió" in result.output
        assert google.writes() == 0
        assert SELLO not in google.rows()[0]


def test_init_applied_connects_and_imports(command: SheetServer) -> None:
    with command as google:
        google.person("add_row", values={"TAG_SPOOL": "A-1"})
        result = CliRunner().invoke(app, ["sync", "--init", "--apply"], obj=QUICK)
        assert result.exit_code == 3, result.output
        assert "repetido" in result.output
        assert "Conectada." in result.output
        assert google.rows()[1]["Estado_Detalle"] == "Disponible - ARM pendiente, SOLD pendiente"


def test_a_workbook_that_cannot_be_connected_is_reported_in_one_sentence(command: SheetServer) -> None:
    with command as google:
        google.person("rename_header", column="TAG_SPOOL", to="Código")
        looked = CliRunner().invoke(app, ["sync", "--init"], obj=QUICK)
        assert "Hay que repararlo antes: en Operaciones falta la columna TAG_SPOOL" in looked.output
        once = CliRunner().invoke(app, ["sync", "--once"], obj=QUICK)
        assert once.exit_code == 1
        assert "falta la columna TAG_SPOOL" in str(once.exception)
