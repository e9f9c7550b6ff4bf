"""What a typed text becomes in a cell: number, percentage, money, date, boolean, formula, or the text itself."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime

from sheets_emulator.errors import Json
from sheets_emulator.locales import Locale, serial
from sheets_emulator.model import EnteredFormula, Format, Scalar

_DATE = re.compile(r"(\d{1,4})(?P<between>[-/.])(\d{1,2})(?P=between)(\d{1,4})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
_DIGITS = re.compile(r"[+-]?(\d+|\d{1,3}(?:T\d{3})+)(?:D\d*)?(?:[eE][+-]?\d+)?")

Entered = tuple[Scalar, Format | None]  # the value, and the format that the cell gets with it


def entered(text: str, locale: Locale, held: Format | None = None) -> Entered:
    """held: the format that the cell has; a cell of plain text keeps what is typed."""
    if (held or {}).get("numberFormat", {}).get("type") == "TEXT":
        return text, None
    if text.startswith("'"):
        return text[1:], None
    if len(text) > 1 and text[0] in "=+" and not _number(text, locale):
        return EnteredFormula("=" + text[1:]), None
    return _truth(text, locale) or _measured(text, locale) or _dated(text.strip(), locale) or (text, None)


def _truth(text: str, locale: Locale) -> Entered | None:
    word = text.strip().upper()
    if word in ("TRUE", locale.true):
        return True, None
    return (False, None) if word in ("FALSE", locale.false) else None


def _measured(text: str, locale: Locale) -> Entered | None:
    """Plain, with %, or with the locale's currency sign."""
    text = text.strip()
    if (plain := _number(text, locale)) is not None:
        return plain, _grouped(text, locale)
    if text.endswith("%") and (percent := _number(text[:-1].strip(), locale)) is not None:
        pattern = "0%" if locale.decimal not in text else "0.00%"
        return percent / 100, _format("PERCENT", pattern)
    sign = "-" if text.startswith("-") else ""
    bare = text.removeprefix("-").strip()
    if bare.startswith(locale.currency):
        money = _number(sign + bare.removeprefix(locale.currency).strip(), locale)
        if money is not None:
            pattern = f"{locale.currency}#,##0" + ("" if isinstance(money, int) else ".00")
            return money, _format("CURRENCY", pattern)
    return None


def _grouped(text: str, locale: Locale) -> Format | None:
    """A number typed with thousands separators gets a format that shows them."""
    if locale.thousands not in text:
        return None
    return _format("NUMBER", "#,##0.00" if locale.decimal in text else "#,##0")


def _format(kind: str, pattern: str) -> Json:
    return {"numberFormat": {"type": kind, "pattern": pattern}}


def _number(text: str, locale: Locale) -> float | int | None:
    masked = text.translate({ord(locale.thousands): "T", ord(locale.decimal): "D"})
    if "." in masked or "," in masked or not _DIGITS.fullmatch(masked):
        return None
    plain = masked.replace("T", "").replace("D", ".")
    value = float(plain)
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def _dated(text: str, locale: Locale) -> Entered | None:
    if match := _DATE.fullmatch(text):
        with suppress(ValueError):
            when = _day(match, locale)
            return serial(when), _as_typed(match, locale)
    if match := _TIME.fullmatch(text):
        hours, minutes, seconds = int(match[1]), int(match[2]), int(match[3] or 0)
        if hours < 24 and minutes < 60 and seconds < 60:
            return (hours * 3600 + minutes * 60 + seconds) / 86_400, _format("TIME", "h:mm:ss")
    return None


def _as_typed(match: re.Match[str], locale: Locale) -> Format:
    """The cell shows a date the way it was typed: 2026-11-16 stays so, also where days come first."""
    letters = "ymd" if len(match[1]) == 4 else "dmy" if locale.day_first else "mdy"
    typed = (match[1], match[3], match[4])
    parts = ("yyyy" if letter == "y" else letter * len(part) for letter, part in zip(letters, typed, strict=True))
    pattern = match["between"].join(parts)
    return _format("DATE_TIME", f"{pattern} h:mm:ss") if match[5] else _format("DATE", pattern)


def _day(match: re.Match[str], locale: Locale) -> datetime:
    first, second, third = int(match[1]), int(match[3]), int(match[4])
    if len(match[1]) == 4:
        year, month, day = first, second, third
    elif locale.day_first:
        year, month, day = third, second, first
    else:
        year, month, day = third, first, second
    if year < 100:
        year += 2000 if year < 50 else 1900
    return datetime(year, month, day, int(match[5] or 0), int(match[6] or 0), int(match[7] or 0))  # noqa: DTZ001
