"""docs/settings.md lists every setting of the machine and of the shop with its default, and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from carrete.settings import Settings, setting_name
from carrete.shop_settings.in_force import MACHINE_NAMES
from carrete.shop_settings.values import SETTINGS, ShopSettings

PAGE = Path(__file__).parents[3] / "docs" / "settings.md"
_CODE = re.compile(r"`([^`]*)`")


def table(heading: str) -> dict[str, list[str]]:
    """The rows of the table under a heading: the setting's name, then its other cells."""
    section = PAGE.read_text("utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    return {cells[0].strip(" `"): [cell.strip() for cell in cells[1:]] for cells in rows}


def default_of(cell: str) -> str:
    """The default as the page writes it: code, or the word empty."""
    found = _CODE.match(cell)
    return "" if cell.startswith("empty") or found is None else found[1]


def written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(sorted(value)) if isinstance(value, frozenset) else str(value)


def test_every_setting_of_the_machine_is_on_the_page_with_its_default() -> None:
    wanted = {setting_name(field): written(info.default) for field, info in Settings.model_fields.items()}
    assert {name: default_of(cells[0]) for name, cells in table("The machine's settings").items()} == wanted


def test_every_setting_of_the_shop_is_on_the_page_with_its_default_and_what_fixes_it() -> None:
    defaults = ShopSettings().to_json()
    found = table("The shop's settings")
    assert list(found) == list(SETTINGS)
    for name, (default, variable, *_) in found.items():
        fixes = MACHINE_NAMES[name][1] if name in MACHINE_NAMES else "–"
        assert variable.strip("`") == fixes, name
        shown = default_of(default)
        value = json.loads(shown) if shown.startswith(("[", "{", "false", "true", "0")) else shown
        assert value == defaults[name], name


def test_a_default_of_the_shop_is_the_machines_default() -> None:
    """A machine that gives nothing and a shop that changed nothing agree on what is in force."""
    for name, (field, _) in MACHINE_NAMES.items():
        assert getattr(ShopSettings(), SETTINGS[name].field) == Settings.model_fields[field].default
