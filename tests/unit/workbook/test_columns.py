"""Every column of the workbook goes both ways: it is exported, a new spool brings it, and an edit in it counts."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from carrete.domain.edits.adoption import adopt
from carrete.domain.edits.cells import Edit, EditContext, JointEdits, RowEdits
from carrete.domain.edits.joint import joint_fields
from carrete.domain.edits.spool import apply_edits
from carrete.domain.joints import Joint
from carrete.workbook import cells
from carrete.workbook.cells import Reader
from carrete.workbook.columns import N_UNION, OPERACIONES, TAG, UNIONES, VERSION, Column, Owner
from carrete.workbook.rows import joint_cells, spool_cells
from tests.support.builders import NOW, SHOP, a_joint, a_spool, a_worker

CONTEXT = EditContext(NOW, SHOP, {93: a_worker()}, lambda worker_id, _since: f"{worker_id}:lock")
TYPED: Mapping[Reader, str] = {
    cells.text: "alta",
    cells.weld_text: "W-1",
    cells.number: "3",
    cells.day: "2026-11-05",
    cells.date_time: "2026-11-05T08:00:00",
    cells.date_time_or_text: "2026-11-05T08:00:00",
    cells.holder: "MR(93)",
}
SPOOL_COLUMNS = [column for column in OPERACIONES.columns if column.name != TAG]
JOINT_COLUMNS = [column for column in UNIONES.columns if column.name not in (TAG, N_UNION)]


def named(column: Column) -> str:
    return column.name


def test_every_column_is_exported() -> None:
    assert {*spool_cells(a_spool(), SHOP.zone), VERSION} == {column.name for column in SPOOL_COLUMNS}
    assert {*joint_cells(a_joint(1), SHOP.zone), VERSION} == {column.name for column in JOINT_COLUMNS}


@pytest.mark.parametrize("column", [c for c in SPOOL_COLUMNS if c.owner is Owner.PEOPLE], ids=named)
def test_a_new_spool_brings_what_people_fill_in(column: Column) -> None:
    value = TYPED[column.read]
    assert spool_cells(adopt("MK-1", {column.name: value}, (), CONTEXT).spool, SHOP.zone)[column.name] == value


@pytest.mark.parametrize("column", [c for c in JOINT_COLUMNS if c.owner is not Owner.OURS], ids=named)
def test_a_new_joint_brings_all_that_is_not_worked_out(column: Column) -> None:
    value = TYPED[column.read]
    joint = Joint("MK-1", 1, **joint_fields({column.name: value}, SHOP.zone))
    assert joint_cells(joint, SHOP.zone)[column.name] == value


@pytest.mark.parametrize("column", SPOOL_COLUMNS, ids=named)
def test_an_edit_of_a_spool_leaves_an_event_whatever_the_column(column: Column) -> None:
    edit = Edit(column.name, "", "", TYPED[column.read])
    assert apply_edits(a_spool(), (), RowEdits((edit,)), (), CONTEXT).events


@pytest.mark.parametrize("column", JOINT_COLUMNS, ids=named)
def test_an_edit_of_a_joint_leaves_an_event_whatever_the_column(column: Column) -> None:
    edits = JointEdits(a_joint(1), (Edit(column.name, "", "", TYPED[column.read]),))
    assert apply_edits(a_spool(total_uniones=1), [a_joint(1)], RowEdits(), [edits], CONTEXT).events
