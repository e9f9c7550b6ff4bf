"""Witnesses out of files: receipts that tablets kept, the sheet of events of a workbook, and notes beside backups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from carrete.backups.folder import notes_of
from carrete.domain.trail.canonical import ChainHead
from carrete.domain.trail.files import NotReadable, Receipts, parse_receipts, seal_witnesses, utc_text
from carrete.domain.trail.printable import PATH_LENGTH_MAX, printable
from carrete.domain.trail.witness import SEAL_SOURCE, SignedHead, Witness, decoded, key_fingerprint, seal_message
from carrete.findings import Words
from carrete.ledger.database import Tx
from carrete.ledger.trail import Seal, seals
from carrete.trail.timestamps import stamped_witnesses
from carrete.workbook.cells import Raw, date_time
from carrete.workbook.columns import HASH, METADATA, TAG
from carrete.workbook.errors import WorkbookError
from carrete.workbook.xlsx_in import read_book, sheet_of

RECEIPT_BYTES_MAX = 4 * 1024 * 1024
FILES_MAX = 1_000
SEQ_DIGITS_MAX = 18  # seqs are numbers of 64 bits
TIMESTAMP, TIPO, WORKER = "Timestamp", "Evento_Tipo", "Worker_Nombre"  # columns of the sheet of events


@dataclass(slots=True)
class Witnesses:
    """What was found, and what could not be used and why. `signed` has a head that each key signed for a tablet or a
    sheet, with its source: a server puts its key into the ledger before it signs any of them."""

    found: list[Witness] = field(default_factory=list)
    unusable: list[Words] = field(default_factory=list)
    signed: dict[str, tuple[ChainHead, str]] = field(default_factory=dict)

    def noted_signer(self, seal: SignedHead, keys: Iterable[bytes], source: str) -> str | None:
        fingerprint = signed_by(seal, keys)
        if fingerprint is not None:
            self.signed.setdefault(fingerprint, (seal.head, source))
        return fingerprint

    def add(self, parsed: Receipts, source: str) -> None:
        self.found += parsed.witnesses
        if parsed.refused:
            seqs = ", ".join(map(str, parsed.refused[:10]))
            self.unusable.append(
                Words(
                    f"{source}: {len(parsed.refused)} witnesses are not signed by this shop's key (events {seqs})",
                    f"{source}: {len(parsed.refused)} testigos no están firmados por la clave de este taller "
                    f"(eventos {seqs})",
                )
            )

    def cannot_use(self, source: str, reason: str) -> None:
        source, reason = printable(source, PATH_LENGTH_MAX), printable(reason, PATH_LENGTH_MAX)
        self.unusable.append(
            Words(f"{source} cannot be used: {reason}", f"{source} no se puede usar como testigo: {reason}")
        )


def signed_by(seal: SignedHead, keys: Iterable[bytes]) -> str | None:
    """As `domain.trail.witness.signed_by`, fifty times as fast."""
    for key in keys:
        fingerprint = key_fingerprint(key)
        try:
            message = seal_message(fingerprint, seal.head, seal.at)
            Ed25519PublicKey.from_public_bytes(key).verify(decoded(seal.signature), message)
        except (InvalidSignature, ValueError):
            continue
        return fingerprint
    return None


def add_receipts(witnesses: Witnesses, path: Path, keys: Sequence[bytes]) -> None:
    """Of a file, or of every .json file in a folder."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        witnesses.cannot_use(str(path), "no .json file in it")
    if len(files) > FILES_MAX:
        witnesses.cannot_use(str(path), f"it has {len(files)} files, and only the first {FILES_MAX} are read")
    for file in files[:FILES_MAX]:
        try:
            with file.open("rb") as opened:
                text = opened.read(RECEIPT_BYTES_MAX).decode()
        except (OSError, ValueError) as error:
            witnesses.cannot_use(str(file), str(error))
            continue
        add_receipt_text(witnesses, text, file.name, keys)


def add_receipt_text(witnesses: Witnesses, text: str, source: str, keys: Sequence[bytes]) -> None:
    try:
        parsed = parse_receipts(text, source, keys, partial(witnesses.noted_signer, source=source))
        witnesses.add(parsed, source)
    except NotReadable as error:
        witnesses.cannot_use(source, str(error))


def add_workbooks(witnesses: Witnesses, paths: Sequence[Path], keys: Sequence[bytes], zone: ZoneInfo) -> None:
    """Two of one name, as those of two days are, are told apart by their folders."""
    names = [path.name for path in paths]
    for path in paths:
        _add_workbook(witnesses, path, path.name if names.count(path.name) == 1 else str(path), keys, zone)


def _add_workbook(witnesses: Witnesses, path: Path, shown_as: str, keys: Sequence[bytes], zone: ZoneInfo) -> None:
    """The column `Hash` of the sheet `Metadata`. Rows from before there was one are no witnesses."""
    try:
        sheet = sheet_of(read_book(path, sheets=(METADATA.name,)), METADATA)
    except WorkbookError as error:
        witnesses.cannot_use(shown_as, str(error))
        return
    if sheet is None or HASH not in sheet.header.indexes or "ID" not in sheet.header.indexes:
        witnesses.cannot_use(shown_as, "no sheet Metadata with the columns ID and Hash")
        return
    refused = []
    for row in sheet.rows:
        cells = {name: row[at] for name, at in sheet.header.indexes.items() if at < len(row) and row[at] is not None}
        if text := str(cells.get(HASH, "")).strip():
            found = _of_row(witnesses, text, cells, f"{shown_as}, Metadata", keys, zone)
            if found is None:
                refused.append(text[:20])
            else:
                witnesses.found.append(found)
    if refused:
        witnesses.cannot_use(shown_as, f"{len(refused)} cells of the column Hash ({', '.join(refused[:3])}…)")


def _of_row(
    witnesses: Witnesses, cell: str, cells: Mapping[str, Raw], source: str, keys: Sequence[bytes], zone: ZoneInfo
) -> Witness | None:
    """`seq.hash` or `seq.hash.signature`. The row was written after its event, whose time it has; when, the sheet does
    not say."""
    seq, _, rest = cell.partition(".")
    hash_, _, signature = rest.partition(".")
    if not seq.isdecimal() or len(seq) > SEQ_DIGITS_MAX or len(hash_) != 64:
        return None
    event = " ".join(printable(cells[name]).strip() for name in (TIPO, TAG, WORKER) if cells.get(name))
    at, event_id = _instant(cells.get(TIMESTAMP), zone), str(cells.get("ID", "")).strip()
    witness = Witness(int(seq), hash_, source, made_at=at, event_id=event_id, event=event)
    head = SignedHead(ChainHead(witness.seq, witness.hash), signature)
    return None if signature and witnesses.noted_signer(head, keys, source) is None else witness


def _instant(cell: Raw, zone: ZoneInfo) -> str:
    """The sheet has the shop's own time. Of an hour that there is twice it is the first."""
    try:
        local = date_time(cell, zone)
        return utc_text(datetime.fromisoformat(local).replace(tzinfo=zone).isoformat()) if local else ""
    except (ValueError, OverflowError):  # no time, or one that has no year in UTC
        return ""


def add_notes_of_backup(witnesses: Witnesses, file: Path, keys: Sequence[bytes]) -> None:
    """The signed head that was noted beside a copy when it was made."""
    head = notes_of(file).get("head")
    if isinstance(head, dict):
        try:
            witnesses.add(seal_witnesses([head], f"respaldo {file.name}", keys, signed_by), file.name)
        except (ValueError, KeyError) as error:
            witnesses.cannot_use(file.name, str(error))


def add_seals(witnesses: Witnesses, tx: Tx, keys: Sequence[bytes]) -> None:
    """The hourly seals in the ledger. Whoever rewrites the trail can delete them, but cannot make others."""
    entries: Iterator[dict[str, object]] = (
        {"seq": seal.seq, "hash": seal.hash, "firma": seal.signature, "en": seal.at} for seal in seals(tx)
    )
    witnesses.add(seal_witnesses(entries, SEAL_SOURCE, keys, signed_by), "trail_seal")


def add_time_stamps(witnesses: Witnesses, tx: Tx, keys: Sequence[bytes]) -> None:
    """Confirmations of a service outside (RFC 3161) that a seal existed at a moment."""

    def is_signed(seal: Seal) -> bool:
        return signed_by(SignedHead(ChainHead(seal.seq, seal.hash), seal.signature, seal.at), keys) is not None

    for witness, trouble in stamped_witnesses(tx, is_signed):
        if trouble:
            witnesses.cannot_use(f"{witness.source} ({witness.seq})", trouble)
        else:
            witnesses.found.append(witness)
