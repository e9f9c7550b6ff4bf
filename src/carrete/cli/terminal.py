"""Standard output and standard error as the commands print on them."""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


class Terminal:
    """Prints sentences as they are; tables by rich, which a server never loads: it is 3 MB of memory."""

    def __init__(self, *, is_stderr: bool = False) -> None:
        self._is_stderr = is_stderr

    @cached_property
    def console(self) -> Console:
        """Text that people typed may have square brackets: rich must not take them for markup."""
        from rich.console import Console

        return Console(stderr=self._is_stderr, highlight=False, soft_wrap=True, markup=False, emoji=False)

    def print(self, *what: object) -> None:
        """Once there is a console it prints everything, so that lines stand above its progress bar."""
        if "console" in self.__dict__ or not all(isinstance(part, str) for part in what):
            self.console.print(*what)
        else:
            print(*what, file=sys.stderr if self._is_stderr else sys.stdout, flush=True)
