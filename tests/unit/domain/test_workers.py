"""People's labels, as they stand in `Ocupado_Por`, and what may be typed for one."""

from __future__ import annotations

import unicodedata

import pytest

from carrete.domain.workers import is_label_of, labelled_id
from tests.support.builders import a_worker


@pytest.mark.parametrize(
    ("id", "nombre", "apellido", "label"),
    [
        (93, "Mauricio", "Rodríguez", "MR(93)"),
        (7, "Álvaro", "Ñancupil", "ÁÑ(7)"),
        (12, "María José", "Pérez Soto", "MP(12)"),
        (5, "Óscar", "de la Fuente", "ÓD(5)"),
        (8, "josé", "muñoz", "JM(8)"),
        (4, "  Pedro ", "  Araya ", "PA(4)"),
        (61, "Nicanor", "", "N(61)"),
    ],
)
def test_a_label_is_first_letter_of_name_and_first_surname_and_the_id(
    id: int, nombre: str, apellido: str, label: str
) -> None:
    assert a_worker(id, nombre, apellido).label == label


def test_a_name_typed_with_a_separate_accent_has_the_same_label() -> None:
    apart = unicodedata.normalize("NFD", "Álvaro")
    assert a_worker(7, apart, "Soto").label == a_worker(7, "Álvaro", "Soto").label == "ÁS(7)"


@pytest.mark.parametrize(
    ("text", "id"),
    [("MR(93)", 93), (" mr ( 93 ) ", 93), ("ÁÑ(7)", 7), ("N(61)", 61), ("Mauricio", None), ("MR()", None)],
)
def test_the_id_is_read_out_of_a_label(text: str, id: int | None) -> None:
    assert labelled_id(text) == id


@pytest.mark.parametrize("typed", ["ÁR(93)", "ár(93)", " AR ( 93 ) ", "ar(93)"])
def test_blanks_case_and_accents_of_a_typed_label_do_not_matter(typed: str) -> None:
    assert is_label_of(typed, a_worker(93, "Álvaro", "Rojas"))


@pytest.mark.parametrize("typed", ["MP(93)", "AR(94)", "AR", "93"])
def test_a_label_with_other_initials_or_another_id_is_somebody_else(typed: str) -> None:
    assert not is_label_of(typed, a_worker(93, "Álvaro", "Rojas"))
