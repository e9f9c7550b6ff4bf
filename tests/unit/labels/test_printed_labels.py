"""Labels as they come out of the printer: rasterised, and read back by a decoder that is not ours."""

from __future__ import annotations

import subprocess
import sys

import pytest
from PIL import Image, ImageFilter

from carrete.domain.refusals import NotValid
from carrete.domain.workers import Worker
from carrete.labels.badges import BadgeCard, badge_pages
from carrete.labels.drawing import (
    CODE_MM_MIN,
    MODULE_MM_MIN,
    NEVER_DENSE_BYTES,
    LabelWarning,
    SpoolLabel,
    label_pages,
    warnings_of,
)
from carrete.labels.pdf import pdf_of
from carrete.labels.stock import BADGE_STOCK, STOCKS, LabelFormat, LabelStock, free_grid
from tests.support.labels import codes_in, codes_of, page_sizes_mm, pictures, pictures_inside, words_of

TAG = "MK-1335-CW-25238-011"
SMALLEST_GRID = free_grid(4, 10, margin_top=3.5)  # labels of 52.5 × 29 mm
PAPER = {**{each.value: stock for each, stock in STOCKS.items()}, "the smallest grid": SMALLEST_GRID}
HARD_TAGS = (
    "A",
    "a-b",
    "7",
    "MK 1335 / 12",
    "Ñandú-01",
    "spool-ü-3",
    "x" * 40,
    "MK.1_2-3/4",
    "=1+1",
    "<b>&amp;",
    "厜扊",
    "熜胺",
)


def printed(labels: list[SpoolLabel], stock: LabelStock, skip: int = 0, address: str = "") -> bytes:
    return pdf_of(label_pages(labels, stock, skip=skip, address=address), stock, "Etiquetas")


def spools(count: int) -> list[SpoolLabel]:
    return [SpoolLabel(f"MK-1335-CW-{25238 + n // 7}-{n:03}", "25238", 6) for n in range(count)]


@pytest.mark.parametrize("paper", PAPER)
def test_every_code_of_a_page_is_read_back_and_has_20_mm_or_more(paper: str) -> None:
    stock = PAPER[paper]
    labels = spools(stock.labels_per_page)
    found = codes_of(printed(labels, stock))
    assert [code.text for code in found] == [label.tag for label in labels]
    assert {(code.kind, code.error_correction) for code in found} == {("QRCode", "Q")}
    assert min(code.side_mm for code in found) >= CODE_MM_MIN - 0.3


@pytest.mark.parametrize("stock", PAPER.values(), ids=PAPER)
def test_even_the_shortest_tag_has_a_code_of_20_mm_and_its_white_margin(stock: LabelStock) -> None:
    (code,) = codes_of(printed([SpoolLabel("A")], stock), dots_per_inch=200)
    assert code.side_mm >= CODE_MM_MIN - 0.3
    box = next(stock.boxes())
    (page,) = label_pages([SpoolLabel("A")], stock)
    (drawn,) = page.codes
    assert drawn.x - 4 * drawn.module >= box.x - 0.001
    assert drawn.y - 4 * drawn.module >= box.y - 0.001
    assert drawn.y + (drawn.code.modules + 4) * drawn.module <= box.y + box.height + 0.001


def test_strange_tags_are_read_back_unchanged() -> None:
    labels = [SpoolLabel(tag) for tag in HARD_TAGS]
    assert [code.text for code in codes_of(printed(labels, STOCKS[LabelFormat.A4_3X8]))] == list(HARD_TAGS)


def test_a_tag_in_other_letters_is_in_the_code_although_the_font_cannot_show_it() -> None:
    label, stock = SpoolLabel("管-12"), STOCKS[LabelFormat.ROLL_100X50]
    pdf = printed([label], stock)
    assert [code.text for code in codes_of(pdf)] == ["管-12"]
    assert warnings_of(label, stock) == [LabelWarning.OTHER_LETTERS]
    assert "?-12" in words_of(pdf)[0].replace("\r\n", "")


def test_a_very_long_tag_warns_that_its_code_is_dense() -> None:
    stock = STOCKS[LabelFormat.ROLL_62]
    assert warnings_of(SpoolLabel("x" * 100), stock) == [LabelWarning.DENSE_CODE]
    assert warnings_of(SpoolLabel(TAG), stock) == []
    assert [code.text for code in codes_of(printed([SpoolLabel("x" * 100)], stock), 300)] == ["x" * 100]


@pytest.mark.parametrize("stock", PAPER.values(), ids=PAPER)
def test_a_short_text_is_never_dense(stock: LabelStock) -> None:
    """So that the codes of a whole shop need not be made for its warnings."""
    (page,) = label_pages([SpoolLabel("x" * NEVER_DENSE_BYTES)], stock)
    assert page.codes[0].module >= MODULE_MM_MIN


def test_the_label_says_tag_work_order_and_joints_in_words() -> None:
    (words,) = words_of(printed([SpoolLabel(TAG, "25238", 6)], STOCKS[LabelFormat.ROLL_100X50]))
    assert "".join(words.split("\r\n")[:-1]) == TAG
    assert words.endswith("OT 25238 · 6 uniones")


@pytest.mark.parametrize(
    ("label", "facts"),
    [
        (SpoolLabel(TAG), ""),
        (SpoolLabel(TAG, "OT-9"), "OT-9"),
        (SpoolLabel(TAG, "9", 1), "OT 9 · 1 unión"),
        (SpoolLabel(TAG, None, 12), "12 uniones"),
        (SpoolLabel(TAG, " ", 0), ""),
    ],
)
def test_what_the_spool_does_not_have_is_not_on_its_label(label: SpoolLabel, facts: str) -> None:
    assert label.facts == facts


@pytest.mark.parametrize("tag", [TAG, *HARD_TAGS, "W" * 100])
@pytest.mark.parametrize("stock", PAPER.values(), ids=PAPER)
def test_words_never_leave_their_label(tag: str, stock: LabelStock) -> None:
    label = SpoolLabel(tag, "W" * 60, 1_000)
    (page,) = label_pages([label], stock)
    box = next(stock.boxes())
    for text in page.texts:
        assert text.x + text.width <= box.x + box.width + 0.01
        assert box.y <= text.y - 0.72 * text.size
        assert text.y <= box.y + box.height


def test_the_tag_is_large_enough_to_be_read_from_a_step_away() -> None:
    for stock in STOCKS.values():
        (page,) = label_pages([SpoolLabel(TAG, "25238", 6)], stock)
        assert max(text.size for text in page.texts) >= 5.0


def test_a_server_that_prints_no_labels_does_not_load_what_draws_them() -> None:
    code = "import sys, carrete.api.labels; sys.exit('reportlab' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_everything_is_a_vector() -> None:
    assert pictures_inside(printed(spools(24), STOCKS[LabelFormat.A4_3X8])) == 0


def test_sheets_are_filled_one_after_the_other_and_used_labels_stay_empty() -> None:
    stock, labels = STOCKS[LabelFormat.A4_3X8], spools(30)
    first, second = pictures(printed(labels, stock, skip=5))
    assert [code.text for code in codes_in(first)] == [label.tag for label in labels[:19]]
    assert [code.text for code in codes_in(second)] == [label.tag for label in labels[19:]]
    assert stock.pages_for(30, 5) == 2
    assert page_sizes_mm(printed(labels, stock)) == [(210, 297)] * 2


def test_a_roll_has_one_label_on_each_page() -> None:
    assert page_sizes_mm(printed(spools(3), STOCKS[LabelFormat.ROLL_62])) == [(62, 29)] * 3
    assert page_sizes_mm(printed(spools(2), STOCKS[LabelFormat.ROLL_100X50])) == [(100, 50)] * 2


def test_with_an_address_the_code_is_that_of_the_spools_card() -> None:
    (code,) = codes_of(printed([SpoolLabel("MK/1 ñ")], STOCKS[LabelFormat.A4_3X8], address="https://carrete.local"))
    assert code.text == "https://carrete.local/s/MK%2F1%20%C3%B1"


def test_labels_too_small_for_a_code_are_refused_with_their_size() -> None:
    with pytest.raises(NotValid, match=r"52\.5 × 27\.0 mm; al menos 50 × 29 mm"):
        free_grid(4, 11)
    with pytest.raises(NotValid):
        free_grid(3, 8, margin_left=40)


def test_a_blurred_and_scratched_code_is_still_read() -> None:
    """A quarter of the code may be lost: paint, a scratch, a corner torn off."""
    (picture,) = pictures(printed([SpoolLabel(TAG)], STOCKS[LabelFormat.ROLL_62]))
    spoiled = picture.filter(ImageFilter.GaussianBlur(1.5))
    spoiled.paste(Image.new("L", (22, 22), 255), (110, 110))
    assert [code.text for code in codes_in(spoiled)] == [TAG]


def test_a_thousand_different_tags_are_read_although_the_mask_is_always_the_same() -> None:
    labels, stock = spools(1_000), STOCKS[LabelFormat.A4_3X8]
    assert [code.text for code in codes_of(printed(labels, stock), 120)] == [label.tag for label in labels]


def test_the_same_labels_are_the_same_file() -> None:
    assert printed(spools(3), SMALLEST_GRID) == printed(spools(3), SMALLEST_GRID)


def test_the_file_has_its_drawings_as_bytes_not_as_text() -> None:
    assert b"ASCII85Decode" not in printed(spools(1), SMALLEST_GRID)


def test_a_badge_card_has_the_name_the_label_and_the_badge() -> None:
    people = [
        BadgeCard(Worker(93, "Mauricio", "Rodríguez"), "B-0093"),
        BadgeCard(Worker(7, "Ñusta", "Pérez"), "000417"),
    ]
    pdf = pdf_of(badge_pages(people), BADGE_STOCK, "Credenciales")
    assert [code.text for code in codes_of(pdf)] == ["B-0093", "000417"]
    words = words_of(pdf)[0].split("\r\n")
    assert {"MR(93)", "ÑP(7)"} <= set(words)
    assert "Rodríguez" in " ".join(words)
    assert "PIN" not in "".join(words)


def test_eleven_badge_cards_need_a_second_page() -> None:
    people = [BadgeCard(Worker(n, "Ana", "Soto"), f"B-{n}") for n in range(11)]
    pdf = pdf_of(badge_pages(people), BADGE_STOCK, "Credenciales")
    assert len(codes_of(pdf)) == 11
    assert page_sizes_mm(pdf) == [(210, 297)] * 2
