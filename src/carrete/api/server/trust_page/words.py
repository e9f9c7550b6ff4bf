"""The text of the page in the language that is asked for."""

from __future__ import annotations

from carrete.api.server.trust_page.english import ENGLISH
from carrete.api.server.trust_page.guides import Language, PageWords
from carrete.api.server.trust_page.spanish import SPANISH


def words(language: Language) -> PageWords:
    return SPANISH if language == "es" else ENGLISH
