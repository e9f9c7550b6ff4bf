"""Tags with characters that nobody can see: refused by name, unless an older ledger has such a spool."""

from __future__ import annotations

import pytest

from carrete.ledger.database import Database
from tests.support.answers import done, invalid
from tests.support.builders import a_spool, held, put
from tests.support.people import MR
from tests.support.tablet import Tablet, in_path

OVERRIDE = "MK-\u202e110"
ZERO_WIDTH = "MK\u200b-1"


@pytest.mark.parametrize(
    ("tag", "name"), [(OVERRIDE, "U+202E (RIGHT-TO-LEFT OVERRIDE)"), (ZERO_WIDTH, "U+200B (ZERO WIDTH SPACE)")]
)
def test_a_tag_with_a_hidden_character_is_refused_and_the_character_is_named(
    tablet: Tablet, ledger: Database, tag: str, name: str
) -> None:
    put(ledger, [a_spool("MK-1")])
    for answer in (
        tablet.tap("TOMAR", tag),
        tablet.post("/api/v4/occupation/iniciar", {"tag_spool": tag, "worker_id": 93, "operacion": "ARM"}),
        tablet.get(f"/api/spools/{in_path(tag)}"),
        tablet.get(f"/api/history/{in_path(tag)}"),
        tablet.get(f"/api/diagnostic/{in_path(tag)}/version"),
    ):
        assert name in invalid(answer, "tag_spool")["detail"]


def test_in_a_batch_only_that_tag_is_refused(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("MK-1")])
    good, bad = done(tablet.batch("TOMAR", ["MK-1", ZERO_WIDTH]))["details"]
    assert good["success"]
    assert (bad["error"]["status"], bad["error"]["code"]) == (422, "DATOS_INVALIDOS")
    assert "U+200B" in bad["error"]["detail"]


def test_a_spool_of_an_older_ledger_with_such_a_tag_can_still_be_read_and_ended(
    tablet: Tablet, ledger: Database
) -> None:
    put(ledger, [held(a_spool(OVERRIDE), MR), a_spool(ZERO_WIDTH)])
    assert tablet.see_spool(OVERRIDE)["ocupado_por"] == MR.label
    assert done(tablet.tap("PAUSAR", OVERRIDE))["tag_spool"] == OVERRIDE
    assert done(tablet.tap("TOMAR", ZERO_WIDTH))["tag_spool"] == ZERO_WIDTH
    assert sorted(tablet.see_list()) == sorted([OVERRIDE, ZERO_WIDTH])
    assert tablet.see_events(OVERRIDE) == ["PAUSAR_SPOOL"]
