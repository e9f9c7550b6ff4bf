"""The PDF of a dossier: the same bytes from the same facts, its number on every page, and text that stays text."""

from __future__ import annotations

import hashlib
import io
import re
import time
from dataclasses import replace

import pypdfium2
import pytest
from PIL import Image

from carrete.dossier import typesetting
from carrete.dossier.facts import DossierFacts, LastEvent, PhotoFacts, SpoolFacts
from carrete.dossier.refusals import DossierTooComplex
from carrete.dossier.typesetting import pdf_of
from carrete.dossier.words import Language
from carrete.drawings.picture import picture_of
from carrete.limited_process import ProcessLimits
from tests.support.dossiers import TAG, a_dossier, a_drawing, a_repaired_weld, a_weld, a_whole_story, a_work_order
from tests.support.drawings import a_pdf, a_png
from tests.support.pdf_text import pages_of, sizes_of
from tests.support.photos import a_photo

HOSTILE = (
    '#eval("1+1")',
    '#import "@preview/cetz:0.3.0"',
    "] } ) #panic()",
    "$ x^2 $ *negrita* _cursiva_ `código`",
    "// no es comentario /* ni esto */",
    "<etiqueta> @referencia \\ \u201ccomillas\u201d",
    '#read("/etc/passwd")',
    "= Título\n- lista",
)


def no_picture(_: str) -> bytes | None:
    return None


def pdf(facts: DossierFacts, language: Language = Language.ES) -> bytes:
    return pdf_of(facts, language, no_picture)


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def test_the_same_facts_give_the_same_bytes() -> None:
    first = pdf(a_dossier())
    time.sleep(1.1)  # a clock in the file would show
    assert pdf(a_dossier()) == first


def test_every_page_has_number_hash_and_page_of_how_many() -> None:
    facts = a_work_order(120)
    identity, pages = facts.identity(), pages_of(pdf(facts))
    assert len(pages) > 5
    for number, text in enumerate(pages, 1):
        assert identity.number in text
        assert identity.hash in squeezed(text)
        assert f"Página {number} de {len(pages)}" in text


def test_another_event_gives_another_number_hash_and_file() -> None:
    before, after = a_dossier(), a_dossier(last_event=LastEvent(48_214, "2026-11-12T16:41:00-03:00"))
    assert before.identity().hash != after.identity().hash
    assert before.identity().number != after.identity().number
    assert pdf(before) != pdf(after)


def test_spanish_and_english_state_the_same_facts_under_the_same_number() -> None:
    facts = a_dossier()
    spanish, english = ("\n".join(pages_of(pdf(facts, language))) for language in Language)
    assert all(facts.identity().number in text for text in (spanish, english))
    assert "Registro de soldadura" in spanish
    assert "Weld log" in english
    assert "12-11-2026" in spanish
    assert "12 Nov 2026" in english
    assert "Rechazado" not in english


def test_the_weld_log_tells_procedure_heats_people_examinations_and_repairs() -> None:
    log = next(text for text in pages_of(pdf(a_dossier())) if "Registro de soldadura" in text and "Unión" in text)
    for entry in (
        "WPS-GTAW-01",
        "H48204",
        "MR(93)",
        "CP(41)",
        "RT Rechazado",
        "RT-2026-0031",
        "RT R1 Aprobado",
        "R1 CP(41)",
    ):
        assert squeezed(entry) in squeezed(log), entry


def test_the_summary_says_the_percentage_that_was_reached() -> None:
    text = squeezed("\n".join(pages_of(pdf(a_dossier()))))
    assert "RT104440.0%4110" in text, "10 welds, 4 requested, 4 examined, 40 %, 4 approved, 1 rejected, 1 repaired"


def test_corrections_come_with_their_reasons_and_edits_with_both_values() -> None:
    text = "\n".join(pages_of(pdf(a_dossier())))
    assert "Marcada por error: era la unión 6" in text
    assert "DN_UNION: 4 → 6" in text


@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_people_typed_is_shown_and_never_interpreted(hostile: str) -> None:
    weld = a_weld(1, type=hostile, wps=hostile, heats=(hostile,), welder=hostile)
    spool = replace(a_whole_story(hostile.replace("\n", " ")), ot=hostile, welds=(weld,))
    facts = a_dossier(spool, shop=hostile)
    text = squeezed("".join(pages_of(pdf(facts))))
    shown = squeezed(hostile.replace("\n", ""))
    assert text.count(shown) >= 4, text[:400]


def test_the_longest_texts_stay_inside_their_cells() -> None:
    weld = a_weld(1, wps="W" * 100, heats=("H" * 1_000, "K" * 200), material="M" * 200, welder="X" * 60)
    facts = a_dossier(replace(a_whole_story("T" * 100), welds=(weld,)), shop="S" * 80)
    document = pypdfium2.PdfDocument(pdf(facts))
    for page in document:
        wide, _ = page.get_size()
        words = page.get_textpage()
        boxes = [words.get_rect(index) for index in range(words.count_rects())]
        assert all(box[0] >= 20 and box[2] <= wide - 20 for box in boxes)


def test_an_empty_spool_has_a_dossier_that_says_so() -> None:
    facts = DossierFacts("", "SPOOL", "VACIO", LastEvent(), (SpoolFacts("VACIO", workflow="v4.0"),))
    pages = pages_of(pdf(facts))
    assert "D-0-" in pages[0]
    assert "Sin registros." in "".join(pages)


def test_a_v3_spool_is_in_the_log_as_a_whole() -> None:
    spool = replace(a_whole_story(), workflow="v3.0", welds=())
    text = "".join(pages_of(pdf(a_dossier(spool))))
    assert "entero" in text


def test_the_map_shows_the_drawing_and_the_numbers() -> None:
    drawing = picture_of(a_pdf())
    id_ = hashlib.sha256(drawing.content).hexdigest()
    facts = a_dossier(a_whole_story(drawing=a_drawing(id_, drawing.width, drawing.height)))
    made = pdf_of(facts, Language.ES, {id_: drawing.content}.get)
    at, text = next((at, text) for at, text in enumerate(pages_of(made)) if "Mapa de soldadura" in text and at)
    assert "10 de 11 uniones ubicadas en el plano" in text
    assert sizes_of(made)[at] == (297, 210)
    drawn = pypdfium2.PdfDocument(made)[at].render(scale=1).to_pil().convert("L")
    assert min(drawn.crop((250, 150, 600, 400)).tobytes()) < 60, "the drawing's lines are there"


@pytest.mark.parametrize(
    ("what", "picture"),
    [
        ("a photo", a_photo(200, 100, (10, 200, 30))),
        ("a PNG in colour", a_png(200, 100)),
        ("a PNG with transparency", a_png(200, 100, transparency=(1, 2, 3))),
    ],
)
def test_photos_of_any_kind_are_printed_with_their_captions(what: str, picture: bytes) -> None:
    photo = PhotoFacts("f" * 64, "2026-11-10T10:12:00-03:00", "CP(41)", 4, "Raíz, lado norte")
    facts = a_dossier(replace(a_whole_story(), photos=(photo,)), with_photos=True)
    text = pages_of(pdf_of(facts, Language.ES, lambda _: picture))[-1]
    assert "Raíz, lado norte" in text, what


def test_a_picture_that_is_lost_leaves_the_rest() -> None:
    photo = PhotoFacts("f" * 64, "2026-11-10T10:12:00-03:00", "CP(41)")
    spool = replace(a_whole_story(drawing=a_drawing("a" * 64, 10, 10)), photos=(photo,))
    assert TAG in pages_of(pdf(a_dossier(spool, with_photos=True)))[0]


def test_the_colours_of_a_picture_stay_when_its_bytes_are_copied() -> None:
    photo = PhotoFacts("f" * 64, "2026-11-10T10:12:00-03:00", "CP(41)")
    facts = a_dossier(replace(a_whole_story(), photos=(photo,)), with_photos=True)
    made = pdf_of(facts, Language.ES, lambda _: a_photo(200, 150, (200, 40, 20)))
    page = list(pypdfium2.PdfDocument(made))[-1].render(scale=1).to_pil().convert("RGB")
    colours = page.getcolors(1_000_000) or []
    assert any(abs(r - 200) < 6 and abs(g - 40) < 6 and abs(b - 20) < 6 for n, (r, g, b) in colours if n > 1_000)


def test_a_dossier_that_takes_too_long_is_given_up_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = ProcessLimits(memory_bytes_max=2 << 30, cpu_s_max=60, wall_s_max=0.01, output_bytes_max=1 << 20)
    monkeypatch.setattr(typesetting, "LIMITS", quick)
    with pytest.raises(DossierTooComplex):
        pdf(a_dossier())


def test_the_repaired_joint_is_counted_once() -> None:
    facts = a_dossier(replace(a_whole_story(), welds=(a_repaired_weld(1),)))
    assert "RT111100.0%1110" in squeezed("".join(pages_of(pdf(facts))))


def test_the_file_is_a_pdf_that_others_can_open() -> None:
    made = pdf(a_dossier())
    document = pypdfium2.PdfDocument(made)
    assert document.get_metadata_value("Title").startswith("Dossier de soldadura")
    assert Image.open(io.BytesIO(a_png())).size == (80, 60)
