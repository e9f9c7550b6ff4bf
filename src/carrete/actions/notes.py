"""Photos in a group commit: those that its notes name are locked, and belong to a note once that is committed."""

from __future__ import annotations

from collections.abc import Iterable

from carrete.domain.commands import Anotar, Command
from carrete.ledger.database import Tx
from carrete.ledger.notes import mark_noted, photos_to_note


class GroupPhotos:
    """`known` are the photos that the ledger has. Without notes that name photos no statement is run."""

    def __init__(self, tx: Tx, commands: Iterable[Command]) -> None:
        self._tx = tx
        named = {photo for command in commands if isinstance(command, Anotar) for photo in command.photos}
        self.known = photos_to_note(tx, named) if named else set()
        self._noted: set[str] = set()

    def note(self, command: Command) -> None:
        """The command succeeded."""
        if isinstance(command, Anotar):
            self._noted.update(command.photos)

    def save(self) -> None:
        if self._noted:
            mark_noted(self._tx, self._noted)
