"""Reads a text of the shop's settings: visible characters, and no more of them than the setting has room for."""

from __future__ import annotations

import unicodedata
from typing import Any

from carrete.domain.texts import writable


def text_value(value: Any, length_max: int) -> str:
    if not isinstance(value, str):
        raise ValueError("debe ser texto.")
    cleaned = unicodedata.normalize("NFC", value).strip()
    if len(cleaned) > length_max or not writable(cleaned) or not cleaned.isprintable():
        raise ValueError(f"a lo más {length_max} caracteres visibles.")
    return cleaned
