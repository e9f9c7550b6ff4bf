"""Field masks: `sheets(properties(sheetId,title)),spreadsheetId`, with dots or slashes for depth."""

from __future__ import annotations

from typing import Any

from sheets_emulator.errors import invalid_field

Mask = dict[str, "Mask"]  # an empty one means everything below
EVERYTHING: Mask = {}


def parse(text: str | None) -> Mask:
    if not text or text == "*":
        return EVERYTHING
    mask, end = _list(text.replace(" ", ""), 0)
    if end != len(text.replace(" ", "")):
        raise invalid_field("fields", f"Error expanding 'fields' parameter. Cannot parse field mask {text!r}")
    return mask


def _list(text: str, at: int) -> tuple[Mask, int]:
    mask: Mask = {}
    while True:
        at = _path(mask, text, at)
        if at >= len(text) or text[at] != ",":
            return mask, at
        at += 1


def _path(mask: Mask, text: str, at: int) -> int:
    """One name with the names below it."""
    end = at
    while end < len(text) and text[end] not in ",()/.":
        end += 1
    name = text[at:end]
    if not name:
        raise invalid_field("fields", f"Error expanding 'fields' parameter. Cannot parse field mask {text!r}")
    below = mask.setdefault(name, {})
    if end < len(text) and text[end] in "/.":
        return _path(below, text, end + 1)
    if end < len(text) and text[end] == "(":
        inner, close = _list(text, end + 1)
        if close >= len(text) or text[close] != ")":
            raise invalid_field("fields", f"Error expanding 'fields' parameter. Cannot parse field mask {text!r}")
        below.update(inner)
        return close + 1
    return end


def apply(mask: Mask, value: Any) -> Any:
    if not mask or "*" in mask:
        return value
    if isinstance(value, list):
        return [apply(mask, item) for item in value]
    if isinstance(value, dict):
        return {name: apply(below, value[name]) for name, below in mask.items() if name in value}
    return value


def wants(mask: Mask, *path: str) -> bool:
    """Whether the mask includes anything at or below that path."""
    for name in path:
        if not mask or "*" in mask:
            return True
        if name not in mask:
            return False
        mask = mask[name]
    return True


def names(mask: Mask, *path: str) -> bool:
    """Whether the mask has that path by its name: a mask of everything does not."""
    for name in path:
        if name not in mask:
            return False
        mask = mask[name]
    return True
