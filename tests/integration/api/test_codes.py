"""`POST /api/codigos`: what a scanned code means."""

from __future__ import annotations

import pytest

from carrete.ledger.database import Database
from tests.support.answers import done, refused
from tests.support.builders import TAG, a_spool, put
from tests.support.tablet import Json, Tablet

NOTHING: Json = {"tag_spool": None, "parecidos": []}


def meaning(tablet: Tablet, *texts: str) -> Json:
    return done(tablet.post("/api/codigos", {"textos": list(texts)}))


def test_a_tag_is_its_spool_with_blanks_around_it_and_retired_too(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool(), a_spool("ÑANDÚ/1"), a_spool("GONE-1", retired=True)])
    for text, tag in ((TAG, TAG), (f" {TAG}\t", TAG), ("N\u0303ANDU\u0301/1", "ÑANDÚ/1"), ("GONE-1", "GONE-1")):
        assert meaning(tablet, text) == {"tag_spool": tag, "parecidos": []}


def test_of_several_ways_to_read_a_code_the_one_that_is_a_spool_counts(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    assert meaning(tablet, TAG.replace("-", "'"), TAG)["tag_spool"] == TAG


def test_capitals_do_not_matter_where_only_one_spool_is_meant(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("ab-1"), a_spool("CD-2"), a_spool("cd-2")])
    assert meaning(tablet, "AB-1")["tag_spool"] == "ab-1"
    assert meaning(tablet, "CD-2")["tag_spool"] == "CD-2"
    assert meaning(tablet, "Cd-2") == {"tag_spool": None, "parecidos": ["CD-2", "cd-2"]}


def test_a_code_that_is_no_spool_names_the_tags_that_are_nearly_the_same(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool("MK-010"), a_spool("MK-011"), a_spool("MK-099"), a_spool("MK-O1", retired=True)])
    assert meaning(tablet, "MK-O11") == {"tag_spool": None, "parecidos": ["MK-011", "MK-010"]}


def test_what_can_be_no_tag_is_no_spool_and_no_error(tablet: Tablet, ledger: Database) -> None:
    put(ledger, [a_spool()])
    for text in ("", " ", "0004821973", "x" * 1_000, "a\0b", "\x00", "a\nb", "'; DROP TABLE spool; --", "😀" * 99):
        assert meaning(tablet, text) == NOTHING


@pytest.mark.parametrize("texts", [[], ["A"] * 5, ["x" * 1_001], [7], "A", None])
def test_a_question_has_its_bounds(tablet: Tablet, texts: object) -> None:
    refused(tablet.post("/api/codigos", {"textos": texts}), 422, "DATOS_INVALIDOS")
