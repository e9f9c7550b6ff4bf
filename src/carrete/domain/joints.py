"""The joints (uniones) of a spool. Diameters are exact, in whole thousandths of an inch; so are thicknesses, in whole
thousandths of a millimetre."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from carrete.domain.shop import Shop

DN_MILLI_MAX = 1_000_000  # a thousand inches; a larger number is no diameter
ESPESOR_MILLI_MAX = 1_000_000  # a metre, in thousandths of a millimetre; a larger number is no thickness
WELD_TEXT_MAX = 100  # characters of a heat, a WPS number, a material or a position


@dataclass(frozen=True)
class Joint:
    tag: str
    n_union: int
    id: str | None = None
    ot: str | None = None
    dn_milli: int | None = None
    dn_text: str | None = None  # the cell's text when it is not a diameter
    tipo: str | None = None
    arm_inicio: datetime | None = None
    arm_fin: datetime | None = None
    arm_worker: str | None = None
    sol_inicio: datetime | None = None
    sol_fin: datetime | None = None
    sol_worker: str | None = None
    ndt_union: str | None = None
    r_ndt_union: str | None = None
    ndt_fecha: str | None = None
    ndt_status: str | None = None
    wps: str | None = None  # the welding procedure
    espesor_milli: int | None = None
    espesor_text: str | None = None  # the cell's text when it is not a thickness
    material: str | None = None
    posicion: str | None = None
    colada_1: str | None = None  # the heats of the two parts
    colada_2: str | None = None
    version: str = ""
    retired: bool = False

    @classmethod
    def from_fields(cls, fields: Iterable[tuple[str, Any]]) -> Joint:
        """Cheaper than the constructor of a frozen dataclass. `fields` must name every field of the class."""
        made = object.__new__(cls)
        made.__dict__.update(fields)
        return made

    def but(self, **changes: Any) -> Joint:
        """As `Spool.but`: a FINALIZAR of two hundred joints makes four hundred of these."""
        fields = self.__dict__ | changes
        assert len(fields) == len(self.__dict__), f"{changes.keys()} are not all fields of a joint"
        changed = object.__new__(Joint)
        object.__setattr__(changed, "__dict__", fields)
        return changed

    @property
    def armed(self) -> bool:
        return self.arm_fin is not None

    @property
    def welded(self) -> bool:
        return self.sol_fin is not None


class JointCounts(NamedTuple):
    """Counts of a spool's joints, stored with the spool so that rules and lists need not read the joints."""

    rows: int = 0
    arm_only: int = 0
    armed: int = 0
    welded: int = 0
    weldable: int = 0  # armed, needs welding, not welded yet
    milli_armed: int = 0
    milli_welded: int = 0


def count(joints: Iterable[Joint], shop: Shop) -> JointCounts:
    rows = arm_only = armed = welded = weldable = milli_armed = milli_welded = 0
    for joint in joints:
        if joint.retired:
            continue
        rows += 1
        needs_welding = shop.needs_welding(joint.tipo)
        arm_only += not needs_welding
        if joint.armed:
            armed += 1
            milli_armed += joint.dn_milli or 0
        if joint.welded and needs_welding:
            welded += 1
            milli_welded += joint.dn_milli or 0
        elif joint.armed and needs_welding:
            weldable += 1
    return JointCounts(rows, arm_only, armed, welded, weldable, milli_armed, milli_welded)


def milli_from(size: Decimal, milli_max: int = DN_MILLI_MAX) -> int | None:
    """None for a number that cannot be a diameter or a thickness: negative, too large, or finer than a thousandth."""
    try:
        milli = size * 1000
        if milli != milli.to_integral_value() or not 0 < milli <= milli_max:
            return None
    except InvalidOperation:
        return None
    return int(milli)


def from_milli(milli: int) -> float:
    """For JSON: a number that prints with at most three places."""
    return milli / 1000


inches = from_milli


def diameter_problem(joint: Joint) -> str | None:
    """The Spanish sentence about a joint whose diameter cannot be read; None for any other joint."""
    if joint.dn_milli is not None:
        return None
    what = f"DN_UNION no es un diámetro: «{joint.dn_text}»" if joint.dn_text else "Falta DN_UNION"
    return f"{what}; cuenta 0 pulgadas."
