"""What is not valid is said in Spanish, whatever kind of mistake it is: people read it in the program that they use."""

from __future__ import annotations

from typing import Any

import pytest

from carrete.api.problems import not_valid
from tests.support.answers import invalid
from tests.support.tablet import Tablet

SHEETS = "/api/etiquetas/hojas"
RESULT = "/api/ndt/resultado"
PERIOD = {"desde": "2026-11-13", "hasta": "2026-11-13", "por": "dia"}
A_DAY = "debe ser una fecha AAAA-MM-DD."


@pytest.mark.parametrize(
    ("path", "body", "campo", "reason"),
    [
        (SHEETS, {"saltar": 70}, "saltar", "debe ser menos que 70."),
        (SHEETS, {"saltar": 1.5}, "saltar", "debe ser un número entero."),
        (SHEETS, {"cuadricula": {"margen_izquierdo_mm": "x"}}, "cuadricula.margen_izquierdo_mm", "debe ser un número."),
        (SHEETS, {"tags": "MK-1"}, "tags", "debe ser una lista."),
        (RESULT, {"defectos": {}}, "defectos", "debe ser una lista."),
        ("/api/soldadura/wps", {"activo": "si"}, "activo", "debe ser true o false."),
        ("/api/occupation/cadena", {"pasos": []}, "pasos", "al menos 1 elemento."),
        ("/api/occupation/liberar", {"motivo": ""}, "motivo", "al menos 1 carácter."),
    ],
)
def test_a_body_s_mistake_is_named_in_spanish(
    tablet: Tablet, path: str, body: dict[str, Any], campo: str, reason: str
) -> None:
    errors = invalid(tablet.post(path, body), campo)["errors"]
    assert [each["motivo"] for each in errors if each["campo"] == campo] == [reason]


def test_a_number_that_is_no_number_is_named_in_spanish(tablet: Tablet) -> None:
    body = b'{"cuadricula": {"margen_izquierdo_mm": NaN}}'
    errors = invalid(tablet.post(SHEETS, content=body), "cuadricula.margen_izquierdo_mm")["errors"]
    assert "debe ser un número finito." in [each["motivo"] for each in errors]


@pytest.mark.parametrize(
    "day",
    ["20261113", "1763510400", "2026-11-13T10:00:00", "2026-11-13T00:00:00", "13-11-2026", "2026-02-30", "1.5", ""],
)
def test_a_report_s_day_is_written_in_one_way(tablet: Tablet, day: str) -> None:
    for path in ("/api/metrics/pulgadas", "/api/metrics/calidad", "/api/metrics/etapas"):
        said = invalid(tablet.get(path, **{**PERIOD, "desde": day}), "desde")
        assert said["detail"] == f"desde: {A_DAY}"


@pytest.mark.parametrize(
    ("day", "reason"),
    [("1899-12-31", "debe ser al menos 1900-01-01."), ("3000-01-01", "debe ser a lo más 2999-12-31.")],
)
def test_a_report_s_first_and_last_day_are_named_as_days(tablet: Tablet, day: str, reason: str) -> None:
    for path in ("/api/metrics/pulgadas", "/api/metrics/calidad", "/api/metrics/etapas"):
        for field in ("desde", "hasta"):
            assert invalid(tablet.get(path, **{**PERIOD, field: day}), field)["detail"] == f"{field}: {reason}"


def test_yes_or_no_in_an_address_is_named_in_spanish(tablet: Tablet) -> None:
    said = invalid(tablet.get("/api/dossier", tags="MK-1", fotos="quizás"), "fotos")
    assert said["detail"] == "fotos: debe ser true o false."


def test_a_kind_of_mistake_that_has_no_sentence_yet_is_still_said_in_spanish() -> None:
    refusal = not_valid([{"type": "url_parsing", "loc": ("body", "url"), "msg": "Input should be a valid URL"}])
    assert refusal.detail == "url: no es válido."
