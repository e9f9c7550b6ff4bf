"""A number as its cell's format shows it."""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache

from sheets_emulator.locales import Locale, moment

DATE_TYPES = frozenset({"DATE", "TIME", "DATE_TIME"})
_TOKEN = re.compile(r'"[^"]*"|\\.|y+|m+|d+|h+|H+|s+|AM/PM|am/pm|.', re.DOTALL)
_NUMBER = re.compile(r"[#0][#0,]*(?:\.[#0]*)?")
_SIGNIFICANT = 10  # digits that a plain cell shows


def shown(number: float, kind: str, pattern: str, locale: Locale) -> str:
    if kind in DATE_TYPES:
        return _dated(number, pattern or locale.date_pattern, locale)
    if kind in ("TEXT", "") or not pattern:
        return general(number, locale)
    return _patterned(number, pattern, locale)


def general(number: float, locale: Locale) -> str:
    if isinstance(number, int):
        text = str(number)
    else:
        text = f"{number:.{_SIGNIFICANT}g}"
        if "e" in text:
            digits, _, power = text.partition("e")
            text = f"{digits}E{int(power):+d}"
    return text.replace(".", locale.decimal)


def _patterned(number: float, pattern: str, locale: Locale) -> str:
    pattern = pattern.split(";")[0]
    match = _NUMBER.search(pattern.replace('"', ""))
    if match is None:
        return general(number, locale)
    percent = "%" in pattern
    whole, _, decimals = match[0].partition(".")
    scaled = abs(number) * (100 if percent else 1)
    text = f"{scaled:,.{len(decimals)}f}" if "," in whole else f"{scaled:.{len(decimals)}f}"
    digits, _, rest = text.partition(".")
    digits = digits.replace(",", locale.thousands).rjust(whole.replace(",", "").count("0"), "0")
    rest = _without_optional(rest, decimals)
    plain = pattern.replace('"', "").replace("\\", "")
    body = plain.replace(match[0], digits + (locale.decimal + rest if rest else ""), 1)
    return f"-{body}" if number < 0 else body


def _without_optional(digits: str, wanted: str) -> str:
    """A decimal whose place in the pattern is # is left out when it is zero."""
    needed = wanted.rfind("0") + 1
    while len(digits) > needed and digits.endswith("0"):
        digits = digits[:-1]
    return digits


def _dated(number: float, pattern: str, locale: Locale) -> str:
    if number < 0:
        return general(number, locale)
    when = moment(number)
    tokens = _tokens(pattern)
    half_day = any(token.lower() == "am/pm" for token in tokens)
    parts: list[str] = []
    after_hour = False
    for place, token in enumerate(tokens):
        minute = token[0] == "m" and (after_hour or _seconds_follow(tokens, place))
        parts.append(_part(token, when, locale, minute=minute, half_day=half_day))
        if token[0] in "hH":
            after_hour = True
        elif token[0] in "yd":
            after_hour = False
    return "".join(parts)


@lru_cache(maxsize=256)
def _tokens(pattern: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(pattern))


def _seconds_follow(tokens: tuple[str, ...], place: int) -> bool:
    following = next((token for token in tokens[place + 1 :] if token[0] in "ymdhHs"), "")
    return following.startswith("s")


def _part(token: str, when: datetime, locale: Locale, *, minute: bool, half_day: bool) -> str:
    letter, size = token[0], len(token)
    if token.lower() == "am/pm":
        return "AM" if when.hour < 12 else "PM"
    if letter in "hH":
        hour = (when.hour % 12 or 12) if half_day else when.hour
        return f"{hour:0{min(size, 2)}d}"
    if letter == "m":
        return f"{when.minute:0{min(size, 2)}d}" if minute else _month(size, when, locale)
    if letter == "y":
        return f"{when.year:04d}" if size > 2 else f"{when.year % 100:02d}"
    if letter == "d":
        return f"{when.day:0{min(size, 2)}d}"
    if letter == "s":
        return f"{when.second:0{min(size, 2)}d}"
    return token.strip('"') if letter == '"' else token.removeprefix("\\")


def _month(size: int, when: datetime, locale: Locale) -> str:
    return locale.months[when.month - 1] if size > 2 else f"{when.month:0{size}d}"
