"""The spools as engineering has prepared them: tags by isometric, with OT and NV, and the joints of v4.0 spools."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from carrete.demo.tokens import token
from carrete.domain.joints import Joint
from carrete.domain.shop import Shop
from carrete.domain.spool import Spool

SHOWN_TAG = "MK-1335-CW-25238-011"  # in the documentation: a v3.0 spool, ready for ARM

# isometric, OT, NV
_ISOMETRICS = (
    ("MK-1335-CW-25238", "OT-4120", "NV-2207"),
    ("MK-1335-CW-25239", "OT-4120", "NV-2207"),
    ("MK-1335-IA-25244", "OT-4121", "NV-2207"),
    ("MK-1336-PW-25310", "OT-4126", "NV-2211"),
    ("MK-1336-PW-25311", "OT-4126", "NV-2211"),
    ("MK-1338-SW-25402", "OT-4133", "NV-2211"),
    ("MK-1341-FG-25517", "OT-4140", "NV-2219"),
    ("MK-1341-FG-25518", "OT-4140", "NV-2219"),
    ("MK-1342-CW-25560", "OT-4141", "NV-2219"),
    ("MK-1347-LS-25633", "OT-4152", "NV-2224"),
    ("MK-1347-LS-25634", "OT-4152", "NV-2224"),
    ("MK-1350-PW-25701", "OT-4158", "NV-2230"),
    ("MK-1350-SW-25712", "OT-4159", "NV-2230"),
)
SPOOLS_PER_ISOMETRIC = 16

JOINTS_MIN, JOINTS_MAX = 4, 20
# The first joints are welds, so that a spool can be paused twice and still has a weld left to complete.
_WELDED_FIRST = 3
_TIPOS = {"BW": 50, "SO": 16, "BR": 10, "FILL": 7, "LET": 7, "FW": 10}
_BRANCHES = frozenset({"BR", "FILL", "LET"})
_UNKNOWN = "TW"  # for a shop where all of the above are ARM-only: an unknown type is welded
_DN_MILLI = (
    500,
    750,
    1000,
    1500,
    2000,
    3000,
    4000,
    6000,
    8000,
    10000,
    12000,
    14000,
    16000,
    18000,
    20000,
    24000,
)
_HEADER_WEIGHTS = (1, 2, 4, 5, 9, 9, 12, 12, 10, 8, 6, 3, 3, 2, 2, 2)


def blank_spools() -> Iterator[Spool]:
    for isometric, ot, nv in _ISOMETRICS:
        for number in range(1, SPOOLS_PER_ISOMETRIC + 1):
            yield Spool(f"{isometric}-{number:03}", ot=ot, nv=nv)


def joints_for(spool: Spool, shop: Shop, rng: Random) -> list[Joint]:
    header = rng.choices(range(len(_DN_MILLI)), _HEADER_WEIGHTS)[0]
    total = rng.randint(JOINTS_MIN, JOINTS_MAX)
    return [_joint(spool, n, header, shop, rng) for n in range(1, total + 1)]


def _joint(spool: Spool, n: int, header: int, shop: Shop, rng: Random) -> Joint:
    """A branch is never wider than the pipe it leaves."""
    tipo = _tipo(shop, rng, welded=n <= _WELDED_FIRST)
    branch = rng.randint(max(0, header - 4), header)
    return Joint(
        tag=spool.tag,
        n_union=n,
        id=f"{spool.tag}-U{n:02}",
        ot=spool.ot,
        dn_milli=_DN_MILLI[branch if tipo in _BRANCHES else header],
        tipo=tipo,
        version=token(rng),
    )


def _tipo(shop: Shop, rng: Random, *, welded: bool) -> str:
    tipos = [tipo for tipo in _TIPOS if not welded or shop.needs_welding(tipo)] or [_UNKNOWN]
    return rng.choices(tipos, [_TIPOS.get(tipo, 1) for tipo in tipos])[0]
