"""The commands, one file each. A command reads the settings, calls the part that does the work, and prints the result.

app        the command `carrete` and how it ends      common     settings, ledger, progress bar, printing
workshop   commands of the second package, if any     the rest   one command each, under its own name
"""

from __future__ import annotations

from carrete.gc_freeze import loading_modules

with loading_modules():
    from carrete.cli.app import app, main

__all__ = ["app", "main"]
