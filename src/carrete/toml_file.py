"""Reads `carrete.toml` in CARRETE_DATA: settings of the machine, kept beside its data. The environment and `.env` win.

The names are those of the environment. The file is ours alone, so that a name that is no setting is a mistake.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import Any

from carrete.settings_file import WrongSettingsFile, read_text

NAME = "carrete.toml"
DATA = "CARRETE_DATA"
_LINE = re.compile(r"at line (\d+)")


def read(data: Path, known: Collection[str]) -> dict[str, Any]:
    """The settings of the file by their names; none when there is no file."""
    path = data / NAME
    text = read_text(path)
    if text is None:
        return {}
    try:
        parsed = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = _LINE.search(str(error))
        where = f", line {line[1]}" if line else ""
        raise WrongSettingsFile(f'{path.absolute()}{where}: must be NAME = "value", as TOML writes it.') from None
    return {name: _value(path, name, value, known) for name, value in parsed.items()}


def _value(path: Path, name: str, value: Any, known: Collection[str]) -> Any:
    """A list of words becomes one text, as the environment would have it."""
    if name == DATA:
        raise WrongSettingsFile(f"{path.absolute()}: {DATA} belongs into the environment: it says where this file is.")
    if name not in known:
        from difflib import get_close_matches

        alike = get_close_matches(name.upper(), known, 1)
        hint = f" Did you mean {alike[0]}?" if alike else ""
        raise WrongSettingsFile(f"{path.absolute()}: {name} is no setting.{hint}")
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return " ".join(value)
    if isinstance(value, str | int):
        return value
    raise WrongSettingsFile(
        f"{path.absolute()}: {name} must be a text, a whole number, true, false or a list of words."
    )
