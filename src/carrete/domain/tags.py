"""What may be a tag, and when two tags are the same: exactly, after trimming and NFC."""

from __future__ import annotations

import unicodedata

TAG_LENGTH_MAX = 100
_NOT_PRINTABLE = {"Cc", "Cs", "Zl", "Zp"}  # joiners and direction marks are part of emoji and of Arabic


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


def _is_noncharacter(c: str) -> bool:
    """Never a character in any Unicode; an emoji younger than this Python is merely unknown to it."""
    return 0xFDD0 <= ord(c) <= 0xFDEF or ord(c) & 0xFFFE == 0xFFFE
