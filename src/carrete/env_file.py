"""Reads the file `.env` in the working directory: settings for a start by hand. The environment overrides it.

A line is `NAME=value`, with or without `export`. A quoted value may have several lines, as private keys do. Variables
in a value are not expanded.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from carrete.addresses import has_secret
from carrete.settings_file import WrongSettingsFile, read_text

NAME = ".env"
_READ_BY_OTHERS = stat.S_IRGRP | stat.S_IROTH
LINES_OF_A_VALUE_MAX = 200  # a private key has about fifty
_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)", re.DOTALL)
_QUOTE_LEFT_OPEN = re.compile(r"(?:export\s+)?\w+\s*=\s*(?:\"(?:[^\"\\]|\\.)*|'[^']*)", re.DOTALL)
_IN_DOUBLE_QUOTES = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(?:#.*)?', re.DOTALL)
_IN_SINGLE_QUOTES = re.compile(r"'([^']*)'\s*(?:#.*)?")
_COMMENT = re.compile(r"(?:^|\s)#.*")


def read() -> dict[str, str]:
    """The settings of the file that are not in the environment; none when there is no file."""
    path = Path(NAME)
    text = read_text(path)
    if text is None:
        return {}
    present = {name.upper() for name in os.environ}
    return {name: value for name, value in _parse(path, text).items() if name not in present}


def secrets_open_to_others() -> bool:
    """Whether the file has an address with a secret, and users other than its owner can read it."""
    path = Path(NAME)
    try:
        if not path.is_file() or not path.stat().st_mode & _READ_BY_OTHERS:
            return False
        text = read_text(path)
        return text is not None and any(map(has_secret, _parse(path, text).values()))
    except (OSError, WrongSettingsFile):
        return False


def _parse(path: Path, text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in _settings(text):
        parsed = _setting(line)
        if parsed is None:
            raise WrongSettingsFile(f"{path.absolute()}, line {number}: must be NAME=value, with its quotes closed.")
        found[parsed[0].upper()] = parsed[1]
    return found


def _settings(text: str) -> Iterator[tuple[int, str]]:
    """Each setting: the number of its first line, and its text."""
    lines = enumerate(text.splitlines(), 1)
    for number, line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        parts = [line.lstrip()]
        while _QUOTE_LEFT_OPEN.fullmatch("\n".join(parts)) and len(parts) < LINES_OF_A_VALUE_MAX:
            parts += [following for _, following in islice(lines, 1)] or [""]
        yield number, "\n".join(parts).strip()


def _setting(line: str) -> tuple[str, str] | None:
    matched = _LINE.fullmatch(line)
    if matched is None or "\0" in line:
        return None
    name, value = matched.groups()
    if value.startswith('"'):
        quoted = _IN_DOUBLE_QUOTES.fullmatch(value)
        return (name, re.sub(r"\\(.)", r"\1", quoted[1])) if quoted else None
    if value.startswith("'"):
        quoted = _IN_SINGLE_QUOTES.fullmatch(value)
        return (name, quoted[1]) if quoted else None
    return name, _COMMENT.sub("", value).rstrip()
