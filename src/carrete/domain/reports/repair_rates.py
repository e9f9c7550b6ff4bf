"""Repair rates: how many examined welds were rejected, with a 95 % interval. Few examinations show no rate at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from math import sqrt
from typing import NamedTuple

EXAMINED_MIN = 5  # below it only counts are shown: one rejection of two says nothing about a person
WITHOUT_PROCESS = "sin proceso"
WITHOUT_WELDER = "sin soldador"
WITHOUT_DIAMETER = "sin diámetro"
_Z = 1.959964  # 95 %
_BANDS_MILLI = ((2_000, "hasta 2"), (4_000, "2 a 4"), (8_000, "4 a 8"), (14_000, "8 a 14"))
_LARGEST = "más de 14"
BANDS = (*(name for _, name in _BANDS_MILLI), _LARGEST, WITHOUT_DIAMETER)


class RatePor(StrEnum):
    SOLDADOR = "soldador"
    PROCESO = "proceso"
    METODO = "metodo"
    DIAMETRO = "diametro"
    SEMANA = "semana"


@dataclass(frozen=True, slots=True)
class Examined:
    """`joints` were examined for the first time, `rejected` of them were rejected then; `rejections` are those of
    re-examinations too. A joint counts once for each method."""

    joints: int = 0
    rejected: int = 0
    rejections: int = 0

    def plus(self, other: Examined) -> Examined:
        return Examined(self.joints + other.joints, self.rejected + other.rejected, self.rejections + other.rejections)

    @property
    def rate(self) -> Rate | None:
        return wilson(self.rejected, self.joints) if self.joints >= EXAMINED_MIN else None


class Rate(NamedTuple):
    rate: float
    low: float
    high: float


def wilson(rejected: int, examined: int) -> Rate:
    """The share with Wilson's score interval, which stays within 0 and 1 and is honest about small numbers."""
    share, square = rejected / examined, _Z * _Z
    middle = (share + square / (2 * examined)) / (1 + square / examined)
    half = _Z / (1 + square / examined) * sqrt(share * (1 - share) / examined + square / (4 * examined * examined))
    return Rate(share, max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half)))


def by_key(por: RatePor, rows: Iterable[tuple[str | int | None, Examined]]) -> dict[str, Examined]:
    """The rows that the ledger added up, by the keys that people read, in the order in which they are shown."""
    named = _NAMES[por]
    found: dict[str, Examined] = {}
    for key, examined in rows:
        name = named(key)
        found[name] = found.get(name, Examined()).plus(examined)
    order: Callable[[str], object] = BANDS.index if por is RatePor.DIAMETRO else str
    return {name: found[name] for name in sorted(found, key=order)}  # type: ignore[arg-type]


def band_of(milli: str | int | None) -> str:
    if milli is None:
        return WITHOUT_DIAMETER
    return next((name for up_to, name in _BANDS_MILLI if int(milli) <= up_to), _LARGEST)


def _monday(day: str | int | None) -> str:
    found = date.fromisoformat(str(day))
    return (found - timedelta(days=found.weekday())).isoformat()


_NAMES: dict[RatePor, Callable[[str | int | None], str]] = {
    RatePor.SOLDADOR: lambda key: str(key or WITHOUT_WELDER),
    RatePor.PROCESO: lambda key: str(key or WITHOUT_PROCESS),
    RatePor.METODO: str,
    RatePor.DIAMETRO: band_of,
    RatePor.SEMANA: _monday,
}
