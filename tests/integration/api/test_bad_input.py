"""Input that must never be accepted: each gets a clear sentence, and nothing is lost or changed by it."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from carrete.ledger.database import Database
from carrete.workbook.cells import Unreadable
from carrete.workbook.cells import day as read_day
from tests.support.answers import SANTIAGO, done, invalid, refused
from tests.support.builders import TAG, a_spool, events_in, held, put, spool_in
from tests.support.people import MR
from tests.support.tablet import Tablet

TOMAR = "/api/occupation/tomar"
SINGLE = [f"/api/occupation/{name}" for name in ("tomar", "pausar", "completar", "cancelar")]
BATCH = [f"/api/occupation/batch-{name}" for name in ("tomar", "pausar", "completar")]
ACTIONS = [*SINGLE, *BATCH]
GOOD: dict[str, Any] = {"tag_spool": TAG, "worker_id": 93, "operacion": "ARM"}
GOOD_BATCH: dict[str, Any] = {"tag_spools": [TAG], "worker_id": 93, "operacion": "ARM"}


def test_a_body_that_is_not_json_is_415(tablet: Tablet) -> None:
    body = json.dumps(GOOD).encode()
    for path in ACTIONS:
        for content in (b"", b"{", b"hola", b"\xff\xfe", b'{"a": "\\ud800"}', b"[" * 10_000, body + b"x"):
            refused(tablet.post(path, content=content), 415, "NO_ES_JSON")
        for media_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            refused(tablet.post(path, content=body, headers={"Content-Type": media_type}), 415, "NO_ES_JSON")


def test_json_that_is_no_object_is_not_valid(tablet: Tablet) -> None:
    for path in ACTIONS:
        for content in (b"null", b"[]", b'"ARM"', b"7", b"true"):
            refused(tablet.post(path, content=content), 422, "DATOS_INVALIDOS")


def test_json_must_be_called_json_with_or_without_parameters(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    body = json.dumps(GOOD).encode()
    for media_type in ("application/json", "application/json; charset=utf-8", "Application/JSON;charset=utf-8"):
        done(tablet.post(TOMAR, content=body, headers={"Content-Type": media_type}))


def test_of_very_many_unknown_fields_the_first_twenty_are_named(tablet: Tablet) -> None:
    """The answer to a body of 256 KiB full of unknown fields was once larger than a megabyte."""
    junk = {f"x{n:05}": 1 for n in range(20_000)}
    answer = tablet.post(TOMAR, {**GOOD, **junk})
    problem = invalid(answer, "x00000")
    assert [error["campo"] for error in problem["errors"]] == [f"x{n:05}" for n in range(20)]
    assert problem["errores_sin_nombrar"] == 20_000 - 20
    assert "Hay 19980 errores más" in problem["detail"]
    assert len(answer.content) < 4_000


def test_the_name_of_an_unknown_field_is_cut(tablet: Tablet) -> None:
    answer = tablet.post(TOMAR, {**GOOD, "x" * 200_000: 1})
    assert invalid(answer, "x" * 100 + "…")["errors"][0]["motivo"] == "campo desconocido."
    assert len(answer.content) < 1_000


def test_up_to_twenty_wrong_fields_are_all_named(tablet: Tablet) -> None:
    problem = invalid(tablet.post(TOMAR, {**GOOD, **{f"x{n}": 1 for n in range(20)}}), "x19")
    assert len(problem["errors"]) == 20
    assert "errores_sin_nombrar" not in problem


WRONG: dict[str, tuple[Any, ...]] = {
    "tag_spool": (
        *(7, None, True, ["A"], {"a": 1}, "", "   ", "x" * 101, "x" * 5_000),
        *("A\0B", "\0", "A\nB", "A\x1b[0m", "A\u2029B"),
    ),
    "worker_id": ("93", 93.5, 93.0, True, None, -1, 2**31, 10**300, [93]),
    "operacion": ("PINTAR", "arm", "METROLOGIA", "", 1, None, ["ARM"]),
    "version": (1, True, ["x"], "x" * 65),
}


def test_a_wrong_type_or_value_is_refused_and_never_coerced(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [before := held(a_spool(), MR)])
    for campo, values in WRONG.items():
        for bad in values:
            for path in SINGLE:
                invalid(tablet.post(path, {**GOOD, campo: bad}), campo)
            for path in BATCH if campo in GOOD_BATCH else ():
                invalid(tablet.post(path, {**GOOD_BATCH, campo: bad}), campo)
    assert spool_in(ledger) == before


def test_a_missing_field_is_named(tablet: Tablet) -> None:
    for path in SINGLE:
        for campo in GOOD:
            body = {name: value for name, value in GOOD.items() if name != campo}
            problem = invalid(tablet.post(path, body), campo)
            assert problem["errors"] == [{"campo": campo, "motivo": "falta."}]


def test_every_wrong_field_is_named_in_one_answer(tablet: Tablet) -> None:
    problem = refused(tablet.post(TOMAR, {"tag_spool": 1, "worker_id": "x", "color": "rojo"}), 422, "DATOS_INVALIDOS")
    assert {error["campo"] for error in problem["errors"]} == {"tag_spool", "worker_id", "operacion", "color"}


def test_an_unknown_field_is_refused(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [before := held(a_spool(), MR)])
    for path in ACTIONS:
        body = GOOD_BATCH if path in BATCH else GOOD
        for campo in ("color", "tag", "Tag_Spool", "worker_nombre_"):
            invalid(tablet.post(path, {**body, campo: "rojo"}), campo)
    assert spool_in(ledger) == before


def test_an_old_clients_worker_nombre_is_ignored_whatever_it_is(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    for nombre in ("Otra Persona", 7, None, {"a": [1]}, "", "\0", "x" * 10_000):
        assert done(tablet.tap("TOMAR", worker_nombre=nombre))["ocupado_por"] == "MR(93)"
        assert done(tablet.batch("PAUSAR", [TAG], worker_nombre=nombre))["succeeded"] == 1
    assert {event.event.worker for event in events_in(ledger)} == {"MR(93)"}


def test_a_date_belongs_to_completing_one_spool_only(tablet: Tablet) -> None:
    for path in ACTIONS:
        if not path.endswith("/completar"):
            body = GOOD_BATCH if path in BATCH else GOOD
            invalid(tablet.post(path, {**body, "fecha_operacion": "2026-11-10"}), "fecha_operacion")


def test_a_future_date_is_refused_and_the_spool_stays_held(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [before := held(a_spool(), MR)])
    tomorrow = datetime.now(SANTIAGO).date() + timedelta(days=1)
    problem = invalid(tablet.tap("COMPLETAR", fecha_operacion=tomorrow.isoformat()), "fecha_operacion")
    assert "futura" in problem["detail"]
    assert spool_in(ledger) == before


def test_a_day_that_the_workbook_does_not_read_is_refused(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [before := held(a_spool(), MR)])
    for day in ("0001-01-01", "1949-12-31", "2200-01-01", "9999-12-31"):
        problem = invalid(tablet.tap("COMPLETAR", fecha_operacion=day), "fecha_operacion")
        assert f"el año {int(day[:4])} no puede ser" in problem["detail"]
        with pytest.raises(Unreadable):
            read_day(day, SANTIAGO)
    assert spool_in(ledger) == before


def test_what_is_no_iso_date_is_refused(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [before := held(a_spool(), MR)])
    for bad in (
        *("ayer", "", "13-11-2026", "2026/11/13", "2026-02-30", "2026-11-13T10:00:00", "2026-11", "20261113"),
        *(20261113, 1_699_920_000, True, ["2026-11-13"], "1699920000", "1699920000.0", "2026-11-13T00:00:00"),
    ):
        invalid(tablet.tap("COMPLETAR", fecha_operacion=bad), "fecha_operacion")
    assert spool_in(ledger) == before


def test_a_refused_value_is_not_echoed_back(tablet: Tablet) -> None:
    answer = tablet.post(TOMAR, {**GOOD, "tag_spool": "<script>\0"})
    assert "script" not in answer.text


def test_a_body_too_large_is_413(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    padded = json.dumps({**GOOD, "worker_nombre": ""}).encode()
    for size in (256 * 1024 + 1, 5 * 1024 * 1024):
        content = padded.replace(b'""', b'"' + b"x" * (size - len(padded)) + b'"')
        assert len(content) == size
        refused(tablet.post(TOMAR, content=content), 413, "CUERPO_DEMASIADO_GRANDE")
    assert events_in(ledger) == []


def test_unknown_addresses_and_methods_are_problems_too(tablet: Tablet) -> None:
    refused(tablet.get("/api/nada"), 404, "NO_EXISTE")
    refused(tablet.post("/api/occupation/pintar", GOOD), 404, "NO_EXISTE")
    answer = tablet.get(TOMAR)
    refused(answer, 405, "METODO_NO_PERMITIDO")
    assert answer.headers["allow"] == "POST"
    refused(tablet.send("DELETE", "/api/spools"), 405, "METODO_NO_PERMITIDO")
