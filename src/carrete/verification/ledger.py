"""Examines the ledger's trail with every witness that it is given. It only reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from carrete.backups.errors import BackupFailed
from carrete.backups.folder import backups_in
from carrete.domain.trail.canonical import ChainHead
from carrete.domain.trail.compare import TrailReport, examine
from carrete.domain.trail.copies import compare_with_copy
from carrete.domain.trail.findings import TrailFinding
from carrete.domain.trail.sentences import report_sentences
from carrete.domain.trail.witness import SEAL_SOURCE, MissingKey, key_fingerprint
from carrete.findings import Finding, Severity, Words
from carrete.ledger.database import Database, Tx, stay_connected
from carrete.ledger.trail import damaged_keys, gapless_after, has_head, public_keys, stored_head, trail_rows
from carrete.settings import Settings
from carrete.shop_settings.in_force import in_force, shop_of
from carrete.shop_settings.store import read
from carrete.trail.signing_key import own_public_key
from carrete.verification.copies import events_of_copy, made_at_of
from carrete.verification.sources import (
    Witnesses,
    add_notes_of_backup,
    add_receipt_text,
    add_receipts,
    add_seals,
    add_time_stamps,
    add_workbooks,
)

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class GivenWitnesses:
    """Files that somebody brings: receipts (a folder, a file, or texts with their names), workbooks, backups."""

    receipts: Sequence[Path] = ()
    receipt_texts: Sequence[tuple[str, str]] = ()
    workbooks: Sequence[Path] = ()
    backups: Sequence[Path] = ()


@dataclass(slots=True)
class Verified:
    report: TrailReport
    differences: list[TrailFinding] = field(default_factory=list)  # from whole copies
    unusable: list[Words] = field(default_factory=list)
    missing_keys: list[MissingKey] = field(default_factory=list)
    copies: int = 0  # that were compared

    @property
    def is_whole(self) -> bool:
        return not (self.report.findings or self.report.lost or self.differences or self.missing_keys)

    def findings(self) -> Iterator[Finding]:
        """The first says whether all is well, which nobody can say of a trail that was compared with nothing."""
        unknown = Severity.GOOD if self.report.witnesses or self.copies else Severity.NOTE
        severity = unknown if self.is_whole else Severity.BAD
        for sentence in report_sentences(self.report, self.differences, self.missing_keys, self.copies):
            yield Finding(severity, Words(*sentence))
        for words in self.unusable:
            yield Finding(Severity.NOTE, words)


def verify(
    settings: Settings, database: Database, given: GivenWitnesses, on_progress: Progress = lambda *_: None
) -> Verified:
    """People go on working meanwhile. Files are read first: a backup that is made after the snapshot of the ledger
    would be a witness of events that the snapshot does not have."""
    with database.reading() as tx:
        keys, damaged = _keys(tx, settings), damaged_keys(tx)
        zone = shop_of(settings, in_force(settings, read(tx))).zone
    witnesses = _witnesses_in_files(settings, given, keys, zone)
    for fingerprint in damaged:
        witnesses.cannot_use(f"trail_key {fingerprint}", "its public key is damaged")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with database.reading() as tx:
        stay_connected(tx, database.engine)  # a copy is unpacked, or many hashes are tried
        add_seals(witnesses, tx, keys)
        add_time_stamps(witnesses, tx, keys)
        (events,) = tx.one("events_count") or (0,)
        report = examine(
            lambda: trail_rows(tx),
            stored_head(tx),
            witnesses.found,
            gapless_after(tx),
            now,
            lambda done: on_progress(done, events),
        )
        verified = Verified(report, unusable=witnesses.unusable, missing_keys=missing_keys(tx, witnesses.signed))
        for file in given.backups:
            _compare(verified, file, lambda: trail_rows(tx), now)
    return verified


def _keys(tx: Tx, settings: Settings) -> list[bytes]:
    """Those of the ledger, and this machine's own, which nobody with the database alone can replace."""
    own = own_public_key(settings.data)
    return list(dict.fromkeys([*([own] if own else []), *public_keys(tx)]))


def missing_keys(tx: Tx, signed: Mapping[str, tuple[ChainHead, str]]) -> list[MissingKey]:
    """Keys that the ledger must have had: a stored seal names them, or they signed a head that is in the trail. Nothing
    of ours deletes a key. One that was overwritten is missing too, whatever fingerprint its row has. A head that is not
    in the trail says nothing: an older copy of the ledger may have been put back, from before that key."""
    known = {key_fingerprint(key) for key in public_keys(tx)}
    missing = {key: MissingKey(key, SEAL_SOURCE, seq) for key, seq in tx.all("trail_seal_keys") if key not in known}
    for key, (head, source) in signed.items():
        if key not in known and key not in missing and has_head(tx, head):
            missing[key] = MissingKey(key, source, head.seq)
    return list(missing.values())


def _witnesses_in_files(settings: Settings, given: GivenWitnesses, keys: Sequence[bytes], zone: ZoneInfo) -> Witnesses:
    witnesses = Witnesses()
    for path in given.receipts:
        add_receipts(witnesses, path, keys)
    for text, name in given.receipt_texts:
        add_receipt_text(witnesses, text, name, keys)
    add_workbooks(witnesses, list(dict.fromkeys(given.workbooks)), keys, zone)
    for file in dict.fromkeys([*given.backups, *(backup.file for backup in backups_in(settings.backup_folder))]):
        add_notes_of_backup(witnesses, file, keys)
    return witnesses


def _compare(verified: Verified, file: Path, read: Callable[[], Iterable[tuple[object, ...]]], now: str) -> None:
    try:
        with events_of_copy(file) as read_copy:
            written_at = verified.report.written_at
            found = compare_with_copy(read(), read_copy(), f"respaldo {file.name}", made_at_of(file), written_at)
    except (BackupFailed, OSError, EOFError) as error:
        words = error.words if isinstance(error, BackupFailed) else Words(str(error), str(error))
        verified.unusable.append(words)
        return
    verified.copies += 1
    verified.differences += [replace(each, until=now) for each in found]
