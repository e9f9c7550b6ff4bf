"""Photos in a group commit: those that its notes and results name are locked, and belong to them once committed."""

from __future__ import annotations

from collections.abc import Iterable

from carrete.domain.commands import Anotar, Command, ResultadoNdt
from carrete.ledger.database import Tx
from carrete.ledger.notes import mark_noted, photos_to_note

_WITH_PHOTOS = (Anotar, ResultadoNdt)


class GroupPhotos:
    """`known` are the photos that the ledger has. Without notes that name photos no statement is run."""

    def __init__(self, tx: Tx, commands: Iterable[Command]) -> None:
        self._tx = tx
        named = {photo for command in commands if isinstance(command, _WITH_PHOTOS) for photo in command.photos}
        self.known = photos_to_note(tx, named) if named else set()
        self._noted: set[str] = set()

    def note(self, command: Command) -> None:
        """The command succeeded."""
        if isinstance(command, _WITH_PHOTOS):
            self._noted.update(command.photos)

    def save(self) -> None:
        if self._noted:
            mark_noted(self._tx, self._noted)
