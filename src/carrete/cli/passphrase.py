"""Asks for the passphrase of a file of keys: in a terminal without showing it, otherwise from standard input."""

from __future__ import annotations

import sys

import typer

from carrete.backups.keys import PASSPHRASE_CHARS_MAX, PASSPHRASE_CHARS_MIN
from carrete.settings import WrongSetting


def new_passphrase() -> str:
    typed = _typed("Passphrase", confirm=True)
    if not PASSPHRASE_CHARS_MIN <= len(typed) <= PASSPHRASE_CHARS_MAX:
        raise WrongSetting(f"A passphrase has {PASSPHRASE_CHARS_MIN} to {PASSPHRASE_CHARS_MAX} characters.")
    return typed


def known_passphrase() -> str:
    return _typed("Passphrase of this file", confirm=False)


def _typed(question: str, *, confirm: bool) -> str:
    if sys.stdin.isatty():
        return str(typer.prompt(question, hide_input=True, confirmation_prompt=confirm)).strip()
    return sys.stdin.readline().strip()
