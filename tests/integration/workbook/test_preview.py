"""The preview of an import: it changes nothing, and what it shows is what the import then does."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from carrete.cli.app import app
from carrete.domain.commands import Completar, Pausar, Tomar
from carrete.domain.refusals import Refusal
from carrete.domain.spool import Operacion
from carrete.ledger import open_database
from carrete.ledger.database import Database
from carrete.ledger.rows import joint_from, spool_from
from carrete.workbook.effects import WHEN_APPLIED, RowChange, RowKind
from carrete.workbook.importing import import_workbook, read_sheets
from carrete.workbook.preview import PreviewedStep, apply_steps, preview_steps
from carrete.workbook.report import ImportReport
from carrete.workbook.rows import joint_cells, local, spool_cells
from tests.integration.workbook.files import SHOP, RowEditor, write_file
from tests.integration.workbook.generated import TAGS, a_workbook
from tests.support.builders import spool_in
from tests.support.whole_ledger import everything_in

WALKS, WORKBOOKS_PER_WALK = 10, 20  # 200 workbooks
Cell = tuple[str, str, str]  # sheet, key, column
READY = {"TAG_SPOOL": "A-1", "OT": "1", "Fecha_Materiales": "02-11-2026"}


# ─── looking at the ledger without the code of the preview ────────────────────────────────────────────────────


def cells_in(database: Database) -> dict[Cell, str]:
    """Every cell that the ledger has, as an export would show it, and whether the row is in the workbook."""
    found: dict[Cell, str] = {}
    with database.writing() as tx:
        spools = [spool_from(row) for row in tx.all("spools_to_change", tags=[*TAGS, "A-1"])]
        joints = [joint_from(row) for row in tx.all("joints_of_many", tags=[*TAGS, "A-1"])]
        workers, roles = tx.all("workers"), tx.all("roles")
    for spool in spools:
        cells = {**spool_cells(spool, SHOP.zone), "": "retirada" if spool.retired else "en la planilla"}
        found |= {("Operaciones", spool.tag, name): value for name, value in cells.items()}
    for joint in joints:
        cells = {**joint_cells(joint, SHOP.zone), "": "retirada" if joint.retired else "en la planilla"}
        found |= {("Uniones", f"{joint.tag} {joint.n_union}", name): value for name, value in cells.items()}
    for id_, nombre, apellido, activo in workers:
        cells = {"Nombre": nombre, "Apellido": apellido, "Activo": "TRUE" if activo else "FALSE"}
        found |= {("Trabajadores", str(id_), name): value for name, value in cells.items()}
    found |= {("Roles", f"{id_} {rol}", "Activo"): "TRUE" if on else "FALSE" for id_, rol, on, _ in roles}
    return found


def changed_in(before: dict[Cell, str], after: dict[Cell, str], now: datetime) -> dict[Cell, tuple[str, str]]:
    assert before.keys() <= after.keys(), "an import never deletes"
    applied = local(now, SHOP.zone)
    changed = {}
    for cell, value in after.items():
        was = before.get(cell, "en la planilla" if cell[2] == "" else "")
        if was != value:
            at_once = cell[2] == "Fecha_Ocupacion" and value == applied
            changed[cell] = (was, WHEN_APPLIED if at_once else value)
    return changed


# ─── what a preview says ──────────────────────────────────────────────────────────────────────────────────────


def previewed(desk: RowEditor, path: Path, now: datetime) -> list[PreviewedStep]:
    return list(preview_steps(desk.database, read_sheets(path, SHOP), SHOP, now))


def all_rows(steps: Iterable[PreviewedStep]) -> list[RowChange]:
    return [row for step in steps for row in step.rows]


def shown_changes(rows: Iterable[RowChange]) -> dict[Cell, tuple[str, str]]:
    cells = [((row.sheet, row.key, cell.column), cell) for row in rows if row.has_effect for cell in row.cells]
    assert len(dict(cells)) == len(cells), "a cell is shown once"
    return {where: (cell.before, cell.after) for where, cell in cells}


def shown_refusals(rows: Iterable[RowChange], kind: RowKind) -> list[tuple[str, int, str, str]]:
    return sorted(
        (row.sheet, row.row, cell.column, cell.reason) for row in rows if row.kind is kind for cell in row.cells
    )


def reported(report: ImportReport) -> tuple[list[Any], list[Any]]:
    refused = sorted((one.sheet, one.row, one.column, one.reason) for one in report.problems)
    noticed = [(one.sheet, one.row, one.column, one.reason) for one in report.notices]
    return refused, sorted([*noticed, *((one.sheet, one.row, one.column, str(one)) for one in report.conflicts)])


def work_goes_on(desk: RowEditor, random: Random) -> None:
    """A worker taps now and then between two workbooks."""
    for _ in range(random.randrange(3)):
        tag, operacion = random.choice(TAGS), random.choice([Operacion.ARM, Operacion.SOLD])
        with suppress(Refusal, KeyError):
            desk.act(random.choice([Tomar, Pausar, Completar])(tag, random.choice([93, 12]), operacion))


# ─── the property ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seed", range(WALKS))
def test_a_preview_says_what_the_import_then_does_and_changes_nothing(
    desk: RowEditor, database_url: str, engine: str, seed: int
) -> None:
    if engine == "postgres" and seed % 5:
        pytest.skip("two walks of ten on the second engine")
    random, old, effects, refusals = Random(seed), [], 0, 0
    desk.bring([{**READY, "TAG_SPOOL": tag} for tag in TAGS[:6]])
    for _ in range(WORKBOOKS_PER_WALK):
        if random.random() < 0.4:
            old.append(desk.exported())
        work_goes_on(desk, random)
        book = a_workbook(random, random.choice(old) if old and random.random() < 0.7 else None)
        path = write_file(desk.folder / "generated.xlsx", **book)
        now = desk.clock.tick()
        before, cells_before = everything_in(database_url), cells_in(desk.database)

        rows = all_rows(previewed(desk, path, now))

        assert everything_in(database_url) == before
        report = import_workbook(desk.database, path, SHOP, now)
        assert shown_changes(rows) == changed_in(cells_before, cells_in(desk.database), now)
        refused, noticed = reported(report)
        assert shown_refusals(rows, RowKind.REFUSED) == refused
        assert shown_refusals(rows, RowKind.NOTICE) == noticed
        effects, refusals = effects + len(shown_changes(rows)), refusals + len(refused)
    assert (effects > 100, refusals > 20) == (True, True), "the workbooks must say something"


# ─── applying what was shown ──────────────────────────────────────────────────────────────────────────────────


def test_a_step_that_would_do_something_else_by_now_is_left_out_and_the_others_are_done(
    desk: RowEditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("carrete.workbook.importing.SPOOLS_PER_COMMIT", 1)
    desk.bring([{**READY, "TAG_SPOOL": tag, "Armador": "", "Ocupado_Por": ""} for tag in TAGS[:3]])
    rows = [{**READY, "TAG_SPOOL": tag, "Armador": "otra", "Ocupado_Por": ""} for tag in TAGS[:3]]
    sheets = read_sheets(write_file(desk.folder / "later.xlsx", Operaciones=rows), SHOP)
    planned = [step.digest for step in preview_steps(desk.database, sheets, SHOP, desk.clock.tick())]
    desk.act(Tomar(TAGS[1], 93, Operacion.ARM))

    applied = list(apply_steps(desk.database, sheets, SHOP, desk.clock.tick(), planned))

    assert [step.applied for step in applied] == [True, True, False, True]
    assert [spool_in(desk.database, tag).armador for tag in TAGS[:3]] == ["otra", "MR(93)", "otra"]
    again = list(apply_steps(desk.database, sheets, SHOP, desk.clock.tick(), planned))
    assert [step.applied for step in again] == [True, True, False, True], "what is done already has nothing to do"


def test_an_instant_that_the_import_itself_decides_is_not_promised(desk: RowEditor) -> None:
    """The occupation begins when the file is applied, not when it was previewed."""
    desk.bring([READY])
    path = write_file(desk.folder / "held.xlsx", Operaciones=[{**READY, "TAG_SPOOL": "A-2", "Ocupado_Por": "MR(93)"}])
    sheets = read_sheets(path, SHOP)
    steps = list(preview_steps(desk.database, sheets, SHOP, desk.clock.tick()))
    assert shown_changes(all_rows(steps))["Operaciones", "A-2", "Fecha_Ocupacion"] == ("", WHEN_APPLIED)
    later = desk.clock.tick()
    applied = list(apply_steps(desk.database, sheets, SHOP, later, [step.digest for step in steps]))
    assert all(step.applied for step in applied)
    held = spool_in(desk.database, "A-2").occupation
    assert held is not None
    assert (held.since, applied[1].held_anew) == (later, ["A-2"])


def test_a_take_in_the_very_second_of_the_preview_is_no_change_of_the_file(desk: RowEditor) -> None:
    """A worker took the spool; the file changes another cell. What is shown still holds a second later."""
    desk.bring([READY])
    held = desk.act(Tomar("A-1", 93, Operacion.ARM)).occupation
    assert held is not None
    sheets = read_sheets(write_file(desk.folder / "other.xlsx", Operaciones=[{**READY, "OT": "2"}]), SHOP)
    steps = list(preview_steps(desk.database, sheets, SHOP, held.since))
    assert shown_changes(all_rows(steps)) == {("Operaciones", "A-1", "OT"): ("1", "2")}
    applied = apply_steps(desk.database, sheets, SHOP, desk.clock.tick(), [step.digest for step in steps])
    assert all(step.applied for step in applied)


def test_the_people_of_a_file_count_in_its_preview(desk: RowEditor) -> None:
    """A new worker of the same file may hold a spool of it."""
    people = [{"Id": 55, "Nombre": "Nora", "Apellido": "Núñez", "Activo": True}]
    rows = [{**READY, "Ocupado_Por": "NN(55)"}]
    path = write_file(desk.folder / "people.xlsx", Operaciones=rows, Trabajadores=people)
    rows_shown = all_rows(previewed(desk, path, desk.clock.tick()))
    assert shown_changes(rows_shown)["Operaciones", "A-1", "Ocupado_Por"] == ("", "NN(55)")
    assert shown_changes(rows_shown)["Trabajadores", "55", "Nombre"] == ("", "Nora")
    assert shown_refusals(rows_shown, RowKind.REFUSED) == []


@pytest.mark.parametrize("exit_code", [0, 3])
def test_the_command_shows_a_preview_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exit_code: int
) -> None:
    monkeypatch.setenv("CARRETE_DATA", str(tmp_path))
    rows = [{**READY, "Fecha_Armado": "ayer" if exit_code else ""}]
    path = write_file(tmp_path / "libro.xlsx", Operaciones=rows)
    result = CliRunner().invoke(app, ["import", str(path), "--preview"])
    assert result.exit_code == exit_code, result.output
    assert "Serían 1 filas nuevas" in result.output
    assert ("«ayer» no es una fecha" in result.output) is bool(exit_code)
    database = open_database(f"sqlite:///{tmp_path / 'carrete.db'}")
    with database.reading() as tx:
        assert tx.all("spools_all") == []
    database.close()
