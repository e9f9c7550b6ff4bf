"""What may be a tag, and when two tags are the same: exactly, after trimming and NFC."""

from __future__ import annotations

import re
import unicodedata

TAG_LENGTH_MAX = 100
_NOT_PRINTABLE = {"Cc", "Cs", "Zl", "Zp"}
# What Unicode calls default-ignorable (joiners, direction marks, variation selectors, fillers, tag characters) and the
# blank Braille pattern: none of them can be seen, so two different tags would look the same on a screen.
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def clean_tag(raw: str) -> str:
    """The tag as it is stored and compared; ValueError, with a sentence for people, when it cannot be one."""
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
    """A sentence that names the first character which people cannot see, or "" when there is none.

    A new spool with such a tag is refused. It is no part of `clean_tag`: a ledger may have such spools from earlier
    years, and they can still be read, worked and ended.
    """
    if tag.isascii():
        return ""
    found = next((c for c in tag if _HIDDEN.match(c) or unicodedata.category(c) == "Cf"), "")
    if not found:
        return ""
    name = unicodedata.name(found, "sin nombre")
    return f"el tag tiene el carácter invisible U+{ord(found):04X} ({name}); escríbalo de nuevo sin él."


def _is_noncharacter(c: str) -> bool:
    """Never a character in any Unicode; an emoji younger than this Python is merely unknown to it."""
    return 0xFDD0 <= ord(c) <= 0xFDEF or ord(c) & 0xFFFE == 0xFFFE
