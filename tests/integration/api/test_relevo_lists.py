"""The offers to a person and by a person: only those that could be accepted now."""

from __future__ import annotations

import pytest

from carrete.domain.shifts import OFFER_WITHOUT_SHIFTS
from carrete.domain.spool import Operacion
from carrete.ledger.database import Database
from tests.support.answers import done, refused
from tests.support.builders import a_rejected_spool, a_spool, held, put, spool_in
from tests.support.people import AY, IN, JS, LP, MR, NN, UNKNOWN_ID
from tests.support.tablet import Tablet


def offered(tablet: Tablet, who: int) -> tuple[list[str], list[str]]:
    """The tags that the person may accept, and those that the person offers."""
    lists = tablet.see("/api/relevos", worker_id=who)
    return tuple([each["tag_spool"] for each in lists[name]] for name in ("recibidos", "ofrecidos"))  # type: ignore[return-value]


@pytest.fixture
def three_offers(tablet: Tablet, ledger: Database) -> Tablet:
    repair = held(a_rejected_spool("R"), MR, Operacion.REPARACION)
    put(ledger, [held(a_spool("A"), MR), held(a_spool("B"), MR), repair])
    done(tablet.tap("relevo/ofrecer", "A", receptor_id=LP.id))
    done(tablet.tap("relevo/ofrecer", "B"))
    done(tablet.tap("relevo/ofrecer", "R", operacion="REPARACION"))
    return tablet


def test_people_see_what_names_them_and_what_they_are_qualified_for(three_offers: Tablet) -> None:
    assert offered(three_offers, LP.id) == (["A", "B", "R"], [])
    assert offered(three_offers, AY.id) == (["B", "R"], [])
    assert offered(three_offers, JS.id) == (["R"], [])
    assert offered(three_offers, NN.id) == (["R"], [])
    assert offered(three_offers, IN.id) == ([], [])
    assert offered(three_offers, UNKNOWN_ID) == ([], [])
    assert offered(three_offers, MR.id) == ([], ["A", "B", "R"])


def test_an_offer_says_from_whom_to_whom_and_until_when(three_offers: Tablet) -> None:
    (first, *_) = three_offers.see("/api/relevos", worker_id=LP.id)["recibidos"]
    assert (first["tag_spool"], first["operacion"], first["de"], first["de_id"]) == ("A", "ARM", "MR(93)", MR.id)
    assert (first["receptor"], first["receptor_id"]) == ("LP(7)", LP.id)
    assert first["ofrecido_en"] < first["vence"]


def test_what_was_accepted_withdrawn_or_ended_is_listed_no_more(three_offers: Tablet) -> None:
    done(three_offers.tap("relevo/aceptar", "A", LP.id))
    done(three_offers.tap("PAUSAR", "B"))
    done(three_offers.tap("relevo/retirar", "R", operacion="REPARACION"))
    for who in (LP.id, AY.id, MR.id):
        assert offered(three_offers, who) == ([], [])


def test_an_offer_whose_time_is_over_is_not_listed_and_cannot_be_accepted(
    three_offers: Tablet, ledger: Database
) -> None:
    before = spool_in(ledger, "A")
    with ledger.writing() as tx:
        tx.execute("UPDATE relevo SET offered_at = '2026-01-05T12:00:00+00:00'")
    assert OFFER_WITHOUT_SHIFTS.days == 1
    assert offered(three_offers, LP.id) == ([], [])
    assert offered(three_offers, MR.id) == ([], [])
    refused(three_offers.tap("relevo/aceptar", "A", LP.id), 400, "RELEVO_VENCIDO")
    assert spool_in(ledger, "A") == before


def test_without_identity_a_request_for_offers_must_name_its_person(tablet: Tablet) -> None:
    refused(tablet.get("/api/relevos"), 422, "DATOS_INVALIDOS")
