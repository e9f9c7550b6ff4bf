"""What `carrete service` can do is on paper."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from carrete.cli.service import service_app

DOCS = Path(__file__).parents[3] / "docs"
COMMANDS = typer.main.get_command(service_app).commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("option", [name for each in COMMANDS["install"].params for name in each.opts])
def test_every_option_of_install_is_in_the_table(option: str) -> None:
    assert f"`{option}`" in (DOCS / "operations.md").read_text("utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_explained(command: str) -> None:
    assert f"carrete service {command}" in (DOCS / "operations.md").read_text("utf-8")
