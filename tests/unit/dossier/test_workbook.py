"""The dossier as an .xlsx: the same tables, and no cell that a spreadsheet program would compute."""

from __future__ import annotations

import io
import time
import zipfile
from dataclasses import replace
from typing import Any

from python_calamine import CalamineWorkbook

from carrete.dossier.facts import DossierFacts, LastEvent, SpoolFacts
from carrete.dossier.words import Language
from carrete.dossier.workbook import workbook_of
from tests.support.dossiers import TAG, a_dossier, a_weld, a_whole_story

FORMULAS = ('=HYPERLINK("http://evil.example","x")', "+1+1", "-2", "@SUM(A1)", "\t=1", "{=1}", "http://evil.example")


def sheets_of(facts: DossierFacts, language: Language = Language.ES) -> dict[str, list[list[Any]]]:
    book = CalamineWorkbook.from_filelike(io.BytesIO(workbook_of(facts, language)))
    return {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}


def test_each_table_is_a_sheet_and_rows_name_their_spool() -> None:
    sheets = sheets_of(a_dossier())
    log = sheets["Registro de soldadura"]
    assert log[0][:3] == ["Spool", "Unión", "Tipo"]
    assert log[1][:2] == [TAG, "1"]
    assert len(log) == 12
    assert "RT R1 Aprobado · RT-2026-0038" in str(log[4])


def test_the_cover_has_number_and_hash() -> None:
    facts = a_dossier()
    cover = {row[0]: row[1] for row in sheets_of(facts)["Dossier de soldadura"]}
    assert cover["Número"] == facts.identity().number
    assert cover["Hash de los datos (SHA-256)"] == facts.identity().hash


def test_no_cell_is_a_formula_or_a_link() -> None:
    welds = tuple(a_weld(n, wps=text, heats=(text,), type=text) for n, text in enumerate(FORMULAS, 1))
    made = workbook_of(a_dossier(replace(a_whole_story("=TAG()"), welds=welds), shop="=1+1"), Language.ES)
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist() if name.endswith((".xml", ".rels"))}
    assert not [name for name, text in parts.items() if "<f>" in text or "<hyperlink" in text]
    assert "=HYPERLINK" in parts["xl/sharedStrings.xml"], "it is there as text"


def test_markup_in_a_text_is_shown_as_it_was_written() -> None:
    texts = ("<r><t>MK-9</t></r>", "<r>&</r>", "<r>", "<r></r>", "<b>x</b>", "]]>", "_x0041_")
    welds = tuple(a_weld(n, wps=text, type=text) for n, text in enumerate(texts, 1))
    shown = sheets_of(a_dossier(replace(a_whole_story("<r><t>MK-8</t></r>"), welds=welds), shop="<r>a</r>"))
    log = shown["Registro de soldadura"]
    assert [row[2] for row in log[1:]] == list(texts)
    assert {row[0] for row in log[1:]} == {"<r><t>MK-8</t></r>"}
    assert "<r>a</r>" in str(shown["Dossier de soldadura"])


def test_the_same_facts_give_the_same_bytes() -> None:
    first = workbook_of(a_dossier(), Language.EN)
    time.sleep(2.1)  # an archive tells the time in steps of two seconds
    assert workbook_of(a_dossier(), Language.EN) == first


def test_an_empty_spool_has_a_workbook() -> None:
    facts = DossierFacts("", "SPOOL", "VACIO", LastEvent(), (SpoolFacts("VACIO"),))
    assert "Weld log" in sheets_of(facts, Language.EN)
