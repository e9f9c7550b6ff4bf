"""The table of rooms in docs/architecture.md is the import contract: every module of the product, in the same order."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

HOUSE = Path(__file__).parents[3]
SOURCE = HOUSE / "src" / "carrete"


def layers() -> list[set[str]]:
    contracts = tomllib.loads((HOUSE / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    return [
        {name.removeprefix("carrete.") for name in layer.split(" | ")}
        for layer in contracts[0]["layers"]
        if layer != "carrete.__main__"
    ]


def rooms() -> list[str]:
    table = (HOUSE / "docs" / "architecture.md").read_text("utf-8").partition("| room of `src/carrete` |")[2]
    cells = re.findall(r"^\| (.*?) \|", table.partition("\n\n")[0], re.M)
    return [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]


def test_every_module_of_the_product_has_its_room_on_the_page() -> None:
    modules = {path.name.removesuffix(".py") for path in SOURCE.glob("[!_]*") if path.suffix in ("", ".py")}
    assert set(rooms()) == modules - {"web_dist"} == set().union(*layers())


def test_the_rooms_are_in_the_order_in_which_they_may_import() -> None:
    order = [next(number for number, names in enumerate(layers()) if room in names) for room in rooms()]
    assert order == sorted(order)
