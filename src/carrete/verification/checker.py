"""Checks an exported trail of Carrete, alone and against receipts. It needs Python 3.11 or newer, and nothing else.

    python3 verify.py TRAIL.jsonl [RECEIPTS.json or FOLDER …] [--copy OTHER.jsonl] [--key FINGERPRINT] [--es]

TRAIL.jsonl comes from `carrete verify --export TRAIL.jsonl`, receipts from the tablets. `--copy` is an export that you
kept from earlier: it is compared event by event. `--key` is the fingerprint of the shop's key that you were told by
another way than the file: only what that key signed counts then. Exit 0: whole; 1: not whole; 2: wrong call or no such
file; 3: whole, but some witness is of no use. What is checked, byte by byte, is in docs/trail.md of Carrete.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from io import TextIOWrapper
from itertools import chain
from pathlib import Path

from carrete.domain.trail.compare import examine
from carrete.domain.trail.copies import compare_with_copy
from carrete.domain.trail.files import (
    ExportedTrail,
    NotReadable,
    named_keys,
    parse_receipts,
    parse_trail_header,
    parse_trail_row,
    seal_witnesses,
    utc_text,
)
from carrete.domain.trail.findings import SEQ, TrailFinding, TrailRow
from carrete.domain.trail.sentences import report_sentences
from carrete.domain.trail.witness import SEAL_SOURCE, MissingKey, Witness, key_fingerprint

WHOLE, NOT_WHOLE, WRONG_CALL, WITNESSES_UNUSABLE = 0, 1, 2, 3


def main(arguments: Sequence[str] | None = None) -> int:
    for stream in (sys.stdout, sys.stderr):  # a name that the terminal cannot show must not end the check
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    options = _options(arguments)
    try:
        return check(options)
    except (NotReadable, OSError, ValueError) as error:
        print(f"verify: {error}", file=sys.stderr)
        return WRONG_CALL


def _options(arguments: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(prog="verify.py", description="Checks an exported trail of Carrete.")
    parser.add_argument("trail", type=Path)
    parser.add_argument("receipts", type=Path, nargs="*")
    parser.add_argument("--copy", type=Path, action="append", default=[])
    parser.add_argument("--key", default="")
    parser.add_argument("--es", action="store_true")
    return parser.parse_args(arguments)


def check(options: Namespace) -> int:
    _require_existing([*options.receipts, *options.copy])
    trail, unusable = _header(options.trail), list[str]()
    copies = _copies(options.copy, unusable)
    keys = [key for key in trail.keys if not options.key or key_fingerprint(key) == options.key.lower()]
    missing = _missing_keys(trail, copies)
    if not keys and (options.key or not missing):
        raise NotReadable("the file has no key with that fingerprint" if options.key else "the file has no key")
    witnesses = _witnesses(trail, options.receipts, keys, unusable)
    report = examine(lambda: _rows(options.trail), trail.head, witnesses, trail.gapless_after, trail.exported_at)
    differences: list[TrailFinding] = []
    compared = 0
    for copy, header in copies.items():
        copied = _rows_up_to_damage(copy, header.head.seq, unusable)
        if (first := next(copied, None)) is None:
            continue
        found = compare_with_copy(
            _rows(options.trail), chain([first], copied), copy.name, header.exported_at, report.written_at
        )
        differences += [replace(each, until=trail.exported_at) for each in found]
        compared += 1
    for sentence in report_sentences(report, differences, missing, compared):
        print(sentence.es if options.es else sentence.en)
    for line in unusable:
        print(line, file=sys.stderr)
    if report.findings or report.lost or differences or missing:
        return NOT_WHOLE
    return WITNESSES_UNUSABLE if unusable else WHOLE


def _require_existing(paths: Sequence[Path]) -> None:
    for path in paths:
        if not path.exists():
            raise NotReadable(f"{path} does not exist")


def _witnesses(
    trail: ExportedTrail, paths: Sequence[Path], keys: Sequence[bytes], unusable: list[str]
) -> list[Witness]:
    """What cannot be used is noted in `unusable`: it must not hide what the trail and the other witnesses show."""
    of_seals = seal_witnesses(trail.seals, SEAL_SOURCE, keys)
    found = [each for each in of_seals.witnesses if not _made_for_the_export(each, trail)]
    unusable += [f"seal {seq}: not signed by the shop's key" for seq in of_seals.refused]
    for file in _receipt_files(paths, unusable):
        try:
            parsed = parse_receipts(file.read_text("utf-8"), file.name, keys)
        except (NotReadable, OSError, ValueError) as error:
            unusable.append(f"{file.name} cannot be used: {error}")
            continue
        found += parsed.witnesses
        unusable += [f"{file.name}, event {seq}: not signed by the shop's key" for seq in parsed.refused]
    return found


def _made_for_the_export(seal: Witness, trail: ExportedTrail) -> bool:
    """The export signs the head that it finds. That it agrees with the events of the same file proves nothing."""
    return (seal.seq, seal.hash) == trail.head and seal.known_at == utc_text(trail.exported_at)


def _receipt_files(paths: Sequence[Path], unusable: list[str]) -> Iterator[Path]:
    for path in paths:
        files = sorted(path.glob("*.json")) if path.is_dir() else [path]
        if not files:
            unusable.append(f"{path} cannot be used: no .json file in it")
        yield from files


def _copies(paths: Sequence[Path], unusable: list[str]) -> dict[Path, ExportedTrail]:
    """The first line of each earlier export."""
    found: dict[Path, ExportedTrail] = {}
    for path in paths:
        try:
            found[path] = _header(path)
        except (NotReadable, OSError, ValueError) as error:
            unusable.append(f"{path.name} cannot be used: {error}")
    return found


def _missing_keys(trail: ExportedTrail, copies: Mapping[Path, ExportedTrail]) -> list[MissingKey]:
    """Keys that the ledger had: an earlier export has them, or a seal names them."""
    known = {key_fingerprint(key) for key in trail.keys}
    named = [(head.key, SEAL_SOURCE, head.seq) for head in named_keys(trail.seals)]
    for copy, earlier in copies.items():
        named += [(key_fingerprint(key), copy.name, earlier.head.seq) for key in earlier.keys]
    missing = {key: MissingKey(key, source, seq) for key, source, seq in named if key not in known}
    return list(missing.values())


def _header(path: Path) -> ExportedTrail:
    with path.open(encoding="utf-8") as file:
        return parse_trail_header(file.readline(), str(path))


def _rows(path: Path) -> Iterator[TrailRow]:
    with path.open(encoding="utf-8", newline="\n") as file:
        file.readline()
        for line in file:
            yield parse_trail_row(line)


def _rows_up_to_damage(copy: Path, end: int, unusable: list[str]) -> Iterator[TrailRow]:
    """What stands before a damaged line, or before the end of a file that was cut off, counts."""
    last = 0
    try:
        for row in _rows(copy):
            yield row
            last = row[SEQ]
        if last < end:
            raise NotReadable(f"it has events up to {last}, and its first line names {end}")
    except (NotReadable, OSError, ValueError) as error:
        unusable.append(f"{copy.name} cannot be used to its end: {error}")


if __name__ == "__main__":
    sys.exit(main())
