"""`GET /api/offline/spools`: what a tablet keeps for the time without a connection."""

from __future__ import annotations

from dataclasses import replace

import pytest

from carrete.api import offline
from carrete.domain.spool import Estado, Operacion
from carrete.domain.workers import Worker
from carrete.ledger.database import Database
from tests.support.answers import done, refused
from tests.support.builders import (
    EARLIER,
    a_finished_spool,
    a_joint,
    a_rejected_spool,
    a_spool,
    an_armed_spool,
    held,
    put,
)
from tests.support.people import AY, CREW, JS, LP, MI, MR, UNKNOWN_ID
from tests.support.tablet import Json, Tablet

PATH = "/api/offline/spools"
ALL = (
    *("A-WHOLE", "B-JOINTS", "C-ARMED", "D-QUEUED", "E-REJECTED", "F-OTHER", "G-MINE", "H-MINE-JOINTS"),
    *("I-MINE-REPAIR", "J-NO-MATERIALS", "K-HALF"),
)
TAKES_AND_ENDS = {"TOMAR", "INICIAR", "PAUSAR", "COMPLETAR", "CANCELAR", "FINALIZAR"}


@pytest.fixture(autouse=True)
def shop(ledger: Database) -> None:
    spools = [
        a_spool("A-WHOLE"),
        a_spool("B-JOINTS", total_uniones=2),
        an_armed_spool("C-ARMED"),
        a_finished_spool("D-QUEUED"),
        a_rejected_spool("E-REJECTED"),
        held(a_spool("F-OTHER"), LP),
        held(a_spool("G-MINE"), MR),
        held(a_spool("H-MINE-JOINTS", total_uniones=2), MR),
        held(a_rejected_spool("I-MINE-REPAIR"), MR, Operacion.REPARACION),
        a_spool("J-NO-MATERIALS", fecha_materiales=None),
        a_spool("K-HALF", total_uniones=2),
    ]
    joints = [a_joint(n, tag) for tag in ("B-JOINTS", "H-MINE-JOINTS") for n in (1, 2)]
    half = [replace(a_joint(1, "K-HALF"), arm_fin=EARLIER, arm_worker="LP(7)"), a_joint(2, "K-HALF", tipo="FW")]
    put(ledger, spools, CREW, [*joints, *half])


def copy(tablet: Tablet, worker_id: int) -> dict[str, Json]:
    return {card["tag_spool"]: card for card in tablet.see(PATH, worker_id=worker_id)["spools"]}


@pytest.mark.parametrize("who", [MR, LP, JS, MI])
def test_it_is_what_the_lists_and_cards_say_to_that_person(tablet: Tablet, who: Worker) -> None:
    found = copy(tablet, who.id)
    for tag in ALL:
        card = tablet.see_spool(tag, worker_id=who.id)
        mine = [offer for offer in card["acciones"] if offer["accion"] in TAKES_AND_ENDS]
        assert (tag in found) == bool(mine)
        if not mine:
            continue
        kept = found[tag]
        assert sorted(map(str, kept["acciones"])) == sorted(map(str, mine))
        without = {"acciones", "motivos", "atraso"}
        assert {k: v for k, v in kept.items() if k not in without} == {
            k: v for k, v in card.items() if k not in without
        }


def test_it_says_which_joints_are_not_welded_and_that_nothing_is_left_out(tablet: Tablet) -> None:
    answer = tablet.see(PATH, worker_id=MR.id)
    assert answer["solo_arm"] == ["FW"]
    assert answer["faltan"] == 0
    assert answer["visto_en"]


def test_an_answer_that_would_be_the_same_is_not_sent_again(tablet: Tablet) -> None:
    first = tablet.get(PATH, worker_id=MR.id)
    etag = first.headers["etag"]
    again = tablet.send("GET", PATH, params={"worker_id": MR.id}, headers={"If-None-Match": etag})
    assert again.status_code == 304
    assert again.content == b""
    done(tablet.tap("TOMAR", "A-WHOLE", LP.id))
    changed = tablet.send("GET", PATH, params={"worker_id": MR.id}, headers={"If-None-Match": etag})
    assert changed.status_code == 200
    assert "A-WHOLE" not in {card["tag_spool"] for card in changed.json()["spools"]}


def test_a_version_whose_cards_show_more_sends_them_again(tablet: Tablet, monkeypatch: pytest.MonkeyPatch) -> None:
    etag = tablet.get(PATH, worker_id=MR.id).headers["etag"]
    monkeypatch.setattr(offline, "_FORMAT", -1)
    again = tablet.send("GET", PATH, params={"worker_id": MR.id}, headers={"If-None-Match": etag})
    assert again.status_code == 200


def test_the_same_etag_is_never_two_peoples(tablet: Tablet) -> None:
    assert tablet.get(PATH, worker_id=MR.id).headers["etag"] != tablet.get(PATH, worker_id=LP.id).headers["etag"]


def test_it_is_compressed_for_clients_that_accept_that(tablet: Tablet) -> None:
    plain = tablet.send("GET", PATH, params={"worker_id": MR.id}, headers={"Accept-Encoding": "identity"})
    small = tablet.send("GET", PATH, params={"worker_id": MR.id}, headers={"Accept-Encoding": "gzip"})
    assert small.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert [c["tag_spool"] for c in small.json()["spools"]] == [c["tag_spool"] for c in plain.json()["spools"]]


def test_what_the_person_holds_comes_before_everything_else(tablet: Tablet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offline, "SPOOLS_MAX", 4)
    answer = tablet.see(PATH, worker_id=MR.id)
    tags = {card["tag_spool"] for card in answer["spools"]}
    assert {"G-MINE", "H-MINE-JOINTS", "I-MINE-REPAIR"} < tags
    assert len(tags) == 4
    assert answer["faltan"] > 0


@pytest.mark.parametrize("who", [AY, MR])
def test_a_spool_that_is_left_out_counts_once(
    tablet: Tablet, ledger: Database, monkeypatch: pytest.MonkeyPatch, who: Worker
) -> None:
    """A spool in work can be taken for ARM and for SOLD by somebody who may do both."""
    begun = [a_spool(f"Z-{n}", arm=Estado.PAUSADO, armador="LP(7)") for n in range(6)]
    half = [a_spool(f"Y-{n}", total_uniones=2) for n in range(3)]
    armed = [replace(a_joint(1, spool.tag), arm_fin=EARLIER, arm_worker="LP(7)") for spool in half]
    put(ledger, [*begun, *half], joints=[*armed, *(a_joint(2, spool.tag) for spool in half)])
    everything = len(copy(tablet, who.id))
    for most in range(1, everything + 2):
        monkeypatch.setattr(offline, "SPOOLS_MAX", most)
        answer = tablet.see(PATH, worker_id=who.id)
        assert len(answer["spools"]) == min(most, everything)
        assert answer["faltan"] == everything - len(answer["spools"])


def test_an_unknown_worker_gets_no_copy(tablet: Tablet) -> None:
    refused(tablet.get(PATH, worker_id=UNKNOWN_ID), 404, "WORKER_NO_ENCONTRADO")
