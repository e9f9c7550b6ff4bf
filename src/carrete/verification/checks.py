"""What `carrete doctor` says about the trail: its end against its head, the newest seal and the newest backup's head.

It reads a few rows. Everything is recomputed by `carrete verify` alone."""

from __future__ import annotations

from collections.abc import Iterator

from carrete.backups.folder import backups_in
from carrete.domain.trail.canonical import ChainHead
from carrete.domain.trail.printable import printable
from carrete.domain.trail.witness import Witness
from carrete.findings import Finding, Words, bad, good
from carrete.ledger.database import Database, Tx
from carrete.ledger.trail import has_head, last_seal, public_keys, stored_head
from carrete.settings import Settings
from carrete.trail.signing_key import own_public_key
from carrete.verification.sources import Witnesses, add_notes_of_backup

BACKUPS_LOOKED_AT = 3  # the newest


def problems(settings: Settings, database: Database) -> Iterator[Finding]:
    with database.reading() as tx:
        head, last = stored_head(tx), tx.one("event_last")
        known = list(_known_witnesses(tx, settings))
        denying = [each for each in known if not _agrees(tx, each)]
        ends_there = (last[0] if last else 0) == head.seq and _agrees(tx, Witness(head.seq, head.hash, ""))
    if ends_there and not denying:
        en, es = _agreement(len(known))
        ends = Words(f"trail: {head.seq} is its last event", f"registro: el último evento es el {head.seq}")
        yield good(Words(f"{ends.en}, {en}", f"{ends.es}; {es}"))
        return
    who = ", ".join(each.source for each in denying) or "head"
    yield bad(
        Words(f"trail: it is not the one that was there before ({who})", f"registro: no es el que había antes ({who})"),
        Words(
            "was a backup restored? `carrete verify` says what is missing or was changed",
            "¿se restauró un respaldo? Verifique el registro en Sistema: dice qué falta o cambió",
        ),
    )


def _agreement(witnesses: int) -> Words:
    if not witnesses:
        return Words("no seal or backup to compare with yet", "todavía sin sello ni respaldo con que comparar")
    if witnesses == 1:
        return Words("1 witness agrees", "1 testigo coincide")
    return Words(f"{witnesses} witnesses agree", f"{witnesses} testigos coinciden")


def _known_witnesses(tx: Tx, settings: Settings) -> Iterator[Witness]:
    """Those that need no file from anybody."""
    if seal := last_seal(tx):
        yield Witness(seal.seq, seal.hash, f"sello {printable(seal.at)}")
    own = own_public_key(settings.data)
    found = Witnesses()
    for backup in backups_in(settings.backup_folder)[:BACKUPS_LOOKED_AT]:
        add_notes_of_backup(found, backup.file, [*public_keys(tx), *([own] if own else [])])
    yield from found.found


def _agrees(tx: Tx, witness: Witness) -> bool:
    return witness.seq == 0 or has_head(tx, ChainHead(witness.seq, witness.hash))
