"""The table of probes in docs/security.md, made from the probes: name, what it tries and gets (its docstring)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
PAPER = HERE.parents[2] / "docs" / "security.md"
_PLACE = re.compile(r"(?<=<!-- probes -->\n).*?(?=<!-- end of probes -->)", re.DOTALL)


def probes() -> Iterator[tuple[str, str, str]]:
    """Theme, name of the test, docstring."""
    for file in sorted(HERE.glob("test_*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        theme = (ast.get_docstring(tree) or "").partition(":")[0]
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield theme, node.name, " ".join((ast.get_docstring(node) or "").split())


def table() -> str:
    rows = ["| theme | is tried, and gets | test |", "|---|---|---|"]
    rows += [f"| {theme} | {what} | `{name}` |" for theme, name, what in probes()]
    return "\n".join(rows) + "\n"


def written(paper: str) -> str:
    """The paper with the table as it is now."""
    new = table()
    return _PLACE.sub(lambda _: new, paper)


if __name__ == "__main__":
    PAPER.write_text(written(PAPER.read_text("utf-8")), "utf-8")
