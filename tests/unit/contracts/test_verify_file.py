"""docs/verify.py is made of the product's own modules, and imports nothing but the standard library."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]


def test_the_auditors_file_is_the_one_that_the_modules_make() -> None:
    command = [sys.executable, str(REPOSITORY / "scripts" / "verify_file.py"), "--check"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert ran.returncode == 0, ran.stderr


def test_the_auditors_file_imports_the_standard_library_alone() -> None:
    tree = ast.parse((REPOSITORY / "docs" / "verify.py").read_text("utf-8"))
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in modules} <= sys.stdlib_module_names
