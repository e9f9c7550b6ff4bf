"""The form in which types of joints are compared."""

from __future__ import annotations

import unicodedata


def comparable_type(tipo: str | None) -> str:
    """`fw ` is FW. Upper case can leave a letter and its accent apart, so they are composed again."""
    upper = (tipo or "").strip().upper()
    return upper if upper.isascii() else unicodedata.normalize("NFC", upper)
