"""Which texts are allowed as tags. Two tags are the same when they are equal after trimming and NFC."""

from __future__ import annotations

import re
import unicodedata

TAG_LENGTH_MAX = 100
_NOT_PRINTABLE = {"Cc", "Cs", "Zl", "Zp"}
# The characters that Unicode calls default-ignorable (joiners, direction marks, variation selectors, fillers, tag
# characters) and the blank Braille pattern. They are invisible: two different tags would look the same on a screen.
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def clean_tag(raw: str) -> str:
    """The tag as it is stored and compared. Raises ValueError with a Spanish sentence when it is not allowed."""
    if raw.isascii() and raw.isprintable():
        tag = raw.strip()
    else:
        tag = unicodedata.normalize("NFC", raw).strip()
        if any(unicodedata.category(c) in _NOT_PRINTABLE or _is_noncharacter(c) for c in tag):
            raise ValueError("el tag tiene caracteres que no se pueden imprimir.")
    if not tag:
        raise ValueError("el tag está vacío.")
    if len(tag) > TAG_LENGTH_MAX:
        raise ValueError(f"el tag tiene más de {TAG_LENGTH_MAX} caracteres.")
    return tag


def hidden_character(tag: str) -> str:
    """A sentence that names the first invisible character, or "" when there is none.

    A new spool with such a tag is refused. `clean_tag` does not check this: a ledger may have such spools from earlier
    versions, and they can still be read, worked and ended.
    """
    found = first_hidden(tag)
    if not found:
        return ""
    name = unicodedata.name(found, "sin nombre")
    return f"el tag tiene el carácter invisible U+{ord(found):04X} ({name}); escríbalo de nuevo sin él."


def first_hidden(text: str) -> str:
    """The first invisible character of a text, or "". The control characters of ASCII are for others to refuse; those
    from U+0080 on are invisible on a page, and a terminal obeys them."""
    if text.isascii():
        return ""
    return next((c for c in text if _HIDDEN.match(c) or unicodedata.category(c) == "Cf" or "\x80" <= c <= "\x9f"), "")


def _is_noncharacter(c: str) -> bool:
    """Code points that Unicode will never assign. A new emoji that this Python does not know is none of them."""
    return 0xFDD0 <= ord(c) <= 0xFDEF or ord(c) & 0xFFFE == 0xFFFE
