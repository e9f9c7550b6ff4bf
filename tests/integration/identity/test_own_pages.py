"""Mi día and the end of a shift with identity: a person sees their own, a supervisor everybody's day."""

from __future__ import annotations

from carrete.identity.records import TokenScope
from tests.support.answers import done, refused
from tests.support.builders import TAG, a_spool, held, put
from tests.support.people import LP, MR, SV
from tests.support.signed_in import EnrolledTablet, IdentityShop, acted

MI_DIA = "/api/mi-dia"
TURNO = "/api/turno"
SIGO = "/api/occupation/sigo"


def test_a_person_sees_their_own_page_and_nobody_elses(one: EnrolledTablet) -> None:
    one.begin(MR.id)
    assert done(one.get(MI_DIA))["worker_id"] == MR.id
    assert done(one.get(MI_DIA, worker_id=MR.id))["worker_id"] == MR.id
    refused(one.get(MI_DIA, worker_id=LP.id), 403, "IDENTIDAD_DISTINTA")


def test_a_supervisor_sees_everybodys(one: EnrolledTablet) -> None:
    one.begin(SV.id)
    assert done(one.get(MI_DIA))["worker_id"] == SV.id
    assert done(one.get(MI_DIA, worker_id=MR.id))["worker_id"] == MR.id


def test_a_device_or_a_token_alone_sees_no_persons_page(one: EnrolledTablet, pin_shop: IdentityShop) -> None:
    refused(one.get(MI_DIA, worker_id=MR.id), 401, "SESION_REQUERIDA")
    token = pin_shop.token(TokenScope.LEER)
    refused(token.get(MI_DIA, worker_id=MR.id), 403, "PERMISO_INSUFICIENTE")


def test_the_question_at_the_end_of_a_shift_is_for_the_holder_alone(one: EnrolledTablet) -> None:
    one.begin(SV.id)
    assert done(one.get(TURNO))["spools"] == []
    refused(one.get(TURNO, worker_id=MR.id), 403, "IDENTIDAD_DISTINTA")


def test_sigo_yo_is_the_signed_in_persons(one: EnrolledTablet, pin_shop: IdentityShop) -> None:
    put(pin_shop.database, [held(a_spool(), MR)])
    one.begin(LP.id)
    refused(one.post(SIGO, {"tag_spool": TAG, "worker_id": MR.id, "operacion": "ARM"}), 403, "IDENTIDAD_DISTINTA")
    one.begin(MR.id)
    done(one.post(SIGO, {"tag_spool": TAG, "operacion": "ARM"}))
    (event,) = acted(pin_shop.database)
    assert (event.tipo, event.worker_id, event.metadata["via"]["session"]) == ("SIGUE_TURNO", MR.id, one.session_id)
