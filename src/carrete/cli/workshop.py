"""Commands of the workshop, the second package of this repository: found by entry point when it is installed."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points

import typer

from carrete.settings import WrongSetting

ENTRY_POINT_GROUP = "carrete.commands"
HELP = {
    "bench": "Measures: every figure of the documentation, as ratios within one run.",
    "chaos": "Tries to break it: real processes, real faults, a checker that trusts no answer.",
    "sheets-emulator": "Google Sheets without Google, on this machine only.",
}
_PASS_EVERYTHING_ON = {"ignore_unknown_options": True, "allow_extra_args": True}


def add_workshop_commands(app: typer.Typer) -> None:
    """Each command loads the workshop only when it is run: a server must not import it."""
    for name, text in HELP.items():
        register = app.command(name, help=text, add_help_option=False, context_settings=_PASS_EVERYTHING_ON)
        register(_runner(name))


def _runner(name: str) -> Callable[[typer.Context], None]:
    def run(context: typer.Context) -> None:
        _load(name)(args=context.args, prog_name=f"carrete {name}")

    return run


def _load(name: str) -> typer.Typer:
    for found in entry_points(group=ENTRY_POINT_GROUP, name=name):
        command: typer.Typer = found.load()
        return command
    raise WrongSetting(
        f"`carrete {name}` belongs to the workshop, a package for developers that is not installed: run `make setup` "
        "in a checkout of the repository, or `pip install` its folder workshop/."
    )
