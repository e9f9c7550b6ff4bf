"""Mi día with identity: a person sees their own page, a supervisor everybody's."""

from __future__ import annotations

from carrete.identity.records import TokenScope
from tests.support.answers import done, refused
from tests.support.people import LP, MR, SV
from tests.support.signed_in import EnrolledTablet, IdentityShop

MI_DIA = "/api/mi-dia"


def test_a_person_sees_their_own_page_and_nobody_elses(one: EnrolledTablet) -> None:
    one.begin(MR.id)
    assert done(one.get(MI_DIA))["worker_id"] == MR.id
    assert done(one.get(MI_DIA, worker_id=MR.id))["worker_id"] == MR.id
    refused(one.get(MI_DIA, worker_id=LP.id), 403, "IDENTIDAD_DISTINTA")


def test_a_supervisor_sees_everybodys(one: EnrolledTablet) -> None:
    one.begin(SV.id)
    assert done(one.get(MI_DIA))["worker_id"] == SV.id
    assert done(one.get(MI_DIA, worker_id=MR.id))["worker_id"] == MR.id


def test_a_device_or_a_token_alone_sees_nobodys(one: EnrolledTablet, pin_shop: IdentityShop) -> None:
    refused(one.get(MI_DIA, worker_id=MR.id), 401, "SESION_REQUERIDA")
    token = pin_shop.token(TokenScope.LEER)
    refused(token.get(MI_DIA, worker_id=MR.id), 403, "PERMISO_INSUFICIENTE")
