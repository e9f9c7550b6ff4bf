"""What came of a read, cut into commits by tag, and as the pieces that the merge of an imported file understands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from carrete.sheets.rows.classify import RowDiff
from carrete.sheets.rows.storage import Freeze, Place
from carrete.sheets.structure import JOINTS, SPOOLS
from carrete.workbook.incoming import IncomingSpool, RowValues

ROWS_PER_COMMIT_MAX = 400


@dataclass(frozen=True, slots=True)
class Chunk:
    judged: list[RowDiff]
    gone: list[Place]


def chunks(judged: Sequence[RowDiff], gone: Sequence[Place]) -> Iterator[Chunk]:
    """By tag, so that a new spool and its joints come together."""
    by_tag: dict[str, Chunk] = {}
    for one in judged:
        by_tag.setdefault(one.place[1][0], Chunk([], [])).judged.append(one)
    for place in gone:
        by_tag.setdefault(place[1][0], Chunk([], [])).gone.append(place)
    chunk = Chunk([], [])
    for tag in sorted(by_tag):
        chunk.judged.extend(by_tag[tag].judged)
        chunk.gone.extend(by_tag[tag].gone)
        if len(chunk.judged) + len(chunk.gone) >= ROWS_PER_COMMIT_MAX:
            yield chunk
            chunk = Chunk([], [])
    if chunk.judged or chunk.gone:
        yield chunk


def why(freeze: Freeze) -> dict[str, Any]:
    """What the trail says of edits that were not taken because a supervisor let ours stand."""
    return {"motivo": freeze.reason, "supervisor_id": freeze.decided_by}


def pieces_of(
    edited: Sequence[RowDiff], gone: Sequence[Place], refused: Mapping[str, Mapping[str, Any]]
) -> list[IncomingSpool]:
    spools: dict[str, RowValues] = {}
    joints: dict[str, dict[int, RowValues]] = {}
    for one in edited:
        tag, n_union = one.place[1]
        said = RowValues(one.index + 1, "", one.verdict.said)
        if one.place[0] == SPOOLS.name:
            spools[tag] = said
        else:
            joints.setdefault(tag, {})[n_union] = said
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


def edited_tags(chunk: Chunk) -> list[str]:
    edited = [one.place[1][0] for one in chunk.judged if one.verdict.edited]
    return list(dict.fromkeys([*edited, *(tag for _, (tag, _) in chunk.gone)]))
