"""What one reading of the trail notes, for the comparison with witnesses: of each seq, hash, id and token they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from carrete.domain.trail.canonical import GENESIS, ChainHead
from carrete.domain.trail.findings import ACCION, HASH, ID, SEQ, TIPO, VERSION, TrailRow
from carrete.domain.trail.witness import NOTE_TYPE, Witness


@dataclass(slots=True)
class TrailSeen:
    """The first four are what is looked for. `misfits` are places at which the trail does not fit itself."""

    seqs: set[int]
    hashes: set[str]
    ids: set[str]
    versions: set[str]
    at_seq: dict[int, TrailRow] = field(default_factory=dict)
    of_hash: dict[str, int] = field(default_factory=dict)
    of_id: dict[str, int] = field(default_factory=dict)
    of_version: dict[str, TrailRow] = field(default_factory=dict)  # the newest event with that token
    of_action: dict[tuple[str, str], int] = field(default_factory=dict)  # the newest with that token and `accion`
    suspects: list[TrailRow] = field(default_factory=list)
    misfits: int = 0
    events: int = 0
    last: TrailRow | None = None

    @classmethod
    def of(cls, witnesses: Sequence[Witness]) -> TrailSeen:
        ids = {w.event_id for w in witnesses if w.event_id}
        versions = {w.version for w in witnesses if w.version}
        return cls({w.seq for w in witnesses}, {w.hash for w in witnesses}, ids, versions)

    def note(self, row: TrailRow) -> None:
        if row[SEQ] in self.seqs:
            self.at_seq[row[SEQ]] = row
        if row[HASH] in self.hashes:
            self.of_hash[row[HASH]] = row[SEQ]
        if self.ids and row[ID] in self.ids:
            self.of_id[row[ID]] = row[SEQ]
        if row[VERSION] in self.versions:
            self._note_token(row)

    def _note_token(self, row: TrailRow) -> None:
        token = row[VERSION]
        self.of_version[token] = row
        self.of_action[token, NOTE_TYPE if row[TIPO] == NOTE_TYPE else row[ACCION]] = row[SEQ]

    @property
    def end(self) -> ChainHead:
        return ChainHead(self.last[SEQ], self.last[HASH]) if self.last else ChainHead(0, GENESIS)

    def agrees(self, w: Witness) -> bool:
        return w.seq in self.at_seq and self.at_seq[w.seq][HASH] == w.hash
