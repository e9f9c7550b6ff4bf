"""What a check of the installation found: how bad it is, what it is and what to do, in English for the terminal and in
Spanish for the page."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

Language = Literal["es", "en"]


class Severity(StrEnum):
    """A note is neither good nor bad; if it has an advice, a person should read it."""

    GOOD = "bien"
    NOTE = "aviso"
    BAD = "error"


class Words(NamedTuple):
    en: str
    es: str

    def in_language(self, language: Language) -> str:
        return self.en if language == "en" else self.es


NOTHING = Words("", "")


@dataclass(frozen=True, slots=True)
class Finding:
    severity: Severity
    what: Words
    to_do: Words = NOTHING


def good(what: Words) -> Finding:
    return Finding(Severity.GOOD, what)


def note(what: Words, to_do: Words = NOTHING) -> Finding:
    return Finding(Severity.NOTE, what, to_do)


def bad(what: Words, to_do: Words) -> Finding:
    return Finding(Severity.BAD, what, to_do)
