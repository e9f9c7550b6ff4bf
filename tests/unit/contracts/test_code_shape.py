"""What keeps the code readable: names that mean one thing, files and functions of a size that fits on a screen."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]
PRODUCT, WORKSHOP = REPOSITORY / "src" / "carrete", REPOSITORY / "workshop"
FILE_LINES_MAX = 300
FUNCTION_LINES_MAX = 50


def modules(*folders: Path) -> Iterator[tuple[Path, ast.Module]]:
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            yield path.relative_to(REPOSITORY), ast.parse(path.read_text("utf-8"))


def test_no_class_name_exists_twice() -> None:
    found: dict[str, set[Path]] = defaultdict(set)
    for path, tree in modules(PRODUCT, WORKSHOP):
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found[node.name].add(path)
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def test_no_file_of_the_product_is_long() -> None:
    lengths = {path: len((REPOSITORY / path).read_text("utf-8").splitlines()) for path, _ in modules(PRODUCT)}
    assert {path: lines for path, lines in lengths.items() if lines > FILE_LINES_MAX} == {}


def test_no_function_of_the_product_is_long() -> None:
    long = [
        f"{path}:{node.lineno} {node.name}"
        for path, tree in modules(PRODUCT)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno + 1 > FUNCTION_LINES_MAX
    ]
    assert long == []
