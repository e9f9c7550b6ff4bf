"""Text that a stranger may have written, as a terminal can show it: a person who tampers with a trail must not be able
to clear or rewrite the screen of the person who checks it."""

from __future__ import annotations

TEXT_LENGTH_MAX = 200
PATH_LENGTH_MAX = 4_096


def printable(value: object, length_max: int = TEXT_LENGTH_MAX) -> str:
    """No control characters, nothing that cannot be encoded, and not too long."""
    text = str(value)[:length_max]
    return text if text.isprintable() else "".join(letter if letter.isprintable() else "�" for letter in text)
