"""Procedures and qualifications over HTTP, and what a welder says at FINALIZAR."""

from __future__ import annotations

from typing import Any

import pytest

from carrete.ledger.database import Database
from tests.support.builders import EARLIER, TAG, a_joint, a_spool, a_worker, put
from tests.support.tablet import Tablet

WPS = {"wps": "W-1", "procesos": "gtaw", "espesor_min": "1,5", "espesor_max": "8"}
QUALIFICATION = {"worker_id": 93, "proceso": "GTAW", "documento": "Q-1", "fecha": "2026-11-01"}
FINISH: dict[str, Any] = {"tag_spool": TAG, "worker_id": 93, "operacion": "SOLD", "selected_unions": [1]}


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("wps", {**WPS, "espesor_min": "9"}, "espesor_min"),
        ("wps", {**WPS, "procesos": ""}, "procesos"),
        ("wps", {**WPS, "wps": " "}, "wps"),
        ("calificaciones", {**QUALIFICATION, "fecha": "31-02-2026"}, "fecha"),
        ("calificaciones", {**QUALIFICATION, "vence": "2020-01-01"}, "vence"),
        ("calificaciones", {**QUALIFICATION, "ultimo_uso": "2999-01-01"}, "ultimo_uso"),
    ],
)
def test_every_impossible_value_is_named_field_by_field(
    tablet: Tablet, ledger: Database, path: str, body: dict[str, Any], field: str
) -> None:
    put(ledger, [], [a_worker()])
    answer = tablet.post(f"/api/soldadura/{path}", body)
    assert answer.status_code == 422
    assert [error["campo"] for error in answer.json()["errors"]] == [field]


def test_a_welder_who_is_not_qualified_is_told_so_and_what_was_typed_is_stored(
    tablet: Tablet, ledger: Database
) -> None:
    joint = a_joint(1, arm_fin=EARLIER, espesor_milli=6_000)
    put(ledger, [a_spool(total_uniones=1)], [a_worker(), a_worker(12, "Juana", "Pérez")], [joint])
    assert tablet.post("/api/soldadura/wps", WPS).status_code == 200
    assert tablet.post("/api/soldadura/calificaciones", {**QUALIFICATION, "worker_id": 12}).status_code == 200
    begin = {name: FINISH[name] for name in ("tag_spool", "worker_id", "operacion")}
    assert tablet.post("/api/v4/occupation/iniciar", begin).status_code == 200
    typed = {"soldadura": [{"n_union": 1, "wps": "W-1", "colada_1": "H1"}]}
    answer = tablet.post("/api/v4/occupation/finalizar", {**FINISH, **typed})
    assert answer.json()["avisos"] == ["MR(93) no tiene calificación en GTAW."]
    (shown,) = tablet.see(f"/api/spools/{TAG}")["uniones"]
    assert (shown["wps"], shown["colada_1"], shown["espesor"]) == ("W-1", "H1", 6.0)


@pytest.mark.parametrize(
    "soldadura",
    [
        [{"n_union": 2, "wps": "W-1"}],
        [{"n_union": 1, "wps": ""}],
        [{"n_union": 1, "colada_1": "H" * 200}],
        [{"n_union": 1}, {"n_union": 1}],
        [{"n_union": 1, "otra": "x"}],
    ],
)
def test_what_a_welder_enters_about_welds_is_checked_strictly(tablet: Tablet, soldadura: list[dict[str, Any]]) -> None:
    assert tablet.post("/api/v4/occupation/finalizar", {**FINISH, "soldadura": soldadura}).status_code == 422
