"""Number, hash, counts and words of a dossier."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from carrete.dossier.document import document_of
from carrete.dossier.facts import ExaminationFacts
from carrete.dossier.summary import by_method, totals_of
from carrete.dossier.words import _VALUES, _WORDS, DossierWords, Language
from tests.support.dossiers import a_dossier, a_drawing, a_repaired_weld, a_weld, a_whole_story, an_examination


def test_the_hash_is_that_of_the_facts_as_sorted_json() -> None:
    facts = a_dossier()
    again = json.dumps(json.loads(facts.canonical()), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert again.encode() == facts.canonical()
    assert facts.identity().number == f"D-48213-{facts.identity().hash[:6].upper()}"


def test_any_other_fact_is_another_hash() -> None:
    facts = a_dossier()
    spool = facts.spools[0]
    others = [
        replace(facts, shop="Otro taller"),
        replace(facts, with_photos=True),
        replace(facts, people=facts.people[1:]),
        replace(facts, spools=(replace(spool, welds=spool.welds[1:]),)),
        replace(facts, spools=(replace(spool, welds=(a_weld(1, heats=("X",)), *spool.welds[1:])),)),
    ]
    assert len({each.identity().hash for each in [facts, *others]}) == len(others) + 1


def test_an_examination_of_an_earlier_weld_or_a_cancelled_one_counts_nowhere() -> None:
    welds = (
        a_weld(1, examinations=(an_examination(superseded=True),)),
        a_weld(2, examinations=(an_examination("ANULADO"),)),
        a_weld(3, examinations=(an_examination(),)),
    )
    facts = a_dossier(replace(a_whole_story(), welds=welds))
    (rt,) = by_method(facts)
    assert (rt.welds, rt.requested, rt.examined, rt.percent) == (3, 1, 1, "33.3 %")
    assert totals_of(facts).examinations == 1


@pytest.mark.parametrize(("examined", "percent"), [(0, "0.0 %"), (1999, "99.9 %"), (2000, "100.0 %")])
def test_a_percentage_is_never_rounded_up(examined: int, percent: str) -> None:
    welds = tuple(
        a_weld(n, examinations=(an_examination("APROBADO" if n <= examined else "PENDIENTE"),)) for n in range(1, 2001)
    )
    (rt,) = by_method(a_dossier(replace(a_whole_story(), welds=welds)))
    assert rt.percent == percent


def test_what_people_typed_in_cells_is_shown_and_not_counted() -> None:
    typed = ExaminationFacts("RT", 0, "OK", "INF-7")
    facts = a_dossier(replace(a_whole_story(), welds=(a_weld(1, examinations=(typed,)),)))
    assert by_method(facts) == []
    log = document_of(facts, Language.ES).tables["welds"]
    assert log.rows[1].cells[12][0].text == "RT OK · INF-7"


def test_the_map_names_a_repaired_joint_with_its_repair() -> None:
    welds = (a_weld(1), a_repaired_weld(4))
    document = document_of(
        a_dossier(replace(a_whole_story(drawing=a_drawing("a" * 64, 80, 60)), welds=welds)), Language.ES
    )
    labels = [mark.label for mark in document.maps[0].marks]
    assert labels[:5] == ["1", "2", "3", "4R1", "5"]


@pytest.mark.parametrize(("ot", "shown"), [("4711", "OT 4711"), ("OT-4711", "OT-4711"), ("ot 4711", "ot 4711")])
def test_a_work_order_that_says_what_it_is_is_not_named_twice(ot: str, shown: str) -> None:
    log = document_of(a_dossier(replace(a_whole_story(), ot=ot, nv="")), Language.ES).tables["welds"]
    assert log.rows[0].cells[0][1].text == shown


def test_a_repair_is_a_repair_and_not_a_second_weld() -> None:
    facts = a_dossier(replace(a_whole_story(), welds=(a_repaired_weld(2),)))
    totals = totals_of(facts)
    assert (totals.welded, totals.inches, totals.repairs) == (1, "6", 1)


def test_every_word_is_there_in_both_languages() -> None:
    assert all(len(texts) == len(Language) and all(texts) for texts in (*_WORDS.values(), *_VALUES.values()))


@pytest.mark.parametrize(
    ("iso", "spanish", "english"),
    [
        ("2026-11-02", "02-11-2026", "2 Nov 2026"),
        ("12/11/26", "12/11/26", "12/11/26"),
        ("", "", ""),
        ("2026-99-01",) * 3,
    ],
)
def test_days_are_written_as_each_language_does(iso: str, spanish: str, english: str) -> None:
    assert (DossierWords(Language.ES).day(iso), DossierWords(Language.EN).day(iso)) == (spanish, english)
