"""Turns one raw cell into its normal form: the text by which base, ledger and sheet are compared. `""` is missing.

Dates are ISO, date-times are ISO of the shop's wall clock without offset (so the repeated hour of a change of
hour never looks like an edit), numbers are plain decimals, yes and no are `1` and `0`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from typing import TypeAlias
from zoneinfo import ZoneInfo

from carrete.domain.joints import WELD_TEXT_MAX
from carrete.domain.shop_time import SHEET_DATE, SHEET_DATETIME, YEARS
from carrete.domain.tags import clean_tag
from carrete.domain.texts import writable
from carrete.domain.workers import folded, labelled_id


class Broken(Enum):
    """A cell that shows #REF!, #N/A and the like: it has no value, although no person emptied it."""

    FORMULA = "la celda tiene un error de fórmula."

    def __reduce_ex__(self, _protocol: object) -> tuple[type[Broken], tuple[str]]:
        """Pickled as a call of the class in every Python: some pickle an Enum as a call of `getattr`, which the
        reader of a workbook's cells refuses."""
        return Broken, (self.value,)


@dataclass(frozen=True, slots=True)
class Formula:
    """A cell of a live sheet that holds a formula; a text that begins with = is a `str`."""

    text: str  # with its equals sign

    def __str__(self) -> str:
        return self.text


Raw: TypeAlias = str | float | int | bool | datetime | date | time | timedelta | Broken | Formula | None
RawRow: TypeAlias = list[Raw]
Reader: TypeAlias = Callable[[Raw, ZoneInfo], str]

TEXT_LENGTH_MAX = 1_000
SERIAL_ZERO = datetime(1899, 12, 30)  # noqa: DTZ001 - serial numbers are wall clock
SERIAL_END = 109_572.0  # the first day after `YEARS`
NUMBER_MAX = 10**9
_TIME = r"(?:[T ]+(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2})(?:\.\d+)?)?)?"
_OFFSET = r"\s*(?P<offset>Z|[+-]\d{2}:?\d{2})?"
_DAY_FIRST = re.compile(rf"(?P<d>\d{{1,2}})(?P<sep>[-/.])(?P<m>\d{{1,2}})(?P=sep)(?P<y>\d{{4}}){_TIME}")
_YEAR_FIRST = re.compile(rf"(?P<y>\d{{4}})-(?P<m>\d{{2}})-(?P<d>\d{{2}}){_TIME}{_OFFSET}")
_SERIAL = re.compile(r"(?P<days>\d{5,6})(?:[.,](?P<part>\d{1,12}))?")
_NUMBER = re.compile(r"(?P<whole>[+-]?\d{1,12})(?:[.,](?P<part>\d{1,9}))?")
_WHOLE = re.compile(r"[0-9]{1,9}")
_INCH = "\"″”'"  # people write 2" for two inches
_YES = {"true", "verdadero", "si", "s", "yes", "y", "1", "x", "activo", "✓"}
_NO = {"false", "falso", "no", "n", "0", "inactivo"}
FREE = "DISPONIBLE"
ANY_ZONE = ZoneInfo("UTC")  # for cells without a time


class Unreadable(ValueError):
    """The message says what the cell should contain. Such a cell is neither imported nor overwritten."""


def text(raw: Raw, _zone: ZoneInfo) -> str:
    """Trimmed, NFC. A number is written as a person would: 12345.0 is an OT called 12345."""
    if isinstance(raw, str):
        return _clean(raw)
    return "" if raw is None else _as_typed(raw)


def tag(raw: Raw, zone: ZoneInfo) -> str:
    """`""` for a blank cell; any other text that is no tag is unreadable."""
    value = raw if isinstance(raw, str) else text(raw, zone)
    if not value.strip():
        return ""
    try:
        return clean_tag(value)
    except ValueError as error:
        raise Unreadable(str(error)) from None


def weld_text(raw: Raw, zone: ZoneInfo) -> str:
    """A heat, the number of a procedure and the like: a text that is short."""
    value = text(raw, zone)
    if len(value) > WELD_TEXT_MAX:
        raise Unreadable(f"«{_short(value)}» tiene {len(value)} caracteres; caben {WELD_TEXT_MAX}.")
    return value


def holder(raw: Raw, zone: ZoneInfo) -> str:
    """`DISPONIBLE` means that nobody holds the spool; blanks and case inside a worker label do not matter."""
    value = text(raw, zone)
    if value.upper() == FREE:
        return ""
    return "".join(value.split()).upper() if labelled_id(value) is not None else value


def day(raw: Raw, zone: ZoneInfo) -> str:
    return date_time(raw, zone)[:10]


def date_time(raw: Raw, zone: ZoneInfo) -> str:
    local = _local(raw, zone)
    return local.isoformat() if local else ""


def date_time_or_text(raw: Raw, zone: ZoneInfo) -> str:
    """For a column that no rule uses: a date where the cell has one, else its text."""
    try:
        value = date_time(raw, zone)
    except Unreadable:
        return text(raw, zone)
    return value.removesuffix("T00:00:00")


def number(raw: Raw, zone: ZoneInfo) -> str:
    """A decimal with point and no needless zeros; a text that is no number stays as it is."""
    if type(raw) is float or type(raw) is int:
        return _plain(Decimal(str(round(raw, 6)))) if abs(raw) < NUMBER_MAX else text(raw, zone)
    value = text(raw, zone)
    found = _NUMBER.fullmatch(value.rstrip(_INCH).rstrip()) if value else None
    return _plain(Decimal(f"{found['whole']}.{found['part'] or 0}")) if found else value


def whole_number(raw: Raw, zone: ZoneInfo) -> str:
    """A whole number, 1 or more."""
    value = number(raw, zone)
    if value and not (_WHOLE.fullmatch(value) and int(value) > 0):
        raise Unreadable(f"«{_short(value)}» no es un número entero mayor que cero.")
    return value


def yes_or_no(raw: Raw, zone: ZoneInfo) -> str:
    value = folded(text(raw, zone))
    if value not in _YES and value not in _NO and value:
        raise Unreadable(f"«{_short(value)}» no es sí ni no (TRUE o FALSE).")
    return "" if not value else str(int(value in _YES))


def _clean(raw: str) -> str:
    value = raw.strip()
    if not value.isprintable() or not value.isascii():
        if not writable(value):
            raise Unreadable("el texto tiene caracteres de control.")
        value = unicodedata.normalize("NFC", value.replace("\r\n", "\n").replace("\r", "\n"))
    if len(value) > TEXT_LENGTH_MAX:
        raise Unreadable(f"el texto tiene más de {TEXT_LENGTH_MAX} caracteres.")
    return value


def _as_typed(raw: float | int | bool | datetime | date | time | timedelta | Broken | Formula) -> str:
    if isinstance(raw, Broken):
        raise Unreadable(raw.value)
    if isinstance(raw, Formula):
        raise Unreadable("la celda tiene una fórmula.")
    if isinstance(raw, bool):
        return "TRUE" if raw else "FALSE"
    if isinstance(raw, float):
        return str(int(raw)) if raw.is_integer() and abs(raw) < 1e15 else repr(raw)
    if isinstance(raw, datetime):
        return raw.strftime(SHEET_DATETIME)
    return raw.strftime(SHEET_DATE) if isinstance(raw, date) else str(raw)


def _local(raw: Raw, zone: ZoneInfo) -> datetime | None:
    """The time of a cell on the shop's wall clock, in whole seconds."""
    if raw is None or raw == "":
        return None
    if isinstance(raw, datetime):
        return _in_range(_to_second(raw.astimezone(zone).replace(tzinfo=None) if raw.tzinfo else raw))
    if isinstance(raw, date):
        return _in_range(datetime(raw.year, raw.month, raw.day))  # noqa: DTZ001 - wall clock
    if isinstance(raw, str):
        return _local_from_text(_clean(raw), zone)
    if isinstance(raw, float | int) and not isinstance(raw, bool):
        return _local_from_serial(raw, _as_typed(raw))
    raise Unreadable(f"«{_as_typed(raw)}» no es una fecha.")


@lru_cache(maxsize=16_384)
def _local_from_text(value: str, zone: ZoneInfo) -> datetime | None:
    if not value:
        return None
    if serial := _SERIAL.fullmatch(value):
        return _local_from_serial(float(f"{serial['days']}.{serial['part'] or 0}"), value)
    found = _DAY_FIRST.fullmatch(value) or _YEAR_FIRST.fullmatch(value)
    if not found:
        raise Unreadable(f"«{_short(value)}» no es una fecha; se espera DD-MM-AAAA.")
    parts = found.groupdict()
    try:
        local = datetime(*(int(parts[p] or 0) for p in "ymdHMS"))  # type: ignore[arg-type]  # noqa: DTZ001
    except ValueError:
        raise Unreadable(f"«{_short(value)}» no existe en el calendario.") from None
    if offset := parts.get("offset"):
        aware = datetime.fromisoformat(local.isoformat() + offset)
        local = aware.astimezone(zone).replace(tzinfo=None)
    return _in_range(local)


def _local_from_serial(days: float, value: str) -> datetime:
    """Days since the spreadsheet's day zero. It comes as text too: a text column turns a date into its number."""
    if not 1 <= days < SERIAL_END:
        raise Unreadable(f"«{_short(value)}» no es una fecha.")
    return _in_range(_to_second(SERIAL_ZERO + timedelta(days=days)))


def _to_second(local: datetime) -> datetime:
    """The nearest second: a serial number has rounding errors."""
    return (local + timedelta(microseconds=500_000)).replace(microsecond=0)


def _in_range(local: datetime) -> datetime:
    if local.year not in YEARS:
        raise Unreadable(f"el año {local.year} no puede ser.")
    return local


@lru_cache(maxsize=4096)
def _plain(value: Decimal) -> str:
    """`1.5`, `10`, `0`: never `1.50`, `1E+1` or `-0`."""
    return format(value.normalize(), "f") if value else "0"


def _short(value: str) -> str:
    return value if len(value) <= 40 else value[:39] + "…"
