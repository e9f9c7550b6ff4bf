"""Cells of the weld record as people type them: lists of processes, P-numbers, F-numbers, positions; and `Material`."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

PARTS_MAX = 20  # processes, P-numbers or positions in one cell
_SEPARATOR = re.compile(r"[,;+/\n]")
_DASH = r"\-‐‑–—"
_GAP = f"[ {_DASH}]?"
_NO = r"N(?:[O°º]\.?|\.[°º]|RO\.?)"  # No., N°, N.º, Nro.
_GROUP = r"(?: ?GR(?:OUP|UPO|\.)? ?\d)?"  # of a P-number; no qualification depends on it
_P_NUMBER = re.compile(rf"P?(?P<marked>{_GAP}{_NO})?{_GAP}0?(?P<number>\d{{1,2}}[A-H]?){_GROUP}", re.IGNORECASE)
_BEFORE_F_NUMBER = re.compile(rf"^F{_GAP}(?:{_NO})?{_GAP}(?=\d)", re.IGNORECASE)
_ANY_NUMBER = rf"[PF]?{_GAP}(?:{_NO})?{_GAP}\d{{1,2}}[A-H]?"
_RANGE = re.compile(rf"{_ANY_NUMBER}(?: ?[{_DASH}] ?| (?:A|AL|HASTA|TO) ){_ANY_NUMBER}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BaseMetal:
    """What `Material` of a joint names: P-numbers, and materials whose P-number it does not state. `unclear` are those
    of the latter that could be taken for a P-number: `P91` is a grade of ASTM A335, whose P-number is 15E."""

    p_numbers: tuple[str, ...] = ()
    grades: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()


def base_metal(material: str | None, named: Collection[str]) -> BaseMetal:
    """`P-No. 8` is always a P-number. `P8`, `P-8` and `8` are one if the shop's procedures or qualifications name it
    (`named`): grades of steel are written the same way, and no code's tables are here to tell them apart."""
    numbers, grades, unclear = [], [], []
    for part in parts_of(material or ""):
        match = _P_NUMBER.fullmatch(part)
        if match and (match["marked"] or match["number"] in named):
            numbers.append(match["number"])
        else:
            grades.append(part)
            if match:
                unclear.append(part)
    return BaseMetal(tuple(dict.fromkeys(numbers)), tuple(grades), tuple(unclear))


def parts_of(cell: str) -> tuple[str, ...]:
    """The parts of a list in a cell, `GTAW + SMAW`, in normal form and once each."""
    parts = (normal_part(part) for part in _SEPARATOR.split(cell))
    return tuple(dict.fromkeys(part for part in parts if part))


def p_numbers_of(cell: str) -> tuple[str, ...]:
    """`P1`, `P-No. 1` and `1` are the same P-number; anything else stays as it is."""
    found = ((part, _P_NUMBER.fullmatch(part)) for part in parts_of(cell))
    return tuple(dict.fromkeys(match["number"] if match else part for part, match in found))


def f_numbers_of(cell: str) -> tuple[str, ...]:
    """`F6` and `6` are the same F-number. The order counts, and so does a repetition: one for each process."""
    parts = (normal_part(part) for part in _SEPARATOR.split(cell))
    return tuple(_BEFORE_F_NUMBER.sub("", part) for part in parts if part)


def is_range(part: str) -> bool:
    """Whether it is written like `1-11` or `F1 a F4`. Which numbers lie between is for the welding code to say, so a
    range stands for no number."""
    return _RANGE.fullmatch(part) is not None


def normal_part(text: str) -> str:
    return " ".join(text.split()).upper()
