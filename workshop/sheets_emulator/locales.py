"""How the spreadsheet's locale writes numbers, dates and booleans."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sheets_emulator.errors import invalid

SERIAL_ZERO = datetime(1899, 12, 30)  # noqa: DTZ001 a sheet's dates have no zone
_DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class Locale:
    name: str
    decimal: str
    thousands: str
    day_first: bool
    date_pattern: str
    true: str
    false: str
    currency: str
    months: tuple[str, ...]


_MESES = ("ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic")
_MOIS = ("janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc.")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
LOCALES = {
    locale.name: locale
    for locale in (
        Locale("es_CL", ",", ".", True, "dd-mm-yyyy", "VERDADERO", "FALSO", "$", _MESES),
        Locale("es_ES", ",", ".", True, "d/m/yyyy", "VERDADERO", "FALSO", "€", _MESES),
        Locale("en_US", ".", ",", False, "m/d/yyyy", "TRUE", "FALSE", "$", _MONTHS),
        Locale("fr_FR", ",", "\u202f", True, "dd/mm/yyyy", "VRAI", "FAUX", "€", _MOIS),
        Locale("en_GB", ".", ",", True, "dd/mm/yyyy", "TRUE", "FALSE", "£", _MONTHS),
    )
}


def known(name: str) -> Locale:
    if name not in LOCALES:
        raise invalid(f"Unsupported locale: {name}")
    return LOCALES[name]


def serial(moment: datetime) -> float:
    """Days since 1899-12-30, whole when there is no time of day."""
    since = moment - SERIAL_ZERO
    return since.days if not since.seconds else since.days + since.seconds / _DAY_S


def moment(number: float) -> datetime:
    """Rounded to the second: smaller parts come from the inexact double."""
    return SERIAL_ZERO + timedelta(seconds=round(number * _DAY_S))
