"""The tables of columns hold every field of a spool and of a joint, and lose nothing on the way through a row."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, date, datetime

import pytest

from carrete.domain.joints import Joint, JointCounts
from carrete.domain.spool import Before, Ensayos, Estado, Metrologia, Occupation, Operacion, Reparacion, Spool
from carrete.ledger.columns import JOINT, JOINT_COUNTS, SPOOL_FIELDS, SPOOL_READ
from carrete.ledger.rows import joint_from, joint_row, spool_from, spool_holder_row, spool_row
from carrete.ledger.store import only_holder_changed

AT = datetime(2026, 11, 13, 11, 2, 11, tzinfo=UTC)
FREE = Spool(
    "MK-1",
    "token",
    "OT-1",
    "NV-1",
    10,
    "diez",
    date(2026, 11, 1),
    date(2026, 11, 2),
    date(2026, 11, 3),
    date(2026, 11, 4),
    "MR(93)",
    "JP(94)",
    Estado.COMPLETADO,
    Estado.PAUSADO,
    Metrologia.RECHAZADO,
    Reparacion.EN_PROGRESO,
    2,
    None,
    JointCounts(1, 2, 3, 4, 5, 6, 7),
    retired=True,
)
HELD = FREE.but(occupation=Occupation(93, "MR(93)", Operacion.SOLD, AT, "93:lock", Before("PAUSADO", "JP(94)")))
JOINT_1 = Joint(
    *("MK-1", 1, "id", "OT-1", 4_000, "cuatro", "BW", AT, AT, "MR(93)", AT, AT, "JP(94)"),
    *("RT", "sí", "2026-11-05", "OK", "WPS-1", 6_020, "seis", "P1", "6G", "H1", "H2", "token", True),
)


@pytest.mark.parametrize("spool", [FREE, HELD, Spool("MK-2")])
def test_a_spool_comes_back_from_its_row_as_it_was(spool: Spool) -> None:
    row = spool_row(spool)
    assert spool_from(tuple(row[name] for name in SPOOL_READ)) == spool


@pytest.mark.parametrize("joint", [JOINT_1, Joint("MK-1", 2)])
def test_a_joint_comes_back_from_its_row_as_it_was(joint: Joint) -> None:
    row = joint_row(joint)
    assert joint_from(tuple(row[name] for name in JOINT.names)) == joint


def test_taking_a_spool_writes_only_who_holds_it() -> None:
    taken = FREE.but(version="next", arm=Estado.EN_PROGRESO, stage="trabajo:ARM", occupation=HELD.occupation)
    assert only_holder_changed(FREE.but(arm=Estado.PAUSADO), taken)
    row = spool_holder_row(taken)
    assert row == {name: spool_row(taken)[name] for name in row}


@pytest.mark.parametrize(
    "change",
    [
        {"fecha_armado": None},
        {"fecha_soldadura": None},
        {"fecha_qc": None},
        {"metrologia": Metrologia.EN_COLA},
        {"reparacion": Reparacion.PENDIENTE},
        {"ciclo": 1},
        {"begun_at": AT},
        {"ndt": Ensayos.PENDIENTE},
        {"counts": JointCounts()},
        {"arm": Estado.PENDIENTE, "retired": False},
    ],
)
def test_whatever_else_changes_is_written_too(change: dict[str, object]) -> None:
    assert not only_holder_changed(FREE, HELD.but(version="next", **change))


def test_every_field_has_a_column() -> None:
    spool_fields = {field.name for field in fields(Spool)} - {"occupation", "counts"}
    assert set(SPOOL_FIELDS.fields) == spool_fields
    assert list(JOINT_COUNTS.fields) == list(JointCounts._fields)
    assert list(JOINT.fields) == [field.name for field in fields(Joint)]


def test_rows_hold_only_what_a_database_stores() -> None:
    values = [*spool_row(HELD).values(), *joint_row(JOINT_1).values()]
    assert {type(value) for value in values} <= {str, int, type(None)}
