"""What becomes of a text in a CSV file."""

from __future__ import annotations

import pytest

from carrete.domain.texts import without_formulas


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", ""),
        ("MK-1335", "MK-1335"),
        ("Ana; Luis = 2", "Ana; Luis = 2"),
        ("a-b+c@d=e", "a-b+c@d=e"),
        ("=1+1", "'=1+1"),
        ("-5", "'-5"),
        ("\t=1", "'\t'=1"),
        ("Muro;=1+1", "Muro;'=1+1"),
        ("a;;@x;-2", "a;;'@x;'-2"),
        ('a;"=1;b', "a;'\"=1;b"),
        ("uno\n=2\r\n+3", "uno\n'=2\r\n'+3"),
    ],
)
def test_no_part_of_a_cell_is_a_formula(text: str, written: str) -> None:
    assert without_formulas(text) == written
