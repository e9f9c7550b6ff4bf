"""`Estado_Detalle`: the one line of the sheet, in every form of the contract, written and read back."""

from __future__ import annotations

from itertools import product

import pytest

from carrete.domain.estado_detalle import ParsedEstado, parse, render
from carrete.domain.spool import Estado, Metrologia, Operacion, Reparacion, Spool
from tests.support.builders import (
    a_blocked_spool,
    a_finished_spool,
    a_rejected_spool,
    a_spool,
    a_worker,
    an_armed_spool,
    held,
)

ARM, SOLD, REPARACION = Operacion.ARM, Operacion.SOLD, Operacion.REPARACION
MR = a_worker()
RECHAZADO, EN_COLA = Metrologia.RECHAZADO, Metrologia.EN_COLA

FORMS: list[tuple[Spool, str, ParsedEstado]] = [
    (
        a_spool(),
        "Disponible - ARM pendiente, SOLD pendiente",
        ParsedEstado(arm=Estado.PENDIENTE, sold=Estado.PENDIENTE),
    ),
    (
        held(a_spool(), MR),
        "MR(93) trabajando ARM (ARM en progreso, SOLD pendiente)",
        ParsedEstado(holder="MR(93)", operacion=ARM, arm=Estado.EN_PROGRESO, sold=Estado.PENDIENTE),
    ),
    (
        a_spool(arm=Estado.PAUSADO),
        "Disponible - ARM pausado, SOLD pendiente",
        ParsedEstado(arm=Estado.PAUSADO, sold=Estado.PENDIENTE),
    ),
    (
        held(an_armed_spool(), MR, SOLD),
        "MR(93) trabajando SOLD (ARM completado, SOLD en progreso)",
        ParsedEstado(holder="MR(93)", operacion=SOLD, arm=Estado.COMPLETADO, sold=Estado.EN_PROGRESO),
    ),
    (a_finished_spool(), "En Cola Metrología", ParsedEstado(EN_COLA, Reparacion.NO_REQUERIDA, 0)),
    (
        a_finished_spool(metrologia=Metrologia.APROBADO),
        "METROLOGIA_APROBADO ✓",
        ParsedEstado(Metrologia.APROBADO, Reparacion.NO_REQUERIDA, 0),
    ),
    (
        a_rejected_spool(ciclo=2),
        "RECHAZADO (Ciclo 2/3) - Pendiente reparación",
        ParsedEstado(RECHAZADO, Reparacion.PENDIENTE, 2),
    ),
    (
        held(a_rejected_spool(ciclo=2), MR, REPARACION),
        "EN_REPARACION (Ciclo 2/3) - Ocupado: MR(93)",
        ParsedEstado(RECHAZADO, Reparacion.EN_PROGRESO, 2, "MR(93)", REPARACION),
    ),
    (
        a_rejected_spool(ciclo=2, reparacion=Reparacion.PAUSADO),
        "REPARACION_PAUSADA (Ciclo 2/3)",
        ParsedEstado(RECHAZADO, Reparacion.PAUSADO, 2),
    ),
    (
        a_finished_spool(reparacion=Reparacion.COMPLETADO, ciclo=1),
        "PENDIENTE_METROLOGIA",
        ParsedEstado(EN_COLA, Reparacion.COMPLETADO, 1),
    ),
    (
        a_blocked_spool(),
        "BLOQUEADO - Contactar supervisor",
        ParsedEstado(Metrologia.BLOQUEADO, Reparacion.PENDIENTE, 3),
    ),
]


@pytest.mark.parametrize(("spool", "text", "parsed"), FORMS, ids=[text for _, text, _ in FORMS])
def test_every_form_of_the_contract_is_written_and_read_back(spool: Spool, text: str, parsed: ParsedEstado) -> None:
    assert render(spool) == text
    assert parse(text) == parsed


@pytest.mark.parametrize(("arm", "sold"), list(product(Estado, Estado)))
def test_progress_read_back_is_the_progress_that_was_written(arm: Estado, sold: Estado) -> None:
    parsed = parse(render(a_spool(arm=arm, sold=sold)))
    assert (parsed.arm, parsed.sold, parsed.holder) == (arm, sold, None)


@pytest.mark.parametrize(("label", "operacion"), list(product(["MR(93)", "ÁÑ(7)", "N(61)"], [ARM, SOLD, REPARACION])))
def test_the_holder_read_back_is_the_holder_that_was_written(label: str, operacion: Operacion) -> None:
    names = {"MR(93)": ("Mauricio", "Rodríguez"), "ÁÑ(7)": ("Álvaro", "Ñanco"), "N(61)": ("Nicanor", "")}
    worker = a_worker(int(label.split("(")[1][:-1]), *names[label])
    spool = a_rejected_spool() if operacion is REPARACION else an_armed_spool()
    parsed = parse(render(held(spool, worker, operacion)))
    assert (parsed.holder, parsed.operacion) == (label, operacion)


@pytest.mark.parametrize("ciclo", [1, 2])
def test_the_count_of_rejections_survives_the_sheet(ciclo: int) -> None:
    for reparacion in (Reparacion.PENDIENTE, Reparacion.PAUSADO):
        assert parse(render(a_rejected_spool(ciclo=ciclo, reparacion=reparacion))).ciclo == ciclo


@pytest.mark.parametrize("text", [None, "", "   ", "llamar a Pedro", "DISPONIBLE", "Ciclo 2/3"])
def test_a_text_in_no_known_form_says_nothing_about_the_state(text: str | None) -> None:
    parsed = parse(text)
    assert (parsed.metrologia, parsed.reparacion, parsed.holder) == (None, None, None)
    assert (parsed.arm, parsed.sold) == (None, None)


@pytest.mark.parametrize("text", ["  bloqueado - Contactar supervisor ", "Bloqueado"])
def test_case_and_blanks_around_a_known_form_do_not_matter(text: str) -> None:
    assert parse(text).metrologia is Metrologia.BLOQUEADO
