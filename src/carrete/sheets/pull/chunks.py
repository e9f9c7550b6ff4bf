"""Divides the changes of a read into commits by tag, and turns them into the input of the merge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from carrete.sheets.rows.classify import RowDiff
from carrete.sheets.rows.storage import Freeze, RowKey
from carrete.sheets.structure import JOINTS, SPOOLS
from carrete.workbook.incoming import IncomingSpool, RowValues

ROWS_PER_COMMIT_MAX = 400


@dataclass(frozen=True, slots=True)
class CommitChunk:
    """The rows of one commit."""

    diffs: list[RowDiff]
    gone: list[RowKey]  # rows that were deleted from the sheet


def chunks(diffs: Sequence[RowDiff], gone: Sequence[RowKey]) -> Iterator[CommitChunk]:
    """By tag, so that a new spool and its joints are in the same commit."""
    by_tag: dict[str, CommitChunk] = {}
    for diff in diffs:
        by_tag.setdefault(diff.row_key[1][0], CommitChunk([], [])).diffs.append(diff)
    for row_key in gone:
        by_tag.setdefault(row_key[1][0], CommitChunk([], [])).gone.append(row_key)
    chunk = CommitChunk([], [])
    for tag in sorted(by_tag):
        chunk.diffs.extend(by_tag[tag].diffs)
        chunk.gone.extend(by_tag[tag].gone)
        if len(chunk.diffs) + len(chunk.gone) >= ROWS_PER_COMMIT_MAX:
            yield chunk
            chunk = CommitChunk([], [])
    if chunk.diffs or chunk.gone:
        yield chunk


def refusal_metadata(freeze: Freeze) -> dict[str, Any]:
    """The metadata of the events for edits that a supervisor has refused."""
    return {"motivo": freeze.reason, "supervisor_id": freeze.decided_by}


def incoming_spools(
    edited: Sequence[RowDiff], gone: Sequence[RowKey], refused: Mapping[str, Mapping[str, Any]]
) -> list[IncomingSpool]:
    """`refused`: by sheet, the metadata for edits that a supervisor has refused."""
    spools: dict[str, RowValues] = {}
    joints: dict[str, dict[int, RowValues]] = {}
    for diff in edited:
        tag, n_union = diff.row_key[1]
        values = RowValues(diff.index + 1, "", diff.verdict.values)
        if diff.row_key[0] == SPOOLS.name:
            spools[tag] = values
        else:
            joints.setdefault(tag, {})[n_union] = values
    gone_spools = {row[0] for sheet, row in gone if sheet == SPOOLS.name}
    gone_joints: dict[str, set[int]] = {}
    for sheet, (tag, n_union) in gone:
        if sheet == JOINTS.name:
            gone_joints.setdefault(tag, set()).add(n_union)
    tags = sorted({*spools, *joints, *gone_spools, *gone_joints})
    return [
        IncomingSpool(
            tag, spools.get(tag), joints.get(tag, {}), tag in gone_spools, frozenset(gone_joints.get(tag, ())), refused
        )
        for tag in tags
    ]


def edited_tags(chunk: CommitChunk) -> list[str]:
    edited = [diff.row_key[1][0] for diff in chunk.diffs if diff.verdict.edited]
    return list(dict.fromkeys([*edited, *(tag for _, (tag, _) in chunk.gone)]))
