"""Examinations with identity: who sees the names of welders in the work list and in the repair rates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from carrete.domain.spool import Estado
from carrete.identity.records import TokenScope
from tests.integration.identity.conftest import ADA, NADIA
from tests.support.answers import done, refused
from tests.support.builders import EARLIER, TAG, a_joint, a_spool, put
from tests.support.people import JS, LP, MI, MR, SV
from tests.support.signed_in import EnrolledTablet, IdentityShop

NDT = "/api/ndt"
RATES = {"desde": "2026-01-01", "hasta": "2027-12-31", "por": "soldador"}


@pytest.fixture
def examined(pin_shop: IdentityShop, two: EnrolledTablet) -> None:
    """JS and MR welded a joint each. MR's was rejected and repaired by JS, JS's waits for its result."""
    welds = [a_joint(n, sol_fin=EARLIER, sol_worker=who.label) for n, who in ((1, JS), (2, MR))]
    put(pin_shop.database, [a_spool(total_uniones=2, arm=Estado.COMPLETADO, sold=Estado.COMPLETADO)], joints=welds)
    two.begin(SV.id)
    body = {"tag_spool": TAG, "metodo": "RT", "unions": [1, 2]}
    second = done(two.post(f"{NDT}/solicitar", body))["ensayos"][1]
    two.begin(NADIA.id)
    found = {"examen": second, "resultado": "RECHAZADO", "informe": "RT-1", "defectos": ["POROSIDAD"]}
    done(two.post(f"{NDT}/resultado", {"tag_spool": TAG, **found}))
    two.begin(JS.id)
    done(two.post(f"{NDT}/reparar", {"tag_spool": TAG, "n_union": 2}))


def seen(answer: Any) -> list[tuple[int, str, str | None, bool, str | None]]:
    rows = done(answer)["ensayos"]
    examinations = [(e["n_union"], e["estado"], e["soldador"], e["reparado"], e["reparado_por"]) for e in rows]
    return sorted(examinations, key=lambda row: (row[0], row[1]))


@pytest.mark.usefixtures("examined")
@pytest.mark.parametrize("who", [SV, ADA, MI, NADIA], ids=lambda who: who.label)
def test_supervisors_and_those_who_examine_see_who_welded(one: EnrolledTablet, who: Any) -> None:
    one.begin(who.id)
    assert seen(one.get(NDT)) == [
        (1, "PENDIENTE", JS.label, False, None),
        (2, "PENDIENTE", MR.label, False, None),
        (2, "RECHAZADO", MR.label, True, JS.label),
    ]


@pytest.mark.usefixtures("examined")
def test_others_see_the_list_with_their_own_name_only(one: EnrolledTablet) -> None:
    one.begin(JS.id)
    assert seen(one.get(NDT)) == [
        (1, "PENDIENTE", JS.label, False, None),
        (2, "PENDIENTE", None, False, None),
        (2, "RECHAZADO", None, True, JS.label),
    ]
    one.begin(LP.id)
    assert {(welder, repairer) for _, _, welder, _, repairer in seen(one.get(NDT, tag=TAG))} == {(None, None)}


@pytest.mark.usefixtures("examined")
def test_a_welder_whose_name_was_corrected_still_finds_their_own(one: EnrolledTablet, pin_shop: IdentityShop) -> None:
    """The label on record has the initials of then; the number is the person's."""
    put(pin_shop.database, workers=[replace(JS, nombre="Zoila")])
    one.begin(JS.id)
    assert {welder for _, _, welder, _, _ in seen(one.get(NDT))} == {JS.label, None}


@pytest.mark.usefixtures("examined")
def test_a_device_alone_sees_no_list_and_a_token_one_without_names(one: EnrolledTablet, pin_shop: IdentityShop) -> None:
    refused(one.get(NDT), 401, "SESION_REQUERIDA")
    token = pin_shop.token(TokenScope.LEER)
    assert {(welder, repairer) for _, _, welder, _, repairer in seen(token.get(NDT))} == {(None, None)}


@pytest.mark.usefixtures("examined")
def test_only_supervisors_see_names_in_the_rates(one: EnrolledTablet) -> None:
    for who, name in ((SV, MR.label), (NADIA, None), (MR, None)):
        one.begin(who.id)
        assert [row["clave"] for row in done(one.get(f"{NDT}/tasas", **RATES))["filas"]] == [name]
