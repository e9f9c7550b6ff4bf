"""Which characters a new tag may have: only those that people can see."""

from __future__ import annotations

import unicodedata

import pytest

from carrete.domain.tags import clean_tag, hidden_character

HIDDEN = [
    *range(0x202A, 0x202F),  # embeddings and overrides of the direction
    *range(0x2066, 0x206A),  # isolates
    *(0x200E, 0x200F, 0x061C),  # direction marks
    *(0x200B, 0x200C, 0x200D, 0xFEFF, 0x00AD, 0x034F),  # zero width
    *range(0x2060, 0x2066),
    *(0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0x2800),  # fillers and the blank Braille pattern
    *range(0x180B, 0x1810),
    *range(0xFE00, 0xFE10),  # variation selectors
    *(0xE0100, 0xE01EF),
    *(0xE0001, 0xE0020, 0xE007F),  # tag characters
    *(0xFFF9, 0xFFFA, 0xFFFB),  # interlinear annotation
    *(0x0600, 0x06DD, 0x070F, 0x110BD, 0x1D173),  # other format characters
]
VISIBLE = ["MK-1335-CW-25238-011", "ÑANDÚ-Ø", "😀-1", "🇨🇱", "שלום-12", "شبكة-١٢", "管-一号", "e\u0301", "A\u00a0B", "½"]


@pytest.mark.parametrize("code", HIDDEN, ids=lambda code: f"U+{code:04X}")
def test_a_character_that_nobody_can_see_is_named(code: int) -> None:
    sentence = hidden_character(f"MK-{chr(code)}-1")
    assert f"U+{code:04X}" in sentence
    assert unicodedata.name(chr(code), "sin nombre") in sentence
    assert sentence.endswith(".")


def test_every_format_character_that_python_knows_is_named() -> None:
    for code in range(0x110000):
        if unicodedata.category(chr(code)) == "Cf":
            assert hidden_character(chr(code)), f"U+{code:04X}"


@pytest.mark.parametrize("tag", VISIBLE)
def test_letters_of_every_alphabet_and_plain_emoji_may_be_in_a_tag(tag: str) -> None:
    assert hidden_character(tag) == ""


def test_a_tag_that_is_already_in_a_ledger_is_still_compared_exactly() -> None:
    """A ledger from before this rule may have such spools: they must be found again."""
    assert clean_tag(" MK\u200b-1 ") == "MK\u200b-1"
